"""One change as splices of the text. New values are written in the style of the place they go to."""

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Dict

from krm_fn.model.changes import Change, NewValue, SetFields, SetItems, SetParts, SetText
from krm_fn.model.node import Mapping, Node, is_mapping, is_scalar, is_sequence
from krm_fn.wire import layout
from krm_fn.wire.edit_list import edit_list
from krm_fn.wire.edit_mapping import edit_mapping
from krm_fn.wire.splice import Splice
from krm_fn.wire.write_value import write_block, write_block_item, write_flow, write_scalar

_STANDARD = "tag:yaml.org,2002:"


def splice_change(text: str, change: Change) -> Iterator[Splice]:
    """Yield the splices of one change. Raises NotLiteral for parts of a value that is written in another form."""
    if isinstance(change, SetText):
        yield _set_text(text, change)
    elif isinstance(change, SetParts):
        yield from _set_parts(text, change)
    elif isinstance(change, SetItems) and is_sequence(change.node) and change.node.value:
        yield from edit_list(text, change.node, change)
    elif change.key is not None and change.parent is not None:
        new = dict(change.add) if isinstance(change, SetFields) else change.add
        yield _fill_empty(text, change.node, change.key, change.parent, new)
    elif isinstance(change, SetFields) and is_mapping(change.node):
        yield from edit_mapping(text, change.node, change)


def _set_text(text: str, change: SetText) -> Splice:
    new = write_scalar(change.text, style=change.node.style)
    fitting = "bool" if isinstance(change.text, bool) else "str"
    if change.key is not None:
        return _fill(text, change.key, change.node, new, fitting)
    return _replace(text, layout.scalar_span(text, change.node), change.node, new, fitting)


def _set_parts(text: str, change: SetParts) -> Iterator[Splice]:
    place = layout.value_places(text, change.node)
    for start, end, new in change.parts:
        yield Splice(place(start), place(start) + end - start, new)


def _fill_empty(
    text: str, node: Node, key: Node, parent: Mapping, new: Dict[str, NewValue] | Sequence[NewValue]
) -> Splice:
    """Put fields or elements where there is nothing, only a null, or an empty collection."""
    start, end = node.start, node.end
    between = text[key.end : start]
    if not parent.flow_style and between.strip(" \t") == ":" and text[start : start + 1] not in ("&", "!"):
        return _fill_below(text, Splice(key.end + between.index(":") + 1, end, ""), parent, new)
    return _fill(text, key, node, write_flow(new, style=layout.key_style(key)), "map" if is_mapping(node) else "seq")


def _fill(text: str, key: Node, node: Node, new: str, fitting: str) -> Splice:
    """Put a text where there is nothing, perhaps not even a colon behind the key."""
    behind_colon = layout.behind_colon(text, key, node)
    if behind_colon is None:
        end = key.end
        start = layout.entry_start(text, key)
        if start == key.start:
            return Splice(end, end, ": " + new)
        # Behind a `?`, a colon in the same line would belong to the key.
        below = layout.line_break(text) + " " * (start - layout.line_start(text, start))
        return Splice(end, end, f"{below}: {new}")
    if node.start == node.end:  # in braces its mark is that of what follows
        return Splice(behind_colon, layout.value_end(text, key, node), " " + new)
    end = layout.scalar_span(text, node)[1] if is_scalar(node) else node.end
    return _replace(text, (layout.content_start(text, node), end), node, new, fitting)


def _replace(text: str, span: tuple[int, int], node: Node, new: str, fitting: str) -> Splice:
    """Put a text in the place of a value. Its anchor stays; a standard tag only if it is the fitting one."""
    start, end = span
    if node.tag is not None and node.tag.startswith(_STANDARD) and node.tag != _STANDARD + fitting:
        return Splice(node.start, end, " ".join(filter(None, [layout.anchor(text, node), new])))
    gap = " " if start == end and not text[start - 1].isspace() else ""
    return Splice(start, end, gap + new)


def _fill_below(text: str, place: Splice, parent: Mapping, new: Dict[str, NewValue] | Sequence[NewValue]) -> Splice:
    """Put fields or elements below their key, as a block."""
    indent = layout.indentation(text, parent)
    if isinstance(new, Dict):
        lines = [line for name, value in new.items() for line in write_block(name, value, indent + 2)]
    else:
        offset = layout.list_offset(text, parent)
        lines = [line for item in new for line in write_block_item(item, indent + offset, offset=offset)]
    line_break = layout.line_break(text)
    return Splice(place.start, place.end, "".join(line_break + line for line in lines))
