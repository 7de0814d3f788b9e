"""Changes as splices of a text: the one way from what is wanted to what is written."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain

from krm_fn.model.changes import Changes, Edit, SetFields, combine_edits, combine_patches
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Rejected
from krm_fn.wire.anchors import merge_shared
from krm_fn.wire.edit_objects import add_documents, place_in_files, splice_objects
from krm_fn.wire.envelope import Envelope
from krm_fn.wire.layout import NotLiteral
from krm_fn.wire.merge_patch import plan_patch
from krm_fn.wire.prove import prove
from krm_fn.wire.reader import walk
from krm_fn.wire.results import new_results, splice_results
from krm_fn.wire.splice import Splice, apply_splices
from krm_fn.wire.splice_change import splice_change


def apply_changes(envelope: Envelope, changes: Changes) -> str:
    """Return the text of an envelope after all changes and, in a ResourceList, with the problems among its results.

    Raises Rejected where a change cannot be made, and where the text would not say what was planned.
    """
    text, resource_list = envelope.document.text, envelope.resource_list
    if resource_list is None:
        splices = plan_splices(envelope, changes)
        output = add_documents(apply_splices(text, splices), changes.add)
        prove(envelope, changes, splices, output)
        return output
    placed = changes._replace(add=place_in_files(changes.add, envelope.items))
    results = new_results(resource_list, changes.problems)
    splices = [*plan_splices(envelope, placed), *splice_results(text, resource_list, results)]
    output = apply_splices(text, splices)
    prove(envelope, placed, splices, output, results)
    return output


def add_results(envelope: Envelope, problems: Iterable[Problem]) -> bytes:
    """Return the input with the problems in its `results` if it is a ResourceList, nothing for any other input."""
    if envelope.resource_list is None:
        return b""
    try:
        text = apply_changes(envelope, Changes(problems=tuple(problems)))
    except Rejected:  # a bug in the results; stderr has the problems as well
        text = envelope.document.text
    return envelope.encode(text)


def plan_splices(envelope: Envelope, changes: Changes) -> list[Splice]:
    """Plan the splices that make all changes of an envelope, except that a stream needs `add_documents` as well.

    Raises Rejected where a field has another type than its patch, and where places that share a YAML anchor need
    different values.
    """
    text = envelope.document.text
    edits = merge_shared(envelope.document, _plan_edits(envelope.items, changes))
    _refuse_repeated(envelope, edits)
    in_place = [splice for edit in edits for splice in _splice(text, edit)]
    return [*in_place, *splice_objects(envelope, changes)]


def _refuse_repeated(envelope: Envelope, edits: Iterable[Edit]) -> None:
    """Raise where a change is of a field that is there twice: the other one would say something else then."""
    for one in envelope.document.repeated:
        inside = set(walk([*one.values]))
        for edit in edits:
            change = edit.change
            named = {name for name, _ in change.add} | {*change.drop} if isinstance(change, SetFields) else set()
            if change.node in inside or (change.node is one.mapping and one.key.value in named):
                message = f"duplicate key {one.key.value!r}, which is to be changed; remove one of them"
                mark = one.key.start_mark
                raise Rejected(
                    about(edit.item, message, edit.field)._replace(line=mark.line + 1, column=mark.column + 1)
                )


def _splice(text: str, edit: Edit) -> list[Splice]:
    try:
        return [*splice_change(text, edit.change)]
    except NotLiteral as error:
        message = "references a renamed object, but is not written literally; write it as a block (`|`), or exclude it"
        raise Rejected(about(edit.item, message, edit.field)) from error


def _plan_edits(items: Iterable[Item], changes: Changes) -> list[Edit]:
    """Turn patches into edits, and sort all edits by the order of the items."""
    by_item: dict[Item, list[Edit]] = defaultdict(list)
    for item, patch in combine_patches(changes.patches):
        by_item[item] += plan_patch(item, patch)
    for edit in combine_edits(changes.edits):
        by_item[edit.item].append(edit)
    return [*chain.from_iterable(by_item.get(item, ()) for item in items)]
