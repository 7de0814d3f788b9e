"""The help of each command: how it is asked for, how wide it is, and which exit codes it promises."""

import inspect
import re
import subprocess
from pathlib import Path

import click
import pytest

from krm_fn.cli.main import krm_fn as krm_fn_group
from tests.cases import FIXTURES
from tests.cli.process import krm_fn
from tests.git.repository import commit
from tests.render.run import CONFIG_MAP, write
from tests.tools.require import require

ROOT = Path(__file__).parent.parent.parent
COMMANDS = ["", *krm_fn_group.commands]
WIDTH = 80
HEIGHT = 36
"""Of the help that lists the commands: what a person sees at once."""


def help_of(command: str, folder: Path) -> str:
    return krm_fn(*command.split(), "--help", cwd=folder).stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_its_own_help(command: str, tmp_path: Path) -> None:
    done = krm_fn("help", *command.split(), cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (help_of(command, tmp_path), "", 0)


def test_help_of_no_command_is_an_error(tmp_path: Path) -> None:
    done, usual = krm_fn("help", "nothing", cwd=tmp_path), krm_fn("nothing", cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("", usual.stderr, 2)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_terminal(command: str, tmp_path: Path) -> None:
    assert [line for line in help_of(command, tmp_path).splitlines() if len(line) > WIDTH] == []


def test_the_help_of_all_commands_fits_one_screen(tmp_path: Path) -> None:
    shown = help_of("", tmp_path)
    assert len(shown.splitlines()) <= HEIGHT
    listed = re.findall(r"^  (\w+)  ", shown.partition("\nCommands:\n")[2], re.MULTILINE)
    others = [name for name, one in krm_fn_group.commands.items() if one.hidden]
    assert listed == [name for name in krm_fn_group.commands if name not in others]
    assert f"For programs: {', '.join(sorted(others))}. See krm-fn help COMMAND." in shown
    assert "krm-fn help configuration" in " ".join(shown.split())


@pytest.mark.needs("groff")
def test_groff_reads_the_page_for_man(tmp_path: Path) -> None:
    """It warns of nothing, and shows all that the help of each command says, wherever the lines end."""
    page = tmp_path / "krm-fn.1"
    page.write_text(krm_fn("man", cwd=tmp_path).stdout)
    options = ["-man", "-ww", "-Wbreak", "-Tutf8", "-P-cbou", "-rHY=0", "-dAD=l"]
    command = [str(require("groff")), *options, str(page)]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stderr == b""
    shown = "".join(done.stdout.decode().replace("\N{HYPHEN}", "-").split())
    for command_of_group in krm_fn_group.commands.values():
        said = inspect.cleandoc(command_of_group.help or "").replace("\b", "")
        assert "".join(said.split()) in shown
        for option in command_of_group.params:
            assert option.name
            if isinstance(option, click.Option) and option.help and not option.hidden:
                assert option.opts[0] in shown
                assert "".join(option.help.split()) in shown


def test_each_schema_can_be_printed(tmp_path: Path) -> None:
    """Its file is what is printed; without a name, that of the configuration."""
    choice = krm_fn_group.commands["schema"].params[0].type
    assert isinstance(choice, click.Choice)
    printed = {krm_fn("schema", name, cwd=tmp_path).stdout for name in choice.choices}
    files = {file.name: file.read_text() for file in (ROOT / "schemas").glob("*.json")}
    assert printed == {*files.values()}
    (configuration,) = (text for name, text in files.items() if name.startswith("configrevisions-"))
    assert krm_fn("schema", cwd=tmp_path).stdout == configuration


def promised_codes(text: str) -> dict[int, str]:
    """Return what each code means: `0 drawn; 2 wrong arguments`."""
    clauses = (clause.split(" ", 1) for clause in text.split("; "))
    return {int(code): meaning for code, meaning in clauses}


def codes_in_help(command: str, folder: Path) -> dict[int, str]:
    paragraph = re.search(
        r"^  Exit codes: (.+?)\.(?: .*?)?\n\n", help_of(command, folder), re.MULTILINE | re.DOTALL
    )
    assert paragraph
    return promised_codes(" ".join(paragraph[1].split()))


def codes_on_the_pages() -> dict[str, dict[int, str]]:
    pages = [ROOT / "docs/commands.md", *(ROOT / "docs/commands").glob("*.md")]
    sections = [one for page in pages for one in page.read_text().split("## Options of krm-fn")[1:]]
    rows = (
        re.match(r" ?(\w*)\n.*\nExit codes: (.+?)\.(?: .*)?\n", one, re.DOTALL) for one in sections
    )
    return {
        row[1]: promised_codes(row[2].replace("**", "").replace("`", "")) for row in rows if row
    }


def test_the_pages_promise_the_exit_codes_of_the_help(tmp_path: Path) -> None:
    assert codes_on_the_pages() == {
        command: codes_in_help(command, tmp_path) for command in COMMANDS
    }


READER = """apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{envFrom: [{configMapRef: {name: a}}]}]}
"""
FILES = {
    "all.yaml": f"{CONFIG_MAP}---\n{READER}",
    "reader.yaml": READER,
    "plain/all.yaml": f"{CONFIG_MAP}---\n{READER}",
    "wrong/all.yaml": CONFIG_MAP.replace(
        "name: a", "name: a, annotations: {revisions.krm-fn.io/strategy: b}"
    ),
    "deployed.yaml": CONFIG_MAP,
    "prod.json": (
        FIXTURES / "fleets/a-canary-in-one-of-four-clusters/reports/prod-eu.json"
    ).read_text(),
    "half.json": "{",
    **{name: f"{number}\n" for number, name in enumerate(("base", "ours", "theirs"))},
}

ENDS = [
    pytest.param("<all.yaml", 0, id="the function gets manifests"),
    pytest.param("<half.json", 1, id="the function gets no YAML"),
    pytest.param("rendr", 2, id="there is no such command"),
    pytest.param("init plain", 0, id="a configuration is written"),
    pytest.param("init wrong", 1, id="a package cannot be rendered"),
    pytest.param("init missing", 2, id="there is no such folder"),
    pytest.param("render all.yaml", 0, id="manifests are printed"),
    pytest.param("render half.json", 1, id="there are no manifests"),
    pytest.param(
        "render all.yaml --check --deployed deployed.yaml", 1, id="what pods use would be pruned"
    ),
    pytest.param("render --check", 2, id="nothing says what is deployed"),
    pytest.param("verify rendered.yaml", 0, id="a rendering is consistent"),
    pytest.param("verify all.yaml", 1, id="the function did not run"),
    pytest.param("verify none", 1, id="what is verified is not there"),
    pytest.param("verify none/*", 2, id="a pattern matches no package"),
    pytest.param("diff all.yaml deployed.yaml", 0, id="a difference is shown"),
    pytest.param("diff all.yaml deployed.yaml --exit-code", 1, id="a difference matters"),
    pytest.param("diff all.yaml half.json", 2, id="one side cannot be read"),
    pytest.param("diff all.yaml", 2, id="one side is missing"),
    pytest.param("diff --against HEAD repaired", 3, id="only the revision cannot be rendered"),
    pytest.param("diff --fail-on=missing all.yaml reader.yaml", 4, id="a risk that is named"),
    pytest.param("explain all.yaml a", 0, id="an object is explained"),
    pytest.param("explain all.yaml b", 1, id="there is no such object"),
    pytest.param("explain wrong/all.yaml", 1, id="the function fails, and is explained"),
    pytest.param("explain", 2, id="nothing is to be explained"),
    pytest.param("history --from prod.json", 0, id="a table is shown"),
    pytest.param("history --kubeconfig missing", 1, id="there is no cluster"),
    pytest.param("history --from prod.json --watch", 2, id="a file is watched"),
    pytest.param("history --from *.json", 3, id="one of the files is no report"),
    pytest.param("graph all.yaml", 0, id="a package is drawn"),
    pytest.param("graph wrong/all.yaml", 1, id="the function fails, and is drawn"),
    pytest.param("graph", 2, id="nothing is to be drawn"),
    pytest.param("merge base ours base", 0, id="one side has changed"),
    pytest.param("merge base ours theirs", 1, id="both sides have changed"),
    pytest.param("merge base ours missing", 129, id="one side is missing in a merge"),
    pytest.param("merge base", 129, id="git would take 2 for a conflict"),
    pytest.param("link --set a --kubeconfig missing", 1, id="there are no credentials"),
    pytest.param("link", 2, id="the linker gets no set"),
    pytest.param("discover", 0, id="there is no configuration"),
    pytest.param("discover a", 2, id="a folder is discovered"),
    pytest.param("completion bash", 0, id="a script is printed"),
    pytest.param("completion tcsh", 2, id="a shell is not known"),
    pytest.param("schema", 0, id="a schema is printed"),
    pytest.param("schema nothing", 2, id="nothing has no schema"),
    pytest.param("version", 0, id="the version is printed"),
    pytest.param("version 1", 2, id="the version of what"),
    pytest.param("help diff", 0, id="help is printed"),
    pytest.param("help nothing", 2, id="nothing has no help"),
    pytest.param("man", 0, id="a page for man is printed"),
    pytest.param("man diff", 2, id="a page for man has all commands"),
]

ELSEWHERE = {
    ("history", 130): "tests/history/test_ask.py: test_watching_ends_with_ctrl_c",
    (
        "link",
        0,
    ): "tests/linker/test_link_set.py: test_changes_are_logged_and_the_summary_is_returned",
    (
        "link",
        4,
    ): "tests/linker/test_link_set.py: test_a_check_ends_with_a_code_of_its_own_if_there_is_something_to_do",
    ("link", 130): "tests/linker/test_link_set.py: test_an_interrupted_run_says_what_it_has_done",
    ("link", 143): "tests/linker/test_link_set.py: test_a_stopped_run_has_an_exit_code_of_its_own",
}
"""Codes that need a cluster, and the tests that have one."""


def command_of(line: str) -> str:
    first = line.partition(" ")[0]
    return first if first in krm_fn_group.commands else ""


@pytest.mark.rows(test=16)
@pytest.mark.parametrize(("line", "code"), ENDS)
def test_a_command_ends_with_a_code_that_its_help_names(
    line: str, code: int, tmp_path: Path
) -> None:
    commit(tmp_path, {**FILES, "repaired/all.yaml": "a: ["})
    rendered = krm_fn("render", "all.yaml", cwd=tmp_path).stdout
    write(tmp_path, {"repaired/all.yaml": CONFIG_MAP, "rendered.yaml": rendered})
    stdin = FILES[line[1:]] if line.startswith("<") else ""
    done = krm_fn(
        *([] if stdin else line.split(" ")),
        cwd=tmp_path,
        stdin=stdin,
        KUBECONFIG="",
        HOME=str(tmp_path),
    )
    assert done.returncode == code, done.stderr
    assert code in codes_in_help(command_of(line), tmp_path)


def test_each_code_in_a_help_text_has_a_row(tmp_path: Path) -> None:
    promised = {
        (command, code) for command in COMMANDS for code in codes_in_help(command, tmp_path)
    }
    rows = {(command_of(str(line)), code) for line, code in (row.values for row in ENDS)}
    assert promised == rows | ELSEWHERE.keys()
    for place in ELSEWHERE.values():
        file, name = place.split(": ")
        assert f"def {name}(" in (ROOT / file).read_text()
