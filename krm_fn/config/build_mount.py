"""A Mount from an entry of `mounts`."""

import re

from krm_fn.config.plain import (
    Plain,
    as_boolean,
    as_filled_list,
    as_filled_text,
    as_list,
    as_mapping,
    as_number,
    as_text,
    as_texts,
    one_of,
    refuse,
)
from krm_fn.model.item import CONFIG_KINDS
from krm_fn.model.settings import KeyToPath, Mount, Source

_SOURCES = {"configMap": "ConfigMap", "secret": "Secret"}
_SOURCE = (*_SOURCES, "items", "optional")
_WORKLOAD = ("kind", "name", "namespace", "labels", "containers", "initContainers")
_IN_VOLUME = ("path", "subPath", "defaultMode")
_IN_ENVIRONMENT = ("envFrom", "prefix")
_HIGHEST_MODE = 0o777
_PATH = re.compile(r"/[^:]*")
_PREFIX = re.compile(r"[^=]+")


def build_mount(value: Plain) -> Mount:
    """Build a mount from a plain value. Raises Invalid exactly where the schema does not allow it."""
    how = _IN_ENVIRONMENT if "envFrom" in as_mapping(value) else _IN_VOLUME
    entry = as_mapping(value, (*_WORKLOAD, *how, "projected", *_SOURCE))
    projected = "projected" in entry
    if how is _IN_ENVIRONMENT and (entry["envFrom"] is not True or projected or "items" in entry):
        refuse()
    if projected and not entry.keys().isdisjoint(_SOURCE):
        refuse()
    return Mount(
        kind=as_filled_text(entry["kind"]) if "kind" in entry else None,
        name=as_text(entry.get("name", "*")),
        namespace=as_text(entry["namespace"]) if "namespace" in entry else None,
        labels=as_texts(entry.get("labels", {})),
        containers=tuple(map(as_filled_text, as_list(entry.get("containers", ["*"])))),
        init_containers=tuple(map(as_filled_text, as_list(entry.get("initContainers", [])))),
        sources=tuple(map(_projected_source, as_filled_list(entry["projected"]))) if projected else (_source(entry),),
        projected=projected,
        path=_matching(_PATH, entry.get("path")) if how is _IN_VOLUME else "",
        sub_path=as_filled_text(entry["subPath"]) if "subPath" in entry else "",
        default_mode=_mode(entry.get("defaultMode")),
        prefix=_matching(_PREFIX, entry["prefix"]) if "prefix" in entry else "",
    )


def _projected_source(value: Plain) -> Source:
    """Read the name of a ConfigMap, or a mapping with the same fields as outside of `projected`."""
    return _source(as_mapping(value, _SOURCE)) if isinstance(value, dict) else _source({"configMap": value})


def _source(entry: dict[str, Plain]) -> Source:
    (field,) = [name for name in _SOURCES if name in entry] if len(_SOURCES.keys() & entry.keys()) == 1 else refuse()
    return Source(
        kind=one_of(_SOURCES[field], CONFIG_KINDS),
        name=as_filled_text(entry[field]),
        items=tuple(map(_item, as_filled_list(entry["items"]))) if "items" in entry else (),
        optional=as_boolean(entry.get("optional", False)),
    )


def _item(value: Plain) -> KeyToPath:
    item = as_mapping(value, ("key", "path", "mode"))
    return KeyToPath(
        key=as_filled_text(item.get("key")), path=as_filled_text(item.get("path")), mode=_mode(item.get("mode"))
    )


def _mode(value: Plain) -> int | None:
    return None if value is None else as_number(value, minimum=0, maximum=_HIGHEST_MODE)


def _matching(pattern: re.Pattern[str], value: Plain) -> str:
    text = as_text(value)
    return text if pattern.fullmatch(text) else refuse()
