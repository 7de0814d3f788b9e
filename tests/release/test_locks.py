"""The locks pin what pyproject.toml asks for and all that it needs, by hash, and name no index."""

import tomllib
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.release.locks import LOCKS, read_lock

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LEFT_OUT = set(PROJECT["tool"]["uv"]["exclude-dependencies"])
RELEASES = ("3.11", "3.12", "3.13", "3.14")


def group(name: str) -> Iterator[str]:
    """Return what a group asks for, with the groups that it includes."""
    entries: list[Any] = PROJECT["dependency-groups"][name]
    for entry in entries:
        if isinstance(entry, dict):
            yield from group(entry["include-group"])
        else:
            yield entry


RUN = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["linker"]]
ASKED = {"build.txt": [*group("build")], "image.txt": RUN, "dev.txt": [*RUN, *group("dev")]}


def test_there_are_no_other_locks() -> None:
    assert {path.name for path in LOCKS.iterdir()} == set(ASKED)


@pytest.mark.parametrize("lock", ASKED)
def test_a_lock_pins_what_the_project_asks_for(lock: str) -> None:
    """If this fails, run `make lock`."""
    pins = read_lock(lock)
    asked = [Requirement(text) for text in ASKED[lock]]
    wrong = [f"{one} is not pinned" for one in asked if canonicalize_name(one.name) not in pins]
    wrong += [
        f"{one} is pinned as {pin.version}"
        for one in asked
        if (pin := pins[canonicalize_name(one.name)]) and not one.specifier.contains(pin.version)
    ]
    direct = {name for name, pin in pins.items() if pin.is_direct}
    wrong += [
        f"{name} is asked for no more"
        for name in direct - {canonicalize_name(one.name) for one in asked}
    ]
    assert wrong == []


@pytest.mark.parametrize("lock", ASKED)
def test_a_lock_is_complete(lock: str) -> None:
    """A lock is installed without asking what its packages need."""
    pins = read_lock(lock)
    missing = {
        f"{name} needs {needed}"
        for name, pin in pins.items()
        if not pin.requirement.marker or pin.requirement.marker.evaluate()
        for needed in map(Requirement, requires(name) or ())
        if canonicalize_name(needed.name) not in pins and needed.name not in LEFT_OUT
        if not needed.marker
        or any(needed.marker.evaluate({"python_version": one, "extra": ""}) for one in RELEASES)
    }
    assert missing == set()


@pytest.mark.parametrize("lock", ASKED)
def test_every_file_is_known_by_its_hash(lock: str) -> None:
    assert [name for name, pin in read_lock(lock).items() if not pin.hashes] == []


@pytest.mark.parametrize("lock", ASKED)
def test_a_lock_names_no_index(lock: str) -> None:
    """A mirror that somebody locked with is no one else's."""
    lines = (LOCKS / lock).read_text().splitlines()
    options = [
        line
        for line in lines
        if line.lstrip().startswith("-") and not line.startswith("    --hash=sha256:")
    ]
    assert options == []
    assert not [line for line in lines if "://" in line]


@pytest.mark.parametrize("lock", ["build.txt", "image.txt"])
def test_the_tests_run_with_what_is_shipped(lock: str) -> None:
    tested = {name: (pin.version, pin.hashes) for name, pin in read_lock("dev.txt").items()}
    shipped = {name: (pin.version, pin.hashes) for name, pin in read_lock(lock).items()}
    assert shipped.items() <= tested.items()
