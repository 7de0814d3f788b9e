"""What a shell offers after Tab."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.process import KRM_FN, krm_fn
from tests.cli.terminal import at_terminal
from tests.tools.require import require
from tests.wait import PATIENCE

PAGE = (
    Path(__file__).parent.parent.parent / "docs/commands/completion-help-version.md"
).read_text()
INSTALL = {
    shell: line.strip()
    for line, shell in re.findall(r"^    (.*krm-fn completion (\w+).*)#", PAGE, re.MULTILINE)
}


def ask(cwd: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **variables}
    return subprocess.run(
        KRM_FN,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=environment,
        timeout=PATIENCE,
    )


COMMANDS = ("init", "render", "verify", "diff", "explain", "history", "graph", "merge")
SMALL = ("completion", "version", "help")
OFFERED = [
    pytest.param(
        "", [f"plain,{one}" for one in (*COMMANDS, *SMALL)], id="the commands that people type"
    ),
    pytest.param("rend", ["plain,render"], id="a command"),
    pytest.param("render --conf", ["plain,--config"], id="an option"),
    pytest.param("link --output ''", ["plain,text", "plain,json"], id="all values of an option"),
    pytest.param("help he", ["plain,help"], id="a command that has help"),
    pytest.param("help conf", ["plain,configuration"], id="a topic that has help"),
    pytest.param("completion z", ["plain,zsh"], id="a shell"),
    pytest.param("schema hist", ["plain,history"], id="a schema"),
    pytest.param(
        "diff -o ''",
        ["plain,text", "plain,json", "plain,markdown"],
        id="all formats, and no older spelling",
    ),
    pytest.param("diff --js", [], id="no older spelling of an option"),
    pytest.param(
        "graph --helm-rel",
        ["plain,--helm-release"],
        id="an option that another command's help describes",
    ),
    pytest.param("link --output j", ["plain,json"], id="a value"),
    pytest.param("render sho", ["file,sho"], id="a PATH, which the shell completes"),
    pytest.param("render --config sho", ["file,sho"], id="a file"),
    pytest.param("render --check --deployed sho", ["file,sho"], id="a dump"),
    pytest.param("render --helm-values sho", ["file,sho"], id="values of a chart"),
    pytest.param("verify sho", ["file,sho"], id="what to verify"),
    pytest.param("verify --config sho", ["file,sho"], id="its configuration"),
    pytest.param("diff a sho", ["file,sho"], id="what to compare"),
    pytest.param("diff --against ma", [], id="a revision, which git knows"),
    pytest.param("link --set sho", [], id="a name that only the user knows"),
]


@pytest.mark.parametrize(("typed", "offered"), OFFERED)
def test_bash_is_offered(typed: str, offered: list[str], tmp_path: Path) -> None:
    words = f"krm-fn {typed}"
    done = ask(
        tmp_path,
        _KRM_FN_COMPLETE="bash_complete",
        COMP_WORDS=words,
        COMP_CWORD=str(len(words.split(" ")) - 1),
    )
    assert (sorted(done.stdout.decode().split()), done.stderr, done.returncode) == (
        sorted(offered),
        b"",
        0,
    )


def test_a_file_name_that_is_not_utf8_is_completed(tmp_path: Path) -> None:
    words = os.fsdecode(b"krm-fn render \xff")
    done = ask(tmp_path, _KRM_FN_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD="2")
    assert done.stdout == b"file,\xff\n"


NONSENSE = ["1", "bash", "bash_complete", "tcsh_source", "bash_\x1b[2J"]


@pytest.mark.parametrize("value", NONSENSE, ids=repr)
def test_a_request_that_no_shell_makes_is_refused(value: str, tmp_path: Path) -> None:
    done = ask(tmp_path, _KRM_FN_COMPLETE=value)
    shown = value.replace("\x1b", r"\x1b")
    message = f"expected bash_source, zsh_source or fish_source, found {shown}"
    assert done.stderr.decode() == f"error: the variable _KRM_FN_COMPLETE: {message}\n"
    assert (done.stdout, done.returncode) == (b"", 2)


SCRIPTS = [
    ("bash", b"_krm_fn_completion() {"),
    ("zsh", b"#compdef krm-fn"),
    ("fish", b"function _krm_fn_completion"),
]


@pytest.mark.parametrize(("shell", "begin"), SCRIPTS)
def test_the_script_of(shell: str, begin: bytes, tmp_path: Path) -> None:
    assert shell in INSTALL
    done = krm_fn("completion", shell, cwd=tmp_path)
    assert done.stdout.encode().startswith(begin)
    assert ask(tmp_path, _KRM_FN_COMPLETE=f"{shell}_source").stdout == done.stdout.encode()


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_a_real_bash_completes(tmp_path: Path) -> None:
    """Type the page's line, then commands with Tab: each must run as if it had been typed in full."""
    program = tmp_path / "bin/krm-fn"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m krm_fn "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "shop with spaces.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: found}\n"
    )
    path = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    with at_terminal(["bash", "--norc", "--noprofile", "-i"], tmp_path, path) as shell:
        shell.type(
            f"{INSTALL['bash']}\nkrm-fn rend\tsho\t\nkrm-fn link --set a --outp\txm\t\nexit\n".encode()
        )
        done = shell.finish()
    assert "metadata: {name: found}" in done.stdout
    assert "Invalid value for '--output' / '-o': 'xm' is not one of 'text', 'json'" in done.stderr


KUBECTL = [
    pytest.param(["--outp"], ["--output"], "NoFileComp", id="an option"),
    pytest.param(
        ["-o", ""], ["text", "wide", "json", "markdown", "html"], "NoFileComp", id="values"
    ),
    pytest.param(["--kubeconfig", ""], [], "Default", id="a file, which the shell completes"),
    pytest.param(["web"], [], "NoFileComp", id="a name that only the user knows"),
]


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("typed", "offered", "directive"), KUBECTL)
def test_kubectl_is_offered(
    typed: list[str], offered: list[str], directive: str, tmp_path: Path
) -> None:
    """Ask kubectl as its script for a shell does: it finds our program by its name."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [require("kubectl"), "__complete", "revisions", *typed],
        env={"PATH": path, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    words = [line.partition("\t")[0] for line in done.stdout.splitlines()]
    assert [word for word in words if not word.startswith(":")] == offered
    assert f"ShellCompDirective{directive}\n" in done.stderr
