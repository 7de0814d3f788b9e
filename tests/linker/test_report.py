"""The lines and the document that report a run."""

import pytest

from krm_fn.linker.objects import LiveRevision, Owner
from krm_fn.linker.report import LinkProblem, Report, Write

REPLICA_SET = Owner("apps/v1", "ReplicaSet", "web-7c9f", "u1")
DEPLOYMENT = Owner("apps/v1", "Deployment", "web", "u2")
A, B = "web-config-bbbbbbbbbb", "web-config-cccccccccc"
LINKED = Write("ConfigMap", A, add=(REPLICA_SET,), remove=(DEPLOYMENT,))
DELETED = Write("Secret", B, deleted=True)
LAST = Write("ConfigMap", B, remove=(REPLICA_SET, DEPLOYMENT), deleted=True)


def new_report() -> tuple[Report, list[str]]:
    lines: list[str] = []
    return Report("shop", lines.append), lines


@pytest.mark.parametrize(
    ("change", "line"),
    [
        pytest.param(
            LINKED,
            f"ConfigMap shop/{A}: + ReplicaSet/web-7c9f, - Deployment/web",
            id="added owners come before removed ones",
        ),
        pytest.param(DELETED, f"Secret shop/{B}: deleted, nothing references it", id="a deletion"),
        pytest.param(
            LAST,
            f"ConfigMap shop/{B}: deleted, nothing references it; last referenced by {REPLICA_SET}, {DEPLOYMENT}",
            id="a deletion with the last owners",
        ),
    ],
)
def test_each_change_is_printed_when_it_happens(change: Write, line: str) -> None:
    report, lines = new_report()
    report.change(change)
    assert lines == [line]


def test_a_note_is_printed_when_it_happens() -> None:
    report, lines = new_report()
    report.note("Deployment shop/web: is paused")
    assert (lines, report.notes) == (
        ["note: Deployment shop/web: is paused"],
        ["Deployment shop/web: is paused"],
    )


def test_a_failure_is_kept_for_the_end_and_reported_once() -> None:
    report, lines = new_report()
    report.fail("ConfigMap shop/x: not permitted to patch")
    report.fail("ConfigMap shop/x: not permitted to patch")
    assert (lines, report.failures) == ([], ["ConfigMap shop/x: not permitted to patch"])


def test_a_warning_is_no_failure() -> None:
    report, lines = new_report()
    report.warn("ConfigMap shop/x: not permitted to patch", DEPLOYMENT)
    assert (lines, report.failures) == ([], [])
    assert report.problems == [
        LinkProblem(
            "ConfigMap shop/x: not permitted to patch",
            DEPLOYMENT,
            is_failure=False,
            reason="NotLinked",
        )
    ]


@pytest.mark.parametrize(
    ("changes", "problems", "retained", "dry_run", "expected"),
    [
        pytest.param(
            [], [], False, False, "2 revisions in shop: 0 linked, 0 deleted", id="nothing to do"
        ),
        pytest.param(
            [LINKED, DELETED],
            [],
            False,
            False,
            "2 revisions in shop: 1 linked, 1 deleted",
            id="one of each",
        ),
        pytest.param(
            [LINKED, LINKED],
            [],
            False,
            False,
            "2 revisions in shop: 1 linked, 0 deleted",
            id="one revision patched twice",
        ),
        pytest.param(
            [LINKED],
            [],
            False,
            True,
            "2 revisions in shop: 1 would be linked, 0 would be deleted",
            id="a dry run",
        ),
        pytest.param(
            [],
            [],
            True,
            False,
            "2 revisions in shop: 0 linked, 0 deleted, 1 retained without owners",
            id="one retained",
        ),
        pytest.param(
            [],
            ["fail"],
            False,
            False,
            "2 revisions in shop: 0 linked, 0 deleted, 1 failed",
            id="a failure",
        ),
        pytest.param(
            [],
            ["warn"],
            False,
            False,
            "2 revisions in shop: 0 linked, 0 deleted, 1 warning",
            id="a warning",
        ),
    ],
)
def test_the_summary(
    changes: list[Write], problems: list[str], retained: bool, dry_run: bool, expected: str
) -> None:
    report, _ = new_report()
    for change in changes:
        report.change(change)
    for problem in problems:
        getattr(report, problem)("x")
    report.count(
        [LiveRevision(A, "u1", "1", 0.0, is_retained=retained), LiveRevision(B, "u2", "2", 0.0)]
    )
    assert report.summary(dry_run=dry_run) == expected


def test_the_report_as_plain_values() -> None:
    report, _ = new_report()
    report.change(LINKED)
    report.change(DELETED)
    report.note("n")
    report.fail("f")
    report.warn("w")
    report.count([LiveRevision(A, "u1", "1", 0.0, is_retained=True)])
    add = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-7c9f", "uid": "u1"}
    remove = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u2"}
    assert report.to_dict() == {
        "namespace": "shop",
        "changes": [
            {"kind": "ConfigMap", "name": A, "add": [add], "remove": [remove], "deleted": False},
            {"kind": "Secret", "name": B, "add": [], "remove": [], "deleted": True},
        ],
        "notes": ["n"],
        "failures": ["f"],
        "warnings": ["w"],
        "revisions": 1,
        "retained": 1,
    }
