"""Rooms have a door: a module with the name of the room, which lists what others may use.

import-linter holds that nothing else of a room is imported (pyproject.toml). What is held here is
that a door stays narrow, and says all that passes it.
"""

import ast
import tomllib
from pathlib import Path

import pytest

from tests.repository.budget import ROOT, read_modules

MOST_NAMES = 12
TOOLS = "krm_fn.tools."
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "contracts"
]
PROTECTED = {
    room.removesuffix(".*"): contract["allowed_importers"]
    for contract in CONTRACTS
    if contract["type"] == "protected"
    for room in contract["protected_modules"]
}
DOORS = {
    ignored.partition(" -> ")[2]: room.removesuffix(".*")
    for contract in CONTRACTS
    if contract["type"] == "protected"
    for room in contract["protected_modules"]
    for ignored in contract["ignore_imports"]
}
"""The room of each door. Some rooms have one more, as the Kubernetes client is needed, or YAML is not."""


def find_names(door: str) -> list[str]:
    """Return what a door lists in `__all__`."""
    for node in read_modules()[door].tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    return []


def find_used(room: str, door: str) -> set[str]:
    """Return what modules import from a door that are not inside of its room."""
    used: set[str] = set()
    for name, module in read_modules().items():
        if any(f"{name}.".startswith(f"{inside}.") for inside in PROTECTED[room]):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module == door:
                used |= {alias.name for alias in node.names}
    return used


@pytest.mark.rows(test=2)
@pytest.mark.parametrize("door", DOORS)
def test_a_door_lists_a_dozen_names_at_most_and_all_that_others_use(door: str) -> None:
    names = find_names(door)
    assert len(names) <= MOST_NAMES
    assert set(names) == find_used(DOORS[door], door)


@pytest.mark.parametrize("room", PROTECTED)
def test_a_room_has_a_door_of_its_name(room: str) -> None:
    assert DOORS[f"{room}.{room.rpartition('.')[2]}"] == room


def test_every_tool_has_a_door_but_the_common_words() -> None:
    rooms = {path.parent.name for path in Path(ROOT, "krm_fn", "tools").glob("*/__init__.py")}
    with_door = {room.removeprefix(TOOLS) for room in PROTECTED if room.startswith(TOOLS)}
    assert rooms - with_door == {"common"}
