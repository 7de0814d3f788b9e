"""Whatever happens to a run, the next one ends where an undisturbed one would have, and nothing is lost meanwhile."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.cluster.fault_proxy import Answer, Call, Dropped, Fault, PassOn, no_fault
from tests.cluster.faults import at, both, drop_after, drop_before, first, pages_of, refuse
from tests.cluster.linker_bench import SOON, LinkerBench, State, is_continued, is_event, is_patch
from tests.cluster.linker_forge import Forge

BENCH = "faults"


@pytest.mark.parametrize("arrives", [False, True], ids=["before it arrives", "after it is done"])
def test_killed_at_any_call(bench: LinkerBench, undisturbed: State, *, arrives: bool) -> None:
    def kill(call: Call, pass_on: PassOn) -> Answer:
        if arrives:
            pass_on(call)
        bench.forge.signal(signal.SIGKILL)
        raise Dropped

    # Killed after a read is killed before the next call.
    numbers = [call.number for call in bench.proxy.calls if not arrives or call.method != "GET"]
    assert len(numbers) == (8 if arrives else len(bench.proxy.calls))
    for number in numbers:
        bench.scene.undo()
        assert bench.run(at(number, kill)).exit_code == -signal.SIGKILL
        assert len(bench.proxy.calls) == number
        assert bench.run().exit_code == 0
        assert bench.scene.state() == undisturbed, f"killed at call {number}"


FAULTS = [
    pytest.param(lambda call, pass_on: (drop_before if call.number % 5 == 0 else no_fault)(call, pass_on), id="lost"),
    pytest.param(lambda call, pass_on: (drop_after if call.number % 5 == 0 else no_fault)(call, pass_on), id="unheard"),
    pytest.param(first(is_patch, refuse(500, "InternalError"), times=2), id="500, twice"),
    pytest.param(first(is_patch, refuse(503, "ServiceUnavailable")), id="503"),
    pytest.param(first(is_patch, refuse(504, "Timeout")), id="504"),
    pytest.param(first(is_patch, refuse(409, "Conflict")), id="409 on one patch"),
    pytest.param(first(is_patch, refuse(409, "Conflict"), times=5), id="409 on every patch of a round"),
    pytest.param(both(at(6, drop_before), at(7, refuse(403, "Forbidden"))), id="403 of a server that has just started"),
    pytest.param(both(pages_of(1), first(is_continued, refuse(410, "Expired"), times=3)), id="410 on a continuation"),
    pytest.param(at(3, refuse(401, "Unauthorized")), id="401 for a moment"),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_is_outlasted(bench: LinkerBench, undisturbed: State, fault: Fault) -> None:
    run = bench.run(fault)
    assert (run.exit_code, run.stderr) == (0, "")
    assert bench.scene.state() == undisturbed


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(bench: LinkerBench) -> None:
    times: list[float] = []

    def clock(call: Call, pass_on: PassOn) -> Answer:
        times.append(time.monotonic())
        return pass_on(call)

    assert bench.run(both(clock, at(5, refuse(429, "TooManyRequests", Retry_After="2")))).exit_code == 0
    assert times[5] - times[4] >= 2
    assert bench.proxy.calls[4].target == bench.proxy.calls[5].target


@pytest.mark.parametrize(
    "fault",
    [drop_before, refuse(500, "InternalError"), refuse(429, "TooManyRequests", Retry_After="30")],
    ids=["lost", "500", "429, as where Events are limited"],
)
def test_an_event_is_not_worth_waiting_for(bench: LinkerBench, undisturbed: State, fault: Fault) -> None:
    events = len([call for call in bench.proxy.calls if is_event(call)])
    run = bench.run(first(is_event, fault, times=events))
    assert (run.exit_code, run.stderr) == (0, "")
    assert [call.method for call in bench.proxy.calls if is_event(call)] == ["POST"] * events
    assert bench.scene.state() == undisturbed


def test_an_api_server_that_restarts_is_waited_for(
    cluster: ControlPlane, bench: LinkerBench, undisturbed: State
) -> None:
    starting = threading.Thread(target=cluster.start, args=["apiserver"])

    def restart(_call: Call, _pass_on: PassOn) -> Answer:
        cluster.stop("apiserver")
        starting.start()
        raise Dropped

    run = bench.run(first(is_patch, restart))
    starting.join()
    assert (run.exit_code, run.stderr) == (0, "")
    assert bench.scene.state() == undisturbed


def test_a_stalled_etcd_is_waited_for(cluster: ControlPlane, bench: LinkerBench, undisturbed: State) -> None:
    def stall(call: Call, pass_on: PassOn) -> Answer:
        cluster.processes["etcd"].pause()
        threading.Timer(3, cluster.processes["etcd"].resume).start()
        return pass_on(call)

    run = bench.run(first(is_patch, stall))
    assert (run.exit_code, run.stderr) == (0, "")
    assert bench.scene.state() == undisturbed


def test_two_at_once(bench: LinkerBench, undisturbed: State, tmp_path: Path) -> None:
    second = Forge(bench.scene.environment(tmp_path, bench.proxy.server), tmp_path)
    with second, ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            bench.scene.undo()
            bench.proxy.begin(SOON)
            runs = list(pool.map(lambda forge: forge.run(bench.scene.arguments), [bench.forge, second]))
            assert [(run.exit_code, run.stderr) for run in runs] == [(0, ""), (0, "")]
            assert bench.scene.state() == undisturbed
