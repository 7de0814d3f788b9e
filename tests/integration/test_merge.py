"""git merges a package that the real kpt renders in place, with `krm-fn merge` as its driver."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/kpt"
IDENTITY = {
    f"GIT_{who}_{what}": "a@example.com"
    for who in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}
KEYS = "  A: a\n  B: b\n  C: c\n"


class Clone:
    """A repository with a package, and the programs that work on it."""

    def __init__(self, folder: Path, kpt: Path) -> None:
        self.folder = folder
        path = os.pathsep.join(
            [str(Path(sys.executable).parent), str(kpt.parent), os.environ["PATH"]]
        )
        self._environment = {**os.environ, **IDENTITY, "PATH": path}

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def render(self) -> None:
        self.run("kpt", "fn", "render", "shop", "--allow-exec")

    def commit(self, message: str, **edits: tuple[str, str]) -> None:
        """Edit files by the first parts of their names, render, and commit."""
        for name, (old, new) in edits.items():
            file = self.folder / "shop" / f"{name}.yaml"
            assert old in file.read_text()
            file.write_text(file.read_text().replace(old, new))
        self.render()
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", message)


@pytest.fixture
def clone(tmp_path: Path, require_tool: Callable[[str], Path]) -> Clone:
    made = Clone(tmp_path, require_tool("kpt"))
    shutil.copytree(EXAMPLE, tmp_path / "shop")
    made.run("git", "init", "--quiet", "--initial-branch", "main")
    page = (EXAMPLE.parents[1] / "docs/merges.md").read_text()
    installation = re.findall(r"^\$ (.* ?merge[.=]krm-fn.*)$", page, re.MULTILINE)
    assert len(installation) == len(("the repository", "the clone"))
    made.run("sh", "-c", "\n".join(installation))
    made.commit("begin", config=("LOG_LEVEL: info\n", f"LOG_LEVEL: info\n{KEYS}"))
    made.run("git", "checkout", "--quiet", "-b", "other")
    made.commit("louder", config=("LOG_LEVEL: info", "LOG_LEVEL: debug"))
    made.run("git", "checkout", "--quiet", "main")
    made.commit("more", config=("C: c", "C: d"), web=("replicas: 4", "replicas: 5"))
    return made


@pytest.mark.parametrize("command", ["merge --no-edit other", "rebase other"])
def test_the_merge_is_what_kpt_renders(command: str, clone: Clone) -> None:
    clone.run("git", *command.split())
    clone.render()
    assert clone.run("git", "status", "--short") == ""
    clone.run("krm-fn", "verify", "shop", "--set", "shop", "--strict")
    merged = (clone.folder / "shop/config.yaml").read_text()
    assert "LOG_LEVEL: debug\n  A: a\n  B: b\n  C: d\n" in merged
