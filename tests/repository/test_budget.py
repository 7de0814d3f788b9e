"""The number of pieces that a newcomer meets stays within its budget."""

from tests.budget import count


def test_within_the_budget() -> None:
    assert [
        f"{one.found:g} {one.what}: remove some, or raise {one.limit:g} and say what that buys"
        for one in count()
        if not one.holds()
    ] == []
