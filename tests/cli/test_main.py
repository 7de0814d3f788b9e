"""The command line as a whole: help, wrong arguments, and what it loads."""

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from krm_fn import __version__
from krm_fn.cli.main import krm_fn as krm_fn_group
from tests.cli.process import HOSTILE, SHOWN, krm_fn


@pytest.mark.parametrize("argument", ["--version", "version"])
def test_the_version(argument: str, tmp_path: Path) -> None:
    done = krm_fn(argument, cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (f"krm-fn {__version__}\n", "", 0)


def test_the_version_for_programs(tmp_path: Path) -> None:
    done = krm_fn("version", "-o", "json", cwd=tmp_path)
    assert json.loads(done.stdout) == {"version": __version__}


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], ["render", "--help"], ["render", "-h"]], ids=" ".join
)
def test_help(arguments: list[str], tmp_path: Path) -> None:
    done = krm_fn(*arguments, cwd=tmp_path)
    assert done.stdout.startswith(f"Usage: krm-fn {' '.join(arguments[:-1])}".rstrip())
    assert (done.stderr, done.returncode) == ("", 0)


FORMATS = {
    "diff": ["text", "json", "markdown"],
    "explain": ["text", "json"],
    "history": ["text", "wide", "json", "markdown", "html"],
    "graph": ["mermaid", "dot", "html"],
    "link": ["text", "json"],
    "verify": ["text", "json", "junit", "github"],
    "version": ["text", "json"],
}


@pytest.mark.parametrize("command", FORMATS)
def test_every_command_that_has_formats_takes_them_with_o(command: str) -> None:
    options = {one.name: one for one in krm_fn_group.commands[command].params}
    kind = options["output"].type
    assert isinstance(kind, click.Choice)
    assert [*kind.choices] == FORMATS[command]
    assert "-o" in options["output"].opts
    assert FORMATS.keys() == {
        name
        for name, one in krm_fn_group.commands.items()
        if "output" in {option.name for option in one.params}
    }


SHARED = ["--config", "--max-bytes", "--helm-release", "--helm-api-versions"]


@pytest.mark.parametrize("command", ["render", "verify", "diff", "explain", "graph"])
def test_the_options_of_a_rendering_are_described_once(command: str, tmp_path: Path) -> None:
    done = krm_fn(command, "--help", cwd=tmp_path)
    rest = done.stdout.partition("\nOptions:\n")[2]
    described = [
        option for option in SHARED if re.search(rf"^  (-., )?{option} [A-Z]+", rest, re.MULTILINE)
    ]
    assert described == (SHARED if command == "render" else [])
    line = " ".join(rest.split("\n\n")[-1].split())
    assert line.startswith("And the options of krm-fn render: --config,") != (command == "render")
    assert all(option in line for option in SHARED)


WRONG = [
    pytest.param(["rendr"], "No such command 'rendr'", "krm-fn", id="an unknown command"),
    pytest.param(
        ["render", "--confg", "a"],
        "No such option '--confg'",
        "krm-fn render",
        id="an unknown option",
    ),
    pytest.param(
        ["render", "--config"],
        "Option '--config' requires an argument",
        "krm-fn render",
        id="no value",
    ),
    pytest.param(
        ["diff", "--each=yes"],
        "Option '--each' does not take a value",
        "krm-fn diff",
        id="a value too many",
    ),
    pytest.param(
        ["--version=3"],
        "Option '--version' does not take a value",
        "krm-fn",
        id="a value of no command",
    ),
    pytest.param(
        ["render", ""],
        "Invalid value for '[PATH]...': found an empty path",
        "krm-fn render",
        id="no path",
    ),
    pytest.param(
        ["verify", ""],
        "Invalid value for '[PATH]...': found an empty path",
        "krm-fn verify",
        id="no path here",
    ),
    pytest.param(
        ["render", "--config="],
        "Invalid value for '--config': found an empty path",
        "krm-fn render",
        id="no file",
    ),
    pytest.param(["link"], "Missing option '--set'", "krm-fn link", id="no set"),
    *(
        pytest.param(
            ["link", "--all-sets", f"{option}={value}"],
            f"--all-sets finds the sets, and their plans; remove {option}",
            "krm-fn link",
            id=f"all sets and {option}",
        )
        for option, value in (
            ("--set", "web"),
            ("--workload", "apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c"),
            ("--revision", "ConfigMap/web-config-5t7h9k2b4c"),
            ("--maker", "example.com/v1/Widget/widgets/web=Secret/web-5t7h9k2b4c"),
        )
    ),
    pytest.param(
        ["link", "--set=web", "--workload=web"],
        "Invalid value for '--workload': found 'web', expected something like apps/v1/Deployment/web=",
        "krm-fn link",
        id="a workload without a kind",
    ),
    pytest.param(
        ["link", "--set=web", "--revision=web-config"],
        "Invalid value for '--revision': found 'web-config', expected ConfigMap/NAME or Secret/NAME",
        "krm-fn link",
        id="a revision without its kind",
    ),
    pytest.param(
        ["link", "--set=web", "--minimum-age=-5"],
        "Invalid value for '--minimum-age': -5 is not in the range x>=0",
        "krm-fn link",
        id="an age below zero",
    ),
    pytest.param(
        ["link", "--set=web", "--timeout=0"],
        "Invalid value for '--timeout': 0 is not in the range x>=1",
        "krm-fn link",
        id="no time at all",
    ),
    pytest.param(
        ["link", "--set=web", "--timeout=5m"],
        "Invalid value for '--timeout': '5m' is not a valid integer range",
        "krm-fn link",
        id="a time with a unit",
    ),
    pytest.param(
        ["render", "--check"],
        "--check needs --deployed PATH or --against REV: what is deployed now",
        "krm-fn render",
        id="--check alone",
    ),
    pytest.param(
        ["render", "--deployed", "a"],
        "--deployed needs --check",
        "krm-fn render",
        id="--deployed alone",
    ),
    pytest.param(
        ["diff"],
        "expected OLD and NEW, --against REV or --live; found 0 paths",
        "krm-fn diff",
        id="nothing",
    ),
    pytest.param(
        ["diff", "a", "b", "c"],
        "expected OLD and NEW, --against REV or --live; found 3 paths",
        "krm-fn diff",
        id="three paths",
    ),
    pytest.param(
        ["diff", "a"],
        "expected OLD and NEW, --against REV or --live; found 1 path",
        "krm-fn diff",
        id="one path",
    ),
    pytest.param(
        ["diff", "-o", "json", "-U3", "a", "b"],
        "--unified has no effect on -o json, which has whole values",
        "krm-fn diff",
        id="lines around whole values",
    ),
    pytest.param(
        ["diff", "-", "-"], "only one of OLD and NEW can be stdin", "krm-fn diff", id="stdin twice"
    ),
    pytest.param(
        ["diff", "--against=main", "-"],
        "--against needs paths in a repository, not stdin",
        "krm-fn diff",
        id="stdin in git",
    ),
    pytest.param(
        ["diff", "--against="], "--against found an empty revision", "krm-fn diff", id="no revision"
    ),
    pytest.param(
        ["diff", "--live", "--against=main"],
        "--live and --against are two other sides; give one of them",
        "krm-fn diff",
        id="two other sides",
    ),
    pytest.param(
        ["diff", "--live", "--ignore-namespace"],
        "--live compares objects of one name and namespace; remove --ignore-namespace and --ignore-affixes",
        "krm-fn diff",
        id="other names in a cluster",
    ),
    pytest.param(
        ["diff", "a", "b", "--context=prod"],
        "--context and --kubeconfig are of --live",
        "krm-fn diff",
        id="a cluster that is not asked",
    ),
    pytest.param(
        ["render", "-", "--check", "--deployed", "-"],
        "only one of PATH and --deployed can be stdin",
        "krm-fn render",
        id="stdin for both",
    ),
]


@pytest.mark.parametrize(("arguments", "message", "command"), WRONG)
def test_a_wrong_command_line_is_one_line(
    arguments: list[str], message: str, command: str, tmp_path: Path
) -> None:
    done = krm_fn(*arguments, cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("", 2)
    assert re.fullmatch(rf"error: {re.escape(message)}[^\n]*; see {command} --help\n", done.stderr)


BREAK = r"\n"
NAMED = [
    pytest.param(
        ["render", HOSTILE],  # its bracket makes a pattern of it, and a line break a blank
        f"error: {SHOWN.replace(BREAK, ' ')} is no directory, and as a pattern it matches no package; "
        "see krm-fn render --help\n",
        id="a PATH",
    ),
    pytest.param(
        [f"./{HOSTILE}"],
        f"error: ./{SHOWN}: cannot read the functionConfig: No such file or directory\n",
        id="a configuration",
    ),
    pytest.param(
        [HOSTILE], f"error: No such command '{SHOWN}'; see krm-fn --help\n", id="a command"
    ),
    pytest.param(
        ["link", "--set=a", f"--revision={HOSTILE}"],
        f"error: Invalid value for '--revision': found '{SHOWN}', expected ConfigMap/NAME or Secret/NAME; "
        "see krm-fn link --help\n",
        id="a value",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), NAMED)
def test_no_control_character_of_an_argument_is_printed(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    done = krm_fn(*arguments, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("", message)


COMMANDS = (
    *(
        "render",
        "verify",
        "diff",
        "explain",
        "history",
        "graph",
        "link",
        "discover",
        "completion",
        "schema",
        "version",
        "help",
        "man",
    ),
)
LIGHT = [["--help"], *([command, "--help"] for command in COMMANDS)]
HEAVY = {
    *("yaml", "jsonschema", "kubernetes"),
    *(
        "krm_fn.function",
        "krm_fn.tools.diff.diff",
        "krm_fn.tools.explain.explain",
        "krm_fn.tools.history.ask",
        "krm_fn.tools.graph.graph",
    ),
}


@pytest.mark.parametrize("arguments", LIGHT, ids=" ".join)
def test_nothing_heavy_is_loaded_for(arguments: list[str]) -> None:
    probe = f"import sys; from krm_fn.cli.main import main; main({arguments}); print({HEAVY} & sys.modules.keys())"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("set()\n", "")
