"""The account for all linkers of a namespace, as kustomize builds it."""

import subprocess

import yaml

from tests.cluster.linker_job import ROOT
from tests.tools.require import require


def test_kustomize_puts_the_account_its_role_and_its_subject_into_the_namespace() -> None:
    folder = ROOT / "examples/linker-rbac/shop"
    command = [str(require("kustomize")), "build", str(folder)]
    built = subprocess.run(command, capture_output=True, check=True).stdout
    objects = {one["kind"]: one for one in yaml.safe_load_all(built)}
    assert [*objects] == ["ServiceAccount", "Role", "RoleBinding"]
    assert {one["metadata"]["namespace"] for one in objects.values()} == {"shop"}
    subject = {"kind": "ServiceAccount", "name": "krm-fn-linker", "namespace": "shop"}
    assert objects["RoleBinding"]["subjects"] == [subject]


def test_kustomize_puts_the_one_linker_and_its_image_into_the_namespace() -> None:
    folder = ROOT / "examples/linker-shared/shop"
    command = [str(require("kustomize")), "build", str(folder)]
    built = subprocess.run(command, capture_output=True, check=True).stdout
    objects = {one["kind"]: one for one in yaml.safe_load_all(built)}
    assert [*objects] == ["ServiceAccount", "Role", "RoleBinding", "CronJob"]
    assert {one["metadata"]["namespace"] for one in objects.values()} == {"shop"}
    subject = {"kind": "ServiceAccount", "name": "krm-fn-linker", "namespace": "shop"}
    assert objects["RoleBinding"]["subjects"] == [subject]
    pod = objects["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == "krm-fn-linker"
    assert pod["containers"][0]["image"] == "registry.example/krm-fn:0.2.0"
