"""Put a graph together: nodes and arrows in, the same graph for each order of them out."""

from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

from krm_fn.graph.graph import Edge, Graph, Lane, Look, Node, Tie

Handle: TypeAlias = Hashable
"""What the caller calls a node."""

_LANES = {lane: position for position, lane in enumerate(Lane)}
_LOOKS = {look: position for position, look in enumerate(Look)}


class Builder:
    """Nodes under handles of the caller, and the arrows between them."""

    def __init__(self) -> None:
        self._nodes: dict[Handle, Node] = {}
        self._edges: dict[tuple[Handle, Handle, Tie], set[str]] = defaultdict(set)

    def add(self, handle: Handle, node: Node) -> Handle:
        """Add a node, unless there is one with this handle. Return the handle."""
        self._nodes.setdefault(handle, node)
        return handle

    def tie(self, source: Handle, target: Handle, tie: Tie, field: str = "") -> None:
        """Add an arrow, or a field to one that is there. Both ends must have been added."""
        self._edges[source, target, tie] |= {field} - {""}

    def build(self, title: str, *, is_sorted: bool = False) -> Graph:
        """Return the graph: the nodes of each lane by their looks and texts, and the arrows in the order of these.

        `is_sorted`: the nodes of each lane have been added in the order that they should have.
        """
        rank: Callable[[Node], Any] = _rank_of_lane if is_sorted else _rank
        order = sorted(self._nodes, key=lambda handle: rank(self._nodes[handle]))
        place = {handle: position for position, handle in enumerate(order)}
        edges = [
            Edge(place[source], place[target], tie, tuple(sorted(fields)))
            for (source, target, tie), fields in self._edges.items()
        ]
        return Graph(title, tuple(self._nodes[handle] for handle in order), tuple(sorted(edges)))


def _rank_of_lane(node: Node) -> tuple[int]:
    return (_LANES[node.lane],)


def _rank(node: Node) -> tuple[int, int, Node]:
    return _LANES[node.lane], _LOOKS[node.look], node._replace(keys=node.keys or ())
