"""What is read of live objects, and how far a rollout is by what its controller says."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.base.kind import CONSUMER_KINDS
from krm_fn.linker.objects import Names
from krm_fn.tools.history.snapshot import Progress, read_job, read_live_object, read_pod
from tests.linker.manifests import A, made_by, pods, thing, workload
from tests.linker.test_readers import OBJECTS
from tests.volume import examples_of

KINDS = {kind.kind: kind for kind in CONSUMER_KINDS}
NAMES = Names.of([A])
LINKER = {"template": {"spec": {"containers": [{"args": ["link", "--set=web"]}]}}}


def progress(kind: str, status: dict[str, Any], **fields: Any) -> Progress | None:
    item = {
        **thing(kind, "web", generation=2, **fields),
        "status": {"observedGeneration": 2, **status},
    }
    item["spec"] = {**item.get("spec", {})}
    return read_live_object(KINDS[kind], item, NAMES).progress


COUNTS = {"replicas": 3, "updatedReplicas": 3, "availableReplicas": 3}
AVAILABLE = {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}
LATE = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}


@pytest.mark.parametrize(
    ("kind", "status", "expected"),
    [
        pytest.param(
            "Deployment", COUNTS, True, id="all pods of a Deployment are new and available"
        ),
        pytest.param(
            "Deployment", {**COUNTS, "updatedReplicas": 1}, False, id="some pods are not new"
        ),
        pytest.param("Deployment", {**COUNTS, "replicas": 4}, False, id="an old pod is left"),
        pytest.param(
            "Deployment",
            {**COUNTS, "availableReplicas": 2},
            False,
            id="a new pod is not available yet",
        ),
        pytest.param(
            "Deployment",
            {**COUNTS, "availableReplicas": 0, "conditions": [AVAILABLE]},
            True,
            id="it was done, and broke later",
        ),
        pytest.param(
            "Deployment",
            {**COUNTS, "conditions": [AVAILABLE], "observedGeneration": 1},
            False,
            id="the status is about an earlier spec",
        ),
        pytest.param("Deployment", {}, False, id="there is no status"),
        pytest.param(
            "Rollout",
            {"currentPodHash": "a", "stableRS": "a"},
            True,
            id="the newest is the stable one",
        ),
        pytest.param("Rollout", {"currentPodHash": "b", "stableRS": "a"}, False, id="a canary"),
        pytest.param("Rollout", {"currentPodHash": "b"}, False, id="a first rollout"),
        pytest.param("Rollout", {}, False, id="a Rollout without a status"),
        pytest.param(
            "StatefulSet",
            {"updateRevision": "w-a", "currentRevision": "w-a"},
            True,
            id="a StatefulSet is done",
        ),
        pytest.param(
            "StatefulSet",
            {"updateRevision": "w-b", "currentRevision": "w-a"},
            False,
            id="or it is not",
        ),
        pytest.param(
            "StatefulSet",
            {"updateRevision": "w-a", "currentRevision": "w-a", "observedGeneration": 1},
            False,
            id="its status is about an earlier spec",
        ),
        pytest.param(
            "DaemonSet",
            {"updatedNumberScheduled": 2, "desiredNumberScheduled": 2},
            True,
            id="a DaemonSet is",
        ),
        pytest.param(
            "DaemonSet",
            {"updatedNumberScheduled": 1, "desiredNumberScheduled": 2},
            False,
            id="or it is not ",
        ),
        pytest.param(
            "DaemonSet",
            {"updatedNumberScheduled": 2, "desiredNumberScheduled": 2, "observedGeneration": 1},
            False,
            id="its status is about an earlier spec ",
        ),
    ],
)
def test_a_rollout_is_done(kind: str, status: dict[str, Any], *, expected: bool) -> None:
    found = progress(kind, status, spec={"replicas": 3})
    assert found is not None
    assert found.is_done is expected


@pytest.mark.parametrize(
    ("kind", "spec", "status", "situation", "reason"),
    [
        pytest.param("Deployment", {"paused": True}, {}, "paused", "", id="a paused Deployment"),
        pytest.param(
            "Deployment",
            {},
            {"conditions": [LATE]},
            "stuck",
            "ProgressDeadlineExceeded",
            id="a late one",
        ),
        pytest.param(
            "Rollout",
            {},
            {"phase": "Paused", "message": "CanaryPauseStep"},
            "paused",
            "CanaryPauseStep",
            id="a pause",
        ),
        pytest.param(
            "Rollout",
            {},
            {"phase": "Degraded", "abort": True},
            "aborted",
            "",
            id="an aborted Rollout",
        ),
        pytest.param("Rollout", {}, {"phase": "Healthy"}, "", "", id="a healthy one"),
    ],
)
def test_the_situation_of_a_rollout(
    kind: str, spec: dict[str, Any], status: dict[str, Any], situation: str, reason: str
) -> None:
    found = progress(kind, status, spec=spec)
    assert found is not None
    assert (found.situation, found.reason) == (situation, reason)


def test_what_a_controller_makes_is_known_by_hash_number_and_name() -> None:
    deployment = workload("Deployment", "web", pods(A))
    deployment["metadata"]["uid"] = "d"
    labels, annotations = {"pod-template-hash": "5bb6"}, {"deployment.kubernetes.io/revision": "3"}
    made = made_by(
        deployment,
        "ReplicaSet",
        "web-5bb6",
        pods(A),
        uid="r",
        labels=labels,
        annotations=annotations,
    )
    fact = read_live_object(KINDS["ReplicaSet"], made, NAMES)
    assert (fact.controller, fact.made_by, fact.number) == ("d", ("Deployment", "web"), 3)
    assert fact.marks == {"web-5bb6", "5bb6", "#3"}
    assert fact.required == {A}


@pytest.mark.parametrize("number", ["", "x", "-1", "1" * 5_000, "٣٣٣" * 9])
def test_a_number_that_is_none_is_left_out(number: str) -> None:
    item = thing(
        "ReplicaSet", "web-5bb6", annotations={"deployment.kubernetes.io/revision": number}
    )
    assert read_live_object(KINDS["ReplicaSet"], item, NAMES).number == 0


def test_a_pod_that_has_ended_does_not_count() -> None:
    ended = {**thing("Pod", "web", spec=pods(A)["spec"]), "status": {"phase": "Succeeded"}}
    assert read_pod(ended, NAMES) is None


def test_a_pod_says_why_it_does_not_start() -> None:
    waiting = [
        {"state": {"waiting": {"reason": reason}}}
        for reason in ("ContainerCreating", "CreateContainerConfigError")
    ]
    item = {
        **thing("Pod", "web", spec=pods(A)["spec"]),
        "status": {"phase": "Pending", "containerStatuses": waiting},
    }
    pod = read_pod(item, NAMES)
    assert pod is not None
    assert (pod.is_ready, pod.problem) == (False, "CreateContainerConfigError")
    assert pod.references == {A}


@settings(max_examples=examples_of(200), deadline=None)
@given(OBJECTS, st.sampled_from(sorted(KINDS)))
def test_any_json_is_read(item: Any, kind: str) -> None:
    read_live_object(KINDS[kind], item, NAMES)
    read_pod(item, NAMES)
    read_job(item)
    if isinstance(item, dict):
        assert read_job({**item, "spec": LINKER}) is not None
