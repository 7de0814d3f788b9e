"""Apply changes to a text as splices, whole objects included. There is no other way to write.

This is the door of the room: what reads a text, finds its objects and writes it is here.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain, groupby, islice
from typing import Any

from krm_fn.base import keys
from krm_fn.base.changes import (
    Change,
    Changes,
    Edit,
    Object,
    Patch,
    SetFields,
    SetItems,
    combine_edits,
    combine_patches,
)
from krm_fn.base.item import Item, about, collect
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Mapping,
    Node,
    Sequence,
    children,
    get,
    is_mapping,
    is_scalar,
    is_sequence,
    walk,
)
from krm_fn.base.problem import Problem, Problems, Rejected
from krm_fn.core.yaml import layout
from krm_fn.core.yaml.envelope import (
    Envelope,
    Part,
    end_last_line,
    join_streams,
    open_envelope,
    open_list,
    split_documents,
)
from krm_fn.core.yaml.layout import NotLiteral
from krm_fn.core.yaml.prove import Proof, prove
from krm_fn.core.yaml.reader import Document, Expansion, read_yaml
from krm_fn.core.yaml.results import new_results, splice_results
from krm_fn.core.yaml.splice import (
    Splice,
    apply_splices,
    plan_patch,
    problem_at,
    replace_lines,
    splice_change,
    write_document,
    write_fields,
    write_flow,
    write_scalar,
)

__all__ = [
    "Applied",
    "Envelope",
    "Expansion",
    "add_results",
    "apply_changes",
    "join_streams",
    "leave_out",
    "open_envelope",
    "plan_patch",
    "read_yaml",
    "write_document",
    "write_scalar",
]

_PATH = "internal.config.kubernetes.io/path"
_INDEX = "internal.config.kubernetes.io/index"


def splice_objects(envelope: Envelope, changes: Changes) -> Iterator[Splice]:
    """Yield the splices that replace, remove and, in a ResourceList, add objects."""
    for item, wanted in changes.replace:
        yield _replace(envelope.document.text, item.node, wanted)
    removed: set[Node] = {item.node for item in changes.remove}
    if not removed.isdisjoint(envelope.document.roots):
        parts = split_documents(envelope.document)
        yield from (Splice(part.start, part.end, "") for part in parts if part.root in removed)
    added = changes.add if envelope.resource_list is not None else ()
    if removed or added:
        yield from _edit_lists(envelope, removed, added)


def add_documents(text: str, added: Iterable[Object]) -> str:
    documents = "".join(map(write_document, added))
    return end_last_line(text) + documents if documents else text


def _replace(text: str, node: Mapping, wanted: Object) -> Splice:
    if node.flow_style:
        opening, closing = layout.flow_span(text, node)
        return Splice(
            opening, closing + 1, write_flow(wanted, style=layout.key_style(node.value[0][0]))
        )
    start, end = layout.entry_start(text, node.value[0][0]), layout.node_end(text, node)
    indent = layout.indentation(text, node)
    return replace_lines(text, start, end, write_fields(wanted.items(), indent), indent)


def _edit_lists(
    envelope: Envelope, removed: set[Node], added: tuple[Object, ...]
) -> Iterator[Splice]:
    """Remove objects from the lists they are in, and add others to that of the ResourceList."""
    for root in envelope.document.roots:
        # The outermost one is that of the ResourceList.
        for parent, items in islice(_lists(root), None if removed else 1):
            drop = tuple(index for index, item in enumerate(items.value) if item in removed)
            add = added if parent is envelope.resource_list else ()
            if drop or add:
                key = next(key for key, value in parent.value if value is items)
                yield from splice_change(
                    envelope.document.text, SetItems(items, add, drop, key, parent)
                )


def _lists(node: Node) -> Iterator[tuple[Mapping, Sequence]]:
    """Yield each List or ResourceList of a document with its `items`.

    A List may hold other Lists.
    """
    items = get(node, "items")
    if is_mapping(node) and is_sequence(items):
        yield node, items
        for item in items.value:
            yield from _lists(item)


def place_in_files(added: Iterable[Object], items: Iterable[Item]) -> tuple[Object, ...]:
    """Annotate new objects with their file and their index in it, both of which kpt requires.

    Only where the other objects have these annotations: kpt sets them, kustomize does not.
    """
    last_index: dict[str, int] = {}
    for item in items:
        if item.file:
            last_index[item.file] = max(item.file_index, last_index.get(item.file, -1))
    if not last_index:
        return tuple(added)
    placed = []
    for one in added:
        file = f"{_set_of(one)}-linker.yaml"
        last_index[file] = last_index.get(file, -1) + 1
        placed.append(_annotate(one, {_PATH: file, _INDEX: str(last_index[file])}))
    return tuple(placed)


def _set_of(one: Any) -> str:
    return str(one["metadata"]["labels"][keys.SET])


def _annotate(one: Any, annotations: dict[str, str]) -> Object:
    metadata = one["metadata"]
    return {
        **one,
        "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}},
    }


class Applied(NamedTuple):
    """A text after all changes, and its proof, which has read some of its nodes."""

    text: str
    proof: Proof


def apply_changes(envelope: Envelope, changes: Changes) -> Applied:
    """Apply all changes to an envelope and, in a ResourceList, append the problems to its results.

    Raises Rejected where a change cannot be made, and where the text would not say what was
    planned.
    """
    text, resource_list = envelope.document.text, envelope.resource_list
    if resource_list is None:
        splices = plan_splices(envelope, changes)
        output = add_documents(apply_splices(text, splices), changes.add)
        return Applied(output, prove(envelope, changes, splices, output))
    placed = changes._replace(add=place_in_files(changes.add, envelope.items))
    results = new_results(resource_list, changes.problems)
    splices = [*plan_splices(envelope, placed), *splice_results(text, resource_list, results)]
    output = apply_splices(text, splices)
    return Applied(output, prove(envelope, placed, splices, output, results))


def leave_out(text: str, stays: Callable[[Item], bool], patch: Callable[[Item], Patch]) -> str:
    """Return a stream with the objects that stay, each patched, every other byte as it was.

    A List stays a List unless one of its objects must go; then the others become documents. The
    objects of a ResourceList always do.
    """
    document = read_yaml(text.encode(), may_repeat=True)
    envelope = open_envelope(document)
    splices: list[Splice] = []
    staying: list[Item] = []
    for part, items in _by_document(envelope):
        if envelope.resource_list is None and all(map(stays, items)):
            staying += items
        elif part.root is items[0].node or not is_mapping(part.root) or not any(map(stays, items)):
            splices.append(Splice(part.start, part.end, ""))
        else:
            splices.append(
                Splice(part.start, part.end, _open_list(document, part.root, stays, patch))
            )
    patches = tuple((item, patch(item)) for item in staying)
    splices += plan_splices(envelope, Changes(patches=patches))
    return apply_splices(document.text, splices)


def _open_list(
    document: Document,
    root: Mapping,
    stays: Callable[[Item], bool],
    patch: Callable[[Item], Patch],
) -> str:
    """Return the objects of a List that stay, as documents."""
    try:
        return leave_out(open_list(document.text, root), stays, patch)
    except Rejected as rejected:
        if not document.has_aliases:
            raise
        message = "an object in a List uses a YAML anchor of another object; write the value out instead of the alias"
        raise Rejected(Problem(message)) from rejected


def _by_document(envelope: Envelope) -> Iterator[tuple[Part, list[Item]]]:
    """Yield each document that holds objects, with them. An alias never leaves its document."""
    parts = list(split_documents(envelope.document))
    ends = [part.end for part in parts]

    def holder(item: Item) -> Part:
        return parts[bisect_right(ends, item.node.start)]

    return ((part, list(items)) for part, items in groupby(envelope.items, key=holder))


def add_results(envelope: Envelope, problems: Iterable[Problem]) -> bytes:
    """Return a ResourceList with the problems in its `results`, and nothing for any other input."""
    if envelope.resource_list is None:
        return b""
    try:
        text = apply_changes(envelope, Changes(problems=tuple(problems))).text
    except Rejected:  # a bug in the results; stderr has the problems as well
        text = envelope.document.text
    return envelope.encode(text)


def plan_splices(envelope: Envelope, changes: Changes) -> list[Splice]:
    """Plan the splices that make all changes of an envelope.

    A stream needs `add_documents` as well.

    Raises Rejected where a field has another type than its patch, and where places that share a
    YAML anchor need different values.
    """
    text = envelope.document.text
    edits = _merge_shared(envelope.document, _plan_edits(envelope.items, changes))
    _refuse_repeated(envelope, edits)
    splices: list[Splice] = []
    for edit in edits:
        splices += _splice(text, edit)
    splices += splice_objects(envelope, changes)
    return splices


def _plan_edits(items: Iterable[Item], changes: Changes) -> list[Edit]:
    """Turn patches into edits, and sort all edits by the order of the items."""
    by_item: dict[Item, list[Edit]] = defaultdict(list)
    for item, patch in combine_patches(changes.patches):
        by_item[item] += plan_patch(item, patch)
    for edit in combine_edits(changes.edits):
        by_item[edit.item].append(edit)
    return [*chain.from_iterable(by_item.get(item, ()) for item in items)]


def _merge_shared(document: Document, edits: Iterable[Edit]) -> list[Edit]:
    """Merge the edits of each node into one.

    Raises Rejected unless every place that shares the node wants the same.
    """
    if not document.has_aliases:
        return list(edits)
    by_node = collect((edit.change.node, edit) for edit in edits)
    # An edit of one place changes the text behind the anchor, and so every place: all of them must
    # want it.
    places = _count_places(document.roots, by_node)
    problems = []
    for node, same in by_node.items():
        if len(same) != places[node] or any(edit.change != same[0].change for edit in same):
            message = (
                f"is a YAML anchor used in {places[node]} places that need different values; "
                "write the value out in each place"
            )
            problems.append(_problem(same[0], message))
    merged = [same[0] for same in by_node.values()]
    problems = problems or [*_find_lost_anchors(document.roots, merged)]
    if problems:
        raise Rejected(*sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return merged


def _count_places(roots: Iterable[Node], wanted: Collection[Node] | None = None) -> Counter[Node]:
    """Count how often each node occurs once all aliases are written out.

    The reader has limited how many there are.
    """
    places: Counter[Node] = Counter()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if wanted is None or node in wanted:
            places[node] += 1
        stack.extend(children(node))
    return places


def _find_lost_anchors(roots: list[Node], edits: Iterable[Edit]) -> Problems:
    """Find fields and elements to be removed with an anchor that an alias elsewhere needs."""
    for edit in edits:
        inside = _count_places(_dropped(edit.change))
        if inside:
            node = edit.change.node
            everywhere = _count_places(roots, {node, *inside})
            if any(everywhere[one] != count * everywhere[node] for one, count in inside.items()):
                message = (
                    "holds a YAML anchor that must be removed, but an alias elsewhere needs it; "
                )
                yield _problem(edit, message + "write the value out there instead of the alias")


def _dropped(change: Change) -> list[Node]:
    if isinstance(change, SetItems):
        return [change.node.value[index] for index in change.drop]
    if isinstance(change, SetFields) and is_mapping(change.node):
        return [
            value for key, value in change.node.value if is_scalar(key) and key.value in change.drop
        ]
    return []


def _problem(edit: Edit, message: str) -> Problem:
    return problem_at(edit.change.node, edit.item, edit.field, message)


def _refuse_repeated(envelope: Envelope, edits: Iterable[Edit]) -> None:
    """Raise where a change is of a field that is there twice: the two would then differ."""
    for one in envelope.document.repeated:
        inside = set(walk([*one.values]))
        for edit in edits:
            change = edit.change
            named: set[str] = set()
            if isinstance(change, SetFields):
                named = {name for name, _ in change.add} | {*change.drop}
            if change.node in inside or (change.node is one.mapping and one.key.value in named):
                message = (
                    f"duplicate key {one.key.value!r}, which is to be changed; remove one of them"
                )
                raise Rejected(problem_at(one.key, edit.item, edit.field, message))


def _splice(text: str, edit: Edit) -> list[Splice]:
    try:
        return [*splice_change(text, edit.change)]
    except NotLiteral as error:
        message = "references a renamed object, but is not written literally; write it as a block (`|`), or exclude it"
        raise Rejected(about(edit.item, message, edit.field)) from error
