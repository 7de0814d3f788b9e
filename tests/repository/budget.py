"""Count the pieces that a newcomer meets: `make check` prints each count beside its limit.

A count beyond its limit fails. There is no goal beside a limit (decision 89): what nobody reaches is
struck, and what is reached is the limit. A change that needs more raises the limit, and says in its
commit what that buys.

Files are entered when a function of theirs is called (`sys.setprofile`). Their lines are those of
whole files: a reader who opens one does not know which part of it is called.

`python -m tests.repository.budget --since COMMIT` prints how many tokens each commit since then has
added or removed.
"""

import ast
import os
import re
import statistics
import subprocess
import sys
import sysconfig
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.inputs import resource_list
from tests.changed import git

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "krm_fn"
FACTS = PACKAGE / "facts"
FIXTURES = ROOT / "fixtures"
IMPORTED = re.compile(r"^import time: .*\| +(\S+)$", re.MULTILINE)
SHORT = 60
_AT_LAST = 361.3
"""Thousands of tokens where the last issue has ended. Whoever ends one writes the number here."""

_AN_ISSUE = 2
"""What an issue may add, in thousands. One that adds more says in its note what that buys, and what goes."""

_OF_FUNCTION = tuple(
    f"krm_fn.{room}" for room in ("core", "extras", "function", "guards", "lint", "transform")
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NO_TOKENS = frozenset(
    (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
    )
)


class Count(NamedTuple):
    """A number, and what it may be at most, or at least."""

    what: str
    found: float
    limit: float
    at_least: bool = False

    @property
    def is_broken(self) -> bool:
        return self.found < self.limit if self.at_least else self.found > self.limit


class Module(NamedTuple):
    path: Path
    lines: int
    tree: ast.Module


def count() -> list[Count]:
    modules = read_modules()
    code = [module for module in modules.values() if not module.path.is_relative_to(FACTS)]
    facts = [module for module in modules.values() if module.path.is_relative_to(FACTS)]
    imports = find_imports(modules)
    tokens = sum(count_tokens(module.path.read_text()) for module in code)
    return [
        Count("modules without facts", len(code), 203),
        Count("thousands of tokens, without facts", tokens / 1000, _AT_LAST + _AN_ISSUE),
        Count("functions in facts", len(functions_of(facts)), 0),
        Count("lines of the largest module", max(module.lines for module in code), 800),
        *count_functions(code),
        Count("tokens in a line", tokens / sum(module.lines for module in code), 6.4),
        Count(
            "median lines of a module",
            statistics.median(module.lines for module in code),
            230,
            at_least=True,
        ),
        Count(f"modules under {SHORT} lines", sum(module.lines < SHORT for module in code), 2),
        Count("longest chain of imports", len(longest_chain(imports)), 27),
        Count("modules in a circle of imports", len(circle(imports)), 0),
        Count("modules that a run imports", len(ours_of_a_run()), 94),
        *count_entered(),
        *count_met(modules),
        Count("type names with two meanings", len(ambiguous_types(modules)), 0),
        Count("public functions with two homes", len(functions_with_two_homes(modules)), 0),
        Count("file names with two homes", len(files_with_two_homes(modules)), 0),
        Count("nested loops in 100 functions", nested_comprehensions(code), 1.1),
        Count("modules that mention producers", len(mentioning_producers(modules)), 52),
        Count("rooms without tests under their name", len(rooms_without_tests()), 0),
        Count("thousands of recorded lines in fixtures", recorded_lines() / 1000, 110),
    ]


@cache
def read_modules() -> dict[str, Module]:
    """Return each module by its dotted name.

    An `__init__` that only says what the room is counts as none.
    """
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if path.name != "__init__.py":
            found[name] = Module(path, text.count("\n"), ast.parse(text))
    return found


def find_imports(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Return which module imports which, wherever in it: an import in a function is an arrow as well."""
    return {
        name: {target for target in targets(module.tree) if target in modules}
        for name, module in modules.items()
    }


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
    done = subprocess.run(
        command, input=resource_list(4), capture_output=True, check=True, env=environment
    )
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
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    target = targets[0] if len(targets) == 1 else None
    return (
        target.id
        if isinstance(target, ast.Name) and re.fullmatch(r"[A-Z][a-z]\w*", target.id)
        else None
    )


def functions_with_two_homes(modules: Mapping[str, Module]) -> list[str]:
    """Return the public functions that more than one module defines.

    A command has the name of what it runs.
    """
    names = Counter(
        node.name
        for module in modules.values()
        if module.path.name != "__main__.py" and not module.path.is_relative_to(PACKAGE / "cli")
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    )
    return [name for name, homes in names.items() if homes > 1]


def files_with_two_homes(modules: Mapping[str, Module]) -> list[str]:
    """Return the file names that more than one module has.

    A command has the name of the room that it runs, and so has the door of that room.
    """
    names = Counter(
        module.path.name
        for module in modules.values()
        if not module.path.is_relative_to(PACKAGE / "cli")
    )
    return [name for name, homes in names.items() if homes > 1]


def nested_comprehensions(modules: Iterable[Module]) -> float:
    """Return for how many of 100 functions a comprehension has more than one loop, or another one inside."""
    nested = functions = 0
    for module in modules:
        for node in ast.walk(module.tree):
            functions += isinstance(node, ast.FunctionDef)
            if isinstance(node, _COMPREHENSIONS):
                inside = sum(isinstance(one, _COMPREHENSIONS) for one in ast.walk(node))
                nested += len(node.generators) > 1 or inside > 1
    return round(100 * nested / functions, 1)


def functions_of(modules: Iterable[Module]) -> list[ast.FunctionDef]:
    return [
        node
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef)
    ]


def count_functions(modules: Iterable[Module]) -> list[Count]:
    """Count the lines of functions without their docstrings: that of a command is its help."""
    lines = sorted(map(_lines_of, functions_of(modules)))
    return [
        Count("lines of nine functions of ten", lines[len(lines) * 9 // 10], 19),
        Count("lines of the longest function", lines[-1], 60),
    ]


def _lines_of(function: ast.FunctionDef) -> int:
    first, *_ = function.body
    has_docstring = ast.get_docstring(function) is not None
    of_docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - of_docstring


def count_tokens(text: str) -> int:
    """Count what the interpreter reads: no comments, no docstrings, no line breaks."""
    docstrings = {
        (node.body[0].value.lineno, node.body[0].value.col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and ast.get_docstring(node) is not None
        if isinstance(node.body[0], ast.Expr)
    }
    tokens = list(_whole_strings(tokenize.generate_tokens(StringIO(text).readline)))
    return sum(one.type not in _NO_TOKENS and one.start not in docstrings for one in tokens)


def list_growth(since: str) -> Iterator[tuple[str, int]]:
    """Yield each commit since then that has changed how many tokens there are without facts, and by how many."""
    commits = git("log", "--first-parent", "--reverse", "--format=%h %s", f"{since}..").splitlines()
    before = sum(_tokens_at(since).values())
    for commit in commits:
        now = sum(_tokens_at(commit.split()[0]).values())
        if now != before:
            yield commit, now - before
        before = now


def _tokens_at(commit: str) -> dict[str, int]:
    """Return the tokens of each module without facts at a commit."""
    listed = git("ls-tree", "-r", commit, "krm_fn").splitlines()
    blobs = {path: about.split()[2] for about, path in (line.split("\t") for line in listed)}
    return {
        path: _tokens_of(blob)
        for path, blob in blobs.items()
        if path.endswith(".py") and not path.startswith("krm_fn/facts/")
    }


@cache
def _tokens_of(blob: str) -> int:
    return count_tokens(git("cat-file", "blob", blob))


def _whole_strings(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[tokenize.TokenInfo]:
    """Leave out the parts into which Python 3.12 and later splits an f-string, but for the last."""
    depth = 0
    for one in tokens:
        kind = tokenize.tok_name[one.type]
        depth += (kind == "FSTRING_START") - (kind == "FSTRING_END")
        if depth == 0:
            yield one


_CONFIG_MAP = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: b}\n"
_DEPLOYMENT = b"""---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: web}}]}]}}}
"""
_CONFIGURATION = b"""apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
"""
_ENTERED = """
import sys
from inspect import CO_NEWLOCALS
from pathlib import Path
from krm_fn.cli.main import main
from krm_fn.function import run
entered = set()
def enter(frame, *_):
    # What a module or a class says of itself is run where it is imported: that calls no function.
    code = frame.f_code
    if code.co_flags & CO_NEWLOCALS and not code.co_name.startswith("<"):
        entered.add(code.co_filename)
arguments, text = sys.argv[1:], sys.stdin.buffer.read()
sys.setprofile(enter)
main(arguments) if arguments else run(text)
sys.setprofile(None)
files = [Path(name) for name in entered if "/krm_fn/" in name]
print(len(files), sum(file.read_bytes().count(10) for file in files))
"""


class Entered(NamedTuple):
    """How many files have a function that is called, and how many lines these files have."""

    files: int
    lines: int


def count_entered() -> list[Count]:
    alone, together = enter(_CONFIG_MAP), enter(_CONFIG_MAP + _DEPLOYMENT)
    diff = enter_diff()
    return [
        Count("files that one ConfigMap enters", alone.files, 41),
        Count("their lines, in thousands", alone.lines / 1000, 16.05),
        Count("the same, with its Deployment", together.files, 63),
        Count("their lines, in thousands", together.lines / 1000, 20.45),
        Count("files that one line of diff enters", diff.files, 87),
        Count("their lines, in thousands", diff.lines / 1000, 27.41),
    ]


@cache
def enter(text: bytes, arguments: tuple[str, ...] = ()) -> Entered:
    """Run the function over these objects, or a command with these arguments."""
    done = subprocess.run(
        [sys.executable, "-c", _ENTERED, *arguments],
        input=text,
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    return Entered(*map(int, done.stdout.split()))


def enter_diff() -> Entered:
    """Compare two packages with a ConfigMap and its Deployment, in which one line has changed."""
    with TemporaryDirectory() as temporary:
        folders = (Path(temporary, "old"), Path(temporary, "new"))
        for folder, value in zip(folders, (b"b", b"c"), strict=True):
            folder.mkdir()
            changed = _CONFIG_MAP.replace(b"a: b", b"a: " + value)
            (folder / "krm-fn.yaml").write_bytes(_CONFIGURATION)
            (folder / "web.yaml").write_bytes(changed + _DEPLOYMENT)
        return enter(b"", ("diff", *map(str, folders)))


def count_met(modules: Mapping[str, Module]) -> list[Count]:
    met = met_by_tools(modules)
    names = sum(map(len, met.values()))
    return [
        Count("names of the function that tools use", names, 60),
        Count("modules that they are from", len(met), 12),
    ]


def met_by_tools(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Return what the tools import of the function, by its modules.

    What all rooms share is vocabulary: `base`, `facts` and `report` do not count.
    """
    met: dict[str, set[str]] = defaultdict(set)
    for name, module in modules.items():
        if not name.startswith("krm_fn.tools."):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_OF_FUNCTION):
                met[str(node.module)].update(alias.name for alias in node.names)
    return met


def mentioning_producers(modules: Mapping[str, Module]) -> list[str]:
    said = re.compile(r"maker|producer|\bmade\b", re.IGNORECASE)
    return [name for name, module in modules.items() if said.search(module.path.read_text())]


def rooms_without_tests() -> list[str]:
    """Return the folders of krm_fn that are a room, and no folder of tests with their name tests."""
    rooms = {path.parent for path in PACKAGE.rglob("__init__.py")} - {
        PACKAGE,
        PACKAGE / "core",
        PACKAGE / "tools",
    }
    # The mounts are a part of the extras.
    names = {room.name for room in rooms if room.parent.name != "extras"}
    return sorted(name for name in names if not any((ROOT / "tests" / name).glob("test_*.py")))


def recorded_lines() -> int:
    """Return how many lines somebody reads who reads all fixtures, and may have to read again after a change."""
    return sum(path.read_bytes().count(b"\n") for path in FIXTURES.rglob("*") if path.is_file())


def main(arguments: list[str]) -> int:
    """Print all counts. Return 1 if one of them is beyond its limit."""
    if arguments[:1] == ["--since"]:
        growth = list(list_growth(arguments[1]))
        for commit, tokens in growth:
            print(f"{tokens:+8,}  {commit}")
        print(f"{sum(tokens for _, tokens in growth):+8,}  in all")
        return 0
    counts = count()
    for row in counts:
        bound = "at least" if row.at_least else "at most"
        why = "   BROKEN: remove some, or raise the limit and say what that buys"
        said = f"{row.what + ' ':.<40} {row.found:>8.6g}   {bound} {row.limit:g}"
        print(said + why if row.is_broken else said)
    return int(any(row.is_broken for row in counts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
