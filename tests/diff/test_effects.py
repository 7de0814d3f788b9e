"""What a change does to kinds whose controllers do more, or less, than roll pods."""

import json
from pathlib import Path

import pytest

from krm_fn.cli.main import main

TEMPLATE = "{spec: {restartPolicy: Never, containers: [{name: c, image: IMAGE}]}}"


def item(api_version: str, kind: str, spec: str) -> str:
    """Return an object in which words in capitals stand for what a row says."""
    return (
        f"{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: x}}, spec: {{MORE{spec}}}}}"
    )


SCALED = item("keda.sh/v1alpha1", "ScaledJob", "jobTargetRef: {template: TEMPLATE}")
RAY = item("ray.io/v1", "RayCluster", "headGroupSpec: {template: TEMPLATE}")
SPARK = item("sparkoperator.k8s.io/v1beta2", "SparkApplication", "image: IMAGE")
PLANE = item(
    "controlplane.cluster.x-k8s.io/v1beta1",
    "KubeadmControlPlane",
    "kubeadmConfigSpec: {files: [{path: /a, content: IMAGE}]}",
)
JOBS = item(
    "jobset.x-k8s.io/v1alpha2",
    "JobSet",
    "replicatedJobs: [{name: a, template: {spec: {template: TEMPLATE}}}]",
)

ROWS = [
    ("another image ends what a ScaledJob runs", SCALED, "", "ends-runs"),
    ("or it is for the next run", SCALED, "rollout: {strategy: gradual}, ", "next-run"),
    ("a SparkApplication is submitted again", SPARK, "", "ends-runs"),
    ("the pods of a RayCluster stay", RAY, "", "new-pods"),
    ("or they are made anew", RAY, "upgradeStrategy: {type: Recreate}, ", "rolls"),
    ("the machines of a control plane are replaced", PLANE, "", "replaces-machines"),
    ("a JobSet cannot change", JOBS, "", "refused"),
]
NOT_IN_A_TEMPLATE = [
    (
        "another trigger ends what a ScaledJob runs",
        SCALED,
        "maxReplicaCount: NUMBER, ",
        "ends-runs",
    ),
    ("more executors end a SparkApplication", SPARK, "executor: {cores: NUMBER}, ", "ends-runs"),
    ("how long a SparkApplication is kept does not", SPARK, "timeToLiveSeconds: NUMBER, ", None),
    ("more machines replace none", PLANE, "replicas: NUMBER, ", None),
]


def find_effect(old: str, new: str, folder: Path) -> str | None:
    paths = []
    for name, text in (("old", old), ("new", new)):
        path = folder / f"{name}.yaml"
        path.write_text(text)
        paths.append(str(path))
    done = main(["diff", "-ojson", *paths])
    assert done.exit_code == 0, done.stderr
    (change,) = json.loads(done.stdout)["objects"]
    effects: list[str] = [roll["effect"] for roll in change["rolls"]]
    return effects[0] if effects else None


@pytest.mark.parametrize(("_says", "written", "more", "effect"), ROWS, ids=[one[0] for one in ROWS])
def test_another_template(_says: str, written: str, more: str, effect: str, tmp_path: Path) -> None:
    text = written.replace("TEMPLATE", TEMPLATE).replace("MORE", more)
    old, new = text.replace("IMAGE", "a:1"), text.replace("IMAGE", "a:2")
    assert find_effect(old, new, tmp_path) == effect


@pytest.mark.parametrize(
    ("_says", "written", "more", "effect"),
    NOT_IN_A_TEMPLATE,
    ids=[one[0] for one in NOT_IN_A_TEMPLATE],
)
def test_another_field(
    _says: str, written: str, more: str, effect: str | None, tmp_path: Path
) -> None:
    text = written.replace("TEMPLATE", TEMPLATE).replace("MORE", more).replace("IMAGE", "a:1")
    assert find_effect(text.replace("NUMBER", "1"), text.replace("NUMBER", "2"), tmp_path) == effect
