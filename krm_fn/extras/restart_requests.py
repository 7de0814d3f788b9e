"""How workloads ask Wave and Reloader to be restarted when configuration changes.

Sources: Wave's README and the annotations its code reads; Reloader's README and annotation
reference, and its function `ShouldReload` where these do not say which list wins, where an
annotation may be, and what counts as true.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache

from krm_fn.base.item import CONFIG_KINDS, Item
from krm_fn.base.kind import kind_of
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import get, texts
from krm_fn.base.problem import read_list
from krm_fn.base.settings import CONTROLLERS
from krm_fn.core.names.names import base_name
from krm_fn.facts.annotations import RESTART_REQUESTS

_REQUESTS = {
    (controller, kind, use): annotation for controller, kind, use, annotation in RESTART_REQUESTS
}

# Wave: the opt-in is on the workload itself. It counts everything that its pods read, and what the
# lists name.
WAVE_ON = (_REQUESTS["wave", "", "on"], "true")
WAVE_EXTRA = {kind: _REQUESTS["wave", kind, "named"] for kind in CONFIG_KINDS}
"""Comma lists of `name` or `namespace/name`."""

# Reloader: the opt-in is on the workload or, if that has none, on its pod template.
RELOADER_AUTO = _REQUESTS["reloader", "", "auto"]
"""Everything that its pods read."""

RELOADER_SEARCH = _REQUESTS["reloader", "", "search"]
"""Only those objects that its pods read and that have the next annotation."""

RELOADER_MATCH = ("reloader.stakater.com/match", "true")
RELOADER_IGNORE = ("reloader.stakater.com/ignore", "true")
"""On ConfigMaps and Secrets. Ignored ones restart nothing."""

GO_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
"""The texts that Go's `strconv.ParseBool` reads as true."""


class OfKind(NamedTuple):
    """Reloader's annotations about ConfigMaps, or about Secrets.

    `auto` is about all of this kind; `named` a comma list of anchored regular expressions, whether
    pods read the objects or not; `excluded` a comma list of names, on the workload alone, which
    wins over all others.
    """

    auto: str
    named: str
    excluded: str


RELOADER = {
    kind: OfKind(*(_REQUESTS["reloader", kind, use] for use in OfKind._fields))
    for kind in CONFIG_KINDS
}

_RELOADER_KEYS = frozenset(
    {RELOADER_AUTO, RELOADER_SEARCH, *(key for keys in RELOADER.values() for key in keys)}
)

_LITERAL = r"[a-z0-9-]*"

# The patterns that mean the same to Go and to Python, and that Python matches fast. Go's engine is
# always linear, and refuses possessive quantifiers such as `a++`.
_ALIKE = (
    r"(?!.*\(\?)(?!.*\[\[)(?!.*\)[*+{])(?!.*(?<!\\)[*+?}]\+)(?:[^\\]|\\[dwsDWS.^$*+?{}\[\]()|-])*"
)
_BRANCHES = r"[*+?{|]"
_MOST_BRANCHES = 3


class Named(NamedTuple):
    """Objects that count whether pods read them or not.

    `pattern`: the name is a regular expression.
    """

    kind: str
    namespace: str
    name: str
    pattern: bool


class OptIn(NamedTuple):
    """A request of one workload, `item`, to one controller; `template` is the path of its pod template.

    All objects of the kinds `all_of` count that its pods read, and of the kinds `marked` those annotated for it.
    """

    item: Item
    controller: str
    template: str
    all_of: frozenset[str]
    marked: frozenset[str]
    named: tuple[Named, ...]
    excluded: frozenset[tuple[str, str]]

    def counts(self, config: Item) -> bool:
        """Tell whether a change of an object that the pods read restarts them."""
        if not self.allows(config):
            return False
        kind, (match, yes) = config.id.kind, RELOADER_MATCH
        return kind in self.all_of or (kind in self.marked and config.annotations.get(match) == yes)

    def allows(self, config: Item) -> bool:
        """Tell whether neither the workload nor the object excludes it."""
        ignore, yes = RELOADER_IGNORE
        # Wave knows no such annotation.
        ignored = (
            self.controller == CONTROLLERS["reloader"] and config.annotations.get(ignore) == yes
        )
        if ignored or not self.excluded:
            return not ignored
        return self.excluded.isdisjoint(
            (config.id.kind, name) for name in (config.id.name, base_name(config))
        )


def find_opt_ins(items: Iterable[Item], controllers: Iterable[str]) -> list[OptIn]:
    """Find the workloads that ask Wave or Reloader to restart them: one opt-in for each controller that would."""
    asked = list(controllers)
    found = []
    for item in items:
        kind = kind_of(item)
        if kind is not None and not item.is_local:
            found += [
                _READERS[name](item, kind.template) for name in asked if name in kind.rolled_by
            ]
    return [opt_in for opt_in in found if opt_in is not None]


def find_opt_out(item: Item, config: Item, controllers: Iterable[str]) -> str:
    """Return the annotation for which Reloader would not restart a workload for an object that its pods read.

    Also with --auto-reload-all. `""` if there is none.

    So it is if the object is ignored, if the workload excludes it, and if `auto` is anything but true.
    """
    ignore, yes = RELOADER_IGNORE
    if "reloader" not in controllers or config.id.kind not in RELOADER:
        return ""
    of_kind = RELOADER[config.id.kind]
    if config.annotations.get(ignore) == yes:
        return ignore
    excluded = read_list(item.annotations.get(of_kind.excluded, ""))
    if not {config.id.name, base_name(config)}.isdisjoint(excluded):
        return of_kind.excluded
    kind = kind_of(item)
    said = _said_of(item, of_kind, kind.template) if kind is not None else item.annotations
    # Reloader restarts nothing if `auto` is there and says no, whatever else asks.
    autos = [auto for auto in (RELOADER_AUTO, of_kind.auto) if said.get(auto, "") != ""]
    is_on = any(said[auto] in GO_TRUE for auto in autos)
    return "" if is_on or not autos else autos[0]


def _said_of(item: Item, of_kind: OfKind, template: str) -> Mapping[str, str]:
    """Return the annotations that Reloader reads about a kind.

    It reads the pod template only where the workload says nothing about this kind, not even "false".
    """
    said = item.annotations
    if said.keys().isdisjoint((RELOADER_AUTO, RELOADER_SEARCH, of_kind.auto, of_kind.named)):
        return texts(get(item.node, *template.split("."), "metadata", "annotations"))
    return said


def _read_wave(item: Item, template: str) -> OptIn | None:
    annotation, yes = WAVE_ON
    if item.annotations.get(annotation) != yes:
        return None
    named = []
    for kind, extra in WAVE_EXTRA.items():
        for entry in read_list(item.annotations.get(extra, "")):
            namespace, _, name = entry.rpartition("/")
            # Wave reads names as they are. Only Reloader reads patterns.
            named.append(Named(kind, namespace or item.id.namespace, name, pattern=False))
    return OptIn(
        item,
        CONTROLLERS["wave"],
        template,
        frozenset(WAVE_EXTRA),
        frozenset(),
        tuple(named),
        frozenset(),
    )


def _read_reloader(item: Item, template: str) -> OptIn | None:
    on_pods = texts(get(item.node, *template.split("."), "metadata", "annotations"))
    if _RELOADER_KEYS.isdisjoint(item.annotations) and _RELOADER_KEYS.isdisjoint(on_pods):
        return None
    all_of, marked, named = set(), set(), []
    for kind, keys in RELOADER.items():
        said = _said_of(item, keys, template)
        named += [
            Named(kind, item.id.namespace, name, pattern=True)
            for name in read_list(said.get(keys.named, ""))
        ]
        if said.get(RELOADER_SEARCH) == "true":
            marked.add(kind)
        if not GO_TRUE.isdisjoint((said.get(RELOADER_AUTO), said.get(keys.auto))):
            all_of.add(kind)
    if not all_of and not marked and not named:
        return None
    # Reloader reads this list on the workload alone, wherever the others are.
    excluded: set[tuple[str, str]] = set()
    for kind, keys in RELOADER.items():
        excluded.update((kind, name) for name in read_list(item.annotations.get(keys.excluded, "")))
    return OptIn(
        item=item,
        controller=CONTROLLERS["reloader"],
        template=template,
        all_of=frozenset(all_of),
        marked=frozenset(marked),
        named=tuple(named),
        excluded=frozenset(excluded),
    )


_READERS: dict[str, Callable[[Item, str], OptIn | None]] = {
    "wave": _read_wave,
    "reloader": _read_reloader,
}


class Catalogue:
    """Objects by kind, namespace and name, indexed at the first question: for most packages there is none."""

    def __init__(self, configs: Iterable[Item]) -> None:
        self._configs = dict.fromkeys(configs)

    def contains(self, config: Item) -> bool:
        return config in self._configs

    def find(self, named: Named) -> list[Item]:
        """Find what an annotation names; nothing where its pattern is not clear."""
        names = self._by_name.get((named.kind, named.namespace), {})
        if is_literal(named):
            return names.get(named.name, [])
        if not is_clear(named):
            return []
        # As Reloader anchors it: `a|b` is anchored at one end each.
        matches = re.compile(f"^{named.name}$").search
        found: list[Item] = []
        for name, items in names.items():
            if matches(name):
                found += items
        return found

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], dict[str, list[Item]]]:
        index: dict[tuple[str, str], dict[str, list[Item]]] = defaultdict(lambda: defaultdict(list))
        for item in self._configs:
            for name in {item.id.name, base_name(item)}:
                index[item.id.kind, item.id.namespace][name].append(item)
        return index


def is_literal(named: Named) -> bool:
    return not named.pattern or bool(re.fullmatch(_LITERAL, named.name))


@lru_cache(maxsize=256)
def is_clear(named: Named) -> bool:
    """Tell whether a pattern means the same to Python as to Go, and is cheap to match."""
    if not re.fullmatch(_ALIKE, named.name):
        return False
    if len(re.findall(_BRANCHES, named.name)) > _MOST_BRANCHES:
        return False
    try:
        re.compile(named.name)
    except re.error:
        return False
    return True
