"""Where the documents of a stream lie in its text."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from krm_fn.model.node import Node, is_null
from krm_fn.wire.yaml_text import Document

# At the start of a line these always end a document, whatever scalar or bracket is open.
_BORDER = re.compile(
    r"(?:(?<=[\r\n\x85\u2028\u2029])|\A)(?:(?=---(?:\s|\Z))|\.\.\.(?=\s|\Z)[^\r\n]*(?:\r\n|[\r\n]|\Z))"
)


class Part(NamedTuple):
    """The span of one document, its marker and the comments around it included, and what it says."""

    start: int
    end: int
    root: Node


def split_documents(document: Document) -> Iterator[Part]:
    """Every document that says something."""
    borders = sorted({0, *(match.end() for match in _BORDER.finditer(document.text)), len(document.text)})
    for root in document.roots:
        if not is_null(root):
            index = bisect_right(borders, root.start_mark.index)
            yield Part(borders[index - 1], borders[index], root)
