"""Read the present, base and earlier names of objects, and those of sets and Jobs.

This is the door by which the tools enter the room: it lists what they use.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping

from krm_fn.base import keys
from krm_fn.base.item import HASH, Item, is_revision
from krm_fn.base.keys import NEEDS_HASH_SUFFIX, SET_NAME
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import NewValue
from krm_fn.base.problem import ResourceId
from krm_fn.core.names.content_digest import read_content
from krm_fn.core.names.content_hash import Unhashable, content_hash, short_digest

__all__ = [
    "Unhashable",
    "authored_id",
    "base_name",
    "content_name",
    "former_names",
    "is_named_late",
    "names_of",
    "read_content",
    "set_name",
    "without_hash",
]

_ANY_HASH = f"-({HASH})"

CONTENT_NAME = re.compile(f"(.+)-({HASH})")
"""The pattern of a whole name that may end in a content hash: a base name, and the hash."""

_INTERNAL = "internal.config.kubernetes.io/"

_NOT_IN_SET_NAME = "[^a-z0-9.-]+"

MAX_JOB_NAME = 63
"""A Job's name becomes a label of its pods."""

_MAX_CRON_JOB_NAME = 52
"""Kubernetes adds eleven characters to name its Jobs."""


class KnownNames:
    """The names of the objects of a run, read once: a hostile annotation has thousands of them."""

    def __init__(self) -> None:
        self._all: dict[Item, dict[str, int]] = {}
        self._former_namespaces: dict[Item, dict[str, set[str]]] = {}

    def all(self, item: Item) -> Mapping[str, int]:
        """Return every name that a reference may use, and how many take precedence over it."""
        if item not in self._all:
            formers = [former.name for former in former_names(item)]
            names = dict.fromkeys([item.id.name, base_name(item), _recorded_base(item), *formers])
            self._all[item] = {name: rank for rank, name in enumerate(filter(None, names))}
        return self._all[item]

    def former_namespaces(self, item: Item, name: str) -> Collection[str]:
        """Return the namespaces in which an object had this name earlier in the same kustomize build."""
        if item not in self._former_namespaces:
            namespaces: dict[str, set[str]] = {}
            for former in former_names(item):
                namespaces.setdefault(former.name, set()).add(former.namespace)
            self._former_namespaces[item] = namespaces
        return self._former_namespaces[item].get(name, ())


def names_of(item: Item) -> list[str]:
    """Return every name that a reference may use for one object, the strongest first."""
    return list(KnownNames().all(item))


def base_name(item: Item) -> str:
    """Return the name without its content hash.

    A suffix is only known to be a hash if it is the hash of this object, or if an earlier run has
    recorded the base name (then a prefix or suffix that was added since stays). `app-bcdfghkmtt`
    can be a real name.
    """
    if item.base is None:  # to find it may take a hash of all the content, and many ask
        item.base = _find_base(item)
    return item.base


def _find_base(item: Item) -> str:
    name = item.id.name
    recorded = _recorded_base(item)
    if recorded:
        return _without_hashes(recorded, name)
    match = CONTENT_NAME.fullmatch(name)
    return match.group(1) if match and match.group(2) == _own_hash(item) else name


def authored_id(item: Item) -> ResourceId:
    """Return the object's id under its base name.

    Messages say this, so that the next run says the same.
    """
    return item.id._replace(name=base_name(item))


def is_hashed_by_kustomize(item: Item) -> bool:
    """Tell whether kustomize names an object by its content, so that nothing has its base name."""
    if not item.is_config or is_revision(item):
        return keys.NAMED_BY_KUSTOMIZE in item.annotations
    return NEEDS_HASH_SUFFIX in item.annotations or base_name(item) != item.id.name


def has_stale_hash(item: Item) -> bool:
    """Tell whether the object has a content name from an earlier run, and other content by now."""
    match = CONTENT_NAME.fullmatch(item.id.name)
    return match is not None and bool(_recorded_base(item)) and match.group(2) != _own_hash(item)


def hash_in_name(item: Item) -> str:
    """Return the content hash in the name of a revision; `""` for an adopted one, which has none.

    A prefix or suffix may have been added to the name since.
    """
    base = item.annotations.get(keys.BASE_NAME, "")
    found = next(_find_hashes(base, item.id.name), None) if base else None
    return found[1] if found else ""


def _recorded_base(item: Item) -> str:
    """Return the base name in the annotation; `""` if it does not fit the name.

    It does not in a copy of another object.
    """
    base = item.annotations.get(keys.BASE_NAME, "")
    return base if base and any(_find_hashes(base, item.id.name)) else ""


def _find_hashes(base: str, name: str) -> Iterator[re.Match[str]]:
    """Yield the hashes behind a base name.

    A pattern for each base name would take longer: packages have many.
    """
    behind = 0
    for found in re.finditer(_ANY_HASH, name):
        start = found.start() - len(base)
        if start >= behind and name.startswith(base, start):
            yield found
            behind = found.end()


def _without_hashes(base: str, name: str) -> str:
    pieces, position = [], 0
    for found in _find_hashes(base, name):
        pieces.append(name[position : found.start()])
        position = found.end()
    return "".join([*pieces, name[position:]])


def _own_hash(item: Item) -> str | None:
    try:
        return content_hash(item.node)
    except Unhashable:
        return None


def without_hash(name: str) -> str:
    """Remove what looks like a content hash.

    Only for messages: the name may just end in such letters.
    """
    match = CONTENT_NAME.fullmatch(name)
    return match.group(1) if match else name


class Former(NamedTuple):
    """A name and namespace that an object had earlier in the same kustomize build."""

    namespace: str
    name: str


def former_names(item: Item) -> list[Former]:
    """Read kustomize's parallel comma lists, in which `default` means no namespace."""
    names = _list(item, "previousNames")
    namespaces = _list(item, "previousNamespaces") or ["default"] * len(names)
    pairs = zip(namespaces, names, strict=False)
    return [Former("" if namespace == "default" else namespace, name) for namespace, name in pairs]


def is_named_late(item: Item) -> bool:
    """Tell whether kustomize gives an object another name than some reference still says, when it runs functions."""
    return NEEDS_HASH_SUFFIX in item.annotations or any(
        former.name != item.id.name for former in former_names(item)
    )


def affixes(item: Item) -> tuple[list[str], list[str]]:
    """Return the prefixes and suffixes that kustomize has added, innermost first."""
    return _list(item, "prefixes"), _list(item, "suffixes")


def _list(item: Item, name: str) -> list[str]:
    value = item.annotations.get(_INTERNAL + name, "")
    return value.split(",") if value else []


def set_name(application: str) -> str:
    """Return the set of an application or release: its own name where that can name a set.

    Otherwise what is left of it, and ten characters that tell it from others: Argo CD calls an
    application of another namespace `namespace_name`, and names may be longer than a label.
    """
    if SET_NAME.fullmatch(application):
        return application
    left = re.sub(_NOT_IN_SET_NAME, "-", application.lower()).strip("-.")
    return content_name(left or "set", "", {"application": application})


def content_name(
    base: str, ending: str, content: Mapping[str, NewValue], most: int = MAX_JOB_NAME
) -> str:
    """Return the name of a Job, `<base><ending>-<ten characters>`.

    The base is cut where the name would be too long.
    """
    tail = f"{ending}-{short_digest(json.dumps(content, sort_keys=True))}"
    return base[: most - len(tail)].rstrip("-.") + tail


def cron_job_name(set_name: str) -> str:
    """Return the name of the linker's CronJob, which never changes."""
    name = f"{set_name}-linker"
    if len(name) <= _MAX_CRON_JOB_NAME:
        return name
    return content_name(set_name, "-linker", {"set": set_name}, _MAX_CRON_JOB_NAME)
