"""To which template one goes back, and how."""

import pytest

from krm_fn.tools.common.revision_history import Role, Template
from krm_fn.tools.history.find_history import find_way_back
from krm_fn.tools.history.snapshot import Progress

CANARY, DONE = (
    Progress("c", "b", is_done=False, limit=10),
    Progress("c", "c", is_done=True, limit=10),
)


def template(name: str, number: int, role: Role, *revisions: str, absent: str = "") -> Template:
    return Template(name, number, role, revisions, absent=(absent,) if absent else ())


NEW, SAME = template("c", 3, Role.STABLE, "x"), template("b", 2, Role.PAST, "x")
OTHER = template("a", 1, Role.PAST, "y")

CASES = [
    pytest.param(
        "Rollout",
        CANARY,
        [template("c", 3, Role.CANARY, "x"), template("b", 2, Role.STABLE, "y")],
        "b",
        id="abort",
    ),
    pytest.param(
        "Rollout",
        CANARY._replace(situation="aborted"),
        [template("c", 3, Role.ABORTED, "x"), template("b", 2, Role.STABLE, "y")],
        "b",
        id="an aborted one is back already",
    ),
    pytest.param(
        "Rollout", CANARY, [template("c", 3, Role.NEW, "x")], None, id="nothing was stable yet"
    ),
    pytest.param(
        "Rollout", DONE, [NEW, SAME, OTHER], "a", id="the last one with another configuration"
    ),
    pytest.param("Deployment", DONE, [NEW, SAME], None, id="there was only one configuration"),
    pytest.param(
        "Deployment",
        DONE,
        [NEW, template("b", 2, Role.PAST, "y", absent="y"), OTHER],
        "a",
        id="what it needs exists",
    ),
    pytest.param(
        "Deployment", DONE, [NEW, template("a", 0, Role.PAST, "y")], None, id="without a number"
    ),
    pytest.param(
        "Deployment",
        Progress("#3", "", is_done=False, limit=10),
        [
            template("c", 3, Role.NEW, "x"),
            template("b", 2, Role.PAST, "z"),
            template("a", 1, Role.OLD, "y"),
        ],
        "a",
        id="the one that still has pods",
    ),
    pytest.param("Deployment", DONE, [], None, id="nothing was made yet"),
]


@pytest.mark.parametrize(("kind", "progress", "templates", "to"), CASES)
def test_the_way_back_leads_to(
    kind: str, progress: Progress, templates: list[Template], to: str | None
) -> None:
    found = find_way_back(kind, "web", "shop", progress, templates)
    assert (found and found.to.name) == to


@pytest.mark.parametrize(
    ("kind", "progress", "command"),
    [
        pytest.param(
            "Rollout", DONE, "kubectl argo rollouts undo web --to-revision=1 -n shop", id="Rollout"
        ),
        pytest.param(
            "Deployment",
            DONE,
            "kubectl rollout undo deployment/web --to-revision=1 -n shop",
            id="Deployment",
        ),
        pytest.param(
            "StatefulSet",
            DONE,
            "kubectl rollout undo statefulset/web --to-revision=1 -n shop",
            id="StatefulSet",
        ),
        pytest.param(
            "DaemonSet",
            DONE,
            "kubectl rollout undo daemonset/web --to-revision=1 -n shop",
            id="DaemonSet",
        ),
    ],
)
def test_the_command(kind: str, progress: Progress, command: str) -> None:
    found = find_way_back(kind, "web", "shop", progress, [NEW, OTHER])
    assert found is not None
    assert found.command == command
