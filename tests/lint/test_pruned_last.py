"""Argo CD's `PruneLast=true`, where a canary would hold up each sync."""

import pytest

from krm_fn.function import run

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {deployers: [%s], linker: {%s, namespace: shop}}
"""
WORKLOAD = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: web-config}
data: {A: a}
---
apiVersion: %s
kind: %s
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: web, envFrom: [{configMapRef: {name: web-config}}]}]}
---
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop}
spec: {syncPolicy: {syncOptions: [FailOnSharedResource=true, %s]}}
"""
APPLICATION_SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: shop}
spec: {template: {spec: {syncPolicy: {syncOptions: [%s]}}}}
"""
OPTION = "PruneLast=true"
JOB = "image: registry.example/krm-fn"
ROLLOUT, DEPLOYMENT = ("argoproj.io/v1alpha1", "Rollout"), ("apps/v1", "Deployment")

WARNED = [
    (APPLICATION, "Application/shop spec.syncPolicy.syncOptions[1]"),
    (APPLICATION_SET, "ApplicationSet/shop spec.template.spec.syncPolicy.syncOptions[0]"),
]
FINE: dict[str, tuple[tuple[str, str], str, str, str]] = {
    "another option": (ROLLOUT, "PrunePropagationPolicy=foreground", "argocd", JOB),
    "turned off": (ROLLOUT, "PruneLast=false", "argocd", JOB),
    "no canary": (DEPLOYMENT, OPTION, "argocd", JOB),
    "another deployer": (ROLLOUT, OPTION, "flux", JOB),
    "no linker, so no Job": (ROLLOUT, OPTION, "argocd", "enabled: false"),
    "no Job of its own": (ROLLOUT, OPTION, "argocd", "run: shared"),
}


def said(
    application: str, workload: tuple[str, str], option: str, deployer: str, linker: str
) -> str:
    package = WORKLOAD % workload + application % option
    outcome = run(package.encode(), config=(CONFIG % (deployer, linker)).encode())
    assert outcome.exit_code == 0, outcome.stderr
    return outcome.stderr


@pytest.mark.parametrize(("application", "field"), WARNED)
def test_pruning_last_is_warned_about(application: str, field: str) -> None:
    assert f"warning: {field}: Argo CD prunes the linker's former Job with each release" in said(
        application, ROLLOUT, OPTION, "argocd", JOB
    )


@pytest.mark.parametrize("case", FINE.values(), ids=FINE)
def test_what_nothing_waits_for_is_not_warned_about(
    case: tuple[tuple[str, str], str, str, str],
) -> None:
    workload, option, deployer, linker = case
    assert "PruneLast" not in said(APPLICATION, workload, option, deployer, linker)
