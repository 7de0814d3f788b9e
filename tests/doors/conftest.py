"""A row needs the programs that its door and its package run."""

import pytest

from tests.doors.doors import DOORS, PLACED
from tests.doors.test_same_answer import PACKAGES

PROGRAMS = {
    **{name: door.program for name, door in {**DOORS, **PLACED}.items()},
    **{name: package.built_by for name, package in PACKAGES.items()},
}


def pytest_itemcollected(item: pytest.Function) -> None:
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    for program in (PROGRAMS.get(one) for one in values if isinstance(one, str)):
        if program:
            item.add_marker(pytest.mark.needs(program))
