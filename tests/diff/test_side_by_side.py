"""`krm-fn diff --jobs`: several processes give the answer of one, and nothing is left of them."""

import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from krm_fn.tools.diff.side_by_side import default_jobs
from tests.cli.process import KRM_FN, krm_fn
from tests.cli.terminal import CTRL_C, at_terminal
from tests.diff.test_against import CONFIG, config_map
from tests.diff.test_packages import package
from tests.git.repository import ENVIRONMENT, commit
from tests.render.run import write
from tests.wait import FOREVER, PATIENCE, SLOWLY, until, until_asleep, until_dead, until_empty

PATTERN = "apps/*/*"
NAMES = ("blog", "dev", "prod", "staging", "test")

SPAWNED = """
import sys
from multiprocessing import get_context

from krm_fn.__main__ import main
from krm_fn.tools.diff import side_by_side

if __name__ == "__main__":
    side_by_side._CONTEXT = get_context("spawn")
    main()
"""
"""krm-fn as on macOS, where no process is a fork of another."""

DEEP = (
    "apiVersion: e.x/v1\nkind: Deep\nmetadata: {name: deep}\nspec: "
    + "{a: " * 390
    + "b"
    + "}" * 390
    + "\n"
)


@pytest.fixture
def repository(tmp_path: Path, temporary: Path) -> Path:
    """Return a repository of packages that change, fail, come, go, stay, and read what another one renames."""
    assert temporary
    folder = tmp_path / "repository"
    before = {name: text for one in NAMES for name, text in package(one, "one").items()}
    before |= (
        package("secret", "one", kind="Secret")
        | package("broken", "one")
        | package("repaired", "one")
    )
    before |= {"apps/shop/repaired/web.yaml": "a: b\n", "apps/old/gone/a.yaml": config_map("one")}
    before |= {
        f"apps/reader/{name}/web.yaml": package(name, "one")[f"apps/shop/{name}/web.yaml"]
        for name in NAMES
    }
    commit(folder, before)
    after = {name: text for one in NAMES[1:] for name, text in package(one, f"two-{one}").items()}
    after |= (
        package("secret", "two", kind="Secret")
        | package("added", "one")
        | package("repaired", "one")
    )
    after |= {
        "apps/shop/broken/web.yaml": "a: b\n",
        "apps/shop/blog/notes.txt": "a",
        "apps/shop/dev/deep.yaml": DEEP,
    }
    write(folder, after)
    (folder / "apps/old/gone/a.yaml").unlink()
    return folder


def compare(folder: Path, *arguments: str, **environment: str) -> tuple[str, str, int]:
    command = ["diff", "--against=HEAD", "--exit-code", *arguments]
    done = krm_fn(*command, cwd=folder, **ENVIRONMENT, **environment)
    return done.stdout, done.stderr, done.returncode


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_the_number_of_processes_changes_no_byte(
    form: str, repository: Path, temporary: Path
) -> None:
    alone = compare(repository, "--jobs=1", "-o", form, PATTERN)
    assert alone[2] == 2
    assert "expected a Kubernetes object" in alone[1]
    assert "which is the base name of" in alone[1]
    for jobs in ("2", "3", "50"):
        assert compare(repository, f"--jobs={jobs}", "-o", form, PATTERN) == alone
    assert compare(repository, "-o", form, PATTERN) == alone
    assert not [*temporary.iterdir()]


def test_a_process_that_is_no_fork_gives_the_same(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "spawned.py").write_text(SPAWNED)
    command = [
        sys.executable,
        "-P",
        str(tmp_path / "spawned.py"),
        "diff",
        "--against=HEAD",
        "--exit-code",
        "--jobs=2",
    ]
    environment = {**os.environ, **ENVIRONMENT}
    done = subprocess.run(
        [*command, PATTERN],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == compare(repository, "--jobs=1", PATTERN)


LIMITS = [
    pytest.param(3_000, "", id="all fit alone, and none beside others"),
    pytest.param(
        800,
        "more than 800 bytes are to be read; --max-bytes sets the limit",
        id="some do not even fit alone",
    ),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("most", "message"), LIMITS)
def test_what_needs_more_than_its_share_follows_alone(
    most: int, message: str, repository: Path
) -> None:
    (repository / "apps/shop/dev/deep.yaml").unlink()
    alone = compare(repository, "--jobs=1", f"--max-bytes={most}", PATTERN)
    assert message in alone[1]
    assert ("bytes" in alone[1]) == bool(message)
    for jobs in (2, 8):
        assert compare(repository, f"--jobs={jobs}", f"--max-bytes={most}", PATTERN) == alone


KILLS = [
    pytest.param(1, id="one process is killed"),
    pytest.param(2, id="all are killed"),
]
PRINT = '#!/bin/sh\nfor last; do :; done\ncat "$last/all.yaml"\n'


def built(names: tuple[str, ...], level: str) -> Iterator[tuple[str, str | bytes]]:
    """Yield the files of packages that a program builds."""
    for name in names:
        yield f"apps/shop/{name}/kustomization.yaml", "resources: [all.yaml]\n"
        yield f"apps/shop/{name}/krm-fn.yaml", CONFIG
        yield f"apps/shop/{name}/all.yaml", config_map(level)


def install(folder: Path, script: str) -> str:
    """Put a program kustomize in front of all others, and return PATH."""
    write(folder, {"bin/kustomize": script})
    (folder / "bin/kustomize").chmod(0o755)
    return f"{folder}/bin:{os.environ['PATH']}"


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("killed", KILLS)
def test_what_a_killed_process_had_to_do_is_done(killed: int, tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    commit(folder, dict(built(NAMES, "one")))
    write(folder, dict(built(NAMES, "two")))
    expected = compare(folder, "--jobs=1", PATTERN, PATH=install(tmp_path, PRINT))
    assert "5 packages: 5 changed" in expected[0]
    kill = "".join(
        f'mkdir "{tmp_path}/{number}" 2>/dev/null && kill -KILL $PPID && exit\n'
        for number in range(killed)
    )
    path = install(tmp_path, PRINT.replace("\n", f"\n{kill}", 1))
    assert compare(folder, "--jobs=2", PATTERN, PATH=path) == expected
    assert (tmp_path / str(killed - 1)).exists()


FAILING = """
from multiprocessing import parent_process

from krm_fn.report.status_line import StatusLine
from krm_fn.tools.diff.side_by_side import answer_all
from krm_fn.tools.common.files import Limits


def work(package, place, limits):
    if parent_process() is not None:
        if package in "ac":
            raise {error}
        return package, "beside", limits.max_bytes
    return package, "alone", limits.max_bytes


print(answer_all(dict.fromkeys("abcd", ""), work, Limits(max_bytes=9), 3, StatusLine()))
"""
ERRORS = [
    pytest.param("MemoryError", "", id="no memory, which a process survives"),
    pytest.param("SystemExit(0)", "", id="a process that ends as if all were well"),
    pytest.param("ValueError('ours')", "ValueError: ours\n", id="a mistake of ours"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("error", "said"), ERRORS)
def test_what_a_process_does_not_answer_is_done_by_the_one_that_has_started_it(
    error: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "failing.py").write_text(FAILING.format(error=error))
    command = [sys.executable, str(tmp_path / "failing.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    beside, alone = ("beside", 3), ("alone", 9)
    ways = {"a": alone, "b": beside, "c": alone, "d": beside}
    assert done.stdout == f"{ {name: (name, *way) for name, way in ways.items()} }\n"
    assert done.stderr.endswith(said)
    assert bool(done.stderr) == bool(said)


PROCESSORS = [
    pytest.param(["--jobs=2"], {}, "1", id="side by side, one each"),
    pytest.param(["--jobs=2"], {"GOMAXPROCS": "3"}, "3", id="as many as somebody has said"),
    pytest.param(["--jobs=1"], {}, "", id="alone, as many as there are"),
]


@pytest.mark.parametrize(("arguments", "variables", "expected"), PROCESSORS)
def test_how_many_processors_a_program_uses(
    arguments: list[str],
    variables: dict[str, str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GOMAXPROCS", raising=False)
    commit(tmp_path / "repository", dict(built(NAMES, "one")))
    write(tmp_path / "repository", dict(built(NAMES, "two")))
    note = f'\necho "$GOMAXPROCS" >> "{tmp_path}/noted"\n'
    path = install(tmp_path, PRINT.replace("\n", note, 1))
    _, _, code = compare(tmp_path / "repository", *arguments, PATTERN, PATH=path, **variables)
    assert code == 1
    assert {*(tmp_path / "noted").read_text().splitlines()} == {expected}


WAIT = f'#!/bin/sh\necho "$PPID $$" > "{{0}}/$$"\nsleep {FOREVER} & echo $! > "{{0}}/$!"\nwait\n'
"""Notes the processes that have to end, each in a file."""

ENDS = [
    pytest.param(signal.SIGKILL, -signal.SIGKILL, id="by force"),
    pytest.param(signal.SIGTERM, -signal.SIGTERM, id="politely"),
    pytest.param(signal.SIGINT, 130, id="as by kill -INT"),
]


def read_started(folder: Path) -> set[int]:
    """Return the processes that are noted."""
    return {int(one) for file in folder.iterdir() for one in file.read_text().split()}


def wait_for_start(folder: Path, process: subprocess.Popen[str]) -> set[int]:
    """Wait until two processes run a program each, and the first process waits for them."""
    started = until(
        "two programs run",
        lambda: read_started(folder),
        lambda found: len(found) >= 6 or process.poll() is not None,
    )
    until_asleep(process)
    return started


@pytest.fixture
def waiting(tmp_path: Path, temporary: Path) -> Path:
    """Return a folder for notes about processes, beside a repository whose packages are compared."""
    assert temporary
    notes = tmp_path / "started"
    notes.mkdir()
    commit(tmp_path / "repository", dict(built(NAMES, "one")))
    write(tmp_path / "repository", dict(built(NAMES, "two")))
    return notes


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("number", "code"), ENDS)
def test_nothing_is_left_when_the_process_is_ended(
    number: int, code: int, waiting: Path, temporary: Path, tmp_path: Path
) -> None:
    path = install(tmp_path, WAIT.format(waiting))
    command = [*KRM_FN, "diff", "--against=HEAD", "--jobs=2", PATTERN]
    environment = {**os.environ, **ENVIRONMENT, "PATH": path}
    with subprocess.Popen(
        command,
        cwd=tmp_path / "repository",
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        started = wait_for_start(waiting, process)
        process.send_signal(number)
        assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == code
    until_dead(*started)
    until_empty(temporary)


STOP = WAIT.replace("wait\n", "kill -STOP $PPID\nwait\n")
"""Stops the process that has started it as well."""


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_that_somebody_has_stopped_ends_as_well(
    number: int, waiting: Path, temporary: Path, tmp_path: Path
) -> None:
    path = install(tmp_path, STOP.format(waiting))
    command = [*KRM_FN, "diff", "--against=HEAD", "--jobs=2", PATTERN]
    environment = {**os.environ, **ENVIRONMENT, "PATH": path}
    with subprocess.Popen(
        command, cwd=tmp_path / "repository", env=environment, stdout=-1, stderr=-1, text=True
    ) as process:
        started = wait_for_start(waiting, process)
        process.send_signal(number)
        assert process.communicate(timeout=PATIENCE) == ("", "")
    until_dead(*started)
    until_empty(temporary)


OPEN_FILES = [12, 14, 18, 24, 32, 48]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("most", OPEN_FILES)
def test_fewer_processes_start_where_few_files_may_be_open(
    most: int, repository: Path, tmp_path: Path
) -> None:
    """Where one process has enough of them, so have several."""
    limited = f'ulimit -n {most}; exec "$@"'
    path = install(tmp_path, PRINT)
    write(repository, dict(built(tuple(f"more-{one}" for one in range(12)), "two")))
    arguments = ["diff", "--against=HEAD", "--exit-code", "-o", "json", PATTERN]
    alone, several = (
        subprocess.run(
            ["sh", "-c", limited, "sh", *KRM_FN, *arguments, f"--jobs={jobs}"],
            cwd=repository,
            env={**os.environ, **ENVIRONMENT, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        for jobs in (1, 12)
    )
    assert (several.stdout, several.stderr) == (alone.stdout, alone.stderr)
    assert several.returncode == alone.returncode


def test_nothing_is_left_after_ctrl_c(waiting: Path, temporary: Path, tmp_path: Path) -> None:
    """A terminal sends it to all processes."""
    environment = {**ENVIRONMENT, "PATH": install(tmp_path, WAIT.format(waiting))}
    command = [*KRM_FN, "diff", "--against=HEAD", "--jobs=2", PATTERN]
    with at_terminal(command, tmp_path / "repository", environment) as running:
        started = wait_for_start(waiting, running.process)
        running.type(CTRL_C)
        assert running.finish() == ("", "", 130)
    until_dead(*started)
    until_empty(temporary)


def test_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 2, 3, 7}, raising=False)
    assert [default_jobs(most) for most in (100_000_000, 39_999_999, 20_000_000, 1)] == [4, 3, 2, 1]
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 32)
    assert [default_jobs(most) for most in (100_000_000, 1_000_000_000)] == [10, 32]


MISPLACED = [
    pytest.param(["--against=HEAD", "--jobs=2", "shop"], id="all paths are one rendering"),
    pytest.param(["--jobs=2", "a", "b"], id="two renderings"),
    pytest.param(["--live", "--jobs=2", "shop"], id="a cluster"),
]


@pytest.mark.parametrize("arguments", MISPLACED)
def test_jobs_are_of_packages(arguments: list[str], tmp_path: Path) -> None:
    done = krm_fn("diff", *arguments, cwd=tmp_path)
    message = (
        "error: --jobs is of several packages; add --each or a pattern; see krm-fn diff --help\n"
    )
    assert (done.stderr, done.returncode) == (message, 2)


def test_the_option_that_is_named_compares_two_packages(tmp_path: Path) -> None:
    commit(tmp_path, package("dev", "one", set="dev") | package("prod", "one", set="prod"))
    write(tmp_path, package("dev", "two", set="dev"))
    paths = ("apps/shop/dev", "apps/shop/prod")
    stdout, stderr, code = compare(tmp_path, *paths)
    assert (stdout, code) == ("", 2)
    assert stderr.splitlines()[-1] == (
        "error: found 2 configurations; take each PATH by itself with --each, or choose one with --config: "
        "apps/shop/dev/krm-fn.yaml:1:1, apps/shop/prod/krm-fn.yaml:1:1"
    )
    stdout, _, code = compare(tmp_path, "--each", *paths)
    assert stdout.endswith("\n2 packages: 1 changed, 1 not affected\n")
    assert code == 1


SLOW = PRINT.replace("\n", f"\nsleep {SLOWLY}\n", 1)
ENDLESS = PRINT.replace("\n", f"\nsleep {FOREVER}\n", 1)
COUNTS = [
    pytest.param(
        SLOW,
        0,
        "warning: uncommitted changes are compared too: 5 files, such as apps/shop/blog/all.yaml",
        id="at the end",
    ),
    pytest.param(ENDLESS, 130, "", id="after Ctrl-C"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("program", "code", "said"), COUNTS)
def test_a_line_counts_at_a_terminal_and_goes(
    program: str, code: int, said: str, tmp_path: Path
) -> None:
    folder = tmp_path / "repository"
    commit(folder, dict(built(NAMES, "one")))
    write(folder, dict(built(NAMES, "two")))
    screen, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    environment = {**os.environ, **ENVIRONMENT, "PATH": install(tmp_path, program), "NO_COLOR": "1"}
    command = [*KRM_FN, "diff", "--against=HEAD", "--jobs=2", PATTERN]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=terminal
    ) as process:
        os.close(terminal)
        written, is_endless = b"", program == ENDLESS
        with suppress(OSError):  # nobody has the terminal any more
            while chunk := os.read(screen, 1024):
                written += chunk
                if is_endless and b" of 5 packages, " in written:
                    process.send_signal(signal.SIGINT)
                    is_endless = False
    os.close(screen)
    assert process.returncode == code
    assert re.match(rb"\r[0-4] of 5 packages, apps/shop/[a-z]+ *\r", written)
    line = ""
    # A long message is folded at a terminal.
    for part in written.decode().replace("\r\n  ", " ").replace("\r\n", "").split("\r"):
        line = part + line[len(part) :]
    assert line.strip() == said
