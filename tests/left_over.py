"""What `make test` leaves over, because it needs other programs, and `make test-all` runs.

A test says what it needs by asking for it (tests/tools/require.py). The fast run notes its name in
pytest's cache, and the run of the rest takes those names from there: each test runs once.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

WITH_PROGRAMS = ("tests/integration", "tests/cluster", "tests/gitops")
"""Folders whose tests all need other programs."""

FAST = "KRM_FN_FAST"
"""A variable of the environment: it is set where no test may use another program, whether it is installed or not."""

LEFT_OVER = "--left-over"
_NEEDS = "needs "
_KEY = "krm-fn/left-over"
_CACHE = Path(__file__).parent.parent / ".pytest_cache" / "v" / _KEY


def leave_over(name: str) -> None:
    """Leave the test that runs to `make test-all`."""
    pytest.skip(f"{_NEEDS}{name}")


def note_left_over(config: pytest.Config, skipped: list[pytest.TestReport]) -> None:
    """Note which tests a fast run has left over, each with what it needs."""
    found = {}
    for report in skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        needed = re.fullmatch(f"Skipped: {_NEEDS}(.*)", reason)
        if needed:
            found[report.nodeid] = needed[1]
    assert config.cache is not None
    config.cache.set(_KEY, found)


def keep_left_over(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what a fast run has run."""
    assert config.cache is not None
    noted = config.cache.get(_KEY, None)
    if noted is None:
        message = "run `make test` first: it notes which tests it leaves over"
        raise pytest.UsageError(message)
    kept: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        is_left_over = item.nodeid in noted or item.nodeid.startswith(WITH_PROGRAMS)
        (kept if is_left_over else others).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=others)


def read_left_over() -> dict[str, int]:
    """Return how many tests of the last fast run need what."""
    return dict(Counter(json.loads(_CACHE.read_text()).values()).most_common())


def count_collected(output: str) -> int:
    """Read the number of tests from what `pytest --collect-only --quiet` prints last."""
    found = re.search(r"^(\d+)(?:/\d+)? tests? collected", output, re.MULTILINE)
    assert found, output
    return int(found[1])
