"""Run the tests of what has changed since the last commit.

They are those that import a changed module, at whatever distance. A page or a fixture is found by
its folder: another changed file concerns each test that says the name of its folder, or its own.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.left_over import WITH_PROGRAMS

ROOT = Path(__file__).parent.parent
MODULES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
    for folder in ("action", "benchmarks", "docs", "krm_fn", "release", "schemas", "tests")
    for file in (ROOT / folder).rglob("*.py")
}


@cache
def imports_of(name: str) -> frozenset[str]:
    """Return the modules of this repository that a module imports itself, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(found & MODULES.keys())


def needed_by(name: str) -> set[str]:
    """Return a module, and all that it imports at whatever distance."""
    found, waiting = {name}, [name]
    while waiting:
        new = imports_of(waiting.pop()) - found
        found |= new
        waiting += new
    return found


def tests_of(changed: Iterable[str]) -> list[str]:
    """Return the files of tests that a change of these files concerns."""
    paths = {ROOT / one for one in changed}
    said = {
        word for path in paths if path.suffix != ".py" for word in path.relative_to(ROOT).parts[:2]
    }
    is_said = re.compile("|".join(map(re.escape, said)) or "(?!)").search
    concerned = {name for name, file in MODULES.items() if file in paths}
    concerned |= {
        name
        for name, file in MODULES.items()
        if name.startswith("tests.") and is_said(file.read_text())
    }
    tests = [name for name, file in MODULES.items() if file.name.startswith("test_")]
    files = [
        str(MODULES[name].relative_to(ROOT))
        for name in tests
        if not concerned.isdisjoint(needed_by(name))
    ]
    return sorted(file for file in files if not file.startswith(WITH_PROGRAMS))


def main() -> int:
    status = ["git", "status", "--porcelain", "--no-renames", "--untracked-files=all"]
    changed = [
        line[3:] for line in subprocess.check_output(status, cwd=ROOT, text=True).splitlines()
    ]
    tests = tests_of(changed)
    print(
        f"{len(changed)} files have changed since the last commit: {len(tests)} files of tests",
        flush=True,
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--quiet",
        "--numprocesses=auto",
        "--dist=worksteal",
        *tests,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode if tests else 0


if __name__ == "__main__":
    sys.exit(main())
