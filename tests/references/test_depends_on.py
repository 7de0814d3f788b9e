"""kpt's list of what is applied before an object follows the names in it, unless another step changes that text."""

import json
import re
from typing import Any

import pytest

from krm_fn.function import run

CONFIG = {
    "apiVersion": "revisions.krm-fn.io/v1",
    "kind": "ConfigRevisions",
    "metadata": {"name": "shop"},
    "spec": {"kinds": ["ConfigMap", "Secret"], "linker": {"enabled": False}},
}
WEB, LOGIN = "/namespaces/shop/ConfigMap/web", "/namespaces/shop/Secret/login"
JOB = "batch/namespaces/shop/Job/migrate"


def _object(api_version: str, kind: str, name: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop", **more.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def _rendered(said: str) -> bytes:
    reads = [{"configMapRef": {"name": "web"}}, {"secretRef": {"name": "login"}}]
    spec = {"containers": [{"name": "c", "image": "registry.example/c:1", "envFrom": reads}]}
    items = [
        _object("v1", "ConfigMap", "web", data={"a": "b"}),
        _object("v1", "Secret", "login", stringData={"a": "b"}),
        _object("v1", "Pod", "p", spec=spec),
        _object(
            "v1",
            "Service",
            "s",
            metadata={"annotations": {"config.kubernetes.io/depends-on": said}},
        ),
    ]
    envelope = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": CONFIG,
        "items": items,
    }
    return run(json.dumps(envelope).encode()).stdout


def _list_in(rendering: bytes) -> str:
    (said,) = re.findall(rb'depends-on": "([^"]*)"', rendering)
    return re.sub(r"-[a-z0-9]{10}(?=$|[,\s])", "-HASH", bytes(said).decode())


LISTS = [
    pytest.param(WEB, f"{WEB}-HASH", id="a ConfigMap"),
    pytest.param(f"{LOGIN}, {WEB}", f"{LOGIN}-HASH, {WEB}-HASH", id="one of each kind"),
    pytest.param(
        f"apps/namespaces/shop/Deployment/web,{WEB}",
        f"apps/namespaces/shop/Deployment/web,{WEB}-HASH",
        id="an object of another kind",
    ),
    pytest.param("/Namespace/shop", "/Namespace/shop", id="an object of no namespace"),
    pytest.param(f"{JOB},{WEB}", f"{JOB},{WEB}", id="a Job, which another step may name"),
    pytest.param(
        WEB.replace("shop", "bank"), WEB.replace("shop", "bank"), id="of another namespace"
    ),
]


@pytest.mark.parametrize(("said", "expected"), LISTS)
def test_a_name_in_the_list_follows(said: str, expected: str) -> None:
    once = _rendered(said)
    assert _list_in(once) == expected
    assert run(once).stdout == once
