"""Paths in, the reasons for what the function does with the ConfigMaps and Secrets there out."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from pathlib import Path

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import (
    NotFound,
    Outcome,
    Problem,
    Rejected,
    ResourceId,
    count,
    find_errors,
    printable,
    with_commas,
)
from krm_fn.base.reference import By, Rule
from krm_fn.base.settings import Environment, Strategy
from krm_fn.core.decide.decide import Run, say_unchosen_makers, summarize_run
from krm_fn.report.colour import Style
from krm_fn.report.markup import VERSION, Forms, as_json, join_lines, write_forms
from krm_fn.report.object_change import Effect
from krm_fn.report.secrets import Masks, stderr_lines
from krm_fn.report.table import Group, Row, Screen, columns, fold, write_table
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import Allowance, Limits
from krm_fn.tools.common.kept import Holder, Kept
from krm_fn.tools.elsewhere.elsewhere import NamesElsewhere
from krm_fn.tools.explain.explain_message import explain_message
from krm_fn.tools.explain.explain_objects import explain_absent, explain_objects
from krm_fn.tools.explain.explain_workloads import (
    explain_workloads,
    find_workloads,
    with_all_references,
)
from krm_fn.tools.explain.explanation import (
    ABSENT,
    TEXT,
    Because,
    Explained,
    ExplainedReference,
    ExplainedWorkload,
    Explanation,
    Hashed,
    How,
    ReadField,
    ReadObject,
    Restart,
    Unfollowed,
    WorkloadChange,
    outcome,
    say_opt_out,
    strongest_effect,
    sum_up_explanation,
)
from krm_fn.tools.explain.find_references import find_explained_references
from krm_fn.tools.explain.places import NOWHERE, Places, SourceLine
from krm_fn.tools.explain.wanted import EVERYTHING, Wanted, begins_with_a_kind, read_wanted
from krm_fn.tools.opened.opened import Inputs, Opened, decide_opened, open_inputs

__all__ = [
    "ExplainFormat",
    "Explained",
    "Places",
    "SourceLine",
    "Wanted",
    "begins_with_a_kind",
    "explain",
    "explain_absent",
    "explain_message",
    "find_explained_references",
    "read_wanted",
    "sum_up_rendering",
]

_MOST_TEXTS = 10
"""Mere texts that are shown for an object. More of them say little."""

_MOST_NAMES = 3
"""Objects that the table names for a reason. Below it, all of them are explained."""

_TITLES = ("OUTCOME", "COUNT", "BECAUSE", "OBJECTS")

_STRATEGIES = {
    "rename": "rename",
    "adopt": "adopted: keeps its name, protected from pruning",
    "checksum": "checksum: the name stays",
    "ignore": "left alone",
    ABSENT: "not in the package",
}
_BY_CONTENT = "by its content; the new name is not shown"
"""A reader who guesses a Secret's value could compare its hash."""


_EFFECTS = {
    Effect.ROLLS: "a change of these rolls it",
    Effect.REPLACES_MACHINES: "a change of these replaces every control-plane machine",
    Effect.ENDS_RUNS: "a change of these ends its current runs, and begins anew",
    Effect.NEXT_RUN: "a change of these counts from its next run",
    Effect.RUNS: "a change of these runs it again",
    Effect.NEW_PODS: "a change of these counts for new pods",
    Effect.ON_DELETE: "a change of these counts when somebody deletes its pods (OnDelete)",
    Effect.PAUSED: "a change of these rolls it when somebody resumes it (paused)",
    Effect.PARTITION: "a change of these counts when its partition, which holds all pods, is lowered",
    Effect.REFUSED: "a change of these makes another pod template, which the API server refuses",
    Effect.CHANGES: "a change of these changes it, but no pod template",
    None: "a change of these makes no new pods",
}


class _Paragraph(NamedTuple):
    """A field of an object, and what is said of it."""

    who: ResourceId
    place: SourceLine
    field: str
    texts: tuple[str, ...]


def write_explanation(explanation: Explanation, screen: Screen) -> str:
    """Write every object and, of several, first a table that sums them up."""
    lines: list[str] = []
    for one in explanation.objects:
        lines += _write(one, screen)
    for workload in explanation.workloads:
        lines += _write_workload(workload, screen)
    if not lines:
        lines = [screen.strong(sum_up_explanation(explanation))]
    elif len(explanation.objects) > 1:
        lines = [*_sum_up(explanation, screen), "", *lines]
    if explanation.note and explanation.objects:
        lines += ["", *_fill(explanation.note, screen.width)]
    return join_lines(lines)


def _sum_up(explanation: Explanation, screen: Screen) -> Iterator[str]:
    """Yield a table with a row for each reason, and the objects that it decides about."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    for one in explanation.objects:
        named = by_reason.setdefault(outcome(one), {}).setdefault(one.because.reason.text, [])
        named.append(" ".join(_write_place(one.who, NOWHERE, screen.width)))
    groups: list[Group] = []
    for what, reasons in sorted(by_reason.items()):
        rows_of_group = [
            _reason_row(reason, named) for reason, named in sorted(reasons.items(), key=_most_first)
        ]
        groups.append(Group(what, rows_of_group))
    title, *rows = write_table(_TITLES, groups, screen.width)
    yield screen.strong(title)
    titles = re.compile("|".join(re.escape(one.title) for one in groups))
    for row in rows:
        begun = titles.match(row)
        said = begun[0] if begun else ""
        yield screen.paint(said, _style_of(said)) + row.removeprefix(said)


def _style_of(said: str) -> Style:
    """Return the style of an outcome: that of what is added if names or pods follow the content."""
    follows = said.startswith(("rename", "adopt", "with a checksum", "checksum"))
    return Style.ADDED if follows else Style.WARNING


def _most_first(reason: tuple[str, list[str]]) -> tuple[int, str]:
    return -len(reason[1]), reason[0]


def _reason_row(reason: str, named: list[str]) -> Row:
    more = [f"and {len(named) - _MOST_NAMES:,} more"] if len(named) > _MOST_NAMES else []
    return Row(
        (f"{len(named):,}",),
        (printable(reason).split(" "), with_commas([*named[:_MOST_NAMES], *more])),
    )


def _write(one: Explained, screen: Screen) -> Iterator[str]:
    yield from map(screen.strong, _write_place(one.who, one.place, screen.width, _now(one)))
    yield from _write_strategy(one, 2, screen)
    yield from _indent(4, _fill(f"because {_because(one.because)}", screen.width - 4))
    for hint in one.hints:
        word = "and because" if one.strategy == "ignore" else "although"
        yield from _indent(4, _fill(f"{word} {_because(hint)}", screen.width - 4))
    if one.because.reason.remedy:
        yield from _indent(4, _fill(f"you can {one.because.reason.remedy}", screen.width - 4))
    if one.hashed is not None:
        yield from _indent(2, _fill(f"hashed: {_keys(one.hashed)}", screen.width - 2))
    if one.kept is not None:
        yield from _indent(2, _fill(f"kept: {one.kept}", screen.width - 2))
    yield from _section("referenced by", map(_reference, one.references), screen)
    yield from _section("restarts when it changes", map(_restart, one.restarts), screen)
    shown = [*_without_most_texts(one.unfollowed)]
    yield from _section("not followed", map(_unfollowed, shown), screen)
    if len(shown) < len(one.unfollowed):
        yield f"    and {count(len(one.unfollowed) - len(shown), 'more text')}, which -o json lists"
    for warning in one.warnings:
        yield from map(screen.warning, _indent(2, _fill(f"! {warning}", screen.width - 2)))


def _write_strategy(one: Explained, indent: int, screen: Screen) -> Iterator[str]:
    said = _strategy(one)
    for line in _indent(indent, _fill(said, screen.width - indent)):
        text = line.lstrip(" ")
        blanks = " " * (len(line) - len(text))
        yield blanks + screen.paint(text, _style_of(said))


def _strategy(one: Explained) -> str:
    said = _STRATEGIES[one.strategy]
    if one.new_name == "":
        return said
    name = _BY_CONTENT if one.new_name is None else f"to {printable(one.new_name)}"
    if one.strategy == "rename":
        return f"{said} {name}"
    return (
        f"{said}, renamed {name}"
        if one.strategy == "adopt"
        else f"{said}, under its base name again"
    )


def _because(because: Because) -> str:
    reason, place = because
    more = [*_place(place), *([reason.source] if reason.source else [])]
    return reason.text + (f" ({', '.join(more)})" if more else "")


def _keys(hashed: Hashed) -> str:
    if [name for name, _ in hashed] == ["data"] and hashed[0][1]:
        return ", ".join(hashed[0][1])
    return (
        "; ".join(
            f"{name}: {', '.join(of_field)}" if of_field else name for name, of_field in hashed
        )
        or "no content"
    )


def _reference(one: ExplainedReference) -> _Paragraph:
    return _Paragraph(one.who, one.place, one.field, (_rule(one.rule), *one.notes))


def _rule(rule: Rule) -> str:
    return f"by {rule.by}: {rule.text}" + (f" ({rule.source})" if rule.source else "")


def _restart(one: Restart) -> _Paragraph:
    read = "all keys" if one.keys is None else f"only {', '.join(one.keys)}"
    asked = (f"by an annotation of {one.asked_by}",) if one.asked_by else ()
    unset = (
        () if one.is_set else ("it cannot change: it gets no checksum, and nothing restarts it",)
    )
    return _Paragraph(one.who, one.place, one.field, (read, *asked, *unset))


def _unfollowed(one: Unfollowed) -> _Paragraph:
    return _Paragraph(one.who, one.place, one.field, (one.text,))


def _without_most_texts(unfollowed: Iterable[Unfollowed]) -> Iterator[Unfollowed]:
    texts = 0
    for one in unfollowed:
        texts += one.reason == TEXT
        if one.reason != TEXT or texts <= _MOST_TEXTS:
            yield one


def _section(title: str, entries: Iterable[_Paragraph], screen: Screen) -> Iterator[str]:
    for position, entry in enumerate(entries):
        if not position:
            yield f"  {screen.strong(title)}"
        yield from _indent(4, _write_place(entry.who, entry.place, screen.width - 4))
        yield f"      {printable(entry.field)}"
        for text in entry.texts:
            yield from _indent(6, _fill(text, screen.width - 6))


def _write_workload(workload: ExplainedWorkload, screen: Screen) -> Iterator[str]:
    yield from map(screen.strong, _write_place(workload.who, workload.place, screen.width))
    if workload.missing_template:
        missing = (
            f"takes the pod template of {workload.missing_template}, which is not in the package"
        )
        yield from _indent(2, _fill(missing, screen.width - 2))
    elif not workload.reads:
        yield "  reads no ConfigMap or Secret"
    for effect, reads in groupby(workload.reads, strongest_effect):
        yield from _indent(2, _fill(_EFFECTS[effect], screen.width - 2))
        for read in reads:
            yield from _write_read(read, screen)


def _write_read(read: ReadObject, screen: Screen) -> Iterator[str]:
    config = read.config
    yield from _indent(4, _write_place(config.who, config.place, screen.width - 4, _now(config)))
    for one in read.fields:
        field = f"{one.field}, by {one.rule.text}" if one.rule.by is By.MOUNTS else one.field
        if one.is_optional:
            field += ", optional"
        placed = [f"({part})" for part in _place(one.place)]
        yield f"      {printable(' '.join([field, *placed]))}"
        if one.is_pin:
            yield f"        the name of a revision, which stays: {printable(one.text)}"
    yield from _write_strategy(config, 6, screen)
    yield from _indent(8, _fill(f"because {_because(config.because)}", screen.width - 8))
    if read.opt_out:
        yield from _indent(6, _fill(say_opt_out(read.opt_out), screen.width - 6))
    for change in read.changes:
        yield from _indent(6, _fill(_change(change), screen.width - 6))


def _change(change: WorkloadChange) -> str:
    through = f": {change.through} has its name in its content" if change.through else ""
    if change.how is How.NAME:
        return f"by the name{through}"
    keys = "" if change.keys is None else f" of only {', '.join(change.keys)}"
    asked = f", by an annotation of {change.asked_by}" if change.asked_by else ""
    return f"by the checksum{keys}{asked}{through}"


def _now(one: Explained) -> str:
    """Return the name that the object has, if that is not its base name and may be shown."""
    return f" ({one.present_name})" if one.present_name not in {None, one.who.name} else ""


def _write_place(who: ResourceId, place: SourceLine, width: int, more: str = "") -> list[str]:
    """Name an object and its place, in one line if they fit."""
    name = printable(
        f"{who.kind} {who.namespace}/{who.name}" if who.namespace else f"{who.kind} {who.name}"
    )
    name += printable(more)
    parts = [name, *_place(place)]
    line = "  ".join(parts)
    return [line] if columns(line) <= width else [parts[0], *_indent(2, parts[1:])]


def _place(place: SourceLine) -> list[str]:
    if not place.file:
        return []
    return [printable(f"{place.file}:{place.line}" if place.line else place.file)]


def _fill(text: str, width: int) -> list[str]:
    return fold(printable(text).split(" "), width, "")


def _indent(blanks: int, lines: Iterable[str]) -> Iterator[str]:
    return (f"{' ' * blanks}{line}" for line in lines)


FORMS: Forms = {
    Explanation: (("summary", sum_up_explanation), "objects", "workloads"),
    ExplainedWorkload: ("*who", "*place", "reads", "missing_template"),
    ReadObject: (
        *("*who=config.who", "presentName=config.present_name", "*place=config.place"),
        *("strategy=config.strategy", "newName=config.new_name"),
        *("reason=config.because", ("effect", strongest_effect), "fields", "changes", "opt_out"),
    ),
    ReadField: (
        "*place",
        "field",
        "kind",
        "text",
        "new_text",
        "foundBy=rule",
        "is_optional",
        "is_pin",
    ),
    Explained: (
        *("*who", "present_name", "*place", "strategy", "new_name", "reason=because", "hints"),
        ("hashed", lambda one: None if one.hashed is None else dict(one.hashed)),
        *("references", "notFollowed=unfollowed", "restarts", "warnings"),
        ("*kept", lambda one: {"kept": as_json(one.kept, FORMS)} if one.kept else {}),
    ),
    Kept: ("atMost=most", "holders"),
    Holder: ("name", "keeps"),
    Because: (
        "ground=reason.code",
        "text=reason.text",
        "*place",
        "source=reason.source",
        "remedy=reason.remedy",
    ),
    Rule: ("by", "text", "source"),
    ExplainedReference: ("*who", "*place", "field", "text", "foundBy=rule", "is_changed", "notes"),
    Unfollowed: ("*who", "*place", "field", "reason", "text"),
    Restart: ("*who", "*place", "field", "keys", "asked_by", "is_set"),
}
"""The fields of schemas/explain-v1.json: everything that the text says, and all mere texts."""


class ExplainFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


class ExplainedPackage(NamedTuple):
    """A package, what is explained of it, and what else is said about it.

    `explanation`: None where it cannot be rendered, or nothing in it is wanted (`lacks_it`).
    """

    path: str
    explanation: Explanation | None
    problems: tuple[Problem, ...]
    lacks_it: bool = False

    @property
    def failed(self) -> bool:
        return bool(find_errors(self.problems))


_FORMS_OF_PACKAGES: Forms = {
    ExplainedPackage: (
        "path",
        ("errors", lambda one: stderr_lines(one.problems).splitlines() if one.failed else []),
        ("explanation", lambda one: _nest(one.explanation)),
    ),
}
"""The fields of schemas/explain-packages-v1.json."""


def _nest(explanation: Explanation | None) -> object:
    return None if explanation is None else {"version": VERSION, **as_json(explanation, FORMS)}


def explain(  # noqa: PLR0913, PLR0917  # what is explained, how it is read, and how it is written
    inputs: Inputs,
    wanted: str,
    helm: HelmOptions,
    environment: Environment,
    limits: Limits,
    form: ExplainFormat,
    screen: Screen,
    packages: Iterable[str] | None = None,
) -> Outcome:
    """Explain all ConfigMaps and Secrets of a package, or those that `wanted` means.

    Where the function would fail, its errors are reported, and what it decided is explained all the
    same. `packages`: each of them by itself, in the place of what the inputs name.
    """
    if packages is not None:
        some = [inputs._replace(paths=(path,)) for path in packages]
        each = [_explain_inputs(one, wanted, helm, environment, limits) for one in some]
        return _write_packages(each, form, screen)
    found = _explain_inputs(inputs, wanted, helm, environment, limits)
    stderr, code = stderr_lines(found.problems), int(found.failed)
    if found.explanation is None:
        return Outcome(b"", stderr, code)
    text = (
        write_forms(found.explanation, FORMS)
        if form is ExplainFormat.JSON
        else write_explanation(found.explanation, screen)
    )
    return Outcome(text.encode(), stderr, code)


def _write_packages(
    found: Sequence[ExplainedPackage], form: ExplainFormat, screen: Screen
) -> Outcome:
    """Write what is explained of several packages, each under its path.

    One that has nothing of the wanted name is left out, if another one has.
    """
    is_anywhere = any(one.explanation for one in found)
    some = [one for one in found if not (is_anywhere and one.lacks_it)]
    stderr = ""
    for one in some:
        stderr += stderr_lines(
            problem._replace(file=problem.file or one.path) for problem in one.problems
        )
    code = int(any(one.failed for one in some))
    if form is ExplainFormat.JSON:
        packages = as_json(tuple(some), _FORMS_OF_PACKAGES)
        text = write_forms({"packages": packages}, _FORMS_OF_PACKAGES)
        return Outcome(text.encode(), stderr, code)
    parts: list[str] = []
    for one in some:
        if one.explanation is not None:
            title = screen.strong(printable(one.path))
            parts.append(f"{title}\n{write_explanation(one.explanation, screen)}")
    return Outcome("\n".join(parts).encode(), stderr, code)


def _explain_inputs(
    inputs: Inputs, wanted: str, helm: HelmOptions, environment: Environment, limits: Limits
) -> ExplainedPackage:
    """Explain all that the paths hold together, as values."""
    path = " ".join(inputs.paths)
    try:
        opened = open_inputs(inputs, helm, environment, Allowance(limits))
        found = decide_opened(opened, environment)
        masks = Masks(found.package.configs)
        explanation = _explain(read_wanted(wanted), found, masks, opened)
        explanation = _with_names_elsewhere(explanation, _find_elsewhere(inputs, limits))
    except Rejected as rejected:
        lacks_it = isinstance(rejected, NotFound)
        return ExplainedPackage(path, None, rejected.problems, lacks_it)
    errors = find_errors(opened.place(found.changes.problems))
    return ExplainedPackage(path, explanation, (*opened.remarks, *errors))


def _find_elsewhere(inputs: Inputs, limits: Limits) -> NamesElsewhere | None:
    paths = [Path(path) for path in inputs.paths if os.path.lexists(path)]
    return NamesElsewhere(paths[0], limits) if paths else None


def _with_names_elsewhere(
    explanation: Explanation, elsewhere: NamesElsewhere | None
) -> Explanation:
    """Add the lines of the repository that name what is renamed."""
    if elsewhere is None:
        return explanation
    renamed = [one.who for one in explanation.objects if one.strategy == Strategy.RENAME]
    named = {problem.resource: problem.message for problem in elsewhere.find(renamed)}
    objects: list[Explained] = []
    for one in explanation.objects:
        said = [named[one.who]] if one.who in named else []
        objects.append(one._replace(warnings=(*one.warnings, *said)))
    return explanation._replace(objects=tuple(objects))


def sum_up_rendering(
    opened: Opened, environment: Environment, screen: Screen, elsewhere: NamesElsewhere
) -> tuple[Outcome, Run]:
    """Sum up what a rendering does: the table of all reasons, and the line with which each run ends.

    `elsewhere` is what names objects around the package. Raises
    Rejected where there is no rendering.
    """
    found = decide_opened(opened, environment)
    explanation = _explain(EVERYTHING, found, Masks(found.package.configs), opened)
    lines = [
        *(_sum_up(explanation, screen) if explanation.objects else ()),
        str(summarize_run(found)),
    ]
    renamed = [one.who for one in explanation.objects if one.strategy == Strategy.RENAME]
    problems = [*opened.remarks, *opened.place(found.changes.problems), *elsewhere.find(renamed)]
    shown = join_lines(lines)
    return Outcome(shown.encode(), stderr_lines(problems), int(bool(find_errors(problems)))), found


def _explain(wanted: Wanted, found: Run, masks: Masks, opened: Opened) -> Explanation:
    """Explain what is wanted: ConfigMaps and Secrets or, where no such object has the name, workloads.

    Raises Rejected if neither is in the package, nor referenced by it.
    """
    chosen = frozenset(found.package.configs)
    configs = [item for item in opened.items if item.is_config or item in chosen]
    items = wanted.find(configs, found.revisions.names)
    places = Places(opened.envelopes, opened.configuration)
    if items or wanted == EVERYTHING:
        note = say_unchosen_makers(found) if wanted == EVERYTHING else ""
        return explain_objects(found, items, places, masks)._replace(note=note)
    with_references = with_all_references(found)
    workloads = find_workloads(with_references)
    explained = explain_workloads(wanted, with_references, workloads, places, masks)
    absent = () if explained else explain_absent(wanted, found, places)
    if not absent and not explained:
        raise wanted.not_found([*configs, *workloads], "ConfigMap, Secret or workload")
    return Explanation(tuple(absent), explained)
