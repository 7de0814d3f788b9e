"""What a run has mounted into a workload, as the workload's annotation says it, so that a later run can take it back.

Words with blanks between them: `volume`, `container=/path`, `container=ConfigMap/name=prefix`. A path or prefix is
percent-encoded as in a URL, so that a blank or `=` in it separates nothing.
"""

from typing import NamedTuple
from urllib.parse import quote, unquote


class EnvSource(NamedTuple):
    """One element of `envFrom`: by base name, as the name in there follows its revision."""

    container: str
    kind: str
    name: str
    prefix: str


class MountMark(NamedTuple):
    """Names of volumes; containers and paths of mounts; sources of variables."""

    volumes: tuple[str, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()
    sources: tuple[EnvSource, ...] = ()

    def __str__(self) -> str:
        """The annotation's text."""
        mounts = (f"{container}={quote(path)}" for container, path in self.mounts)
        sources = (f"{one.container}={one.kind}/{one.name}={quote(one.prefix, safe='')}" for one in self.sources)
        return " ".join(dict.fromkeys([*self.volumes, *mounts, *sources]))


def read_mount_mark(annotation: str) -> MountMark:
    """Never fails: a word that is none of ours marks nothing."""
    volumes, mounts, sources = [], [], []
    for word in annotation.split():
        match word.split("="):
            case [volume]:
                volumes.append(volume)
            case [container, path]:
                mounts.append((container, unquote(path)))
            case [container, source, prefix]:
                kind, _, name = source.partition("/")
                sources.append(EnvSource(container, kind, name, unquote(prefix)))
    return MountMark(tuple(volumes), tuple(mounts), tuple(sources))
