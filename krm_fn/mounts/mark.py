"""What a run has mounted into a workload, as the workload's annotation says it, so that a later run can take it back.

Words with blanks between them: `volume`, `container=/path`, `container=ConfigMap/name=prefix`. All parts are
percent-encoded as in a URL, so that a blank or `=` in them separates nothing.
"""

import re
from typing import NamedTuple

# Not urllib's: loading that takes longer than all the rest of mounting.
_UNSAFE = re.compile(r"[^A-Za-z0-9_.~-]")
_ENCODED = re.compile("(?:%[0-9A-F]{2})+")


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
        mounts = (f"{_quote(container)}={_quote(path, but='/')}" for container, path in self.mounts)
        sources = (
            f"{_quote(one.container)}={one.kind}/{_quote(one.name)}={_quote(one.prefix)}" for one in self.sources
        )
        return " ".join(dict.fromkeys([*self.volumes, *mounts, *sources]))


def read_mount_mark(annotation: str) -> MountMark:
    """Never fails: a word that is none of ours marks nothing."""
    volumes, mounts, sources = [], [], []
    for word in annotation.split():
        match word.split("="):
            case [volume]:
                volumes.append(volume)
            case [container, path]:
                mounts.append((_unquote(container), _unquote(path)))
            case [container, source, prefix]:
                kind, _, name = source.partition("/")
                sources.append(EnvSource(_unquote(container), kind, _unquote(name), _unquote(prefix)))
    return MountMark(tuple(volumes), tuple(mounts), tuple(sources))


def _quote(text: str, *, but: str = "") -> str:
    return _UNSAFE.sub(lambda found: found[0] if found[0] == but else _encode(found[0]), text)


def _encode(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def _unquote(text: str) -> str:
    return _ENCODED.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), text)
