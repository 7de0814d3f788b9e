"""A graph with texts that try to be more than text: every form holds them as text, and a page nothing else."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from krm_fn.tools.graph.picture import DataKey, Edge, EdgeKind, Graph, GraphNode, Lane, NodeStyle
from krm_fn.tools.graph.to_html import write_html
from tests.diff.generated import HOSTILE, hostile
from tests.graph.read_forms import assert_every_form_holds

# Without a kind or a name there is no object.
named = st.lists(
    st.sampled_from([*HOSTILE, '"', "'", "javascript:a", "#n0", "\\", ";", "]"]),
    min_size=1,
    max_size=8,
).map("".join)
nodes = st.builds(
    GraphNode,
    st.sampled_from(Lane),
    st.sampled_from(NodeStyle),
    named,
    hostile,
    named,
    hostile,
    st.tuples(hostile),
    st.none() | st.tuples(st.builds(DataKey, hostile, st.integers(0))),
    hostile,
    st.just(()) | st.tuples(st.tuples(st.sampled_from("+- "), hostile)),
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    some = tuple(
        sorted(
            draw(st.lists(nodes, min_size=1, max_size=4)), key=lambda node: [*Lane].index(node.lane)
        )
    )
    place = st.integers(0, len(some) - 1)
    edge = st.builds(Edge, place, place, st.sampled_from(EdgeKind), st.tuples(hostile))
    return Graph(draw(hostile), some, tuple(draw(st.lists(edge, max_size=3))))


class _Markup(HTMLParser):
    """Collects what a browser acts upon: elements with their attributes, but not the texts of these."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(" ".join([tag, *(name for name, _ in attrs)]))
        for name, value in attrs:
            assert name != "href" or (value or "").startswith("#n")

    def handle_comment(self, data: str) -> None:
        self.seen.add(f"comment {data}")


def markup_of(graph: Graph) -> set[str]:
    markup = _Markup()
    markup.feed("\n".join(write_html(graph)))
    markup.close()
    return markup.seen


CHANGES = (("+", "a"), ("-", "a"), (" ", "a"))
HARMLESS = GraphNode(
    Lane.OWNERS, NodeStyle.OWNER, "a", "a", "a", "a", ("a",), (DataKey("a", 1),), "a", CHANGES, "a"
)
PAGE = markup_of(
    Graph(
        "a",
        (HARMLESS, HARMLESS._replace(keys=(), group="")),
        tuple(Edge(0, 1, kind, ("a",)) for kind in EdgeKind),
    )
)
"""The elements of a page whose texts are harmless."""


@given(graphs())
def test_no_text_is_more_than_text(graph: Graph) -> None:
    assert_every_form_holds(graph)
    assert markup_of(graph) <= PAGE
