"""What is said about a change besides the values: what it turns into, what rolls, what becomes of it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from krm_fn.diff.difference import (
    BY_CHECKSUM,
    BY_IMAGE,
    BY_NAME,
    BY_TEMPLATE,
    CHANGES,
    KEPT,
    LEFT,
    NEW_PODS,
    NEXT_RUN,
    PRUNED,
    REFUSED,
    RETAINED,
    ROLLS,
    RUNS,
    UNUSED,
    ComparedObject,
    Difference,
    ObjectChange,
    Removal,
    Roll,
)
from krm_fn.model.words import count, printable

_CAUSES = {BY_NAME: "name", BY_CHECKSUM: "checksum", BY_IMAGE: "new image", BY_TEMPLATE: "pod template"}

_OF_OTHERS = {
    ROLLS: ("rolls", ""),
    NEXT_RUN: ("used by the next run of", ""),
    RUNS: ("runs", "again"),
    NEW_PODS: ("used by new pods of", ""),
    REFUSED: ("the API server refuses to change", ""),
    CHANGES: ("changes", ""),
}
"""By effect: what is said before the workloads that roll because of a ConfigMap or Secret, and behind them."""

_OF_ITSELF = {
    ROLLS: "rolls:",
    NEXT_RUN: "from the next run:",
    RUNS: "runs again:",
    NEW_PODS: "for new pods:",
    REFUSED: "the API server refuses this:",
    CHANGES: "changes:",
}


class Statement(NamedTuple):
    """A sentence in parts that stay together."""

    words: list[str]
    is_warning: bool = False


def find_statements(change: ObjectChange) -> Iterator[Statement]:
    """Yield the sentences in the order in which people read them."""
    old, new = change.old, change.new
    if old is not None and new is not None:
        yield from _find_turns(old, new)
        if change.has_new_name and not (change.keys or change.fields or old.base != new.base) and old.set == new.set:
            yield Statement(["the same content, written in another way"])
    yield from _write_rolls(change)
    if change.fate is not None:
        yield from _write_fate(change.fate)
    if change.hazards and old is not None:
        name = printable(old.name or old.base)
        yield Statement(
            [*_listed(change.hazards), f"would prune {name}", "while pods use it;", "see `krm-fn render --check`"],
            is_warning=True,
        )


def _find_turns(old: ComparedObject, new: ComparedObject) -> Iterator[Statement]:
    if old.set and new.set and old.set != new.set:
        yield Statement(["moves from", f"set {printable(old.set)}", f"to set {printable(new.set)}"])
    elif new.set and not old.set:
        yield Statement(["becomes", f"a revision of set {printable(new.set)}"])
    elif old.set and not new.set:
        yield Statement(["is no longer", f"a revision of set {printable(old.set)}"])


def _write_rolls(change: ObjectChange) -> Iterator[Statement]:
    who = change.who
    grouped: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for roll in change.rolls:
        is_own = (roll.kind, roll.namespace, roll.name) == (who.kind, who.namespace, who.base)
        if is_own:
            yield Statement([_OF_ITSELF[roll.effect], ", ".join(_CAUSES[cause] for cause in roll.by)], _is_bad(roll))
        else:
            grouped[roll.effect, roll.by].append(_spell(roll, who))
    for (effect, by), workloads in grouped.items():
        before, behind = _OF_OTHERS[effect]
        causes = "" if by == (BY_NAME,) else f"({', '.join(_CAUSES[cause] for cause in by)})"
        words = [before, *_listed(workloads), behind, causes]
        yield Statement([word for word in words if word], effect == REFUSED)


def _is_bad(roll: Roll) -> bool:
    return roll.effect == REFUSED


def _spell(roll: Roll, who: ComparedObject) -> str:
    namespace = roll.namespace if roll.namespace != who.namespace else ""
    return printable("/".join(filter(None, [roll.kind, namespace, roll.name])))


def _write_fate(fate: Removal) -> Iterator[Statement]:
    users = _listed(map(printable, fate.users))
    if fate.outcome == KEPT:
        yield Statement(["kept until no pod of", *users, "uses it"] if users else ["kept until", "its owners are gone"])
    elif fate.outcome == UNUSED:
        yield Statement(["nothing uses it:", "the linker deletes it"])
    elif fate.outcome == RETAINED:
        yield Statement(["retained:", "nothing deletes it"])
    elif fate.outcome == LEFT:
        yield Statement(["not pruned by", *_listed(fate.deployers)])
    elif fate.outcome == PRUNED and users:
        yield Statement(["pruned at once,", "while pods of", *users, "may use it"], is_warning=True)
    elif fate.outcome == PRUNED:
        yield Statement(["pruned at once"])


def _listed(names: Iterable[str]) -> list[str]:
    """Add commas."""
    *others, last = [*names] or [""]
    return [f"{name}," for name in others] + [last] if last else []


_WAYS = ("changed", "added", "removed")


def write_title(change: ObjectChange) -> list[str]:
    """Return the parts of `ConfigMap shop/web-config: web-config-mffg77kmb5 -> web-config-5dtbmb74d2`."""
    old, new = change.old, change.new
    parts = [write_place(change)]
    if old is None or new is None:
        own = [printable(change.who.name)] if change.who.name not in (None, change.who.base) else []
        return _with_colon(["+" if old is None else "-", *parts], own)
    if old.base != new.base:
        parts.append(f"(was {printable(old.base)})")
    if not change.has_new_name:
        return parts
    if old.name is None or new.name is None:
        return _with_colon(parts, ["another revision"])
    return _with_colon(parts, [f"{printable(old.name)} ->", printable(new.name)])


def _with_colon(parts: list[str], more: list[str]) -> list[str]:
    return [*parts[:-1], f"{parts[-1]}:", *more] if more else parts


def write_place(change: ObjectChange) -> str:
    """Return `ConfigMap shop/web-config`."""
    who = change.who
    return printable(f"{who.kind} {who.namespace}/{who.base}" if who.namespace else f"{who.kind} {who.base}")


def summarize(difference: Difference, quote: Callable[[str], str] = printable) -> str:
    """Return `1 revision changed, 2 unchanged; 1 other object changed; linker runs once`.

    `quote` makes the name of a set safe to print.
    """
    if not difference:
        kept = difference.unchanged
        return f"no difference: {count(kept, 'revision')} unchanged" if kept else "no difference"
    return "; ".join(_clauses(difference, quote))


def _clauses(difference: Difference, quote: Callable[[str], str]) -> Iterator[str]:
    kept = difference.unchanged
    if difference.revisions or kept:
        ways = [*_ways(difference.revisions), *([f"{kept} unchanged"] if kept else [])]
        yield _clause(ways, "revision")
    if difference.objects:
        yield _clause([*_ways(difference.objects)], "other object")
    for what, linkers in (("added", difference.linker.added), ("removed", difference.linker.removed)):
        if linkers:
            yield f"linker of {', '.join(map(quote, linkers))} {what}"
    runs = difference.linker.runs
    if runs:
        yield f"linker runs {'once' if runs == 1 else f'{runs} times'}"


def _clause(ways: list[str], what: str) -> str:
    """Put the word for what is counted behind the first number."""
    number, _, way = ways[0].partition(" ")
    return ", ".join([f"{count(int(number), what)} {way}", *ways[1:]])


def _ways(changes: Iterable[ObjectChange]) -> Iterator[str]:
    found = [_way(change) for change in changes]
    return (f"{found.count(way)} {way}" for way in _WAYS if way in found)


def _way(change: ObjectChange) -> str:
    if change.old is None:
        return "added"
    return "removed" if change.new is None else "changed"
