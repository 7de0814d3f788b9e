"""The part of an edited text that has to be read again: what the edits touch, and the way to it.

In a large package most fields are far from any edit. Their text is compared with what it was, which takes no time, and
left out. What stays reads the same: a block mapping or list may have more or fewer entries, each in lines of its own.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from collections.abc import Mapping as Dict
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from krm_fn.base.node import Node, is_scalar
from krm_fn.core.yaml.reader import Document, walk
from krm_fn.core.yaml.splice import Splice

# Directives apply to what follows, and the key behind a `?` may be on another line than the `?`.
_UNEVEN = r"[\r\n](?:%|[ \t-]*\?\s)"
# The reader refuses a marker behind a carriage return alone.
_BORDER = re.compile(r"\n(?:---|\.\.\.)(?=\s|\Z)")

# It takes longer to leave anything out of so few characters than to read them.
_SMALL = 300


class Excerpt(NamedTuple):
    """`text` is an edited text without the documents and entries that no edit touches.

    `roots` are the other documents. `kept` has the other entries of each collection that lacks some: pairs of a
    mapping, or elements of a list. `is_intact`: what is left out is written as it was.
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
        behind = 0
        place = bisect_left(self.ends, borders[0])
        while place < len(self.starts) and self.starts[place] <= borders[-1]:
            first = max(bisect_left(borders, self.starts[place]) - 1, behind)
            behind = min(bisect_right(borders, self.ends[place]), len(borders) - 1)
            entries += range(first, behind)
            place = bisect_left(self.ends, borders[behind], place + 1)
        return entries


def make_excerpt(document: Document, splices: list[Splice], planned: Iterable[Node], output: str) -> Excerpt:
    """Leave out of `output` what neither a splice touches nor a change of the `planned` nodes.

    The splices are in the order of the text.
    """
    text = document.text
    if document.has_aliases or is_uneven(document):
        return Excerpt(output, document.roots, {}, is_intact=True)
    places = {len(text), *(node.start for node in planned)}
    touched = _join([(splice.start, splice.end) for splice in splices] + [(place, place) for place in places])
    documents, spans = _find_documents(document, touched)
    kept, inner = _find_untouched(text, documents, touched)
    rest, is_intact = _leave_out(sorted(spans + inner), text, splices, output)
    return Excerpt(rest, [root for root, _ in documents], kept, is_intact)


def is_uneven(document: Document) -> bool:
    """Tell whether a line of YAML is a directive, or begins with the sign of a key.

    A line within a scalar is neither, as of a folded CEL rule `a ? b : c`.
    """
    text = f"\n{document.text}"
    may_be = "\n%" in text or "\r%" in text or re.search(r"\?\s", text)  # fast, and rare in a text without such lines
    if not may_be:
        return False
    lines = [found.start() for found in re.finditer(_UNEVEN, text)]
    within = 0
    for node in walk(document.roots) if lines else ():
        if is_scalar(node):
            within += bisect_left(lines, node.end) - bisect_right(lines, node.start)
    return within < len(lines)


def _join(spans: list[tuple[int, int]]) -> _Touched:
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(spans):
        if ends and start <= ends[-1]:
            ends[-1] = max(end, ends[-1])
        else:
            starts.append(start)
            ends.append(end)
    return _Touched(starts, ends)


def _find_documents(document: Document, touched: _Touched) -> tuple[list[tuple[Node, int]], list[tuple[int, int]]]:
    """Return the documents to keep, each with its end, and the spans of the others."""
    documents = [(root, _document_end(document.text, root)) for root in document.roots]
    borders = [0]
    for _, end in documents:
        # A line that ends a document is left out with it.
        is_marked = document.text.startswith("...", end)
        borders.append((document.text.find("\n", end) + 1 or len(document.text)) if is_marked else end)
    if len({*borders}) < len(borders):  # an empty document
        return documents, []
    staying = touched.find(borders)
    gaps = pairwise([-1, *staying, len(documents)])
    spans = [(borders[left + 1], borders[right]) for left, right in gaps if right > left + 1]
    return [documents[one] for one in staying], spans


def _find_untouched(
    text: str, documents: list[tuple[Node, int]], touched: _Touched
) -> tuple[dict[Node, list[Any]], list[tuple[int, int]]]:
    """Return the entries to keep of each collection that lacks some, at least one, and the spans of the others."""
    kept: dict[Node, list[Any]] = {}
    spans: list[tuple[int, int]] = []
    stack = [*documents]
    while stack:
        node, end = stack.pop()
        entries = _separable(text, node) if end - node.start >= _SMALL else []
        if not entries:
            continue
        column = entries[0].column
        borders = [entry.start - column for entry in entries]
        borders.append(end)
        staying = touched.find(borders)
        if not staying:
            continue
        is_mapping = node.id == "mapping"
        stack += [(node.value[one][1] if is_mapping else entries[one], borders[one + 1]) for one in staying]
        if len(staying) < len(entries):
            kept[node] = [node.value[one] for one in staying]
        if staying[0]:
            # What is in front of the first entry, such as a dash, stays for the first one that does.
            spans.append((entries[0].start, entries[staying[0]].start))
        gaps = pairwise([*staying, len(entries)])
        spans += [(borders[left + 1], borders[right]) for left, right in gaps if right > left + 1]
    return kept, spans


def _separable(text: str, node: Node) -> list[Node]:
    """Return the entries of a collection, keys for a mapping; none where its lines cannot be told apart."""
    if is_scalar(node) or node.flow_style:  # type: ignore[attr-defined]  # only scalars lack it
        return []
    if node.id == "mapping":
        names = [key.value for key, _ in node.value]
        return [] if "<<" in names else [key for key, _ in node.value]  # merged fields are not all its own
    return node.value if _is_even(text, node.value) else []


def _is_even(text: str, elements: list[Node]) -> bool:
    """Tell whether each element but the first follows its dash, all in the same column."""
    column = elements[0].column
    return all(element.column == column and text.startswith("- ", element.start - 2) for element in elements[1:])


def _document_end(text: str, root: Node) -> int:
    border = _BORDER.search(text, root.start)
    return border.start() + 1 if border else len(text)


def _leave_out(spans: list[tuple[int, int]], text: str, splices: list[Splice], output: str) -> tuple[str, bool]:
    """Cut the spans out of the output, where the splices before them have moved them. Tell whether they are there."""
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
