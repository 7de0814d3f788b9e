"""The end of a text to which another is to be added."""

import re

from krm_fn.model.node import Node, is_scalar
from krm_fn.wire import layout
from krm_fn.wire.yaml_text import read_yaml

_BLOCK_HEADER = re.compile(r"([|>])[+-]?([1-9]?)[+-]?")


def end_last_line(text: str) -> str:
    """The text with a line break at its end, saying the same.

    A block scalar that ends with the file, without a line break, has none in its value; with one it would.
    """
    if not text or text[-1] in "\r\n":
        return text
    scalar = _last_block_scalar(text)
    if scalar is None:
        return text + layout.line_break(text)
    if str(scalar.value).endswith("\n"):  # its last line is nothing but spaces
        return text.rstrip(" ")
    start = layout.content_start(text, scalar)
    return text[:start] + _BLOCK_HEADER.sub(r"\1\2-", text[start:], count=1) + layout.line_break(text)


def _last_block_scalar(text: str) -> Node | None:
    """The block scalar that the text ends in, if it does."""
    roots = read_yaml(text.encode()).roots
    node = roots[-1] if roots else None
    while node is not None and node.value and not is_scalar(node):
        node = node.value[-1][1] if node.id == "mapping" else node.value[-1]
    ends_here = is_scalar(node) and node.style in ("|", ">") and not text[node.end_mark.index :].strip(" ")
    return node if ends_here else None
