"""No command leaves, changes or removes a file that it does not name, however it ends, and by its system calls.

The kubeconfig holds a certificate with its key, which an API server with TLS demands.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.nothing_stays import (
    COMMANDS,
    WITH_PROGRAMS,
    Command,
    Place,
    assert_nothing_stays,
    make_place,
    no_room,
    wait_for_start,
)
from tests.on_linux import state_of
from tests.tools.require import require
from tests.wait import until

GIT = shutil.which("git") or ""
WAITING = {name for name, command in COMMANDS.items() if command.waits_for}
ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with make_place(tmp_path, is_tls=True) as made:
        yield made


class Surroundings(NamedTuple):
    """What a command meets. `behaviour`: that of programs and of the API server."""

    behaviour: str = "answer"
    is_full: bool = False
    is_pipe_closed: bool = False
    temporary: str = ""


SURROUNDINGS = {
    "all is well": Surroundings(),
    "programs and the API server fail": Surroundings("fail"),
    "the disk is full": Surroundings(is_full=True),
    "nobody reads the output": Surroundings(is_pipe_closed=True),
    "there is no folder for temporary files": Surroundings(temporary="/nonexistent"),
    "the folder for temporary files takes nothing": Surroundings(temporary="/proc"),
    "it is none": Surroundings(temporary="/dev/null"),
}


@pytest.mark.rows(submission=40)
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(
    "met", [pytest.param(one, id=claim) for claim, one in SURROUNDINGS.items()]
)
def test_all_is_as_before_whatever_a_command_meets(
    met: Surroundings, name: str, place: Place
) -> None:
    command = COMMANDS[name]
    place.use(met.behaviour, GIT)
    before = place.look(command.outputs)
    reading, writing = os.pipe()
    if met.is_pipe_closed:
        os.close(reading)
    prepare = no_room if met.is_full else None
    stdout = writing if met.is_pipe_closed else subprocess.PIPE
    variables = {"TMPDIR": met.temporary} if met.temporary else {}
    with place.running(command, stdout=stdout, prepare=prepare, **variables) as process:
        _, said = process.communicate(command.stdin.encode())
    os.close(writing)
    if not met.is_pipe_closed:
        os.close(reading)
    assert b"Traceback" not in said, said
    assert process.returncode >= 0, said
    assert_nothing_stays(place, before, command.outputs)


@pytest.mark.rows(submission=20)
@pytest.mark.parametrize("name", sorted(WAITING))
@pytest.mark.parametrize("end", [pytest.param(one, id=one.name) for one in ENDS])
def test_all_is_as_before_whatever_signal_ends_a_command(
    end: signal.Signals, name: str, place: Place
) -> None:
    command = COMMANDS[name]
    place.use("wait", GIT)
    before = place.look(command.outputs)
    with place.running(command) as process:
        wait_for_start(place, command, process)
        if end == signal.SIGINT:  # as a terminal does
            os.killpg(process.pid, end)
        else:
            process.send_signal(end)
        process.wait()
        assert_nothing_stays(place, before, command.outputs)


def test_a_worker_that_is_killed_leaves_nothing(place: Place) -> None:
    """The command then does its work itself."""
    command = COMMANDS["diff --against --jobs"]
    place.use("answer", GIT)
    before = place.look()
    with place.running(command) as process:
        undisturbed = process.communicate()
    place.use("wait", GIT)
    with place.running(command) as process:
        wait_for_start(place, command, process)
        place.use("answer", GIT)
        for worker in _workers(process.pid):
            os.kill(worker, signal.SIGKILL)
        place.stop()
        assert process.communicate() == undisturbed
    assert_nothing_stays(place, before)


def _workers(process: int) -> list[int]:
    """Return the processes of krm-fn that a process has started, which run programs."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(file.read_text().rpartition(")")[2].split()[1])
            is_python = b"krm_fn" in file.with_name("cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == process and is_python and state_of(int(file.parent.name)) != "Z":
            found.append(int(file.parent.name))
    assert found
    return found


KILLED_AT = """
import os, signal, sys

number = int(sys.argv.pop(1))
calls = 0
CHANGES = {"os.mkdir", "os.rename", "os.link", "os.symlink", "os.remove", "os.rmdir", "os.chmod", "subprocess.Popen"}

def count(event, arguments):
    global calls
    flags = arguments[2] if event == "open" and isinstance(arguments[2], int) else 0
    is_write = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if event in CHANGES or is_write:
        calls += 1
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(count)
from krm_fn.__main__ import main
main()
"""


@pytest.mark.parametrize(
    "name", ["render", "diff --against", "diff --live", "merge", "init", "link"]
)
def test_a_kill_at_any_step_leaves_no_secret(name: str, place: Place) -> None:
    """A folder that has just been made may stay, and is empty then."""
    command = COMMANDS[name]
    place.use("answer", GIT)
    before = place.look(command.outputs)
    for number in range(1, 1_000):
        with subprocess.Popen(
            [sys.executable, "-P", "-c", KILLED_AT, str(number), *command.arguments],
            cwd=place.repository,
            env=place.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            process.wait()
        until(f"nothing is kept of step {number}", lambda: _kept(place), lambda kept: not kept)
        after = {
            file: seen
            for file, seen in place.look(command.outputs).items()
            if not file.startswith("temporary/")
            and not is_of_output(str(place.world / file), place, command)
        }
        assert after == before
        if process.returncode != -signal.SIGKILL:
            assert number > 1
            return
    pytest.fail("it never ends by itself")


def is_of_output(path: str, place: Place, command: Command) -> bool:
    """Tell whether a file is an output, or is beside one until it takes its name."""
    for output in command.outputs:
        file = place.repository / output
        beside = rf"{re.escape(str(file.parent))}/(?:\.?{re.escape(file.name)}(?:\.[0-9a-f]+\.tmp|\.krm-fn)?)"
        if re.fullmatch(beside, path):
            return True
    return False


def _kept(place: Place) -> list[Path]:
    """Return what is in folders for temporary files, which another process removes meanwhile."""
    kept: list[Path] = []
    for folder in place.temporary.iterdir():
        with suppress(FileNotFoundError):
            kept += folder.iterdir()
    return kept


CALLS = (
    *(
        "open",
        "openat",
        "openat2",
        "creat",
        "truncate",
        "mkdir",
        "mkdirat",
        "mknod",
        "mknodat",
        "rmdir",
    ),
    *(
        "unlink",
        "unlinkat",
        "rename",
        "renameat",
        "renameat2",
        "link",
        "linkat",
        "symlink",
        "symlinkat",
    ),
    *("chmod", "fchmodat", "chown", "lchown", "fchownat", "utimensat", "setxattr", "mount"),
)
_CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(?P<name>\w+)\((?P<arguments>.*)")
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<folder>[^>]*)>, )?"(?P<path>(?:[^"\\]|\\.)*)"')
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
ALLOWED = re.compile(r"/dev/(null|tty|pts/\d+)|/proc/(self|\d+|thread-self)/.*|/dev/fd/\d+|pipe:.*")


def find_changes(trace: str, folder: Path) -> list[str]:
    """Return the paths that system calls change, or try to."""
    changed = []
    for line in trace.splitlines():
        call = _CALL.match(line)
        if call is None or (
            call["name"].startswith(("open", "creat")) and not _WRITES.search(call["arguments"])
        ):
            continue
        for found in _PATH.finditer(call["arguments"]):
            place = found["folder"] or str(folder)
            changed.append(os.path.normpath(Path(place, found["path"])))
    return changed


@pytest.mark.rows(submission=8)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_system_call_changes_anything_else(name: str, place: Place, tmp_path: Path) -> None:
    command = COMMANDS[name]
    strace = require("strace")
    place.use("answer", GIT)
    _use_real(place)
    trace = tmp_path / "trace"
    before = place.look(command.outputs)
    # With a question mark, one that a machine does not have is none.
    calls = ",".join(f"?{call}" for call in CALLS)
    with place.running(
        command, str(strace), "-f", "-y", "-s", "4096", "-o", str(trace), "-e", f"trace={calls}"
    ) as process:
        _, said = process.communicate(command.stdin.encode())
    assert process.returncode in {0, 1}, said
    changed = find_changes(trace.read_text(errors="replace"), place.repository)
    changed = [
        path
        for path in changed
        if not ALLOWED.fullmatch(path) and not is_of_output(path, place, command)
    ]
    assert [path for path in changed if not path.startswith(f"{place.temporary}/")] == []
    assert_nothing_stays(place, before, command.outputs)
    if name in WITH_PROGRAMS and command.waits_for == "kustomize":
        assert changed  # the trace sees what it looks for


def _use_real(place: Place) -> None:
    for program in ("kustomize", "helm"):
        (place.programs / program).unlink()
        (place.programs / program).symlink_to(require(program))


def test_what_a_trace_is_read_as() -> None:
    trace = (
        '12 mkdirat(AT_FDCWD</a>, "b", 0700) = 0\n'
        '12 openat(AT_FDCWD</a>, "c", O_RDONLY) = 3\n'
        '12 openat(AT_FDCWD</a>, "e", O_WRONLY <unfinished ...>\n'
        '12 unlink("/d") = -1 ENOENT (No such file or directory)\n'
    )
    assert find_changes(trace, Path("/x")) == ["/a/b", "/a/e", "/d"]
