"""Find the objects that a workload's annotations name, whether its pods read them or not."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, lru_cache

from krm_fn.model.item import Item
from krm_fn.model.names import base_name
from krm_fn.stages.opt_in import Named

_LITERAL = re.compile(r"[a-z0-9-]*")

# What Go and Python understand alike, and what cannot take long: Go's engine never does, Python's may.
_ALIKE = re.compile(r"(?!.*\(\?)(?!.*\[\[)(?!.*\)[*+{])(?:[^\\]|\\[dwsDWS.^$*+?{}\[\]()|-])*")
_BRANCHES = re.compile(r"[*+?{|]")
_MOST_BRANCHES = 3


class Catalogue:
    """Objects by kind, namespace and name, sorted in when somebody first asks: for most packages nobody does."""

    def __init__(self, configs: Iterable[Item]) -> None:
        self._configs = list(configs)

    def holds(self, config: Item) -> bool:
        return id(config.node) in self._nodes

    def find_all(self, several: Iterable[Named]) -> list[Item]:
        return [item for named in several for item in self.find(named)]

    def find(self, named: Named) -> list[Item]:
        """What it names; nothing where the pattern is not clear."""
        names = self._by_name.get((named.kind, named.namespace), {})
        if is_literal(named):
            return names.get(named.name, [])
        if not is_clear(named):
            return []
        # As Reloader anchors it: of `a|b`, one end each.
        matches = re.compile(f"^{named.name}$").search
        return [item for name, items in names.items() if matches(name) for item in items]

    @cached_property
    def _nodes(self) -> set[int]:
        return {id(item.node) for item in self._configs}

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], dict[str, list[Item]]]:
        index: dict[tuple[str, str], dict[str, list[Item]]] = defaultdict(lambda: defaultdict(list))
        for item in self._configs:
            for name in {item.id.name, base_name(item)}:
                index[item.id.kind, item.id.namespace][name].append(item)
        return index


def is_literal(named: Named) -> bool:
    return not named.pattern or bool(_LITERAL.fullmatch(named.name))


@lru_cache(maxsize=256)
def is_clear(named: Named) -> bool:
    """Whether a pattern means the same here as to Reloader, and is cheap to match."""
    if not _ALIKE.fullmatch(named.name) or len(_BRANCHES.findall(named.name)) > _MOST_BRANCHES:
        return False
    try:
        re.compile(named.name)
    except re.error:
        return False
    return True
