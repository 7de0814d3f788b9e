"""A history as a table without line breaks, as those of `kubectl get -o wide`: whole names, and everything."""

from collections.abc import Callable

from krm_fn.history.history import Entry, History
from krm_fn.history.rows import with_commas
from krm_fn.history.statements import duration, find_notes, write_referrers, write_state
from krm_fn.history.text import find_paint, join_parts, write_changes, write_notes
from krm_fn.look.cut import columns
from krm_fn.look.screen import Screen
from krm_fn.model.printable import printable

_TITLES = ("SET", "KIND", "NAME", "AGE", "PODS", "REFERENCED BY", "NEXT RUN ADDS", "OWNERS", "STATE")
_GAP = "   "


def write_wide(history: History, screen: Screen) -> str:
    """Write one line for each revision, and then what else one has to know."""
    entries = [(one.name, entry) for one in history.sets for entry in one.entries]
    rows = [_TITLES, *(_write_cells(name, entry, history.now) for name, entry in entries)]
    sizes = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    paints: list[Callable[[str], str]] = [str, *(find_paint(entry, screen) for _, entry in entries)]
    lines = []
    for row, paint in zip(rows, paints, strict=True):
        *cells, state = row
        padded = [text + " " * (size - columns(text)) for text, size in zip(cells, sizes[:-1], strict=True)]
        lines.append(_GAP.join([*padded, paint(state)]))
    return join_parts(lines, write_changes(history, screen), write_notes(find_notes(history), screen))


def _write_cells(set_name: str, entry: Entry, now: float) -> tuple[str, ...]:
    return (
        printable(set_name),
        entry.kind,
        printable(entry.name),
        "-" if entry.created is None else duration(now - entry.created),
        _write_pods(entry),
        _join(write_referrers(entry, None)),
        _join([*map(printable, entry.to_link)]),
        _join([*map(printable, entry.owners)]),
        _join(write_state(entry, now)),
    )


def _write_pods(entry: Entry) -> str:
    """Write how many pods are ready, of how many: `1/3`."""
    return "?" if entry.pods is None else f"{entry.pods.ready}/{entry.pods.total}"


def _join(parts: list[str]) -> str:
    return " ".join(with_commas(parts)) or "-"
