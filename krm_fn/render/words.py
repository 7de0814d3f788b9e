"""Words of an object that may be names of others.

Nothing is asked about fields: a name that is missed costs pods their configuration, one too many a second look.
"""

import re
from collections.abc import Iterator

from krm_fn.model.node import Mapping, Node, entries, is_scalar, is_sequence

_WORD = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_ABOUT_ITSELF = frozenset({"apiVersion", "kind", "metadata", "status"})


def words_of(item: Mapping) -> set[str]:
    """Every word of what an object asks for."""
    return {
        word
        for name, value in entries(item)
        if name not in _ABOUT_ITSELF
        for text in _texts(value)
        for word in _WORD.findall(text)
    }


def _texts(node: Node) -> Iterator[str]:
    if is_scalar(node):
        yield node.value
    elif is_sequence(node):
        for element in node.value:
            yield from _texts(element)
    else:
        for _, value in entries(node):
            yield from _texts(value)
