"""Paths in, the reasons for what the function does with the ConfigMaps and Secrets there out."""

from enum import StrEnum

from krm_fn.explain.explain_objects import (
    EVERYTHING,
    Wanted,
    explain_absent,
    explain_objects,
    find_wanted,
    not_found,
    read_wanted,
)
from krm_fn.explain.explanation import (
    Because,
    Explained,
    ExplainedReference,
    Explanation,
    Places,
    Restart,
    Unfollowed,
    summarize,
)
from krm_fn.explain.text import write_text
from krm_fn.model.problem import Outcome, Rejected, Severity
from krm_fn.model.settings import Environment
from krm_fn.references.reference import Rule
from krm_fn.render.files import Allowance, Limits
from krm_fn.render.render import Opened, decide_opened, open_inputs
from krm_fn.render.sources import Inputs
from krm_fn.render.tools import HelmOptions
from krm_fn.report.secrets import Masks
from krm_fn.report.table import Screen
from krm_fn.report.to_json import Forms, write_json
from krm_fn.stages.transform import Transformation
from krm_fn.wire.results import stderr_lines

FORMS: Forms = {
    Explanation: (("summary", summarize), "objects"),
    Explained: (
        *("*who", "present_name", "*place", "strategy", "new_name", "reason=because", "hints"),
        ("hashed", lambda one: None if one.hashed is None else dict(one.hashed)),
        *("references", "notFollowed=unfollowed", "restarts", "warnings"),
    ),
    Because: ("ground=reason.ground", "text=reason.text", "*place", "source=reason.source", "remedy=reason.remedy"),
    Rule: ("by", "text", "source"),
    ExplainedReference: ("*who", "*place", "field", "text", "foundBy=rule", "is_changed", "notes"),
    Unfollowed: ("*who", "*place", "field", "reason", "text"),
    Restart: ("*who", "*place", "field", "keys", "asked_by", "is_set"),
}
"""Of schemas/explain-v1.json: everything that the text says, and all mere texts."""


class ExplainFormat(StrEnum):
    """How to write an explanation."""

    TEXT = "text"
    JSON = "json"


def explain(  # noqa: PLR0913, PLR0917  # what is explained, how it is read, and how it is written
    inputs: Inputs,
    wanted: str,
    helm: HelmOptions,
    environment: Environment,
    limits: Limits,
    form: ExplainFormat,
    screen: Screen,
) -> Outcome:
    """Explain all ConfigMaps and Secrets of a package, or those that `wanted` means.

    Where the function would fail, its errors are reported, and what it decided is explained all the same.
    """
    try:
        opened = open_inputs(inputs, helm, environment, Allowance(limits))
        found = decide_opened(opened, environment)
        masks = Masks(found.package.configs)
        explanation = _explain(read_wanted(wanted), found, masks, opened)
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), 1)
    text = write_json(explanation, FORMS) if form is ExplainFormat.JSON else write_text(explanation, screen)
    errors = [problem for problem in opened.place(found.changes.problems) if problem.severity is Severity.ERROR]
    return Outcome(text.encode(), stderr_lines([*opened.remarks, *errors]), int(bool(errors)))


def _explain(wanted: Wanted, found: Transformation, masks: Masks, opened: Opened) -> Explanation:
    """Explain what is wanted. Raises Rejected if there is no such object, in the package or referenced by it."""
    chosen = frozenset(found.package.configs)
    configs = [item for item in opened.items if item.is_config or item in chosen]
    items = find_wanted(wanted, configs, found.revisions.names)
    if items or wanted == EVERYTHING:
        return explain_objects(found, items, Places(opened), masks)
    absent = explain_absent(wanted, found, Places(opened))
    if not absent:
        raise not_found(wanted, configs)
    return Explanation(tuple(absent))
