"""Read a graph back from each of its forms, without the programs that draw them."""

import re
from html import unescape
from typing import NamedTuple

from krm_fn.graph.graph import Graph
from krm_fn.model.printable import printable

_MERMAID_NODE = re.compile(r'    n(\d+)\["([^"]*)"\]:::(\w+)')
_MERMAID_EDGE = re.compile(r"  n(\d+) (-->|-\. owns \.->) n(\d+)")
_DOT_NODE = re.compile(r'    n(\d+) \[class=(\w+) label="((?:[^"\\]|\\.)*)".*\]')
_DOT_EDGE = re.compile(r"  n(\d+) -> n(\d+) \[class=(\w+).*\]")


class Read(NamedTuple):
    """Nodes as position, look and lines; edges as source, target and tie."""

    nodes: list[tuple[int, str, list[str]]]
    edges: list[tuple[int, int, str]]


def expect(graph: Graph) -> Read:
    """Return what each form should hold."""
    nodes = [
        (position, node.look.value, [printable(line) for line in (f"{node.kind} {node.place}", node.state) if line])
        for position, node in enumerate(graph.nodes)
    ]
    return Read(nodes, [(edge.source, edge.target, edge.tie.value) for edge in graph.edges])


def read_mermaid(text: str) -> Read:
    nodes, edges = [], []
    for line in text.splitlines():
        if node := _MERMAID_NODE.fullmatch(line):
            nodes.append((int(node[1]), node[3], [_decode_mermaid(part) for part in node[2].split("<br/>")]))
        if edge := _MERMAID_EDGE.fullmatch(line):
            edges.append((int(edge[1]), int(edge[3]), "references" if edge[2] == "-->" else "owns"))
    return Read(nodes, edges)


def read_dot(text: str) -> Read:
    nodes, edges = [], []
    for line in text.splitlines():
        if node := _DOT_NODE.fullmatch(line):
            nodes.append((int(node[1]), node[2], decode_dot(node[3])))
        if edge := _DOT_EDGE.fullmatch(line):
            edges.append((int(edge[1]), int(edge[2]), edge[3]))
    return Read(nodes, edges)


def decode_dot(label: str) -> list[str]:
    """Return the lines of a label, as Graphviz shows them."""
    lines = re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], label).split("\n")
    return [unescape(line) for line in lines]


def _decode_mermaid(label: str) -> str:
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), label)
