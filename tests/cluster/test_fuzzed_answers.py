"""Whatever becomes of a real API server's answers, no revision is lost that a live object references."""

import json
from random import Random
from urllib.parse import urlsplit

import pytest

from tests.cluster.api import Api
from tests.cluster.fault_proxy import Answer, Call, Fault, Garbled, PassOn
from tests.cluster.linker_harness import LinkerHarness
from tests.cluster.unlinked_release import UNUSED, UnlinkedRelease
from tests.linker.distortions import Distortion, Right, draw_distortion
from tests.volume import part_of, seed_of
from tests.wait import lasting

HARNESS_NAMESPACE = "fuzzed"
TIMEOUT = 6
PLURALS = (
    "configmaps",
    "replicasets",
    "deployments",
    "pods",
    "controllerrevisions",
    "jobs",
    "statefulsets",
    "rollouts",
)
REFERRING = ("Deployment", "ReplicaSet", "Pod")


def distorted(distortion: Distortion) -> Fault:
    def distort(call: Call, pass_on: PassOn) -> Answer:
        answer = pass_on(call)
        if not distortion.is_due(call.method, urlsplit(call.target).path.rpartition("/")[2]):
            return answer
        right = Right(answer.status, answer.headers, answer.body)
        raise Garbled(lambda write: distortion.send(right, write))

    return distort


def find_lost(api: Api, before: UnlinkedRelease) -> set[str]:
    """Return what is gone though a live object still has its name in its spec, read as text."""
    specs = json.dumps([one["spec"] for kind in REFERRING for one in api.list(kind)])
    names = {(one["kind"], one["metadata"]["name"]) for one in before.before}
    return {name for kind, name in names if f'"{name}"' in specs and not api.find(kind, name)}


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(part_of(500)), id="some"),
        pytest.param(range(1000, 1300), marks=pytest.mark.nightly, id="more"),
    ],
)
def test_nothing_is_lost_and_each_run_ends(harness: LinkerHarness, numbers: range) -> None:
    deleted = 0
    for number in numbers:
        distortion = draw_distortion(Random(seed_of(number)), PLURALS)
        harness.release.restore()
        with lasting():
            run = harness.run(distorted(distortion), f"--timeout={TIMEOUT}")
        sentence = f"{number}: {distortion.sentence}"
        assert find_lost(harness.release.api, harness.release) == set(), sentence
        assert run.exit_code in {0, 1}, f"{sentence}: {run.stderr}"
        assert "Traceback" not in run.stderr, sentence
        deleted += harness.release.api.find("ConfigMap", UNUSED) is None
    print(f"{len(numbers)} cases, {deleted} with a deletion")
    assert deleted > len(numbers) / 10
    harness.release.restore()
    run = harness.run()
    assert (run.exit_code, run.stderr) == (0, "")
