"""What `make test` leaves over, because it needs other programs or more time, and `make test-all` runs.

A test says which program it needs by asking for it (tests/tools/require.py); `SLOW` lists the files
that need more time. The fast run notes the names of both in pytest's cache, and the run of the rest
takes those names from there: each test runs once.
"""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

WITH_PROGRAMS = ("tests/integration", "tests/cluster", "tests/gitops")
"""Folders whose tests all need other programs."""

SLOW = (
    # Searches, generated cases and properties of all fixtures: more of what each room has a test for.
    "tests/linker/explorer/test_schedules.py",
    "tests/linker/model/test_scheduled.py",
    "tests/linker/model/test_shared.py",
    "tests/linker/test_wrong_lists.py",
    "tests/diff/test_equal_metadata.py",
    "tests/diff/test_missing.py",
    "tests/diff/test_properties.py",
    "tests/explain/test_properties.py",
    "tests/explain/test_workloads.py",
    "tests/extras/test_checksum_properties.py",
    "tests/extras/test_shared_linker.py",
    "tests/graph/test_properties.py",
    "tests/packages/test_packages.py",
    "tests/verify/test_effects.py",
    "tests/verify/test_mistakes.py",
    "tests/verify/test_properties.py",
    "tests/verify/test_what_is_written.py",
    # Each case starts Git, a server or many processes.
    "tests/action/test_compare.py",
    "tests/cli/test_nothing_stays.py",
    "tests/diff/test_fail_on.py",
    "tests/diff/test_side_by_side.py",
    "tests/init/test_remove.py",
    "tests/init/test_write.py",
    "tests/installs/test_installs.py",
    "tests/live/test_fates.py",
    "tests/merge/test_driver.py",
    "tests/merge/test_merges.py",
    "tests/merge/test_real_git.py",
    # How the repository is kept.
    "tests/repository/test_budget.py",
    "tests/repository/test_changed.py",
    "tests/repository/test_doors.py",
    "tests/repository/test_fuzz.py",
    "tests/repository/test_left_over.py",
)
"""More than half of the processor time of all tests that need no other program: `pytest --durations=0`.

None asserts how long something takes, as the tests of a cluster run beside these.
"""

FAST = "KRM_FN_FAST"
"""A variable of the environment: it is set where no test may use another program, whether it is installed or not,
or much time."""

LEFT_OVER = "--left-over"
_NEEDS = "needs "
_KEY = "krm-fn/left-over"
_CACHE = Path(__file__).parent.parent / ".pytest_cache" / "v" / _KEY


def leave_over(name: str) -> None:
    """Leave the test that runs to `make test-all`."""
    pytest.skip(f"{_NEEDS}{name}")


def leave_over_slow(item: pytest.Item) -> None:
    """Leave a test to `make test-all` in a fast run if its file is slow."""
    if FAST in os.environ and item.nodeid.startswith(SLOW):
        leave_over("more time")


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
