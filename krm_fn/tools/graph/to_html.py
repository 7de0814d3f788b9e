"""A graph as one page of HTML that needs nothing else: no network, and no script to be read.

Each object is a `<details>`, which every browser opens by mouse and by keyboard, and announces to a
screen reader. A grid of CSS is the layout, and a small script draws the arrows over it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from krm_fn.base.problem import count
from krm_fn.report.markup import html_page, html_text
from krm_fn.tools.graph.picture import DataKey, Edge, EdgeKind, Graph, GraphNode, Lane, sum_up_graph

_WORDS = {
    EdgeKind.MAKES: ("makes", "Makes", "Made by"),
    EdgeKind.REFERENCES: ("references", "References", "Referenced by"),
    EdgeKind.HOLDS: ("references and owns", "References and owns", "Referenced and owned by"),
    EdgeKind.OWNS: ("owns, so that it stays", "Owns", "Owned by"),
}
"""The meaning of an arrow: in the legend, and as a heading where it begins and where it ends."""


def write_html(graph: Graph) -> Iterator[str]:
    return html_page(f"{graph.title}: revisions", "krm_fn.tools.graph", "page", _write(graph))


def _write(graph: Graph) -> Iterator[str]:
    yield "<header>"
    yield f"<h1><bdi>{html_text(graph.title)}</bdi></h1>"
    yield f"<p>{escape(sum_up_graph(graph))}. Open one to see more of it, and its neighbours.</p>"
    yield from _write_legend(graph)
    yield "</header>"
    yield '<main class="graph">'
    yield from _write_arrows(graph.edges)
    yield '<div class="lanes">'
    neighbours = _find_neighbours(graph.edges)
    for lane, nodes in graph.lanes():
        yield from _write_lane(graph, lane, nodes, neighbours)
    yield "</div>"
    yield "</main>"


def _write_legend(graph: Graph) -> Iterator[str]:
    yield '<ul class="legend">'
    for kind in sorted({edge.kind for edge in graph.edges}, key=[*EdgeKind].index):
        line = f'<line class="{kind.value}" x1="0" y1="4" x2="32" y2="4"/>'
        yield f'<li><svg viewBox="0 0 32 8" aria-hidden="true">{line}</svg> {_WORDS[kind][0]}</li>'
    yield "</ul>"


def _write_arrows(edges: Iterable[Edge]) -> Iterator[str]:
    """Write the arrows without their ways, which only the browser knows.

    The cards say the same in words.
    """
    yield '<svg class="arrows" aria-hidden="true">'
    yield '<marker id="tip" viewBox="0 0 8 8" refX="0" refY="4" markerWidth="8" markerHeight="8"'
    yield ' markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0,0L8,4L0,8Z"/></marker>'
    for edge in edges:
        ends = f'data-from="n{edge.source}" data-to="n{edge.target}"'
        yield f'<path class="{edge.kind.value}" {ends} marker-end="url(#tip)"/>'
    yield "</svg>"


def _find_neighbours(edges: Iterable[Edge]) -> dict[int, list[tuple[Edge, bool]]]:
    """Return the arrows of each node, and whether they begin there."""
    found: dict[int, list[tuple[Edge, bool]]] = defaultdict(list)
    for edge in edges:
        found[edge.source].append((edge, True))
        found[edge.target].append((edge, False))
    return found


def _write_lane(
    graph: Graph,
    lane: Lane,
    nodes: list[tuple[int, GraphNode]],
    neighbours: dict[int, list[tuple[Edge, bool]]],
) -> Iterator[str]:
    label = f"lane-{lane.name.lower()}"
    yield f'<section class="lane {lane.name.lower()}" aria-labelledby="{label}">'
    yield f'<h2 id="{label}">{escape(lane.value)}</h2>'
    for group, members in groupby(nodes, lambda pair: pair[1].group):
        if group:
            yield f'<h3 class="group"><bdi>{html_text(group)}</bdi></h3>'
        yield f'<ul class="cards{" side-by-side" * bool(group)}">'
        for position, node in members:
            yield from _write_card(graph, position, node, neighbours.get(position, []))
        yield "</ul>"
    yield "</section>"


def _write_card(
    graph: Graph, position: int, node: GraphNode, edges: list[tuple[Edge, bool]]
) -> Iterator[str]:
    yield f'<li><details class="card {node.style.value}" id="n{position}">'
    namespace = f" in <bdi>{html_text(node.namespace)}</bdi>" if node.namespace else ""
    state = f'<span class="state">{html_text(node.state)}</span>' if node.state else ""
    if node.package:
        state += f'<span class="package">{html_text(node.package)}</span>'
    kind = f'<span class="kind"><bdi>{html_text(node.kind)}</bdi>{namespace}</span>'
    yield f'<summary>{kind}<bdi class="name">{html_text(node.name)}</bdi>{state}</summary>'
    yield '<div class="more">'
    yield from (f"<p>{html_text(fact)}</p>" for fact in node.facts)
    if node.keys is not None:
        yield from _write_keys(node.keys)
    if node.changes:
        yield "<h3>Changed since the revision before</h3>"
        yield f'<div class="changes">{"".join(_write_change(sign, text) for sign, text in node.changes)}</div>'
    yield from _write_neighbours(graph, edges)
    yield "</div></details></li>"


def _write_keys(keys: tuple[DataKey, ...]) -> Iterator[str]:
    yield "<h3>Keys</h3>"
    if not keys:
        yield '<p class="empty">none</p>'
        return
    yield "<table>"
    for key in keys:
        yield f'<tr><th scope="row"><bdi>{html_text(key.name)}</bdi></th><td>{count(key.size, "byte")}</td></tr>'
    yield "</table>"


def _write_change(sign: str, text: str) -> str:
    """Write a line with the element that says what it is: removed, added, or neither."""
    element = {"-": "del", "+": "ins"}.get(sign, "span")
    return f"<{element}><b>{escape(sign)}</b> <bdi>{html_text(text)}</bdi></{element}>"


def _write_neighbours(graph: Graph, edges: Iterable[tuple[Edge, bool]]) -> Iterator[str]:
    """Write links to what is around a node."""
    for kind, (_, *headings) in _WORDS.items():
        for is_source, heading in zip((True, False), headings, strict=True):
            found = [
                edge for edge, begins_here in edges if (edge.kind, begins_here) == (kind, is_source)
            ]
            if found:
                yield f"<h3>{heading}</h3>"
                yield "<ul>"
                yield from (
                    _write_neighbour(graph, edge.target if is_source else edge.source, edge)
                    for edge in found
                )
                yield "</ul>"


def _write_neighbour(graph: Graph, position: int, edge: Edge) -> str:
    node = graph.nodes[position]
    fields = "".join(f'<bdi class="field">{html_text(field)}</bdi>' for field in edge.fields)
    link = f'<a href="#n{position}"><bdi>{html_text(node.kind)}</bdi> <bdi>{html_text(node.place)}</bdi></a>'
    return f"<li>{link}{fields}</li>"
