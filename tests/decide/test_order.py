"""The order in which objects are named: each after those whose names its content has."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.core.decide.name import put_in_order
from tests.volume import examples_of

Needs = dict[int, list[int]]

SIZE = 6
graphs = st.fixed_dictionaries(
    {number: st.lists(st.integers(0, SIZE - 1), max_size=3) for number in range(SIZE)}
)


def order_of(needs: Needs) -> tuple[list[int], set[tuple[int, int]]]:
    return put_in_order(needs, lambda number: iter(needs[number]))


def leads_to(needs: Needs, start: int, end: int) -> bool:
    """Tell whether one needs the other in the end: by all ways, as a second implementation."""
    reached = {start}
    while more := {needed for number in reached for needed in needs[number]} - reached:
        reached |= more
    return end in reached


@given(graphs)
@settings(max_examples=examples_of(2_000), deadline=None)
def test_each_comes_after_those_that_it_needs(needs: Needs) -> None:
    order, circular = order_of(needs)
    assert sorted(order) == sorted(needs)
    for number, needed in needs.items():
        for one in needed:
            is_after = order.index(one) < order.index(number)
            assert is_after or (number, one) in circular
    for number, one in circular:
        assert one in needs[number]
        assert leads_to(needs, one, number)


@given(graphs)
@settings(max_examples=examples_of(2_000), deadline=None)
def test_without_a_circle_nothing_is_circular(needs: Needs) -> None:
    smaller = {number: [one for one in needed if one < number] for number, needed in needs.items()}
    assert order_of(smaller)[1] == set()


@pytest.mark.parametrize(
    ("needs", "order", "circular"),
    [
        pytest.param({1: [], 2: []}, [1, 2], set(), id="their own order, where none needs another"),
        pytest.param({1: [2], 2: []}, [2, 1], set(), id="what is needed comes first"),
        pytest.param({1: [1]}, [1], {(1, 1)}, id="itself"),
        pytest.param({1: [2], 2: [1]}, [2, 1], {(2, 1)}, id="the second of a pair is refused"),
    ],
)
def test_order(needs: Needs, order: list[int], circular: set[tuple[int, int]]) -> None:
    assert order_of(needs) == (order, circular)


def test_a_chain_may_be_longer_than_calls_may_be_nested() -> None:
    needs = {number: [number + 1] for number in range(50_000)} | {50_000: []}
    assert order_of(needs) == ([*range(50_000, -1, -1)], set())
