"""Problems are sorted as a reader of the input meets them."""

import pytest

from krm_fn.base.item import Item, about, in_order, read_item
from krm_fn.base.node import is_mapping
from krm_fn.base.problem import Problem
from krm_fn.core.yaml.reader import read_yaml

OBJECTS = """
a:
  b: 1
  c: [{d: 2}, {d: 3}]
---
e: 4
---
spec: {select: []}
"""
FIRST, SECOND, CONFIG = (
    read_item(root) for root in read_yaml(OBJECTS.encode()).roots if is_mapping(root)
)


def problem(item: Item | None, field: str = "") -> Problem:
    return about(item, "wrong", field) if item else Problem("wrong", field=field)


ORDER = [
    problem(CONFIG, "spec.select[0]"),
    problem(FIRST),
    problem(FIRST, "a.b"),
    problem(FIRST, "a.c[0].d"),
    problem(FIRST, "a.c[1].d"),
    problem(SECOND, "e"),
    problem(None, "metadata.name"),
]


def test_the_configuration_comes_first_and_the_package_last() -> None:
    assert in_order(reversed(ORDER), [FIRST, SECOND], CONFIG.node) == tuple(ORDER)


def test_the_order_is_that_of_the_objects_not_of_their_texts() -> None:
    """Objects of several files have lines that say nothing about each other."""
    assert in_order(ORDER[1:], [SECOND, FIRST], None) == (ORDER[5], *ORDER[1:5], ORDER[6])


@pytest.mark.parametrize(
    "item", [FIRST, None], ids=["of a field that is missing", "of the package"]
)
def test_problems_of_one_place_stay_in_their_order(item: Item | None) -> None:
    several = [problem(item, f"z{number}") for number in (2, 1, 3)]
    assert in_order(several, [FIRST], None) == tuple(several)
