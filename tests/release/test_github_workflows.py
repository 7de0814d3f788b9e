"""The workflows of this repository: valid, with few rights, and with every action pinned by its commit."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / ".github/workflows").glob("*.yaml"))
WORKFLOWS: dict[str, Any] = {file.stem: yaml.safe_load(file.read_text()) for file in FILES}
USES = re.compile(r"uses: (\S+)@(\S+)(?: # (\S+))?$", re.MULTILINE)
PINS = {
    (action, commit, version)
    for file in FILES
    for action, commit, version in USES.findall(file.read_text())
}
JOBS = [(name, job) for name, workflow in WORKFLOWS.items() for job in workflow["jobs"]]


@pytest.mark.needs("actionlint")
def test_actionlint_finds_nothing(require_tool: Callable[[str], Path]) -> None:
    done = subprocess.run(
        [str(require_tool("actionlint")), *map(str, FILES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_zizmor_finds_what_it_is_for(tmp_path: Path) -> None:
    """`make static` runs it on the repository."""
    workflow = FILES[0].read_text().replace("persist-credentials: false", "fetch-depth: 1")
    (tmp_path / "release.yaml").write_text(workflow)
    command = [
        str(Path(sys.executable).parent / "zizmor"),
        "--offline",
        str(tmp_path / "release.yaml"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "artipacked" in done.stdout


@pytest.mark.parametrize(("action", "commit", "version"), sorted(PINS))
def test_an_action_is_pinned_by_commit_with_its_version_beside(
    action: str, commit: str, version: str
) -> None:
    assert re.fullmatch("[0-9a-f]{40}", commit), action
    assert re.fullmatch(r"v\d+\.\d+\.\d+", version), action


def test_an_action_has_one_version() -> None:
    actions = [re.sub(r"^([^/]+/[^/]+).*", r"\1", action) for action, _, _ in PINS]
    assert sorted(set(actions)) == sorted(actions)


@pytest.mark.parametrize(("workflow", "job"), JOBS)
def test_a_job_has_only_the_rights_that_it_lists(workflow: str, job: str) -> None:
    assert WORKFLOWS[workflow]["permissions"] == {}
    assert WORKFLOWS[workflow]["jobs"][job]["permissions"]


def test_only_a_tag_publishes() -> None:
    writers = {
        name: {
            right
            for job in workflow["jobs"].values()
            for right, value in job["permissions"].items()
            if value == "write"
        }
        for name, workflow in WORKFLOWS.items()
    }
    assert writers["test"] == set()
    assert writers["scorecard"] == {"security-events", "id-token"}
    # YAML reads the key `on` as true.
    assert WORKFLOWS["release"][True] == {"push": {"tags": ["v*"]}}


def commands() -> Iterator[tuple[str, str]]:
    for workflow in WORKFLOWS.values():
        for job in workflow["jobs"].values():
            for step in job.get("steps", []):
                yield from re.findall(
                    r"(make|release/\S+|\.ci/run)(?: (\w+))?", step.get("run", "")
                )


@pytest.mark.parametrize(("program", "target"), sorted(set(commands())))
def test_a_step_runs_a_command_of_the_repository(program: str, target: str) -> None:
    if program == "make":
        assert re.search(f"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    else:
        assert (ROOT / program).is_file()
