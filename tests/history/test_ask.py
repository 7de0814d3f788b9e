"""The command as a process, before an API server that answers what a test says."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from krm_fn.base.kind import CONSUMER_KINDS
from krm_fn.tools.history.history import write_history_markdown
from tests.cases import FIXTURES
from tests.cli.process import HOSTILE, SHOWN, fork
from tests.history.cases import read_history, read_objects
from tests.history.live_namespace import Cluster
from tests.linker.hostile_server import Behaviour, Handler, hostile_server
from tests.linker.object_store import Object
from tests.wait import PATIENCE, lasting, until_asleep

CANARY = FIXTURES / "histories" / "a-paused-canary"


def history(
    behaviour: Behaviour, folder: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    with hostile_server(behaviour, folder) as kubeconfig:
        return run("--kubeconfig", str(kubeconfig), *arguments, folder=folder)


def run(*arguments: str, folder: Path, columns: str = "80") -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "COLUMNS": columns}
    return fork(["history", *arguments], Path.cwd(), environment)


@pytest.fixture
def canary() -> Cluster:
    return Cluster(read_objects(CANARY / "objects.yaml"))


def test_it_prints_what_is_recorded(canary: Cluster, tmp_path: Path) -> None:
    done = history(canary.answer, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        (CANARY / "output.txt").read_text(),
        "",
    )


def test_a_pipe_gets_a_line_for_each_revision(canary: Cluster, tmp_path: Path) -> None:
    with hostile_server(canary.answer, tmp_path) as kubeconfig:
        done = run("--kubeconfig", str(kubeconfig), folder=tmp_path, columns="")
    _, *rows = [line.split() for line in done.stdout.partition("\n\n")[0].splitlines()]
    assert [row[-1] for row in rows] == ["canary", "stable", "trimmed"]


@pytest.mark.parametrize("form", ["json", "markdown", "wide"])
def test_other_forms(canary: Cluster, tmp_path: Path, form: str) -> None:
    file = {"json": "output.json", "wide": "wide.txt"}.get(form)
    expected = (CANARY / file).read_text() if file else write_history_markdown(read_history(CANARY))
    assert history(canary.answer, tmp_path, "-o", form).stdout == expected


@pytest.mark.parametrize("name", ["web-config", "web-config-mffg77kmb5", "mffg77kmb5"])
def test_a_name_shows_details(canary: Cluster, tmp_path: Path, name: str) -> None:
    paragraphs = (CANARY / "detail.txt").read_text().split("\n\n")
    shown = paragraphs[:-1] if name == "web-config" else paragraphs[1:2]
    assert history(canary.answer, tmp_path, name).stdout == "\n\n".join([*shown, paragraphs[-1]])


def test_it_only_lists_and_requests_no_content(canary: Cluster, tmp_path: Path) -> None:
    history(canary.answer, tmp_path)
    assert sorted(canary.requests) == sorted(
        [
            "GET configmaps PartialObjectMetadataList",
            "GET jobs",
            *(f"GET {kind.plural}" for kind in CONSUMER_KINDS),
        ]
    )


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        pytest.param(
            [],
            ["mffg77kmb5 -> web-config-5dtbmb74d2", "k2b4c5t7h9 -> web-config-mffg77kmb5"],
            id="all",
        ),
        pytest.param(
            ["mffg77kmb5"], ["k2b4c5t7h9 -> web-config-mffg77kmb5"], id="one, and the one before it"
        ),
        pytest.param(["k2b4c5t7h9"], [], id="the oldest"),
    ],
)
def test_diff_shows_what_changed_between_neighbours(
    tmp_path: Path, arguments: list[str], shown: list[str]
) -> None:
    changed = FIXTURES / "histories" / "what-changed-between-neighbours"
    cluster = Cluster(read_objects(changed / "objects.yaml"))
    printed = history(cluster.answer, tmp_path, "--diff", *arguments).stdout
    titles = [
        line for line in printed.splitlines() if line.startswith("ConfigMap shop/web-config: ")
    ]
    assert titles == [f"ConfigMap shop/web-config: web-config-{title}" for title in shown]
    assert ("  - LOG_LEVEL: info\n" in printed) is (arguments == [])
    assert {request for request in cluster.requests if "secrets" in request} == set()


def test_a_namespace_that_does_not_exist(tmp_path: Path) -> None:
    done = history(Cluster([]).answer, tmp_path, "-n", "shpo")
    expected = "error: namespace shpo does not exist; see --namespace and --context\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


LABEL = "no ConfigMap has the label revisions.krm-fn.io/set"
RULE = '{apiGroups: [""], resources: [configmaps], verbs: [list]}'


@pytest.mark.parametrize(
    ("statuses", "arguments", "expected"),
    [
        pytest.param(
            {"shop": 200, "jobs": 403},
            ["--set", "web"],
            "no set web in namespace shop; found: shop",
            id="no such set",
        ),
        pytest.param(
            {},
            ["web-cofnig"],
            "no base name or revision web-cofnig in namespace shop; did you mean web-config?",
            id="a typo",
        ),
        pytest.param(
            {},
            ["zzz"],
            "no base name or revision zzz in namespace shop; found: web-config",
            id="no such revision",
        ),
        pytest.param(
            {"configmaps": 403},
            [],
            f"you may not list ConfigMaps in namespace shop: you need the rule {RULE}",
            id="403",
        ),
        pytest.param(
            {"configmaps": 401},
            [],
            "configmaps in shop: cannot list: the token is no longer valid; run the Job again, or log in again",
            id="401",
        ),
        pytest.param(
            {},
            ["-n", "../x"],
            "namespace ../x: no namespace can have this name",
            id="no name of a namespace",
        ),
        pytest.param(
            {}, ["--set", "a,b"], "no set a,b in namespace shop; found: shop", id="no name of a set"
        ),
    ],
)
def test_an_error_is_one_line(
    canary: Cluster, tmp_path: Path, statuses: dict[str, int], arguments: list[str], expected: str
) -> None:
    canary.statuses = statuses
    done = history(canary.answer, tmp_path, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"error: {expected}\n")


@pytest.mark.parametrize(
    ("status", "note"),
    [
        pytest.param(403, "", id="so is a kind that does not exist"),
        pytest.param(
            400, "not seen: rollouts in shop: cannot list: 400 no\n", id="something else is wrong"
        ),
    ],
)
def test_what_may_not_be_listed_is_said_unless_nothing_is_of_that_kind(
    tmp_path: Path, status: int, note: str
) -> None:
    case = FIXTURES / "histories" / "a-deployment-that-is-done"
    cluster = Cluster(read_objects(case / "objects.yaml"), {"rollouts": status})
    expected = (case / "output.txt").read_text() + (f"\n{note}" if note else "")
    assert history(cluster.answer, tmp_path).stdout == expected


@pytest.mark.parametrize("status", [200, 403])
def test_a_namespace_without_revisions(tmp_path: Path, status: int) -> None:
    """Who may not get namespaces does not learn whether there is this one."""
    done = history(Cluster([], {"shop": status}).answer, tmp_path)
    expected = f"error: no revisions in namespace shop: {LABEL}; see --namespace\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    """It says at once what it waits for, and gives up after ten seconds."""
    with hostile_server(Cluster([]).answer, tmp_path) as kubeconfig:
        pass
    with lasting(9):
        done = run("--kubeconfig", str(kubeconfig), folder=tmp_path)
    *waits, error = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, "")
    assert waits
    assert all(line.startswith("waiting for the API server http://127.0.0.1:") for line in waits)
    assert error.endswith("Connection refused; are --context and --kubeconfig right?")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(
            ["--kubeconfig", "missing"], "no credentials for the API server: ", id="no kubeconfig"
        ),
        pytest.param(
            ["--context", "other"], "no credentials for the API server: ", id="no context"
        ),
    ],
)
def test_no_credentials(tmp_path: Path, arguments: list[str], expected: str) -> None:
    done = run(*arguments, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"error: {expected}")


def test_an_openid_provider_that_does_not_answer(tmp_path: Path) -> None:
    expired = "eyJhbGciOiJub25lIn0.eyJleHAiOjF9."  # {"alg": "none"}, {"exp": 1}
    settings = {
        "client-id": "a",
        "id-token": expired,
        "refresh-token": "b",
        "idp-issuer-url": "https://127.0.0.1:1",
    }
    kubeconfig = {
        "current-context": "a",
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "clusters": [{"name": "a", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "a", "user": {"auth-provider": {"name": "oidc", "config": settings}}}],
    }
    (tmp_path / "config").write_text(json.dumps(kubeconfig))
    done = run("--kubeconfig", "config", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith("error: no credentials for the API server: ")
    assert "Traceback" not in done.stderr


def test_names_of_others_cannot_change_the_terminal(canary: Cluster, tmp_path: Path) -> None:
    (rollout,) = (item for item in canary.items if item["kind"] == "Rollout")
    rollout["status"]["message"] = HOSTILE
    printed = history(canary.answer, tmp_path).stdout
    assert SHOWN in printed.replace("\n  ", " ")
    assert all(line.isprintable() for line in printed.splitlines())


def test_watching_ends_with_ctrl_c(canary: Cluster, tmp_path: Path) -> None:
    """A pipe gets one line of JSON, and another one after a change."""
    with hostile_server(canary.answer, tmp_path) as kubeconfig:
        command = [
            sys.executable,
            "-m",
            "krm_fn",
            "history",
            "--kubeconfig",
            str(kubeconfig),
            "--watch",
            "-o",
            "json",
        ]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            first = process.stdout.readline()
            canary.items = [item for item in canary.items if item["metadata"]["name"] != "web-66d8"]
            second = process.stdout.readline()
            until_asleep(process)
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=PATIENCE)
    assert "in history" in first
    assert "goes with the next run" in second
    assert (process.returncode, rest, errors) == (130, "", "")


class Vanishing(Cluster):
    """A namespace from which somebody deletes an object after the lists of it, before its content is read."""

    def __init__(self, items: Sequence[Object], gone: str) -> None:
        super().__init__(items)
        self._gone = gone

    def answer(self, handler: Handler) -> None:
        if (
            "GET configmaps PartialObjectMetadataList" in self.requests
            and "configmaps" in handler.path
        ):
            self.items = [item for item in self.items if item["metadata"]["name"] != self._gone]
        super().answer(handler)


def test_a_revision_that_vanishes_while_history_reads_has_no_difference_and_the_others_have(
    tmp_path: Path,
) -> None:
    case = FIXTURES / "histories" / "what-changed-between-neighbours"
    objects = read_objects(case / "objects.yaml")
    names = [
        one["metadata"]["name"] for one in objects if one["kind"] == "ConfigMap" and "data" in one
    ]
    whole = history(Cluster(objects).answer, tmp_path, "--diff").stdout
    for name in names:
        done = history(Vanishing(objects, name).answer, tmp_path, "--diff")
        assert (done.returncode, done.stderr) == (0, "")
        assert set(done.stdout.splitlines()) <= set(whole.splitlines())
        assert len(done.stdout) <= len(whole)
