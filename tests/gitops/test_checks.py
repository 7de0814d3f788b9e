"""What the stories check must be able to fail: writes without a change, and an Application out of sync for long."""

import copy
from collections.abc import Callable, Sequence

import pytest

from tests.cluster.api import Object
from tests.gitops.argo_status import ArgoStatus, Seen, long_flips
from tests.gitops.written import written

JOB = "Job/shop-link"
DEPLOYMENT: Object = {
    "kind": "Deployment",
    "metadata": {
        "name": "api",
        "resourceVersion": "1",
        "managedFields": [
            {"manager": "deployer", "operation": "Apply", "time": "12:00:00Z"},
            {
                "manager": "controller",
                "operation": "Update",
                "time": "12:00:00Z",
                "subresource": "status",
            },
        ],
    },
    "spec": {"replicas": 1},
    "status": {"replicas": 0},
}


def do_nothing(found: Object) -> None:
    del found


def report(found: Object) -> None:
    found["status"]["replicas"] = 1
    found["metadata"]["resourceVersion"] = "2"
    found["metadata"]["managedFields"][1]["time"] = "12:00:01Z"


def write_the_same_again(found: Object) -> None:
    found["metadata"]["managedFields"][0]["time"] = "12:00:01Z"


def change(found: Object) -> None:
    found["spec"]["replicas"] = 2


WRITES = [
    pytest.param(do_nothing, [], id="nothing was written"),
    pytest.param(report, [], id="a controller has reported its status"),
    pytest.param(
        write_the_same_again,
        ['Deployment/api.writers.deployer Apply: "12:00:00Z" -> "12:00:01Z"'],
        id="somebody has written what was there already",
    ),
    pytest.param(change, ["Deployment/api.spec.replicas: 1 -> 2"], id="a field has changed"),
]


@pytest.mark.parametrize(("act", "lines"), WRITES)
def test_written(act: Callable[[Object], None], lines: Sequence[str]) -> None:
    after = copy.deepcopy(DEPLOYMENT)
    act(after)
    assert written({"Deployment/api": DEPLOYMENT}, {"Deployment/api": after}) == lines


def test_an_object_that_came_or_went_was_written() -> None:
    assert (
        len(written({}, {"Deployment/api": DEPLOYMENT}))
        == len(written({"Deployment/api": DEPLOYMENT}, {}))
        == 1
    )


SYNCED = ArgoStatus(sync="Synced", operation="Succeeded")
OUT = ArgoStatus(sync="OutOfSync", operation="Succeeded", out_of_sync=(JOB,))
FLIPS = [
    pytest.param([SYNCED], [], id="always synced"),
    pytest.param([SYNCED, OUT, SYNCED], [], id="out of sync for ten seconds"),
    pytest.param([OUT, OUT, SYNCED], [f"20.0 s: {JOB}"], id="out of sync for twenty seconds"),
    pytest.param([SYNCED, OUT, OUT], [f"20.0 s: {JOB}"], id="out of sync to the end"),
    pytest.param([OUT._replace(operation="Running")] * 3, [], id="an operation runs"),
    pytest.param([SYNCED._replace(unpruned=(JOB,))] * 3, [], id="a revision is kept"),
]


@pytest.mark.parametrize(("statuses", "flips"), FLIPS)
def test_long_flips(statuses: Sequence[ArgoStatus], flips: Sequence[str]) -> None:
    seen = [Seen(10.0 * number, status) for number, status in enumerate(statuses)]
    assert long_flips(seen, 10.0 * len(seen)) == flips
