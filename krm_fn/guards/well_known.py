"""Names by which well-known programs look up a ConfigMap or Secret through the Kubernetes API.

A program that gets `argocd-cm` by name does not find `argocd-cm-5t7h9k2b4c`. The rows are in
`facts/programs.py`.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.facts.programs import PROGRAMS, READ_IN_FULL, WHERES


class WellKnown(NamedTuple):
    """A name, or a shell pattern if it has a `*`, that a program looks up.

    `source` is a place in its code.

    `labels`: those that the object must have (`*`: any value). `namespaces`: those that it may be
    in; none: any.
    """

    program: str
    kind: str
    name: str
    source: str
    labels: Mapping[str, str]
    namespaces: tuple[str, ...]


def looked_up_by(item: Item, name: str, namespace: str, kind: str = "") -> WellKnown | None:
    """Find the first row for a ConfigMap or Secret with this base name and namespace, literal names before patterns.

    `kind`: that of what has the name, if it is not the item but what the item generates.
    """
    kind = kind or item.id.kind
    by_name, _ = _index(kind)
    for row in by_name.get(name, ()):
        for known in _read(*row):
            if _is_where_expected(item, namespace, known):
                return known
    for beginning, known in _patterns(kind):
        if not name.startswith(beginning):  # as of hardly any name
            continue
        if _is_where_expected(item, namespace, known) and _matches(name, known.name):
            return known
    return None


def may_look_up(image: str, kind: str, name: str) -> bool | None:
    """Tell whether the program of an image looks up an object of this name, wherever it may be; None if nobody knows.

    An image counts from whatever registry it is pulled.
    """
    folder, slash, last = image.partition("@")[0].rpartition("/")
    steps = f"{folder}{slash}{last.partition(':')[0]}".split("/")
    ends = ("/".join(steps[start:]) for start in range(len(steps)))
    program = next((READ_IN_FULL[end] for end in ends if end in READ_IN_FULL), None)
    if program is None:
        return None
    return any(row[0] == program and _matches(name, row[2]) for row in _rows(kind))


def read_well_known() -> tuple[WellKnown, ...]:
    """Return every row, once for each of the conditions of which one suffices."""
    return tuple(known for row in _rows() for known in _read(*row))


def _matches(name: str, pattern: str) -> bool:
    # Hardly any name begins as a pattern does, and to compile a pattern takes longer than to read
    # the table.
    return pattern == "*" or (
        name.startswith(pattern.partition("*")[0]) and fnmatchcase(name, pattern)
    )


def _is_where_expected(item: Item, namespace: str, row: WellKnown) -> bool:
    if not row.labels.keys() <= item.labels.keys():
        return False
    if row.namespaces and namespace not in row.namespaces:
        return False
    return all(value in ("*", item.labels[label]) for label, value in row.labels.items())


_Row = tuple[str, str, str, str, tuple[Any, ...]]
"""Program, kind, name, source, and the conditions as they are written."""


def _read(
    program: str, kind: str, name: str, source: str, where: tuple[Any, ...]
) -> Iterator[WellKnown]:
    named: Mapping[str, Any] = WHERES
    written: list[Mapping[str, Any]] = []
    for one in where:
        written += named[one] if isinstance(one, str) else (one,)
    for one in written or ({},):
        yield WellKnown(
            program,
            kind,
            name,
            source,
            one.get("labels", {}),
            tuple(one.get("namespaces", "").split()),
        )


def _rows(*only: str) -> Iterator[_Row]:
    """Yield the rows for these kinds; without any, all rows."""
    programs: Any = PROGRAMS
    for program, repository, kinds in programs:
        for kind in only or kinds:
            for name, row in kinds.get(kind, {}).items():
                place, *where = (row,) if isinstance(row, str) else row
                yield program, kind, name, f"{repository} {place}", tuple(where)


@cache
def _patterns(kind: str) -> tuple[tuple[str, WellKnown], ...]:
    """Return the rows for a kind that are patterns, each behind what its names begin with.

    Some match every name: each object is compared with them.
    """
    known = (one for row in _index(kind)[1] for one in _read(*row))
    return tuple((one.name.partition("*")[0], one) for one in known)


@cache
def _index(kind: str) -> tuple[dict[str, list[_Row]], list[_Row]]:
    """Return the rows for a kind: those with literal names by name, and the patterns.

    Conditions of literal names are read only where one matches: a run asks for every ConfigMap, and
    hardly one is here.
    """
    by_name: dict[str, list[_Row]] = {}
    patterns: list[_Row] = []
    for row in _rows(kind):
        name = row[2]
        if "*" in name:
            patterns.append(row)
        else:
            by_name.setdefault(name, []).append(row)
    return by_name, patterns
