"""A graph in DOT, the language of Graphviz, and in that of Mermaid, which GitHub and GitLab draw in Markdown."""

import re
from collections.abc import Iterator

from krm_fn.graph.graph import Edge, EdgeKind, Graph, GraphNode, Lane, NodeStyle
from krm_fn.model.words import printable
from krm_fn.report.table import cut

_DOT_STYLES = {
    NodeStyle.STABLE: ' style=filled fillcolor="#dcfce7"',
    NodeStyle.NEW: ' style=filled fillcolor="#fef3c7"',
    NodeStyle.REVISION: ' style=filled fillcolor="#dbeafe"',
    NodeStyle.ABSENT: " style=dashed",
    NodeStyle.OWNER: ' style=filled fillcolor="#f1f5f9"',
}
_DOT_ARROWS = {
    EdgeKind.MAKES: ' label="makes"',
    EdgeKind.REFERENCES: "",
    EdgeKind.HOLDS: ' style=bold label="owns"',
    EdgeKind.OWNS: ' style=dashed label="owns"',
}


def write_dot(graph: Graph) -> str:
    """Write a directed graph with a cluster for each lane. Fields of references are tooltips."""
    return "".join(f"{line}\n" for line in _dot_lines(graph))


def _dot_lines(graph: Graph) -> Iterator[str]:
    yield "digraph revisions {"
    yield f"  graph [rankdir=LR label={_quote([graph.title])}]"
    yield '  node [shape=box fontname="sans-serif"]'
    yield '  edge [fontname="sans-serif"]'
    for lane in Lane:
        nodes = [(position, node) for position, node in enumerate(graph.nodes) if node.lane is lane]
        if nodes:
            yield f"  subgraph cluster_{lane.name.lower()} {{"
            yield f"    label={_quote([lane.value])}"
            yield from (f"    n{position} [{_attributes(node)}]" for position, node in nodes)
            yield "  }"
    for edge in graph.edges:
        tooltip = f" tooltip={_quote(edge.fields)}" if edge.fields else ""
        yield f"  n{edge.source} -> n{edge.target} [class={edge.tie.value}{_DOT_ARROWS[edge.tie]}{tooltip}]"
    yield "}"


def _attributes(node: GraphNode) -> str:
    lines = [f"{node.kind} {node.place}", *([node.state] if node.state else [])]
    return f"class={node.look.value} label={_quote(lines)}{_DOT_STYLES.get(node.look, '')}"


def _quote(lines: list[str] | tuple[str, ...]) -> str:
    r"""Quote lines as one string of DOT.

    A backslash begins an escape, such as `\N` for the name of the node, and `&` an entity of HTML:
    https://graphviz.org/docs/attr-types/escString and https://graphviz.org/doc/char.html
    """
    return '"' + "\\n".join(map(_escape_dot, lines)) + '"'


def _escape_dot(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")


MOST_EDGES = 500
MOST_CHARACTERS = 50_000
"""What Mermaid draws at most: `maxEdges` and `maxTextSize` in its configuration, which a text may not raise."""

_WIDTH = 300
_UNSAFE = re.compile("[^A-Za-z0-9 ,/._-]|(?<![A-Za-z0-9])[._-]|[._-](?![A-Za-z0-9])")
"""What could be more than a character of a label. Within a word, dots and hyphens begin no list or emphasis."""

_MERMAID_ARROWS = {
    EdgeKind.MAKES: "-- makes -->",
    EdgeKind.REFERENCES: "-->",
    EdgeKind.HOLDS: "== owns ==>",
    EdgeKind.OWNS: "-. owns .->",
}
_MERMAID_STYLES = {
    NodeStyle.STABLE: "fill:#dcfce7,stroke:#15803d,color:#0f172a",
    NodeStyle.NEW: "fill:#fef3c7,stroke:#b45309,color:#0f172a",
    NodeStyle.REVISION: "fill:#dbeafe,stroke:#1d4ed8,color:#0f172a",
    NodeStyle.ABSENT: "stroke-dasharray:5 5",
    NodeStyle.OWNER: "fill:#f1f5f9,stroke:#64748b,color:#0f172a",
}


def write_mermaid(graph: Graph) -> str:
    """Write a flowchart: a box for each object, in a box for each lane, and the arrows."""
    return "".join(f"{line}\n" for line in _mermaid_lines(graph))


def find_excess(graph: Graph, text: str) -> str:
    """Say why Mermaid does not draw a graph; `""` if it does."""
    if len(graph.edges) > MOST_EDGES:
        return f"Mermaid draws no graph of more than {MOST_EDGES} arrows, and this has {len(graph.edges):,}"
    if len(text) > MOST_CHARACTERS:
        return f"Mermaid draws no text of more than {MOST_CHARACTERS:,} characters, and this has {len(text):,}"
    return ""


def _mermaid_lines(graph: Graph) -> Iterator[str]:
    yield "flowchart LR"
    for lane in Lane:
        nodes = [(position, node) for position, node in enumerate(graph.nodes) if node.lane is lane]
        if nodes:
            yield f'  subgraph {lane.name.lower()}["{_escape_mermaid(lane.value)}"]'
            yield from (f'    n{position}["{_label(node)}"]:::{node.look.value}' for position, node in nodes)
            yield "  end"
    yield from (_arrow(edge) for edge in graph.edges)
    looks = {node.look for node in graph.nodes}
    yield from (f"  classDef {look.value} {style}" for look, style in _MERMAID_STYLES.items() if look in looks)


def _arrow(edge: Edge) -> str:
    return f"  n{edge.source} {_MERMAID_ARROWS[edge.tie]} n{edge.target}"


def _label(node: GraphNode) -> str:
    lines = [f"{node.kind} {node.place}", *([node.state] if node.state else [])]
    return "<br/>".join(map(_escape_mermaid, lines))


def _escape_mermaid(text: str) -> str:
    """Write any other character as Mermaid's code for it, so that no text is more than a label."""
    return _UNSAFE.sub(lambda found: f"#{ord(found[0])};", cut(printable(text), _WIDTH))
