"""No test fails because a machine is busy: each wait and each time limit is one of `tests/wait.py`."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.wait import PATIENCE

TESTS = Path(__file__).parent.parent
WAITS = {"wait", "join", "settimeout", "result"}
"""Functions whose first argument may be a time limit."""

CLOCKS = {"monotonic", "perf_counter"}


def find_other_waits(source: str) -> Iterator[str]:
    """Yield the calls of a module that wait otherwise, each after the number of its line."""
    nodes = [*ast.walk(ast.parse(source))]
    values = {
        ast.unparse(one.targets[0]): one.value for one in nodes if isinstance(one, ast.Assign)
    }
    clocks = [*CLOCKS, *(name for name, value in values.items() if _reads(value, CLOCKS))]

    def is_short(limit: ast.expr) -> bool:
        value = getattr(values.get(ast.unparse(limit), limit), "value", None)
        return isinstance(value, int | float) and value < PATIENCE

    for node in nodes:
        refused = isinstance(node, ast.Assert) and _reads(node.test, clocks)
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            limits = [one.value for one in node.keywords if one.arg in {"timeout", "within"}]
            # What has a capital letter is a plan or limits of ours, but for a connection.
            if (name[0].isupper() and not name.endswith("Connection")) or name == "_replace":
                limits = []
            elif name in WAITS:
                limits += node.args[:1]
            refused = (
                ast.unparse(node.func) in {"time.sleep", "sleep"}
                or any(map(is_short, limits))
                or (name == "linger" and isinstance(node.args[0], ast.Constant))
            )
        if refused:
            yield f"{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]


def _reads(node: ast.expr, names: Iterable[str]) -> bool:
    return any(getattr(one, "attr", getattr(one, "id", "")) in names for one in ast.walk(node))


REFUSED = [
    pytest.param("time.sleep(pause)", id="a pause that waits for nobody"),
    pytest.param("process.communicate(timeout=30)", id="a limit that a busy machine can meet"),
    pytest.param("LIMIT = 5.0\nuntil(look, within=LIMIT)", id="one with a name of its own"),
    pytest.param("asked.wait(30)", id="one without a name"),
    pytest.param("HTTPConnection(place, timeout=5)", id="one of a connection"),
    pytest.param("linger(0.2)", id="a pause that does not say why"),
    pytest.param("passed = monotonic() - start\nassert passed < 5", id="what may take longer"),
]
LEFT = [
    pytest.param("until('it is there', look)", id="a wait for an event"),
    pytest.param("write.result(timeout=SHORT)", id="what never comes, with the name for that"),
    pytest.param("run(command, timeout=300)", id="a limit that is longer still"),
    pytest.param("LinkPlan(timeout=5)", id="a limit of our own programs, on a clock of the test"),
    pytest.param("','.join(names)", id="texts"),
    pytest.param("time.process_time() - start < 5", id="seconds of the processor"),
]


@pytest.mark.parametrize("source", REFUSED)
def test_refused(source: str) -> None:
    assert [*find_other_waits(source)]


@pytest.mark.parametrize("source", LEFT)
def test_left(source: str) -> None:
    assert not [*find_other_waits(source)]


@pytest.mark.rows(test=0)
def test_there_is_no_other_wait() -> None:
    found = {
        f"{path.relative_to(TESTS)}:{one}"
        for path in TESTS.rglob("*.py")
        if path != TESTS / "wait.py"
        for one in find_other_waits(path.read_text())
    }
    assert found == set()
