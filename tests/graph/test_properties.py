"""What holds for the graph of every package, here of all fixtures that can be rendered."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base.problem import Rejected, Severity
from krm_fn.base.reference import By
from krm_fn.core.decide.run import Run
from krm_fn.report.secrets import Masks
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import DEFAULT_LIMITS, Allowance
from krm_fn.tools.explain.explain_objects import explain_objects
from krm_fn.tools.explain.places import Places
from krm_fn.tools.explain.wanted import EVERYTHING
from krm_fn.tools.graph.diagrams import MOST_CHARACTERS, MOST_EDGES, find_excess
from krm_fn.tools.graph.graph_objects import graph_package
from krm_fn.tools.graph.picture import Edge, EdgeKind, Graph, Lane, NodeStyle
from krm_fn.tools.opened.opened import Opened, decide_opened, open_inputs
from krm_fn.tools.opened.sources import Inputs
from krm_fn.tools.render.render import render_opened
from tests.cases import ENVIRONMENT, FIXTURES
from tests.graph.cases import PACKAGES
from tests.graph.read_forms import assert_every_form_holds
from tests.properties import Properties

_SET, _BASE_NAME = "revisions.krm-fn.io/set", "revisions.krm-fn.io/base-name"


_FILES = sorted(
    path
    for folder in ("explanations", "graphs", "transforms")
    for path in FIXTURES.glob(f"{folder}/*/input.yaml")
)
_NOT_DRAWN = {
    "a-generator-of-kustomize-gets-nothing": "only objects for tools",
    "an-empty-package-is-fine": "no object",
    "errors-are-explained-all-the-same": "an error",
    "fields-that-all-objects-have-and-that-are-misspelled-are-warned-about": "an object without kind",
    "items-null-is-an-empty-package": "no object",
    "items-of-any-shape-pass-through": "items that are no objects",
    "kpt-eval-with-a-kustomization-file": "a kustomization without apiVersion and kind",
    "the-hash-of-a-secret-is-hidden-in-errors-too": "an error",
}
"""Packages that `render` refuses, and what is in them."""


class Drawn:
    """A package, what was decided about it, and its graph."""

    def __init__(self, opened: Opened, found: Run) -> None:
        self.opened, self.found = opened, found
        self.graph = graph_package(found, Masks(found.package.configs), opened, EVERYTHING, "")


holds = Properties[Drawn]()


@pytest.mark.rows(test=12, submission=40)
@pytest.mark.parametrize(
    "path", _FILES, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}"
)
def test_all_properties_hold(path: Path) -> None:
    drawn = _draw(path)
    assert (drawn is None) is (path.parent.name in _NOT_DRAWN)
    if drawn:
        holds.check(drawn, of=path.parent.name)


@holds
def every_revision_of_the_rendering_is_drawn(drawn: Drawn) -> None:
    stream, _ = render_opened(drawn.opened, drawn.found.changes)
    # Texts only.
    rendered: list[Any] = [one for one in yaml.load_all(stream, yaml.CBaseLoader) if one]
    objects = [one for document in rendered for one in _unwrap(document)]
    revisions = [_revision(one["kind"], one["metadata"]) for one in objects if _is_revision(one)]
    nodes = [node for node in drawn.graph.nodes if node.style is NodeStyle.REVISION]
    names = [
        (node.kind, node.namespace, "" if node.kind == "Secret" else node.name) for node in nodes
    ]
    assert sorted(names) == sorted(revisions)


@holds
def every_reference_that_is_explained_is_drawn(drawn: Drawn) -> None:
    graph, found = drawn.graph, drawn.found
    configs = [item for item in found.package.configs if not item.is_local]
    explained = explain_objects(
        found, configs, Places(drawn.opened.envelopes, drawn.opened.configuration), Masks(configs)
    ).objects
    references = {
        (one.who.kind, one.who.namespace, reference.who.kind, reference.field)
        for one in explained
        for reference in one.references
        if (reference.who, reference.rule.by)
        != (one.who, By.PRODUCER)  # there a producer says its own Secret's name
    }
    shown = set()
    for edge in graph.edges:
        source, target = graph.nodes[edge.source], graph.nodes[edge.target]
        if edge.kind is EdgeKind.REFERENCES and target.style is not NodeStyle.ABSENT:
            shown |= {
                (target.kind, target.namespace, source.kind, field.rpartition(" (")[0])
                for field in edge.fields
            }
    assert shown == references


@holds
def every_form_holds_the_same(drawn: Drawn) -> None:
    assert_every_form_holds(drawn.graph)


@holds
def arrows_lead_from_lane_to_lane(drawn: Drawn) -> None:
    for edge in drawn.graph.edges:
        source, target = drawn.graph.nodes[edge.source], drawn.graph.nodes[edge.target]
        assert target.lane is not Lane.REFERRERS
        assert (source.lane is Lane.OWNERS) == (edge.kind is EdgeKind.OWNS)


@pytest.mark.parametrize("case", PACKAGES, ids=lambda case: case.name)
def test_the_order_of_objects_does_not_matter(case: Path) -> None:
    documents = (case / "input.yaml").read_text().split("---\n")
    graphs = []
    for seed in range(5):
        random.Random(seed).shuffle(documents)
        drawn = _draw(case, "---\n".join(documents).encode())
        assert drawn is not None
        graphs.append(drawn.graph)
    for graph in graphs:
        assert graph.nodes == graphs[0].nodes
        assert [edge[:3] for edge in graph.edges] == [edge[:3] for edge in graphs[0].edges]


def test_a_graph_that_mermaid_does_not_draw_is_warned_about() -> None:
    many = Graph("", (), (Edge(0, 0, EdgeKind.OWNS),) * (MOST_EDGES + 1))
    assert "501" in find_excess(many, "")
    assert "50,001" in find_excess(Graph("", (), ()), "x" * (MOST_CHARACTERS + 1))
    assert not find_excess(Graph("", (), many.edges[1:]), "x" * MOST_CHARACTERS)


def test_there_are_packages() -> None:
    assert len(_FILES) > 150


def _draw(path: Path, stdin: bytes | None = None) -> Drawn | None:
    """Draw a package; None for one that cannot be rendered."""
    inputs = Inputs(("-" if stdin else str(path),), stdin=stdin)
    try:
        opened = open_inputs(inputs, HelmOptions(), ENVIRONMENT, Allowance(DEFAULT_LIMITS))
        found = decide_opened(opened, ENVIRONMENT)
    except Rejected:
        return None
    is_refused = any(one.severity is Severity.ERROR for one in found.changes.problems)
    return None if is_refused else Drawn(opened, found)


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
