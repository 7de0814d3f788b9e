"""One base name or revision in detail: who keeps it, since when, and when it goes."""

from collections.abc import Iterator

from krm_fn.history.history import Entry, Fate, History, Referrer, SetHistory
from krm_fn.history.statements import (
    Note,
    duration,
    find_notes,
    listed,
    write_pods,
    write_state,
    write_way_back,
)
from krm_fn.history.text import find_paint, join_parts, write_changes, write_notes
from krm_fn.history.to_json import write_time
from krm_fn.look.cut import fold
from krm_fn.look.screen import Screen
from krm_fn.model.printable import count, printable

_LABEL = 11
"""Columns in front of what is said."""

_ENDS = {
    Fate.RENDERED: "not while it is rendered",
    Fate.IN_USE: "after nothing references it: the run of the linker after that deletes it",
    Fate.NEXT_RUN: "with the next run of the linker",
    Fate.LEFT_TO_KPT: "with the run of the linker after kpt has let go of it",
    Fate.RETAINED: "never: no known object references it, so that the linker retains it",
    Fate.LEAK: "never: no run has linked its Secret in time, so that the linker may not delete that",
    Fate.NO_INVENTORY: "not before the inventory exists again",
    Fate.UNKNOWN: "unless something that could not be listed references it",
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


def _write_entry(one: SetHistory, entry: Entry, history: History, screen: Screen) -> Iterator[str]:
    paint = find_paint(entry, screen)
    yield screen.strong(printable(f"{entry.kind} {history.namespace}/{entry.name}"))
    for label, sentences in _find_statements(one, entry, history.now):
        head = f"{label}:"
        for sentence in sentences:
            for line in fold(sentence.split(" "), screen.width - _LABEL, ""):
                yield f"  {head:{_LABEL - 2}}{paint(line) if label == 'state' else line}"
                head = ""


def _find_statements(one: SetHistory, entry: Entry, now: float) -> Iterator[tuple[str, list[str]]]:
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


def _write_end(entry: Entry, now: float) -> str:
    match entry.fate:
        case Fate.HISTORY:
            return _write_end_of_history(entry)
        case Fate.YOUNG:
            return f"with the first run of the linker in {duration((entry.due or now) - now)} or later: it is too young"
        case Fate.FOREIGN_OWNER:
            return f"with its owner {listed(entry.foreign)}, which no linker has added"
    return _ENDS.get(entry.fate, "")


def _write_end_of_history(entry: Entry) -> str:
    """Say after how many rollouts the last object is trimmed: controllers keep `revisionHistoryLimit` of them."""
    ends = listed([_write_last(one) for one in entry.last])
    return f"when {ends}; the run of the linker after that deletes it"


def _write_last(one: Referrer) -> str:
    if not one.of:
        return f"{one} is deleted"
    left = f" after about {count(one.rollouts_left, 'more rollout')} of {one.of}" if one.rollouts_left else ""
    return f"{one} is trimmed{left}"
