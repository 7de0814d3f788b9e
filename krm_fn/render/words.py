"""Words of an object that may be names of others.

Nothing is asked about fields: a name that is missed costs pods their configuration, one too many a second look.
"""

from collections.abc import Iterator

from krm_fn.model.node import Mapping, Node, entries, is_scalar, is_sequence
from krm_fn.model.words import ABOUT_ITSELF, WORD


def words_of(item: Mapping) -> set[str]:
    """Every word of what an object asks for."""
    return {
        word
        for name, value in entries(item)
        if name not in ABOUT_ITSELF
        for text in _texts(value)
        for word in WORD.findall(text)
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
