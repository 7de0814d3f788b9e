"""Edits of text that stands for several places at once, through an anchor and its aliases."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator

from krm_fn.model.edit import Change, Edit, SetFields, SetItems
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
    settled = [same[0] for same in by_node.values()]
    problems = problems or [*_lost_anchors(document.roots, settled)]
    if problems:
        raise Rejected(*problems)
    return settled


def _lost_anchors(roots: list[Node], edits: Iterable[Edit]) -> Iterator[Problem]:
    """Fields and elements that go, though an alias that stays stands for something in them."""
    for edit in edits:
        inside = _count_places(_dropped(edit.change))
        if inside:
            everywhere = _count_places(roots, {id(edit.change.node), *inside})
            if any(everywhere[node] != count * everywhere[id(edit.change.node)] for node, count in inside.items()):
                yield _problem(edit, "must go in part, but an alias elsewhere stands for that part; write it out there")


def _dropped(change: Change) -> list[Node]:
    if isinstance(change, SetItems):
        return [change.node.value[index] for index in change.drop]
    if isinstance(change, SetFields):
        return [value for key, value in change.node.value if change.drop and key.value in change.drop]
    return []


def _count_places(roots: list[Node], wanted: Collection[int] | None = None) -> Counter[int]:
    """How often each node occurs once all aliases are written out; the reader has bounded that."""
    places: Counter[int] = Counter()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if wanted is None or id(node) in wanted:
            places[id(node)] += 1
        stack.extend(children(node))
    return places


def _conflict(edits: list[Edit], places: int) -> Problem:
    message = (
        f"must change, but its text stands for {places} places through an anchor, and not all of them change alike; "
        "write it out here instead of using an alias"
    )
    return _problem(edits[0], message)


def _problem(edit: Edit, message: str) -> Problem:
    mark = edit.change.node.start_mark
    return about(edit.item, message, edit.field)._replace(line=mark.line + 1, column=mark.column + 1)
