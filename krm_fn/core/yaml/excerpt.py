"""Leave out of an edited text what no edit touches, and put it in again behind the proof.

Only what the edits touch is read again, and the way to it: in a large package most fields are far
from any edit. Text that has not changed is left out where it must read the same, because a block
mapping or list may have more or fewer entries, each in lines of its own. Objects that are added to
many namespaces differ in little but the namespace: what they have in common is read once.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from collections.abc import Mapping as Dict
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from krm_fn.base.changes import Changes, Object
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    NewValue,
    Node,
    children,
    elements,
    get,
    is_mapping,
    is_scalar,
    is_sequence,
)
from krm_fn.core.yaml.reader import Document, SchemaNode
from krm_fn.core.yaml.splice import Splice

# Directives apply to what follows, and the key behind a `?` may be on another line than the `?`.
_UNEVEN = r"[\r\n](?:%|[ \t-]*\?\s)"
# The reader refuses a marker behind a carriage return alone.
_BORDER = re.compile(r"\n(?:---|\.\.\.)(?=\s|\Z)")

# It takes longer to leave anything out of so few characters than to read them.
_SMALL = 300

_Spans: TypeAlias = list[tuple[int, int]]
_Pairs: TypeAlias = list[tuple[Node, Node]]


class Excerpt(NamedTuple):
    """`text` is an edited text without the documents and entries that no edit touches.

    `roots` are the other documents. `kept` has the other entries of each collection that lacks
    some: pairs of a mapping, or elements of a list. `is_intact`: what is left out is written as it
    was.
    """

    text: str
    roots: list[Node]
    kept: Dict[Node, list[Any]]
    is_intact: bool


class _Touched(NamedTuple):
    """The spans that edits touch, in rising order. They do not overlap."""

    starts: list[int]
    ends: list[int]

    def find(self, borders: list[int]) -> list[int]:
        """Return which entries are touched. Entry n is between the nth border and the next."""
        entries: list[int] = []
        behind = 0  # the first entry that is not looked at yet
        span = bisect_left(self.ends, borders[0])
        while span < len(self.starts) and self.starts[span] <= borders[-1]:
            # A span that only meets a border touches the entries on both sides of it.
            first = max(bisect_left(borders, self.starts[span]) - 1, behind)
            behind = min(bisect_right(borders, self.ends[span]), len(borders) - 1)
            entries += range(first, behind)
            # All spans within these entries are dealt with, however many they are.
            span = bisect_left(self.ends, borders[behind], span + 1)
        return entries


def make_excerpt(
    document: Document, splices: list[Splice], planned: Iterable[Node], output: str
) -> Excerpt:
    """Leave out of `output` what neither a splice touches nor a change of the `planned` nodes.

    The splices are in the order of the text.
    """
    text = document.text
    if document.has_aliases or _is_uneven(document):
        return Excerpt(output, document.roots, {}, is_intact=True)
    edited = [(splice.start, splice.end) for splice in splices]
    # The end of the text, too: new documents follow it.
    starts = {len(text), *(node.start for node in planned)}
    touched = _join(edited + [(start, start) for start in starts])
    documents, spans = _find_documents(document, touched)
    # Merged fields are not all its own. Of a field that is there twice, one could be left out.
    is_clear = not document.repeated and "<<" not in text and "\\" not in text
    kept, inner = _find_untouched(text, documents, touched, is_clear=is_clear)
    rest, is_intact = _leave_out(sorted(spans + inner), text, splices, output)
    return Excerpt(rest, [root for root, _ in documents], kept, is_intact)


def _is_uneven(document: Document) -> bool:
    """Tell whether a line of YAML is a directive, or begins with the sign of a key.

    A line within a scalar is neither, as of a folded CEL rule `a ? b : c`, and none of a schema
    without nodes. There are no aliases.
    """
    text = f"\n{document.text}"
    # Fast, and rare in a text without such lines.
    may_be = "\n%" in text or "\r%" in text or ("?" in text and re.search(r"\?\s", text))
    if not may_be:
        return False
    lines = [found.start() for found in re.finditer(_UNEVEN, text)]
    within = 0
    stack = [*document.roots]
    while stack:
        node = stack.pop()
        held = bisect_left(lines, node.end) - bisect_right(lines, node.start)
        if not held:
            continue  # as nearly everywhere
        if is_scalar(node) or isinstance(node, SchemaNode):
            within += held
        else:
            stack.extend(children(node))
    return within < len(lines)


def _join(spans: _Spans) -> _Touched:
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(spans):
        if ends and start <= ends[-1]:
            ends[-1] = max(end, ends[-1])
        else:
            starts.append(start)
            ends.append(end)
    return _Touched(starts, ends)


def _find_documents(document: Document, touched: _Touched) -> tuple[list[tuple[Node, int]], _Spans]:
    """Return the documents to keep, each with its end, and the spans of the others."""
    documents = [(root, _document_end(document.text, root)) for root in document.roots]
    borders = [0, *(_behind_marker(document.text, end) for _, end in documents)]
    if len({*borders}) < len(borders):  # an empty document
        return documents, []
    staying = touched.find(borders)
    return [documents[index] for index in staying], _find_gaps(borders, [-1, *staying])


def _behind_marker(text: str, end: int) -> int:
    """Return where a document ends: a line `...` that ends it is left out with it."""
    if not text.startswith("...", end):
        return end
    line_break = text.find("\n", end)
    return len(text) if line_break < 0 else line_break + 1


def _find_gaps(borders: list[int], staying: list[int]) -> _Spans:
    """Return the spans of the entries behind each one that stays, up to the next one or to the end.

    Entry n is between the nth border and the next. -1 stands for what is in front of the first.
    """
    return [
        (borders[left + 1], borders[right])
        for left, right in pairwise([*staying, len(borders) - 1])
        if right > left + 1
    ]


def _find_untouched(
    text: str, documents: list[tuple[Node, int]], touched: _Touched, *, is_clear: bool
) -> tuple[dict[Node, list[Any]], _Spans]:
    """Return the entries to keep of each collection that lacks some, and the spans of the others.

    At least one entry stays. `is_clear`: no mapping of the text merges fields or has one twice.
    """
    kept: dict[Node, list[Any]] = {}
    spans: _Spans = []
    stack = [*documents]
    while stack:
        node, end = stack.pop()
        entries = _separable(text, node, is_clear=is_clear) if end - node.start >= _SMALL else []
        if not entries:
            continue
        column = entries[0].column
        borders = [entry.start - column for entry in entries]
        borders.append(end)
        staying = touched.find(borders)
        if not staying:
            continue
        # A key says nothing of what is below its value; an element is what is below.
        for index in staying:
            below = node.value[index][1] if node.id == "mapping" else entries[index]
            stack.append((below, borders[index + 1]))
        if len(staying) < len(entries):
            kept[node] = [node.value[index] for index in staying]
        if staying[0]:
            # What is in front of the first entry, such as a dash, stays for the first one that
            # does.
            spans.append((entries[0].start, entries[staying[0]].start))
        spans += _find_gaps(borders, staying)
    return kept, spans


def _separable(text: str, node: Node, *, is_clear: bool) -> list[Node]:
    """Return the entries of a collection; none where their lines cannot be told apart.

    The entries of a mapping are its keys.
    """
    if is_scalar(node) or node.flow_style:  # type: ignore[attr-defined]  # only scalars lack it
        return []
    if node.id == "mapping":
        if not is_clear:
            names = [key.value for key, _ in node.value if is_scalar(key)]
            is_clear = "<<" not in names and len({*names}) == len(names)
        return [key for key, _ in node.value] if is_clear else []
    return node.value if _is_even(text, node.value) else []


def _is_even(text: str, elements: list[Node]) -> bool:
    """Tell whether each element but the first follows its dash, all in the same column."""
    column = elements[0].column
    before = "\n" + "- ".rjust(column)
    return all(text.startswith(before, element.start - column - 1) for element in elements[1:])


def _document_end(text: str, root: Node) -> int:
    border = _BORDER.search(text, root.start)
    return border.start() + 1 if border else len(text)


def _leave_out(spans: _Spans, text: str, splices: list[Splice], output: str) -> tuple[str, bool]:
    """Cut the spans out of the output, where the splices before them have moved them.

    Tell whether they are there.
    """
    starts = [splice.start for splice in splices]
    shifts = [0, *accumulate(len(splice.text) - (splice.end - splice.start) for splice in splices)]
    pieces: list[str] = []
    position = 0
    is_intact = True
    for start, end in spans:
        shift = shifts[bisect_left(starts, start)]
        is_intact = is_intact and output.startswith(text[start:end], start + shift)
        pieces.append(output[position : start + shift])
        position = end + shift
    pieces.append(output[position:])
    return "".join(pieces), is_intact


# What new objects have in common.


class Edited(NamedTuple):
    """The envelope after changes, and how it became that: by splices, in the order of the text."""

    changes: Changes
    splices: list[Splice]
    output: str


def shorten(resource_list: Node | None, edited: Edited) -> Edited:
    """Leave out fields of new objects so that what is left is right if, and only if, the whole is.

    Only where they are elements behind the last one of the ResourceList, written as lines below one
    another.
    """
    changes, splices, output = edited
    last = elements(get(resource_list, "items"))[-1:]
    if not changes.add or not last:
        return edited
    dash = " " * (last[0].column - 2) + "- "
    moved = 0  # by how much the splices before have moved the text
    for index, splice in enumerate(splices):
        start = splice.start + moved
        end = start + len(splice.text)
        if splice.start > last[0].start and splice.text.startswith(dash):
            # Where the output does not say this, the whole is compared, which tells the place.
            if output[start:end] != splice.text:
                return edited
            text, objects = leave_out_repeated(splice.text, changes.add)
            shorter = [*splices]
            shorter[index] = splice._replace(text=text)
            shortened = output[:start] + text + output[end:]
            return Edited(changes._replace(add=objects), shorter, shortened)
        moved += len(splice.text) - (splice.end - splice.start)
    return edited


def leave_out_repeated(text: str, objects: tuple[Object, ...]) -> tuple[str, tuple[Object, ...]]:
    """Leave each field out of elements that an earlier element has in the same words and value.

    The earlier one is read, so both say that value or neither does. Nothing is left out unless the
    text is what it seems to be: whole lines, each field from its name on to the next.
    """
    indent = len(text) - len(text.lstrip(" "))
    written = _fields(text, indent)
    if [*map(len, written)] != [*map(len, objects)]:
        return text, objects
    margin = " " * (indent + 2)
    seen: set[tuple[str, str]] = set()
    lines: list[str] = []
    left: list[Object] = []
    for texts, wanted in zip(written, objects, strict=True):
        kept: dict[str, NewValue] = {}
        for field, (name, value) in zip(texts, wanted.items(), strict=True):
            said = field, repr(value)  # `==` is not enough: 1 equals True
            if said in seen:
                continue
            if field.startswith(f"{margin}{name}:"):  # the line with the dash stays
                seen.add(said)
            lines.append(field)
            kept[name] = value
        left.append(kept)
    return "".join(lines), tuple(left)


def _fields(text: str, indent: int) -> list[list[str]]:
    """Return the lines of each field of each element; nothing if the text has other lines.

    A field is the line of its name, and the lines below that are further to the right or have a
    dash. None has a `*`, because an alias may mean something else in another place.
    """
    margin = " " * indent
    found = [
        *re.finditer(
            rf"(?m:^){margin}(?:(?P<dash>- )|  )[A-Za-z0-9\"'][^*\n]*\n(?:{margin}  [ -][^*\n]*\n)*",
            text,
        )
    ]
    if sum(len(field[0]) for field in found) != len(text):
        return []
    written: list[list[str]] = []
    for field in found:
        if field["dash"]:
            written.append([])
        written[-1].append(field[0])
    return written


def complete(roots: list[Node], excerpt: Excerpt, read: Dict[Node, Node]) -> list[Node] | None:
    """Return the documents of the output; None where entries were left out of a list that has changed.

    `roots` are those of the input. `read` has what was read in the place of each of its documents,
    and of each collection of which only some entries were. These collections get the others.
    """
    for before, kept in excerpt.kept.items():
        node = read.get(before)
        entries = None if node is None else _entries(node, before, kept)
        if node is None or entries is None:
            return None
        node.value = entries
    return [read.get(root, root) for root in roots]


def _entries(node: Node, before: Node, kept: list[Any]) -> list[Any] | None:
    if is_mapping(node) and is_mapping(before):
        return _complete_fields(node.value, before.value, kept)
    if not is_sequence(node) or len(node.value) != len(kept):
        return None
    found = iter(node.value)
    stay = set(kept)
    return [next(found) if element in stay else element for element in before.value]


def _complete_fields(written: _Pairs, before: _Pairs, kept: _Pairs) -> _Pairs | None:
    """Return the fields in their order, new ones behind them."""
    by_name = {key.value: (key, value) for key, value in written if is_scalar(key)}
    if len(by_name) < len(written):
        return None
    stay = {key for key, _ in kept}
    found: _Pairs = []
    for key, value in before:
        if key not in stay:
            found.append((key, value))
        elif key.value in by_name:
            found.append(by_name.pop(key.value))
    return [*found, *by_name.values()]
