"""Write one change for people: its title, its lines, and sentences about its effects.

Text, Markdown, pictures and histories show the same lines.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import count, listing, printable, with_commas
from krm_fn.report.align import align
from krm_fn.report.object_change import (
    Cause,
    ComparedObject,
    Effect,
    FieldChange,
    HandEdit,
    ObjectChange,
    Refusal,
    Removal,
    RemovalOutcome,
    ShownValue,
)
from krm_fn.report.secrets import KeyChange, Shown
from krm_fn.report.table import columns, common_length, cut, cut_both, fold

REMOVED, ADDED, CONTEXT, CHANGED, STATEMENT, WARNING = "-", "+", " ", "~", "", "!"
"""The sign of a line: of the old rendering, of the new one, of both; a field with both values; a sentence."""

_SHORT = 9
"""Lines of a value in which one finds a place without its number."""

_FARTHEST = 2_000
"""Lines between a line and its key, so that a thousand changes in a huge value take no huge time."""

_LONGEST = 10_000
"""Characters of a line in which a part is worth to be pointed at."""

_MOST_INSIDE = 5
"""Objects of a Namespace that are named where it goes. It gives the number of more."""

_WORD = re.compile(r"\w+|\W")

_CAUSES = {
    Cause.NAME: "name",
    Cause.CHECKSUM: "checksum",
    Cause.IMAGE: "new image",
    Cause.TEMPLATE: "pod template",
    Cause.SPEC: "spec",
}


class _Words(NamedTuple):
    """The words before the workloads that an object changes, and behind one or several."""

    before: str = ""
    behind_one: str = ""
    behind_several: str = ""


_OF_OTHERS = {
    Effect.ROLLS: _Words("rolls"),
    Effect.REPLACES_MACHINES: _Words("replaces every control-plane machine of"),
    Effect.ENDS_RUNS: _Words("ends the current runs of"),
    Effect.NEXT_RUN: _Words("used by the next run of"),
    Effect.RUNS: _Words("runs", "again", "again"),
    Effect.NEW_PODS: _Words("used by new pods of"),
    Effect.ON_DELETE: _Words(
        "the pods of",
        "stay until somebody deletes them (OnDelete)",
        "stay until somebody deletes them (OnDelete)",
    ),
    Effect.PAUSED: _Words(
        "",
        "is paused: no pod restarts until somebody resumes it",
        "are paused: no pod restarts until somebody resumes them",
    ),
    Effect.PARTITION: _Words(
        "no pod restarts: the partition of",
        "holds all pods",
        "holds all pods",
    ),
    Effect.REFUSED: _Words("the API server refuses to change"),
    Effect.IN_PLACE: _Words(
        "no pod restarts;",
        "sees the new files while it runs",
        "see the new files while they run",
    ),
    Effect.NEXT_START: _Words(
        "no pod restarts;",
        "reads it at its next start",
        "read it at their next start",
    ),
    Effect.CHANGES: _Words("changes"),
}

_OF_ITSELF = {
    Effect.ROLLS: "rolls:",
    Effect.REPLACES_MACHINES: "replaces every control-plane machine:",
    Effect.ENDS_RUNS: "ends its current runs, and begins anew:",
    Effect.NEXT_RUN: "from the next run:",
    Effect.RUNS: "runs again:",
    Effect.NEW_PODS: "for new pods:",
    Effect.RELEASED: "not held back any more: rolls if an earlier change waits for that",
    Effect.ON_DELETE: "its pods stay until somebody deletes them (OnDelete):",
    Effect.PAUSED: "no pod restarts until somebody resumes it (paused):",
    Effect.PARTITION: "no pod restarts, as its partition holds all:",
    Effect.REFUSED: "the API server refuses this:",
    Effect.CHANGES: "changes:",
}


REFUSALS = {
    Refusal.IMMUTABLE: (
        "is immutable, and no longer says so;",
        "keep `immutable: true` (kustomize: `generatorOptions: {immutable: true}`), or delete it first",
    ),
    Refusal.CONTENT: (
        "is immutable, and gets other content;",
        "give it another name, or delete it first",
    ),
    Refusal.TYPE: (
        "gets another type;",
        "give it another name, or delete it first",
    ),
}
"""Why the API server refuses an update of a ConfigMap or Secret, and what to do."""

_OF_FIELD = (
    "cannot change in this way;",
    "delete the object first, or let the deployer replace it",
)
"""The same of a field of another object."""


class Span(NamedTuple):
    """Where a part of a text begins and ends."""

    start: int
    end: int


class Line(NamedTuple):
    """One line, with nothing in it that a terminal obeys.

    `parts`: what differs from the line opposite; of a field with both values, the old and the new
    one.
    """

    sign: str
    text: str
    parts: tuple[Span, ...] = ()


def write_lines(change: ObjectChange, width: int, context: int = 0) -> Iterator[Line]:
    """Yield the lines about a change, but for its title. No text has more columns than `width`.

    `context` is the number of equal lines around those that differ in a value of several lines.
    """
    # Of a Secret all sizes are those of values that are not shown, binary or not.
    kind = "" if change.who.kind == "Secret" else ", binary"
    for one in change.keys:
        yield from _write_key(one, width, context, kind)
    for field in change.fields:
        yield from _write_field(field, width, context)
    for statement in list_statements(change):
        sign = WARNING if statement.is_warning else STATEMENT
        yield from (Line(sign, line) for line in fold(statement.words, width))


def _write_key(change: KeyChange, width: int, context: int, kind: str) -> Iterator[Line]:
    """Write a key. `kind` is said behind the sizes of values without a text."""
    key, old, new = change
    if any(one and is_unreadable(one.text or "") for one in (old, new)):
        old, new = (
            one and one._replace(text=None if is_unreadable(one.text or "") else one.text)
            for one in (old, new)
        )
        kind = ""
    label = printable(key)
    before_size, size = (one.size if one and one.text is None else None for one in (old, new))
    if before_size is not None and size is not None:
        sizes = "changed, " if before_size == size else f"{before_size:,} -> "
        yield Line(CONTEXT, cut(f"{label}: {sizes}{count(size, 'byte')}{kind}", width))
        return
    before, after = (_text_of(one, kind) for one in (old, new))
    yield from _write_texts(label, before, after, width, context)


def _text_of(shown: Shown | None, kind: str) -> str | None:
    if shown is None:
        return None
    if shown.text is not None:
        return shown.text
    return "(not read)" if shown.size is None else count(shown.size, "byte") + kind


def _write_texts(
    label: str, old: str | None, new: str | None, width: int, context: int
) -> Iterator[Line]:
    """Write a key with its values: in one line each, or line by line."""
    if "\n" not in f"{old}{new}":
        before, after = cut_both(
            f"{label}: {printable(old or '')}", f"{label}: {printable(new or '')}", width
        )
        if old is None or new is None:
            yield Line(ADDED, after) if old is None else Line(REMOVED, before)
        else:
            yield from _opposite(before, after)
        return
    sign = CONTEXT
    if new is None:
        sign = REMOVED
    elif old is None:
        sign = ADDED
    yield Line(sign, cut(f"{label}: |", width))
    yield from _write_hunks(old or "", new or "", width, context)


def _write_hunks(old: str, new: str, width: int, context: int) -> Iterator[Line]:
    """Write the lines that differ, moved to the right like a value, under the line of their key."""
    ends_alike = not old or not new or old.endswith("\n") == new.endswith("\n")
    before, after = _split(old, ends_alike=ends_alike), _split(new, ends_alike=ends_alike)
    hunks = align(before, after)
    if not hunks:  # the texts are equal
        return
    next_starts = [*(hunk.new_start for hunk in hunks[1:]), len(after)]
    done = 0
    shown: set[int] = set()
    for hunk, next_start in zip(hunks, next_starts, strict=True):
        start, end = max(hunk.new_start - context, done), min(hunk.new_end + context, next_start)
        if before and len(after) > _SHORT and (start > done or not done):
            yield Line(CONTEXT, f"  @@ line {min(start + 1, len(after)):,} @@")
        removed, added = before[hunk.old_start : hunk.old_end], after[hunk.new_start : hunk.new_end]
        shown.update(range(start, end))
        parent = _find_parent(
            after, hunk.new_start, next(filter(str.strip, [*removed, *added]), "")
        )
        if parent is not None and parent not in shown:
            shown.add(parent)
            yield Line(CONTEXT, f"  {cut(after[parent], width - 2)}")
        # Lines opposite each other are cut so that one sees where they differ.
        pairs: list[tuple[Line, Line]] = []
        for one, other in zip(removed, added, strict=False):
            before_cut, after_cut = cut_both(one, other, width - 2)
            pairs.append(_opposite(f"  {before_cut}", f"  {after_cut}"))
        yield from _cut_all(CONTEXT, after[start : hunk.new_start], width)
        yield from (one for one, _ in pairs)
        yield from _cut_all(REMOVED, removed[len(pairs) :], width)
        yield from (other for _, other in pairs)
        yield from _cut_all(ADDED, added[len(pairs) :], width)
        yield from _cut_all(CONTEXT, after[hunk.new_end : end], width)
        done = end


def _opposite(old: str, new: str) -> tuple[Line, Line]:
    """Return two lines that stand for each other, with the words in which they differ.

    Where no word is the same, all of it differs, and nothing is to be pointed at.
    """
    removed, added = Line(REMOVED, old), Line(ADDED, new)
    if max(len(old), len(new)) > _LONGEST:
        return removed, added
    words, others = _WORD.findall(old), _WORD.findall(new)
    first = common_length(words, others)
    last = common_length(words[first:][::-1], others[first:][::-1])
    before, behind = "".join(words[:first]), "".join(words[len(words) - last :])
    if not any(map(str.isalnum, before + behind)):
        return removed, added
    of_old, of_new = (Span(len(before), len(text) - len(behind)) for text in (old, new))
    return removed._replace(parts=(of_old,)), added._replace(parts=(of_new,))


def _cut_all(sign: str, lines: Iterable[str], width: int) -> Iterator[Line]:
    return (Line(sign, f"  {cut(one, width - 2)}") for one in lines)


def _find_parent(lines: list[str], before: int, line: str) -> int | None:
    """Return which line before has the key of a line: the last one that is indented less.

    YAML may indent the elements of a list as its key.
    """
    own, is_element = _indentation(line), line.lstrip().startswith("- ")
    if not own and not is_element:
        return None
    for place in range(before - 1, max(before - _FARTHEST, 0) - 1, -1):
        text = lines[place].lstrip()
        if text and not text.startswith("#"):
            indentation = _indentation(lines[place])
            opens_list = is_element and text.endswith(":") and text[0] != "-"
            if indentation < own or (indentation == own and opens_list):
                return place
    return None


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _split(text: str, *, ends_alike: bool) -> list[str]:
    """Split at line breaks. Say where the last line has none, if that is a difference."""
    lines = [printable(line) for line in text.split("\n")]
    if not lines[-1]:
        return lines[:-1]
    return lines if ends_alike else [*lines[:-1], f"{lines[-1]} (no line break at the end)"]


def _write_field(change: FieldChange, width: int, context: int) -> Iterator[Line]:
    path = printable(change.path)
    old, new = (None if one is None else _readable(one) for one in (change.old, change.new))
    if isinstance(old, str) and isinstance(new, str):
        yield from _write_scalars(path, old, new, width, context)
    elif isinstance(old or new, str) and (old is None or new is None):
        before, after = (str(one) if one is not None else None for one in (old, new))
        yield from _write_texts(path, before, after, width, context)
    else:
        for sign, value in ((REMOVED, old), (ADDED, new)):
            if value is not None:
                yield from (Line(sign, cut(line, width)) for line in _write_value(path, value))


_UNREADABLE = re.compile(
    r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)(?!.*(.)\1{19})[A-Za-z0-9+/=_-]{200,}"
    r"|\s*(?:-----BEGIN [A-Z0-9 ]+-----[A-Za-z0-9+/=\s]+-----END [A-Z0-9 ]+-----\s*)+"
)


def is_unreadable(value: str) -> bool:
    """Tell whether a text only fills the screens of people: keys, certificates, base64."""
    return _UNREADABLE.fullmatch(value) is not None


def _readable(value: ShownValue) -> ShownValue:
    """Return the size in the place of a text that nobody can read."""
    is_text = isinstance(value, str) and is_unreadable(value)
    return f"({count(len(str(value).encode()), 'byte')})" if is_text else value


def _write_scalars(path: str, old: str, new: str, width: int, context: int) -> Iterator[Line]:
    if "\n" in f"{old}{new}":
        yield from _write_texts(path, old, new, width, context)
        return
    before, after = printable(old), printable(new)
    whole = (
        _write_both(path, before, after)
        if before != after
        else Line(CHANGED, f"{path}: changed {after}")
    )
    if columns(whole.text) <= width:
        yield whole
        return
    yield Line(CHANGED, cut(f"{path}:", width))
    yield from _opposite(*cut_both(before, after, width - 2))


def _write_both(path: str, old: str, new: str) -> Line:
    """Write `replicas: 2 -> 3`."""
    before = f"{path}: {old}"
    text = f"{before} -> {_shorten(path, old, new)}"
    return Line(
        CHANGED, text, (Span(len(f"{path}: "), len(before)), Span(len(f"{before} -> "), len(text)))
    )


def _shorten(path: str, old: str, new: str) -> str:
    """Leave out the repository of an image if it is the same: `registry.example/api:1.0 -> 1.1`."""
    if not path.endswith(".image"):
        return new
    separator = "@" if "@" in old and "@" in new else ":"
    repository, _, tag = new.rpartition(separator)
    is_same = repository and tag and "/" not in tag and old.rpartition(separator)[0] == repository
    return tag if is_same else new


def _write_value(label: str, value: ShownValue) -> Iterator[str]:
    """Yield the lines of a field, as YAML looks in most cases."""
    stack = [(f"{label}:", value, "")]  # no recursion: objects may be nested deeper than generators
    while stack:
        start, value, indent = stack.pop()
        child = _readable(value)
        if isinstance(child, str):
            first, *rest = [child] if "\n" not in child else ["|", *_split(child, ends_alike=True)]
            yield f"{indent}{start} {printable(first)}"
            yield from (f"{indent}  {line}" for line in rest)
        elif not child:
            yield f"{indent}{start} {'{}' if isinstance(child, dict) else '[]'}"
        else:
            yield f"{indent}{start}"
            named = child.items() if isinstance(child, dict) else (("-", one) for one in child)
            below = [
                (name if name == "-" else f"{printable(name)}:", one, f"{indent}  ")
                for name, one in named
            ]
            stack += reversed(below)


class Statement(NamedTuple):
    """A sentence in parts that stay together. `is_error`: it is said at the top too."""

    words: list[str]
    is_warning: bool = False
    is_error: bool = False


def list_statements(change: ObjectChange) -> Iterator[Statement]:
    """Yield the sentences in the order in which people read them."""
    old, new = change.old, change.new
    if change.missing and old is not None:
        words = [
            f"{change.lack or f'nothing has the name {old.base} any more'}:",
            "new pods of",
            *with_commas(change.missing),
            "do not start",
        ]
        yield Statement([*map(printable, words)], is_warning=True, is_error=True)
    if change.refusal is not None and new is not None:
        is_config = change.refusal in REFUSALS
        who = (new.name or new.base) if is_config else change.refusal
        what, remedy = REFUSALS[Refusal(change.refusal)] if is_config else _OF_FIELD
        words = ["the API server refuses this:", printable(who), what, remedy]
        yield Statement(words, is_warning=True, is_error=True)
    if old is not None and new is not None:
        yield from _find_turns(old, new)
        has_changes = change.keys or change.fields or old.base != new.base
        if change.has_new_name and not has_changes and old.set == new.set:
            yield Statement(["the same content, written in another way"])
    yield from _write_rolls(change)
    yield from map(_write_edit, change.edits)
    if change.fate is not None:
        yield from _write_fate(change.fate, ["the old one is"] if new else [])
    if change.hazards and old is not None:
        name = printable(old.name or old.base)
        yield Statement(
            [
                *with_commas(change.hazards),
                f"would prune {name}",
                "while pods use it;",
                "see `krm-fn render --check --deployed OLD NEW`",
            ],
            is_warning=True,
        )


def _find_turns(old: ComparedObject, new: ComparedObject) -> Iterator[Statement]:
    if old.set and new.set and old.set != new.set:
        yield Statement(["moves from", f"set {printable(old.set)}", f"to set {printable(new.set)}"])
    elif new.set and not old.set:
        turn = "is adopted by" if new.name == new.base else "becomes a revision of"
        yield Statement([turn, f"set {printable(new.set)}"])
    elif old.set and not new.set:
        yield Statement(["is no longer", f"a revision of set {printable(old.set)}"])


def _write_rolls(change: ObjectChange) -> Iterator[Statement]:
    who = change.who
    grouped: dict[tuple[Effect, tuple[Cause, ...]], list[str]] = defaultdict(list)
    for roll in change.rolls:
        is_own = (roll.kind, roll.namespace, roll.name) == (who.kind, who.namespace, who.base)
        if is_own and change.refusal:
            continue  # nothing of it happens
        if is_own:
            causes = ", ".join(_CAUSES[cause] for cause in roll.by)
            words = [*filter(None, (_OF_ITSELF[roll.effect], causes))]
            yield Statement(words, roll.effect is Effect.REFUSED)
        else:
            namespace = roll.namespace if roll.namespace != who.namespace else ""
            workload = printable("/".join(filter(None, [roll.kind, namespace, roll.name])))
            grouped[roll.effect, roll.by].append(workload)
    for (effect, by), workloads in grouped.items():
        before, behind_one, behind_several = _OF_OTHERS[effect]
        behind = behind_several if len(workloads) > 1 else behind_one
        told = by in {(), (Cause.NAME,)}
        causes = "" if told else f"({', '.join(_CAUSES[cause] for cause in by)})"
        words = [before, *with_commas(workloads), behind, causes]
        yield Statement([word for word in words if word], effect is Effect.REFUSED)


def _write_edit(edit: HandEdit) -> Statement:
    when = [f"at {printable(edit.time)}"] if edit.time else []
    return Statement([printable(edit.path), f"was set by {printable(edit.manager)}", *when])


def _write_fate(fate: Removal, who: list[str]) -> Iterator[Statement]:
    """Write what becomes of an object. `who`: what it is called, if another one has the title."""
    users = with_commas(map(printable, fate.users)) if fate.users else []
    if fate.outcome == RemovalOutcome.KEPT:
        kept = (
            ["kept until no pod of", *users, "uses it"]
            if users
            else ["kept until", "its owners are gone"]
        )
        if fate.rollouts:
            kept[-1] += ","
            kept += ["and for", count(fate.rollouts, "more rollout")]
        yield Statement([*who, *kept])
    elif fate.outcome == RemovalOutcome.UNUSED:
        unused = [*who, "unused:"] if who else ["nothing uses it:"]
        yield Statement([*unused, "the linker deletes it"])
    elif fate.outcome == RemovalOutcome.RETAINED:
        yield Statement([*who, "retained:", "nothing deletes it"])
    elif fate.outcome == RemovalOutcome.LEFT:
        yield Statement(["not pruned by", *with_commas(fate.deployers)])
    elif fate.outcome == RemovalOutcome.EMPTIED:
        inside = printable(listing(fate.users, _MOST_INSIDE)).split()
        yield Statement(["pruned at once,", "and with it", *inside], is_warning=True)
    elif fate.outcome == RemovalOutcome.PRUNED and users:
        yield Statement(["pruned at once,", "while pods of", *users, "may use it"], is_warning=True)
    elif fate.outcome == RemovalOutcome.PRUNED:
        yield Statement(["pruned at once"])


def write_title(change: ObjectChange) -> list[str]:
    """Return the parts of `ConfigMap shop/web-config: web-config-mffg77kmb5 -> web-config-5dtbmb74d2`."""
    old, new = change.old, change.new
    parts, more, own = [write_place(change)], [], change.who.name
    if old is None or new is None:
        parts.insert(0, "+" if old is None else "-")
        more = [printable(own)] if own is not None and own != change.who.base else []
    else:
        if old.base != new.base:
            parts.append(f"(was {printable(old.base)})")
        if change.has_new_name:
            more = ["another revision"]
            if old.name == old.base:
                more = [f"{printable(old.base)} ->", f"{printable(new.base)}-(hash)"]
            if old.name is not None and new.name is not None:
                more = [f"{printable(old.name)} ->", printable(new.name)]
    return [*parts[:-1], f"{parts[-1]}:", *more] if more else parts


def write_place(change: ObjectChange) -> str:
    """Return `ConfigMap shop/web-config`."""
    who = change.who
    return printable(
        f"{who.kind} {who.namespace}/{who.base}" if who.namespace else f"{who.kind} {who.base}"
    )
