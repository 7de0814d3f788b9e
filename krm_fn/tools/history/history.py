"""Write a history in the form that was asked for.

For a terminal it is a table, the wide form of it, or the detail of one base name. JSON has the form
of schemas/history-v1.json, and Markdown is made of the same text. What is said about revisions,
workloads and linkers is the same in all of them.

This is the door of the room for all that needs no cluster; `ask.py` is the one that needs the client.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from itertools import chain, groupby

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import count, listing, printable
from krm_fn.linker.owners import deletion_command, say_abandoned
from krm_fn.linker.read import write_time
from krm_fn.report.markup import (
    FieldSource,
    Forms,
    as_json,
    join_lines,
    markdown,
    markdown_code,
    write_forms,
)
from krm_fn.report.table import Group, Row, Screen, columns, cut, fold, write_table
from krm_fn.report.write_change import CHANGE_FORMS, write_change, write_change_block
from krm_fn.tools.common.kept import Holder, Kept
from krm_fn.tools.common.revision_history import (
    History,
    LinkerJob,
    Pods,
    Referrer,
    Retention,
    RevisionHistory,
    Role,
    SetHistory,
    Template,
    Unseen,
    WayBack,
    WorkloadHistory,
)
from krm_fn.tools.history.watch import Output, ScreenSize, watch

__all__ = [
    "HistoryFormat",
    "Output",
    "ScreenSize",
    "duration",
    "watch",
    "write_history",
    "write_pods",
    "write_state",
]

_GAP = "   "

_LABEL = 11
"""Columns in front of what the detail says."""

_MOST_NAMES = 2
"""Names in a sentence; the others are counted."""

_MOST_REFERRERS, _MOST_PAST = 6, 2
"""Objects that are listed for a revision, and those of them that have no pods any more."""

_UNITS = ((365 * 86_400, "y"), (86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))
_ENOUGH = 2
"""Of a unit of time: 100 seconds are not yet minutes."""

_LONGEST_REASON = 160
"""Columns of what a controller gives as its reason."""

_UNSETTLED = (Role.CANARY, Role.PREVIEW, Role.ABORTED, Role.NEW)
_SITUATIONS = {"": "is rolling out", "progressing": "is rolling out", "aborted": "was aborted"}

_ENDS = {
    Retention.RENDERED: ("", "not while it is rendered"),
    Retention.IN_USE: (
        "",
        "after nothing references it: the run of the linker after that deletes it",
    ),
    Retention.HISTORY: (
        "goes when {last}",
        "when {last_of_all}; the run of the linker after that deletes it",
    ),
    Retention.NEXT_RUN: ("goes with the next run", "with the next run of the linker"),
    Retention.YOUNG: (
        "goes with the next run in {wait} or later",
        "with the first run of the linker in {wait} or later: it is too young",
    ),
    Retention.LEFT_TO_KPT: (
        "goes when kpt has let go of it",
        "with the run of the linker after kpt has let go of it",
    ),
    Retention.RETAINED: (
        "retained",
        "never: no known object references it, so that the linker retains it",
    ),
    Retention.FOREIGN_OWNER: (
        "stays with its owner {owner}",
        "with its owner {owner}, which no linker has added",
    ),
    Retention.UNSEEN_KIND: (
        "stays, as {kinds} may need it",
        "when spec.linker.kinds has {kinds}, with all kinds that are made of it",
    ),
    Retention.LEAK: (
        "stays, as the linker may not delete its Secret",
        "never: no run has linked its Secret in time, so that the linker may not delete that",
    ),
    Retention.NO_INVENTORY: (
        "stays, as nothing deletes it",
        "not before the inventory exists again",
    ),
    Retention.UNKNOWN: ("may be in use", "unless something that could not be listed references it"),
}
"""What becomes of a revision: in a cell of a table, and as a sentence of the detail."""


class HistoryFormat(StrEnum):
    """How to write a history.

    `detail` is the text about one base name or revision, `json-line` JSON in one line.
    """

    TEXT = "text"
    DETAIL = "detail"
    WIDE = "wide"
    JSON = "json"
    JSON_LINE = "json-line"
    MARKDOWN = "markdown"


class Note(NamedTuple):
    """A sentence, and the command to type, if there is one."""

    sentence: str
    command: str = ""
    is_warning: bool = False


class RevisionLine(NamedTuple):
    """A revision, with the name of its set and the time of the history."""

    set_name: str
    entry: RevisionHistory
    now: float


class Column(NamedTuple):
    """A column: its title, and the parts of a cell.

    `folds`: each part may begin a line. `empty`: the text of a cell without parts. `is_painted`: the
    colour of the state is for this column.
    """

    title: str
    write: Callable[[RevisionLine], list[str]]
    folds: bool = False
    empty: str = "-"
    is_painted: bool = False

    def text(self, line: RevisionLine) -> str:
        return " ".join(self.parts(line))

    def parts(self, line: RevisionLine) -> list[str]:
        return self.write(line) or [self.empty]


def _find_notes_of_detail(history: History) -> Iterator[Note]:
    """Yield also how many revisions stay, and the way back of all workloads."""
    yield from find_notes(history)
    for one in history.sets:
        yield from (Note(f"{printable(kept.base)}: {kept}") for kept in one.kept)
        for workload in one.workloads:
            # Of the others, the notes tell.
            back = _write_way_back(workload) if workload.is_settled else ()
            for note in back:
                yield note._replace(sentence=f"{printable(str(workload))}: {note.sentence}")


def _write_text(history: History, form: HistoryFormat, screen: Screen) -> str:
    """Put under the lines what differs between neighbours, if that was asked for, and what else one has to know."""
    changes = chain.from_iterable(
        write_change(entry.change, screen) for entry in history.entries if entry.change
    )
    find = _find_notes_of_detail if form is HistoryFormat.DETAIL else find_notes
    notes = write_notes(find(history), screen)
    parts = map(join_lines, (_LINES[form](history, screen), changes, notes))
    return "\n".join(filter(None, parts))


def write_notes(notes: Iterable[Note], screen: Screen) -> Iterator[str]:
    for note in notes:
        yield from map(
            screen.warning if note.is_warning else str, fold(note.sentence.split(" "), screen.width)
        )
        if note.command:
            yield f"  {note.command}"  # whole, as somebody copies it


def _write_tables(history: History, screen: Screen) -> Iterator[str]:
    for position, one in enumerate(history.sets):
        if len(history.sets) > 1:
            if position:
                yield ""
            yield screen.strong(f"Set {printable(one.name)}")
        lines = _find_lines(one, history.now)
        groups: list[Group] = []
        for base, of_base in groupby(lines, _BASE.text):  # they are in order
            groups.append(Group(base, [_write_row(line, screen) for line in of_base]))
        if not groups:
            yield "no revisions"
            continue
        titles, *rows = write_table(TITLES, groups, screen.width)
        yield screen.strong(titles)
        yield from rows


def _find_lines(one: SetHistory, now: float) -> list[RevisionLine]:
    return [RevisionLine(one.name, entry, now) for entry in one.entries]


def _find_all_lines(history: History) -> list[RevisionLine]:
    found: list[RevisionLine] = []
    for one in history.sets:
        found += _find_lines(one, history.now)
    return found


def _write_row(line: RevisionLine, screen: Screen) -> Row:
    short = [column.text(line) for column in COLUMNS if column is not _BASE and not column.folds]
    left, right = (column.parts(line) for column in COLUMNS if column.folds)
    return Row(tuple(short), (left, right), _find_paint(line.entry, screen))


def _write_base(entry: RevisionHistory) -> str:
    return printable(entry.base) + (f" ({entry.kind})" if entry.kind != "ConfigMap" else "")


def _find_paint(entry: RevisionHistory, screen: Screen) -> Callable[[str], str]:
    """Choose the colour of a state: red for what is missing, yellow for what is not settled, green for stable."""
    roles = {one.role for one in entry.referrers}
    if entry.fate is Retention.MISSING:
        return screen.removed
    if not roles.isdisjoint(_UNSETTLED):
        return screen.warning
    return screen.added if Role.STABLE in roles else str


def _with_commas(parts: list[str]) -> list[str]:
    """Put a comma behind each part but the last, and before no `and`."""
    following = [*parts[1:], "and "]
    return [
        part if after.startswith("and ") else f"{part},"
        for part, after in zip(parts, following, strict=False)
    ]


def _write_lines(history: History, screen: Screen) -> Iterator[str]:
    """Write a line of titles and one for each revision, in columns as wide as they need."""
    lines = _find_all_lines(history)
    rows: list[list[str]] = [[] for _ in lines]
    heading: list[str] = []
    for column in WIDE_COLUMNS:
        cells = [column.text(line) for line in lines]
        size = max(map(columns, (column.title, *cells)))
        is_last = column is WIDE_COLUMNS[-1]
        heading.append(column.title if is_last else _pad(column.title, size))
        for line, cell, row in zip(lines, cells, rows, strict=True):
            paint = _find_paint(line.entry, screen) if column.is_painted else str
            row.append(paint(cell if is_last else _pad(cell, size)))
    yield screen.strong(_GAP.join(heading))
    for row in rows:
        yield _GAP.join(row)


def _pad(text: str, size: int) -> str:
    return text + " " * (size - columns(text))


def _write_paragraphs(history: History, screen: Screen) -> Iterator[str]:
    for position, line in enumerate(_find_all_lines(history)):
        if position:
            yield ""
        entry = line.entry
        yield screen.strong(printable(f"{entry.kind} {history.namespace}/{entry.name}"))
        yield from _write_paragraph(line, screen)


def _write_paragraph(line: RevisionLine, screen: Screen) -> Iterator[str]:
    for label, sentences in _find_statements(line):
        paint = _find_paint(line.entry, screen) if label == "state" else str
        head = f"{label}:"
        for sentence in sentences:
            for said in fold(sentence.split(" "), screen.width - _LABEL, ""):
                yield f"  {head:{_LABEL - 2}}{paint(said)}"
                head = ""


def _find_statements(line: RevisionLine) -> Iterator[tuple[str, list[str]]]:
    """Yield labels, each with sentences."""
    set_name, entry, now = printable(line.set_name), line.entry, line.now
    yield "state", [", ".join(write_state(entry, now))]
    yield "set", [f"{set_name}, base name {printable(entry.base)}"]
    if entry.made_by:
        yield "made by", [printable(entry.made_by)]
    if entry.created is not None:
        yield "created", [f"{duration(now - entry.created)} ago, {write_time(entry.created)}"]
    if entry.pods is not None:
        yield "pods", [write_pods(entry.pods)]
    if entry.referrers or entry.is_rendered:
        lists_it = (
            [f"ConfigMap/{set_name}-linker, which lists what is rendered"]
            if entry.is_rendered
            else []
        )
        yield (
            "kept by",
            [*lists_it, *(_write_keeper(referrer, now) for referrer in entry.referrers)],
        )
    _, end = _write_end(entry, now)
    if end:
        yield "goes", [end]
    if entry.owners:
        yield "owners", [", ".join(map(printable, entry.owners))]
    if entry.to_link:
        yield "next run", [f"adds the owners {', '.join(map(printable, entry.to_link))}"]


def _write_keeper(one: Referrer, now: float) -> str:
    """Write an object that references the revision.

    Only what never changes has done so since it was created.
    """
    of = f", of {printable(one.of)}" if one.of else ""
    if one.role:
        of = f", {one.role} of {printable(one.of)}"
    since = "" if one.is_current else f", for {duration(now - one.created)}"
    pods = f", {write_pods(one.pods)}" if one.pods is not None else ""
    return f"{printable(str(one))}{of}{since}{pods}"


def write_state(entry: RevisionHistory, now: float) -> list[str]:
    """Return the parts of `rendered, canary` or `in history, goes when web-66d8 is trimmed`."""
    if entry.fate is Retention.MISSING:
        verb = "do" if any(one.is_in_use for one in entry.referrers) else "would"
        return ["missing", f"pods of {listed(map(str, entry.referrers))} {verb} not start"]
    if entry.fate is Retention.NOT_APPLIED:
        return ["rendered", "not there yet"]
    end, _ = _write_end(entry, now)
    parts = [*_write_use(entry)]
    if entry.is_rendered:
        parts.insert(0, "rendered")
    if end:
        parts.append(end)
    if not entry.is_linked:
        parts.append("unlinked")
    if entry.is_marked:
        parts.append("marked for deletion")
    return parts


def _write_use(entry: RevisionHistory) -> list[str]:
    """Say what the revision is to its workloads; to which, if it is not the same to all."""
    workloads: dict[Role, set[str]] = {}
    for one in entry.referrers:
        if one.role is not None and one.role is not Role.PAST:
            workloads.setdefault(one.role, set()).add(one.of)
    if workloads:  # what a workload makes of it says more than that its ReplicaSets reference it
        ordered = sorted(workloads, key=list(Role).index)
        if all(workloads[role] == workloads[ordered[0]] for role in ordered):
            return [" and ".join(ordered)]
        return [f"{role} of {listed(sorted(workloads[role]))}" for role in ordered]
    if not entry.referrers:
        return (
            []
            if entry.fate is Retention.RETAINED
            else ["no reference seen" if entry.is_incomplete else "unused"]
        )
    if entry.is_awaited:
        return ["not started"]
    return ["in use" if any(one.is_in_use for one in entry.referrers) else "in history"]


def _write_end(entry: RevisionHistory, now: float) -> tuple[str, str]:
    """Say what becomes of a revision: in short, and in full."""
    short, full = _ENDS.get(entry.fate, ("", ""))
    words = {
        "last": _write_last(entry.last),
        "last_of_all": listed([_write_trimming(one) for one in entry.last]),
        "wait": duration((entry.due or now) - now),
        "owner": listed(entry.foreign),
        "kinds": listed(map(printable, entry.unseen)),
    }
    return short.format_map(words), full.format_map(words)


def _write_last(last: Iterable[Referrer]) -> str:
    """Write `web-66d8 is trimmed`, or `Job/migrate is deleted` for what no history limit deletes."""
    ends = [(one.name, "trimmed") if one.of else (str(one), "deleted") for one in last]
    ways = {way for _, way in ends}
    verb = "are" if len(ends) > 1 else "is"
    return f"{listed([name for name, _ in ends])} {verb} {ways.pop() if len(ways) == 1 else 'gone'}"


def _write_trimming(one: Referrer) -> str:
    """Say after how many rollouts an object is trimmed: controllers keep `revisionHistoryLimit` of them."""
    if not one.of:
        return f"{one} is deleted"
    left = (
        f" after about {count(one.rollouts_left, 'more rollout')} of {one.of}"
        if one.rollouts_left
        else ""
    )
    return f"{one} is trimmed{left}"


def _write_referrers(entry: RevisionHistory, most: int | None = _MOST_REFERRERS) -> list[str]:
    """Return the objects that reference a revision, with their pods.

    If they are many, count them by kind.

    `most` None lists everything.
    """
    if most is None:
        return [*map(_write_referrer, entry.referrers)]
    past = [one for one in entry.referrers if not one.is_in_use]
    # Old ReplicaSets without pods say little about a revision that is in use.
    dropped = past[_MOST_PAST:] if len(past) < len(entry.referrers) else []
    shown = [one for one in entry.referrers if one not in dropped]
    if len(shown) > most:
        by_kind: dict[str, list[Referrer]] = {}
        for one in entry.referrers:
            by_kind.setdefault(one.kind, []).append(one)
        return [_add_pods(count(len(ones), kind), _sum(ones)) for kind, ones in by_kind.items()]
    written = [_write_referrer(one) for one in shown]
    if dropped:
        written.append(f"and {len(dropped)} more")
    return written


def _sum(referrers: Iterable[Referrer]) -> Pods | None:
    known = [one.pods for one in referrers if one.pods is not None]
    readies = [pods.ready for pods in known]
    ready = None if None in readies else sum(filter(None, readies))
    # One is enough to look there.
    problem = next((pods.problem for pods in known if pods.problem), "")
    return Pods(sum(pods.total for pods in known), ready, problem) if known else None


def _write_referrer(referrer: Referrer) -> str:
    """Write `Rollout/web` or `web-5bb6 (1 pod)`."""
    return _add_pods(printable(referrer.name if referrer.of else str(referrer)), referrer.pods)


def _add_pods(name: str, pods: Pods | None) -> str:
    return name if pods is None else f"{name} ({write_pods(pods)})"


def write_pods(pods: Pods) -> str:
    """Write `3 pods`, `3 pods, 1 not ready: CrashLoopBackOff`."""
    waiting = 0 if pods.ready is None else pods.total - pods.ready
    problem = f": {printable(pods.problem)}" if pods.problem else ""
    return count(pods.total, "pod") + (f", {waiting} not ready{problem}" if waiting else "")


def find_notes(history: History) -> Iterator[Note]:
    """Yield what else one has to know: rollouts that are not done, and what is wrong.

    What is wrong with the linker of the namespace is said once, whatever sets it is for.
    """
    yield from dict.fromkeys(_find_notes(history))


def _find_notes(history: History) -> Iterator[Note]:
    for one in history.sets:
        for workload in one.workloads:
            yield from _write_rollout(workload)
    for one in history.sets:
        missing = [entry.name for entry in one.entries if entry.fate is Retention.MISSING]
        if missing:
            verb = "does" if len(missing) == 1 else "do"
            yield _warn(
                f"{listed(missing)} {verb} not exist: apply the manifests that have it again"
            )
        if one.abandoned:
            yield _warn(say_abandoned(listed(one.abandoned), len(one.abandoned)))
        yield from _write_linker(one, history)
        yield from map(Note, write_staying(one, Retention.RETAINED))  # leaks have a command, too
        if one.leaks:
            leaks: list[str] = []
            for leak in one.leaks:
                leaks += (tracker.name for tracker in leak.trackers)
            what = "its Secret" if len(leaks) == 1 else "their Secrets"
            command = printable(deletion_command(one.leaks, history.namespace))
            yield Note(
                f"the linker may not delete {listed(leaks)}, as no run has linked {what} in time:",
                command,
            )
    yield from (_warn(write_unseen(unseen)) for unseen in history.unseen)


def write_staying(one: SetHistory, *fates: Retention) -> Iterator[str]:
    """Say how many old revisions no run ever deletes, as they have such a fate: their number only grows."""
    bases = [entry.base for entry in one.entries if entry.fate in fates and not entry.is_rendered]
    if bases:
        # No name: that of a Secret has a hash of its values.
        which = f"{count(len(bases), 'old revision')} of {listed(dict.fromkeys(bases))}"
        yield f"set {printable(one.name)}: the linker never deletes {which}"


def write_unseen(unseen: Unseen) -> str:
    return f"not seen: {printable(str(unseen))}"


def _warn(sentence: str, command: str = "") -> Note:
    return Note(sentence, command, is_warning=True)


def _write_rollout(workload: WorkloadHistory) -> Iterator[Note]:
    if workload.is_settled:
        return
    situation = _SITUATIONS.get(workload.situation, f"is {printable(workload.situation)}")
    reason = f" ({cut(printable(workload.reason), _LONGEST_REASON)})" if workload.reason else ""
    is_warning = workload.situation in ("stuck", "degraded")
    yield Note(f"{printable(str(workload))} {situation}{reason}", is_warning=is_warning)
    yield from _write_way_back(workload)


def _write_way_back(workload: WorkloadHistory) -> Iterator[Note]:
    """Say how to return to an earlier configuration, if there is one."""
    back = workload.way_back
    if back is None:
        return
    # What both templates reference stays as it is: only what differs comes back.
    newest = next((one for one in workload.templates if one.role in _UNSETTLED), None)
    names = [name for name in back.to.revisions if newest is None or name not in newest.revisions]
    what = (
        listed(names) if names else f"{printable(back.to.name)}, which has the same configuration"
    )
    if back.to.absent:
        yield _warn(
            f"no way back to {printable(back.to.name)}: {listed(back.to.absent)} does not exist"
        )
    elif back.command:
        yield Note(f"back to {what}:", printable(back.command))
    else:
        yield Note(f"it is back on {what}; revert the change of the manifests too")


def _write_linker(one: SetHistory, history: History) -> Iterator[Note]:
    name = printable(one.name)
    if one.job is None and not one.has_inventory:
        yield Note(f"set {name} has no linker: nothing deletes its revisions")
    elif not one.has_inventory:
        yield _warn(f"ConfigMap/{name}-linker does not exist: until then nothing is deleted")
    if one.to_release:
        yield Note(
            f"set {name} leaves krm-fn: keep it in the package until a run has taken its owners off "
            f"{listed(one.to_release)}"
        )
    elif one.to_release is not None:
        yield Note(f"set {name} leaves krm-fn: nothing has an owner of the linker; remove krm-fn")
    job = one.job
    if one.is_shared and job is None:
        yield Note(
            f"set {name} is left to the linker of the namespace, which has no Job here: the default --minimum-age and "
            "no --kind are assumed"
        )
    if job is None:
        return
    name = f"Job/{printable(job.name)}"
    if job.failure and job.ended is not None:
        logs = f"kubectl logs {name.lower()} -n {printable(history.namespace)}"
        ago = duration(history.now - job.ended)
        yield _warn(
            f"{name} failed {ago} ago ({cut(printable(job.failure), _LONGEST_REASON)}):", logs
        )
    elif job.ended is None:
        yield Note(f"{name} has not ended, after {duration(history.now - job.created)}")


def listed(names: Iterable[str]) -> str:
    """Join names, and count those that are too many: `a, b and 3 more`.

    They are safe to print then.
    """
    return listing(map(printable, names), _MOST_NAMES, is_sentence=True)


def duration(seconds: float) -> str:
    """Write a time in one unit: `4m`, `12d`."""
    whole = max(0, int(seconds))
    size, unit = next((unit for unit in _UNITS if whole >= _ENOUGH * unit[0]), _UNITS[-1])
    return f"{whole // size}{unit}"


# Columns.


def _write_suffix(line: RevisionLine) -> list[str]:
    # Of Secrets too: pod templates name them, and one may have to go back to them. An adopted object
    # has no hash.
    suffix = printable(line.entry.suffix)
    return [suffix] if suffix else []


def _write_age(line: RevisionLine) -> list[str]:
    created = line.entry.created
    return [] if created is None else [duration(line.now - created)]


def _write_ready(line: RevisionLine) -> list[str]:
    pods = line.entry.pods
    return ["?" if pods is None else f"{pods.ready}/{pods.total}"]


def _write_state_words(line: RevisionLine) -> list[str]:
    parts = _with_commas(write_state(line.entry, line.now))
    return " ".join(parts).split(" ")  # each word may begin a line


_BASE = Column("BASE", lambda line: [_write_base(line.entry)])
_STATE = Column("STATE", _write_state_words, folds=True, is_painted=True)

COLUMNS = (
    _BASE,
    Column("REVISION", _write_suffix),
    Column("AGE", _write_age, empty=""),
    Column("REFERENCED BY", lambda line: _with_commas(_write_referrers(line.entry)), folds=True),
    _STATE,
)
"""Those of the table and of Markdown. The lines of one base name are a group; the last two fold."""

WIDE_COLUMNS = (
    Column("SET", lambda line: [printable(line.set_name)]),
    Column("KIND", lambda line: [line.entry.kind]),
    Column("NAME", lambda line: [printable(line.entry.name)]),
    Column("AGE", _write_age),
    Column("PODS", _write_ready),
    Column("REFERENCED BY", lambda line: _with_commas(_write_referrers(line.entry, None))),
    Column("NEXT RUN ADDS", lambda line: _with_commas([*map(printable, line.entry.to_link)])),
    Column("OWNERS", lambda line: _with_commas([*map(printable, line.entry.owners)])),
    _STATE,
)
"""Those of the wide form, in which a line is as long as it needs to be."""

TITLES = tuple(column.title for column in COLUMNS)


# JSON.


def write_history_json(history: History, *, in_one_line: bool = False) -> str:
    """Write everything that the text says, and more."""
    # The state of a revision says how long it still stays, so it depends on the time of the history
    # around it.
    state: FieldSource = ("state", lambda entry: ", ".join(write_state(entry, history.now)))
    revision = [state if source == "state" else source for source in _FORMS[RevisionHistory]]
    return write_forms(history, {**_FORMS, RevisionHistory: revision}, in_one_line=in_one_line)


def time_field(name: str, attribute: str = "") -> FieldSource:
    """Return the source of a field that is a time, or null."""

    def compute(value: object) -> str | None:
        seconds = getattr(value, attribute or name)
        return None if seconds is None else write_time(seconds)

    return name, compute


def _write_notes(history: History) -> list[str]:
    return [" ".join(filter(None, [note.sentence, note.command])) for note in find_notes(history)]


def _write_change(entry: RevisionHistory) -> dict[str, object] | None:
    """Write what differs from the next older revision, in the form of `krm-fn diff`."""
    change = entry.change
    return change and {
        "from": change.old and change.old.name,
        "keys": as_json(change.keys, CHANGE_FORMS),
    }


_NUMBER: FieldSource = ("number", lambda one: one.number or None)


_FORMS: Forms = {
    History: (
        ("*cluster", lambda history: {"cluster": history.cluster} if history.cluster else {}),
        *("namespace", time_field("time", "now"), "sets", ("notes", _write_notes), "unseen"),
    ),
    SetHistory: ("set=name", "has_inventory", "job", "revisions=entries", "workloads", "kept"),
    Kept: ("kind", "baseName=base", "atMost=most", "current", "stays", "holders"),
    Holder: ("name", "keeps"),
    LinkerJob: ("name", time_field("created"), time_field("ended"), "failure"),
    RevisionHistory: (
        *(
            "kind",
            "name",
            "baseName=base",
            time_field("created"),
            "state",
            "fate",
            "is_rendered",
            "is_linked",
        ),
        *("isMarkedForDeletion=is_marked", "pods", "referencedBy=referrers"),
        ("lastReferencedBy", lambda entry: tuple(map(str, entry.last))),
        *(
            time_field("due"),
            "owners",
            "foreignOwners=foreign",
            "nextRunAdds=to_link",
            ("change", _write_change),
        ),
        ("*madeBy", lambda entry: {"madeBy": entry.made_by} if entry.made_by else {}),
    ),
    Referrer: (
        *(
            "kind",
            "name",
            time_field("created"),
            "is_current",
            ("workload", lambda one: one.of or None),
            "role",
            _NUMBER,
        ),
        *("rollouts_left", "pods"),
    ),
    WorkloadHistory: ("kind", "name", "is_done", "situation", "reason", "templates", "way_back"),
    Template: ("name", _NUMBER, "role", "revisions", "absent", "pods"),
    WayBack: ("to=to.name", "revisions=to.revisions", "command"),
}


_LINES = {
    HistoryFormat.TEXT: _write_tables,
    HistoryFormat.DETAIL: _write_paragraphs,
    HistoryFormat.WIDE: _write_lines,
}
"""What each form for a terminal has of the revisions: a table a set, a paragraph each, or a line each."""


def write_history(history: History, form: HistoryFormat, screen: Screen) -> str:
    match form:
        case HistoryFormat.JSON | HistoryFormat.JSON_LINE:
            return write_history_json(history, in_one_line=form is HistoryFormat.JSON_LINE)
        case HistoryFormat.MARKDOWN:
            return write_history_markdown(history)
    return _write_text(history, form, screen)


def write_history_markdown(history: History) -> str:
    """Write a table for each set, and then what else one has to know."""
    return join_lines(_write_blocks(history))


def _write_blocks(history: History) -> Iterator[str]:
    for one in history.sets:
        where = f"set {markdown_code(printable(one.name))} in namespace {markdown_code(printable(history.namespace))}"
        yield f"Revisions of {where} at {write_time(history.now)}:"
        yield ""
        yield f"| {' | '.join(title.capitalize() for title in TITLES)} |"
        yield f"|{'---|' * len(TITLES)}"
        for line in _find_lines(one, history.now):
            cells = (column.text(line) for column in COLUMNS)
            yield f"| {' | '.join(map(markdown, cells))} |"
        yield ""
        for entry in one.entries:
            if entry.change is not None:
                yield from write_change_block(entry.change, is_open=False)
    for note in find_notes(history):
        command = f" {markdown_code(note.command)}" if note.command else ""
        yield f"- {markdown(note.sentence)}{command}"
