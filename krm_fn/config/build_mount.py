"""An entry of `mounts`, read by hand."""

import re

from krm_fn.config.expect import (
    Plain,
    a_boolean,
    a_filled_list,
    a_list,
    a_mapping,
    a_number,
    a_text,
    filled_text,
    one_of,
    refuse,
    texts,
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
    """A mount from a plain value. Raises Invalid exactly where the schema would refuse it."""
    how = _IN_ENVIRONMENT if "envFrom" in a_mapping(value) else _IN_VOLUME
    entry = a_mapping(value, (*_WORKLOAD, *how, "projected", *_SOURCE))
    projected = "projected" in entry
    if how is _IN_ENVIRONMENT and (entry["envFrom"] is not True or projected or "items" in entry):
        refuse()
    if projected and not entry.keys().isdisjoint(_SOURCE):
        refuse()
    return Mount(
        kind=filled_text(entry["kind"]) if "kind" in entry else None,
        name=a_text(entry.get("name", "*")),
        namespace=a_text(entry["namespace"]) if "namespace" in entry else None,
        labels=texts(entry.get("labels", {})),
        containers=tuple(map(filled_text, a_list(entry.get("containers", ["*"])))),
        init_containers=tuple(map(filled_text, a_list(entry.get("initContainers", [])))),
        sources=tuple(map(_projected_source, a_filled_list(entry["projected"]))) if projected else (_source(entry),),
        projected=projected,
        path=_matching(_PATH, entry.get("path")) if how is _IN_VOLUME else "",
        sub_path=filled_text(entry["subPath"]) if "subPath" in entry else "",
        default_mode=_mode(entry.get("defaultMode")),
        prefix=_matching(_PREFIX, entry["prefix"]) if "prefix" in entry else "",
    )


def _projected_source(value: Plain) -> Source:
    """The name of a ConfigMap, or an entry as precise as outside of `projected`."""
    return _source(a_mapping(value, _SOURCE)) if isinstance(value, dict) else _source({"configMap": value})


def _source(entry: dict[str, Plain]) -> Source:
    (field,) = [name for name in _SOURCES if name in entry] if len(_SOURCES.keys() & entry.keys()) == 1 else refuse()
    return Source(
        kind=one_of(_SOURCES[field], CONFIG_KINDS),
        name=filled_text(entry[field]),
        items=tuple(map(_item, a_filled_list(entry["items"]))) if "items" in entry else (),
        optional=a_boolean(entry.get("optional", False)),
    )


def _item(value: Plain) -> KeyToPath:
    item = a_mapping(value, ("key", "path", "mode"))
    return KeyToPath(key=filled_text(item.get("key")), path=filled_text(item.get("path")), mode=_mode(item.get("mode")))


def _mode(value: Plain) -> int | None:
    return None if value is None else a_number(value, minimum=0, maximum=_HIGHEST_MODE)


def _matching(pattern: re.Pattern[str], value: Plain) -> str:
    text = a_text(value)
    return text if pattern.fullmatch(text) else refuse()
