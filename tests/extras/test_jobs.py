"""Fields that name a Job, and fields that look as if they did."""

import pytest
import yaml

from krm_fn.base.item import read_item
from krm_fn.base.node import is_mapping
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.extras.jobs import find_jobs
from krm_fn.function import run

HEAD = "apiVersion: example.com/v1\nkind: Widget\n"

FOUND = [
    pytest.param(
        HEAD + "spec: {ref: {kind: Job, name: a}}", [("spec.ref.name", "a")], id="by kind"
    ),
    pytest.param(
        HEAD + "spec: [{apiGroup: batch, kind: Job, name: a}]",
        [("spec[0].name", "a")],
        id="by group",
    ),
    pytest.param(
        HEAD + "spec: {apiVersion: batch/v1, kind: Job, name: a}",
        [("spec.name", "a")],
        id="by version",
    ),
    pytest.param(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules:\n"
        "- {apiGroups: [batch], resources: [jobs/status], resourceNames: [a, b]}",
        [("rules[0].resourceNames[0]", "a"), ("rules[0].resourceNames[1]", "b")],
        id="rules of a role",
    ),
]
LEFT_ALONE = [
    pytest.param(
        HEAD + "spec: {apiGroup: x.example.com, kind: Job, name: a}", id="a Job of another group"
    ),
    pytest.param(HEAD + "spec: {kind: CronJob, name: a}", id="another kind"),
    pytest.param(HEAD + "spec: {kind: Job, name: }", id="no name"),
    pytest.param(
        HEAD + "metadata: {ownerReferences: [{kind: Job, name: a}]}", id="an owner, who has a uid"
    ),
    pytest.param(HEAD + "status: {kind: Job, name: a}", id="what is only reported"),
    pytest.param(
        "apiVersion: batch/v1\nkind: Job\nspec: {ref: {kind: Job, name: a}}", id="a Job's own spec"
    ),
    pytest.param(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "spec: {patches: [{target: {kind: Job, name: a}}]}",
        id="a selector of a package's objects",
    ),
    pytest.param(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches: [{target: {kind: Job, name: a}}]",
        id="settings of a tool",
    ),
    pytest.param(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules:\n"
        "- {apiGroups: [''], resources: [jobs], resourceNames: [a]}",
        id="a rule for another group",
    ),
]


def find(text: str) -> list[tuple[str, str]]:
    node = read_yaml(text.encode()).roots[0]
    assert is_mapping(node)
    return [(one.field, one.target) for one in find_jobs(read_item(node))]


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert find(text) == expected


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_left_alone(text: str) -> None:
    assert find(text) == []


AFTER_THE_JOB = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: web-config, namespace: shop}
data: {LEVEL: info}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, namespace: shop}
spec: {template: {spec: {containers: [{name: app, image: app, envFrom: [{configMapRef: {name: web-config}}]}]}}}
---
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
  annotations:
    example.com/report: batch/namespaces/shop/Job/migrate
    config.kubernetes.io/depends-on: batch/namespaces/shop/Job/migrate
"""
RENAME_JOBS = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {jobs: rename, select: [{name: web-config}], linker: {enabled: false}}
"""


def test_only_the_annotation_of_kpt_follows() -> None:
    """Another annotation may say the same for a reader that nobody knows."""
    stdout = run(AFTER_THE_JOB.encode(), RENAME_JOBS.encode()).stdout
    named = {one["kind"]: one["metadata"] for one in yaml.load_all(stdout, yaml.CSafeLoader)}
    assert named["Job"]["name"].startswith("migrate-")
    assert named["Service"]["annotations"] == {
        "example.com/report": "batch/namespaces/shop/Job/migrate",
        "config.kubernetes.io/depends-on": f"batch/namespaces/shop/Job/{named['Job']['name']}",
    }
