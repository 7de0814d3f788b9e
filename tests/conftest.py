"""What every test may ask for."""

import functools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.tools.require import require

# A slow machine is no failure; and a failure in CI must be there again in the next run.
settings.register_profile("krm-fn", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("krm-fn")


@pytest.fixture(scope="session")
def require_tool() -> Callable[[str], Path]:
    """`require_tool("helm")` is the program's path; without the program the test is skipped, or fails in CI."""
    return functools.cache(require)
