"""The number of pieces that a newcomer meets stays within its budget."""

import pytest

from tests.budget import Count, count


@pytest.mark.parametrize("counted", count(), ids=lambda counted: counted.what)
def test_within_the_budget(counted: Count) -> None:
    assert counted.holds(), f"{counted.found:g}: remove some, or raise {counted.limit:g} and say what that buys"
