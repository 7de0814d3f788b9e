"""A graph as values. Nothing in it is a Secret's value, or a digest of one."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Any, TypeAlias

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import count


class Lane(StrEnum):
    """Where a node is drawn, in order from left to right. The value is the title."""

    REFERRERS = "Workloads and other referrers"
    TEMPLATES = "ReplicaSets and the like"
    REVISIONS = "ConfigMaps and Secrets"
    OWNERS = "Owners"


class NodeStyle(StrEnum):
    """The looks of a node.

    `revision` is one that is rendered or live, `plain` any other ConfigMap or Secret. Of what a
    controller has created from a template, `stable` is what it returns to, `new` what it rolls out,
    and `past` what has no part in that.
    """

    REFERRER = "referrer"
    STABLE = "stable"
    NEW = "new"
    PAST = "past"
    REVISION = "revision"
    PLAIN = "plain"
    ABSENT = "absent"
    OWNER = "owner"


class EdgeKind(StrEnum):
    """The meaning of an arrow. `holds`: references and owns."""

    MAKES = "makes"
    REFERENCES = "references"
    HOLDS = "holds"
    OWNS = "owns"


class DataKey(NamedTuple):
    """A key of a ConfigMap or Secret, and the size of its value in bytes."""

    name: str
    size: int


class GraphNode(NamedTuple):
    """An object. `state` says in a few words what becomes of it. `facts` are sentences about it.

    `keys` is None where the content is not known. `group`: the workload that a template is of.
    `changes`: lines about what differs from the next older revision, each with a sign. `package`:
    the one that it is in, where the picture shows several. All texts are as others wrote them: who
    writes a form escapes them.
    """

    lane: Lane
    style: NodeStyle
    kind: str
    namespace: str
    name: str
    state: str = ""
    facts: tuple[str, ...] = ()
    keys: tuple[DataKey, ...] | None = None
    group: str = ""
    changes: tuple[tuple[str, str], ...] = ()
    package: str = ""

    @property
    def place(self) -> str:
        """The namespace and the name: `shop/web`."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Edge(NamedTuple):
    """An arrow between two nodes, by their positions.

    `fields`: what in the source references the target.
    """

    source: int
    target: int
    kind: EdgeKind
    fields: tuple[str, ...] = ()


class Graph(NamedTuple):
    """All nodes, lane by lane, and all arrows. `title` is what people call it."""

    title: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]

    def lanes(self) -> Iterator[tuple[Lane, list[tuple[int, GraphNode]]]]:
        """Yield the lanes that are not empty, with their nodes and the positions of these."""
        for lane, nodes in groupby(enumerate(self.nodes), lambda pair: pair[1].lane):
            yield lane, [*nodes]


def join_graphs(graphs: Sequence[Graph], title: str) -> Graph:
    """Put the pictures of several packages into one, lane by lane. An object of two packages is there twice."""
    builder = Builder()
    for graph in graphs:
        for position, node in enumerate(graph.nodes):
            named = node._replace(package=graph.title)
            builder.add((graph.title, position), named)
        for edge in graph.edges:
            source, target = (graph.title, edge.source), (graph.title, edge.target)
            for field in edge.fields or ("",):
                builder.connect(source, target, edge.kind, field)
    return builder.build(title, is_sorted=True)


def sum_up_graph(graph: Graph) -> str:
    """Return `2 revisions, 1 other, 1 absent, 3 referrers`."""
    styles = Counter(node.style for node in graph.nodes)
    others, absent = styles[NodeStyle.PLAIN], styles[NodeStyle.ABSENT]
    more = [count(others, "other") if others else "", f"{absent} absent" if absent else ""]
    parts = [
        count(styles[NodeStyle.REVISION], "revision"),
        *more,
        count(styles[NodeStyle.REFERRER], "referrer"),
    ]
    return ", ".join(filter(None, parts))


Handle: TypeAlias = Hashable
"""The key by which the caller knows a node."""

_LANES, _STYLES = [*Lane], [*NodeStyle]


class Builder:
    """Nodes under handles of the caller, and the arrows between them."""

    def __init__(self) -> None:
        self._nodes: dict[Handle, GraphNode] = {}
        self._edges: dict[tuple[Handle, Handle, EdgeKind], set[str]] = defaultdict(set)

    def add(self, handle: Handle, node: GraphNode) -> Handle:
        """Add a node, unless there is one with this handle. Return the handle."""
        # The first one stays: a workload is drawn with its situation before it is drawn as a
        # referrer.
        self._nodes.setdefault(handle, node)
        return handle

    def connect(self, source: Handle, target: Handle, kind: EdgeKind, field: str = "") -> None:
        """Add an arrow, or a field to one that is there. Both ends must have been added."""
        self._edges[source, target, kind] |= {field} - {""}

    def build(self, title: str, *, is_sorted: bool = False) -> Graph:
        """Return the graph: the nodes of each lane by their styles and texts, and the arrows in the order of these.

        `is_sorted`: the nodes of each lane have been added in the order that they should have.
        """
        rank: Callable[[GraphNode], Any] = (
            (lambda node: _LANES.index(node.lane)) if is_sorted else _rank
        )
        order = sorted(self._nodes, key=lambda handle: rank(self._nodes[handle]))
        place = {handle: position for position, handle in enumerate(order)}
        edges = [
            Edge(place[source], place[target], kind, tuple(sorted(fields)))
            for (source, target, kind), fields in self._edges.items()
        ]
        return Graph(title, tuple(self._nodes[handle] for handle in order), tuple(sorted(edges)))


def _rank(node: GraphNode) -> tuple[int, int, GraphNode]:
    # Keys may be None, which has no order beside a tuple.
    return _LANES.index(node.lane), _STYLES.index(node.style), node._replace(keys=node.keys or ())
