"""The action, the hook and the jobs for others: valid by their own rules, and runnable as written."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.diff.diff import NO_BASE
from tests.action.github import TOKEN, serve
from tests.action.runner import Runner
from tests.cases import FIXTURES
from tests.diff.repository import ENVIRONMENT, commit
from tests.diff.test_against import shop
from tests.render.run import write

ROOT = Path(__file__).parent.parent.parent
WORKFLOW = ROOT / "examples/github/diff.yaml"
ACTION: Any = yaml.safe_load((ROOT / "action.yml").read_text())


def _lint(folder: Path, action: str, require_tool: Callable[[str], Path]) -> str:
    """Lint the workflow of the example, with the action beside it."""
    workflow = WORKFLOW.read_text().replace("example/krm-fn@v0.2.0", "./action")
    commit(folder, {".github/workflows/diff.yaml": workflow, "action/action.yml": action})
    done = subprocess.run([require_tool("actionlint")], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (not done.stdout)
    return done.stdout + done.stderr


def test_the_workflow_and_the_action_are_valid(require_tool: Callable[[str], Path], tmp_path: Path) -> None:
    assert not _lint(tmp_path, (ROOT / "action.yml").read_text(), require_tool)


def test_the_linter_knows_the_inputs_of_the_action(require_tool: Callable[[str], Path], tmp_path: Path) -> None:
    other = (ROOT / "action.yml").read_text().replace("  arguments:", "  options:")
    assert 'input "arguments" is not defined in action "krm-fn diff"' in _lint(tmp_path, other, require_tool)


def _expand(text: str, inputs: dict[str, str]) -> str:
    """Evaluate the expressions that the action uses."""
    values = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.token": TOKEN}
    return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: values[found[1]], text)


def hostile_modules(folder: Path) -> dict[str, str | bytes]:
    """Return files for the top of a repository, which Python would import if it looked there for modules."""
    names = ("venv", "pip/__init__", "sitecustomize", "usercustomize", "krm_fn/__init__", "json", "encodings/__init__")
    return {f"{name}.py": f"open({str(folder / 'imported')!r}, 'a').write({name!r})\n" for name in names}


def test_hostile_modules_are_imported_by_a_python_that_looks_there(tmp_path: Path) -> None:
    write(tmp_path, hostile_modules(tmp_path))
    subprocess.run([sys.executable, "-c", "import json"], cwd=tmp_path, check=True)
    assert (tmp_path / "imported").read_text() == "json"


def test_the_action_installs_and_comments(tmp_path: Path) -> None:
    source = tmp_path / "source"  # pip leaves files beside what it builds
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for file in filter(None, listed.split("\0")):
        if not file.startswith(("tests/", "fixtures/", "docs/")):
            write(source, {file: (ROOT / file).read_bytes()})
    with serve() as github:
        runner = Runner(tmp_path, github)
        runner.push_main(shop("one"))
        runner.open_pull_request({**shop("two"), **hostile_modules(tmp_path)})
        runner.check_out()
        defaults = {name: _expand(one.get("default", ""), {}) for name, one in ACTION["inputs"].items()}
        inputs = {**defaults, "paths": "shop"}
        known = {name: value for name, value in runner.environment().items() if not name.startswith("INPUT_")}
        steps = ACTION["runs"]["steps"]
        for step in steps:
            assert step["shell"] == "sh"
            given = {name: _expand(value, inputs) for name, value in step.get("env", {}).items()}
            folders = {"RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": str(source)}
            subprocess.run(
                ["sh", "-e", "-c", step["run"]], cwd=runner.workspace, env={**known, **folders, **given}, check=True
            )
        (comment,) = github.comments
        assert "- A: one\n+ A: two\n" in comment["body"]
        assert not (tmp_path / "imported").exists()
        output = ACTION["outputs"]["changed"]["value"]
        assert output in {f"${{{{ steps.{step['id']}.outputs.changed }}}}" for step in steps if "id" in step}
        assert Path(known["GITHUB_OUTPUT"]).read_text() == "changed=true\n"


HOOK: Any
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.mark.parametrize(
    ("case", "code"),
    [("what-the-function-rendered-is-consistent", 0), ("a-reference-has-the-base-name", 1)],
)
def test_the_hook_verifies(case: str, code: int, tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "verifications" / case / "input.yaml", tmp_path / "input.yaml")
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    write(tmp_path, hostile_modules(tmp_path))
    command = [*HOOK["entry"].split(), *HOOK["args"]]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PATH": folders}, check=False)
    assert done.returncode == code
    assert HOOK["pass_filenames"] is False
    assert not (tmp_path / "imported").exists()


def test_the_job_for_gitlab_installs_all_programs_that_it_needs() -> None:
    """The image has a shell and `apk`. krm-fn runs git, kustomize and helm."""
    job: Any = yaml.safe_load((ROOT / "examples/gitlab/.gitlab-ci.yml").read_text())["diff"]
    assert job["image"].startswith("alpine:")
    (added,) = re.findall(r"^apk add --no-cache (.*)$", "\n".join(job["before_script"]), re.MULTILINE)
    own = {line.split()[0] for line in job["script"]} | {"/opt/krm-fn/bin/pip", "apk", "export"}
    used = {line.split()[0] for line in job["before_script"]} - own
    assert {*added.split()} == used | {"git", "kustomize", "helm"}
    assert all(script.startswith("krm-fn diff --against ") for script in job["script"])
    assert job["allow_failure"] == {"exit_codes": NO_BASE}


def test_the_job_for_gitlab_runs(tmp_path: Path) -> None:
    job: Any = yaml.safe_load((ROOT / "examples/gitlab/.gitlab-ci.yml").read_text())["diff"]
    base = commit(tmp_path, {**shop("one", job["variables"]["PACKAGE"]), **hostile_modules(tmp_path)})
    write(tmp_path, shop("two", job["variables"]["PACKAGE"]))
    environment = {
        **os.environ,
        **ENVIRONMENT,
        **job["variables"],
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(job["script"])],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "  - A: one\n  + A: two\n" in done.stdout
    assert all((tmp_path / file).read_text() for file in job["artifacts"]["paths"])
