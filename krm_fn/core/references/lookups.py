"""Find the namespace in which a cluster-scoped object looks for the objects that it names.

It is a fact of the kind of that object, and a row in `facts/scopes.py`. Some rows say that it is
the namespace of a controller. Then the package may hold that controller, with the option that moves
it elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from krm_fn.base.item import Item
from krm_fn.base.kind import Kinds
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, elements, get, text
from krm_fn.base.pods import find_containers

_CONFIG_FILE = "--config"


class ScopeRow(NamedTuple):
    """A row of the table.

    `images`: those of the controllers. `says`: their option or variable that names a namespace.
    `unset`: that namespace where nothing says it; `""` for that of the controller. `home`: the
    namespace of the controller in the instructions of its project, where the package does not hold
    it.
    """

    where: str
    source: str
    anywhere: bool = False
    fixed: str = ""
    images: tuple[str, ...] = ()
    says: str = ""
    unset: str = ""
    home: str = ""


class Lookup(NamedTuple):
    """Where an object looks. `where`: in words, `""` where no row says it.

    `namespace`: the one namespace, `""` for that of objects that set none; None where nobody knows
    it. `home`: where it probably is then. `anywhere`: the reference means every object of the name.
    """

    where: str
    namespace: str | None = None
    home: str = ""
    anywhere: bool = False

    @property
    def said(self) -> str:
        """Say as a clause why nobody knows which object is meant."""
        if not self.where:
            return "nobody knows in which namespace this kind looks"
        unless_shown = ", which the package does not show" if self.home else ""
        return f"looks in {self.where}{unless_shown}"


_UNKNOWN = Lookup("")


class Lookups:
    """The answers of a package: its controllers are looked for when the first object asks."""

    def __init__(self, items: Iterable[Item], kinds: Kinds) -> None:
        self._items = tuple(items)
        self._kinds = kinds
        self._found: dict[tuple[str, str], Lookup] = {}

    def find(self, referrer: Item) -> Lookup | None:
        """Say where a cluster-scoped object looks; None for one that has a namespace."""
        if not self._kinds.is_cluster_scoped(referrer.id):
            return None
        key = referrer.id.group_kind
        if key not in self._found:
            row = _rows().get(key)
            self._found[key] = _UNKNOWN if row is None else self._read(row)
        return self._found[key]

    def _read(self, row: ScopeRow) -> Lookup:
        if row.fixed:
            return Lookup(row.where, row.fixed)
        namespaces: set[str | None] = set()
        if row.images:
            for item in self._items:
                for _, container in find_containers(item):
                    if _has_image(container, row.images):
                        namespaces.add(_namespace_said(item, container, row))
        namespace = namespaces.pop() if len(namespaces) == 1 else None
        return Lookup(row.where, namespace, row.home, row.anywhere)


@cache
def _rows() -> Mapping[tuple[str, str], ScopeRow]:
    from krm_fn.facts.scopes import SCOPES  # few packages have such objects

    found: dict[tuple[str, str], ScopeRow] = {}
    table: Any = SCOPES
    for groups, kinds, where, source, *more in table:
        row = ScopeRow(where, source, **dict(*more))
        for kind in kinds.split():
            found |= {(group, kind): row for group in groups.split() or [""]}
    return found


def _has_image(container: Node, ends: Iterable[str]) -> bool:
    """Tell whether the image is one of these, from whatever registry, in whatever version."""
    folder, slash, last = text(get(container, "image")).partition("@")[0].rpartition("/")
    repository = f"/{folder}{slash}{last.partition(':')[0]}"
    return any(repository.endswith(f"/{end}") for end in ends)


def _namespace_said(item: Item, container: Node, row: ScopeRow) -> str | None:
    """Return the namespace into which a controller looks; None where another text says it."""
    said = [*_values_of(row.says, container)] if row.says else []
    if said:
        return _expand(said[-1], item, container)
    reads_file = row.says.startswith("-") and any(_values_of(_CONFIG_FILE, container))
    return None if reads_file else row.unset or item.id.namespace


def _values_of(name: str, container: Node) -> Iterator[str | None]:
    """Yield the values of an option or a variable; None for one that is written elsewhere."""
    if not name.startswith("-"):
        for variable in elements(get(container, "env")):
            if text(get(variable, "name")) == name:
                yield f"$({name})"
        return
    words = [*elements(get(container, "command")), *elements(get(container, "args"))]
    for position, word in enumerate(words):
        option, equals, value = text(word).partition("=")
        if option != name:
            continue
        if equals:
            yield value
        elif position + 1 < len(words):
            yield text(words[position + 1])
        else:
            yield None


def _expand(said: str | None, item: Item, container: Node) -> str | None:
    """Return the namespace that a text says, also by one variable."""
    if said is None or not said.startswith("$("):
        return said or None
    for variable in elements(get(container, "env")):
        if text(get(variable, "name")) == said[2:-1]:
            if text(get(variable, "valueFrom", "fieldRef", "fieldPath")) == "metadata.namespace":
                return item.id.namespace
            return text(get(variable, "value")) or None
    return None
