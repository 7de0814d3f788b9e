"""The part of an edited text that has to be read again: what the edits touch, and the way to it.

In a large package most fields are far from any edit. Their text is compared with what it was, which takes no time, and
left out. What stays reads the same: a block mapping or list may have more or fewer entries, each in lines of its own.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import NamedTuple

from krm_fn.model.node import Node
from krm_fn.wire.reader import Document
from krm_fn.wire.splice import Splice

# Directives apply to what follows, and the key behind a `?` may be on another line than the `?`.
_UNEVEN = re.compile(r"(?:\A|[\r\n])(?:%|[ \t-]*\?\s)")
_BORDER = re.compile(r"[\r\n](?:---|\.\.\.)")

# It takes longer to leave anything out of so few characters than to read them.
_SMALL = 300


class Excerpt(NamedTuple):
    """`text` is an edited text without the entries in `left_out`: keys of mappings, and elements of lists.

    `is_intact`: what is left out is written as it was.
    """

    text: str
    left_out: frozenset[Node]
    is_intact: bool


class _Cut(NamedTuple):
    """An entry, and its span in the original text."""

    start: int
    end: int
    entry: Node


class _Touched(NamedTuple):
    """The spans that edits touch, in rising order. They do not overlap."""

    starts: list[int]
    ends: list[int]

    def find(self, lines: list[int]) -> list[int]:
        """Return which entries are touched. Entry n is in the lines between the nth and the next border."""
        entries: list[int] = []
        after = 0
        place = bisect_left(self.ends, lines[0])
        while place < len(self.starts) and self.starts[place] <= lines[-1]:
            first = max(bisect_left(lines, self.starts[place]) - 1, after)
            after = min(bisect_right(lines, self.ends[place]), len(lines) - 1)
            entries += range(first, after)
            place += 1
        return entries


def make_excerpt(document: Document, splices: Iterable[Splice], planned: Iterable[Node], output: str) -> Excerpt:
    """Leave out of `output` what neither a splice touches nor a change of the `planned` nodes."""
    text = document.text
    order = sorted(splices, key=lambda splice: splice[:2])
    places = {len(text), *(node.start_mark.index for node in planned)}
    touched = _join([(splice.start, splice.end) for splice in order] + [(place, place) for place in places])
    uneven = document.has_aliases or (("?" in text or "%" in text) and _UNEVEN.search(text))
    cuts = [] if uneven else sorted(_find_untouched(document, touched), key=itemgetter(0))
    return _leave_out(cuts, text, order, output)


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


def _leave_out(cuts: list[_Cut], text: str, splices: list[Splice], output: str) -> Excerpt:
    """Cut the parts out of the output, where the splices before them have moved them."""
    starts = [splice.start for splice in splices]
    shifts = [0, *accumulate(len(splice.text) - (splice.end - splice.start) for splice in splices)]
    pieces: list[str] = []
    position = 0
    is_intact = True
    for start, end, _ in cuts:
        shift = shifts[bisect_left(starts, start)]
        is_intact = is_intact and output[start + shift : end + shift] == text[start:end]
        pieces.append(output[position : start + shift])
        position = end + shift
    pieces.append(output[position:])
    return Excerpt("".join(pieces), frozenset(cut.entry for cut in cuts), is_intact)


def _find_untouched(document: Document, touched: _Touched) -> Iterator[_Cut]:
    """Find the entries to leave out. At least one of each collection stays."""
    has_merges = "<<" in document.text
    stack = [(root, _document_end(document.text, root)) for root in document.roots]
    while stack:
        node, end = stack.pop()
        if node.id == "scalar" or not node.value or node.flow_style:  # type: ignore[attr-defined]  # only scalars lack it
            continue
        is_mapping = node.id == "mapping"
        entries = [key for key, _ in node.value] if is_mapping else node.value
        if has_merges and is_mapping and any(key.value == "<<" for key in entries):
            continue  # its fields are not all its own
        column = entries[0].start_mark.column
        lines = [entry.start_mark.index - column for entry in entries] + [end]
        if not is_mapping and not _is_even(document.text, entries, column):
            continue
        staying = touched.find(lines)
        if not staying or end - lines[0] < _SMALL:
            continue
        stack += [(node.value[one][1] if is_mapping else node.value[one], lines[one + 1]) for one in staying]
        if staying[0]:
            # What is in front of the first entry, such as a dash, stays for the first one that does.
            start, behind = (entries[one].start_mark.index for one in (0, staying[0]))
            yield _Cut(start, behind, entries[0])
            yield from (_Cut(behind, behind, entry) for entry in entries[1 : staying[0]])
        for left, right in pairwise([*staying, len(entries)]):
            yield from (_Cut(lines[one], lines[one + 1], entries[one]) for one in range(left + 1, right))


def _is_even(text: str, elements: list[Node], column: int) -> bool:
    """Tell whether each element but the first follows its dash, all in the same column."""
    marks = [element.start_mark for element in elements[1:]]
    return all(mark.column == column and text.startswith("- ", mark.index - 2) for mark in marks)


def _document_end(text: str, root: Node) -> int:
    border = _BORDER.search(text, root.start_mark.index)
    return border.start() + 1 if border else len(text)
