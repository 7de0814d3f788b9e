"""The title of a change, and the sentence that sums up a whole difference."""

from collections.abc import Callable, Iterable, Iterator

from krm_fn.diff.difference import Change, Difference
from krm_fn.model.printable import count, printable

_WAYS = ("changed", "added", "removed")


def write_title(change: Change) -> list[str]:
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


def write_place(change: Change) -> str:
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


def _ways(changes: Iterable[Change]) -> Iterator[str]:
    found = [_way(change) for change in changes]
    return (f"{found.count(way)} {way}" for way in _WAYS if way in found)


def _way(change: Change) -> str:
    if change.old is None:
        return "added"
    return "removed" if change.new is None else "changed"
