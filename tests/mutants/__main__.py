"""Make small mistakes in a copy of krm_fn, one at a time, and print those that no test of their room notices.

    nice .venv/bin/python -m tests.mutants 100 --seed 7 [--only live/ history/ diff/git]
    nice .venv/bin/python -m tests.mutants --telling

A survivor is a missing test, or it changes nothing that anybody can see: read it and decide. The telling ones are those
of telling.py, none of which may survive.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections import defaultdict
from collections.abc import Iterator
from difflib import unified_diff
from functools import cache
from operator import attrgetter
from pathlib import Path
from random import Random, randrange
from typing import NamedTuple

from tests.mutants.telling import TELLING, Telling

TREE = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".hypothesis", ".*_cache", "__pycache__", "build", "*.egg-info"
)
PATIENCE = 60, 4
"""Seconds, and how many times what the tests take without a mistake: an endless loop counts as noticed."""

_WHOLE = "tests/function/test_fixtures.py"
_DECISIONS = f"{_WHOLE} tests/decide tests/guards tests/extras tests/lint"

ROOMS = {
    "core/decide/": f"{_DECISIONS} tests/function/test_properties.py",
    "guards/": f"{_DECISIONS} tests/references tests/function/test_properties.py",
    "extras/": f"{_DECISIONS} tests/function/test_properties.py",
    "lint/": f"{_DECISIONS} tests/function/test_properties.py",
    "core/references/": f"tests/references {_DECISIONS} tests/explain",
    "core/yaml/": f"tests/yaml {_WHOLE}",
    "core/names/": f"tests/names {_DECISIONS}",
    "core/config/": f"tests/config {_WHOLE} tests/cli/test_configuration.py",
    "base/": f"tests/base {_DECISIONS} tests/references tests/linker/test_owners.py",
    "extras/mounts/": f"tests/extras {_WHOLE}",
    "tools/verify/": "tests/verify tests/cli/test_verify.py",
    "tools/merge/": "tests/merge/test_generated.py tests/merge/test_real_git.py tests/merge/test_merges.py "
    "tests/merge/test_driver.py",
    "linker/": "tests/linker/test_names.py tests/linker/test_read.py tests/linker/test_owners.py "
    "tests/linker/test_objects.py tests/linker/test_retry.py tests/linker/test_second_look.py "
    "tests/linker/test_makers.py tests/linker/test_events.py tests/linker/test_dry_run.py tests/linker/test_report.py "
    "tests/linker/test_link_set.py tests/linker/test_wait.py tests/linker/test_link.py "
    "tests/linker/test_live_cluster.py tests/linker/test_readers.py tests/linker/test_fuzzed_answers.py",
    "linker/api": "tests/linker/test_live_cluster.py tests/linker/test_wrong_lists.py "
    "tests/linker/test_hostile_server.py",
    "linker/credentials": "tests/linker/test_credentials.py",
    "linker/exec_plugin": "tests/linker/test_credentials.py",
    "linker/link": "tests/linker/test_owners.py tests/linker/test_link.py tests/linker/test_second_look.py "
    "tests/linker/test_makers.py tests/linker/test_report.py tests/linker/test_link_set.py tests/linker/test_wait.py "
    "tests/linker/explorer",
    "linker/link_all_sets": "tests/linker/test_link_all_sets.py",
    "linker/shared_looks": "tests/linker/test_link_all_sets.py tests/linker/explorer",
    "linker/retry": "tests/linker/test_retry.py tests/linker/test_wait.py tests/linker/test_hostile_server.py",
    "report/align": "tests/report/test_align.py tests/diff/test_diffs.py",
    "report/change_lines": "tests/diff/test_diffs.py tests/diff/test_markdown.py tests/cli/test_diff.py",
    "tools/diff/": "tests/diff/test_json.py tests/diff/test_markdown.py tests/diff/test_affected.py "
    "tests/diff/test_diffs.py tests/diff/test_environments.py tests/diff/test_recorded_rolls.py tests/cli/test_diff.py",
    "tools/diff/affected": "tests/diff/test_affected.py",
    "tools/diff/compare": "tests/diff/test_missing.py tests/diff/test_fail_on.py tests/diff/test_environments.py "
    "tests/diff/test_diffs.py tests/diff/test_properties.py",
    "tools/diff/sides": "tests/diff/test_fail_on.py tests/diff/test_diffs.py tests/diff/test_environments.py "
    "tests/diff/test_against.py tests/diff/test_packages.py tests/cli/test_diff.py",
    "tools/diff/fold_packages": "tests/diff/test_packages.py tests/diff/test_against.py",
    "tools/diff/packages": "tests/diff/test_packages.py tests/diff/test_against.py",
    "tools/diff/rolls": "tests/diff/test_first_rename.py tests/diff/test_recorded_rolls.py tests/diff/test_diffs.py "
    "tests/diff/test_environments.py",
    "tools/diff/side_by_side": "tests/diff/test_side_by_side.py",
    "tools/diff/stored": "tests/diff/test_stored.py tests/live tests/diff/test_diffs.py",
    "tools/diff/readers_elsewhere": "tests/diff/test_readers_elsewhere.py",
    "tools/diff/tree": "tests/diff/test_diffs.py tests/diff/test_against.py tests/diff/test_packages.py",
    "tools/diff/write_difference": "tests/diff/test_json.py tests/diff/test_markdown.py tests/diff/test_diffs.py "
    "tests/diff/test_packages.py tests/cli/test_diff.py",
    "tools/live/": "tests/live",
    "tools/render/": "tests/opened/test_sources.py tests/render/test_check.py "
    "tests/render/test_check_against.py tests/render/test_deployable.py tests/common/test_files.py "
    "tests/render/test_render.py",
    "tools/builds/affixes": "tests/doors/test_affixes.py",
    "tools/render/check.": "tests/render/test_check.py tests/render/test_check_against.py",
    "tools/builds/check_chart": "tests/builds/test_check_chart.py",
    "tools/builds/check_kustomization": "tests/builds/test_check_kustomization.py tests/builds/test_named_fields.py "
    "tests/opened/test_sources.py",
    "tools/elsewhere/scripts": "tests/elsewhere/test_scripts.py tests/elsewhere/test_other_charts.py",
    "tools/render/render": "tests/render/test_deployable.py tests/render/test_render.py",
    "tools/common/files": "tests/common/test_files.py tests/opened/test_root.py "
    "tests/builds/test_names_of_a_tree.py",
    "tools/builds/kustomization": "tests/builds/test_check_kustomization.py tests/builds/test_named_fields.py "
    "tests/opened/test_opened.py tests/render/test_render.py",
    "tools/builds/kustomize_copy": "tests/integration/test_kustomize_copy.py tests/doors/test_affixes.py",
    "tools/builds/listed_charts": "tests/builds/test_named_fields.py tests/builds/test_check_kustomization.py "
    "tests/builds/test_names_of_a_tree.py",
    "tools/common/made_anew": "tests/live tests/diff/test_diffs.py",
    "tools/builds/named_fields": "tests/builds/test_named_fields.py",
    "tools/elsewhere/elsewhere": "tests/elsewhere/test_other_charts.py",
    "tools/common/program": "tests/common/test_program.py tests/builds/test_builds.py "
    "tests/common/test_temporary_folder.py",
    "tools/opened/sources": "tests/opened/test_sources.py tests/render/test_discover.py "
    "tests/opened/test_opened.py tests/opened/test_root.py",
    "tools/builds/builds": "tests/builds/test_builds.py tests/builds/test_hooks_of_helm.py",
    "tools/common/rendered": "tests/diff/test_missing.py tests/verify tests/live",
    "tools/explain/wanted": "tests/explain/test_wanted.py",
    "tools/git/": "tests/git tests/diff/test_against.py tests/diff/test_packages.py",
    "tools/history/": "tests/history/test_histories.py tests/history/test_roles.py tests/history/test_way_back.py "
    "tests/history/test_statements.py tests/history/test_markdown.py tests/history/test_watch.py "
    "tests/history/test_schema.py tests/history/test_facts.py "
    "tests/history/test_properties.py tests/cli/test_history.py tests/history/test_ask.py",
    "tools/fleet/": "tests/fleet",
    "tools/fleet/ask_fleet": "tests/fleet/test_ask_fleet.py",
    "tools/init/": "tests/init/test_init.py tests/init/test_write.py tests/init/test_layouts.py",
}
"""What decides, by how its path in krm_fn starts, and the tests that should notice, the fastest first."""

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


def is_noticed(mutant: Mutant, copy: Path, tests: str, seconds: float) -> bool:
    """Put a mistake into the copy, run tests until the first fails, and take it out again."""
    place = copy / mutant.path.relative_to(TREE)
    original = place.read_text()
    for text, is_mistake in ((mutant.text, True), (original, False)):
        place.write_text(text)
        for compiled in place.parent.glob(f"__pycache__/{place.stem}.*"):
            compiled.unlink()  # two writes in a second may have the same size
        if is_mistake:
            noticed = bool(run_tests(copy, tests, seconds))
    return noticed


def measure(copy: Path, tests: str) -> float:
    """Return how many seconds tests may take, from what they take without a mistake.

    Ends if they fail.
    """
    started = time.monotonic()
    if failure := run_tests(copy, tests, None):
        sys.exit(f"{tests} fail without any mistake: mend them first\n{failure}")
    least, times = PATIENCE
    return least + times * (time.monotonic() - started)


def find_tests(mutant: Mutant) -> str:
    """Return the tests of the row of ROOMS that says most of the file."""
    path = str(mutant.path.relative_to(TREE / "krm_fn"))
    return ROOMS[max(filter(path.startswith, ROOMS), key=len)]


def run_tests(copy: Path, tests: str, seconds: float | None) -> str:
    """Return what the first test that fails says; `""` if none does."""
    command = [
        str(copy / ".venv/bin/python"),
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        *tests.split(),
    ]
    settings = {"KRM_FN_VOLUME": "0.005"}
    try:
        ended = subprocess.run(
            command,
            cwd=copy,
            env=os.environ | settings,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {seconds:.0f} s"
    return ended.stdout + ended.stderr if ended.returncode else ""


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


def make_telling() -> int:
    """Make each mistake of telling.py.

    Return 1 if one is not noticed by its tests, or cannot be made.
    """
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_tree(Path(folder) / "tree")
        allowed = {
            tests: measure(copy, tests)
            for tests in dict.fromkeys(map(attrgetter("tests"), TELLING))
        }
        for count, row in enumerate(TELLING, 1):
            print(f"{count} of {len(TELLING)}: {row.mistake}", file=sys.stderr)
            mutant = find_telling(row)
            if mutant is None:
                missed.append(f"{row.mistake}: expected once in {row.where}: {row.code}")
            elif not is_noticed(mutant, copy, row.tests, allowed[row.tests]):
                missed.append(f"{row.mistake}: not noticed by {row.tests}")
    print(
        "\n".join(
            [
                *missed,
                f"{len(TELLING) - len(missed)} of {len(TELLING)} telling mistakes are noticed.",
            ]
        )
    )
    return bool(missed)


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
    parser.add_argument(
        "--telling", action="store_true", help="make the mistakes of telling.py instead"
    )
    options = parser.parse_args()
    if options.telling:
        return make_telling()
    print(f"seed {options.seed}")
    rooms = [room for room in ROOMS if room.endswith("/")]
    files = [path for room in rooms for path in sorted((TREE / "krm_fn" / room).rglob("*.py"))]
    only = tuple(options.only)
    named = [path for path in files if str(path.relative_to(TREE / "krm_fn")).startswith(only)]
    chosen = choose(
        [mutant for path in named for mutant in find_mutants(path)],
        options.number,
        Random(options.seed),
    )
    survivors = 0
    allowed: dict[str, float] = {}
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_tree(Path(folder) / "tree")
        for count, mutant in enumerate(chosen, 1):
            tests = find_tests(mutant)
            place = f"{mutant.path.relative_to(TREE)}:{mutant.line}"
            print(
                f"{count} of {len(chosen)}, {time.monotonic() - started:.0f} s: {place}",
                file=sys.stderr,
            )
            if tests not in allowed:
                allowed[tests] = measure(copy, tests)
            if is_noticed(mutant, copy, tests, allowed[tests]):
                continue
            survivors += 1
            print(f"\n{place} {mutant.rule}")
            before, after = (
                (copy / mutant.path.relative_to(TREE)).read_text().splitlines(),
                mutant.text.splitlines(),
            )
            print("\n".join(list(unified_diff(before, after, lineterm="", n=2))[2:]), flush=True)
    print(f"\n{survivors} of {len(chosen)} mistakes are noticed by no test.")
    return survivors > 0


if __name__ == "__main__":
    sys.exit(main())
