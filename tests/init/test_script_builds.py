"""A line of a script that builds a directory with kustomize, and runs no functions, is found."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn.tools.common.files import DEFAULT_LIMITS
from krm_fn.tools.elsewhere.elsewhere import TextsOfRepository
from krm_fn.tools.init.script_builds import find_builds
from tests.git.repository import commit
from tests.render.run import write

BUILD_IT = {
    "names it from its own folder": ("scripts/a.sh", "kustomize build ../shop"),
    "names it from the top": ("scripts/a.sh", "kubectl apply -k shop"),
    "names it through a link": ("a.sh", "kustomize build linked"),
    "names no folder": ("a.sh", "kustomize build $DIR"),
    "names a folder outside of the repository": ("a.sh", "kustomize build {outside}"),
    "names a path that leads out of the repository": ("a.sh", "kustomize build ../outside"),
    "names a link that leads out of the repository": ("a.sh", "kustomize build out"),
    "names a link to itself": ("a.sh", "kustomize build .hidden/circle"),
    "has a word that is longer than any path": ("a.sh", f"kustomize build {'shop/' * 2000}"),
}
BUILD_OTHERS = {
    "names another folder": ("a.sh", "kustomize build other"),
    "runs functions": ("a.sh", "kustomize build --enable-alpha-plugins shop"),
    "builds nothing": ("a.sh", "kubectl apply -f shop"),
}


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """Return a repository with links, beside a folder that is none of its business."""
    top = tmp_path / "repository"
    for folder in (top / ".git", top / "shop", top / "other", tmp_path / "outside"):
        folder.mkdir(parents=True)
    (top / "linked").symlink_to("shop")
    (top / "out").symlink_to(tmp_path / "outside")
    (top / ".hidden").mkdir()
    (top / ".hidden" / "circle").symlink_to("circle")  # where no search for scripts meets it
    return top


def find_lines(top: Path, file: str, line: str) -> list[str]:
    write(top, {file: line.format(outside=top.parent / "outside") + "\n"})
    return find_builds(TextsOfRepository(top / "shop", DEFAULT_LIMITS), top / "shop")


@pytest.mark.parametrize(("file", "line"), BUILD_IT.values(), ids=BUILD_IT)
def test_a_line_that_builds_the_directory_or_any_is_found(
    file: str, line: str, linked: Path
) -> None:
    assert find_lines(linked, file, line) == [f"{file}:1"]


@pytest.mark.parametrize(("file", "line"), BUILD_OTHERS.values(), ids=BUILD_OTHERS)
def test_a_line_that_builds_something_else_is_not_found(file: str, line: str, linked: Path) -> None:
    assert find_lines(linked, file, line) == []


@pytest.mark.parametrize(("file", "line"), BUILD_IT.values(), ids=BUILD_IT)
def test_no_word_of_a_script_is_looked_up_outside_of_the_repository(
    file: str, line: str, linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = str(linked.parent / "outside")
    asked: list[str] = []
    for name in ("stat", "lstat"):
        ask = getattr(os, name)

        def record(
            path: str, *rest: object, ask: Callable[..., object] = ask, **more: object
        ) -> object:
            asked.append(str(path))
            return ask(path, *rest, **more)

        monkeypatch.setattr(os, name, record)
    find_lines(linked, file, line)
    assert [path for path in asked if os.path.normpath(path).startswith(outside)] == []
    assert asked


READ = ("a.sh", "Makefile", "docs/a.md", "a.py", ".github/workflows/a.yml", ".gitlab-ci.yml")
NOT_READ = ("shop/a.yaml", ".venv/a.py", "node_modules/a/README.md", "a.txt")


@pytest.mark.parametrize("file", [*READ, *NOT_READ])
def test_files_that_people_and_jobs_run_are_read_and_no_others(file: str, linked: Path) -> None:
    assert bool(find_lines(linked, file, "kustomize build shop")) == (file in READ)


def test_what_runs_comes_before_what_people_read(tmp_path: Path) -> None:
    line = "kubectl apply \\\n  -k shop\n"
    commit(tmp_path, {"shop/a": "", "a.md": line, "b.sh": line})
    assert find_builds(TextsOfRepository(tmp_path, DEFAULT_LIMITS), tmp_path / "shop") == [
        "b.sh:1",
        "a.md:1",
    ]


def test_a_hostile_script_takes_no_longer_than_its_length(linked: Path) -> None:
    """With the square of it, some would take minutes."""
    assert find_lines(linked, "a.sh", "\\\n" * 400_000 + f"-k {'oc ' * 150_000}") == []


def test_a_command_that_a_script_repeats_is_looked_up_once(
    linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    is_dir = Path.is_dir

    def record(path: Path, **more: bool) -> bool:
        asked.append(path)
        return is_dir(path, **more)

    monkeypatch.setattr(Path, "is_dir", record)
    find_lines(linked, "a.sh", "kustomize build other")
    once = len(asked)
    asked.clear()
    find_lines(linked, "a.sh", "kustomize build other\n" * 50)
    assert len(asked) == once > 0
