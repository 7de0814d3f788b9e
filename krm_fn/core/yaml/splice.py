"""Turn changes of objects into replacements of parts of the text.

A change is an edit of a scalar or a merge patch. A new value is written in the style of the place
where it goes. Splices are applied all at once.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Mapping as Dict
from collections.abc import Sequence as Elements
from functools import lru_cache
from typing import TypeAlias

from krm_fn.base.changes import (
    Change,
    Edit,
    ListPatch,
    Patch,
    SetFields,
    SetItems,
    SetParts,
    SetText,
)
from krm_fn.base.go_yaml import is_read_as
from krm_fn.base.item import Item, about
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Mapping,
    NewValue,
    Node,
    Sequence,
    describe,
    fields,
    is_mapping,
    is_merge,
    is_null,
    is_scalar,
    is_sequence,
    step,
)
from krm_fn.base.problem import Problem, Rejected
from krm_fn.core.yaml import layout


class Splice(NamedTuple):
    """Replace the characters from `start` to `end` by `text`."""

    start: int
    end: int
    text: str


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """Return the text after all splices.

    Insertions at one position keep their order; an overlap raises, as a bug.
    """
    pieces = []
    position = 0
    for splice in sorted(splices, key=lambda splice: splice[:2]):
        if splice.start < position:
            bug = f"two edits of the same place, at character {splice.start}"
            raise AssertionError(bug)
        pieces += [text[position : splice.start], splice.text]
        position = splice.end
    return "".join([*pieces, text[position:]])


# Merge patches.


def plan_patch(item: Item, patch: Patch) -> Iterator[Edit]:
    """Plan the edits that make `item` say what `patch` says; none for what it already says."""
    return _plan(item, item.node, patch, "")


def _plan(item: Item, node: Mapping, patch: Patch, prefix: str) -> Iterator[Edit]:
    # What `<<` merges in counts as said already, but only a field of its own can be edited here:
    # the other objects that merge the same mapping would change as well.
    own = {
        key.value: (key, value)
        for key, value in node.value
        if key.id == "scalar" and (key.value != "<<" or not is_merge(key))
    }
    everything = fields(node)
    add: list[tuple[str, NewValue]] = []
    drop: list[str] = []
    for name, wanted in patch.items():
        field = step(prefix, name)
        current = everything.get(name)
        if wanted is None or _is_emptied(current, wanted):
            drop += _droppable(item, own, name, current, field)
        elif current is None or (is_null(current) and name not in own):
            if not isinstance(wanted, ListPatch) or wanted.add:
                add.append((name, _without_removals(wanted)))
        elif isinstance(wanted, ListPatch):
            yield from _plan_list(item, node, name, wanted, field)
        elif isinstance(wanted, (str, bool)):
            key = own[name][0] if name in own else None
            yield from _plan_scalar(item, current, key, wanted, field)
        elif name in own and (is_null(current) or (is_mapping(current) and not current.value)):
            new = tuple(
                (key, _without_removals(value))
                for key, value in wanted.items()
                if value is not None
            )
            yield Edit(SetFields(current, new, key=own[name][0], parent=node), item, field)
        elif is_mapping(current):
            yield from _plan(item, current, wanted, field)
        else:
            raise Rejected(_unexpected(item, field, current, "a mapping"))
    if add or drop:
        yield Edit(SetFields(node, tuple(add), tuple(drop)), item, prefix)


def _droppable(
    item: Item, own: Collection[str], name: str, current: Node | None, field: str
) -> list[str]:
    if current is not None and name not in own:
        message = (
            "must be removed, but comes from a YAML merge key (`<<`); write the fields out instead"
        )
        raise Rejected(problem_at(current, item, field, message))
    return [name] if name in own else []


def _is_emptied(current: Node | None, wanted: str | bool | Patch | ListPatch) -> bool:
    """Tell whether no element of a list stays: then its field is dropped as well."""
    if not isinstance(wanted, ListPatch) or not is_sequence(current) or wanted.add:
        return False
    return bool(wanted.drop) and len(wanted.drop) == len(current.value)


def _plan_list(
    item: Item, parent: Mapping, name: str, wanted: ListPatch, field: str
) -> Iterator[Edit]:
    current = fields(parent)[name]
    key = next((key for key, value in parent.value if value is current), None)
    if is_sequence(current):
        for index, patch in wanted.change.items():
            element = current.value[index]
            if not is_mapping(element):
                raise Rejected(_unexpected(item, f"{field}[{index}]", element, "a mapping"))
            yield from _plan(item, element, patch, f"{field}[{index}]")
    elif not is_null(current):
        raise Rejected(_unexpected(item, field, current, "a list"))
    if wanted.add or wanted.drop:
        yield Edit(SetItems(current, wanted.add, wanted.drop, key, parent), item, field)


def _plan_scalar(
    item: Item, current: Node, key: Node | None, wanted: str | bool, field: str
) -> Iterator[Edit]:
    if not is_scalar(current):
        raise Rejected(_unexpected(item, field, current, "text"))
    if not is_read_as(current, wanted):
        yield Edit(SetText(current, wanted, key if is_null(current) else None), item, field)


def _without_removals(wanted: str | bool | Patch | ListPatch) -> NewValue:
    if isinstance(wanted, (str, bool)):
        return wanted
    if isinstance(wanted, ListPatch):
        return wanted.add
    return {key: _without_removals(value) for key, value in wanted.items() if value is not None}


def _unexpected(item: Item, field: str, found: Node, expected: str) -> Problem:
    return problem_at(found, item, field, f"expected {expected}, found {describe(found)}")


def problem_at(node: Node, item: Item, field: str, message: str) -> Problem:
    """Return a problem with an object, with the place of a node in the text."""
    mark = node.start_mark
    return about(item, message, field)._replace(line=mark.line + 1, column=mark.column + 1)


# One change as splices.

# JSON writes these as they are. In YAML they are line breaks, or allowed nowhere.
_NOT_PLAIN = {*map(chr, range(0x7F, 0xA0)), "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff"}
_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in _NOT_PLAIN})

_Scalar: TypeAlias = str | bool | int
_STANDARD = "tag:yaml.org,2002:"
_DASH = r"#[^\r\n]*|(-)"


def write_scalar(value: str | bool | int, *, style: str = "") -> str:
    """Write one scalar. `style` is that of the text it replaces, or `"` for JSON."""
    if isinstance(value, str):
        return _write_text(value, style)
    return str(value).lower()


@lru_cache(maxsize=1024)
def _write_text(value: str, style: str) -> str:
    """Write a text. Many new objects have most of theirs in common."""
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if style == '"' or not layout.is_text_to_all(value):
        return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)
    return value


def write_flow(value: NewValue, *, style: str = "") -> str:
    """Write `{a: b, c: [d]}`, or JSON where `style` is `"`."""
    if isinstance(value, _Scalar):
        return write_scalar(value, style=style)
    if not isinstance(value, Dict):
        return "[" + ", ".join(write_flow(item, style=style) for item in value) + "]"
    pairs = (
        (write_scalar(key, style=style), write_flow(item, style=style))
        for key, item in value.items()
    )
    return "{" + ", ".join(map(": ".join, pairs)) + "}"


def _write_field(key: str, value: NewValue, indent: int, *, offset: int = 0) -> list[str]:
    start = f"{' ' * indent}{_write_text(key, '')}:"
    if isinstance(value, str):  # as most values are
        return [f"{start} {_write_text(value, '')}"]
    if isinstance(value, _Scalar) or not value:
        return [f"{start} {write_flow(value)}"]
    if isinstance(value, (dict, Dict)):
        return [start, *write_fields(value.items(), indent + 2, offset=offset)]
    return [start, *_write_elements(value, indent + offset, offset=offset)]


def write_fields(
    fields: Iterable[tuple[str, NewValue]], indent: int, *, offset: int = 0
) -> list[str]:
    """Write fields as lines, without line breaks.

    `offset`: how far lists are indented below their keys.
    """
    lines: list[str] = []
    for name, value in fields:
        lines += _write_field(name, value, indent, offset=offset)
    return lines


def _write_elements(values: Iterable[NewValue], indent: int, *, offset: int = 0) -> list[str]:
    lines: list[str] = []
    for value in values:
        lines += _write_element(value, indent, offset=offset)
    return lines


def write_document(value: Dict[str, NewValue]) -> str:
    """Write an object as a document, with its marker."""
    return "\n".join(["---", *write_fields(value.items(), 0), ""])


def _write_element(value: NewValue, indent: int, *, offset: int = 0) -> list[str]:
    """Write the lines of one list element, its `-` at column `indent`."""
    if isinstance(value, _Scalar) or not isinstance(value, (dict, Dict)):
        return [" " * indent + "- " + write_flow(value)]
    lines = write_fields(value.items(), indent + 2, offset=offset)
    lines[0] = " " * indent + "- " + lines[0].lstrip()
    return lines


def splice_change(text: str, change: Change) -> Iterator[Splice]:
    """Yield the splices of one change.

    Raises NotLiteral for parts of a value that is written in another form.
    """
    if isinstance(change, SetText):
        yield _set_text(text, change)
    elif isinstance(change, SetParts):
        yield from _set_parts(text, change)
    elif isinstance(change, SetItems) and is_sequence(change.node) and change.node.value:
        edit_list = _edit_flow_list if change.node.flow_style else _edit_block_list
        yield from edit_list(text, change.node, change, _runs_of(change.drop))
    elif change.key is not None and change.parent is not None:
        new = dict(change.add) if isinstance(change, SetFields) else change.add
        yield _fill_empty(text, change.node, change.key, change.parent, new)
    elif isinstance(change, SetFields) and is_mapping(change.node):
        pairs = enumerate(change.node.value)
        runs = _runs_of(n for n, (key, _) in pairs if is_scalar(key) and key.value in change.drop)
        edit_mapping = _edit_flow_mapping if change.node.flow_style else _edit_block_mapping
        yield from edit_mapping(text, change.node, change, runs)


def _runs_of(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Group rising numbers into runs without a gap, each as (first, behind the last)."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        start = runs.pop()[0] if runs and runs[-1][1] == index else index
        runs.append((start, index + 1))
    return runs


def _set_text(text: str, change: SetText) -> Splice:
    new = write_scalar(change.text, style=change.node.style)
    fitting = "bool" if isinstance(change.text, bool) else "str"
    if change.key is not None:
        return _fill(text, change.key, change.node, new, fitting)
    return _replace_value(text, layout.scalar_span(text, change.node), change.node, new, fitting)


def _set_parts(text: str, change: SetParts) -> Iterator[Splice]:
    place = layout.value_places(text, change.node)
    for start, end, new in change.parts:
        yield Splice(place(start), place(start) + end - start, new)


def _fill_empty(
    text: str, node: Node, key: Node, parent: Mapping, new: Dict[str, NewValue] | Elements[NewValue]
) -> Splice:
    """Put fields or elements where there is nothing, only a null, or an empty collection."""
    start, end = node.start, node.end
    between = text[key.end : start]
    # An anchor or a tag stays in the line of the key, and so does what follows it.
    is_marked = text[start : start + 1] in ("&", "!")
    if not parent.flow_style and between.strip(" \t") == ":" and not is_marked:
        lines = _lines_below(text, parent, new)
        break_ = layout.line_break(text)
        return Splice(
            key.end + between.index(":") + 1, end, "".join(break_ + line for line in lines)
        )
    return _fill(
        text,
        key,
        node,
        write_flow(new, style=layout.key_style(key)),
        "map" if is_mapping(node) else "seq",
    )


def _lines_below(
    text: str, parent: Mapping, new: Dict[str, NewValue] | Elements[NewValue]
) -> list[str]:
    """Write fields or elements as a block below their key."""
    indent = layout.indentation(text, parent)
    if isinstance(new, Dict):
        return write_fields(new.items(), indent + 2)
    offset = layout.list_offset(text, parent)
    return _write_elements(new, indent + offset, offset=offset)


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
    return _replace_value(text, (layout.content_start(text, node), end), node, new, fitting)


def _replace_value(text: str, span: tuple[int, int], node: Node, new: str, fitting: str) -> Splice:
    """Put a text in the place of a value.

    Its anchor stays; a standard tag only if it is the fitting one.
    """
    start, end = span
    if node.tag is not None and node.tag.startswith(_STANDARD) and node.tag != _STANDARD + fitting:
        return Splice(node.start, end, " ".join(filter(None, [layout.anchor(text, node), new])))
    gap = " " if start == end and not text[start - 1].isspace() else ""
    return Splice(start, end, gap + new)


def _edit_block_mapping(
    text: str, node: Mapping, change: SetFields, runs: list[tuple[int, int]]
) -> Iterator[Splice]:
    indent = layout.indentation(text, node)
    is_plain = all(isinstance(value, _Scalar) for _, value in change.add)
    offset = 0 if is_plain else layout.list_offset(text, node)
    lines = write_fields(change.add, indent, offset=offset)
    starts = [layout.entry_start(text, key) for key, _ in node.value] if runs else []
    if runs == [(0, len(node.value))]:
        yield replace_lines(
            text,
            starts[0],
            layout.value_end(text, *node.value[-1]),
            lines or [" " * indent + "{}"],
            indent,
        )
        return
    for first, behind in runs:
        line = layout.line_start(text, starts[first])
        # The run is behind a `- `: what follows moves up to its place.
        if text[line : starts[first]].strip(" "):
            yield Splice(starts[first], starts[behind], "")
        else:
            yield Splice(
                line,
                layout.line_after(text, layout.value_end(text, *node.value[behind - 1]))[0],
                "",
            )
    if lines:
        end, line_break = layout.line_after(text, layout.value_end(text, *node.value[-1]))
        if not line_break and layout.ends_in_block_scalar(node):
            first_kept = runs[0][1] if runs and runs[0][0] == 0 else 0
            yield _insert_before(
                text, layout.entry_start(text, node.value[first_kept][0]), lines, indent
            )
        else:
            yield _append_lines(text, end, line_break, lines)


def _edit_flow_mapping(
    text: str, node: Mapping, change: SetFields, runs: list[tuple[int, int]]
) -> Iterator[Splice]:
    opening, closing = layout.flow_span(text, node)
    style = layout.key_style(node.value[0][0]) if node.value else ""
    added = [write_flow({name: value}, style=style)[1:-1] for name, value in change.add]
    if runs == [(0, len(node.value))] or not node.value:
        yield Splice(opening + 1, closing, ", ".join(added))
        return
    spans: list[tuple[int, int]] = []
    if runs:
        spans = [(key.start, layout.value_end(text, key, value)) for key, value in node.value]
    yield from _drop_from_flow(spans, runs)
    if added:
        yield _append_to_flow(text, node, added, closing)


def _append_to_flow(text: str, node: Mapping, added: list[str], closing: int) -> Splice:
    key, value = node.value[-1]
    end = layout.value_end(text, key, value)
    compact = text[key.end : key.end + 2] in (':"', ":{", ":[")
    gap = layout.gap_before(text, key.start) or ("" if compact else " ")
    # A comma behind `a:` or `a: !!str` would belong to the key or to the tag.
    is_nothing = (
        is_scalar(value) and not value.value and not value.style and not layout.is_alias(key, value)
    )
    apart = " " if is_nothing and end > key.end and not text[end - 1].isspace() else ""
    trailing_comma = "," in layout.without_comments(text[end:closing])
    if trailing_comma:
        return Splice(end, end, apart + "," + gap + ("," + gap).join(added))
    return Splice(end, end, apart + "".join("," + gap + entry for entry in added))


def _edit_flow_list(
    text: str, node: Sequence, change: SetItems, runs: list[tuple[int, int]]
) -> Iterator[Splice]:
    opening, closing = layout.flow_span(text, node)
    spans = layout.element_spans(text, node)
    first = node.value[0]
    # The quotes of the texts in this list, or of the field names in it.
    style = layout.key_style(first.value[0][0] if is_mapping(first) and first.value else first)
    added = [write_flow(item, style=style) for item in change.add]
    if runs == [(0, len(spans))]:
        yield Splice(opening + 1, closing, ", ".join(added))
        return
    yield from _drop_from_flow(spans, runs)
    if added:
        start, end = spans[-1]
        gap = layout.gap_before(text, start) or (" " if len(spans) == 1 else "")
        yield Splice(end, end, ("," + gap).join(["", *added]))


def _drop_from_flow(spans: list[tuple[int, int]], runs: list[tuple[int, int]]) -> Iterator[Splice]:
    """Drop runs of fields or elements, but not all, and as many commas."""
    for first, behind in runs:
        if behind < len(spans):
            start, end = spans[first][0], spans[behind][0]
        else:
            start, end = spans[first - 1][1], spans[-1][1]
        yield Splice(start, end, "")


def _edit_block_list(
    text: str, node: Sequence, change: SetItems, runs: list[tuple[int, int]]
) -> Iterator[Splice]:
    indent = layout.indentation(text, node)
    lines = _write_elements(change.add, indent)
    # The long lists only grow, so their elements need no closer look.
    if not runs and not layout.ends_in_block_scalar(node.value[-1]):
        yield _append_lines(text, *layout.line_after(text, layout.node_end(text, node)), lines)
        return
    dashes, ends = _dashes_and_ends(text, node)
    if runs == [(0, len(ends))]:
        # `[]` below its key needs a column more than a dash does, which may be right below the key.
        yield replace_lines(text, dashes[0], ends[-1], lines or [" " * (indent + 1) + "[]"], indent)
        return
    for first, behind in runs:
        keep_break = layout.ends_in_block_scalar(node.value[first - 1])
        yield _drop_elements(text, dashes, ends, (first, behind), keep_break=keep_break)
    if lines:
        end, line_break = layout.line_after(text, ends[-1])
        kept = [index for index in range(len(ends)) if index not in change.drop]
        if not line_break and layout.ends_in_block_scalar(node.value[kept[-1]]):
            yield _insert_before(text, dashes[kept[0]], lines, indent)
        else:
            yield _append_lines(text, end, line_break, lines)


def _dashes_and_ends(text: str, node: Sequence) -> tuple[list[int], list[int]]:
    """Return the position of each element's dash, and that of its end."""
    dashes, ends = [], []
    behind = layout.content_start(text, node)
    for start, end in layout.element_spans(text, node):
        dashes += [
            found.start()
            for found in re.compile(_DASH).finditer(text, behind, start)
            if found.group(1)
        ][:1]
        ends.append(end)
        behind = end
    return dashes, ends


def _drop_elements(
    text: str, dashes: list[int], ends: list[int], run: tuple[int, int], *, keep_break: bool
) -> Splice:
    """Drop the lines of a run of elements.

    `keep_break`: the line break before them belongs to a block scalar.
    """
    first, behind = run
    start = layout.line_start(text, dashes[first])
    # The dash is behind another one or a `:`: what follows moves up.
    if text[start : dashes[first]].strip(" "):
        return Splice(dashes[first], dashes[behind], "")
    end, line_break = layout.line_after(text, ends[behind - 1])
    # The text ends here without a line break, and must still do so.
    if not line_break and not keep_break:
        start = len(text[:start].removesuffix("\n").removesuffix("\r"))
    return Splice(start, end, "")


def replace_lines(text: str, start: int, end: int, lines: list[str], indent: int) -> Splice:
    """Put lines in the place of a whole block that begins at column `indent`."""
    # A block scalar ends behind its line break, which is needed in front of what follows.
    tail = layout.line_break(text) if layout.is_break(text, end - 1) else ""
    return Splice(
        start,
        end,
        (layout.line_break(text) + " " * indent).join(line[indent:] for line in lines) + tail,
    )


def _insert_before(text: str, start: int, lines: list[str], indent: int) -> Splice:
    """Insert before the first entry that stays.

    At the end, a line break would become part of a block scalar.
    """
    break_ = layout.line_break(text) + " " * indent
    return Splice(start, start, "".join(line[indent:] + break_ for line in lines))


def _append_lines(text: str, position: int, line_break: str, lines: list[str]) -> Splice:
    """Insert lines at the start of a line.

    `line_break` ends the line before; `""` where the text ends without one.
    """
    if line_break:
        return Splice(position, position, "".join(line + line_break for line in lines))
    return Splice(position, position, "".join(layout.line_break(text) + line for line in lines))
