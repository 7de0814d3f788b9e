"""The fast run and the run of the rest together run each test once."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.left_over import FAST, LEFT_OVER, SLOW, count_collected

ROOT = Path(__file__).parents[2]

CONFTEST = """
from tests import left_over
left_over.SLOW = ("test_slow.py",)
from tests.conftest import (
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_runtest_setup,
    pytest_terminal_summary,
)
"""
"""What decides here which tests run decides there too."""

TESTS = """
import os
import pytest
from tests.left_over import FAST, leave_over

def needs(name):
    if FAST in os.environ:
        leave_over(name)

@pytest.fixture
def kustomize():
    needs("kustomize")

def test_that_needs_nothing():
    pass

def test_that_asks_for_a_program():
    needs("helm")

def test_that_has_a_program(kustomize):
    pass

@pytest.mark.parametrize("program", ["", "kpt"])
def test_of_which_one_row_asks(program):
    if program:
        needs(program)

@pytest.mark.skipif(True, reason="macOS has no /proc")
def test_that_is_skipped_for_another_reason():
    pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_shop.py").write_text(TESTS)
    (tmp_path / "test_slow.py").write_text("def test_that_takes_long():\n    pass\n")
    return tmp_path


def outcomes(folder: Path, *options: str, fast: str = "") -> tuple[set[str], str]:
    """Return the names of the tests that pass, and what pytest prints."""
    environment = {
        name: value for name, value in os.environ.items() if name not in {FAST, "PYTEST_ADDOPTS"}
    }
    environment |= {"PYTHONPATH": str(ROOT), **({FAST: fast} if fast else {})}
    command = [sys.executable, "-m", "pytest", "-rA", *options]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return {
        *re.findall(r"^PASSED test_\w+.py::(\S+)", done.stdout, re.MULTILINE)
    }, done.stdout + done.stderr


def test_each_test_runs_once(folder: Path) -> None:
    fast, _ = outcomes(folder, fast="1")
    assert fast == {"test_that_needs_nothing", "test_of_which_one_row_asks[]"}
    rest, _ = outcomes(folder, LEFT_OVER)
    assert rest == {
        "test_that_asks_for_a_program",
        "test_that_has_a_program",
        "test_of_which_one_row_asks[kpt]",
        "test_that_takes_long",
    }


def test_each_slow_file_is_there() -> None:
    assert [name for name in SLOW if not (ROOT / name).is_file()] == []


def test_the_rest_without_a_fast_run_is_refused(folder: Path) -> None:
    passed, printed = outcomes(folder, LEFT_OVER)
    assert not passed
    assert "run `make test` first: it notes which tests it leaves over" in printed


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        pytest.param("a::b\n\n1 test collected in 0.01s\n", 1, id="one test"),
        pytest.param(
            "a::b\n\n1405/1420 tests collected (15 deselected) in 4.2s\n",
            1405,
            id="some are deselected",
        ),
    ],
)
def test_what_pytest_says_of_how_many_it_collects(printed: str, number: int) -> None:
    assert count_collected(printed) == number
