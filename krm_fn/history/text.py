"""A history for a terminal: the table, its wide form, and the detail of one base name."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from krm_fn.diff.diff import write_change
from krm_fn.history.history import History, Referrer, Retention, RevisionHistory, Role, SetHistory
from krm_fn.history.statements import (
    Note,
    duration,
    find_notes,
    listed,
    write_pods,
    write_referrers,
    write_state,
    write_way_back,
)
from krm_fn.history.to_json import write_time
from krm_fn.model.words import count, printable
from krm_fn.report.table import Group, Row, Screen, columns, fold, write_table

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


def _write_row(entry: RevisionHistory, now: float, screen: Screen) -> Row:
    cells = write_cells(entry, now)
    state = [word for part in cells.state for word in part.split(" ")]
    return Row((cells.revision, cells.age), (cells.referrers, state), find_paint(entry, screen))


def find_paint(entry: RevisionHistory, screen: Screen) -> Callable[[str], str]:
    """Choose the colour of a state: red for what is missing, yellow for what is not settled, green for stable."""
    roles = {one.role for one in entry.referrers}
    if entry.fate is Retention.MISSING:
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


TITLES = ("BASE", "REVISION", "AGE", "REFERENCED BY", "STATE")


class Cells(NamedTuple):
    """One revision. The last two are in parts that stay together."""

    base: str
    revision: str
    age: str
    referrers: list[str]
    state: list[str]


def write_cells(entry: RevisionHistory, now: float) -> Cells:
    """Write what a row tells of a revision. An adopted object has no hash."""
    return Cells(
        write_base(entry),
        printable(entry.suffix) or "-",
        "" if entry.created is None else duration(now - entry.created),
        with_commas(write_referrers(entry)) or ["-"],
        with_commas(write_state(entry, now)),
    )


def by_base(entries: Iterable[RevisionHistory]) -> Iterator[tuple[str, list[RevisionHistory]]]:
    """Group entries, which are in order, by base name."""
    for base, group in groupby(entries, write_base):
        yield base, list(group)


def write_base(entry: RevisionHistory) -> str:
    """Write the base name; of a Secret, its kind too."""
    return printable(entry.base) + (f" ({entry.kind})" if entry.kind != "ConfigMap" else "")


def with_commas(parts: list[str]) -> list[str]:
    """Put a comma behind each part but the last, and before no `and`."""
    if not parts:
        return []
    following = [*parts[1:], "and "]
    pairs = zip(parts, following, strict=True)
    return [part if after.startswith("and ") else f"{part}," for part, after in pairs]


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


def _write_cells(set_name: str, entry: RevisionHistory, now: float) -> tuple[str, ...]:
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


def _write_pods(entry: RevisionHistory) -> str:
    """Write how many pods are ready, of how many: `1/3`."""
    return "?" if entry.pods is None else f"{entry.pods.ready}/{entry.pods.total}"


def _join(parts: list[str]) -> str:
    return " ".join(with_commas(parts)) or "-"


_LABEL = 11
"""Columns in front of what is said."""

_ENDS = {
    Retention.RENDERED: "not while it is rendered",
    Retention.IN_USE: "after nothing references it: the run of the linker after that deletes it",
    Retention.NEXT_RUN: "with the next run of the linker",
    Retention.LEFT_TO_KPT: "with the run of the linker after kpt has let go of it",
    Retention.RETAINED: "never: no known object references it, so that the linker retains it",
    Retention.LEAK: "never: no run has linked its Secret in time, so that the linker may not delete that",
    Retention.NO_INVENTORY: "not before the inventory exists again",
    Retention.UNKNOWN: "unless something that could not be listed references it",
}


def write_detail(history: History, screen: Screen) -> str:
    """Write a paragraph for each revision, and how to return to an earlier configuration."""
    lines: list[str] = []
    for one in history.sets:
        for entry in one.entries:
            lines += [*([""] if lines else []), *_write_entry(one, entry, history, screen)]
    return join_parts(lines, write_changes(history, screen), write_notes(_find_notes(history), screen))


def _find_notes(history: History) -> Iterator[Note]:
    """Yield what is always said, and the way back of workloads that are done."""
    yield from find_notes(history)
    for one in history.sets:
        for workload in one.workloads:
            if workload.is_done and not workload.situation:
                for note in write_way_back(workload):
                    yield note._replace(sentence=f"{printable(str(workload))}: {note.sentence}")


def _write_entry(one: SetHistory, entry: RevisionHistory, history: History, screen: Screen) -> Iterator[str]:
    paint = find_paint(entry, screen)
    yield screen.strong(printable(f"{entry.kind} {history.namespace}/{entry.name}"))
    for label, sentences in _find_statements(one, entry, history.now):
        head = f"{label}:"
        for sentence in sentences:
            for line in fold(sentence.split(" "), screen.width - _LABEL, ""):
                yield f"  {head:{_LABEL - 2}}{paint(line) if label == 'state' else line}"
                head = ""


def _find_statements(one: SetHistory, entry: RevisionHistory, now: float) -> Iterator[tuple[str, list[str]]]:
    """Yield labels, each with sentences."""
    inventory = f"ConfigMap/{printable(one.name)}-linker"
    yield "state", [", ".join(write_state(entry, now))]
    yield "set", [f"{printable(one.name)}, base name {printable(entry.base)}"]
    if entry.made_by:
        yield "made by", [printable(entry.made_by)]
    if entry.created is not None:
        yield "created", [f"{duration(now - entry.created)} ago, {write_time(entry.created)}"]
    if entry.pods is not None:
        yield "pods", [write_pods(entry.pods)]
    if entry.referrers or entry.is_rendered:
        lists_it = [f"{inventory}, which lists what is rendered"] if entry.is_rendered else []
        yield "kept by", [*lists_it, *(_write_keeper(referrer, now) for referrer in entry.referrers)]
    end = _write_end(entry, now)
    if end:
        yield "goes", [end]
    if entry.owners:
        yield "owners", [", ".join(map(printable, entry.owners))]
    if entry.to_link:
        yield "next run", [f"adds the owners {', '.join(map(printable, entry.to_link))}"]


def _write_keeper(one: Referrer, now: float) -> str:
    """Write an object that references the revision. Only what never changes has done so since it was created."""
    of = f", {one.role} of {printable(one.of)}" if one.role else f", of {printable(one.of)}" if one.of else ""
    since = "" if one.is_current else f", for {duration(now - one.created)}"
    pods = f", {write_pods(one.pods)}" if one.pods is not None else ""
    return f"{printable(str(one))}{of}{since}{pods}"


def _write_end(entry: RevisionHistory, now: float) -> str:
    match entry.fate:
        case Retention.HISTORY:
            return _write_end_of_history(entry)
        case Retention.YOUNG:
            return f"with the first run of the linker in {duration((entry.due or now) - now)} or later: it is too young"
        case Retention.FOREIGN_OWNER:
            return f"with its owner {listed(entry.foreign)}, which no linker has added"
    return _ENDS.get(entry.fate, "")


def _write_end_of_history(entry: RevisionHistory) -> str:
    """Say after how many rollouts the last object is trimmed: controllers keep `revisionHistoryLimit` of them."""
    ends = listed([_write_last(one) for one in entry.last])
    return f"when {ends}; the run of the linker after that deletes it"


def _write_last(one: Referrer) -> str:
    if not one.of:
        return f"{one} is deleted"
    left = f" after about {count(one.rollouts_left, 'more rollout')} of {one.of}" if one.rollouts_left else ""
    return f"{one} is trimmed{left}"
