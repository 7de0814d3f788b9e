"""Make once a run what several processes of tests need: the first that needs it makes it, and the others wait."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

SHARED = "KRM_FN_SHARED"
"""A variable of the environment: the folder of a run of several processes, from tests/run.py."""


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of this name, in which `make` has made something."""
    shared = _shared(factory)
    folder = shared / name
    with _locked(shared / f"{name}.lock"):
        if not (shared / f"{name}.made").exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            (shared / f"{name}.made").touch()
    return folder


@contextmanager
def started_once(
    factory: pytest.TempPathFactory, name: str, start: Callable[[], AbstractContextManager[str]]
) -> Iterator[str]:
    """Yield what a program that runs says of itself, such as its address.

    Whoever has started it waits at the end until nobody uses it any more.
    """
    shared = _shared(factory)
    said = shared / name
    with ExitStack() as stack, (shared / f"{name}.users").open("w") as users:
        with _locked(shared / f"{name}.lock"):
            fcntl.flock(users, fcntl.LOCK_SH)
            if is_first := not said.exists():
                said.write_text(stack.enter_context(start()))
        yield said.read_text()
        if is_first:
            fcntl.flock(users, fcntl.LOCK_EX)


def _shared(factory: pytest.TempPathFactory) -> Path:
    return Path(os.environ[SHARED]) if SHARED in os.environ else factory.getbasetemp()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
