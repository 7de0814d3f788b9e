"""What holds for the graph of every package, here of all fixtures that can be rendered."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.explain.explain_objects import explain_objects
from krm_fn.explain.places import Places
from krm_fn.explain.wanted import EVERYTHING
from krm_fn.graph.diagrams import MOST_CHARACTERS, MOST_EDGES, find_excess, write_dot, write_mermaid
from krm_fn.graph.graph import Edge, Graph, Lane, Look, Tie
from krm_fn.graph.graph_package import graph_package
from krm_fn.graph.to_html import write_html
from krm_fn.look.secrets import Masks
from krm_fn.model.problem import Rejected, Severity
from krm_fn.references.rule import By
from krm_fn.render.limits import DEFAULT_LIMITS, Allowance
from krm_fn.render.render import Opened, decide_opened, open_inputs, render_opened
from krm_fn.render.sources import Inputs
from krm_fn.render.tools import HelmOptions
from krm_fn.stages.transform import Transformation
from tests.cases import ENVIRONMENT, FIXTURES
from tests.graph.cases import PACKAGES
from tests.graph.read_forms import expect, read_dot, read_html, read_mermaid

_SET, _BASE_NAME = "revisions.krm-fn.io/set", "revisions.krm-fn.io/base-name"


def _open(path: Path, stdin: bytes | None = None) -> tuple[Opened, Transformation] | None:
    """Read a package; None for one that cannot be rendered."""
    inputs = Inputs(("-" if stdin else str(path),), stdin=stdin)
    try:
        opened = open_inputs(inputs, HelmOptions(), ENVIRONMENT, Allowance(DEFAULT_LIMITS))
        found = decide_opened(opened, ENVIRONMENT)
    except Rejected:
        return None
    return None if any(one.severity is Severity.ERROR for one in found.changes.problems) else (opened, found)


_FILES = sorted(
    path for folder in ("explanations", "graphs", "transforms") for path in FIXTURES.glob(f"{folder}/*/input.yaml")
)
_PACKAGES = [
    pytest.param(*read, id=f"{path.parent.parent.name}/{path.parent.name}") for path in _FILES if (read := _open(path))
]

every_package = pytest.mark.parametrize(("opened", "found"), _PACKAGES)


@every_package
def test_every_revision_of_the_rendering_is_drawn(opened: Opened, found: Transformation) -> None:
    stream, _ = render_opened(opened, decide_opened(opened, ENVIRONMENT).changes)
    rendered: list[Any] = [one for one in yaml.load_all(stream, yaml.BaseLoader) if one]  # texts only
    objects = [one for document in rendered for one in _unwrap(document)]
    revisions = [_revision(one["kind"], one["metadata"]) for one in objects if _is_revision(one)]
    nodes = [node for node in _draw(opened, found).nodes if node.look is Look.REVISION]
    drawn = [(node.kind, node.namespace, "" if node.kind == "Secret" else node.name) for node in nodes]
    assert sorted(drawn) == sorted(revisions)


@every_package
def test_every_reference_that_is_explained_is_drawn(opened: Opened, found: Transformation) -> None:
    graph = _draw(opened, found)
    configs = [item for item in found.package.configs if not item.is_local]
    explained = explain_objects(found, configs, Places(opened), Masks(configs)).objects
    references = {
        (one.who.kind, one.who.namespace, reference.who.kind, reference.field)
        for one in explained
        for reference in one.references
        if (reference.who, reference.rule.by) != (one.who, By.MAKER)  # there a maker says its own Secret's name
    }
    drawn = set()
    for edge in graph.edges:
        source, target = graph.nodes[edge.source], graph.nodes[edge.target]
        if edge.tie is Tie.REFERENCES and target.look is not Look.ABSENT:
            drawn |= {(target.kind, target.namespace, source.kind, field.rpartition(" (")[0]) for field in edge.fields}
    assert drawn == references


@every_package
def test_every_form_holds_the_same(opened: Opened, found: Transformation) -> None:
    graph = _draw(opened, found)
    expected = expect(graph)
    assert read_mermaid(write_mermaid(graph)) == expected
    assert read_dot(write_dot(graph)) == expected
    assert read_html(write_html(graph)) == expected


@every_package
def test_arrows_lead_from_lane_to_lane(opened: Opened, found: Transformation) -> None:
    graph = _draw(opened, found)
    for edge in graph.edges:
        source, target = graph.nodes[edge.source], graph.nodes[edge.target]
        assert target.lane is not Lane.REFERRERS
        assert (source.lane is Lane.OWNERS) == (edge.tie is Tie.OWNS)


@pytest.mark.parametrize("case", PACKAGES, ids=lambda case: case.name)
def test_the_order_of_objects_does_not_matter(case: Path) -> None:
    documents = (case / "input.yaml").read_text().split("---\n")
    graphs = []
    for seed in range(5):
        random.Random(seed).shuffle(documents)
        read = _open(case, "---\n".join(documents).encode())
        assert read is not None
        graphs.append(_draw(*read))
    for graph in graphs:
        assert graph.nodes == graphs[0].nodes
        assert [edge[:3] for edge in graph.edges] == [edge[:3] for edge in graphs[0].edges]


def test_a_graph_that_mermaid_does_not_draw_is_warned_about() -> None:
    many = Graph("", (), (Edge(0, 0, Tie.OWNS),) * (MOST_EDGES + 1))
    assert "501" in find_excess(many, "")
    assert "50,001" in find_excess(Graph("", (), ()), "x" * (MOST_CHARACTERS + 1))
    assert not find_excess(Graph("", (), many.edges[1:]), "x" * MOST_CHARACTERS)


def test_there_are_packages() -> None:
    assert len(_PACKAGES) > 150


def _draw(opened: Opened, found: Transformation) -> Graph:
    return graph_package(found, Masks(found.package.configs), opened, EVERYTHING, "")


def _unwrap(document: Any) -> Iterator[Any]:
    """Yield the objects of a document, which may be a list of lists."""
    if document["kind"].endswith("List"):
        for one in document["items"]:
            yield from _unwrap(one)
    else:
        yield document


def _is_revision(one: Any) -> bool:
    metadata = one["metadata"]
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    is_emitted = "revisions.krm-fn.io/component" in labels
    return _SET in labels and _BASE_NAME in annotations and not is_emitted


def _revision(kind: str, metadata: Any) -> tuple[str, str, str]:
    return kind, metadata.get("namespace") or "", "" if kind == "Secret" else metadata["name"]
