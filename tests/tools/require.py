"""Find the programs that tests run, which may not be installed.

Only a test with the mark `needs` may ask for any: by it tests/tiers.py knows which tests `make test`
can run. What the mark names is for its readers.
"""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from tests.tools.build import built, is_on_demand
from tests.tools.node_packages import installed

ROOT = Path(__file__).parent.parent.parent

_may_ask = True


def require(name: str) -> Path:
    """Return the program's path. Prefer the program that was built for the tests."""
    _check(name)
    found = built(name) or shutil.which(name)
    if found is None:
        give_up(f"needs {name}: neither on PATH nor built by tests/tools/build.py")
    return Path(found)


def require_built(name: str) -> Path:
    """Return the path of a program that tests can only use at the pinned version."""
    _check(name)
    found = built(name)
    if found is None:
        give_up(f"needs {name}, built by tests/tools/build.py with Go")
    return found


def require_on_demand(name: str) -> Path:
    """Return the path of a program that is built only on demand.

    Skip the test without it, in CI too.
    """
    if is_on_demand(name) and built(name) is None:
        pytest.skip(f"{name} is not built; make test-gitops builds it")
    return require_built(name)


def require_node_packages(name: str) -> Path:
    """Return the folder of a script in tests/tools, with the packages that it imports."""
    _check("node")
    found = installed(name)
    if found is None:
        give_up(
            f"needs tests/tools/{name}, installed by tests/tools/node_packages.py with Node.js and npm"
        )
    return found


def require_commit(commit: str, *paths: str) -> bytes:
    """Return an archive of what the paths were at this commit, which a shallow clone does not have."""
    _check("history")
    archive = subprocess.run(
        ["git", "archive", commit, *paths], cwd=ROOT, capture_output=True, check=False
    )
    if archive.returncode:
        # In CI too: what is tested may be a copy without its history. The workflows fetch all of
        # it.
        pytest.skip(f"needs commit {commit}, which git fetch --unshallow brings")
    return archive.stdout


def allow(*, may_ask: bool) -> None:
    """Let the test that begins ask for programs, or not."""
    global _may_ask  # noqa: PLW0603  # a process runs one test at a time
    _may_ask = may_ask


def _check(name: str) -> None:
    if not _may_ask:
        pytest.fail(f"needs {name}: mark the test with needs({name!r})", pytrace=False)


def give_up(reason: str) -> NoReturn:
    """Skip the test, or fail it in CI, where every test must run."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
