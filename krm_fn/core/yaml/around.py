"""The tree of an edited text, of which only what the edits touch is read: the rest is that of the text before.

The entries of a block mapping or list have lines of their own, so each can be read alone, and so can lines that are
inserted between two of them. Nothing in here knows what was planned, nor how the splices came about.
"""

import re
from typing import Any, NamedTuple

from krm_fn.base.node import Node
from krm_fn.core.yaml.alone import Key, Texts, Unusual
from krm_fn.core.yaml.excerpt import is_uneven
from krm_fn.core.yaml.nodes import OTHER_BREAKS, MappingNode, SequenceNode
from krm_fn.core.yaml.reader import Document, has_equal_keys
from krm_fn.core.yaml.splice import Splice

_BORDER = re.compile(r"\n(?:---|\.\.\.)(?=\s|\Z)")
_UNUSUAL = f"{OTHER_BREAKS}\ufeff"


class _Limit(NamedTuple):
    """What an entry ends before: the line in which something starts behind `dash`; with None, that very place."""

    start: int
    dash: str | None


class _Reading(NamedTuple):
    """Texts, and where in a collection their entries go: at a position, in the place of one entry or of none."""

    texts: list[Key]
    collection: Any
    position: int
    replaced: int


def read_around(document: Document, order: list[Splice], output: str) -> list[Node] | None:
    """Return the roots of `output`. Nodes that no splice touches are those of the document.

    None where the output is not the document with these splices, in order, or where it must be read as a whole:
    because of aliases or flow style, because lines were removed, or because what was edited is no YAML.
    """
    if document.has_aliases or not _is_even(document.text, order, output):
        return None
    if not _is_spliced(document.text, order, output):
        return None
    try:
        return _Tree(document, order).read()
    except Unusual:
        return None


def _is_even(text: str, order: list[Splice], output: str) -> bool:
    """Tell whether lines are what they seem to be, before and after."""
    if is_uneven(output):
        return False
    if any(one in output for one in _UNUSUAL) or output.count("\r") != output.count("\r\n"):
        return False
    replaced = "".join([text[start:end] for start, end, _ in order])
    return not any(one in replaced for one in f"?%\r{_UNUSUAL}")


def _is_spliced(text: str, order: list[Splice], output: str) -> bool:
    """Tell whether the output is the text with these splices, and nothing else, character by character."""
    position = at = 0
    for start, end, new in order:
        if not position <= start <= end:
            return False
        same = text[position:start]
        if not output.startswith(same, at) or not output.startswith(new, at + len(same)):
            return False
        at += len(same) + len(new)
        position = end
    return output[at:] == text[position:]


class _Tree:
    """The copies of the collections that splices are in, and what is to be read."""

    def __init__(self, document: Document, order: list[Splice]) -> None:
        self._document = document
        self._text = document.text
        self._order = order
        self._texts = Texts()
        self._readings: list[_Reading] = []
        self._todo: list[tuple[Any, _Limit, list[Splice], int]] = []

    def read(self) -> list[Node]:
        roots: list[Any] = []
        low = 0
        for root in self._document.roots:
            end = self._end_of_document(root)
            high = low
            while high < len(self._order) and self._order[high].start <= end:
                high += 1
            here = self._order[low:high]
            roots.append(self._enter(root, _Limit(end, None), here, 1) if here else root)
            low = high
        if low < len(self._order):
            raise Unusual
        while self._todo:
            self._visit(*self._todo.pop())
        self._fill()
        return roots

    def _end_of_document(self, root: Node) -> int:
        border = _BORDER.search(self._text, root.start)
        return border.start() + 1 if border else len(self._text)

    def _enter(self, node: Any, limit: _Limit, splices: list[Splice], depth: int) -> Any:
        """Return a copy of a collection, for the splices in it."""
        if node.id == "scalar" or node.flow_style or not node.value:
            raise Unusual
        copy = node.copy()
        self._todo.append((copy, limit, splices, depth))
        return copy

    def _visit(self, node: Any, limit: _Limit, splices: list[Splice], depth: int) -> None:
        """Find the entry of each splice."""
        is_mapping = node.__class__ is MappingNode
        starts = [key.start for key, _ in node.value] if is_mapping else [element.start for element in node.value]
        dash = "" if is_mapping else "-"
        last = len(starts) - 1
        index = low = 0
        if splices[0].start < starts[0]:
            raise Unusual
        while low < len(splices):
            while index < last and not self._is_before(splices[low], starts[index + 1]):
                index += 1
            high = len(splices)
            if index < last:
                high = low + 1
                while high < len(splices) and self._is_before(splices[high], starts[index + 1]):
                    high += 1
            behind = limit if index == last else _Limit(starts[index + 1], dash)
            self._split(node, index, behind, splices[low:high], depth)
            low = high

    def _is_before(self, splice: Splice, start: int) -> bool:
        """Tell whether a splice is before an entry: lines in front of it may belong to the entry before."""
        if splice.start != start:
            return splice.start < start
        return _inserts_lines(splice) and self._text[start - 1 : start] == "\n"

    def _split(self, node: Any, index: int, limit: _Limit, splices: list[Splice], depth: int) -> None:
        """Tell edits of an entry from new entries behind it."""
        inside = splices
        if any(map(_inserts_lines, splices)):
            border = self._border(limit)
            new = [splice for splice in splices if self._is_new(splice, border, node)]
            if new:
                inside = splices[: -len(new)]
                if new != splices[-len(new) :]:
                    raise Unusual
                for splice in new:
                    self._insert(splice.text, node, index + 1, depth)
        if inside:
            self._edit(node, index, limit, inside, depth)

    def _border(self, limit: _Limit) -> int:
        """Return where the line begins that an entry ends before."""
        start, dash = limit
        if dash is None:
            return start
        line = self._text.rfind("\n", 0, start) + 1
        if self._text[line:start].strip(" ") != dash:
            raise Unusual
        return line

    def _is_new(self, splice: Splice, border: int, node: Any) -> bool:
        """Tell whether a splice inserts entries of a collection, in lines of their own, at the end of another one."""
        if splice.start != border or not _inserts_lines(splice) or self._text[border - 1 : border] != "\n":
            return False
        new = splice.text
        indent = len(new) - len(new.lstrip(" "))
        if new[indent] in "\r\n#" or indent != self._indent(node):
            return False
        return new.startswith(("- ", "-\n", "-\r"), indent) is (node.__class__ is SequenceNode)

    def _indent(self, node: Any) -> int:
        """Return the column of the keys of a mapping, or of the dashes of a list."""
        if node.__class__ is MappingNode:
            start = node.value[0][0].start
            return int(start - self._text.rfind("\n", 0, start) - 1)
        dash = self._dash(node.value[0].start)
        return dash - self._text.rfind("\n", 0, dash) - 1

    def _dash(self, start: int) -> int:
        """Return the place of the dash in front of an element, in the same line."""
        dash = start - 1
        while self._text[dash : dash + 1] == " ":
            dash -= 1
        if dash < 0 or dash == start - 1 or self._text[dash] != "-":
            raise Unusual
        return dash

    def _edit(self, node: Any, index: int, limit: _Limit, splices: list[Splice], depth: int) -> None:
        """Go into the value of an entry if all splices are in there, or else read the entry alone."""
        entry = node.value[index]
        key, value = entry if node.__class__ is MappingNode else (entry, entry)
        if value.id != "scalar" and value.value and not value.flow_style:
            inner = value.value[0][0] if value.id == "mapping" else value.value[0]
            if splices[0].start >= inner.start:
                copy = self._enter(value, limit, splices, depth + 1)
                node.value[index] = copy if value is entry else (key, copy)
                return
        start = key.start if value is not entry else self._dash(key.start)
        border = self._border(limit)
        new = self._spliced(start, border, splices)
        is_last = border == len(self._text) and splices[-1] is self._order[-1]
        if splices[-1].end > border or (new[-1:] != "\n" and not is_last):
            raise Unusual
        column = start - self._text.rfind("\n", 0, start) - 1
        self._readings.append(_Reading([self._texts.add(new, column, depth)], node, index, 1))

    def _spliced(self, start: int, end: int, splices: list[Splice]) -> str:
        pieces: list[str] = []
        for splice in splices:
            pieces += [self._text[start : splice.start], splice.text]
            start = splice.end
        pieces.append(self._text[start:end])
        return "".join(pieces)

    def _insert(self, new: str, node: Any, index: int, depth: int) -> None:
        """Read lines that are inserted in front of an entry."""
        indent = self._indent(node)
        self._readings.append(_Reading(self._texts.add_entries(new[indent:], indent, depth), node, index, 0))

    def _fill(self) -> None:
        """Read all texts, and put their entries where they belong, the last ones first."""
        self._texts.read()
        changed: dict[Any, None] = {}
        for texts, node, position, replaced in reversed(self._readings):
            found = self._texts.collection(texts)
            if found.__class__ is not node.__class__:
                raise Unusual
            if node.__class__ is MappingNode:
                changed[node] = None
            node.value[position : position + replaced] = found.value
        if any(has_equal_keys(node.value) for node in changed):
            raise Unusual


def _inserts_lines(splice: Splice) -> bool:
    return splice.start == splice.end and splice.text[-1:] == "\n"
