"""Read a graph back from each of its forms, without the programs that draw them."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import NamedTuple

from krm_fn.base.problem import printable
from krm_fn.tools.graph.diagrams import write_dot, write_mermaid
from krm_fn.tools.graph.picture import Graph
from krm_fn.tools.graph.to_html import write_html

_MERMAID_NODE = re.compile(r'    n(\d+)\["([^"]*)"\]:::(\w+)')
_MERMAID_EDGE = re.compile(r"  n(\d+) (.*>) n(\d+)")
_MERMAID_KINDS = {
    "-->": "references",
    "-- makes -->": "makes",
    "== owns ==>": "holds",
    "-. owns .->": "owns",
}
_DOT_NODE = re.compile(r'    n(\d+) \[class=(\w+) label="((?:[^"\\]|\\.)*)".*\]')
_DOT_EDGE = re.compile(r"  n(\d+) -> n(\d+) \[class=(\w+).*\]")


class Read(NamedTuple):
    """Nodes as position, style and lines; edges as source, target and kind."""

    nodes: list[tuple[int, str, list[str]]]
    edges: list[tuple[int, int, str]]


def expect(graph: Graph) -> Read:
    """Return what each form should hold."""
    nodes = [
        (
            position,
            node.style.value,
            [
                printable(line)
                for line in (f"{node.kind} {node.place}", node.state, node.package)
                if line
            ],
        )
        for position, node in enumerate(graph.nodes)
    ]
    return Read(nodes, [(edge.source, edge.target, edge.kind.value) for edge in graph.edges])


def assert_every_form_holds(graph: Graph) -> None:
    expected = expect(graph)
    assert read_mermaid("\n".join(write_mermaid(graph))) == expected
    assert read_dot("\n".join(write_dot(graph))) == expected
    assert read_html("\n".join(write_html(graph))) == expected


def read_mermaid(text: str) -> Read:
    nodes, edges = [], []
    for line in text.splitlines():
        if node := _MERMAID_NODE.fullmatch(line):
            nodes.append(
                (int(node[1]), node[3], [_decode_mermaid(part) for part in node[2].split("<br/>")])
            )
        if edge := _MERMAID_EDGE.fullmatch(line):
            edges.append((int(edge[1]), int(edge[3]), _MERMAID_KINDS[edge[2]]))
    return Read(nodes, edges)


def read_dot(text: str) -> Read:
    nodes, edges = [], []
    for line in text.splitlines():
        if node := _DOT_NODE.fullmatch(line):
            nodes.append((int(node[1]), node[2], decode_dot(node[3])))
        if edge := _DOT_EDGE.fullmatch(line):
            edges.append((int(edge[1]), int(edge[2]), edge[3]))
    return Read(nodes, edges)


def read_html(text: str) -> Read:
    reader = _Page()
    reader.feed(text)
    reader.close()
    return Read(
        [(position, style, _lines(texts)) for position, style, texts in reader.nodes], reader.edges
    )


def _lines(texts: dict[str, str]) -> list[str]:
    kind, _, namespace = texts["kind"].partition(" in ")
    place = f"{namespace}/{texts['name']}" if namespace else texts["name"]
    more = (texts.get("state", ""), texts.get("package", ""))
    return [line for line in (f"{kind} {place}", *more) if line]


class _Page(HTMLParser):
    """Reads cards and arrows, and the texts in the summary of each card by their classes."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[tuple[int, str, dict[str, str]]] = []
        self.edges: list[tuple[int, int, str]] = []
        self._part = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "details":
            _, style = given["class"].split()
            self.nodes.append((int(given["id"][1:]), style, {}))
        elif tag == "path" and "data-from" in given:
            self.edges.append(
                (int(given["data-from"][1:]), int(given["data-to"][1:]), given["class"])
            )
        elif given.get("class") in {"kind", "name", "state", "package"}:
            self._part = given["class"]

    def handle_endtag(self, tag: str) -> None:
        if tag == "summary" or (tag == "span" and self._part):
            self._part = ""

    def handle_data(self, data: str) -> None:
        if self._part:
            texts = self.nodes[-1][2]
            texts[self._part] = texts.get(self._part, "") + data


def decode_dot(label: str) -> list[str]:
    """Return the lines of a label, as Graphviz shows them."""
    lines = re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], label).split("\n")
    return [unescape(line) for line in lines]


def _decode_mermaid(label: str) -> str:
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), label)
