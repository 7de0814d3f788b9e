"""`python -m krm_fn` as a process."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cases import FIXTURES, TRANSFORMS
from tests.cli.terminal import CTRL_C, CTRL_D, Done, at_terminal
from tests.on_linux import needs_full_device
from tests.recorded import output_of
from tests.render.run import LEFT_ALONE
from tests.wait import FOREVER, until_asleep, until_there

COMMAND = [sys.executable, "-m", "krm_fn"]
INPUT = (TRANSFORMS[0] / "input.yaml").read_bytes()
LARGE = (
    b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '"
    + b"x" * 1_000_000
    + b"'}\n"
)


MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
CONFIG = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\nspec: {select: [{}]}\n"
HINT = "waiting for {} on stdin: add `< FILE`, or type it and press Ctrl-D at the end\nfor help: krm-fn --help\n"


def run(
    *arguments: str, data: bytes = INPUT, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments],
        input=data,
        capture_output=True,
        check=False,
        env={**os.environ, **(variables or {})},
    )


def test_a_function_without_arguments() -> None:
    done = run()
    assert (done.returncode, done.stdout) == (0, output_of(TRANSFORMS[0]))


def test_a_file_is_the_configuration_of_a_legacy_plugin(tmp_path: Path) -> None:
    config = tmp_path / "fn.yaml"
    config.write_text(CONFIG)
    done = run(str(config), data=LARGE)
    assert done.returncode == 0
    assert b"revisions.krm-fn.io/set: shop" in done.stdout


@pytest.mark.parametrize("option", ["-q", "--quiet"])
def test_a_quiet_function_says_nothing_of_what_is_healthy(option: str, tmp_path: Path) -> None:
    """Neither on stderr nor among the results, with and without a file."""
    config = tmp_path / "fn.yaml"
    config.write_text(CONFIG)
    loud, *quiet = (run(*arguments) for arguments in ((), (option,), (option, str(config))))
    assert b" renamed" in loud.stdout
    assert b" renamed" in loud.stderr
    for done in quiet:
        assert (done.returncode, b" renamed" in done.stdout, b" renamed" in done.stderr) == (
            0,
            False,
            False,
        )


@pytest.mark.parametrize("name", ["missing.yaml", "./missing", "/nowhere/config"])
def test_a_file_that_does_not_exist_is_named(name: str) -> None:
    done = run(name, data=LARGE)
    message = f"error: {name}: cannot read the functionConfig: No such file or directory\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", message)


def test_an_invalid_configuration_prints_only_its_error(tmp_path: Path) -> None:
    config = tmp_path / "fn.yaml"
    config.write_text("apiVersion: v1\nkind: Pod\n")
    done = run(str(config), data=LARGE)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().count("\n") == 1


@needs_full_device
def test_a_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            COMMAND, input=LARGE, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (
        1,
        b"error: cannot write the output: No space left on device\n",
    )


def test_a_closed_stdout_is_an_error() -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(LARGE)
        process.stdin.close()
        assert process.stderr.read() == b"error: cannot write the output: Broken pipe\n"
        assert process.wait() == 1


CASE = FIXTURES / "diffs/a-changed-key-rolls-its-rollout"
BROKEN_PIPE = b"error: cannot write the output: Broken pipe"
CLOSED_PIPES = [
    pytest.param(["render", "old.yaml"], 1, [BROKEN_PIPE], id="render"),
    pytest.param(["verify", "output.yaml"], 1, [BROKEN_PIPE], id="verify"),
    pytest.param(["explain", "old.yaml"], 141, [], id="explain"),
    pytest.param(["diff", "old.yaml", "new.yaml"], 141, [], id="diff"),
    pytest.param(["graph", "old.yaml"], 141, [], id="graph"),
    pytest.param(["--help"], 141, [], id="help"),
]


@pytest.mark.rows(test=2)
@pytest.mark.parametrize(("arguments", "code", "message"), CLOSED_PIPES)
def test_who_looks_may_stop_to_read_and_who_applies_may_not(
    arguments: list[str], code: int, message: list[bytes]
) -> None:
    """As in `krm-fn explain PATH | head`."""
    reader, writer = os.pipe()
    os.close(reader)
    folder = TRANSFORMS[0] if "output.yaml" in arguments else CASE
    done = subprocess.run(
        [*COMMAND, *arguments], cwd=folder, stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (code, message)


AWAITED = [
    pytest.param([], "a ResourceList or manifests", id="the function"),
    pytest.param(
        ["./fn.yaml"], "the manifests that ./fn.yaml configures", id="a plugin of kustomize"
    ),
    pytest.param(["render", "-"], "manifests", id="render -"),
    pytest.param(
        ["render", "web.yaml", "--check", "--deployed=-"],
        "what is deployed",
        id="render --deployed -",
    ),
]


@pytest.mark.parametrize(("arguments", "awaited"), AWAITED)
def test_a_person_is_told_once_what_is_awaited(
    arguments: list[str], awaited: str, tmp_path: Path
) -> None:
    (tmp_path / "fn.yaml").write_text(CONFIG)
    (tmp_path / "web.yaml").write_text(MANIFEST)
    with at_terminal([*COMMAND, *arguments], tmp_path) as program:
        hint = program.read_error_line() + program.read_error_line()
        program.type(MANIFEST.encode() + CTRL_D)
        done = program.finish()
    assert hint == HINT.format(awaited)
    assert "waiting" not in done.stderr
    assert (done.exit_code, "name: a" in done.stdout) == (0, True)


@pytest.mark.parametrize(("arguments", "awaited"), AWAITED)
def test_ctrl_c_ends_the_wait_for_input(arguments: list[str], awaited: str, tmp_path: Path) -> None:
    (tmp_path / "fn.yaml").write_text(CONFIG)
    with at_terminal([*COMMAND, *arguments], tmp_path) as program:
        hint = program.read_error_line() + program.read_error_line()
        until_asleep(program.process)
        program.type(CTRL_C)
        done = program.finish()
    assert (hint, done) == (HINT.format(awaited), Done("", "", 130))


def test_ctrl_c_ends_a_slow_build(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").touch()
    (tmp_path / "kustomize").write_text(f"#!/bin/sh\ntouch started\nexec sleep {FOREVER}\n")
    (tmp_path / "kustomize").chmod(0o755)
    slow = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with at_terminal([*COMMAND, "render"], tmp_path, slow) as program:
        until_there(tmp_path / "started", program.process)
        program.type(CTRL_C)
        assert program.finish() == Done("", "", 130)


SIGNALS = [
    pytest.param(signal.SIGINT, 130, id="Ctrl-C"),
    pytest.param(
        signal.SIGTERM, -signal.SIGTERM, id="the default of SIGTERM, which shells report as 143"
    ),
]


@pytest.mark.parametrize(("sent", "exit_code"), SIGNALS)
def test_a_signal_ends_the_function_without_a_traceback(
    sent: signal.Signals, exit_code: int, tmp_path: Path
) -> None:
    with at_terminal(COMMAND, tmp_path) as program:
        program.read_error_line()
        until_asleep(program.process)
        program.process.send_signal(sent)
        done = program.finish()
    assert (done.stdout, done.exit_code) == ("", exit_code)
    assert "Traceback" not in done.stderr


def test_input_from_a_pipe_needs_no_hint() -> None:
    assert (
        run(data=b"").stderr
        == b"error: no objects in the input; expected a ResourceList, a List, or YAML documents\n"
    )


CLOSED = [
    pytest.param("<&-", "error: cannot read stdin: Bad file descriptor\n", id="stdin"),
    pytest.param(
        "render - <a.yaml >&-", "error: cannot write the output: Bad file descriptor\n", id="stdout"
    ),
    pytest.param(
        "--version >&-",
        "error: cannot write the output: Bad file descriptor\n",
        id="stdout of --version",
    ),
    pytest.param("<&- 2>&-", "", id="stdin and stderr"),
]


@pytest.mark.parametrize(("redirection", "message"), CLOSED)
def test_a_stream_that_was_closed_at_the_start(
    redirection: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "a.yaml").write_text(MANIFEST)
    done = in_shell(f"krm_fn {redirection}", tmp_path)
    assert (done.returncode, done.stderr) == (1, message)


@needs_full_device
def test_messages_that_cannot_be_written_cost_no_output() -> None:
    case = next(case for case in TRANSFORMS if (case / "stderr.txt").read_bytes())
    with Path("/dev/full").open("wb") as full, (case / "input.yaml").open("rb") as data:
        done = subprocess.run(COMMAND, stdin=data, stdout=subprocess.PIPE, stderr=full, check=False)
    assert (done.returncode, done.stdout) == (0, output_of(case))


COMPLETION = [
    pytest.param({"_KRM_FN_COMPLETE": "bash_source"}, id="a shell's script"),
    pytest.param(
        {"_KRM_FN_COMPLETE": "zsh_complete", "COMP_WORDS": "krm-fn r", "COMP_CWORD": "1"},
        id="words",
    ),
    pytest.param({"_KRM_FN_COMPLETE": "1"}, id="nonsense"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("variables", COMPLETION)
def test_variables_of_shell_completion_do_not_change_the_function(
    variables: dict[str, str], tmp_path: Path
) -> None:
    """A container may have them by accident: a script in place of manifests would delete everything."""
    expected = output_of(TRANSFORMS[0])
    assert run(variables=variables).stdout == expected
    with (TRANSFORMS[0] / "input.yaml").open("rb") as file:
        environment = {**os.environ, **variables}
        done = subprocess.run(
            COMMAND, stdin=file, stdout=subprocess.PIPE, check=False, env=environment
        )
    assert done.stdout == expected
    config = tmp_path / "fn.yaml"
    config.write_text(CONFIG)
    assert (
        run(str(config), data=LARGE, variables=variables).stdout
        == run(str(config), data=LARGE).stdout
    )
    assert (
        run("render", "-", data=LARGE, variables=variables).stdout
        == run("render", "-", data=LARGE).stdout
    )


PRINTED = "from krm_fn.stdio import end_process; print('printed'); end_process(3)"


def test_what_a_library_has_printed_is_written_at_the_end() -> None:
    done = subprocess.run([sys.executable, "-c", PRINTED], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"printed\n", b"")


@needs_full_device
def test_what_cannot_be_written_at_the_end_is_an_error() -> None:
    with Path("/dev/full").open("wb") as full:
        buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
        command = [sys.executable, "-c", PRINTED]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, check=False, env=buffered
        )
    assert b"No space left on device" in done.stderr
    assert done.returncode == 120  # the interpreter's own


WORDS = [
    pytest.param("render", MANIFEST, LEFT_ALONE, id="a command"),
    pytest.param(
        "link", "", "error: Missing option '--set'; see krm-fn link --help\n", id="another command"
    ),
    pytest.param(
        "rendr",
        "",
        "error: No such command 'rendr'. Did you mean 'render'?; see krm-fn --help\n",
        id="a command with a typing error",
    ),
]


@pytest.mark.parametrize(("word", "stdout", "stderr"), WORDS)
def test_a_word_is_a_command_also_beside_a_file_of_that_name(
    word: str, stdout: str, stderr: str, tmp_path: Path
) -> None:
    (tmp_path / "web.yaml").write_text(MANIFEST)
    (tmp_path / word).write_text(CONFIG)
    done = in_shell(f"krm_fn {word} </dev/null", tmp_path)
    assert (done.stdout, done.stderr) == (stdout, stderr)


def in_shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in which `krm_fn` is the program."""
    definition = f'krm_fn() {{ "{sys.executable}" -P -m krm_fn "$@"; }}'
    return subprocess.run(
        ["sh", "-c", f"{definition}\n{line}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
