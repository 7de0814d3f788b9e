"""Hooks of a chart that read a renamed object: Helm 3 passes them to no post-renderer, Helm 4 does.

The helm is a script; `tests/integration/test_helm.py` shows with a real one that hooks are lost.
"""

from pathlib import Path

import pytest

from krm_fn.cli.main import main
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.opened.sources import Inputs
from tests.builds.test_builds import install
from tests.render.run import render, write

CHART = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: web-config, namespace: shop}
data: {LEVEL: info}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: a, image: a, envFrom: [{configMapRef: {name: web-config}}]}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: warm, namespace: shop, annotations: {ANNOTATION}}
spec: {template: {spec: {containers: [{name: a, image: a, envFrom: [{configMapRef: {name: NAME}}]}]}}}
"""
HELM = """#!/bin/sh
case "$1" in
version) echo VERSION;;
*) while read -r line; do echo "$line"; done < CHART;;
esac
"""
CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {deployers: [DEPLOYER], strict: STRICT, hooks: HOOKS, linker: {enabled: false}}
"""
HOOK = "helm.sh/hook: post-upgrade"
FIELD = "spec.template.spec.containers[0].envFrom[0].configMapRef.name"
SAID = (
    "Helm 3 passes no hooks to a post-renderer, so this one would look for web-config, which does not exist: annotate "
    "ConfigMap/shop/web-config with revisions.krm-fn.io/strategy: ignore, or use Helm 4"
)


def prepare(  # noqa: PLR0913, PLR0917  # what a row is about
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str = "v3.22.0",
    annotation: str = HOOK,
    name: str = "web-config",
    deployer: str = "helm",
    *,
    hooks: str = "leave",
    strict: bool = False,
) -> Inputs:
    printed = folder / "printed.yaml"
    printed.write_text(CHART.replace("ANNOTATION", annotation).replace("NAME", name))
    config = CONFIG.replace("DEPLOYER", deployer).replace("STRICT", str(strict).lower())
    config = config.replace("HOOKS", hooks)
    write(folder, {"chart/Chart.yaml": "name: web\n", "chart/krm-fn.yaml": config})
    script = HELM.replace("VERSION", version).replace("CHART", str(printed))
    install(folder / "bin", monkeypatch, helm=script)
    return Inputs((str(folder / "chart"),))


@pytest.mark.parametrize("version", ["v3.22.0", "v3.8.0+gabc", "unknown"])
def test_render_warns_about_a_hook_that_helm_3_would_not_pass(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = render(prepare(tmp_path, monkeypatch, version), HelmOptions())
    assert outcome.exit_code == 0
    assert f"warning: Job/shop/warm {FIELD}" in outcome.stderr
    assert SAID in outcome.stderr


def test_with_strict_it_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = render(prepare(tmp_path, monkeypatch, strict=True), HelmOptions())
    assert outcome.exit_code == 1
    assert f"error: Job/shop/warm {FIELD}" in outcome.stderr


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"version": "v4.0.1+g12500dd"}, id="Helm 4 passes hooks"),
        pytest.param(
            {"deployer": "argocd"}, id="Argo CD renders the chart and runs no Helm release"
        ),
        pytest.param({"annotation": "helm.sh/resource-policy: keep"}, id="it is no hook"),
        pytest.param({"name": "other"}, id="it reads nothing that is renamed"),
    ],
)
def test_nothing_is_said_where(
    row: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = render(prepare(tmp_path, monkeypatch, **row), HelmOptions())  # type: ignore[arg-type]
    assert outcome.exit_code == 0
    assert "Helm 3" not in outcome.stderr


BEFORE = "helm.sh/hook: pre-upgrade"
NO_COPY = (
    "Helm 3 passes no hooks to a post-renderer, so spec.hooks: copy cannot give this one its copy, and it would look "
    "for web-config, which does not exist: use Helm 4, or annotate ConfigMap/shop/web-config with "
    "revisions.krm-fn.io/strategy: ignore"
)


def test_a_copy_for_a_hook_is_an_error_with_helm_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = prepare(tmp_path, monkeypatch, annotation=BEFORE, hooks="copy")
    outcome = render(inputs, HelmOptions())
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)
    assert outcome.stderr.startswith(f"error: Job/shop/warm {FIELD} (")
    assert outcome.stderr.endswith(f"): {NO_COPY}\n")


def test_a_copy_for_a_hook_reaches_helm_4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = prepare(tmp_path, monkeypatch, "v4.0.1+g12500dd", annotation=BEFORE, hooks="copy")
    outcome = render(inputs, HelmOptions())
    assert outcome.exit_code == 0, outcome.stderr
    assert b"configMapRef: {name: web-config-presync-web}" in outcome.stdout


def test_explain_says_it_at_the_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = prepare(tmp_path, monkeypatch)
    said = main(["explain", *inputs.paths]).stdout.decode()
    hook = said.partition("Job shop/warm")[2]
    assert SAID in " ".join(hook.split())
