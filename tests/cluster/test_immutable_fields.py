"""What krm-fn says that the API server refuses, judged by the API server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from krm_fn.facts.immutable_fields import FILLED, IMMUTABLE
from tests.cluster.control_plane import ControlPlane, control_plane
from tests.cluster.custom_kinds import read_manifest, until_served
from tests.cluster.immutable_fields import Change as Asked
from tests.cluster.immutable_fields import Judge, Row, Verdict, make_row, read_bases
from tests.cluster.rollouts_controller import MODULE
from tests.diff.refused_changes import Change, Object, definition, read_changes
from tests.diff.test_refused import find_refused
from tests.tools.build import module_folder
from tests.tools.require import require_built
from tests.wait import until

BASES = read_bases()
KINDS = list(dict.fromkeys(base.row[:2] for base in BASES))
ROWS: dict[tuple[str, str, str], Row] = {
    (group, kind, when): row for group, kind, when, row in IMMUTABLE
}
CHANGES = [one for one in read_changes() if not one.source]

SAME_AS_ANOTHER = {("autoscaling/v1", "HorizontalPodAutoscaler")}


@pytest.fixture(scope="module")
def alone() -> Iterator[ControlPlane]:
    """Start a control plane of its own: the objects include a Node, an APIService and webhooks."""
    with control_plane(require_built) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def judge(alone: ControlPlane) -> Judge:
    found = Judge(alone)
    found.create(BASES)
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS, ids=[f"{group}-{kind}" for group, kind in KINDS])
def test_the_table_says_what_the_api_server_does(
    kind: tuple[str, str], judge: Judge, tmp_path: Path
) -> None:
    """And krm-fn says it of no change that the server accepts."""
    verdicts: dict[tuple[str, str, str], list[Verdict]] = {}
    for base in BASES:
        if base.row[:2] == kind:
            verdicts.setdefault(base.row, []).extend(judge.verdicts(base))
    for row, found in verdicts.items():
        assert make_row(found) == ROWS.get(row, {})
    filled = {names: text for names, text in judge.filled.items() if names[0] == kind[1]}
    assert filled.items() <= FILLED.items()
    asked = [one for found in verdicts.values() for one in found if one.is_refused is not None]
    accepted = [
        _numbered(one.change, index) for index, one in enumerate(asked) if not one.is_refused
    ]
    assert _find_refused(accepted, tmp_path) == set()
    refused = [
        _numbered(one.change, index)
        for index, one in enumerate(asked)
        if one.is_refused and _keeps_its_spec(one.change)
    ]
    said = _find_refused(refused, tmp_path)
    # Not said: where another value is accepted, and where most of what is around is.
    assert len(said) >= len(refused) * 0.9, [
        (one.path, one.operation) for one in refused if one.after["metadata"]["name"] not in said
    ]


def _keeps_its_spec(change: Asked) -> bool:
    """Tell whether no whole spec comes or goes, of which nothing is said."""
    return ("spec" in change.before) is ("spec" in change.after)


def _numbered(change: Asked, index: int) -> Asked:
    metadata = {"name": f"n{index}", "namespace": "full"}
    before, after = ({**one, "metadata": metadata} for one in (change.before, change.after))
    return change._replace(before=before, after=after)


def _find_refused(changes: list[Asked], folder: Path) -> set[str]:
    if not changes:
        return set()
    old, new = [one.before for one in changes], [one.after for one in changes]
    return {name for _, name in find_refused(old, new, folder)}


def test_each_kind_has_an_object(judge: Judge) -> None:
    there = {(base.object["apiVersion"], base.object["kind"]) for base in BASES}
    assert judge.kinds.kinds.keys() - there == SAME_AS_ANOTHER


@pytest.fixture(scope="module")
def changed(judge: Judge, alone: ControlPlane) -> Judge:
    """Create what changes, and the kinds of it."""
    rollouts = module_folder(MODULE) / "manifests/crds/rollout-crd.yaml"
    definitions: list[Object] = [definition(), read_manifest(rollouts)]
    for one in definitions:
        until_served(alone.api, alone.api.apply(one))
    judge.kinds.read()
    judge.apply_all(change.old for change in CHANGES)
    return judge


@pytest.mark.parametrize("change", CHANGES, ids=[one.says for one in CHANGES])
def test_the_api_server_agrees(change: Change, changed: Judge) -> None:
    """It would create the new object, and does not make it of the old one, or it does."""
    asked = Asked((), "change", change.old, change.new)
    until(
        "the server agrees, whatever its controllers do to what was just created",
        lambda: changed.judge(asked).is_refused,
        lambda is_refused: is_refused is change.is_refused,
    )
