"""The names a ConfigMap or Secret goes by: now, before, and in its author's files."""

import re
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.naming.content_hash import Unhashable, content_hash

HASH = "[2456789bcdfghkmt]{10}"
_ENDS_IN_HASH = re.compile(f"(.+)-({HASH})")
_INTERNAL = "internal.config.kubernetes.io/"


class Former(NamedTuple):
    """A name and namespace an object had earlier in the same kustomize build."""

    namespace: str
    name: str


def base_name(item: Item) -> str:
    """The name without its content hash.

    A hash is taken off only if it is known to be one: it is this object's own, or the base name was written down
    by an earlier run (a prefix or suffix put around the name since then is kept). `app-bcdfghkmtt` can be a real name.
    """
    name = item.id.name
    written_down = _written_down(item)
    if written_down:
        return re.sub(f"({re.escape(written_down)})-{HASH}", r"\1", name)
    match = _ENDS_IN_HASH.fullmatch(name)
    return match.group(1) if match and match.group(2) == _own_hash(item) else name


def without_hash(name: str) -> str:
    """What looks like a content name, less what looks like its hash; for telling people, not for deciding."""
    match = _ENDS_IN_HASH.fullmatch(name)
    return match.group(1) if match else name


def _written_down(item: Item) -> str:
    """The base name in the annotation; `""` where it is not about this name, as after copying an object."""
    base = item.annotations.get(keys.BASE_NAME, "")
    return base if base and re.search(f"{re.escape(base)}-{HASH}", item.id.name) else ""


def _own_hash(item: Item) -> str | None:
    try:
        return content_hash(item.node)
    except Unhashable:
        return None


def names_of(item: Item) -> list[str]:
    """Every name a reference may use, the strongest claim first."""
    formers = [former.name for former in former_names(item)]
    return [name for name in dict.fromkeys([item.id.name, base_name(item), _written_down(item), *formers]) if name]


def former_names(item: Item) -> list[Former]:
    """From kustomize's parallel comma lists; `default` there stands for no namespace."""
    names = _list(item, "previousNames")
    namespaces = _list(item, "previousNamespaces") or ["default"] * len(names)
    pairs = zip(namespaces, names, strict=False)
    return [Former("" if namespace == "default" else namespace, name) for namespace, name in pairs]


def affixes(item: Item) -> tuple[list[str], list[str]]:
    """The prefixes and suffixes kustomize has put on, innermost first."""
    return _list(item, "prefixes"), _list(item, "suffixes")


def _list(item: Item, name: str) -> list[str]:
    value = item.annotations.get(_INTERNAL + name, "")
    return value.split(",") if value else []


WORD = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")

ABOUT_ITSELF = frozenset({"apiVersion", "kind", "metadata", "status"})
"""Fields at the top of an object that ask for nothing."""
