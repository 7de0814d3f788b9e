"""Edits of text that several places share through a YAML anchor."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator

from krm_fn.model.changes import Change, Edit, SetFields, SetItems
from krm_fn.model.item import about
from krm_fn.model.node import Node, is_mapping, is_scalar
from krm_fn.model.problem import Problem, Rejected
from krm_fn.wire.reader import Document, children


def merge_shared(document: Document, edits: Iterable[Edit]) -> list[Edit]:
    """Merge the edits of each node into one. Raises Rejected unless every place that shares the node wants the same."""
    if not document.has_aliases:
        return list(edits)
    by_node: dict[Node, list[Edit]] = defaultdict(list)
    for edit in edits:
        by_node[edit.change.node].append(edit)
    places = _count_places(document.roots, by_node)
    problems = [
        _conflict(same[0], places[node])
        for node, same in by_node.items()
        if len(same) != places[node] or any(edit.change != same[0].change for edit in same)
    ]
    merged = [same[0] for same in by_node.values()]
    problems = problems or [*_find_lost_anchors(document.roots, merged)]
    if problems:
        raise Rejected(*sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return merged


def _count_places(roots: Iterable[Node], wanted: Collection[Node] | None = None) -> Counter[Node]:
    """Count how often each node occurs once all aliases are written out. The reader has limited how many there are."""
    places: Counter[Node] = Counter()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if wanted is None or node in wanted:
            places[node] += 1
        stack.extend(children(node))
    return places


def _conflict(edit: Edit, places: int) -> Problem:
    message = f"is a YAML anchor used in {places} places that need different values; write the value out in each place"
    return _problem(edit, message)


def _find_lost_anchors(roots: list[Node], edits: Iterable[Edit]) -> Iterator[Problem]:
    """Find fields and elements to be removed that hold an anchor which an alias elsewhere still needs."""
    for edit in edits:
        inside = _count_places(_dropped(edit.change))
        if inside:
            node = edit.change.node
            everywhere = _count_places(roots, {node, *inside})
            if any(everywhere[one] != count * everywhere[node] for one, count in inside.items()):
                message = "holds a YAML anchor that must be removed, but an alias elsewhere needs it; "
                yield _problem(edit, message + "write the value out there instead of the alias")


def _dropped(change: Change) -> list[Node]:
    if isinstance(change, SetItems):
        return [change.node.value[index] for index in change.drop]
    if isinstance(change, SetFields) and is_mapping(change.node):
        return [value for key, value in change.node.value if is_scalar(key) and key.value in change.drop]
    return []


def _problem(edit: Edit, message: str) -> Problem:
    mark = edit.change.node.start_mark
    return about(edit.item, message, edit.field)._replace(line=mark.line + 1, column=mark.column + 1)
