"""Programs that tests run and a machine may lack."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from tests.tools.build import built


def require(name: str) -> Path:
    """The program's path: what was built for the tests before what the machine has."""
    found = built(name) or shutil.which(name)
    if found is None:
        give_up(f"needs {name}, which is neither on PATH nor built by tests/tools/build.py")
    return Path(found)


def require_built(name: str) -> Path:
    """The path of a program that is of use at the pinned version alone."""
    found = built(name)
    if found is None:
        give_up(f"needs {name} as built by tests/tools/build.py, which takes Go")
    return found


def give_up(reason: str) -> NoReturn:
    """Skip on somebody's laptop; in CI, where everything is to be proved, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
