"""Pod templates are found in objects of any kind."""

import pytest

from krm_fn.base.item import read_item
from krm_fn.base.node import is_mapping
from krm_fn.base.pods import find_pod_specs
from krm_fn.core.yaml.reader import read_yaml

CASES = [
    pytest.param("kind: Pod\nspec: {containers: [{name: a}]}", ["spec"], id="a Pod"),
    pytest.param(
        "kind: Deployment\nspec: {template: {spec: {containers: []}}}",
        ["spec.template.spec"],
        id="a template",
    ),
    pytest.param(
        "kind: CronJob\nspec: {jobTemplate: {spec: {template: {spec: {containers: []}}}}}",
        ["spec.jobTemplate.spec.template.spec"],
        id="a template in a template",
    ),
    pytest.param(
        "kind: RayCluster\nspec:\n  headGroupSpec: {template: {spec: {containers: []}}}\n"
        "  workerGroupSpecs: [{template: {spec: {containers: []}}}]",
        ["spec.headGroupSpec.template.spec", "spec.workerGroupSpecs[0].template.spec"],
        id="several templates",
    ),
    pytest.param(
        "kind: PodTemplate\ntemplate: {spec: {containers: []}}",
        ["template.spec"],
        id="a template at the top",
    ),
    pytest.param(
        "kind: Rollout\nspec: {workloadRef: {name: a}}", [], id="a Rollout whose pods are another's"
    ),
    pytest.param("kind: Pod\nspec: text", [], id="a Pod whose spec is text"),
    pytest.param(
        "kind: X\nspec: {template: {spec: {containers: {}}}}", [], id="containers that are no list"
    ),
    pytest.param(
        "kind: X\nstatus: {template: {spec: {containers: []}}}\nmetadata: {template: {spec: {containers: []}}}",
        [],
        id="status and metadata",
    ),
    pytest.param(
        "kind: StatefulSet\nspec: {volumeClaimTemplates: [{spec: {}}]}", [], id="claims are no pods"
    ),
]


@pytest.mark.parametrize(("text", "fields"), CASES)
def test_fields(text: str, fields: list[str]) -> None:
    node = read_yaml(text.encode()).roots[0]
    assert is_mapping(node)
    assert [pod.field for pod in find_pod_specs(read_item(node))] == fields


def test_containers_come_with_their_places() -> None:
    text = b"kind: Pod\nspec:\n  containers: [{name: a}, text, {}]\n  initContainers: [{name: b}]"
    node = read_yaml(text).roots[0]
    assert is_mapping(node)
    (pod,) = find_pod_specs(read_item(node))
    found = [(one.list_name, one.position, one.name) for one in pod.containers]
    assert found == [("initContainers", 0, "b"), ("containers", 0, "a"), ("containers", 2, "")]
