"""Which pod templates an API server stores alike, so that nothing rolls when one replaces the other."""

import pytest

from krm_fn.base.kind import Kinds
from krm_fn.base.node import FieldPath
from krm_fn.base.problem import ResourceId
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.tools.common.stored import find_refusal, is_stored_alike

DEPLOYMENT = ResourceId("apps/v1", "Deployment", "shop", "web")
WIDGET = ResourceId("example.com/v1", "Widget", "shop", "web")


def is_alike(old: str, new: str, who: ResourceId = DEPLOYMENT) -> bool:
    before, after = (read_yaml(text.encode()).roots[0] for text in (old, new))
    assert before is not None
    assert after is not None
    return is_stored_alike(before, after, who)


def pod(field: str) -> str:
    return f"spec: {{a: b, {field}}}"


def container(field: str) -> str:
    return f"spec: {{containers: [{{name: web, {field}}}]}}"


NOTHING = "x: null"
CONTAINER, POD = container(NOTHING), pod(NOTHING)

ALIKE = [
    pytest.param(POD, pod("dnsPolicy: ClusterFirst"), id="a default"),
    pytest.param(POD, pod("hostNetwork: false"), id="a switch that is off"),
    pytest.param(
        container("ports: [{containerPort: 80}]"),
        container("ports: [{containerPort: 80, hostPort: 0}]"),
        id="a number that is 0",
    ),
    pytest.param(POD, pod("tolerations: []"), id="an empty list"),
    pytest.param(POD, pod("securityContext: {}"), id="an empty security context of a pod"),
    pytest.param(CONTAINER, container("resources: {}"), id="an empty mapping"),
    pytest.param(CONTAINER, container("resources: {limits: {}}"), id="an empty one in another"),
    pytest.param(
        container("resources: {limits: {cpu: 1000m}}"),
        container("resources: {limits: {cpu: '1'}}"),
        id="a quantity in another spelling",
    ),
    pytest.param(
        container("image: 'web:1'"),
        container("image: 'web:1', imagePullPolicy: IfNotPresent"),
        id="how an image with a tag is pulled",
    ),
    pytest.param(
        container("image: web"),
        container("image: web, imagePullPolicy: Always"),
        id="how an image without a tag is pulled",
    ),
]

DIFFERENT = [
    pytest.param(
        container("resources: {limits: {a: 1}}"),
        container("resources: {limits: {a: 1, cpu: 0}}"),
        id="a limit that is 0",
    ),
    pytest.param(
        "metadata: {labels: {a: b}}", "metadata: {labels: {a: b, c: ''}}", id="an empty label"
    ),
    pytest.param(container("args: [a]"), container("args: [a, '']"), id="an empty argument"),
    pytest.param(container("args: [1]"), container("args: ['1']"), id="a number and a text"),
    pytest.param(container("args: [a, b]"), container("args: [b, a]"), id="another order"),
    pytest.param(POD, pod("enableServiceLinks: false"), id="a switch that is on where not written"),
    pytest.param(
        CONTAINER, container("securityContext: {}"), id="an empty security context of a container"
    ),
    pytest.param(
        pod("volumes: [{name: a, configMap: {name: a}}]"),
        pod("volumes: [{name: a, configMap: {name: a}, emptyDir: {}}]"),
        id="an empty mapping that chooses",
    ),
    pytest.param(
        container("image: 'web:1'"),
        container("image: 'web:1', imagePullPolicy: Always"),
        id="another way to pull an image",
    ),
    pytest.param(
        pod("serviceAccountName: web"), pod("serviceAccountName: api"), id="another account"
    ),
]

OF_CUSTOM_RESOURCES = [
    pytest.param(POD, pod("hostNetwork: false"), id="a switch that is off"),
    pytest.param(POD, pod("dnsPolicy: ClusterFirst"), id="a default"),
    pytest.param(CONTAINER, container("resources: {}"), id="an empty mapping"),
    pytest.param(
        container("resources: {limits: {cpu: 1000m}}"),
        container("resources: {limits: {cpu: '1'}}"),
        id="a quantity in another spelling",
    ),
]


@pytest.mark.parametrize(("old", "new"), ALIKE)
def test_stored_alike(old: str, new: str) -> None:
    assert is_alike(old, new)
    assert is_alike(new, old)


def test_an_account_that_is_no_longer_written_stays() -> None:
    both = pod("serviceAccountName: web, serviceAccount: web")
    assert is_alike(both, POD)
    assert not is_alike(both, pod("serviceAccountName: web"))
    assert not is_alike(POD, both)


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_stored_in_another_way(old: str, new: str) -> None:
    assert not is_alike(old, new)
    assert not is_alike(new, old)


@pytest.mark.parametrize(("old", "new"), OF_CUSTOM_RESOURCES)
def test_of_a_custom_resource_every_spelling_may_roll(old: str, new: str) -> None:
    assert not is_alike(old, new, WIDGET)


@pytest.mark.parametrize(
    ("place", "is_asked"),
    [
        pytest.param((), True, id="nobody knows where the two differ"),
        pytest.param(("spec", "selector", "matchLabels", "app"), True, id="in the field"),
        pytest.param(("spec", "selector"), True, id="the field"),
        pytest.param(("spec",), True, id="around the field"),
        pytest.param(("spec", "replicas"), True, id="beside the field, where a default may say so"),
        pytest.param(("spec", "template", "spec", "volumes", 0, "name"), False, id="elsewhere"),
    ],
)
def test_a_fixed_field_is_compared_where_the_objects_may_differ_in_it(
    place: FieldPath, is_asked: bool
) -> None:
    text = b"""
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {selector: {matchLabels: {app: %s}}}
"""
    before, after = (open_envelope(read_yaml(text % app)).items[0] for app in (b"web", b"other"))
    found = find_refusal(before, after, Kinds(), has_new_content=False, unlike=(place,))
    assert found == ("spec.selector.matchLabels.app" if is_asked else None)
