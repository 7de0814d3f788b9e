"""The number of pieces that a newcomer meets stays within its budget."""

from tests.budget import count


def test_within_the_budget() -> None:
    assert [
        f"{one.found:g} {one.what}: remove some, or raise {one.limit:g} and say what that buys"
        for one in count()
        if not one.holds()
    ] == []


def test_a_goal_that_is_reached_is_the_limit() -> None:
    """Else the count may get worse again, without anybody noticing."""
    assert [
        f"{one.what}: make the goal of {one.goal:g} its limit"
        for one in count()
        if one.goal is not None and one._replace(limit=one.goal).holds()
    ] == []
