"""Programs of others end in time, print no more than is allowed, and leave nothing running."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.common import files, program
from krm_fn.tools.common.files import DEFAULT_LIMITS, Allowance, Limits
from krm_fn.tools.common.program import Ended, Program, run_program
from tests.builds.test_builds import ECHO, install
from tests.render.run import render_in, write
from tests.wait import FOREVER, PATIENCE, until_dead, until_there

KUSTOMIZATION: dict[str, str | bytes] = {"shop/kustomization.yaml": "resources: []\n"}
CHART: dict[str, str | bytes] = {"shop/Chart.yaml": "name: web\n"}
SLOW = "error: shop: kustomize build was stopped: all programs may take 10 s together; --timeout sets the limit\n"
LARGE = "error: kustomize build shop: more than 100000 bytes are to be read; --max-bytes sets the limit\n"

SHEBANG = "#!/bin/sh\nPATH=/usr/bin:/bin\n"
NOTE_CHILD = f"sleep {FOREVER} & echo $! > new; mv new child\n"
"""Starts a program in the background, and notes its id."""
HANG = f"sleep {FOREVER}\n"

STOPPED = [
    pytest.param(NOTE_CHILD + HANG, SLOW, id="a program that waits"),
    pytest.param("exec >&- 2>&-\n" + NOTE_CHILD + HANG, SLOW, id="one that has closed its output"),
    pytest.param("trap '' TERM\n" + NOTE_CHILD + HANG, SLOW, id="one that does not want to end"),
    pytest.param(NOTE_CHILD + "yes >&2\n", SLOW, id="one that complains for ever"),
    pytest.param(NOTE_CHILD + "yes\n", LARGE, id="one that prints for ever"),
]


@pytest.mark.parametrize(("script", "sentence"), STOPPED)
def test_stopped(
    script: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time stands still until the program is ready. From then on, each look at the clock is after the end."""
    write(tmp_path, KUSTOMIZATION)
    install(tmp_path / "bin", monkeypatch, kustomize=SHEBANG + script)
    is_slow = sentence == SLOW
    looks = count()
    use_clock(
        monkeypatch,
        lambda: 11.0 * next(looks) if is_slow and (tmp_path / "child").exists() else 0.0,
    )
    outcome = render_in(tmp_path, monkeypatch, "shop", limits=Limits(max_bytes=100_000, timeout=10))
    assert outcome == Outcome(b"", sentence, 1)
    assert_child_ends(tmp_path)


def use_clock(monkeypatch: pytest.MonkeyPatch, clock: Callable[[], float]) -> None:
    for module in (files, program):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=clock))


def run_script(script: str, limits: Limits = DEFAULT_LIMITS) -> Ended:
    return run_program(
        Program("a script", ["/bin/sh", "-c", script], {"PATH": "/usr/bin:/bin"}), Allowance(limits)
    )


def assert_child_ends(folder: Path) -> None:
    until_dead(int((folder / "child").read_text()))


def test_what_stays_in_the_background_is_ended_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, KUSTOMIZATION)
    install(tmp_path / "bin", monkeypatch, kustomize=SHEBANG + NOTE_CHILD + ECHO)
    # Else it would be stopped at the end of all time that is allowed.
    assert render_in(tmp_path, monkeypatch, "shop").exit_code == 0
    assert_child_ends(tmp_path)


def test_all_runs_share_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chart is rendered twice: the first run takes 0.6 s, and the second has what is left."""
    write(tmp_path, CHART | {"runs": ""})
    script = f"{SHEBANG}echo >> {tmp_path}/runs\n[ $(wc -l < {tmp_path}/runs) = 1 ] || {HANG}{ECHO}"
    install(tmp_path / "bin", monkeypatch, helm=script)
    looks = [0]

    def clock() -> float:
        runs = len((tmp_path / "runs").read_text())
        looks[0] += runs == 2
        return 0.6 * min(runs, 1) + 0.05 * looks[0]

    use_clock(monkeypatch, clock)
    outcome = render_in(tmp_path, monkeypatch, "shop", limits=Limits(timeout=1))
    sentence = "error: shop: helm template was stopped: all programs may take 1 s together; --timeout sets the limit\n"
    assert outcome == Outcome(b"", sentence, 1)
    assert clock() < 1.5


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
    write(tmp_path, KUSTOMIZATION | {"bin/kustomize": SHEBANG + NOTE_CHILD + HANG})
    (tmp_path / "bin/kustomize").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    command = [sys.executable, "-P", "-m", "krm_fn", "render", "shop"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE
    ) as process:
        until_there(tmp_path / "child", process)
        process.send_signal(number)
        stdout, _ = process.communicate(timeout=PATIENCE)
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


def test_what_is_printed_right_before_the_end_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program prints and ends after the last look at its pipes, and before the look at itself."""
    wait = subprocess.Popen.wait

    def wait_later(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        del timeout
        (tmp_path / "last").touch()
        return wait(process)

    monkeypatch.setattr(subprocess.Popen, "wait", wait_later)
    ended = run_script(f"until [ -e {tmp_path}/last ]; do :; done; echo said >&2; exit 1")
    assert (ended.code, ended.stderr) == (1, b"said\n")
