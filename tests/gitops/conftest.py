"""Play the selected stories at once, in one cluster: each spends most of its time waiting."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.gitops.bench import Story, bench, play
from tests.tools.build import built, is_on_demand

AT_ONCE = 8

Outcomes = Mapping[str, Future[None]]


@pytest.fixture(scope="session")
def outcomes(request: pytest.FixtureRequest) -> Iterator[Outcomes]:
    """Start the stories of all selected tests that this machine can play."""
    selected = [
        story
        for item in request.session.items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        for story in item.callspec.params.values()
        if isinstance(story, Story) and _is_there(story)
    ]
    with bench() as running, ThreadPoolExecutor(AT_ONCE) as players:
        yield {story.name: players.submit(play, running, story) for story in selected}
        players.shutdown(cancel_futures=True)


@pytest.fixture
def outcome(story: Story, outcomes: Outcomes) -> Future[None]:
    """Return the end of the story, whose result is None or the failure."""
    return outcomes[story.name]


def _is_there(story: Story) -> bool:
    return all(not is_on_demand(program) or built(program) for program in _programs(story))


def _programs(story: Story) -> list[str]:
    return [story.program, *([story.producer[0]] if story.producer else [])]


def pytest_itemcollected(item: pytest.Function) -> None:
    """Mark the tests, and the stories that cannot be played here: `make test-gitops` builds their programs."""
    item.add_marker(pytest.mark.needs("a control plane and deployers"))
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if not all(_is_there(one) for one in values if isinstance(one, Story)):
        item.add_marker(pytest.mark.absent)
