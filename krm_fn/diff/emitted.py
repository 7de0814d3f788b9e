"""The objects of linkers on both sides, and how often a linker runs."""

import re
from collections.abc import Hashable

from krm_fn.diff.difference import Linker
from krm_fn.diff.names import Names
from krm_fn.diff.pair import Matcher, Pair
from krm_fn.diff.release import Release
from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.model.node import FieldPath, Node, is_scalar
from krm_fn.naming.names import HASH, base_name
from krm_fn.references.made import find_made

_JOB_HASH = re.compile(f"(-link)-{HASH}")
_PLANNED = ("--workload=", "--revision=", "--maker=")


def pair_emitted(old: Release, new: Release) -> tuple[Linker, list[Pair]]:
    """Pair the objects of the linkers that are on both sides.

    What is told in another way is in no pair: a whole linker, a Job that runs, a tracker that comes or goes with its
    Secret.
    """
    jobs = {(item.id.namespace, item.id.name) for item in old.package.emitted if item.id.kind == "Job"}
    runs = [item for item in new.package.emitted if item.id.kind == "Job" and item.id[2:] not in jobs]
    linker = Linker(
        len(runs),
        tuple(map(_spell, sorted(new.linked_sets - old.linked_sets))),
        tuple(map(_spell, sorted(old.linked_sets - new.linked_sets))),
    )
    kept = old.linked_sets & new.linked_sets
    matcher = Matcher(*([item for item in one.package.emitted if _linker_of(item, one) in kept] for one in (old, new)))
    matcher.match(lambda item, release: (*_linker_of(item, release), item.id.kind, item.id.name), old, new)
    matcher.match(_key, old, new)
    removed = [Pair(item, None) for item in matcher.old if not _comes_with_secret(item, old, new)]
    added = [Pair(None, item) for item in matcher.new if not _comes_with_secret(item, new, old)]
    return linker, [*matcher.pairs, *removed, *(pair for pair in added if pair.new not in runs)]


def is_plan(names: Names, path: FieldPath, node: Node) -> bool:
    """Tell whether a field of a linker's object is part of the plan: what is rendered, and by whom it is referenced."""
    match path:
        case ("metadata", "annotations", keys.RENDERED | keys.MADE_BY) | ("metadata", "name"):
            return True
        case ("spec", "template", "spec", "containers", _, "args", _):
            return is_scalar(node) and node.value.startswith(_PLANNED)
        case ("rules", _, "resourceNames", _):
            return is_scalar(node) and node.value in names
    return False


def emitted_base(item: Item) -> str:
    """Return what stays of the name of a linker's object."""
    return _JOB_HASH.sub(r"\1", base_name(item))


def _spell(linker: tuple[str, str]) -> str:
    name, namespace = linker
    return f"{namespace}/{name}" if namespace else name


def _linker_of(item: Item, release: Release) -> tuple[str, str]:
    return item.labels.get(keys.SET, ""), release.package.namespace_of(item)


def _key(item: Item, release: Release) -> Hashable:
    return (*_linker_of(item, release), item.id.kind, emitted_base(item))


def _comes_with_secret(item: Item, here: Release, there: Release) -> bool:
    """Tell whether this is a tracker whose Secret is on one side only."""
    if item.labels.get(keys.COMPONENT) not in keys.TRACKERS:
        return False
    secret = _secret_of(item, here)
    return secret in _secrets(here) and secret not in _secrets(there)


def _secret_of(tracker: Item, release: Release) -> tuple[str, str]:
    return release.package.namespace_of(tracker), base_name(tracker)


def _secrets(release: Release) -> set[tuple[str, str]]:
    """Return namespace and base name of what trackers stand for: Secrets, and makers under all their names."""
    tracked = [item for item in release.package.configs if item.id.kind != "ConfigMap"]
    made = {(release.package.namespace_of(item), one.base_name) for item in tracked for one in find_made(item)}
    return made | {_secret_of(item, release) for item in tracked}
