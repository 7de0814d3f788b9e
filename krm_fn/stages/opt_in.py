"""Read which objects a workload wants to be rolled for, in the words of Wave and Reloader."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from krm_fn.model.controllers import (
    CONTROLLERS,
    GO_TRUE,
    RELOADER,
    RELOADER_AUTO,
    RELOADER_IGNORE,
    RELOADER_MATCH,
    RELOADER_SEARCH,
    TEMPLATES,
    WAVE_EXTRA,
    WAVE_KINDS,
    WAVE_ON,
)
from krm_fn.model.item import Item
from krm_fn.model.names import base_name
from krm_fn.model.node import get, texts

_RELOADER_KEYS = frozenset({RELOADER_AUTO, RELOADER_SEARCH, *(key for keys in RELOADER.values() for key in keys)})


class Named(NamedTuple):
    """Objects that count whether pods read them or not. `pattern`: the name is a regular expression."""

    kind: str
    namespace: str
    name: str
    pattern: bool


class OptIn(NamedTuple):
    """What one controller was told on one workload, `item`; `template` is the path of its pod template.

    Of what pods read, all of the kinds `all_of` counts, and of the kinds `marked` what carries the annotation for it.
    """

    item: Item
    controller: str
    template: str
    all_of: frozenset[str]
    marked: frozenset[str]
    named: tuple[Named, ...]
    excluded: frozenset[tuple[str, str]]

    def counts(self, config: Item) -> bool:
        """Whether it rolls the workload, given that its pods read it."""
        if not self.allows(config):
            return False
        kind, (match, yes) = config.id.kind, RELOADER_MATCH
        return kind in self.all_of or (kind in self.marked and config.annotations.get(match) == yes)

    def allows(self, config: Item) -> bool:
        """Whether nothing on either side speaks against it."""
        ignore, yes = RELOADER_IGNORE
        ignored = self.controller == CONTROLLERS["reloader"] and config.annotations.get(ignore) == yes
        if ignored or not self.excluded:
            return not ignored
        return self.excluded.isdisjoint((config.id.kind, name) for name in (config.id.name, base_name(config)))


def read_opt_ins(items: Iterable[Item], controllers: Iterable[str]) -> list[OptIn]:
    """One for each controller and each workload that it would roll for anything."""
    readers = [_READERS[controller] for controller in controllers]
    workloads = [
        (item, TEMPLATES[item.id.group, item.id.kind])
        for item in items
        if (item.id.group, item.id.kind) in TEMPLATES and not item.is_local
    ]
    found = [read(item, template) for item, template in workloads for read in readers]
    return [opt_in for opt_in in found if opt_in is not None]


def _read_wave(item: Item, template: str) -> OptIn | None:
    annotation, yes = WAVE_ON
    if item.annotations.get(annotation) != yes or item.id.kind not in WAVE_KINDS:
        return None
    named = []
    for kind, extra in WAVE_EXTRA.items():
        for entry in _split(item.annotations.get(extra, "")):
            namespace, _, name = entry.rpartition("/")
            named.append(Named(kind, namespace or item.id.namespace, name, pattern=False))
    return OptIn(item, CONTROLLERS["wave"], template, frozenset(WAVE_EXTRA), frozenset(), tuple(named), frozenset())


def _read_reloader(item: Item, template: str) -> OptIn | None:
    on_pods = texts(get(item.node, *template.split("."), "metadata", "annotations"))
    if _RELOADER_KEYS.isdisjoint(item.annotations) and _RELOADER_KEYS.isdisjoint(on_pods):
        return None
    all_of, marked, named = set(), set(), []
    for kind, keys in RELOADER.items():
        said = item.annotations
        if said.keys().isdisjoint((RELOADER_AUTO, RELOADER_SEARCH, keys.auto, keys.named)):
            said = on_pods
        named += [Named(kind, item.id.namespace, name, pattern=True) for name in _split(said.get(keys.named, ""))]
        if said.get(RELOADER_SEARCH) == "true":
            marked.add(kind)
        if not GO_TRUE.isdisjoint((said.get(RELOADER_AUTO), said.get(keys.auto))):
            all_of.add(kind)
    if not all_of and not marked and not named:
        return None
    excluded = frozenset(_excluded(item))
    return OptIn(item, CONTROLLERS["reloader"], template, frozenset(all_of), frozenset(marked), tuple(named), excluded)


_READERS: dict[str, Callable[[Item, str], OptIn | None]] = {"wave": _read_wave, "reloader": _read_reloader}


def _excluded(item: Item) -> Iterator[tuple[str, str]]:
    for kind, keys in RELOADER.items():
        yield from ((kind, name) for name in _split(item.annotations.get(keys.excluded, "")))


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]
