"""Paths to one deployable stream."""

from collections.abc import Iterator

from krm_fn.base.changes import Changes, Patch
from krm_fn.base.item import Item, find_objects, read_item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import elements, get
from krm_fn.base.problem import Problem, Rejected, find_errors
from krm_fn.base.settings import Environment
from krm_fn.core.decide.decide import Run, summarize_run
from krm_fn.core.yaml.yaml import (
    Applied,
    Envelope,
    apply_changes,
    join_streams,
    leave_out,
    read_yaml,
    write_document,
)
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import Allowance, Limits
from krm_fn.tools.common.opened_texts import share_out
from krm_fn.tools.common.rendered import is_deployed, is_internal
from krm_fn.tools.opened.opened import Inputs, Opened, decide_opened, open_inputs
from krm_fn.tools.render.check import TRACKS, check, find_deployers, find_pruners, find_tracks
from krm_fn.tools.render.discovery import answer_discovery

__all__ = [
    "TRACKS",
    "RenderedStream",
    "answer_discovery",
    "check",
    "find_deployers",
    "find_pruners",
    "find_tracks",
    "render_items",
    "render_opened",
    "render_stream",
]


class RenderedStream(NamedTuple):
    """A stream of documents, which is empty after an error; all problems; what was renamed; and the run."""

    stream: str
    problems: tuple[Problem, ...]
    summary: str = ""
    run: Run | None = None

    @property
    def failed(self) -> bool:
        return bool(find_errors(self.problems))


def render_stream(
    inputs: Inputs,
    helm: HelmOptions,
    environment: Environment,
    limits: Limits,
) -> RenderedStream:
    try:
        opened = open_inputs(inputs, helm, environment, Allowance(limits))
        decided = decide_opened(opened, environment)
        stream, problems = render_opened(opened, decided.changes)
    except Rejected as rejected:
        return RenderedStream("", rejected.problems)
    return RenderedStream(stream, tuple(problems), str(summarize_run(decided)), decided)


def render_opened(opened: Opened, changes: Changes) -> tuple[str, list[Problem]]:
    """Return the stream of documents after all changes, and all problems; no stream after an error.

    Raises Rejected.
    """
    problems = [*opened.remarks, *opened.place(changes.problems)]
    if find_errors(problems):
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
    errors = find_errors(changes.problems)
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


# A stream as it goes to a deployer: without the objects and annotations that are only for tools.


def deployable(text: str) -> str:
    """Return the stream without local objects and internal annotations, every other byte as it was."""
    return leave_out(text, is_deployed, without_internal)


def read_deployable(envelope: Envelope, edited: Applied) -> Iterator[Item]:
    """Yield the objects that `deployable` leaves, without the annotations that it removes: their nodes still have them.

    Nothing is read that has been read for the proof, unless to leave something out may fail.
    """
    if envelope.document.has_aliases or envelope.document.repeated:
        stream = edited.text if is_deployable(envelope) else deployable(edited.text)
        nodes = read_yaml(stream.encode(), may_repeat=True).roots
    else:
        nodes = edited.proof.complete() or read_yaml(edited.text.encode(), may_repeat=True).roots
        if envelope.resource_list is not None:
            nodes = [one for root in nodes for one in elements(get(root, "items"))]
    for item in map(read_item, find_objects(nodes)):
        if is_deployed(item):
            annotations = {
                name: value for name, value in item.annotations.items() if not is_internal(name)
            }
            yield Item(item.node, item.id, annotations, item.labels)


def is_deployable(envelope: Envelope) -> bool:
    """Tell whether `deployable` would change nothing, which is cheaper to find out."""
    return envelope.resource_list is None and all(
        is_deployed(item) and not internal_annotations(item) for item in envelope.items
    )


def internal_annotations(item: Item) -> list[str]:
    """Return the names of the annotations that tools write for one another while they render."""
    return [name for name in item.annotations if is_internal(name)]


def without_internal(item: Item) -> Patch:
    """Return the patch that removes internal annotations, and `annotations` itself if there are no others."""
    internal = internal_annotations(item)
    if not internal:
        return {}
    every = len(internal) == len(item.annotations)
    return {"metadata": {"annotations": None if every else dict.fromkeys(internal)}}
