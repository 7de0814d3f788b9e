"""After any fault of a run, the next run reaches the state of an undisturbed one, and nothing is lost."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.cluster.fault_proxy import Answer, Call, Dropped, Fault, PassOn, no_fault
from tests.cluster.faults import at, both, drop_after, drop_before, first, pages_of, refuse
from tests.cluster.linker_fork_server import LinkerForkServer
from tests.cluster.linker_harness import OLD_ENOUGH, LinkerHarness, State, is_continued, is_event, is_patch

HARNESS_NAMESPACE = "faults"


@pytest.mark.parametrize(
    "is_processed", [False, True], ids=["before the API server gets it", "after the API server has processed it"]
)
def test_a_run_after_a_kill_at_any_call_reaches_the_undisturbed_state(
    harness: LinkerHarness, undisturbed: State, *, is_processed: bool
) -> None:
    def kill(call: Call, pass_on: PassOn) -> Answer:
        if is_processed:
            pass_on(call)
        harness.fork_server.signal(signal.SIGKILL)
        raise Dropped

    # A kill after a read is the same as one before the next call.
    numbers = [call.number for call in harness.proxy.calls if not is_processed or call.method != "GET"]
    assert len(numbers) == (9 if is_processed else len(harness.proxy.calls))
    for number in numbers:
        harness.release.restore()
        assert harness.run(at(number, kill)).exit_code == -signal.SIGKILL
        assert len(harness.proxy.calls) == number
        assert harness.run().exit_code == 0
        assert harness.release.state() == undisturbed, f"killed at call {number}"


FAULTS = [
    pytest.param(
        lambda call, pass_on: (drop_before if call.number % 5 == 0 else no_fault)(call, pass_on), id="requests are lost"
    ),
    pytest.param(
        lambda call, pass_on: (drop_after if call.number % 5 == 0 else no_fault)(call, pass_on), id="responses are lost"
    ),
    pytest.param(first(is_patch, refuse(500, "InternalError"), times=2), id="500, twice"),
    pytest.param(first(is_patch, refuse(503, "ServiceUnavailable")), id="503"),
    pytest.param(first(is_patch, refuse(504, "Timeout")), id="504"),
    pytest.param(first(is_patch, refuse(409, "Conflict")), id="409 on one patch"),
    pytest.param(first(is_patch, refuse(409, "Conflict"), times=5), id="409 on every patch of a round"),
    pytest.param(both(at(6, drop_before), at(7, refuse(403, "Forbidden"))), id="403 after a restart"),
    pytest.param(both(pages_of(1), first(is_continued, refuse(410, "Expired"), times=3)), id="410 on a continuation"),
    pytest.param(at(3, refuse(401, "Unauthorized")), id="401 once"),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_outlasts_a_temporary_fault(harness: LinkerHarness, undisturbed: State, fault: Fault) -> None:
    run = harness.run(fault)
    assert (run.exit_code, run.stderr) == (0, "")
    assert harness.release.state() == undisturbed


def test_a_run_waits_as_long_as_a_busy_server_asks(harness: LinkerHarness) -> None:
    times: list[float] = []

    def clock(call: Call, pass_on: PassOn) -> Answer:
        times.append(time.monotonic())
        return pass_on(call)

    assert harness.run(both(clock, at(5, refuse(429, "TooManyRequests", Retry_After="2")))).exit_code == 0
    assert times[5] - times[4] >= 2
    assert harness.proxy.calls[4].target == harness.proxy.calls[5].target


@pytest.mark.parametrize(
    "fault",
    [drop_before, refuse(500, "InternalError"), refuse(429, "TooManyRequests", Retry_After="30")],
    ids=["the request is lost", "500", "429, as with a limit on Events"],
)
def test_an_event_is_sent_only_once(harness: LinkerHarness, undisturbed: State, fault: Fault) -> None:
    events = len([call for call in harness.proxy.calls if is_event(call)])
    run = harness.run(first(is_event, fault, times=events))
    assert (run.exit_code, run.stderr) == (0, "")
    assert [call.method for call in harness.proxy.calls if is_event(call)] == ["POST"] * events
    assert harness.release.state() == undisturbed


def test_a_run_outlasts_a_restart_of_the_api_server(
    cluster: ControlPlane, harness: LinkerHarness, undisturbed: State
) -> None:
    starting = threading.Thread(target=cluster.start, args=["apiserver"])

    def restart(_call: Call, _pass_on: PassOn) -> Answer:
        cluster.stop("apiserver")
        starting.start()
        raise Dropped

    run = harness.run(first(is_patch, restart))
    starting.join()
    assert (run.exit_code, run.stderr) == (0, "")
    assert harness.release.state() == undisturbed


def test_a_run_outlasts_a_suspended_etcd(cluster: ControlPlane, harness: LinkerHarness, undisturbed: State) -> None:
    def stall(call: Call, pass_on: PassOn) -> Answer:
        cluster.processes["etcd"].pause()
        threading.Timer(3, cluster.processes["etcd"].resume).start()
        return pass_on(call)

    run = harness.run(first(is_patch, stall))
    assert (run.exit_code, run.stderr) == (0, "")
    assert harness.release.state() == undisturbed


def test_two_concurrent_runs_reach_the_undisturbed_state(
    harness: LinkerHarness, undisturbed: State, tmp_path: Path
) -> None:
    second = LinkerForkServer(harness.release.environment(tmp_path, harness.proxy.server), tmp_path)
    with second, ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            harness.release.restore()
            harness.proxy.begin(OLD_ENOUGH)
            runs = list(
                pool.map(lambda fork_server: fork_server.run(harness.release.arguments), [harness.fork_server, second])
            )
            assert [(run.exit_code, run.stderr) for run in runs] == [(0, ""), (0, "")]
            assert harness.release.state() == undisturbed
