"""`krm-fn diff --against` with the real kustomize and helm: bases and charts are those of the revision."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import krm_fn
from tests.git.repository import ENVIRONMENT, commit
from tests.render.run import REVISIONS, write

READER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: app, image: a, envFrom: [{configMapRef: {name: web}}]}]}}}
"""
CONFIG = REVISIONS + "spec: {linker: {enabled: false}}\n"
OVERLAY: dict[str, str | bytes] = {
    "overlay/kustomization.yaml": "namespace: shop\nresources: [../base]\n",
    "overlay/krm-fn.yaml": CONFIG,
    "base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator: [{name: web, envs: [web.env]}]\n",
    "base/web.yaml": READER,
    "base/web.env": "LEVEL=low\n",
}
CHART: dict[str, str | bytes] = {
    "overlay/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "overlay/krm-fn.yaml": CONFIG,
    "overlay/templates/web.yaml": READER,
    "overlay/templates/config.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {LEVEL: {{ .Values.level }}}\n"
    ),
    "overlay/values.yaml": "level: low\n",
}

PACKAGES = [
    pytest.param(OVERLAY, "kustomize", {"base/web.env": "LEVEL=high\n"}, id="a base beside it"),
    pytest.param(CHART, "helm", {"overlay/values.yaml": "level: high\n"}, id="a chart"),
]


@pytest.mark.parametrize(("files", "tool", "edit"), PACKAGES)
def test_what_is_built_is_compared(
    files: dict[str, str | bytes],
    tool: str,
    edit: dict[str, str | bytes],
    require_tool: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    path = os.pathsep.join([str(require_tool(tool).parent), os.environ["PATH"]])
    commit(tmp_path, files)
    options = ("diff", "--against=HEAD", "--no-remote", "--namespace=shop", "overlay")
    before = krm_fn(*options, cwd=tmp_path, PATH=path, **ENVIRONMENT)
    assert (before.stdout, before.stderr) == ("no difference: 1 revision unchanged\n", "")
    write(tmp_path, edit)
    after = krm_fn(*options, cwd=tmp_path, PATH=path, **ENVIRONMENT)
    title, *lines = after.stdout.splitlines()
    assert title.startswith("ConfigMap shop/web: web-")
    assert lines == [
        "  - LEVEL: low",
        "  + LEVEL: high",
        "  rolls Deployment/web",
        "1 revision changed",
    ]
