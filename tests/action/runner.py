"""A runner of GitHub: a checkout of a pull request, and the files and variables that a step gets."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.action.github import PULL_REQUEST, TOKEN, GitHub
from tests.git.repository import ENVIRONMENT, commit, git

SCRIPT = Path(__file__).parent.parent.parent / "action/compare.py"


class Done(NamedTuple):
    """What the step printed, and what it wrote."""

    code: int
    output: str
    summary: str
    outputs: str


class Runner:
    """A repository on a server, and what the runner checks out of it."""

    def __init__(self, folder: Path, github: GitHub) -> None:
        self._folder = folder
        self._github = github
        self.server = folder / "server"
        self.workspace = folder / "workspace"
        self.event: dict[str, object] = {}

    def push_main(self, files: Mapping[str, str | bytes]) -> None:
        """Commit to the branch main of the server, which hands out any commit, as GitHub does."""
        commit(self.server, files)
        git(self.server, "config", "uploadpack.allowAnySHA1InWant", "true")

    def open_pull_request(self, files: Mapping[str, str | bytes]) -> None:
        """Commit to a branch that began at main, and make the commit that merges it, as GitHub does."""
        base = git(self.server, "rev-parse", "main")
        git(
            self.server,
            "checkout",
            "--quiet",
            *(["change"] if self.event else ["-b", "change", "main"]),
        )
        head = commit(self.server, files, "change")
        git(self.server, "checkout", "--quiet", "-B", "merge", "main")
        git(self.server, "merge", "--quiet", "--no-ff", "--message=merge", "change")
        git(self.server, "checkout", "--quiet", "main")
        self.event = {
            "pull_request": {"node_id": PULL_REQUEST, "head": {"sha": head}, "base": {"sha": base}},
        }

    def check_out(self, branch: str = "merge", *, depth: int = 1) -> None:
        """Clone as actions/checkout does: by default one commit, which is the merge."""
        deep = [f"--depth={depth}"] if depth else []
        target = self._folder / f"workspace {branch} {depth} {len(list(self._folder.iterdir()))}"
        git(
            self._folder,
            "clone",
            "--quiet",
            *deep,
            f"--branch={branch}",
            f"file://{self.server}",
            str(target),
        )
        self.workspace = target

    def environment(self, **inputs: str) -> dict[str, str]:
        files = {name: self._folder / name for name in ("event.json", "summary.md", "output")}
        files["event.json"].write_text(json.dumps(self.event))
        files["summary.md"].write_text("before\n")
        files["output"].write_text("")
        given = {"PATHS": "shop", "ARGUMENTS": "", "BASE": "", "KEY": "", **inputs}
        return {
            **os.environ,
            **ENVIRONMENT,
            **{f"INPUT_{name}": value for name, value in given.items()},
            "RUNNER_TEMP": str(self._folder),
            "GITHUB_EVENT_PATH": str(files["event.json"]),
            "GITHUB_STEP_SUMMARY": str(files["summary.md"]),
            "GITHUB_OUTPUT": str(files["output"]),
            "GITHUB_GRAPHQL_URL": self._github.url,
            "GITHUB_WORKFLOW": "diff --> all",
            "GITHUB_JOB": "diff",
            "no_proxy": "127.0.0.1",
        }

    def run(self, *, comments: bool = True, **inputs: str) -> Done:
        """Run the step that compares and, where that is wanted, the one that comments."""
        environment = self.environment(**inputs)
        compared = self._run("compare", environment)
        commented = (
            self._run("comment", {**environment, "INPUT_TOKEN": TOKEN}) if comments else None
        )
        summary = Path(environment["GITHUB_STEP_SUMMARY"]).read_text()
        assert summary.startswith("before\n")
        written = Path(environment["GITHUB_OUTPUT"]).read_text()
        output = compared.stdout + (commented.stdout if commented else "")
        return Done(compared.returncode, output, summary.removeprefix("before\n"), written)

    def _run(self, step: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", str(SCRIPT), step],
            cwd=self.workspace,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
