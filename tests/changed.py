"""Find the tests that a change concerns: all that differs from main, committed or not.

They are those that have entered a changed file, or read it, when tests/entered.txt was recorded
(`python -m tests.entered`). A change outside of functions, such as one of a table, concerns those
of all modules that import it as well, at whatever distance, and so does a file that nobody has
recorded yet.
"""

import ast
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tests.entered import AT_IMPORT, MAP, ROOT, row_of

_WITH_MODULES = ("action", "benchmarks", "docs", "krm_fn", "release", "schemas", "tests")


@cache
def find_modules() -> Mapping[str, Path]:
    """Return the files of all modules of this repository, by their dotted names."""
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for folder in _WITH_MODULES
        for file in (ROOT / folder).rglob("*.py")
    }


def find_changed() -> list[str]:
    """Return the files that differ from main, also those that git does not know yet. On main: since its last commit."""
    differ = git("diff", "--name-only", "--no-renames", _find_base()).splitlines()
    return [*differ, *git("ls-files", "--others", "--exclude-standard").splitlines()]


@cache
def _find_base() -> str:
    head = git("rev-parse", "HEAD").strip()
    for main in ("origin/main", "main"):
        base = git("merge-base", "HEAD", main).strip()
        if base not in ("", head):
            return base
    return git("rev-parse", "--verify", "--quiet", "HEAD~1").strip() or "HEAD"


def git(*arguments: str) -> str:
    """Return what git prints; nothing where there is no repository, or not such a commit."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else ""


def rooms_of(changed: Iterable[str]) -> frozenset[str]:
    """Return the names of the rooms of these files: the tests of each are in a folder of its name."""
    parts = (Path(path).parts for path in changed)
    return frozenset(
        part
        for first, *others in parts
        if first in ("krm_fn", "tests")
        for part in others[:-1]
        if part not in ("core", "tools")
    )


@cache
def read_map() -> Mapping[str, frozenset[str]]:
    """Return the files of tests that enter or read a file, by its name."""
    rows = (line.split() for line in MAP.read_text().splitlines())
    return {
        name: frozenset(test if test == AT_IMPORT else f"tests/{test}.py" for test in tests)
        for name, *tests in rows
    }


def tests_of(changed: Iterable[str]) -> list[str]:
    """Return the files of tests that a change of these files concerns."""
    found: set[str] = set()
    for path in changed:
        recorded = read_map().get(row_of(path), frozenset())
        found |= {path, *recorded}
        name = next((name for name, file in find_modules().items() if file == ROOT / path), "")
        if name and (not recorded or AT_IMPORT in recorded or _changes_more_than_bodies(path)):
            for importer in imported_by(name):
                file = str(find_modules()[importer].relative_to(ROOT))
                found |= {file, *read_map().get(file, ())}
    return sorted(
        file
        for file in found
        if file.startswith("tests/")
        and Path(file).name.startswith("test_")
        and (ROOT / file).exists()
    )


def _changes_more_than_bodies(path: str) -> bool:
    """Tell whether anything changes that is read where the module is imported."""
    now = ROOT / path
    before = git("show", f"{_find_base()}:{path}")
    return not now.exists() or _without_bodies(before) != _without_bodies(now.read_text())


def _without_bodies(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Pass()]
    return ast.dump(tree)


@cache
def imports_of(name: str) -> frozenset[str]:
    """Return the modules of this repository that a module imports itself, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(find_modules()[name].read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(found & find_modules().keys())


def imported_by(name: str) -> set[str]:
    """Return a module, and all that import it at whatever distance."""
    found: set[str] = set()
    waiting = {name}
    while waiting:
        found |= waiting
        waiting = {one for one in find_modules() if imports_of(one) & waiting} - found
    return found
