"""Paths that pages, decisions and docstrings name, and functions that a benchmark names: each is there."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from inspect import isgeneratorfunction
from operator import attrgetter
from pathlib import Path

import pytest

from benchmarks.phases import PHASES

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / name for name in ("CONTRIBUTING.md", "README.md", "SECURITY.md", "tests/README.md")),
]
MODULES = sorted((ROOT / "krm_fn").rglob("*.py"))
FILES = {
    path.relative_to(ROOT).as_posix()
    for folder in ("krm_fn", "tests", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
}
BASES = (ROOT, ROOT / "krm_fn", ROOT / "tests")
IN_A_ROOM = re.compile(
    r"(?<![\w./-])(?:krm_fn|tests|base|cli|core|extras|facts|guards|linker|lint|report|tools)"
    r"/[\w./-]*"
)
IN_BACKTICKS = re.compile(r"`([\w-]+(?:/[\w-]+)+\.py)`")


def find_lost(text: str) -> Iterator[str]:
    """Yield the paths that lead to nothing: of a room or a folder at the top, and of any module in backticks."""
    for found in IN_A_ROOM.findall(text):
        path = found.rstrip("./")
        is_there = any((base / path).exists() for base in BASES)
        if not is_there and (path.endswith(".py") or "." not in path):
            yield path
    for path in IN_BACKTICKS.findall(text):
        if not any(file == path or file.endswith(f"/{path}") for file in FILES):
            yield path


def read_docstrings(module: Path) -> str:
    """Return the docstrings and comments of a module."""
    source = module.read_text()
    documented = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    ]
    comments = [line for line in source.splitlines() if line.lstrip().startswith("#")]
    return "\n".join([*(ast.get_docstring(node) or "" for node in documented), *comments])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_on_a_page_exists(page: Path) -> None:
    assert not [*find_lost(page.read_text())]


def test_every_path_in_a_docstring_exists() -> None:
    lost = {module.relative_to(ROOT): [*find_lost(read_docstrings(module))] for module in MODULES}
    assert not {module: paths for module, paths in lost.items() if paths}


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        pytest.param("`core/decide/run.py`", [], id="a module of a room"),
        pytest.param("`krm_fn/core/decide/`", [], id="a folder"),
        pytest.param("`decide/run.py`", [], id="the end of a path"),
        pytest.param("https://example.com/core/old.py", [], id="an address"),
        pytest.param("core/decide/sops.py says", ["core/decide/sops.py"], id="a lost module"),
        pytest.param("`stages/sops.py`", ["stages/sops.py"], id="a module of a lost room"),
        pytest.param("in `core/wire/`", ["core/wire"], id="a lost folder"),
    ],
)
def test_a_lost_path_is_found(text: str, lost: list[str]) -> None:
    assert [*find_lost(text)] == lost


@pytest.mark.parametrize("name", PHASES)
def test_each_phase_of_a_run_begins_in_a_function_that_exists(name: str) -> None:
    """Else the benchmark ends, or counts nothing for the phase: a generator runs where somebody reads it."""
    module, _, path = name.partition(":")
    found = attrgetter(path)(import_module(module))
    begins = [found]
    if isinstance(found, type):
        begins = [one.func for one in vars(found).values() if isinstance(one, cached_property)]
    assert begins
    assert all(map(callable, begins))
    assert not any(map(isgeneratorfunction, begins))
