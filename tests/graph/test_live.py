"""What is live as a graph: of every recorded namespace, and by the command before an API server."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from krm_fn.base.kind import CONSUMER_KINDS
from krm_fn.cli.main import main
from krm_fn.tools.common.revision_history import RevisionHistory
from krm_fn.tools.graph.diagrams import write_dot, write_mermaid
from krm_fn.tools.graph.graph_objects import graph_history
from krm_fn.tools.graph.picture import EdgeKind, Graph, NodeStyle
from krm_fn.tools.graph.to_html import write_html
from krm_fn.tools.history.find_history import find_history
from krm_fn.tools.history.snapshot import read_snapshot
from tests.cases import FIXTURES
from tests.cli.process import fork
from tests.graph.read_forms import assert_every_form_holds
from tests.history.cases import NAMESPACES, read_objects
from tests.history.fake_source import FakeSource
from tests.history.live_namespace import Cluster
from tests.linker.hostile_server import hostile_server
from tests.properties import Properties

CANARY = FIXTURES / "graphs" / "a-canary-is-beside-the-stable-one"


class Drawn:
    """A namespace: its history, and the graph of it."""

    def __init__(self, path: Path) -> None:
        self.history = find_history(read_snapshot(FakeSource(read_objects(path)), None))
        self.graph = graph_history(self.history)
        self.entries: list[RevisionHistory] = [
            entry for one in self.history.sets for entry in one.entries
        ]


holds = Properties[Drawn]()


@pytest.mark.parametrize(
    "path", NAMESPACES, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}"
)
def test_all_properties_hold(path: Path) -> None:
    holds.check(Drawn(path), of=path.parent.name)


@holds
def every_revision_is_drawn_with_its_referrers_and_owners(drawn: Drawn) -> None:
    graph, entries = drawn.graph, drawn.entries
    nodes = [node for node in graph.nodes if node.style in {NodeStyle.REVISION, NodeStyle.ABSENT}]
    assert [node.kind for node in nodes] == [entry.kind for entry in entries]
    positions = [position for position, node in enumerate(graph.nodes) if node in nodes]
    for position, entry in zip(positions, entries, strict=True):
        edges = [edge for edge in graph.edges if edge.target == position]
        sources = {
            kind: {
                _name(graph, edge.source) for edge in edges if edge.kind in {kind, EdgeKind.HOLDS}
            }
            for kind in (EdgeKind.REFERENCES, EdgeKind.OWNS)
        }
        assert sources[EdgeKind.REFERENCES] == {str(referrer) for referrer in entry.referrers}
        assert sources[EdgeKind.OWNS] == {*entry.owners}


@holds
def every_form_holds_the_same(drawn: Drawn) -> None:
    assert_every_form_holds(drawn.graph)


@holds
def no_hash_of_a_secret_is_drawn(drawn: Drawn) -> None:
    hidden = {entry.suffix for entry in drawn.entries if entry.kind == "Secret"} - {""}
    shown = {entry.suffix for entry in drawn.entries if entry.kind != "Secret"}
    for write in (write_mermaid, write_dot, write_html):
        written = "\n".join(write(drawn.graph))
        assert not any(suffix in written for suffix in hidden - shown)


def _name(graph: Graph, position: int) -> str:
    node = graph.nodes[position]
    return f"{node.kind}/{node.name}"


def _graph(cluster: Cluster, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    with hostile_server(cluster.answer, folder) as kubeconfig:
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        return fork(
            ["graph", "--live", "--kubeconfig", str(kubeconfig), *arguments],
            Path.cwd(),
            environment,
        )


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(read_objects(CANARY / "objects.yaml"))


def test_the_command_draws_what_is_recorded(cluster: Cluster, tmp_path: Path) -> None:
    done = _graph(cluster, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        (CANARY / "graph.mmd").read_text(),
        "",
    )


@pytest.mark.parametrize("form", ["mermaid", "dot", "html"])
def test_it_only_lists_and_reads_content_only_for_a_page(
    cluster: Cluster, tmp_path: Path, form: str
) -> None:
    assert _graph(cluster, tmp_path, "-o", form).returncode == 0
    content = ["GET configmaps"] if form == "html" else []
    lists = [
        "GET configmaps PartialObjectMetadataList",
        "GET jobs",
        *(f"GET {kind.plural}" for kind in CONSUMER_KINDS),
    ]
    assert sorted(cluster.requests) == sorted([*content, *lists])


def test_a_name_draws_what_is_around_it(cluster: Cluster, tmp_path: Path) -> None:
    printed = _graph(cluster, tmp_path, "mffg77kmb5").stdout
    assert re.findall(r'"ConfigMap (web-config-\w+)', printed) == ["web-config-mffg77kmb5"]


def test_what_may_not_be_listed_is_said(tmp_path: Path) -> None:
    cluster = Cluster(read_objects(CANARY / "objects.yaml"), {"replicasets": 403})
    done = _graph(cluster, tmp_path)
    rule = '{apiGroups: ["apps"], resources: [replicasets], verbs: [list]}'
    assert (done.returncode, done.stderr) == (
        0,
        f"warning: not drawn: replicasets; you need the rule {rule}\n",
    )
    assert "makes" not in done.stdout  # the names are known from the owners alone


def test_an_empty_namespace_is_an_error(tmp_path: Path) -> None:
    done = _graph(Cluster([]), tmp_path, "--namespace", "shpo")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: namespace shpo does not exist")


WRONG = [
    pytest.param([], "expected PATH and perhaps NAME, or --live; found 0 arguments", id="nothing"),
    pytest.param(
        ["a", "b", "c"],
        "expected PATH and perhaps NAME, or --live; found 3 arguments",
        id="too much",
    ),
    pytest.param(
        ["--live", "a", "b"],
        "--live takes at most a NAME; found 2 arguments",
        id="a path and --live",
    ),
    pytest.param(
        ["--live", "--config", "a"],
        "--config is for PATH only",
        id="a configuration of what is live",
    ),
    pytest.param(["a", "--set", "shop"], "--set is for --live only", id="a set of a package"),
    pytest.param(
        ["a", "--context", "kind"], "--context is for --live only", id="a context for a package"
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_has_no_effect_is_refused(arguments: list[str], message: str) -> None:
    outcome = main(["graph", *arguments])
    assert (outcome.exit_code, outcome.stderr) == (
        2,
        f"error: {message}; see krm-fn graph --help\n",
    )
