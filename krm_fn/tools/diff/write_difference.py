"""A difference as text for a terminal, as Markdown for a pull request, and as JSON in the form of schemas/diff-v1.json.

Many packages are each such a difference, with one line in front that counts them.

Markdown has names and values of somebody whom nobody trusts. They are only in blocks of code and in `<code>`, where
neither Markdown nor a mention of a person means anything.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import count, listing, printable, with_commas
from krm_fn.report.change_lines import list_statements, write_place
from krm_fn.report.markup import (
    VERSION,
    WIDTH,
    Forms,
    as_json,
    code_block,
    html_code,
    html_comment,
    mermaid_label,
    write_forms,
)
from krm_fn.report.object_change import KEEPS_PODS, Cause, Effect, ObjectChange, Roll
from krm_fn.report.table import Screen, cut_within, fold
from krm_fn.report.write_change import CHANGE_FORMS, write_change, write_change_block
from krm_fn.tools.diff.difference import (
    Difference,
    PackageDifference,
    PackageDifferences,
    PackageState,
    SameChange,
    SharedChange,
    is_of_metadata,
)


def write_text(difference: Difference, screen: Screen, context: int = 0) -> str:
    """Write every change, and then one line that sums them up.

    `context` is that of `write_lines`.
    """
    lines: list[str] = []
    for error in say_errors(difference):
        lines += map(screen.warning, fold(f"error: {error}".split(), screen.width))
    for shared in difference.shared:
        lines += write_change(shared.change, screen, context, _title(shared))
    for change in difference.changes:
        lines += write_change(change, screen, context)
    for note in difference.notes:
        lines += fold(printable(f"note: {note}").split(), screen.width)
    lines += map(
        screen.strong, fold(re.split("(?<=;) ", sum_up_difference(difference)), screen.width)
    )
    return "".join(f"{line}\n" for line in lines)


def _title(shared: SharedChange) -> list[str]:
    """Return the parts of `62 objects: ConfigMap web-config, Deployment web and 12 more names`."""
    shown = shared.places[:_MOST_PLACES]
    left_out = len(shared.places) - len(shown)
    more = [f"and {left_out:,} more names"] * bool(left_out)
    return [f"{count(shared.number, 'object')}:", *with_commas(shown), *more]


def say_errors(difference: Difference) -> Iterator[str]:
    """Yield what is said before anything else: `ConfigMap shop/web: new pods of Deployment/web do not start`."""
    for change in difference.changes:
        for statement in list_statements(change):
            if statement.is_error:
                yield f"{write_place(change)}: {' '.join(statement.words)}"


def sum_up_difference(difference: Difference, quote: Callable[[str], str] = printable) -> str:
    """Return `1 revision changed, 2 unchanged; 1 other object changed; linker runs once`.

    `quote` makes the name of a set safe to print.
    """
    kept, linker = difference.unchanged, difference.linker
    if not difference:
        return f"no difference: {count(kept, 'revision')} unchanged" if kept else "no difference"
    clauses = [
        _tally("revision", {**_count_revisions(difference.revisions), "unchanged": kept}),
        _tally("other object", _count_ways(difference.objects)),
        _count_shared(difference.shared),
        _say_linkers("added", linker.added, quote),
        _say_linkers("removed", linker.removed, quote),
        f"linker runs {'once' if linker.runs == 1 else f'{linker.runs} times'}"
        if linker.runs
        else "",
        _count_first_rolls([difference]),
    ]
    return "; ".join(filter(None, clauses))


def _count_shared(shared: Iterable[SharedChange]) -> str:
    """Return `62 objects with other labels or annotations; 20 objects of the linker changed`."""
    numbers: Counter[str] = Counter()
    for one in shared:
        numbers[_WITH_METADATA if one.is_metadata else "of the linker changed"] += one.number
    return "; ".join(f"{count(number, 'object')} {what}" for what, number in numbers.items())


def _say_linkers(what: str, linkers: Sequence[str], quote: Callable[[str], str]) -> str:
    """Return `linker of shop/web added`, or `linker added` for one of a set that is left out."""
    if not linkers:
        return ""
    of_sets = ", ".join(quote(linker) for linker in linkers if linker)
    return f"linker of {of_sets} {what}" if of_sets else f"linker {what}"


def _count_first_rolls(differences: Iterable[Difference]) -> str:
    """Return `the first rename rolls 3 workloads (1 Rollout)`: a new name rolls, whatever the content."""
    rolling: list[str] = []
    for difference in differences:
        rolling += (kind for kind, _, _ in _find_first_rolls(difference))
    if not rolling:
        return ""
    rollouts = rolling.count("Rollout")
    canaries = f" ({count(rollouts, 'Rollout')})" if rollouts else ""
    return f"the first rename rolls {count(len(rolling), 'workload')}{canaries}"


def _find_first_rolls(difference: Difference) -> set[tuple[str, str, str]]:
    rolling: set[tuple[str, str, str]] = set()
    for change in difference.changes:
        old, new = change.old, change.new
        is_first = old and new and old.name == old.base and new.name != new.base
        if is_first and change.has_new_name:
            for roll in change.rolls:
                if roll.effect is Effect.ROLLS and Cause.NAME in roll.by:
                    rolling.add((roll.kind, roll.namespace, roll.name))
    return rolling


_WITH_METADATA = "with other labels or annotations"


def _count_revisions(revisions: Sequence[ObjectChange]) -> dict[str, int]:
    """Count apart those whose content, and so the hash in their name, is the same."""
    kept = [*map(is_of_metadata, revisions)]
    ways = _count_ways(one for one, is_kept in zip(revisions, kept, strict=True) if not is_kept)
    return {**ways, _WITH_METADATA: kept.count(True)}


def _count_ways(changes: Iterable[ObjectChange]) -> dict[str, int]:
    ways: Counter[str] = Counter()
    for one in changes:
        if one.old is None:
            ways["added"] += 1
        elif one.new is None:
            ways["removed"] += 1
        else:
            ways["changed"] += 1
    return {way: ways[way] for way in ("changed", "added", "removed")}


def _tally(what: str, numbers: Mapping[str, int]) -> str:
    """Write `1 revision changed, 2 unchanged`: what is counted stands behind the first number."""
    counted = [(number, way) for way, number in numbers.items() if number]
    first = [f"{count(number, what)} {way}" for number, way in counted[:1]]
    return ", ".join([*first, *(f"{number:,} {way}" for number, way in counted[1:])])


FORMS: Forms = {
    Difference: (
        *("old", "new", ("summary", sum_up_difference), "unchangedRevisions=unchanged"),
        *("revisions", "objects", "linker", "notes"),
    ),
    **CHANGE_FORMS,
}


def write_json(difference: Difference) -> str:
    """Write everything that the text says, and whole values."""
    return write_forms(difference, FORMS)


MARK = "<!-- krm-fn diff"
"""The beginning of a comment by which a program finds its own."""

ROOM = 65_000
"""GitHub refuses a comment of more than 65,536 characters."""


class Extent(NamedTuple):
    """How much is written: `context` is that of `write_lines`, and `room` the most characters of Markdown."""

    context: int = 0
    room: int = ROOM


EXTENT = Extent()

_TAIL = 500
"""Room for what is said about the rest."""

_MOST_ROLLS = 10
_MOST_PLACES = 10
_MOST_WARNINGS = 5

_FEW = 3
"""Changes that are shown at once. More are folded."""

_MOST_ARROWS = 12
_LABEL_WIDTH = 50


def write_markdown(difference: Difference, key: str, context: int = 0, room: int = ROOM) -> str:
    """Write a verdict, a picture of what rolls, and each change in a block of its own.

    `key` tells the comment about one comparison from those about others. It is hidden in the text.
    `context` is that of `write_lines`, and `room` the most characters.
    """
    mark = f"{MARK} {html_comment(key)} -->\n"
    head = mark + "\n".join(_verdict(difference, html_code(difference.new)))
    are_open = len(difference.changes) <= _FEW
    return head + _write_blocks(difference, context, room - _length(head), are_open=are_open)


def _write_blocks(difference: Difference, context: int, room: int, *, are_open: bool) -> str:
    """Write a picture and the changes, as far as there is room, and count the rest."""
    text = "\n".join(_draw(difference.changes))
    text = text if _length(text) + _TAIL <= room else ""
    left_out = 0
    titled = [(shared.change, _title(shared)) for shared in difference.shared]
    for change, title in [*titled, *((change, []) for change in difference.changes)]:
        block = "\n".join(write_change_block(change, context, title, is_open=are_open))
        # A smaller change behind one that is left out may still fit.
        if _length(text) + _length(block) + _TAIL <= room:
            text += block
        else:
            left_out += 1
    if left_out:
        rest = f"{count(left_out, 'change')}, which the first line counts too"
        text += f"<p>Left out, as there is no room in a comment: {rest}.</p>\n"
    return text


def _verdict(difference: Difference, what: str) -> Iterator[str]:
    """Yield the lines that sum up a difference. `what` is what differs, in HTML."""
    errors = [*say_errors(difference)]
    yield from (
        f"<p><strong>Error:</strong> {html_code(error)}</p>" for error in errors[:_MOST_WARNINGS]
    )
    if len(errors) > _MOST_WARNINGS:
        yield f"<p>{count(len(errors) - _MOST_WARNINGS, 'more error')}</p>"
    yield f"<p><strong>{sum_up_difference(difference, html_code)}</strong></p>"
    names = sorted(
        {_write_workload(roll) for roll in difference.rolls if roll.effect == Effect.ROLLS}
    )
    rolling = f"; rolls {listing(map(html_code, names), _MOST_ROLLS)}" if names else ""
    yield f"<p>{what} against {html_code(difference.old)}{rolling}</p>"
    warnings: list[str] = []
    for change in difference.changes:
        for statement in list_statements(change):
            if statement.is_warning and not statement.is_error:
                words = html_code(" ".join(statement.words))
                warnings.append(f"{html_code(write_place(change))}: {words}")
    yield from (
        f"<p><strong>Warning:</strong> {warning}</p>" for warning in warnings[:_MOST_WARNINGS]
    )
    yield from (f"<p>Note: {html_code(note)}</p>" for note in difference.notes[:_MOST_WARNINGS])
    if len(difference.notes) > _MOST_WARNINGS:
        yield f"<p>{count(len(difference.notes) - _MOST_WARNINGS, 'more note')}</p>"
    if len(warnings) > _MOST_WARNINGS:
        yield f"<p>{count(len(warnings) - _MOST_WARNINGS, 'more warning')}</p>"
    yield ""


def _write_workload(roll: Roll) -> str:
    return "/".join(filter(None, [roll.kind, roll.namespace, roll.name]))


def _draw(changes: Iterable[ObjectChange]) -> Iterator[str]:
    """Yield the lines of a picture: an arrow from each ConfigMap or Secret to what it rolls.

    None if nothing does.
    """
    arrows: list[tuple[str, str]] = []
    for change in changes:
        kind, base = change.who.kind, change.who.base
        others = [
            roll
            for roll in change.rolls
            if (roll.kind, roll.name) != (kind, base) and roll.effect not in KEEPS_PODS
        ]
        arrows += ((f"{kind} {base}", f"{roll.kind} {roll.name}") for roll in others)
    if not arrows:
        return
    shown = arrows[:_MOST_ARROWS]
    yield ""
    names = dict.fromkeys(chain.from_iterable(shown))
    ids = {name: f"n{index}" for index, name in enumerate(names)}
    yield "```mermaid"
    yield "graph LR"
    yield from (f'  {ids[name]}["{mermaid_label(name, _LABEL_WIDTH)}"]' for name in ids)
    yield from (f"  {ids[source]} --> {ids[target]}" for source, target in dict.fromkeys(shown))
    if len(arrows) > len(shown):
        yield f'  more["{len(arrows) - len(shown)} more"]'
    yield "```"
    yield ""


_STATES = {
    PackageState.CHANGED: "changed",
    PackageState.ADDED: "added",
    PackageState.REMOVED: "removed",
    PackageState.MOVED: "moved",
    PackageState.FAILED: "cannot be compared",
    PackageState.SAME: "with no difference",
    PackageState.UNAFFECTED: "not affected",
    PackageState.LEFT_OUT: "not checked out",
}

_MOST_PATHS = 100
_MOST_SAME = 10
_MOST_ERRORS = 50
"""Lines of what is said about one package."""

_LEAST = 150
"""Characters in which a section says that there is no room for the rest of it."""


def summarize_packages(found: PackageDifferences) -> str:
    """Return `60 packages: 3 changed, 57 not affected; the first rename rolls 3 workloads (1 Rollout)`."""
    numbers = [
        f"{len(found.having(state)):,} {what}"
        for state, what in _STATES.items()
        if found.having(state)
    ]
    rolls = _count_first_rolls(one.difference for one in found.packages if one.difference)
    packages = f"{count(len(found.packages), 'package')}: {', '.join(numbers)}"
    return "; ".join(filter(None, [packages, rolls]))


def write_packages_text(found: PackageDifferences, screen: Screen, context: int = 0) -> str:
    """Write each change once, under the packages that it is in, and then one line that counts the packages."""
    text = ""
    for change in found.changes:
        title = fold(_write_packages(change, printable), screen.width)
        text += "".join(f"{line}\n" for line in map(screen.strong, title))
        text += write_text(change.difference, screen, context) + "\n"
    for package in _having_only_moved(found):
        text += f"{printable(package.path)}: moved from {printable(package.moved_from)}: equal\n"
    for package in found.having(PackageState.FAILED):
        text += screen.warning(f"{printable(package.path)}: cannot be compared") + "\n"
    return text + screen.strong(summarize_packages(found)) + "\n"


def _having_only_moved(found: PackageDifferences) -> list[PackageDifference]:
    return [one for one in found.having(PackageState.MOVED) if not one.difference]


def _write_packages(change: SameChange, quote: Callable[[str], str]) -> list[str]:
    """Return the parts of `the same change in apps/shop/dev, prod; apps/blog/dev, apart from namespace`.

    Packages in one folder are named behind the first.
    """
    first, *others = change.packages
    if first.moved_from and not others:
        return [f"{quote(first.path)},", "moved", "from", quote(first.moved_from)]
    shown = change.paths[:_MOST_PATHS]
    folders = [posixpath.dirname(path) for path in shown]
    words = []
    neighbours = zip(shown, [None, *folders], folders, [*folders[1:], None], strict=False)
    for path, before, here, behind in neighbours:
        # A comma leads on in one folder, and a semicolon to the next.
        end = "," if behind == here else ";"
        if behind is None:
            end = ""
        words.append(quote(posixpath.basename(path) if before == here else path) + end)
    left_out = len(change.paths) - len(shown)
    if left_out:
        words.append(f"and {left_out:,} more")
    if change.apart:
        words[-1] += ","
        words.append(f"apart from {listing(change.apart, is_sentence=True)}")
    return ["the same change in", *words] if len(change.packages) > 1 else words


_FORMS_OF_PACKAGES: Forms = {
    PackageDifferences: ("old", ("summary", summarize_packages), "packages", "changes"),
    PackageDifference: (
        "path",
        "state",
        "moved_from",
        "errors",
        ("difference", lambda one: _nest(one.difference)),
    ),
    SameChange: ("paths", "apart"),
}


def _nest(difference: Difference | None) -> object:
    # Not by its truth: a package without a difference has one too, which is empty.
    return None if difference is None else {"version": VERSION, **as_json(difference, FORMS)}


def write_packages_json(found: PackageDifferences) -> str:
    """Write every package with all that its own text would say, and which of them change in the same way."""
    return write_forms(found, _FORMS_OF_PACKAGES)


class _Section(NamedTuple):
    """A part of a comment: what is said in any case, and what needs room."""

    head: str
    write: Callable[[int], str]


def write_packages_markdown(
    found: PackageDifferences, key: str, context: int = 0, room: int = ROOM
) -> str:
    """Write a verdict on all packages, one on each change, and what there is room for of each, in equal shares."""
    text = f"{MARK} {html_comment(key)} -->\n<p><strong>{summarize_packages(found)}</strong></p>\n"
    same = [html_code(one.path) for one in found.having(PackageState.SAME, PackageState.UNAFFECTED)]
    if 0 < len(same) <= _MOST_SAME:
        text += f"<p>No difference: {', '.join(same)}</p>\n"
    for one in _having_only_moved(found)[:_MOST_SAME]:
        was = html_code(one.moved_from)
        text += f"<p>{html_code(one.path)}: moved from {was}: equal</p>\n"
    few = sum(_count_blocks(change.difference) for change in found.changes) <= _FEW
    sections = [_describe_failure(package) for package in found.having(PackageState.FAILED)]
    sections += [_describe(change, context, are_open=few) for change in found.changes]
    shown: list[_Section] = []
    left = room - _length(text) - _TAIL
    for section in sections:
        needed = _length(section.head) + _LEAST
        if needed <= left:
            shown.append(section)
            left -= needed
    for index, section in enumerate(shown):
        share = left // (len(shown) - index) + _LEAST
        body = section.write(share)
        text += f"\n{section.head}{body}"
        left -= _length(body) - _LEAST
    left_out = len(sections) - len(shown)
    rest = f"{count(left_out, 'more change')}, in packages which the first line counts too"
    return text + (
        f"\n<p>Left out, as there is no room in a comment: {rest}.</p>\n" if left_out else ""
    )


def _describe(change: SameChange, context: int, *, are_open: bool) -> _Section:
    difference, errors = change.difference, change.packages[0].errors
    what = " ".join(_write_packages(change, html_code)) + ("," if change.apart else "")
    head = "\n".join(_verdict(difference, what))
    if not errors:
        return _Section(
            head, lambda room: _write_blocks(difference, context, room, are_open=are_open)
        )
    said = f"<p><strong>{what} is shown as new, because its base cannot be rendered</strong></p>\n"

    def write(room: int) -> str:
        block = _write_errors(errors, room)
        return block + _write_blocks(difference, context, room - _length(block), are_open=are_open)

    return _Section(head + said, write)


def _count_blocks(difference: Difference) -> int:
    return len(difference.changes) + len(difference.shared)


def _describe_failure(package: PackageDifference) -> _Section:
    said = f"<p><strong>{html_code(package.path)} cannot be compared</strong></p>\n"
    return _Section(said, lambda room: _write_errors(package.errors, room))


def _write_errors(errors: Sequence[str], room: int) -> str:
    lines = [cut_within(error, WIDTH) for error in errors]
    if len(lines) > _MOST_ERRORS:  # the last one may be the cause of all
        half = _MOST_ERRORS // 2
        lines[half:-half] = [f"... {count(len(lines) - 2 * half, 'more line')}"]
    block = "\n".join(["", *code_block("", lines), ""])
    return block if _length(block) <= room else "<p>There is no room here for the errors.</p>\n"


def _length(text: str) -> int:
    """Count as JavaScript does, for which some characters are two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
