"""Count the pieces that a newcomer meets: `make check` prints the counts beside their limits.

A change that needs more of one raises the limit here, and says in its commit what that buys.
"""

import ast
import os
import re
import statistics
import subprocess
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from benchmarks.inputs import resource_list

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "krm_fn"
FACTS = PACKAGE / "facts"
IMPORTED = re.compile(r"^import time: .*\| +(\S+)$", re.MULTILINE)
SHORT = 60


class Count(NamedTuple):
    what: str
    found: float
    limit: float
    at_least: bool = False

    def holds(self) -> bool:
        return self.found >= self.limit if self.at_least else self.found <= self.limit


class Module(NamedTuple):
    path: Path
    lines: int
    tree: ast.Module


def count() -> list[Count]:
    modules = read_modules()
    code = [module for module in modules.values() if not module.path.is_relative_to(FACTS)]
    imports = find_imports(modules)
    return [
        Count("modules", len(code), 165),
        Count("lines, without facts", sum(module.lines for module in code), 36800),
        Count("median lines of a module", statistics.median(module.lines for module in code), 200, at_least=True),
        Count(f"modules under {SHORT} lines", sum(module.lines < SHORT for module in code), 5),
        Count("longest chain of imports", len(longest_chain(imports)), 25),
        Count("modules in a circle of imports", len(circle(imports)), 0),
        Count("modules that a run imports", len(ours_of_a_run()), 96),
        Count("type names with two meanings", len(ambiguous_types(modules)), 0),
        Count("modules that mention producers", len(mentioning_producers(modules)), 42),
    ]


@cache
def read_modules() -> dict[str, Module]:
    """Return each module by its dotted name. An `__init__` that only says what the room is counts as none."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if path.name != "__init__.py":
            found[name] = Module(path, text.count("\n"), ast.parse(text))
    return found


def find_imports(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Return which module imports which, wherever in it: an import in a function is an arrow as well."""
    return {name: {target for target in targets(module.tree) if target in modules} for name, module in modules.items()}


def targets(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def circle(imports: Mapping[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1][1:])
    return []


def longest_chain(imports: Mapping[str, set[str]]) -> list[str]:
    """Return the longest chain, from the module that a user starts to the one that imports nothing of ours."""
    known: dict[str, list[str]] = {}
    open_: set[str] = set()

    def chain(name: str) -> list[str]:
        if name not in known:
            open_.add(name)
            below = [chain(target) for target in sorted(imports[name]) if target not in open_]
            open_.remove(name)
            known[name] = [name, *max(below, key=len, default=[])]
        return known[name]

    return max((chain(name) for name in sorted(imports)), key=len)


def ours_of_a_run() -> list[str]:
    return [name for name in imported_by_a_run() if name.startswith("krm_fn")]


@cache
def imported_by_a_run() -> frozenset[str]:
    """Run the function on a ConfigMap, a Deployment that reads it, two other objects and a configuration.

    Without `site`: what an environment adds there is not ours.
    """
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{sysconfig.get_path('purelib')}"}
    command = [sys.executable, "-S", "-X", "importtime", "-m", "krm_fn"]
    done = subprocess.run(command, input=resource_list(4), capture_output=True, check=True, env=environment)
    return frozenset(IMPORTED.findall(done.stderr.decode()))


def ambiguous_types(modules: Mapping[str, Module]) -> dict[str, list[str]]:
    """Return the names of classes and of type aliases that more than one module defines."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, module in modules.items():
        for node in module.tree.body:
            if defined := type_name(node):
                places[defined].append(name)
    return {name: found for name, found in places.items() if len(found) > 1}


def type_name(node: ast.stmt) -> str | None:
    if isinstance(node, ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    target = targets[0] if len(targets) == 1 else None
    return target.id if isinstance(target, ast.Name) and re.fullmatch(r"[A-Z][a-z]\w*", target.id) else None


def mentioning_producers(modules: Mapping[str, Module]) -> list[str]:
    said = re.compile(r"maker|producer|\bmade\b", re.IGNORECASE)
    return [name for name, module in modules.items() if said.search(module.path.read_text())]


def main() -> None:
    for row in count():
        bound = "at least" if row.at_least else "at most"
        print(f"{row.what + ' ':.<36} {row.found:>6g}   {bound} {row.limit:g}")


if __name__ == "__main__":
    main()
