"""What a mount is in a pod's spec: a volume and its place in a container, or a source of variables."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from krm_fn.model.edit import Value
from krm_fn.model.mount import Mount, Source

Element: TypeAlias = Mapping[str, Value]

_IN_VOLUME = {"ConfigMap": ("configMap", "name"), "Secret": ("secret", "secretName")}
_PROJECTED = {"ConfigMap": "configMap", "Secret": "secret"}
_IN_ENVIRONMENT = {"ConfigMap": "configMapRef", "Secret": "secretRef"}


def volume(name: str, mount: Mount, called: Sequence[str]) -> Element:
    """The volume; `called` are the names of its sources."""
    mode: dict[str, Value] = {} if mount.default_mode is None else {"defaultMode": mount.default_mode}
    if mount.projected:
        sources = [
            {_PROJECTED[source.kind]: {"name": now, **_details(source)}}
            for source, now in zip(mount.sources, called, strict=True)
        ]
        return {"name": name, "projected": {**mode, "sources": sources}}
    (source,) = mount.sources
    field, key = _IN_VOLUME[source.kind]
    return {"name": name, field: {key: called[0], **mode, **_details(source)}}


def volume_mount(name: str, mount: Mount) -> Element:
    """Where a container finds the volume."""
    below: dict[str, Value] = {"subPath": mount.sub_path} if mount.sub_path else {}
    return {"name": name, "mountPath": mount.path, **below, "readOnly": True}


def env_source(mount: Mount, called: str) -> Element:
    """A source of variables."""
    (source,) = mount.sources
    prefix: dict[str, Value] = {"prefix": mount.prefix} if mount.prefix else {}
    return {**prefix, _IN_ENVIRONMENT[source.kind]: {"name": called, **_details(source)}}


def _details(source: Source) -> dict[str, Value]:
    items: list[Element] = [
        {"key": item.key, "path": item.path, **({} if item.mode is None else {"mode": item.mode})}
        for item in source.items
    ]
    return {**({"items": items} if items else {}), **({"optional": True} if source.optional else {})}
