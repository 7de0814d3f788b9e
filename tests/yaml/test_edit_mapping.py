"""Fields are dropped with their lines, commas and comments; every other byte stays."""

import pytest
import yaml

from tests.yaml.patched import patched


@pytest.mark.parametrize(
    ("before", "drop", "after"),
    [
        pytest.param(
            "m:\n  a: 1\n  b: 2\n  c: 3\n", ("a", "b"), "m:\n  c: 3\n", id="the first of a block"
        ),
        pytest.param("m:\n  a: 1\n  b: 2\n", ("b",), "m:\n  a: 1\n", id="the last of a block"),
        pytest.param("m:\n  a: 1\n", ("a",), "m:\n  {}\n", id="all of a block"),
        pytest.param(
            "m: {a: 1, b: 2, c: 3}\n", ("b", "c"), "m: {a: 1}\n", id="the last of a flow mapping"
        ),
        pytest.param(
            "m: {a: 1, b: 2, c: 3}\n", ("a", "c"), "m: {b: 2}\n", id="both ends of a flow mapping"
        ),
        pytest.param("m: {a: 1, b: 2}\n", ("a", "b"), "m: {}\n", id="all of a flow mapping"),
        pytest.param('{"m": {"a": 1,\n "b": 2}}', ("b",), '{"m": {"a": 1}}', id="JSON"),
    ],
)
def test_dropped_entries(before: str, drop: tuple[str, ...], after: str) -> None:
    assert patched(before, {"m": dict.fromkeys(drop)}) == after
    assert yaml.safe_load(after) is not None


def test_the_field_after_a_dropped_one_moves_up_behind_the_dash() -> None:
    assert patched("- a: 1\n  b: 2\n  c: 3\n", {"a": None}) == "- b: 2\n  c: 3\n"
