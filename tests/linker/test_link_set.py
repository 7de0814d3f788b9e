"""`link_set` is a function: a plan, options, a stop Event and a log function in, an outcome out."""

import json
from threading import Event

import pytest

from krm_fn.base.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.base.problem import Outcome
from krm_fn.linker import link_set as module
from krm_fn.linker.api import ApiError
from krm_fn.linker.credentials import Access
from krm_fn.linker.link_set import LinkOptions, Writes, link_set
from krm_fn.linker.retry import Deadline, OutOfTime
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, inventory, pods, revision, workload
from tests.linker.object_store import NAMESPACE, ObjectStore

LINE = f"ConfigMap shop/{A}: + CronJob/web, + ConfigMap/web-linker"
PLAN = LinkPlan(
    set="web",
    workloads=(Workload("batch/v1", "CronJob", "web", (RevisionName("ConfigMap", A),)),),
    timeout=300,
    minimum_age=600,
)


class FakeApi:
    """Credentials and a number of requests, without an API server."""

    calls = 7

    def __init__(self, deadline: Deadline, access: Access) -> None:
        if access.context == "unknown":
            what = "no credentials"
            raise ApiError(what, "set KUBECONFIG")
        self.deadline = deadline

    def namespace(self) -> str:
        return NAMESPACE


def fake_cluster(api: FakeApi, namespace: str) -> FakeCluster:
    """Build a namespace with one workload and its revision."""
    assert namespace == NAMESPACE
    store = ObjectStore([inventory(A), revision(A), workload("CronJob", "web", pods(A))])
    return FakeCluster(store, lambda _: api.deadline.check())


@pytest.fixture(autouse=True)
def without_api_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Api", FakeApi)
    monkeypatch.setattr(module, "LiveCluster", fake_cluster)


def run_with(
    options: LinkOptions, plan: LinkPlan = PLAN, *, is_stopped: bool = False
) -> tuple[Outcome, list[str]]:
    """Return the outcome and the logged lines. Nothing is waited for."""
    lines: list[str] = []
    said: list[str] = []
    stop = Event()
    if is_stopped:
        stop.set()
    outcome = link_set(plan, options, stop, lines.append, said.append)
    assert said == []
    return outcome, lines


def test_changes_are_logged_and_the_summary_is_returned() -> None:
    outcome, lines = run_with(LinkOptions())
    assert lines == [LINE]
    assert outcome.stdout.startswith(b"1 revision in shop: 1 linked, 0 deleted; 7 API calls, ")
    assert (outcome.stderr, outcome.exit_code) == ("", 0)


def test_a_dry_run_says_what_it_would_do() -> None:
    outcome, lines = run_with(LinkOptions(writes=Writes.NOTHING))
    assert lines == [LINE]
    assert outcome.stdout.startswith(b"1 revision in shop: 1 would be linked, 0 would be deleted; ")


def test_a_check_ends_with_a_code_of_its_own_if_there_is_something_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome, lines = run_with(LinkOptions(writes=Writes.EVENTS))
    assert (lines, outcome.stderr, outcome.exit_code) == ([LINE], "", 4)
    assert outcome.stdout.startswith(b"1 revision in shop: 1 would be linked, 0 would be deleted; ")
    monkeypatch.setattr(module, "link", lambda *_: None)
    outcome, lines = run_with(LinkOptions(writes=Writes.EVENTS))
    assert (lines, outcome.stderr, outcome.exit_code) == ([], "", 0)


def test_json_output_is_one_document_without_a_log() -> None:
    outcome, lines = run_with(LinkOptions(as_json=True))
    assert lines == []
    document = json.loads(outcome.stdout)
    assert (document["set"], document["calls"], document["exitCode"]) == ("web", 7, 0)
    assert [change["name"] for change in document["changes"]] == [A]


def test_a_stopped_run_has_an_exit_code_of_its_own() -> None:
    outcome, lines = run_with(LinkOptions(), is_stopped=True)
    assert lines == []
    assert outcome.stderr == "error: terminated; completed changes are kept, run again to finish\n"
    assert outcome.exit_code == 143


def test_an_interrupted_run_says_what_it_has_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("krm_fn.linker.link.record_events", interrupt)
    outcome, lines = run_with(LinkOptions())
    assert lines == [LINE]
    assert outcome.stdout.startswith(b"1 revision in shop: 1 linked, 0 deleted; ")
    assert outcome.stderr == "error: interrupted; completed changes are kept, run again to finish\n"
    assert outcome.exit_code == 130


@pytest.mark.parametrize("waits", [True, False], ids=["a Job fails", "a CronJob goes on later"])
@pytest.mark.parametrize(
    ("raised", "sentence"),
    [
        (ApiError("configmaps in shop", "503 busy"), "configmaps in shop: 503 busy"),
        (
            OutOfTime(),
            "the time limit of 300 s is over; completed changes are kept, run again to finish",
        ),
    ],
    ids=["refused", "out of time"],
)
def test_a_run_that_cannot_go_on_fails_unless_another_one_follows_by_itself(
    raised: Exception, sentence: str, monkeypatch: pytest.MonkeyPatch, *, waits: bool
) -> None:
    def end(*_: object) -> None:
        raise raised

    monkeypatch.setattr(FakeCluster, "configs", end)
    outcome, _ = run_with(LinkOptions(), PLAN._replace(waits=waits))
    severity = "error" if waits else "warning"
    assert (outcome.stderr, outcome.exit_code) == (f"{severity}: {sentence}\n", int(waits))


def test_missing_credentials_are_an_error() -> None:
    outcome, _ = run_with(LinkOptions(access=Access(context="unknown")))
    assert outcome == Outcome(b"", "error: no credentials: set KUBECONFIG\n", 1)
