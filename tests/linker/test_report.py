"""What a run says it has done."""

import pytest

from krm_fn.linker.objects import Owner, Revision
from krm_fn.linker.report import Change, Report

REPLICA_SET = Owner("apps/v1", "ReplicaSet", "web-7c9f", "u1")
DEPLOYMENT = Owner("apps/v1", "Deployment", "web", "u2")
A, B = "web-config-bbbbbbbbbb", "web-config-cccccccccc"
LINKED = Change("ConfigMap", A, add=(REPLICA_SET,), remove=(DEPLOYMENT,))
DELETED = Change("Secret", B, deleted=True)


def report() -> tuple[Report, list[str]]:
    lines: list[str] = []
    return Report("shop", lines.append), lines


@pytest.mark.parametrize(
    ("change", "line"),
    [
        pytest.param(
            LINKED, f"ConfigMap shop/{A}: + ReplicaSet/web-7c9f, - Deployment/web", id="owners come before they go"
        ),
        pytest.param(DELETED, f"Secret shop/{B}: deleted, as nothing names it", id="a deletion"),
    ],
)
def test_a_line_for_each_change(change: Change, line: str) -> None:
    told, lines = report()
    told.change(change)
    assert lines == [line]


def test_a_note_is_said_at_once() -> None:
    told, lines = report()
    told.note("Deployment shop/web: is paused")
    assert (lines, told.notes) == (["note: Deployment shop/web: is paused"], ["Deployment shop/web: is paused"])


def test_a_failure_is_kept_for_the_end_and_said_once() -> None:
    told, lines = report()
    told.fail("ConfigMap shop/x: may not patch")
    told.fail("ConfigMap shop/x: may not patch")
    assert (lines, told.failures) == ([], ["ConfigMap shop/x: may not patch"])


@pytest.mark.parametrize(
    ("changes", "failures", "retained", "what", "expected"),
    [
        pytest.param([], [], False, "", "2 revisions in shop: 0 linked, 0 deleted", id="nothing to do"),
        pytest.param([LINKED, DELETED], [], False, "", "2 revisions in shop: 1 linked, 1 deleted", id="one of each"),
        pytest.param([LINKED, LINKED], [], False, "", "2 revisions in shop: 1 linked, 0 deleted", id="one mended"),
        pytest.param(
            [LINKED], [], False, "would be ", "2 revisions in shop: 1 would be linked, 0 would be deleted", id="dry run"
        ),
        pytest.param(
            [], [], True, "", "2 revisions in shop: 0 linked, 0 deleted, 1 kept without owners", id="one retained"
        ),
        pytest.param([], ["x"], False, "", "2 revisions in shop: 0 linked, 0 deleted, 1 failed", id="a failure"),
    ],
)
def test_the_last_line(changes: list[Change], failures: list[str], retained: bool, what: str, expected: str) -> None:
    told, _ = report()
    for change in changes:
        told.change(change)
    for failure in failures:
        told.fail(failure)
    told.count([Revision(A, "u1", "1", 0.0, is_retained=retained), Revision(B, "u2", "2", 0.0)])
    assert told.summary(what) == expected


def test_the_same_for_machines() -> None:
    told, _ = report()
    told.change(LINKED)
    told.change(DELETED)
    told.note("n")
    told.fail("f")
    told.count([Revision(A, "u1", "1", 0.0, is_retained=True)])
    add = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-7c9f", "uid": "u1"}
    remove = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u2"}
    assert told.to_dict() == {
        "namespace": "shop",
        "changes": [
            {"kind": "ConfigMap", "name": A, "add": [add], "remove": [remove], "deleted": False},
            {"kind": "Secret", "name": B, "add": [], "remove": [], "deleted": True},
        ],
        "notes": ["n"],
        "failures": ["f"],
        "revisions": 1,
        "retained": 1,
    }
