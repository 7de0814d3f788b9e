"""What each template is to its workload, and after how many more rollouts its controller deletes it."""

import pytest

from krm_fn.tools.history.find_history import find_roles
from krm_fn.tools.history.snapshot import LiveObject, Progress


def made(number: int, digest: str) -> LiveObject:
    return LiveObject(
        "ReplicaSet",
        f"web-{digest}",
        digest,
        float(number),
        number=number,
        marks=frozenset({digest, f"#{number}"}),
    )


THREE = [made(1, "a"), made(2, "b"), made(3, "c")]


@pytest.mark.parametrize(
    ("progress", "with_pods", "expected"),
    [
        pytest.param(
            Progress("c", "b", is_done=False, limit=10), "bc", "past stable canary", id="a canary"
        ),
        pytest.param(
            Progress("c", "b", is_done=False, limit=10),
            "b",
            "past stable canary",
            id="a canary that has no pods yet",
        ),
        pytest.param(
            Progress("c", "b", is_done=False, limit=10, situation="aborted"),
            "b",
            "past stable aborted",
            id="an aborted canary",
        ),
        pytest.param(
            Progress("c", "b", is_done=False, limit=10, is_blue_green=True),
            "bc",
            "past stable preview",
            id="blue-green",
        ),
        pytest.param(
            Progress("c", "c", is_done=True, limit=10),
            "bc",
            "past being replaced|stable",
            id="old pods are going",
        ),
        pytest.param(
            Progress("a", "c", is_done=False, limit=10),
            "ac",
            "canary past stable",
            id="back to an old ReplicaSet",
        ),
        pytest.param(
            Progress("c", "", is_done=False, limit=10),
            "c",
            "past past rolling out",
            id="a first rollout",
        ),
        pytest.param(
            Progress("#3", "", is_done=False, limit=10),
            "bc",
            "past being replaced|rolling out",
            id="a Deployment",
        ),
        pytest.param(
            Progress("#3", "", is_done=True, limit=10),
            "c",
            "past past stable",
            id="a Deployment that is done",
        ),
        pytest.param(
            Progress("#3", "", is_done=True, limit=10),
            "",
            "past past stable",
            id="one without pods",
        ),
        pytest.param(
            Progress("", "", is_done=True, limit=10),
            "c",
            "past past stable",
            id="the highest number is the newest",
        ),
        pytest.param(
            Progress("x", "", is_done=False, limit=10),
            "c",
            "past past being replaced",
            id="the newest is not there yet",
        ),
    ],
)
def test_roles(progress: Progress, with_pods: str, expected: str) -> None:
    found = find_roles(progress, THREE, with_pods)
    words = expected.replace("|", " ")
    assert " ".join(found.roles[digest] for digest in "abc") == words


def test_there_are_no_roles_without_templates() -> None:
    assert find_roles(Progress("", "", is_done=True, limit=10), [], []) == ({}, {})


@pytest.mark.parametrize(
    ("limit", "left"),
    [
        pytest.param(10, {"a": 9, "b": 10}, id="the default"),
        pytest.param(2, {"a": 1, "b": 2}, id="two are kept"),
        pytest.param(1, {"a": 0, "b": 1}, id="the oldest is one too many"),
        pytest.param(0, {"a": 0, "b": 0}, id="none is kept"),
    ],
)
def test_the_oldest_is_deleted_first(limit: int, left: dict[str, int]) -> None:
    assert (
        find_roles(Progress("c", "c", is_done=True, limit=limit), THREE, "c").rollouts_left == left
    )
