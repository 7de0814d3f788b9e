"""What is answered to the commands and options of other programs: the command or option that does it here."""

from pathlib import Path

import pytest

from krm_fn.cli.main import COMMANDS, OPTIONS_OF
from krm_fn.cli.main import krm_fn as group
from tests.cli.process import krm_fn

ELSEWHERE = [
    pytest.param("apply", "krm-fn render PATH | kubectl apply -f -", id="apply is kubectl's"),
    pytest.param("build", "krm-fn render PATH does it", id="build is kustomize's"),
    pytest.param("template", "krm-fn render PATH does it", id="template is helm's"),
    pytest.param("status", "krm-fn history -n NAMESPACE shows", id="status is git's"),
    pytest.param("get", "krm-fn history -n NAMESPACE shows", id="get is kubectl's"),
    pytest.param("list", "krm-fn history -n NAMESPACE shows", id="list is helm's"),
    pytest.param("lint", "krm-fn verify checks", id="lint is helm's"),
    pytest.param("rollback", "prints the command that goes back", id="rollback is helm's"),
    pytest.param("delete", "krm-fn link deletes what nothing uses", id="delete is kubectl's"),
    pytest.param("adopt", "krm-fn init DIR sets it up", id="adopt is a strategy"),
    pytest.param("rename", "with --strategy adopt for the first", id="rename is another one"),
    pytest.param("config", "krm-fn help configuration", id="config is git's"),
    pytest.param("-f x.yaml", "krm-fn render PATH", id="-f without a command"),
    pytest.param("-k overlay", "krm-fn render PATH", id="-k without a command"),
    pytest.param("diff -f x.yaml", "krm-fn diff PATH", id="-f of a command with a PATH"),
    pytest.param("verify --filename x", "krm-fn verify PATH", id="its long form"),
    pytest.param("history --follow", "--watch shows it again", id="--follow is of kubectl logs"),
    pytest.param("history -f", "--watch shows it again", id="its short form"),
    pytest.param("diff --json", "-o json prints JSON", id="--json is of many"),
    pytest.param(
        "render --load-restrictor x", "--kustomize-options OPTIONS does it", id="it is kustomize's"
    ),
    pytest.param("render --values v.yaml", "--helm-values FILE does it", id="--values is helm's"),
    pytest.param("explain --no-color", "--color never does it", id="--no-color is of many"),
]


@pytest.mark.parametrize(("typed", "hint"), ELSEWHERE)
def test_who_types_it_is_told_what_does_it_here(typed: str, hint: str, tmp_path: Path) -> None:
    done = krm_fn(*typed.split(), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: No such ")
    assert hint in line
    assert "Did you mean" not in line


UNKNOWN = [
    pytest.param("merge --follow", "error: No such option '--follow'", id="no hint for a command"),
    pytest.param("link -f x", "error: No such option '-f'", id="-f where nothing takes a PATH"),
    pytest.param("rendr", "Did you mean 'render'?", id="a slip of the hand"),
    pytest.param("history --watsh", "Did you mean '--watch'?", id="a slip in an option"),
]


@pytest.mark.parametrize(("typed", "said"), UNKNOWN)
def test_what_no_row_knows_is_answered_as_before(typed: str, said: str, tmp_path: Path) -> None:
    assert said in krm_fn(*typed.split(), cwd=tmp_path).stderr


def test_a_row_is_about_no_command_of_ours() -> None:
    assert not COMMANDS.keys() & group.commands.keys()
    for command, options in OPTIONS_OF.items():
        ours = {one for parameter in group.commands[command].params for one in parameter.opts}
        assert not options.keys() & ours
