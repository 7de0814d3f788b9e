"""Find the programs that tests run, which may not be installed."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from tests.tools.build import built
from tests.tools.diagram_readers import installed


def require(name: str) -> Path:
    """Return the program's path. Prefer the program that was built for the tests."""
    found = built(name) or shutil.which(name)
    if found is None:
        give_up(f"needs {name}: neither on PATH nor built by tests/tools/build.py")
    return Path(found)


def require_built(name: str) -> Path:
    """Return the path of a program that tests can only use at the pinned version."""
    found = built(name)
    if found is None:
        give_up(f"needs {name}, built by tests/tools/build.py with Go")
    return found


def require_diagram_readers() -> Path:
    """Return the folder of read.mjs, which reads diagrams with Mermaid and Graphviz."""
    found = installed()
    if found is None:
        give_up("needs Mermaid and Graphviz, installed by tests/tools/diagram_readers.py with Node.js and npm")
    return found


def give_up(reason: str) -> NoReturn:
    """Skip the test, or fail it in CI, where every test must run."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
