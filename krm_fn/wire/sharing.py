"""Edits of text that stands for several places at once, through an anchor and its aliases."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from krm_fn.model.edit import Edit
from krm_fn.model.item import about
from krm_fn.model.node import Node
from krm_fn.model.problem import Problem, Rejected
from krm_fn.wire.aliases import children
from krm_fn.wire.yaml_text import Document


def settle_shared(document: Document, edits: Iterable[Edit]) -> list[Edit]:
    """One edit per place. Raises Rejected where places that share their text want different things."""
    if not document.has_aliases:
        return list(edits)
    by_node: dict[int, list[Edit]] = defaultdict(list)
    for edit in edits:
        by_node[id(edit.change.node)].append(edit)
    places = _count_places(document.roots, by_node.keys())
    problems = [
        _conflict(same, places[node])
        for node, same in by_node.items()
        if len(same) != places[node] or any(edit.change != same[0].change for edit in same)
    ]
    if problems:
        raise Rejected(*problems)
    return [same[0] for same in by_node.values()]


def _count_places(roots: list[Node], wanted: Iterable[int]) -> Counter[int]:
    """How often each node occurs once all aliases are written out; the reader has bounded that."""
    wanted = set(wanted)
    places: Counter[int] = Counter()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in wanted:
            places[id(node)] += 1
        stack.extend(children(node))
    return places


def _conflict(edits: list[Edit], places: int) -> Problem:
    edit = edits[0]
    mark = edit.change.node.start_mark
    message = (
        f"must change, but its text stands for {places} places through an anchor, and not all of them change alike; "
        "write it out here instead of using an alias"
    )
    return about(edit.item, message, edit.field)._replace(line=mark.line + 1, column=mark.column + 1)
