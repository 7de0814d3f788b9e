"""Which words of an object count as possible names."""

from typing import Any

import pytest

from krm_fn.linker.read import possible_names

NAME = "web-config-bbbbbbbbbb"


def in_pod(**spec: Any) -> dict[str, Any]:
    return {"kind": "Deployment", "spec": {"template": {"spec": spec}}}


def in_container(**fields: Any) -> dict[str, Any]:
    return in_pod(containers=[{"name": "web", **fields}])


def annotated(text: str, key: str = "example.com/config") -> dict[str, Any]:
    return {"metadata": {"annotations": {key: text}}}


FOUND = [
    pytest.param(in_pod(volumes=[{"name": "v", "configMap": {"name": NAME}}]), id="a volume"),
    pytest.param(
        in_pod(volumes=[{"name": "v", "secret": {"secretName": NAME}}]), id="a Secret's volume"
    ),
    pytest.param(
        in_pod(volumes=[{"name": "v", "projected": {"sources": [{"configMap": {"name": NAME}}]}}]),
        id="a projected volume",
    ),
    pytest.param(
        in_pod(volumes=[{"name": "v", "csi": {"volumeAttributes": {"any": NAME}}}]),
        id="a field of a CSI driver",
    ),
    pytest.param(in_pod(imagePullSecrets=[{"name": NAME}]), id="a pull secret"),
    pytest.param(in_container(envFrom=[{"configMapRef": {"name": NAME}}]), id="envFrom"),
    pytest.param(
        in_container(
            env=[{"name": "A", "valueFrom": {"configMapKeyRef": {"name": NAME, "key": "k"}}}]
        ),
        id="env",
    ),
    pytest.param(in_container(env=[{"name": "A", "value": NAME}]), id="the value of a variable"),
    pytest.param(
        in_container(args=[f"--config=configmap/{NAME}", "x"]), id="a word in an argument"
    ),
    pytest.param(
        in_container(args=[f"--workload=v1/Pod/x=ConfigMap/a,Secret/{NAME}"]),
        id="a linker's argument",
    ),
    pytest.param(
        in_container(command=["sh", "-c", f"get '{NAME}'."]), id="a word of a command, in quotes"
    ),
    pytest.param(in_container(args=[f"ConfigMap.{NAME}.svc"]), id="between dots"),
    pytest.param({"spec": {"template": annotated(NAME)}}, id="an annotation of the pod template"),
    pytest.param(annotated(f"shop/{NAME}"), id="an annotation of the object itself"),
    pytest.param(
        {"data": {"spec": {"template": {"config": NAME}}}}, id="the data of a ControllerRevision"
    ),
    pytest.param({"spec": {"deep": [[{"a": [NAME]}]]}}, id="a list in a list"),
    pytest.param({"webhooks": [{"secret": NAME}]}, id="a field beside spec"),
]

NOT_FOUND = [
    pytest.param({"metadata": {"name": NAME}}, id="its own name"),
    pytest.param({"metadata": {"labels": {"a": NAME}}}, id="its labels"),
    pytest.param({"metadata": {"ownerReferences": [{"name": NAME}]}}, id="its owners"),
    pytest.param({"status": {"last": NAME}}, id="its status"),
    pytest.param(
        annotated(NAME, "kubectl.kubernetes.io/last-applied-configuration"),
        id="the last-applied annotation of kubectl",
    ),
    pytest.param({"spec": {"text": f"{NAME}2"}}, id="a longer word"),
    pytest.param({"spec": {"text": f"my-{NAME}"}}, id="a word that ends with it"),
    pytest.param({"spec": {NAME: "x"}}, id="a key"),
    pytest.param(
        {"spec": {"count": 3, "on": True, "nothing": None}}, id="values that are not text"
    ),
    pytest.param({"metadata": {"annotations": None}}, id="annotations that are null"),
    pytest.param({}, id="an empty object"),
]

OTHER_FIELDS = [
    pytest.param(in_container(image=f"registry/{NAME}"), id="an image"),
    pytest.param(
        in_container(volumeMounts=[{"name": NAME, "mountPath": f"/{NAME}"}]), id="a mount"
    ),
    pytest.param(in_pod(volumes=[{"name": NAME, "emptyDir": {}}]), id="the name of a volume"),
    pytest.param(in_pod(containers=[{"name": NAME}]), id="the name of a container"),
    pytest.param(in_pod(initContainers=[{"name": NAME}]), id="the name of an init container"),
    pytest.param(
        in_pod(ephemeralContainers=[{"name": NAME}]), id="the name of an ephemeral container"
    ),
    pytest.param(
        in_container(ports=[{"name": NAME, "containerPort": 80}]), id="the name of a port"
    ),
    pytest.param(in_container(volumeDevices=[{"name": NAME, "devicePath": "/x"}]), id="a device"),
    pytest.param(in_container(env=[{"name": NAME, "value": "x"}]), id="the name of a variable"),
    pytest.param(in_pod(serviceAccountName=NAME), id="a ServiceAccount"),
    pytest.param(in_pod(nodeSelector={"pool": NAME}), id="a node selector"),
    pytest.param({"spec": {"selector": {"matchLabels": {"app": NAME}}}}, id="a selector"),
    pytest.param({"spec": {"serviceName": NAME}}, id="a Service"),
]


@pytest.mark.parametrize("item", FOUND)
@pytest.mark.parametrize("has_pod_spec", [True, False], ids=["a known kind", "any other kind"])
def test_a_name_in_these_places_is_found(item: dict[str, Any], *, has_pod_spec: bool) -> None:
    assert NAME in set(possible_names(item, has_pod_spec=has_pod_spec))


@pytest.mark.parametrize("item", NOT_FOUND)
@pytest.mark.parametrize("has_pod_spec", [True, False], ids=["a known kind", "any other kind"])
def test_a_name_in_these_places_does_not_count(item: dict[str, Any], *, has_pod_spec: bool) -> None:
    assert NAME not in set(possible_names(item, has_pod_spec=has_pod_spec))


@pytest.mark.parametrize("item", OTHER_FIELDS)
def test_fields_with_another_meaning_count_only_in_unknown_kinds(item: dict[str, Any]) -> None:
    assert NAME not in set(possible_names(item, has_pod_spec=True))
    assert NAME in set(possible_names(item, has_pod_spec=False))
