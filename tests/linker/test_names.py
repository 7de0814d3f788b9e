"""Which words of an object may be names."""

from typing import Any

import pytest

from krm_fn.linker.names import words_of

NAME = "web-config-bbbbbbbbbb"


def in_pod(**spec: Any) -> dict[str, Any]:
    return {"kind": "Deployment", "spec": {"template": {"spec": spec}}}


def in_container(**fields: Any) -> dict[str, Any]:
    return in_pod(containers=[{"name": "web", **fields}])


def annotated(text: str, key: str = "example.com/config") -> dict[str, Any]:
    return {"metadata": {"annotations": {key: text}}}


HELD = [
    pytest.param(in_pod(volumes=[{"name": "v", "configMap": {"name": NAME}}]), id="a volume"),
    pytest.param(in_pod(volumes=[{"name": "v", "secret": {"secretName": NAME}}]), id="a Secret's volume"),
    pytest.param(
        in_pod(volumes=[{"name": "v", "projected": {"sources": [{"configMap": {"name": NAME}}]}}]),
        id="a projected volume",
    ),
    pytest.param(
        in_pod(volumes=[{"name": "v", "csi": {"volumeAttributes": {"any": NAME}}}]), id="a driver's own field"
    ),
    pytest.param(in_pod(imagePullSecrets=[{"name": NAME}]), id="a pull secret"),
    pytest.param(in_container(envFrom=[{"configMapRef": {"name": NAME}}]), id="envFrom"),
    pytest.param(
        in_container(env=[{"name": "A", "valueFrom": {"configMapKeyRef": {"name": NAME, "key": "k"}}}]), id="env"
    ),
    pytest.param(in_container(env=[{"name": "A", "value": NAME}]), id="the text of a variable"),
    pytest.param(in_container(args=[f"--config=configmap/{NAME}", "x"]), id="a word in an argument"),
    pytest.param(in_container(args=[f"--workload=v1/Pod/x=ConfigMap/a,Secret/{NAME}"]), id="a linker's argument"),
    pytest.param(in_container(command=["sh", "-c", f"get '{NAME}'."]), id="a word of a command, in quotes"),
    pytest.param(in_container(args=[f"ConfigMap.{NAME}.svc"]), id="between dots"),
    pytest.param({"spec": {"template": annotated(NAME)}}, id="an annotation of the pods"),
    pytest.param(annotated(f"shop/{NAME}"), id="an annotation of the object itself"),
    pytest.param({"data": {"spec": {"template": {"config": NAME}}}}, id="the data of a ControllerRevision"),
    pytest.param({"spec": {"deep": [[{"a": [NAME]}]]}}, id="a list in a list"),
    pytest.param({"webhooks": [{"secret": NAME}]}, id="a field beside spec"),
]

NOT_HELD = [
    pytest.param({"metadata": {"name": NAME}}, id="its own name"),
    pytest.param({"metadata": {"labels": {"a": NAME}}}, id="its labels"),
    pytest.param({"metadata": {"ownerReferences": [{"name": NAME}]}}, id="its owners"),
    pytest.param({"status": {"last": NAME}}, id="its status"),
    pytest.param(annotated(NAME, "kubectl.kubernetes.io/last-applied-configuration"), id="what kubectl remembers"),
    pytest.param({"spec": {"text": f"{NAME}2"}}, id="a longer word"),
    pytest.param({"spec": {"text": f"my-{NAME}"}}, id="a word that ends in it"),
    pytest.param({"spec": {NAME: "x"}}, id="a key"),
    pytest.param({"spec": {"count": 3, "on": True, "nothing": None}}, id="what is no text"),
    pytest.param({"metadata": {"annotations": None}}, id="annotations that are null"),
    pytest.param({}, id="an object that has nothing"),
]

OTHER_FIELDS = [
    pytest.param(in_container(image=f"registry/{NAME}"), id="an image"),
    pytest.param(in_container(volumeMounts=[{"name": NAME, "mountPath": f"/{NAME}"}]), id="a mount"),
    pytest.param(in_pod(volumes=[{"name": NAME, "emptyDir": {}}]), id="the name of a volume"),
    pytest.param(in_pod(containers=[{"name": NAME}]), id="the name of a container"),
    pytest.param(in_pod(serviceAccountName=NAME), id="a ServiceAccount"),
    pytest.param(in_pod(nodeSelector={"pool": NAME}), id="a node selector"),
    pytest.param({"spec": {"selector": {"matchLabels": {"app": NAME}}}}, id="a selector"),
    pytest.param({"spec": {"serviceName": NAME}}, id="a Service"),
]


@pytest.mark.parametrize("item", HELD)
@pytest.mark.parametrize("in_pods", [True, False], ids=["a known kind", "any other kind"])
def test_held(item: dict[str, Any], *, in_pods: bool) -> None:
    assert NAME in set(words_of(item, in_pods=in_pods))


@pytest.mark.parametrize("item", NOT_HELD)
@pytest.mark.parametrize("in_pods", [True, False], ids=["a known kind", "any other kind"])
def test_not_held(item: dict[str, Any], *, in_pods: bool) -> None:
    assert NAME not in set(words_of(item, in_pods=in_pods))


@pytest.mark.parametrize("item", OTHER_FIELDS)
def test_a_field_that_says_something_else_counts_only_in_kinds_we_do_not_know(item: dict[str, Any]) -> None:
    assert NAME not in set(words_of(item, in_pods=True))
    assert NAME in set(words_of(item, in_pods=False))
