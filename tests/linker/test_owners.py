"""Who must own which revision, and which are nobody's."""

import json

import pytest

from krm_fn.linker.objects import Owner, Revision, User
from krm_fn.linker.owners import OwnerPatch, plan_deletions, plan_owners
from krm_fn.linker.report import Change

NAME = "web-config-bbbbbbbbbb"


def owner(text: str) -> Owner:
    """`ReplicaSet/web-1`, whose uid is the text as well."""
    kind, _, name = text.partition("/")
    return Owner("apps/v1", kind, name, text)


def revision(*owners: str, created: float = 0.0, is_retained: bool = False) -> Revision:
    return Revision(NAME, "u1", "1", created, tuple(map(owner, owners)), is_retained=is_retained)


def now(text: str, *names: str, is_leaving: bool = False) -> User:
    """A user that says what is wanted now."""
    return User(owner(text), current=True, names=frozenset(names), is_leaving=is_leaving)


def once(text: str, *names: str, is_leaving: bool = False, is_linker: bool = False) -> User:
    """A user that was made of something."""
    return User(owner(text), current=False, names=frozenset(names), is_leaving=is_leaving, is_linker=is_linker)


def said(patches: list[OwnerPatch]) -> list[str]:
    return [str(Change("ConfigMap", patch.revision.name, patch.add, patch.remove)) for patch in patches]


WEB = now("Deployment/web", NAME)
MOVED_ON = now("Deployment/web")
JOB = once("Job/web-link-1", NAME, is_linker=True)

LEFT_ALONE = [
    pytest.param(revision(), [], [], id="one that nobody names"),
    pytest.param(revision("Deployment/web"), [WEB], [NAME], id="one that is owned by whoever names it"),
    pytest.param(revision("Widget/x"), [], [], id="one with an owner that is not of a kind we look at"),
    pytest.param(revision("ReplicaSet/gone"), [], [], id="one whose owner is gone, which is for the garbage collector"),
    pytest.param(revision(), [once("ReplicaSet/web-1", NAME)], [NAME], id="a rendered one that nothing current names"),
    pytest.param(revision("ReplicaSet/web-1"), [once("ReplicaSet/web-1")], [NAME], id="a rendered one, wrongly owned"),
    pytest.param(revision(), [once("ReplicaSet/web-1", NAME, is_leaving=True)], [], id="one named by what is leaving"),
    pytest.param(revision(is_retained=True), [WEB], [NAME], id="a retained one, though it is named"),
]

PATCHED = [
    pytest.param(revision(), [WEB], [NAME], "+ Deployment/web", id="a new one goes to its workload"),
    pytest.param(
        revision(),
        [WEB, once("ReplicaSet/web-2", NAME), once("ReplicaSet/web-1", NAME)],
        [NAME],
        "+ Deployment/web, + ReplicaSet/web-1, + ReplicaSet/web-2",
        id="every ReplicaSet that names it, not only the newest",
    ),
    pytest.param(
        revision("Deployment/web"),
        [MOVED_ON, once("ReplicaSet/web-1", NAME)],
        [],
        "+ ReplicaSet/web-1, - Deployment/web",
        id="a workload that has moved on lets go in the patch that lets its ReplicaSet hold on",
    ),
    pytest.param(
        revision("Deployment/web"), [MOVED_ON], [], "- Deployment/web", id="a workload lets go though nothing follows"
    ),
    pytest.param(
        revision("Widget/x", "ReplicaSet/gone", "Deployment/web"),
        [MOVED_ON],
        [],
        "- Deployment/web",
        id="owners that were not seen live stay",
    ),
    pytest.param(
        revision("Deployment/web"),
        [now("Deployment/web"), now("Deployment/api", NAME)],
        [NAME],
        "+ Deployment/api, - Deployment/web",
        id="from one workload to another",
    ),
    pytest.param(
        revision(),
        [MOVED_ON, JOB],
        [],
        "+ Job/web-link-1",
        id="the Job of an earlier rendering, which would not run again",
    ),
    pytest.param(
        revision("ReplicaSet/web-1"),
        [now("Deployment/web", NAME, is_leaving=True), once("ReplicaSet/web-2", NAME)],
        [NAME],
        "+ ReplicaSet/web-2",
        id="a workload on its way out is no new owner",
    ),
    pytest.param(
        revision("Deployment/web", "Widget/x", is_retained=True),
        [WEB],
        [NAME],
        "- Deployment/web",
        id="a retained one has no owner that could take it along",
    ),
]


@pytest.mark.parametrize(("seen", "users", "rendered"), LEFT_ALONE)
def test_left_alone(seen: Revision, users: list[User], rendered: list[str]) -> None:
    assert said(plan_owners([seen], users, rendered)) == []


@pytest.mark.parametrize(("seen", "users", "rendered", "expected"), PATCHED)
def test_patched(seen: Revision, users: list[User], rendered: list[str], expected: str) -> None:
    assert said(plan_owners([seen], users, rendered)) == [f"{NAME}: {expected}"]


@pytest.mark.parametrize(("seen", "users", "rendered", "expected"), PATCHED)
def test_nothing_is_left_to_do_after_a_patch(
    seen: Revision, users: list[User], rendered: list[str], expected: str
) -> None:
    (patch,) = plan_owners([seen], users, rendered)
    after = seen._replace(owners=tuple(one for one in (*seen.owners, *patch.add) if one not in patch.remove))
    assert said(plan_owners([after], users, rendered)) == [], expected


def test_a_patch_is_a_strategic_merge_that_only_this_very_object_takes() -> None:
    (patch,) = plan_owners([revision("Deployment/web")], [MOVED_ON, once("ReplicaSet/web-1", NAME)], [])
    body = """{
      "metadata": {
        "uid": "u1",
        "ownerReferences": [
          {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "ReplicaSet/web-1"},
          {"$patch": "delete", "uid": "Deployment/web"}
        ]
      }
    }"""
    assert patch.body == json.loads(body)


@pytest.mark.parametrize(
    ("seen", "users", "rendered"),
    [
        pytest.param(revision(), [WEB], [], id="one that something names"),
        pytest.param(revision(), [], [NAME], id="one of the present rendering"),
        pytest.param(revision("ReplicaSet/gone"), [], [], id="one with an owner, even one that is gone"),
        pytest.param(revision(is_retained=True), [], [], id="a retained one"),
        pytest.param(revision(created=100.0), [], [], id="one that is as young as that"),
        pytest.param(revision(created=101.0), [], [], id="one that is younger"),
    ],
)
def test_not_deleted(seen: Revision, users: list[User], rendered: list[str]) -> None:
    assert plan_deletions([seen], users, rendered, oldest=100.0) == []


def test_deleted() -> None:
    old = revision(created=99.0)
    assert plan_deletions([old], [MOVED_ON], [], oldest=100.0) == [old]
