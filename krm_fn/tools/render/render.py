"""Paths to one deployable stream."""

from krm_fn.base.changes import Changes
from krm_fn.base.item import Item, read_item
from krm_fn.base.problem import Outcome, Problem, Rejected, Severity
from krm_fn.base.settings import (
    NO_ENVIRONMENT,
    Environment,
)
from krm_fn.core.decide.summarize_run import summarize_run
from krm_fn.core.yaml.apply import Applied, apply_changes
from krm_fn.core.yaml.envelope import Envelope, find_objects, join_streams
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.splice import write_document
from krm_fn.report.secrets import stderr_lines
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import DEFAULT_LIMITS, Allowance, Limits
from krm_fn.tools.common.opened_texts import share_out
from krm_fn.tools.opened.opened import Inputs, Opened, decide_opened, open_inputs
from krm_fn.tools.render.check import TRACKS, check, find_deployers, find_pruners, find_tracks
from krm_fn.tools.render.deployable import deployable, is_deployable, read_deployable
from krm_fn.tools.render.discovery import answer_discovery

__all__ = [
    "TRACKS",
    "answer_discovery",
    "check",
    "find_deployers",
    "find_pruners",
    "find_tracks",
    "render",
    "render_items",
    "render_opened",
]


def render(
    inputs: Inputs,
    helm: HelmOptions,
    environment: Environment = NO_ENVIRONMENT,
    limits: Limits = DEFAULT_LIMITS,
) -> Outcome:
    """Render what is to be applied, as a stream of documents.

    After an error the stream is empty.
    """
    try:
        opened = open_inputs(inputs, helm, environment, Allowance(limits))
        decided = decide_opened(opened, environment)
        stream, problems = render_opened(opened, decided.changes)
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), 1)
    if any(problem.severity is Severity.ERROR for problem in problems):
        return Outcome(b"", stderr_lines(problems), 1)
    return Outcome(stream.encode(), stderr_lines(problems), 0, f"{summarize_run(decided)}\n")


def render_opened(opened: Opened, changes: Changes) -> tuple[str, list[Problem]]:
    """Return the stream of documents after all changes, and all problems; no stream after an error.

    Raises Rejected.
    """
    problems = [*opened.remarks, *opened.place(changes.problems)]
    if any(problem.severity is Severity.ERROR for problem in problems):
        return "", problems  # what an error is about may be two edits of one place
    edited, added = _edit(opened, changes)
    # Behind the changes: a configuration among the objects has been read by now, and must not be
    # applied.
    ready = [
        one.text if is_deployable(envelope) else deployable(one.text) for envelope, one in edited
    ]
    return join_streams([stream for stream in (*ready, added) if stream]), problems


def render_items(opened: Opened, changes: Changes) -> list[Item]:
    """Return the objects of the stream that `render_opened` returns.

    Raises Rejected for each error.
    """
    errors = [problem for problem in changes.problems if problem.severity is Severity.ERROR]
    if errors:
        raise Rejected(*opened.place(errors))
    edited, added = _edit(opened, changes)
    items: list[Item] = []
    for envelope, one in edited:
        items += read_deployable(envelope, one)
    return [*items, *map(read_item, find_objects(read_yaml(added.encode()).roots))]


def _edit(opened: Opened, changes: Changes) -> tuple[list[tuple[Envelope, Applied]], str]:
    """Return each envelope with its text after the changes, and the documents that are added.

    Raises Rejected.
    """
    envelopes = [envelope for _, envelope in opened.envelopes]
    with opened.placed():
        shares = zip(envelopes, share_out(changes, envelopes), strict=True)
        edited = [(envelope, apply_changes(envelope, own)) for envelope, own in shares]
    return edited, "".join(map(write_document, changes.add))
