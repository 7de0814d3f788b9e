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
from tests.cluster.linker_harness import (
    OLD_ENOUGH,
    LinkerHarness,
    State,
    is_continued,
    is_event,
    is_patch,
)
from tests.cluster.linker_job import Linker

HARNESS_NAMESPACE = "faults"


@pytest.mark.parametrize(
    "is_processed",
    [
        pytest.param(False, marks=pytest.mark.nightly, id="before the API server gets it"),
        pytest.param(True, id="after the API server has processed it"),
    ],
)
def test_a_run_after_a_kill_at_any_call_reaches_the_undisturbed_state(
    harness: LinkerHarness, undisturbed: State, *, is_processed: bool
) -> None:
    def kill(call: Call, pass_on: PassOn) -> Answer:
        if is_processed:
            pass_on(call)
        harness.linker.signal(signal.SIGKILL)
        raise Dropped

    # A kill after a read is the same as one before the next call.
    numbers = [
        call.number for call in harness.proxy.calls if not is_processed or call.method != "GET"
    ]
    assert len(numbers) == (9 if is_processed else len(harness.proxy.calls))
    for number in numbers:
        harness.release.restore()
        assert harness.run(at(number, kill)).exit_code == -signal.SIGKILL
        assert len(harness.proxy.calls) == number
        assert harness.run().exit_code == 0
        assert harness.release.state() == undisturbed, f"killed at call {number}"


FAULTS: dict[str, Fault] = {
    "requests are lost": lambda call, pass_on: (drop_before if call.number % 5 == 0 else no_fault)(
        call, pass_on
    ),
    "responses are lost": lambda call, pass_on: (drop_after if call.number % 5 == 0 else no_fault)(
        call, pass_on
    ),
    "500, twice": first(is_patch, refuse(500, "InternalError"), times=2),
    "503": first(is_patch, refuse(503, "ServiceUnavailable")),
    "504": first(is_patch, refuse(504, "Timeout")),
    "409 on one patch": first(is_patch, refuse(409, "Conflict")),
    "409 on every patch of a round": first(is_patch, refuse(409, "Conflict"), times=5),
    "403 after a restart": both(at(6, drop_before), at(7, refuse(403, "Forbidden"))),
    "410 on a continuation": both(
        pages_of(1), first(is_continued, refuse(410, "Expired"), times=3)
    ),
    "401 once": at(3, refuse(401, "Unauthorized")),
}
ALWAYS = {"503", "409 on every patch of a round", "403 after a restart"}
"""What each run tries. tests/linker tries every status without a cluster."""


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=() if sentence in ALWAYS else pytest.mark.nightly, id=sentence)
        for sentence, fault in FAULTS.items()
    ],
)
def test_a_run_outlasts_a_temporary_fault(
    harness: LinkerHarness, undisturbed: State, fault: Fault
) -> None:
    run = harness.run(fault)
    assert (run.exit_code, run.stderr) == (0, "")
    assert harness.release.state() == undisturbed


def test_a_run_waits_as_long_as_a_busy_server_asks(harness: LinkerHarness) -> None:
    times: list[float] = []

    def clock(call: Call, pass_on: PassOn) -> Answer:
        times.append(time.monotonic())
        return pass_on(call)

    assert (
        harness.run(both(clock, at(5, refuse(429, "TooManyRequests", Retry_After="2")))).exit_code
        == 0
    )
    assert times[5] - times[4] >= 2
    assert harness.proxy.calls[4].target == harness.proxy.calls[5].target


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(drop_before, marks=pytest.mark.nightly, id="the request is lost"),
        pytest.param(refuse(500, "InternalError"), marks=pytest.mark.nightly, id="500"),
        pytest.param(
            refuse(429, "TooManyRequests", Retry_After="30"), id="429, as with a limit on Events"
        ),
    ],
)
def test_an_event_is_sent_only_once(
    harness: LinkerHarness, undisturbed: State, fault: Fault
) -> None:
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

    # As long as `start` waits for it.
    run = harness.run(first(is_patch, restart), "--timeout=300")
    starting.join()
    assert (run.exit_code, run.stderr) == (0, "")
    assert harness.release.state() == undisturbed


def test_a_run_outlasts_a_suspended_etcd(
    cluster: ControlPlane, harness: LinkerHarness, undisturbed: State
) -> None:
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
    second = Linker(harness.release.environment(tmp_path, harness.proxy.server))
    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            harness.release.restore()
            harness.proxy.begin(OLD_ENOUGH)
            runs = list(
                pool.map(
                    lambda linker: linker.run(harness.release.arguments),
                    [harness.linker, second],
                )
            )
            assert [(run.exit_code, run.stderr) for run in runs] == [(0, ""), (0, "")]
            assert harness.release.state() == undisturbed
