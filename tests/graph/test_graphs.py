"""Every folder in fixtures/graphs is a claim: what `krm-fn graph` draws, in each form."""

import json
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pytest_snapshot.plugin import Snapshot

from tests.graph.cases import GRAPHS, draw
from tests.graph.read_forms import Read, decode_dot, read_dot, read_mermaid
from tests.tools.require import require_node_packages

FORMS = {"mermaid": "graph.mmd", "dot": "graph.dot"}

LEAKED = re.compile("not-to-be-printed|bm90LXRvLWJl")
"""What every Secret in the fixtures holds, and how it begins in base64."""

every_graph = pytest.mark.parametrize("case", GRAPHS, ids=lambda case: case.name)
each_language = pytest.mark.parametrize("form", FORMS)


@pytest.fixture(autouse=True)
def _in_the_folder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "case" in request.fixturenames:
        monkeypatch.chdir(request.getfixturevalue("case"))


@every_graph
@each_language
def test_a_graph_is_as_recorded(case: Path, form: str, snapshot: Snapshot) -> None:
    snapshot.snapshot_dir = case
    outcome = draw(case, form)
    snapshot.assert_match(outcome.stdout, FORMS[form])
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert all(line.isprintable() for line in outcome.stdout.decode().splitlines())


@every_graph
@each_language
def test_nothing_of_a_secret_is_drawn(case: Path, form: str) -> None:
    written = draw(case, form).stdout.decode()
    assert not LEAKED.search(written)
    secrets = re.findall(
        r"kind: Secret\nmetadata:\n  name: (\S+)-[2456789bcdfghkmt]{10}$",
        _input(case),
        re.MULTILINE,
    )
    for base in secrets:
        assert not re.search(f"{re.escape(base)}-[2456789bcdfghkmt]{{10}}", written)


@every_graph
def test_a_page_is_as_recorded(case: Path, snapshot: Snapshot) -> None:
    """Compare what is made from the graph. The style and the script are the same for all."""
    snapshot.snapshot_dir = case
    written = draw(case, "html").stdout.decode()
    body = written[written.index("<header>") : written.index("<script>")]
    snapshot.assert_match(body.encode(), "graph.html")
    assert not LEAKED.search(written)


@every_graph
def test_both_languages_say_the_same(case: Path) -> None:
    assert _read_written(case, "mermaid") == _read_written(case, "dot")


@pytest.fixture(scope="module")
def diagrams() -> dict[str, Any]:
    """Return what Mermaid and Graphviz read of each case, by its name.

    To load them takes seconds.
    """
    folder = require_node_packages("diagrams")
    written = []
    with pytest.MonkeyPatch.context() as patch:
        for case in GRAPHS:
            patch.chdir(case)
            written.append({form: draw(case, form).stdout.decode() for form in FORMS})
    ran = subprocess.run(
        ["node", folder / "read.mjs"], input=json.dumps(written).encode(), stdout=-1, check=True
    )
    return dict(zip((case.name for case in GRAPHS), json.loads(ran.stdout), strict=True))


@pytest.mark.needs("node")
@every_graph
def test_mermaid_reads_what_is_written(case: Path, diagrams: dict[str, Any]) -> None:
    read = diagrams[case.name]["mermaid"]
    nodes = [(int(node["id"][1:]), node["classes"][0], node["label"]) for node in read["nodes"]]
    kinds = {
        ("normal", ""): "references",
        ("normal", "makes"): "makes",
        ("thick", "owns"): "holds",
        ("dotted", "owns"): "owns",
    }
    edges = [
        (int(edge["start"][1:]), int(edge["end"][1:]), kinds[edge["stroke"], edge["label"]])
        for edge in read["edges"]
    ]
    expected = _read_written(case, "mermaid")
    assert nodes == [
        (position, style, "<br>".join(lines)) for position, style, lines in expected.nodes
    ]
    assert edges == expected.edges


@pytest.mark.needs("node")
@every_graph
def test_graphviz_reads_what_is_written(case: Path, diagrams: dict[str, Any]) -> None:
    read = diagrams[case.name]["dot"]
    boxes = [one for one in read["objects"] if "class" in one]
    nodes = sorted((int(one["name"][1:]), one["class"], decode_dot(one["label"])) for one in boxes)
    names = {one["_gvid"]: int(one["name"][1:]) for one in boxes}
    edges = sorted(
        (names[one["tail"]], names[one["head"]], one["class"]) for one in read.get("edges", ())
    )
    assert (nodes, edges) == _read_written(case, "dot")
    shown = [
        unescape(text)
        for text in re.findall("<text[^>]*>([^<]*)</text>", diagrams[case.name]["svg"])
    ]
    for _, _, lines in nodes:
        assert {*lines} <= {*shown}


def test_there_are_fixtures() -> None:
    assert len(GRAPHS) >= 5


def _input(case: Path) -> str:
    path = case / "input.yaml"
    return path.read_text() if path.exists() else ""


def _read_written(case: Path, form: str) -> Read:
    written = draw(case, form).stdout.decode()
    return read_mermaid(written) if form == "mermaid" else read_dot(written)
