"""Edits as splices of the text, in the style of the place they change."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Mapping as Dict

from krm_fn.model.changes import Change, Edit, SetFields, SetItems, SetText, Value
from krm_fn.model.item import about
from krm_fn.model.node import Mapping, Node, is_mapping, is_sequence
from krm_fn.model.problem import Problem, Rejected
from krm_fn.wire import layout
from krm_fn.wire.edit_list import edit_items
from krm_fn.wire.edit_mapping import edit_block, edit_flow, key_style
from krm_fn.wire.reader import Document, children
from krm_fn.wire.splice import Splice
from krm_fn.wire.write_value import write_block, write_block_item, write_flow, write_scalar


def splice_edit(text: str, change: Change) -> Iterator[Splice]:
    """The splices of one edit."""
    if isinstance(change, SetText):
        yield _set_text(text, change)
    elif isinstance(change, SetItems) and is_sequence(change.node) and change.node.value:
        yield from edit_items(text, change.node, change)
    elif change.key is not None and change.parent is not None:
        new = dict(change.add) if isinstance(change, SetFields) else change.add
        yield _fill_empty(text, change.node, change.key, change.parent, new)
    elif isinstance(change, SetFields) and is_mapping(change.node) and change.node.flow_style:
        yield from edit_flow(text, change.node, change)
    elif isinstance(change, SetFields) and is_mapping(change.node):
        yield from edit_block(text, change.node, change)


def _set_text(text: str, change: SetText) -> Splice:
    start, end = layout.scalar_span(text, change.node)
    gap = " " if start == end and text[start - 1 : start] in (":", "-", "?") else ""
    return Splice(start, end, gap + write_scalar(change.text, style=change.node.style))


def _fill_empty(
    text: str, node: Node, key: Node, parent: Mapping, new: Dict[str, Value] | Sequence[Dict[str, Value]]
) -> Splice:
    """Fields or elements where there is nothing, only a null, or an empty collection."""
    start, end = node.start_mark.index, node.end_mark.index
    between = text[key.end_mark.index : start]
    if not parent.flow_style and between.strip(" ") == ":" and text[start : start + 1] not in ("&", "!"):
        return _nest(text, Splice(key.end_mark.index + 1, end, ""), parent, new)
    start = layout.content_start(text, node)
    gap = " " if start == end and text[start - 1 : start] in (":", "?") else ""
    return Splice(start, end, gap + write_flow(new, style=key_style(key)))


def _nest(text: str, place: Splice, parent: Mapping, new: Dict[str, Value] | Sequence[Dict[str, Value]]) -> Splice:
    """Fields or elements below their key, as a block of their own."""
    indent = layout.indentation(text, parent)
    if isinstance(new, Dict):
        lines = [line for name, value in new.items() for line in write_block(name, value, indent + 2)]
    else:
        offset = layout.list_offset(text, parent)
        lines = [line for item in new for line in write_block_item(item, indent + offset, offset=offset)]
    line_break = layout.line_break(text)
    return Splice(place.start, place.end, "".join(line_break + line for line in lines))


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
