"""Make small mistakes in a copy of krm_fn, one at a time, and print those that no test notices.

    nice .venv/bin/python -m tests.mutants 100 --seed 7 [--only live/ history/ diff/git]
    nice .venv/bin/python -m tests.mutants --telling
    nice .venv/bin/python -m tests.mutants --drawn

Only tests run that enter the file of the mistake, by tests/entered.txt: first those of its room.
A survivor is a missing test, or it changes nothing that anybody can see: read it and decide. The
telling ones are those of telling.py, and the drawn ones those of drawn.py. Each names tests, of
which those of `make test` have to notice it.
"""

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from functools import cache
from pathlib import Path
from random import Random, randrange
from typing import NamedTuple

from tests.changed import read_map
from tests.entered import AT_IMPORT
from tests.mutants.drawn import DRAWN
from tests.mutants.telling import TELLING, Telling
from tests.tiers import TIERS

TREE = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(
    ".venv", ".hypothesis", ".*_cache", "__pycache__", "build", "*.egg-info"
)
LONGEST = 900
"""Seconds for the tests of a mistake: an endless loop counts as noticed."""

OPPOSITES = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
EMPTY = {
    "str": '""',
    "list": "[]",
    "dict": "{}",
    "tuple": "()",
    "int": "0",
    "frozenset": "frozenset()",
    "set": "set()",
}


class Mutant(NamedTuple):
    path: Path
    rule: str
    line: int
    text: str


def find_mutants(path: Path) -> Iterator[Mutant]:
    """Return every mistake that the rules know for a file."""
    source = path.read_bytes()
    for rule, node, text in _changes(ast.parse(source)):
        changed = replace(source, node, text)
        try:
            ast.parse(changed)
        except SyntaxError:
            continue  # part of a longer expression, such as the middle of a text
        yield Mutant(path, rule, node.lineno, changed)


def replace(source: bytes, node: ast.expr | ast.stmt, text: str, *, grouped: bool = False) -> str:
    """Return the source with this text in the place of a node, in parentheses if `grouped`."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    lines = source.splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    return (source[:start] + (f"({text})" if grouped else text).encode() + source[end:]).decode()


def _changes(tree: ast.Module) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    for node in ast.walk(tree):
        yield from _other_conditions(node)
        if isinstance(node, ast.FunctionDef) and isinstance(node.returns, ast.expr):
            yield from _other_results(node, ast.unparse(node.returns))
        elif isinstance(node, ast.AugAssign | ast.Continue | ast.Break) or (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call | ast.Yield | ast.YieldFrom)
        ):
            yield "delete a statement", node, "pass"
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            yield from _other_constants(statement.value)


def _other_conditions(node: ast.AST) -> Iterator[tuple[str, ast.expr, str]]:
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "negate a condition", node.test, f"(not ({ast.unparse(node.test)}))"
    elif isinstance(node, ast.comprehension):
        yield from (("negate a filter", test, f"(not ({ast.unparse(test)}))") for test in node.ifs)
    elif isinstance(node, ast.BoolOp):
        other = ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        yield "swap and/or", node, f"({ast.unparse(other)})"
        for place in range(len(node.values)):
            rest = [value for index, value in enumerate(node.values) if index != place]
            left = ast.unparse(rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest))
            yield "drop an operand", node, f"({left})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "drop a not", node, f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Compare):
        turned = ast.Compare(
            node.left, [OPPOSITES[type(node.ops[0])](), *node.ops[1:]], node.comparators
        )
        yield "change a comparison", node, f"({ast.unparse(turned)})"


def _other_results(function: ast.FunctionDef, returns: str) -> Iterator[tuple[str, ast.expr, str]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
            empty = EMPTY.get(
                returns.partition("[")[0], "None" if returns.endswith("| None") else ""
            )
            opposite = f"(not ({ast.unparse(node.value)}))" if returns == "bool" else empty
            if opposite and opposite != ast.unparse(node.value):
                yield "return something else", node.value, opposite


def _other_constants(value: ast.expr) -> Iterator[tuple[str, ast.expr, str]]:
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int):
            new = {bool: f"not {node.value}", int: f"{node.value} + 1"}.get(
                type(node.value), repr(f"{node.value}1")
            )
            yield "change a table", node, new


def copy_tree(copy: Path) -> Path:
    """Copy the tree, and its environment so that it imports the copy: tests start krm_fn as a program too."""
    shutil.copytree(TREE, copy, ignore=LEFT_OUT)
    environment = copy / ".venv"
    venv.create(environment, symlinks=True)
    for one in [
        *Path(sysconfig.get_path("purelib")).iterdir(),
        *Path(sysconfig.get_path("scripts")).iterdir(),
    ]:
        place = environment / one.relative_to(sys.prefix)
        data = b"" if one.is_dir() else one.read_bytes()
        if str(TREE).encode() in data:
            place.write_bytes(data.replace(str(TREE).encode(), str(copy).encode()))
            shutil.copymode(one, place)
        elif not place.exists():
            place.symlink_to(one)
    return copy


def find_noticing(mutant: Mutant, copy: Path, tests: Sequence[str], tier: str) -> str:
    """Put a mistake into the copy, run tests until the first fails, and take it out again.

    Return the name of that test, or what went wrong at all; `""` if none fails.
    """
    place = copy / mutant.path.relative_to(TREE)
    original = place.read_text()
    _write(place, mutant.text)
    try:
        return run_tests(copy, tests, tier)
    finally:
        _write(place, original)


def _write(place: Path, text: str) -> None:
    place.write_text(text)
    for compiled in place.parent.glob(f"__pycache__/{place.stem}.*"):
        compiled.unlink()  # two writes in a second may have the same size


def find_tests(path: Path) -> list[str]:
    """Return the files of tests that enter this file, or read it: first those of its room."""
    room = f"tests/{path.parent.name}/"
    found = read_map().get(str(path.relative_to(TREE)), frozenset()) - {AT_IMPORT}
    return sorted(found, key=lambda test: (not test.startswith(room), test))


def run_tests(copy: Path, tests: Sequence[str], tier: str) -> str:
    """Return the first test that fails, or what pytest says instead; `""` if none does."""
    command = [str(copy / ".venv/bin/python"), "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    try:
        ended = subprocess.run(
            [*command, f"--tier={tier}", *tests],
            cwd=copy,
            env=os.environ | {"KRM_FN_VOLUME": "0.005"},
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {LONGEST} s"
    if not ended.returncode:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", ended.stdout, re.MULTILINE)
    return failed[1] if failed else ended.stdout + ended.stderr


def find_telling(row: Telling) -> Mutant | None:
    """Return a mistake of telling.py; None where its code is not there exactly once."""
    wanted = ast.dump(read_code(row.code))
    found = [
        (path, node)
        for path, definition in definitions().get(row.where, ())
        for node in ast.walk(definition)
        if isinstance(node, ast.expr | ast.stmt) and ast.dump(node) == wanted
    ]
    if len(found) != 1:
        return None
    ((path, node),) = found
    is_expression = isinstance(read_code(row.instead), ast.expr) and isinstance(node, ast.expr)
    return Mutant(
        path,
        row.mistake,
        node.lineno,
        replace(path.read_bytes(), node, row.instead, grouped=is_expression),
    )


def read_code(code: str) -> ast.expr | ast.stmt:
    (statement,) = ast.parse(code).body
    return statement.value if isinstance(statement, ast.Expr) else statement


@cache
def definitions() -> dict[str, list[tuple[Path, ast.AST]]]:
    """Return every function, class and constant of krm_fn by its name, such as `Lists.read`, and where it is."""
    found: dict[str, list[tuple[Path, ast.AST]]] = defaultdict(list)
    for path in sorted((TREE / "krm_fn").rglob("*.py")):
        for name, node in _named(ast.parse(path.read_bytes()), ""):
            found[name].append((path, node))
    return found


def _named(within: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(within):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield f"{prefix}{node.name}", node
            yield from _named(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            yield f"{prefix}{ast.unparse(target)}", node
        elif isinstance(node, ast.If | ast.With | ast.Try):
            yield from _named(node, prefix)


def make_kept(rows: Sequence[Telling], tier: str) -> int:
    """Make each mistake of a table, and print which test notices it.

    Those that the row names run, or all that enter the file where it names none. Return 1 if one
    cannot be made, or those that it names do not notice it.
    """
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_tree(Path(folder) / "tree")
        for row in rows:
            mutant = find_telling(row)
            if mutant is None:
                found = f"expected once in {row.where}: {row.code}"
            else:
                tests = row.tests.split() or find_tests(mutant.path)
                found = find_noticing(mutant, copy, tests, tier)
            missed += mutant is None or bool(row.tests and not found)
            print(f"{row.mistake}, in {row.where}: {found or 'NOT NOTICED'}", flush=True)
    print(f"{missed} of {len(rows)} mistakes are not noticed any more, or cannot be made.")
    return int(bool(missed))


def choose(mutants: list[Mutant], number: int, rng: Random) -> list[Mutant]:
    """Choose as many of each rule, as far as there are: the tables are long."""
    rng.shuffle(mutants)
    seen: dict[str, int] = {}
    ranked = []
    for mutant in mutants:
        seen[mutant.rule] = seen.get(mutant.rule, 0) + 1
        ranked.append((seen[mutant.rule], mutant))
    return [mutant for _, mutant in sorted(ranked, key=lambda one: one[0])[:number]]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("number", type=int, nargs="?", default=100)
    parser.add_argument("--seed", type=int, default=randrange(1_000_000))
    parser.add_argument(
        "--only", nargs="*", default=[""], help="mutate the files whose path in krm_fn starts so"
    )
    parser.add_argument("--telling", action="store_true", help="make those of telling.py instead")
    parser.add_argument("--drawn", action="store_true", help="make those of drawn.py instead")
    parser.add_argument("--tier", default="test", choices=TIERS)
    options = parser.parse_args()
    if options.telling:
        return make_kept(TELLING, options.tier)
    if options.drawn:
        return make_kept(DRAWN, options.tier)
    print(f"seed {options.seed}")
    only = tuple(options.only)
    files = [path for path in sorted((TREE / "krm_fn").rglob("*.py")) if find_tests(path)]
    named = [path for path in files if str(path.relative_to(TREE / "krm_fn")).startswith(only)]
    chosen = choose(
        [mutant for path in named for mutant in find_mutants(path)],
        options.number,
        Random(options.seed),
    )
    survivors = 0
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_tree(Path(folder) / "tree")
        for count, mutant in enumerate(chosen, 1):
            place = f"{mutant.path.relative_to(TREE)}:{mutant.line}"
            print(
                f"{count} of {len(chosen)}, {time.monotonic() - started:.0f} s: {place}",
                file=sys.stderr,
            )
            if find_noticing(mutant, copy, find_tests(mutant.path), options.tier):
                continue
            survivors += 1
            print(f"\n{place} {mutant.rule}")
            before, after = mutant.path.read_text().splitlines(), mutant.text.splitlines()
            print("\n".join(list(unified_diff(before, after, lineterm="", n=2))[2:]), flush=True)
    print(f"\n{survivors} of {len(chosen)} mistakes are noticed by no test.")
    return survivors > 0


if __name__ == "__main__":
    sys.exit(main())
