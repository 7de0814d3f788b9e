"""A graph as one page of HTML that needs nothing else: no network, and no script to be read.

Each object is a `<details>`, which every browser opens by mouse and by keyboard, and announces to a screen reader. A
grid of CSS is the layout, and a small script draws the arrows over it.
"""

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import groupby

from krm_fn.graph.graph import DataKey, Edge, EdgeKind, Graph, GraphNode, Lane, summarize
from krm_fn.model.words import count, printable

_WORDS = {
    EdgeKind.MAKES: ("makes", "Makes", "Made by"),
    EdgeKind.REFERENCES: ("references", "References", "Referenced by"),
    EdgeKind.HOLDS: ("references and owns", "References and owns", "Referenced and owned by"),
    EdgeKind.OWNS: ("owns, so that it stays", "Owns", "Owned by"),
}
"""What an arrow means: in the legend, and as a heading where it begins and where it ends."""

_FILES = ("page.css", "page.js")


def write_html(graph: Graph) -> str:
    return "".join(f"{line}\n" for line in _write(graph))


def _write(graph: Graph) -> Iterator[str]:
    style, script = (files("krm_fn.graph").joinpath(name).read_text("utf-8") for name in _FILES)
    title = _text(graph.title)
    # Nothing but these two texts can run or be fetched, whatever is in a name.
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'"
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}: revisions</title>"
    yield f"<style>{style}</style>"
    yield "<header>"
    yield f"<h1><bdi>{title}</bdi></h1>"
    yield f"<p>{escape(summarize(graph))}. Open one to see more of it, and its neighbours.</p>"
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
    yield f"<script>{script}</script>"
    yield "</html>"


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _text(text: str) -> str:
    return escape(printable(text))


def _write_legend(graph: Graph) -> Iterator[str]:
    yield '<ul class="legend">'
    for tie in sorted({edge.tie for edge in graph.edges}, key=[*EdgeKind].index):
        line = f'<line class="{tie.value}" x1="0" y1="4" x2="32" y2="4"/>'
        yield f'<li><svg viewBox="0 0 32 8" aria-hidden="true">{line}</svg> {_WORDS[tie][0]}</li>'
    yield "</ul>"


def _write_arrows(edges: Iterable[Edge]) -> Iterator[str]:
    """Write the arrows without their ways, which only the browser knows. The cards say the same in words."""
    yield '<svg class="arrows" aria-hidden="true">'
    yield '<marker id="tip" viewBox="0 0 8 8" refX="0" refY="4" markerWidth="8" markerHeight="8"'
    yield ' markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0,0L8,4L0,8Z"/></marker>'
    for edge in edges:
        ends = f'data-from="n{edge.source}" data-to="n{edge.target}"'
        yield f'<path class="{edge.tie.value}" {ends} marker-end="url(#tip)"/>'
    yield "</svg>"


def _find_neighbours(edges: Iterable[Edge]) -> dict[int, list[tuple[Edge, bool]]]:
    """Return the arrows of each node, and whether they begin there."""
    found: dict[int, list[tuple[Edge, bool]]] = defaultdict(list)
    for edge in edges:
        found[edge.source].append((edge, True))
        found[edge.target].append((edge, False))
    return found


def _write_lane(
    graph: Graph, lane: Lane, nodes: list[tuple[int, GraphNode]], neighbours: dict[int, list[tuple[Edge, bool]]]
) -> Iterator[str]:
    label = f"lane-{lane.name.lower()}"
    yield f'<section class="lane {lane.name.lower()}" aria-labelledby="{label}">'
    yield f'<h2 id="{label}">{escape(lane.value)}</h2>'
    for group, members in groupby(nodes, lambda pair: pair[1].group):
        if group:
            yield f'<h3 class="group"><bdi>{_text(group)}</bdi></h3>'
        yield f'<ul class="cards{" side-by-side" * bool(group)}">'
        for position, node in members:
            yield from _write_card(graph, position, node, neighbours.get(position, []))
        yield "</ul>"
    yield "</section>"


def _write_card(graph: Graph, position: int, node: GraphNode, edges: list[tuple[Edge, bool]]) -> Iterator[str]:
    yield f'<li><details class="card {node.look.value}" id="n{position}">'
    namespace = f" in <bdi>{_text(node.namespace)}</bdi>" if node.namespace else ""
    state = f'<span class="state">{_text(node.state)}</span>' if node.state else ""
    kind = f'<span class="kind"><bdi>{_text(node.kind)}</bdi>{namespace}</span>'
    yield f'<summary>{kind}<bdi class="name">{_text(node.name)}</bdi>{state}</summary>'
    yield '<div class="more">'
    yield from (f"<p>{_text(fact)}</p>" for fact in node.facts)
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
        yield f'<tr><th scope="row"><bdi>{_text(key.name)}</bdi></th><td>{count(key.size, "byte")}</td></tr>'
    yield "</table>"


def _write_change(sign: str, text: str) -> str:
    """Write a line with the element that says what it is: removed, added, or neither."""
    element = {"-": "del", "+": "ins"}.get(sign, "span")
    return f"<{element}><b>{escape(sign)}</b> <bdi>{_text(text)}</bdi></{element}>"


def _write_neighbours(graph: Graph, edges: Iterable[tuple[Edge, bool]]) -> Iterator[str]:
    """Write links to what is around a node."""
    for tie, (_, *headings) in _WORDS.items():
        for is_source, heading in zip((True, False), headings, strict=True):
            found = [edge for edge, begins_here in edges if (edge.tie, begins_here) == (tie, is_source)]
            if found:
                yield f"<h3>{heading}</h3>"
                yield "<ul>"
                yield from (_write_neighbour(graph, edge.target if is_source else edge.source, edge) for edge in found)
                yield "</ul>"


def _write_neighbour(graph: Graph, position: int, edge: Edge) -> str:
    node = graph.nodes[position]
    fields = "".join(f'<bdi class="field">{_text(field)}</bdi>' for field in edge.fields)
    link = f'<a href="#n{position}"><bdi>{_text(node.kind)}</bdi> <bdi>{_text(node.place)}</bdi></a>'
    return f"<li>{link}{fields}</li>"
