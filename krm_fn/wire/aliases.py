"""Text that stands for several places at once: bounded here, so that all later code may walk without care."""

from collections.abc import Iterator

from krm_fn.model.node import Node
from krm_fn.model.problem import Rejected
from krm_fn.wire.place import at

MAX_EXPANDED = 1_000_000
MAX_EXPANSION = 4
"""A text may stand for a million nodes once its aliases are written out, or for four times what is written."""


def has_shared(roots: list[Node]) -> bool:
    """Whether any node is reached twice, scalars included."""
    seen: set[int] = set()
    stack: list[Node] = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            return True
        seen.add(id(node))
        stack.extend(children(node))
    return False


def children(node: Node) -> Iterator[Node]:
    """The nodes right below a node, keys included."""
    if node.id == "mapping":
        for key, value in node.value:
            yield key
            yield value
    elif node.id == "sequence":
        yield from node.value


def refuse_explosion(roots: list[Node]) -> None:
    """Raise where aliases are recursive or stand for many times what is written."""
    sizes: dict[int, int] = {}

    def size(node: Node) -> int:
        known = sizes.get(id(node))
        if known == 0:
            raise Rejected(at(node.start_mark, "an alias inside its own anchor: the document never ends"))
        if known is None:
            sizes[id(node)] = 0
            known = 1 + sum(size(child) for child in children(node))
            sizes[id(node)] = known
        return known

    expanded = sum(size(root) for root in roots)
    if expanded > max(MAX_EXPANDED, MAX_EXPANSION * len(sizes)):
        largest = max(roots, key=size)
        raise Rejected(at(largest.start_mark, f"aliases expand {len(sizes)} nodes to {expanded}"))
