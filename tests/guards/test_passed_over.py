"""What a deployer does not apply: the guard and verify say it alike, of each kind that krm-fn makes."""

import json

import pytest
import yaml

from krm_fn.base.kind import DEPLOYERS, Instruction, who_may_apply
from krm_fn.function import run
from krm_fn.tools.verify.verify import VerifyOptions
from tests.verify.judge import verify

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {{name: shop}}
spec:
  kinds: [ConfigMap, Secret]
  deployers: [{deployer}]
  linker: {{image: "registry.example/krm-fn:0.2.0", schedule: "@hourly"}}
"""
PACKAGE = """\
apiVersion: v1
kind: {kind}
metadata: {{name: web, namespace: shop, annotations: {annotations}}}
data: {{a: Yg==}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: web, image: web, envFrom: [{{{reference}: {{name: web}}}}]}}]}}
"""
FLUX = "kustomize.toolkit.fluxcd.io"
ROWS = [
    pytest.param(name, deployer.name, one, id=f"{deployer.name} {one.annotation} {one.says}")
    for name in DEPLOYERS
    for deployer in who_may_apply([name])
    for one in deployer.passes_over
    if deployer.name == DEPLOYERS[name].name or name == "argocd"
]


def rendered(deployer: str, kind: str, annotations: dict[str, str]) -> tuple[str, str]:
    reference = {"ConfigMap": "configMapRef", "Secret": "secretRef"}[kind]
    package = PACKAGE.format(kind=kind, annotations=json.dumps(annotations), reference=reference)
    outcome = run(package.encode(), CONFIG.format(deployer=deployer).encode())
    return outcome.stdout.decode(), outcome.stderr


def verified(deployer: str, text: str) -> str:
    return verify("-", text.encode(), VerifyOptions(deployers=(deployer,))).stderr


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
@pytest.mark.parametrize(("deployer", "called", "row"), ROWS)
def test_the_guard_and_verify_say_it_alike(
    deployer: str, called: str, row: Instruction, kind: str
) -> None:
    marks = {row.annotation: ",".join(row.says)}
    says = f"{called} {row.does}"
    stdout, stderr = rendered(deployer, kind, marks)
    assert f"{kind}/shop/web" in stderr
    assert f"left unchanged: {says} (metadata.annotations[{row.annotation}])" in stderr
    assert "revisions.krm-fn.io/base-name" not in stdout
    plain, _ = rendered(deployer, kind, {})
    objects = [*yaml.safe_load_all(plain)]
    ours = [
        one for one in objects if "revisions.krm-fn.io/set" in one["metadata"].get("labels", {})
    ]
    made = {"ServiceAccount", "Role", "RoleBinding", "ConfigMap", "CronJob", "Job", kind}
    assert {one["kind"] for one in ours} == made
    for one in ours:
        one["metadata"].setdefault("annotations", {})[row.annotation] = marks[row.annotation]
    found = verified(deployer, yaml.safe_dump_all(objects)).splitlines()
    told = [line for line in found if line.endswith(f": {says}; remove this")]
    # By kind: the hash of a Secret is not printed.
    kinds = [line.removeprefix("error: ").partition("/")[0] for line in told]
    assert sorted(kinds) == sorted(one["kind"] for one in ours)
    assert all(f" metadata.annotations[{row.annotation}] " in line for line in told)


CONTRADICTIONS = [
    pytest.param("flux", f"{FLUX}/prune", "enabled", id="Flux prunes it"),
    pytest.param("argocd", "argocd.argoproj.io/sync-options", "Prune=true", id="Argo CD does"),
    pytest.param("kapp", "kapp.k14s.io/delete-strategy", "delete", id="kapp does"),
]


@pytest.mark.parametrize(("deployer", "annotation", "value"), CONTRADICTIONS)
def test_what_contradicts_the_protection_is_said_by_both(
    deployer: str, annotation: str, value: str
) -> None:
    stdout, stderr = rendered(deployer, "ConfigMap", {annotation: value})
    says = f"'{value}': {deployer} may prune it while pods use it"
    assert f"metadata.annotations[{annotation}]" in stderr
    assert says in stderr
    assert says in verified(deployer, stdout)


APPLIED = [
    pytest.param("argocd", "argocd.argoproj.io/sync-options", "Replace=true", id="a PUT keeps it"),
    pytest.param("argocd", "argocd.argoproj.io/sync-options", "Force=true", id="nothing refuses"),
    pytest.param("argocd", f"{FLUX}/ssa", "IfNotPresent", id="Argo CD reads no word of Flux"),
    pytest.param("flux", f"{FLUX}/ssa", "Merge", id="Flux applies what others write to"),
]


@pytest.mark.parametrize(("deployer", "annotation", "value"), APPLIED)
def test_what_is_applied_is_renamed(deployer: str, annotation: str, value: str) -> None:
    stdout, stderr = rendered(deployer, "ConfigMap", {annotation: value})
    assert "revisions.krm-fn.io/base-name" in stdout
    assert "left unchanged" not in stderr
