"""The command asks several clusters, each an API server on loopback that answers what a test says."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from krm_fn.base import keys
from krm_fn.cli.main import main
from krm_fn.linker import api
from krm_fn.linker.credentials import Access
from krm_fn.linker.retry import Deadline, within
from krm_fn.tools.fleet import ask_fleet
from tests.cases import FIXTURES
from tests.cli.process import fork
from tests.history.cases import read_objects
from tests.history.live_namespace import PLURALS, Cluster
from tests.linker.hostile_server import Behaviour, Handler, answer, hang, hostile_server
from tests.wait import (
    A_MOMENT,
    FOREVER,
    PATIENCE,
    ROOMY,
    SHORT,
    linger,
    out_of_time_with,
    until_asleep,
    until_there,
)

HISTORIES = FIXTURES / "histories"
RULE = '{apiGroups: [""], resources: [configmaps], verbs: [list]}'


@contextmanager
def clusters(folder: Path, behaviours: Mapping[str, Behaviour]) -> Iterator[Path]:
    """Run a server for each context, and yield the kubeconfig of all."""
    with ExitStack() as stack:
        parts: dict[str, Any] = {}
        for name, behaviour in behaviours.items():
            part = folder / name
            part.mkdir()
            parts[name] = json.loads(
                stack.enter_context(hostile_server(behaviour, part)).read_text()
            )
        content = {
            "clusters": [
                {"name": name, "cluster": one["clusters"][0]["cluster"]}
                for name, one in parts.items()
            ],
            "users": [{"name": "test", "user": {"token": "t"}}],
            "contexts": [
                {"name": name, "context": {"cluster": name, "user": "test", "namespace": "shop"}}
                for name in parts
            ],
        }
        kubeconfig = folder / "kubeconfig"
        kubeconfig.write_text(json.dumps(content))
        yield kubeconfig


MEASURE = """\
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
sys.exit(code)
"""
"""Runs a command and prints its seconds of CPU time and MiB.

Linux gives a child the peak of its parent for its own.
"""


def run(
    *arguments: str, folder: Path, under: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "COLUMNS": "120"}
    asked = ["history", "--kubeconfig", str(folder / "kubeconfig"), *arguments]
    if not under:
        return fork(asked, Path.cwd(), environment)
    command = [*under, sys.executable, "-m", "krm_fn", *asked]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def namespace(case: str, statuses: dict[str, int] | None = None) -> Cluster:
    return Cluster(read_objects(HISTORIES / case / "objects.yaml"), statuses)


def test_every_context_that_a_pattern_means_is_a_column(tmp_path: Path) -> None:
    canary, done = namespace("a-paused-canary"), namespace("a-deployment-that-is-done")
    servers = {
        "prod-eu": canary.answer,
        "prod-us": done.answer,
        "test": done.answer,
        "live": done.answer,
    }
    with clusters(tmp_path, servers):
        some = run("--context", "prod-*", folder=tmp_path)
        more = run(
            "--context",
            "l?ve",
            "--context",
            "prod-[eu]*",
            "--context",
            "prod-us",
            "-o",
            "json",
            folder=tmp_path,
        )
    assert (some.returncode, some.stderr) == (0, "")
    assert some.stdout == (
        "BASE          prod-eu                   prod-us\n"
        "web-config  ! mffg77kmb5 12d          ! 5dtbmb74d2 12d\n"
        "                75% of pods, for 12d      for 12d\n"
        "              canary 5dtbmb74d2 4m\n"
        "                25% of pods, for 4m\n"
        "\n"
        "not the same everywhere: 1 base name: web-config\n"
    )
    columns = json.loads(more.stdout)["columns"]
    assert [(one["cluster"], one["namespace"]) for one in columns] == [
        *(("live", "shop"), ("prod-eu", "shop"), ("prod-us", "shop"))
    ]
    assert {request.split()[0] for request in canary.requests} == {"GET"}


def test_a_pattern_without_a_context_is_an_error_that_lists_them(tmp_path: Path) -> None:
    done = namespace("a-deployment-that-is-done")
    with clusters(tmp_path, {"prod-us": done.answer, "prod-eu": done.answer}):
        found = run("--context", "prod-*", "--context", "stage-*", folder=tmp_path)
    expected = "error: --context stage-*: no context has such a name; found: prod-eu, prod-us\n"
    assert (found.returncode, found.stdout, found.stderr) == (1, "", expected)
    assert done.requests == []


def test_without_a_kubeconfig_there_are_no_contexts(tmp_path: Path) -> None:
    found = run("--context", "*", folder=tmp_path)
    expected = "error: no contexts: no kubeconfig has one; set --kubeconfig, or KUBECONFIG\n"
    assert (found.returncode, found.stdout, found.stderr) == (1, "", expected)


@pytest.mark.parametrize("text", ["a: [", "\x00", "[]", '{"contexts": [5, 5]}', "text"])
def test_a_kubeconfig_that_is_none_is_said_to_be_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(text)
    message = f"{tmp_path}/kubeconfig is no kubeconfig; "
    several, one = run("--context", "*", folder=tmp_path), run(folder=tmp_path)
    assert several.stderr == f"error: no contexts: {message}set --kubeconfig, or KUBECONFIG\n"
    wanted = "run inside a cluster, or set KUBECONFIG\n"
    assert one.stderr == f"error: no credentials for the API server: {message}{wanted}"


def test_a_context_that_the_kubeconfig_lacks_is_named_with_those_that_it_has(
    tmp_path: Path,
) -> None:
    """No word of a cluster to run in: somebody has named a context."""
    done = namespace("a-deployment-that-is-done")
    with clusters(tmp_path, {"prod-us": done.answer, "prod-eu": done.answer}):
        found = run("--context", "nope", folder=tmp_path)
    said = "the kubeconfig has no context nope; found: prod-us, prod-eu"
    expected = f"error: no credentials for the API server: {said}\n"
    assert (found.returncode, found.stdout, found.stderr) == (1, "", expected)
    assert done.requests == []


def test_objects_that_are_none_are_no_answer(tmp_path: Path) -> None:
    def odd(handler: Handler) -> None:
        answer(handler, {"items": [None, 5, {"metadata": None}]})

    with clusters(tmp_path, {"odd": odd}):
        found = run("--context", "*", "-o", "json", folder=tmp_path)
    (column,) = json.loads(found.stdout)["columns"]
    assert column["silence"] == "refused"
    assert (
        "configmaps in shop: the answer is no list of them: one of its items is no object"
        in column["reason"]
    )


def test_one_that_does_not_answer_holds_up_no_other(tmp_path: Path) -> None:
    """One hangs, one refuses, one has nothing, one has no such set: each column says so."""
    servers = {
        "a": namespace("a-deployment-that-is-done").answer,
        "b": hang,
        "c": namespace("a-paused-canary", {"configmaps": 403}).answer,
        "d": namespace("a-paused-canary", {"configmaps": 401}).answer,
        "e": Cluster([], {"shop": 200}).answer,
    }
    forms: list[list[str]] = [["-o", "json"], []]
    with clusters(tmp_path, servers), ThreadPoolExecutor(2) as pool:
        limited = ["--context", "?", "--timeout", str(ROOMY)]
        # In processes of their own: both at once.
        found, text = pool.map(
            lambda form: run(*limited, *form, folder=tmp_path, under=("env",)), forms
        )
    document = json.loads(found.stdout)
    assert [one["silence"] for one in document["columns"]] == [
        None,
        "no answer",
        "refused",
        "refused",
        None,
    ]
    _, slow, forbidden, expired, empty = document["columns"]
    assert "no response from http://127.0.0.1:" in slow["reason"] or "too slow" in slow["reason"]
    assert (
        forbidden["reason"]
        == f"you may not list ConfigMaps in namespace shop: you need the rule {RULE}"
    )
    assert "the token is no longer valid" in expired["reason"]
    assert empty["notes"] == [
        "no revisions in namespace shop: no ConfigMap has the label revisions.krm-fn.io/set; see --namespace"
    ]
    states = [cell["state"] for cell in document["rows"][0]["cells"]]
    assert states == ["used", "unknown", "unknown", "unknown", "no set"]
    assert (found.returncode, text.returncode) == (3, 3)
    assert found.stderr.splitlines()[-1] == "error: nothing is known of 3 of 5 columns: b, c, d"
    row = next(line for line in text.stdout.splitlines() if line.startswith("web-config"))
    assert row.split() == ["web-config", "5dtbmb74d2", "12d", "no", "answer", "refused", "refused"]


def test_a_program_that_prints_no_token_is_given_up(tmp_path: Path) -> None:
    done = namespace("a-deployment-that-is-done")
    started, late = tmp_path / "started", tmp_path / "late"
    with clusters(tmp_path, {"a": done.answer, "b": done.answer}) as kubeconfig:
        content = json.loads(kubeconfig.read_text())
        program = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "sh",
            "args": ["-c", f"touch {started}; exec sleep {FOREVER}"],
        }
        content["users"].append(
            {"name": "slow", "user": {"exec": {**program, "interactiveMode": "Never"}}}
        )
        content["contexts"][1]["context"]["user"] = "slow"
        kubeconfig.write_text(json.dumps(content))
        asked = f"history --kubeconfig={kubeconfig} --context=* --timeout={FOREVER} -ojson".split()
        command = [*out_of_time_with(late), *asked]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            until_there(started, process)
            late.touch()
            printed, _ = process.communicate(timeout=PATIENCE)
    assert [one["silence"] for one in json.loads(printed)["columns"]] == [None, "no answer"]
    assert process.returncode == 3


@pytest.mark.parametrize(
    ("user", "at_once"),
    [
        pytest.param(
            {"auth-provider": {"name": "oidc"}},
            1,
            id="an OpenID provider: the client writes the new token",
        ),
        pytest.param({"token": "t"}, 2, id="a token, which nobody renews"),
    ],
)
def test_a_kubeconfig_that_the_client_writes_is_loaded_by_one_at_a_time(
    user: dict[str, Any], at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading: list[int] = []
    most: list[int] = []
    both = threading.Barrier(2, timeout=PATIENCE if at_once == 2 else SHORT)

    def load(*_: object) -> None:
        loading.append(1)
        most.append(len(loading))
        with suppress(threading.BrokenBarrierError):
            both.wait()
        loading.pop()

    monkeypatch.setattr("kubernetes.config.kube_config.KubeConfigLoader.load_and_set", load)
    contexts = [{"name": name, "context": {"cluster": "a", "user": "a"}} for name in "ab"]
    users = [{"name": "a", "user": user}]
    (tmp_path / "kubeconfig").write_text(
        json.dumps(
            {"contexts": contexts, "users": users, "clusters": [{"name": "a", "cluster": {}}]}
        )
    )
    access = [Access(str(tmp_path / "kubeconfig"), name) for name in "ab"]
    with ThreadPoolExecutor(2) as pool:
        assert [
            *pool.map(
                lambda one: api.Api(Deadline(PATIENCE, threading.Event()), one).namespace(), access
            )
        ]
    assert max(most) == at_once


def test_ctrl_c_waits_for_nobody(tmp_path: Path) -> None:
    asked = threading.Event()

    def hang_after_saying_so(handler: Handler) -> None:
        asked.set()
        hang(handler)

    with clusters(tmp_path, {"a": hang_after_saying_so, "b": hang}) as kubeconfig:
        command = [
            sys.executable,
            "-m",
            "krm_fn",
            "history",
            "--kubeconfig",
            str(kubeconfig),
            "--context=*",
            f"--timeout={FOREVER}",
        ]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert asked.wait(PATIENCE)
            until_asleep(process)
            process.send_signal(signal.SIGINT)
            printed, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, printed, errors) == (130, "", "")


WAITS: list[Any] = [
    pytest.param(lambda act: within(FOREVER, act), id="for one cluster"),
    pytest.param(lambda act: ask_fleet.run_at_once([act]), id="for several"),
]


@pytest.mark.parametrize("wait", WAITS)
def test_a_signal_that_wakes_nobody_ends_a_wait(
    wait: Callable[[Callable[[], object]], object],
) -> None:
    """It is one that another thread gets, or that comes while the main thread waits for Python's lock."""
    ended, done = threading.Event(), threading.Event()

    def act() -> None:
        linger(A_MOMENT)
        signal.raise_signal(signal.SIGINT)  # in this thread, while the main one waits
        ended.wait(PATIENCE)
        done.set()

    with pytest.raises(KeyboardInterrupt):
        wait(act)
    assert not done.is_set()
    ended.set()


def test_what_could_not_be_seen_is_a_note_and_no_failure(tmp_path: Path) -> None:
    with clusters(tmp_path, {"a": namespace("a-paused-canary", {"pods": 403}).answer}):
        found = run("--context", "*", folder=tmp_path)
    assert found.returncode == 0
    rule = '{apiGroups: [""], resources: [pods], verbs: [list]}'
    assert f"not seen: pods; you need the rule {rule}" in " ".join(found.stdout.split())


class Namespaces(Cluster):
    """A cluster with the same objects in several namespaces; without their names, it lists ConfigMaps of all."""

    def __init__(self, case: str, names: list[str], statuses: dict[str, int] | None = None) -> None:
        super().__init__(read_objects(HISTORIES / case / "objects.yaml"), statuses)
        self.names = names
        self.asked: list[str] = []

    def answer(self, handler: Handler) -> None:
        parts = urlsplit(handler.path).path.split("/")
        if "namespaces" in parts:
            self.asked.append(parts[parts.index("namespaces") + 1])
            super().answer(handler)
            return
        items = [
            one
            for one in self.items
            if one["kind"] == "ConfigMap" and keys.SET in one["metadata"]["labels"]
        ]
        found = [
            {**one, "metadata": {**one["metadata"], "namespace": name}}
            for name in self.names
            for one in items
        ]
        status = self.statuses.get("everywhere", 200)
        answer(
            handler,
            {"items": found, "metadata": {}} if status == 200 else {"message": "no"},
            status,
        )


def test_all_namespaces_with_revisions_are_columns(tmp_path: Path) -> None:
    cluster = Namespaces("a-deployment-that-is-done", ["shop", "pay", "blue"])
    with clusters(tmp_path, {"a": cluster.answer}):
        found = run("--context", "a", "-A", folder=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.splitlines()[0].split() == ["BASE", "blue", "pay", "shop"]
    assert {*cluster.asked} == {"blue", "pay", "shop"}


def test_all_namespaces_of_several_clusters(tmp_path: Path) -> None:
    """A right in one namespace is not enough for the list of all."""
    case = "a-deployment-that-is-done"
    servers = {
        "a": Namespaces(case, ["shop", "pay"]).answer,
        "b": Namespaces(case, [], {"everywhere": 403}).answer,
        "c": Namespaces(case, []).answer,
    }
    with clusters(tmp_path, servers):
        found = run("--context", "*", "-A", "-o", "json", folder=tmp_path)
    columns = json.loads(found.stdout)["columns"]
    assert [(one["cluster"], one["namespace"], one["silence"]) for one in columns] == [
        *(("a", "pay", None), ("a", "shop", None), ("b", "", "refused"), ("c", "", None))
    ]
    assert (
        columns[2]["reason"]
        == f"you may not list ConfigMaps in all namespaces: you need the rule {RULE}"
    )
    assert columns[3]["notes"] == [
        f"no revisions in any namespace: no ConfigMap has the label {keys.SET}"
    ]
    assert found.returncode == 3


NOTHING = [
    pytest.param(["--set", "web"], "no set web in namespace shop; found: shop", id="no such set"),
    pytest.param(
        ["web-cofnig"],
        "no base name or revision web-cofnig is in use; did you mean web-config?",
        id="a typo",
    ),
    pytest.param(
        ["zzz"], "no base name or revision zzz is in use; found: web-config", id="no such revision"
    ),
]


@pytest.mark.parametrize(("arguments", "expected"), NOTHING)
def test_nothing_to_show_is_an_error(arguments: list[str], expected: str, tmp_path: Path) -> None:
    with clusters(tmp_path, {"a": namespace("a-paused-canary").answer}):
        found = run("--context", "*", *arguments, folder=tmp_path)
    assert (found.returncode, found.stdout, found.stderr) == (1, "", f"error: {expected}\n")


def test_a_page_is_a_table_of_one_namespace_too(tmp_path: Path) -> None:
    with clusters(tmp_path, {"a": namespace("a-paused-canary").answer}):
        found = run("--context", "a", "-o", "html", folder=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("<!DOCTYPE html>")
    assert "<b>canary</b>" in found.stdout


def test_one_namespace_says_which_context_was_named(tmp_path: Path) -> None:
    with clusters(tmp_path, {"a": namespace("a-paused-canary").answer}):
        found = json.loads(run("--context", "a", "-o", "json", folder=tmp_path).stdout)
    assert found.pop("cluster") == "a"
    assert found == json.loads((HISTORIES / "a-paused-canary" / "output.json").read_text())


WRONG = [
    pytest.param(
        ["-A", "--watch"],
        "--watch is for one namespace; give one --context, without a pattern",
        id="watch",
    ),
    pytest.param(
        ["-A", "--diff"],
        "--diff is for one namespace; give one --context, without a pattern",
        id="diff",
    ),
    pytest.param(
        ["--context", "*", "-o", "wide"],
        "-o wide is for one namespace; give one --context, without a pattern",
        id="a wide table of several",
    ),
    pytest.param(
        ["-A", "-n", "shop"],
        "--all-namespaces and --namespace exclude each other",
        id="one namespace, and all",
    ),
    pytest.param(
        ["--from", "a.json", "--context", "a"],
        "--context is for clusters, and --from reads files",
        id="a context",
    ),
    pytest.param(
        ["--from", "a.json", "-A"],
        "--all-namespaces is for clusters, and --from reads files",
        id="or all",
    ),
    pytest.param(
        ["--from", "a.json", "--timeout", "3"],
        "--timeout is for clusters, and --from reads files",
        id="or a time",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_has_no_effect_is_refused(arguments: list[str], message: str) -> None:
    outcome = main(["history", *arguments])
    assert (outcome.exit_code, outcome.stderr) == (
        2,
        f"error: {message}; see krm-fn history --help\n",
    )


def test_a_pattern_without_a_report_is_an_error() -> None:
    outcome = main(["history", "--from", "/nonexistent/*.json"])
    assert (outcome.exit_code, outcome.stderr) == (
        1,
        "error: --from /nonexistent/*.json: no file has such a name\n",
    )


def test_reports_need_no_client(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['kubernetes'] = None; sys.argv[0] = 'krm-fn'\n"
    probe = hidden + "from krm_fn.__main__ import main; main()"
    report = HISTORIES / "a-paused-canary" / "output.json"
    command = [sys.executable, "-c", probe, "history", "--from", str(report)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "canary 5dtbmb74d2 4m" in done.stdout


CONTEXTS, SETS = 50, 20


class Recorded(Cluster):
    """A namespace with copies of the objects of another one under other names, each a set of its own."""

    def __init__(self, case: str, copies: int) -> None:
        text = (HISTORIES / case / "objects.yaml").read_text()
        super().__init__(read_objects(HISTORIES / case / "objects.yaml"))
        self.items = [
            item for number in range(copies) for item in json.loads(_rename(self.items, number))
        ]
        self.lock = threading.Lock()
        self.bodies: dict[str, bytes] = {}
        assert "shop" in text

    def answer(self, handler: Handler) -> None:
        """Answer from memory: the server is not what is measured."""
        with self.lock:
            if handler.path not in self.bodies:
                url = urlsplit(handler.path)
                selector = parse_qs(url.query).get("labelSelector", [""])[0].partition("=")[0]
                kind = PLURALS.get(url.path.rpartition("/")[2])
                found = [
                    item
                    for item in self.items
                    if item["kind"] == kind
                    and (not selector or selector in item["metadata"].get("labels", {}))
                ]
                self.bodies[handler.path] = json.dumps({"items": found, "metadata": {}}).encode()
        answer(handler, self.bodies[handler.path])


def _rename(items: Any, number: int) -> str:
    return json.dumps(items).replace("web", f"web{number}").replace('"shop', f'"shop{number}')


@pytest.mark.rows(test=0)
def test_fifty_clusters_of_twenty_sets_take_seconds(tmp_path: Path) -> None:
    recorded = Recorded("a-paused-canary", SETS)
    with clusters(tmp_path, {f"prod-{number}": recorded.answer for number in range(CONTEXTS)}):
        measure = [sys.executable, "-c", MEASURE]
        found = run("--context", "prod-*", "-o", "json", folder=tmp_path, under=measure)
    assert found.returncode == 0
    cpu, mebibytes = map(float, found.stderr.split())
    document = json.loads(found.stdout)
    assert (len(document["columns"]), len(document["rows"])) == (CONTEXTS, SETS)
    assert all(len(cell["revisions"]) == 2 for row in document["rows"] for cell in row["cells"])
    assert cpu < 20
    assert mebibytes < 150
