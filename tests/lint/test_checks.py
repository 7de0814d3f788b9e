"""All checks of the room have one signature, and the table has all of them."""

import inspect
from types import ModuleType

import pytest

from krm_fn.lint import (
    encrypted_files,
    lint,
    missing_keys,
    not_followed,
    refused_data,
    without_effect,
)

MODULES = (encrypted_files, lint, missing_keys, not_followed, refused_data, without_effect)


@pytest.mark.parametrize("module", MODULES)
def test_every_check_is_a_row(module: ModuleType) -> None:
    """A function that takes only a run, or what a rendering has too, is a check or a search for one."""
    searches: set[object] = {
        not_followed.find_left_behind,
        not_followed.find_misspelled,
        lint.check_run,
    }
    found = {
        function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_")
        and [*inspect.signature(function).parameters] in (["run"], ["seen"])
    }
    assert found - searches <= {row.report for row in lint.CHECKS}


def test_every_row_takes_a_run() -> None:
    for row in lint.CHECKS:
        assert [*inspect.signature(row.report).parameters] in (["run"], ["seen"])
