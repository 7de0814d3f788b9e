"""A history as text for people, at most as wide as their screen but for names that are wider."""

from collections.abc import Callable, Iterable, Iterator

from krm_fn.diff.text import write_change
from krm_fn.history.history import Entry, Fate, History, Role, SetHistory
from krm_fn.history.rows import TITLES, by_base, write_cells
from krm_fn.history.statements import Note, find_notes
from krm_fn.look.cut import fold
from krm_fn.look.screen import Screen
from krm_fn.look.table import Group, Row, write_table
from krm_fn.model.printable import printable

_UNSETTLED = (Role.CANARY, Role.PREVIEW, Role.NEW, Role.ABORTED)


def write_text(history: History, screen: Screen) -> str:
    """Write a table for each set, and then what else one has to know."""
    lines: list[str] = []
    for one in history.sets:
        if len(history.sets) > 1:
            lines += [*([""] if lines else []), screen.strong(f"Set {printable(one.name)}")]
        lines += _write_set(one, history.now, screen)
    return join_parts(lines, write_changes(history, screen), write_notes(find_notes(history), screen))


def join_parts(*parts: Iterable[str]) -> str:
    """Join the lines of parts, with an empty line between them."""
    texts = ["".join(f"{line}\n" for line in part) for part in parts]
    return "\n".join(filter(None, texts))


def write_changes(history: History, screen: Screen) -> Iterator[str]:
    """Yield what differs between neighbours, if that was asked for."""
    for one in history.sets:
        for entry in one.entries:
            if entry.change is not None:
                yield from write_change(entry.change, screen)


def _write_set(one: SetHistory, now: float, screen: Screen) -> Iterator[str]:
    groups = [
        Group(base, [_write_row(entry, now, screen) for entry in entries]) for base, entries in by_base(one.entries)
    ]
    yield from write_table(TITLES, groups, screen.width) if groups else ["no revisions"]


def _write_row(entry: Entry, now: float, screen: Screen) -> Row:
    cells = write_cells(entry, now)
    state = [word for part in cells.state for word in part.split(" ")]
    return Row((cells.revision, cells.age), (cells.referrers, state), find_paint(entry, screen))


def find_paint(entry: Entry, screen: Screen) -> Callable[[str], str]:
    """Choose the colour of a state: red for what is missing, yellow for what is not settled, green for stable."""
    roles = {one.role for one in entry.referrers}
    if entry.fate is Fate.MISSING:
        return screen.removed
    if not roles.isdisjoint(_UNSETTLED):
        return screen.warning
    return screen.added if Role.STABLE in roles else str


def write_notes(notes: Iterable[Note], screen: Screen) -> Iterator[str]:
    """Yield the lines of sentences. A command is a line of its own, which is never broken."""
    for note in notes:
        yield from map(screen.warning if note.is_warning else str, fold(note.sentence.split(" "), screen.width))
        if note.command:
            yield f"  {note.command}"
