"""The annotation on a workload that records what a run mounted, so that a later run can change or remove it.

It holds words separated by blanks: `volume`, `container=/path`, `container=ConfigMap/name=prefix`. Each part is
percent-encoded as in a URL, so that a blank or `=` in it does not separate.
"""

import re
from typing import NamedTuple

# Not urllib: importing it takes longer than all of mounting.
_UNSAFE = re.compile(r"[^A-Za-z0-9_.~-]")
_ENCODED = re.compile("(?:%[0-9A-F]{2})+")


class EnvSource(NamedTuple):
    """An element of `envFrom`, by its base name: the name in the element follows its revision."""

    container: str
    kind: str
    name: str
    prefix: str


class MountMark(NamedTuple):
    """Names of volumes, containers and paths of volume mounts, elements of `envFrom`."""

    volumes: tuple[str, ...] = ()
    mounts: tuple[tuple[str, str], ...] = ()
    sources: tuple[EnvSource, ...] = ()

    def __str__(self) -> str:
        """Return the annotation's text."""
        mounts = (f"{_quote(container)}={_quote(path, but='/')}" for container, path in self.mounts)
        sources = (
            f"{_quote(one.container)}={one.kind}/{_quote(one.name)}={_quote(one.prefix)}" for one in self.sources
        )
        return " ".join(dict.fromkeys([*self.volumes, *mounts, *sources]))


def read_mount_mark(annotation: str) -> MountMark:
    """Read the annotation. Words that this function does not write mark nothing."""
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
