"""Checks that lint-imports cannot make: which modules are loaded at run time, and which are shipped."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.mutants.__main__ import find_telling, replace
from tests.mutants.telling import TELLING, Telling

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ABSENT = ("click", "jsonschema", "kubernetes")


@pytest.mark.parametrize("library", ABSENT)
def test_the_transformation_is_loaded_without(library: str) -> None:
    """Loading any of them takes longer than all work on a small package."""
    probe = f"import sys, krm_fn.function; sys.exit({library!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0


def test_every_folder_of_modules_is_shipped() -> None:
    """A folder that pyproject.toml does not list exists in a checkout but not in the wheel."""
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "krm_fn").rglob("*.py")}
    packages = {".".join(folder.parts) for folder in folders} | {
        "krm_fn.docs",
        "krm_fn.schemas",
        "krm_fn.examples",
    }
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == packages


def test_one_module_uses_the_standard_streams() -> None:
    """Else one of them writes what a terminal obeys, fails on a closed stream, or mixes text into manifests."""
    used = re.compile(r"\bsys\.(__)?std(in|out|err)|\bclick\.(echo|secho|prompt)|\bprint\(")
    modules = sorted((ROOT / "krm_fn").rglob("*.py"))
    assert [path.name for path in modules if used.search(path.read_text())] == ["stdio.py"]


@pytest.mark.parametrize("row", TELLING, ids=lambda row: row.mistake)
def test_a_telling_mistake_can_be_made_in_one_place(row: Telling) -> None:
    """`python -m tests.mutants --telling` makes it, and looks for the test that notices."""
    mutant = find_telling(row)
    assert mutant is not None
    assert compile(mutant.text, mutant.path, "exec")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f():\n    return a and b\n", id="on one line"),
        pytest.param(
            "def f():\n    return (\n        a  # why\n        and b\n    )\n",
            id="on several lines",
        ),
    ],
)
def test_a_mistake_stands_in_the_place_of_the_code(source: str) -> None:
    (found,) = (node for node in ast.walk(ast.parse(source)) if ast.unparse(node) == "a and b")
    assert isinstance(found, ast.expr)
    changed = ast.parse(replace(source.encode(), found, "a, c", grouped=True))
    assert ast.unparse(changed) == "def f():\n    return (a, c)"
