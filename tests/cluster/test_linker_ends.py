"""Runs that end early, or that cannot begin; and whose clock counts."""

import signal
import time
from collections.abc import Iterator

import pytest

from tests.cluster.fault_proxy import Answer, Call, Fault, PassOn, no_fault
from tests.cluster.faults import at, clock_ahead, delay, drop_before, first, pages_of, refuse
from tests.cluster.linker_bench import LinkerBench, State, is_patch
from tests.cluster.manifests import config_map, pod
from tests.cluster.tokens import token_of
from tests.cluster.unlinked import UNUSED

BENCH = "ends"


def test_told_to_end_it_finishes_the_patch_in_hand(bench: LinkerBench, undisturbed: State) -> None:
    def terminate(call: Call, pass_on: PassOn) -> Answer:
        bench.forge.signal(signal.SIGTERM)
        time.sleep(0.2)
        return pass_on(call)

    run = bench.run(first(is_patch, terminate))
    assert run.exit_code == 143
    assert run.stderr == "error: told to stop; what is done stays done, and the next run does the rest\n"
    assert bench.proxy.calls[-1].method == "PATCH"
    assert len(bench.proxy.writes) == run.stdout.count("ConfigMap ends/") == 1
    assert bench.run().exit_code == 0
    assert bench.scene.state() == undisturbed


def test_told_to_end_it_does_not_wait_for_a_busy_server(bench: LinkerBench) -> None:
    def busy(call: Call, pass_on: PassOn) -> Answer:
        bench.forge.signal(signal.SIGTERM)
        return refuse(429, "TooManyRequests", Retry_After="30")(call, pass_on)

    assert bench.run(at(2, busy)).exit_code == 143
    assert len(bench.proxy.calls) == 2


@pytest.fixture
def dead_token(bench: LinkerBench) -> Iterator[str]:
    """One the API server has taken back."""
    api = bench.scene.api
    account = bench.scene.pod["spec"]["serviceAccountName"]
    brief = pod("brief")
    brief = api.create({**brief, "spec": {**brief["spec"], "serviceAccountName": account}})
    token = token_of(api, account, pod=brief)
    api.delete("Pod", "brief")
    api.gone("Pod", "brief")
    yield token
    bench.scene.log_in(bench.folder, bench.proxy.server, bench.scene.token())


def test_a_token_that_is_no_longer_good_is_told_of(bench: LinkerBench, dead_token: str) -> None:
    bench.scene.log_in(bench.folder, bench.proxy.server, dead_token)
    run = bench.run()
    sentence = "configmaps in ends: cannot list: the token is no longer good; run the Job again, or log in again"
    assert (run.exit_code, run.stderr) == (1, f"error: {sentence}\n")


def test_a_token_is_read_anew_when_it_is_no_longer_good(
    bench: LinkerBench, undisturbed: State, dead_token: str
) -> None:
    bench.scene.log_in(bench.folder, bench.proxy.server, dead_token)

    def renew(call: Call, pass_on: PassOn) -> Answer:
        bench.scene.log_in(bench.folder, bench.proxy.server, bench.scene.token())
        return pass_on(call)

    assert bench.run(at(1, renew)).exit_code == 0
    assert bench.scene.state() == undisturbed


CLOCKS = [
    pytest.param(1750, True, id="by its clock it is too young"),
    pytest.param(1900, False, id="by its clock it is old enough"),
]


@pytest.mark.parametrize(("ahead", "stays"), CLOCKS)
def test_ages_are_by_the_clock_of_the_api_server(bench: LinkerBench, ahead: float, *, stays: bool) -> None:
    bench.proxy.begin(clock_ahead(ahead))
    assert bench.forge.run([*bench.scene.arguments, "--minimum-age=1800"]).exit_code == 0
    assert bool(bench.scene.api.find("ConfigMap", UNUSED)) is stays


MISSING = [
    pytest.param("absent", "does not exist", id="never applied"),
    pytest.param("web", f"does not name ConfigMap/{UNUSED}", id="not yet changed"),
]


@pytest.mark.parametrize(("workload", "what"), MISSING)
def test_the_deadline_ends_the_wait(bench: LinkerBench, workload: str, what: str) -> None:
    never = f"--workload=apps/v1/Deployment/{workload}=ConfigMap/{UNUSED}"
    run = bench.run(no_fault, never, "--timeout=2")
    assert run.exit_code == 1
    assert run.stderr == (
        f"error: Deployment ends/{workload}: {what}; apply the rendering again, or see why that failed\n"
    )


@pytest.mark.parametrize("fault", [drop_before, delay(3)], ids=["that never answers", "that answers too late"])
def test_the_deadline_ends_the_wait_for_an_api_server(bench: LinkerBench, fault: Fault) -> None:
    run = bench.run(fault, "--timeout=1")
    assert run.exit_code == 1
    assert "error: GET /api/v1/namespaces/ends/configmaps: no answer from http://127.0.0.1:" in run.stderr


def test_a_last_page_may_be_empty(bench: LinkerBench) -> None:
    """The API server goes on to the next page for an object that the selector then leaves out."""
    bench.scene.api.apply(config_map("zzz"))
    run = bench.run(pages_of(1))
    assert (run.exit_code, run.stderr) == (0, "")


def test_a_set_without_revisions_is_none_to_complain_about(bench: LinkerBench) -> None:
    bench.proxy.begin()
    run = bench.forge.run(["link", "--set=nothing"])
    assert (run.exit_code, run.stderr) == (0, "")
    assert run.stdout.startswith("0 revisions in ends: 0 linked, 0 deleted; ")
