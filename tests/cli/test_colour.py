"""Colours of a process: where its text goes, what the user says, and what stderr shows of problems."""

import os
import pty
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from krm_fn.report.colour import SEQUENCE
from tests.cases import FIXTURES
from tests.cli.process import HOSTILE, KRM_FN, SHOWN, krm_fn
from tests.render.run import CONFIG_MAP

DIFF = FIXTURES / "diffs/a-changed-key-rolls-its-rollout"
OLD, NEW = (str(DIFF / name) for name in ("old.yaml", "new.yaml"))
REPORTS = f"{FIXTURES}/fleets/a-canary-in-one-of-four-clusters/reports/*.json"
COMMANDS = [
    pytest.param(["diff", OLD, NEW], id="diff"),
    pytest.param(["explain", OLD], id="explain"),
    pytest.param(["init", "--dry-run", "."], id="init"),
    pytest.param(["history", "--from", REPORTS], id="history"),
    pytest.param(["verify", OLD], id="verify"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("arguments", COMMANDS)
def test_colours_of_a_pipe_are_those_that_somebody_wants(
    arguments: list[str], tmp_path: Path
) -> None:
    """Without the sequences, what is in colour is what is not, byte for byte."""
    (tmp_path / "all.yaml").write_text(CONFIG_MAP)
    plain = krm_fn(*arguments, cwd=tmp_path)
    assert "\x1b" not in plain.stdout + plain.stderr
    for options, variables in (
        (["--color", "never"], {"CLICOLOR_FORCE": "1"}),
        (["--color=auto"], {}),
        ([], {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}),
    ):
        same = krm_fn(*arguments, *options, cwd=tmp_path, **variables)
        assert (same.stdout, same.stderr, same.returncode) == (
            plain.stdout,
            plain.stderr,
            plain.returncode,
        )
    for options, variables in (
        (["--color=always"], {"NO_COLOR": "1"}),
        ([], {"CLICOLOR_FORCE": "1"}),
    ):
        done = krm_fn(*arguments, *options, cwd=tmp_path, **variables)
        assert "\x1b" in done.stdout + done.stderr
        assert (SEQUENCE.sub("", done.stdout), SEQUENCE.sub("", done.stderr)) == (
            plain.stdout,
            plain.stderr,
        )
        assert done.returncode == plain.returncode


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_only_text_has_colours(form: str, tmp_path: Path) -> None:
    plain, forced = (
        krm_fn("diff", "-o", form, f"--color={when}", OLD, NEW, cwd=tmp_path)
        for when in ("never", "always")
    )
    assert forced.stdout == plain.stdout


def test_an_error_in_a_pipe_has_no_colours(tmp_path: Path) -> None:
    """Programs look for `error: ` at the beginning of a line."""
    done = krm_fn("diff", OLD, "missing", "--color=always", cwd=tmp_path, CLICOLOR_FORCE="1")
    assert done.stderr == "error: missing: no such file or directory\n"


class Terminal(NamedTuple):
    """Which of the streams is a terminal, and what came out of each."""

    stdout: str
    stderr: str


def run_at_terminal(arguments: list[str], folder: Path, **variables: str) -> Terminal:
    """Run with two terminals, so that a test can tell the streams apart."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR"}
    }
    environment |= {"TERM": "xterm", "COLUMNS": "200", **variables}
    screens = [pty.openpty() for _ in range(2)]
    out, err = (terminal for _, terminal in screens)
    command = [*KRM_FN, *arguments]
    subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        env=environment,
        cwd=folder,
        check=False,
    )
    texts: list[str] = []
    for screen, terminal in screens:
        os.write(terminal, b"\0")  # so that there is something to read
        texts.append(
            os.read(screen, 65_536)
            .decode()
            .replace("\r\n", "\n")
            .removesuffix("^@")
            .removesuffix("\0")
        )
        os.close(terminal)
        os.close(screen)
    return Terminal(*texts)


def test_a_terminal_shows_what_init_would_write_in_colour(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(CONFIG_MAP)
    shown = run_at_terminal(["init", "--dry-run", "."], tmp_path).stdout
    assert "  \x1b[32m+kind: ConfigRevisions\x1b[39m\n" in shown
    assert "\nnext: if it runs already" in shown


def test_an_error_at_a_terminal_breaks_between_words(tmp_path: Path) -> None:
    name = "a/long/path/" * 4
    shown = run_at_terminal(["diff", OLD, f"{name}missing"], tmp_path, COLUMNS="60").stderr
    assert shown == f"{RED}error{END}:\n  {name}missing:\n  no such file or directory\n"


OUTCOMES = [
    pytest.param("rename", "\x1b[32mrename to web-", id="renamed: green"),
    pytest.param("ignore", "\x1b[33mleft alone\x1b[39m", id="left alone: yellow"),
    pytest.param("adopt", "\x1b[32madopted: keeps its name", id="adopted: green"),
]


@pytest.mark.parametrize(("strategy", "shown"), OUTCOMES)
def test_an_outcome_has_a_colour_in_explain(strategy: str, shown: str, tmp_path: Path) -> None:
    """The annotation decides, so that each row has its outcome."""
    (tmp_path / "all.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  annotations:\n"
        f"    revisions.krm-fn.io/strategy: {strategy}\ndata: {{a: b}}\n"
    )
    assert f"  {shown}" in run_at_terminal(["explain", "all.yaml", "web"], tmp_path).stdout


RED, END = "\x1b[1;31m", "\x1b[22;39m"
AT_TERMINALS = [
    pytest.param([], {}, f"{RED}error{END}: missing: no such file or directory\n", id="in colour"),
    pytest.param(
        [], {"NO_COLOR": "1"}, "error: missing: no such file or directory\n", id="without"
    ),
    pytest.param(
        [], {"TERM": "dumb"}, "error: missing: no such file or directory\n", id="that has none"
    ),
    pytest.param(
        ["--color=never"], {}, "error: missing: no such file or directory\n", id="of who wants none"
    ),
    pytest.param(
        ["--config="],
        {},
        f"{RED}error{END}: Invalid value for '--config': found an empty path; see krm-fn diff --help\n",
        id="of who types wrong",
    ),
]


@pytest.mark.parametrize(("options", "variables", "expected"), AT_TERMINALS)
def test_an_error_at_a_terminal(
    options: list[str], variables: dict[str, str], expected: str, tmp_path: Path
) -> None:
    assert run_at_terminal(["diff", OLD, "missing", *options], tmp_path, **variables) == (
        "",
        expected,
    )


def test_a_name_cannot_change_the_colours_of_a_terminal(tmp_path: Path) -> None:
    assert (
        run_at_terminal(["diff", OLD, HOSTILE], tmp_path).stderr
        == f"{RED}error{END}: {SHOWN}: no such file or directory\n"
    )


def test_a_terminal_shows_the_difference_in_colour(tmp_path: Path) -> None:
    shown = run_at_terminal(["diff", OLD, NEW], tmp_path)
    assert shown == (
        krm_fn("diff", "--color=always", OLD, NEW, cwd=tmp_path, COLUMNS="200").stdout,
        "",
    )
    assert run_at_terminal(["diff", OLD, NEW, "--color=never"], tmp_path).stdout == SEQUENCE.sub(
        "", shown.stdout
    )
