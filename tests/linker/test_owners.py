"""Which objects become owners of a revision, and which revisions are deleted."""

import json

import pytest

from krm_fn.linker.objects import Consumer, Owner, Revision
from krm_fn.linker.owners import OwnerPatch, plan_deletions, plan_owners
from krm_fn.linker.report import Change

NAME = "web-config-bbbbbbbbbb"


def owner(text: str) -> Owner:
    """Read `ReplicaSet/web-1`; the uid is the whole text."""
    kind, _, name = text.partition("/")
    return Owner("apps/v1", kind, name, text)


def revision(*owners: str, created: float = 0.0, is_retained: bool = False) -> Revision:
    return Revision(NAME, "u1", "1", created, tuple(map(owner, owners)), is_retained=is_retained)


def current(text: str, *names: str, is_being_deleted: bool = False) -> Consumer:
    """Build a consumer that says what is wanted now, such as a Deployment."""
    return Consumer(owner(text), is_current=True, references=frozenset(names), is_being_deleted=is_being_deleted)


def past(text: str, *names: str, is_being_deleted: bool = False, is_linker_job: bool = False) -> Consumer:
    """Build a consumer that was created from a template, such as a ReplicaSet."""
    return Consumer(
        owner(text),
        is_current=False,
        references=frozenset(names),
        is_being_deleted=is_being_deleted,
        is_linker_job=is_linker_job,
    )


def changes(patches: list[OwnerPatch]) -> list[str]:
    return [str(Change("ConfigMap", patch.revision.name, patch.add, patch.remove)) for patch in patches]


WEB = current("Deployment/web", NAME)
MOVED_ON = current("Deployment/web")
JOB = past("Job/web-link-1", NAME, is_linker_job=True)

LEFT_ALONE = [
    pytest.param(revision(), [], [], id="a revision that nothing references"),
    pytest.param(revision("Deployment/web"), [WEB], [NAME], id="a revision owned by its consumer"),
    pytest.param(revision("Widget/x"), [], [], id="an owner of a kind that the linker does not read"),
    pytest.param(revision("ReplicaSet/gone"), [], [], id="an owner that is gone, which the garbage collector handles"),
    pytest.param(
        revision(), [past("ReplicaSet/web-1", NAME)], [NAME], id="a rendered revision that nothing current references"
    ),
    pytest.param(
        revision("ReplicaSet/web-1"),
        [past("ReplicaSet/web-1")],
        [NAME],
        id="a rendered revision that nothing current references, with an old owner",
    ),
    pytest.param(
        revision(), [past("ReplicaSet/web-1", NAME, is_being_deleted=True)], [], id="a consumer that is being deleted"
    ),
    pytest.param(revision(is_retained=True), [WEB], [NAME], id="a retained revision that is referenced"),
]

PATCHED = [
    pytest.param(revision(), [WEB], [NAME], "+ Deployment/web", id="a workload becomes the owner of its new revision"),
    pytest.param(
        revision(),
        [WEB, past("ReplicaSet/web-2", NAME), past("ReplicaSet/web-1", NAME)],
        [NAME],
        "+ Deployment/web, + ReplicaSet/web-1, + ReplicaSet/web-2",
        id="every ReplicaSet that references it, not only the newest",
    ),
    pytest.param(
        revision("Deployment/web"),
        [MOVED_ON, past("ReplicaSet/web-1", NAME)],
        [],
        "+ ReplicaSet/web-1, - Deployment/web",
        id="a workload that has moved on is removed in the patch that adds its ReplicaSet",
    ),
    pytest.param(
        revision("Deployment/web"),
        [MOVED_ON],
        [],
        "- Deployment/web",
        id="a workload that has moved on is removed although no owner is left",
    ),
    pytest.param(
        revision("Widget/x", "ReplicaSet/gone", "Deployment/web"),
        [MOVED_ON],
        [],
        "- Deployment/web",
        id="owners that were not observed are kept",
    ),
    pytest.param(
        revision("Deployment/web"),
        [current("Deployment/web"), current("Deployment/api", NAME)],
        [NAME],
        "+ Deployment/api, - Deployment/web",
        id="another workload references it now",
    ),
    pytest.param(
        revision(),
        [MOVED_ON, JOB],
        [],
        "+ Job/web-link-1",
        id="the Job of an earlier rendering, which does not run again",
    ),
    pytest.param(
        revision("ReplicaSet/web-1"),
        [current("Deployment/web", NAME, is_being_deleted=True), past("ReplicaSet/web-2", NAME)],
        [NAME],
        "+ ReplicaSet/web-2",
        id="a workload that is being deleted is not added",
    ),
    pytest.param(
        revision("Deployment/web", "Widget/x", is_retained=True),
        [WEB],
        [NAME],
        "- Deployment/web",
        id="a retained revision loses owners",
    ),
]


@pytest.mark.parametrize(("live", "consumers", "rendered"), LEFT_ALONE)
def test_these_revisions_are_left_alone(live: Revision, consumers: list[Consumer], rendered: list[str]) -> None:
    assert changes(plan_owners([live], consumers, rendered)) == []


@pytest.mark.parametrize(("live", "consumers", "rendered", "expected"), PATCHED)
def test_these_revisions_are_patched(
    live: Revision, consumers: list[Consumer], rendered: list[str], expected: str
) -> None:
    assert changes(plan_owners([live], consumers, rendered)) == [f"{NAME}: {expected}"]


@pytest.mark.parametrize(("live", "consumers", "rendered", "expected"), PATCHED)
def test_a_patched_revision_needs_no_other_patch(
    live: Revision, consumers: list[Consumer], rendered: list[str], expected: str
) -> None:
    (patch,) = plan_owners([live], consumers, rendered)
    after = live._replace(owners=tuple(one for one in (*live.owners, *patch.add) if one not in patch.remove))
    assert changes(plan_owners([after], consumers, rendered)) == [], expected


def test_a_patch_is_a_strategic_merge_patch_with_the_uid_as_precondition() -> None:
    (patch,) = plan_owners([revision("Deployment/web")], [MOVED_ON, past("ReplicaSet/web-1", NAME)], [])
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
    ("live", "consumers", "rendered"),
    [
        pytest.param(revision(), [WEB], [], id="a referenced revision"),
        pytest.param(revision(), [], [NAME], id="a rendered revision"),
        pytest.param(revision("ReplicaSet/gone"), [], [], id="a revision with an owner, even one that is gone"),
        pytest.param(revision(is_retained=True), [], [], id="a retained revision"),
        pytest.param(revision(created=100.0), [], [], id="a revision created at that time"),
        pytest.param(revision(created=101.0), [], [], id="a younger revision"),
    ],
)
def test_these_revisions_are_not_deleted(live: Revision, consumers: list[Consumer], rendered: list[str]) -> None:
    assert plan_deletions([live], consumers, rendered, created_before=100.0) == []


def test_an_old_unreferenced_revision_without_owners_is_deleted() -> None:
    old = revision(created=99.0)
    assert plan_deletions([old], [MOVED_ON], [], created_before=100.0) == [old]
