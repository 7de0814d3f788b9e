"""The copies for hooks (`spec.hooks`) in a rendering: each mistake is found, with the configuration and without."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base import keys
from krm_fn.function import run
from krm_fn.tools.verify.verify import VerifyOptions
from tests.verify.judge import verify

PACKAGE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop}
data: {A: "x\\n", B: c}
binaryData: {bin: AAEC}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, envFrom: [{configMapRef: {name: web}}]}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, namespace: shop, annotations: {argocd.argoproj.io/hook: PreSync}}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: c, image: c, envFrom: [{configMapRef: {name: web}}]}]}
"""
CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {deployers: [argocd, flux], hooks: copy, linker: %s}
"""
LINKERS = {"job": '{image: "registry.example/krm-fn:0.2.0"}', "shared": "{run: shared}"}
ARGO_CD = "argocd.argoproj.io/"
Objects = list[dict[str, Any]]


def copy_of(objects: Objects) -> dict[str, Any]:
    (copy,) = (one for one in objects if one["metadata"]["name"] == "web-presync-shop")
    return copy


def metadata_of(objects: Objects) -> dict[str, Any]:
    metadata: dict[str, Any] = copy_of(objects)["metadata"]
    return metadata


def annotate(name: str, value: str) -> Callable[[Objects], None]:
    return lambda objects: metadata_of(objects)["annotations"].update({ARGO_CD + name: value})


def hook_reads(objects: Objects, name: str) -> None:
    (job,) = (one for one in objects if one["metadata"]["name"] == "migrate")
    container = job["spec"]["template"]["spec"]["containers"][0]
    container["envFrom"][0]["configMapRef"]["name"] = name


MISTAKES: dict[str, Callable[[Objects], object]] = {
    "it is gone": lambda objects: objects.remove(copy_of(objects)),
    "its data are those of an earlier rendering": lambda objects: copy_of(objects)["data"].update(
        A="old\n"
    ),
    "it lacks a key": lambda objects: copy_of(objects)["data"].pop("B"),
    "its bytes are those of an earlier rendering": lambda objects: copy_of(objects)[
        "binaryData"
    ].update(bin="AAAA"),
    "it has another name": lambda objects: metadata_of(objects).update(name="web-pre"),
    "it is no hook": lambda objects: metadata_of(objects)["annotations"].pop(f"{ARGO_CD}hook"),
    "it is a later hook": annotate("hook", "PostSync"),
    "it comes after the hook": annotate("sync-wave", "5"),
    "Argo CD deletes it before the hook": annotate("hook-delete-policy", "HookSucceeded"),
    "Argo CD keeps an old one": lambda objects: metadata_of(objects)["annotations"].pop(
        f"{ARGO_CD}hook-delete-policy"
    ),
    "it cannot change": lambda objects: copy_of(objects).update(immutable=True),
    "it is in another namespace": lambda objects: metadata_of(objects).update(namespace="other"),
    "its label is gone": lambda objects: metadata_of(objects)["labels"].pop(keys.COMPONENT),
    "the hook reads the base name": lambda objects: hook_reads(objects, "web"),
}


def rendered(linker: str) -> Objects:
    outcome = run(PACKAGE.encode(), (CONFIG % LINKERS[linker]).encode())
    assert outcome.exit_code == 0, outcome.stderr
    return [*yaml.load_all(outcome.stdout, yaml.CSafeLoader)]


def findings(objects: Objects, options: VerifyOptions) -> list[str]:
    envelope = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": objects}
    outcome = verify("-", json.dumps(envelope).encode(), options)
    return [line for line in outcome.stderr.splitlines() if line.startswith("error: ")]


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_found(what: str, linker: str, tmp_path: Path) -> None:
    (tmp_path / "krm-fn.yaml").write_text(CONFIG % LINKERS[linker])
    objects = rendered(linker)
    changed = deepcopy(objects)
    MISTAKES[what](changed)
    for options in (VerifyOptions(), VerifyOptions(str(tmp_path / "krm-fn.yaml"))):
        assert findings(objects, options) == []
        found = findings(changed, options)
        assert found
        assert not any("old" in line for line in found)  # no message shows content
