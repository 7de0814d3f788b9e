"""Hooks and workloads that start before what they read: who is waited for, and what that means."""

import re

import pytest

from krm_fn.function import run

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {%s, deployers: [%s], linker: {enabled: false}}
"""
PACKAGE = """\
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {argocd.argoproj.io/sync-wave: "1"}}, data: {a: b}}
---
apiVersion: %s
kind: %s
metadata: {name: early, annotations: {helm.sh/hook: pre-upgrade}}
spec: {template: {spec: {containers: [{name: app, %s}]}}}
"""
ENV = "envFrom: [{configMapRef: {name: a}}]"
OPTIONAL = "envFrom: [{configMapRef: {name: a, optional: true}}]"
BLOCKED, WARNED, FINE = "error", "warning", ""

EARLY = [
    pytest.param("argocd", "batch/v1", "Job", ENV, BLOCKED, id="Argo CD waits for a Job"),
    pytest.param(
        "argocd", "apps/v1", "Deployment", ENV, BLOCKED, id="Argo CD waits for a Deployment"
    ),
    pytest.param(
        "argocd", "argoproj.io/v1alpha1", "Rollout", ENV, BLOCKED, id="Argo CD waits for a Rollout"
    ),
    pytest.param(
        "argocd", "example.com/v1", "Widget", ENV, WARNED, id="nobody knows about other kinds"
    ),
    pytest.param(
        "argocd",
        "argoproj.io/v1alpha1",
        "WorkflowTemplate",
        ENV,
        FINE,
        id="a template starts no pods",
    ),
    pytest.param("argocd", "batch/v1", "CronJob", ENV, FINE, id="nor does a CronJob"),
    pytest.param(
        "argocd", "batch/v1", "Job", OPTIONAL, WARNED, id="pods start without what is optional"
    ),
    pytest.param("helm", "batch/v1", "Job", ENV, BLOCKED, id="Helm waits for a Job"),
    pytest.param(
        "helm", "apps/v1", "Deployment", ENV, FINE, id="Helm does not wait for a Deployment"
    ),
    pytest.param("helm", "example.com/v1", "Widget", ENV, FINE, id="Helm waits for nothing else"),
    pytest.param("kluctl", "batch/v1", "Job", ENV, BLOCKED, id="kluctl waits for a Job"),
    pytest.param(
        "kluctl", "apps/v1", "Deployment", ENV, BLOCKED, id="kluctl waits for a Deployment"
    ),
    pytest.param("flux", "batch/v1", "Job", ENV, FINE, id="Flux runs no hooks"),
    pytest.param("kpt, argocd", "batch/v1", "Job", ENV, BLOCKED, id="one deployer of several"),
]


@pytest.mark.parametrize(("deployer", "api_version", "kind", "reads", "severity"), EARLY)
def test_an_explicit_choice(
    deployer: str, api_version: str, kind: str, reads: str, severity: str
) -> None:
    package = PACKAGE % (api_version, kind, reads)
    outcome = run(package.encode(), (CONFIG % ("select: [{name: a}]", deployer)).encode())
    told = [line for line in outcome.stderr.splitlines() if "spec.deployers" in line]
    assert [line.partition(":")[0] for line in told] == ([severity] if severity else [])
    assert outcome.exit_code == int(severity == BLOCKED)


@pytest.mark.parametrize(("deployer", "api_version", "kind", "reads", "severity"), EARLY)
def test_the_default(deployer: str, api_version: str, kind: str, reads: str, severity: str) -> None:
    package = PACKAGE % (api_version, kind, reads)
    outcome = run(package.encode(), (CONFIG % ("strategy: rename", deployer)).encode())
    assert ("left unchanged" in outcome.stderr) == bool(severity)
    assert ("name: a-" in outcome.stdout.decode()) != bool(severity)
    assert outcome.exit_code == 0


@pytest.mark.parametrize(
    ("spec", "exit_code"),
    [
        pytest.param("select: [{strategy: adopt}]", 0, id="an adopted name does not change"),
        pytest.param("select: [{strategy: checksum}]", 0, id="nor one with a checksum"),
        pytest.param("select: [{}], exclude: [{name: a}]", 0, id="nor one that is excluded"),
        pytest.param("select: [{}]", 1, id="a renamed one does"),
    ],
)
def test_only_a_new_name_is_early(spec: str, exit_code: int) -> None:
    package = PACKAGE % ("batch/v1", "Job", ENV)
    assert run(package.encode(), (CONFIG % (spec, "argocd")).encode()).exit_code == exit_code


def test_a_reader_is_told_once_and_by_its_worst_reference() -> None:
    reads = "envFrom: [{configMapRef: {name: a, optional: true}}, {configMapRef: {name: a}}, {configMapRef: {name: a}}]"
    package = PACKAGE % ("batch/v1", "Job", reads)
    outcome = run(package.encode(), (CONFIG % ("select: [{}]", "argocd, helm")).encode())
    (told,) = [line for line in outcome.stderr.splitlines() if "spec.deployers" in line]
    assert told.startswith(
        "error: Job/early spec.template.spec.containers[0].envFrom[1].configMapRef.name: is a pre-"
    )


def test_a_mount_into_a_hook_is_early_as_well() -> None:
    package = PACKAGE % ("batch/v1", "Job", "image: app")
    spec = "select: [{}], mounts: [{kind: Job, configMap: a, path: /etc/a}]"
    outcome = run(package.encode(), (CONFIG % (spec, "argocd")).encode())
    assert "error: Job/early spec.template.spec.volumes: is a pre-upgrade hook" in outcome.stderr


def test_what_an_earlier_run_renamed_is_an_error_too() -> None:
    """It stays a revision, so the next change of its content would block."""
    package = PACKAGE % ("batch/v1", "Job", ENV)
    renamed = run(package.encode(), (CONFIG % ("select: [{}]", "flux")).encode())
    again = run(renamed.stdout, (CONFIG % ("strategy: rename", "argocd")).encode())
    assert (renamed.exit_code, again.exit_code) == (0, 1)
    assert "which Argo CD (spec.deployers) runs before it applies ConfigMap/a:" in again.stderr


@pytest.mark.parametrize("spec", ["strategy: rename", "select: [{}]"])
def test_a_pin_on_what_is_there_already_is_not_early(spec: str) -> None:
    config, hook = (PACKAGE % ("batch/v1", "Job", ENV)).split("---\n")
    web = hook.replace("Job", "CronJob").replace("early", "web")
    renamed = run(
        f"{config}---\n{web}".encode(), (CONFIG % (spec, "argocd")).encode()
    ).stdout.decode()
    (name,) = re.findall(r"configMapRef: {name: (a-\w+)}", renamed)
    pinned = f"{config}---\n{web}---\n{hook.replace('{name: a}', f'{{name: {name}}}')}"
    outcome = run(pinned.encode(), (CONFIG % (spec, "argocd")).encode())
    assert (outcome.exit_code, outcome.stdout.decode().count(name)) == (0, 3)
