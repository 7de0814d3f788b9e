"""Programs of others end in time, print no more than is allowed, and leave nothing running."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.common.files import DEFAULT_LIMITS, Allowance, Limits
from krm_fn.tools.common.program import Ended, Program, run_program
from tests.asleep import wait_until_asleep
from tests.builds.test_builds import ECHO, install
from tests.on_linux import state_of
from tests.render.run import render_in, write

KUSTOMIZATION: dict[str, str | bytes] = {"shop/kustomization.yaml": "resources: []\n"}
CHART: dict[str, str | bytes] = {"shop/Chart.yaml": "name: web\n"}
SLOW = "error: shop: kustomize build was stopped: all programs may take 0.5 s together; --timeout sets the limit\n"
LARGE = "error: kustomize build shop: more than 100000 bytes are to be read; --max-bytes sets the limit\n"

NOTE_CHILD = "#!/bin/sh\nPATH=/usr/bin:/bin\nsleep 1000 & echo $! > child\n"
"""Starts a program in the background, and notes its id."""

STOPPED = [
    pytest.param(NOTE_CHILD + "sleep 1000\n", SLOW, id="a program that waits"),
    pytest.param(
        NOTE_CHILD + "exec >&- 2>&-; sleep 1000\n", SLOW, id="one that has closed its output"
    ),
    pytest.param(
        NOTE_CHILD + "trap '' TERM; sleep 1000\n", SLOW, id="one that does not want to end"
    ),
    pytest.param(NOTE_CHILD + "yes >&2\n", SLOW, id="one that complains for ever"),
    pytest.param(NOTE_CHILD + "yes\n", LARGE, id="one that prints for ever"),
]


@pytest.mark.parametrize(("script", "sentence"), STOPPED)
def test_stopped(
    script: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, KUSTOMIZATION)
    install(tmp_path / "bin", monkeypatch, kustomize=script)
    outcome = render_in(
        tmp_path, monkeypatch, "shop", limits=Limits(max_bytes=100_000, timeout=0.5)
    )
    assert outcome == Outcome(b"", sentence, 1)
    assert_child_ends(tmp_path)


def run_script(script: str, limits: Limits = DEFAULT_LIMITS) -> Ended:
    return run_program(
        Program("a script", ["/bin/sh", "-c", script], {"PATH": "/usr/bin:/bin"}), Allowance(limits)
    )


def assert_child_ends(folder: Path) -> None:
    child = int((folder / "child").read_text())
    deadline = time.monotonic() + 5
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            if state_of(child) == "Z":
                return  # dead, but not yet collected by whoever inherits it
            time.sleep(0.01)
        pytest.fail("still running")


def test_what_stays_in_the_background_is_ended_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, KUSTOMIZATION)
    install(tmp_path / "bin", monkeypatch, kustomize=NOTE_CHILD + ECHO)
    start = time.monotonic()
    assert render_in(tmp_path, monkeypatch, "shop").exit_code == 0
    assert time.monotonic() - start < 5
    assert_child_ends(tmp_path)


def test_all_runs_share_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chart is rendered twice."""
    write(tmp_path, CHART)
    install(tmp_path / "bin", monkeypatch, helm="#!/bin/sh\n/bin/sleep 0.6\n" + ECHO)
    outcome = render_in(tmp_path, monkeypatch, "shop", limits=Limits(timeout=1))
    sentence = "error: shop: helm template was stopped: all programs may take 1 s together; --timeout sets the limit\n"
    assert outcome == Outcome(b"", sentence, 1)


def test_all_output_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, CHART)
    install(tmp_path / "bin", monkeypatch, helm=ECHO)
    size = len((tmp_path / "bin/helm").read_bytes())
    outcome = render_in(tmp_path, monkeypatch, "shop", limits=Limits(max_bytes=size + 100))
    sentence = f"error: helm template shop: more than {size + 100} bytes are to be read; --max-bytes sets the limit\n"
    assert outcome == Outcome(b"", sentence, 1)


ENDS = [
    pytest.param(signal.SIGTERM, -signal.SIGTERM, id="as Argo CD ends a plugin"),
    pytest.param(signal.SIGINT, 130, id="as Ctrl-C does"),
    pytest.param(signal.SIGHUP, -signal.SIGHUP, id="as a closed terminal does"),
    pytest.param(signal.SIGQUIT, -signal.SIGQUIT, id="as Ctrl-\\ does"),
]


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_nothing_is_left_when_this_process_is_ended(number: int, code: int, tmp_path: Path) -> None:
    write(tmp_path, KUSTOMIZATION | {"bin/kustomize": NOTE_CHILD + "touch started\nsleep 1000\n"})
    (tmp_path / "bin/kustomize").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    command = [sys.executable, "-P", "-m", "krm_fn", "render", "shop"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE
    ) as process:
        while not (tmp_path / "started").exists() and process.poll() is None:
            time.sleep(0.01)
        wait_until_asleep(process)
        process.send_signal(number)
        stdout, _ = process.communicate(timeout=10)
    assert (stdout, process.returncode) == (b"", code)
    assert_child_ends(tmp_path)


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """As under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        ended = run_script(f"kill -HUP {os.getpid()}; echo done")
    finally:
        signal.signal(signal.SIGHUP, before)
    assert ended.stdout == b"done\n"


def test_handlers_are_put_back() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
    run_script("true")
    assert [
        signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    ] == before


def test_a_program_has_no_terminal_and_no_input() -> None:
    script = "cat; test -t 0 || echo none; (: < /dev/tty) || echo no terminal"
    ended = run_script(script)
    assert ended.stdout == b"none\nno terminal\n"


def test_what_is_printed_right_before_the_end_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program prints and ends after the last look at its pipes, and before the look at itself."""
    wait = subprocess.Popen.wait

    def wait_later(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        time.sleep(0.3)
        return wait(process, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", wait_later)
    ended = run_script("sleep 0.15; echo said >&2; exit 1")
    assert (ended.code, ended.stderr) == (1, b"said\n")
