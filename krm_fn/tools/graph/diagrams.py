"""A graph in DOT, the language of Graphviz, and in that of Mermaid, which GitHub and GitLab draw in Markdown."""

from collections.abc import Iterator, Sequence

from krm_fn.base.problem import printable
from krm_fn.report.markup import mermaid_label
from krm_fn.tools.graph.picture import EdgeKind, Graph, GraphNode, NodeStyle

MOST_EDGES = 500
MOST_CHARACTERS = 50_000
"""The most that Mermaid draws: `maxEdges` and `maxTextSize` in its configuration, which a text may not raise."""

_STYLES = {
    NodeStyle.STABLE: (
        ' style=filled fillcolor="#dcfce7"',
        "fill:#dcfce7,stroke:#15803d,color:#0f172a",
    ),
    NodeStyle.NEW: (
        ' style=filled fillcolor="#fef3c7"',
        "fill:#fef3c7,stroke:#b45309,color:#0f172a",
    ),
    NodeStyle.REVISION: (
        ' style=filled fillcolor="#dbeafe"',
        "fill:#dbeafe,stroke:#1d4ed8,color:#0f172a",
    ),
    NodeStyle.ABSENT: (" style=dashed", "stroke-dasharray:5 5"),
    NodeStyle.OWNER: (
        ' style=filled fillcolor="#f1f5f9"',
        "fill:#f1f5f9,stroke:#64748b,color:#0f172a",
    ),
}
_ARROWS = {
    EdgeKind.MAKES: (' label="makes"', "-- makes -->"),
    EdgeKind.REFERENCES: ("", "-->"),
    EdgeKind.HOLDS: (' style=bold label="owns"', "== owns ==>"),
    EdgeKind.OWNS: (' style=dashed label="owns"', "-. owns .->"),
}
"""In DOT, and in Mermaid."""


def write_dot(graph: Graph) -> Iterator[str]:
    """Yield the lines of a directed graph with a cluster for each lane. Fields of references are tooltips."""
    yield "digraph revisions {"
    yield f"  graph [rankdir=LR label={_quote([graph.title])}]"
    yield '  node [shape=box fontname="sans-serif"]'
    yield '  edge [fontname="sans-serif"]'
    for lane, nodes in graph.lanes():
        yield f"  subgraph cluster_{lane.name.lower()} {{"
        yield f"    label={_quote([lane.value])}"
        for position, node in nodes:  # which is its name, as that of the object may hold anything
            style, _ = _STYLES.get(node.style, ("", ""))
            yield f"    n{position} [class={node.style.value} label={_quote(_label(node))}{style}]"
        yield "  }"
    for edge in graph.edges:
        arrow, _ = _ARROWS[edge.kind]
        tooltip = f" tooltip={_quote(edge.fields)}" if edge.fields else ""
        yield f"  n{edge.source} -> n{edge.target} [class={edge.kind.value}{arrow}{tooltip}]"
    yield "}"


def write_mermaid(graph: Graph) -> Iterator[str]:
    """Yield the lines of a flowchart: a box for each object, in a box for each lane, and the arrows."""
    yield "flowchart LR"
    for lane, nodes in graph.lanes():
        yield f'  subgraph {lane.name.lower()}["{mermaid_label(lane.value)}"]'
        for position, node in nodes:
            yield f'    n{position}["{"<br/>".join(map(mermaid_label, _label(node)))}"]:::{node.style.value}'
        yield "  end"
    # Mermaid has no tooltip of an arrow, so that the fields of references are only in the other
    # forms.
    for edge in graph.edges:
        yield f"  n{edge.source} {_ARROWS[edge.kind][1]} n{edge.target}"
    styles = {node.style for node in graph.nodes}
    yield from (
        f"  classDef {name.value} {style}" for name, (_, style) in _STYLES.items() if name in styles
    )


def find_excess(graph: Graph, text: str) -> str:
    """Say why Mermaid does not draw a graph; `""` if it does."""
    if len(graph.edges) > MOST_EDGES:
        return f"Mermaid draws no graph of more than {MOST_EDGES} arrows, and this has {len(graph.edges):,}"
    if len(text) > MOST_CHARACTERS:
        return f"Mermaid draws no text of more than {MOST_CHARACTERS:,} characters, and this has {len(text):,}"
    return ""


def _label(node: GraphNode) -> list[str]:
    return [f"{node.kind} {node.place}", *filter(None, [node.state, node.package])]


def _quote(lines: Sequence[str]) -> str:
    r"""Quote lines as one string of DOT.

    A backslash begins an escape, such as `\N` for the name of the node, and `&` an entity of HTML:
    https://graphviz.org/docs/attr-types/escString and https://graphviz.org/doc/char.html
    """
    escaped = (
        printable(line).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
        for line in lines
    )
    return '"' + "\\n".join(escaped) + '"'
