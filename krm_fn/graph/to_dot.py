"""A graph in DOT, the language of Graphviz."""

from collections.abc import Iterator

from krm_fn.graph.graph import Graph, Lane, Look, Node, Tie
from krm_fn.model.printable import printable

_STYLES = {
    Look.STABLE: ' style=filled fillcolor="#dcfce7"',
    Look.NEW: ' style=filled fillcolor="#fef3c7"',
    Look.REVISION: ' style=filled fillcolor="#dbeafe"',
    Look.ABSENT: " style=dashed",
    Look.OWNER: ' style=filled fillcolor="#f1f5f9"',
}
_ARROWS = {
    Tie.MAKES: ' label="makes"',
    Tie.REFERENCES: "",
    Tie.HOLDS: ' style=bold label="owns"',
    Tie.OWNS: ' style=dashed label="owns"',
}


def write_dot(graph: Graph) -> str:
    """Write a directed graph with a cluster for each lane. Fields of references are tooltips."""
    return "".join(f"{line}\n" for line in _write(graph))


def _write(graph: Graph) -> Iterator[str]:
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
        yield f"  n{edge.source} -> n{edge.target} [class={edge.tie.value}{_ARROWS[edge.tie]}{tooltip}]"
    yield "}"


def _attributes(node: Node) -> str:
    lines = [f"{node.kind} {node.place}", *([node.state] if node.state else [])]
    return f"class={node.look.value} label={_quote(lines)}{_STYLES.get(node.look, '')}"


def _quote(lines: list[str] | tuple[str, ...]) -> str:
    r"""Quote lines as one string of DOT.

    A backslash begins an escape, such as `\N` for the name of the node, and `&` an entity of HTML:
    https://graphviz.org/docs/attr-types/escString and https://graphviz.org/doc/char.html
    """
    return '"' + "\\n".join(map(_escape, lines)) + '"'


def _escape(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
