"""A repository of many applications, with an overlay for each environment: what `krm-fn diff` needs for a change.

    python -m benchmarks.overlays

needs git and kustomize on PATH. It commits the repository, changes one line, and compares all overlays with the commit.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.measure import on_one_processor
from tests.git.repository import ENVIRONMENT, commit
from tests.render.run import write

ENVIRONMENTS = ("dev", "staging", "prod")
PATTERN = "apps/*/overlays/*"
COMMON = "components/common/common.yaml"

_CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}}}
data:
  LOG_LEVEL: info
  server.yaml: |
    server:
      port: 8080
      owner: {name}
"""
_WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {app}}}
spec:
  selector: {{matchLabels: {{app: {app}}}}}
  template:
    metadata: {{labels: {{app: {app}}}}}
    spec:
      containers:
      - name: app
        image: registry.example/{app}:1.0
        envFrom:
        - configMapRef: {{name: {app}-config}}
        - configMapRef: {{name: common}}
---
apiVersion: v1
kind: Service
metadata: {{name: {app}}}
spec: {{selector: {{app: {app}}}, ports: [{{port: 80}}]}}
"""
_CONFIGURATION = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {{name: {app}}}
spec: {{linker: {{image: registry.example/krm-fn:0.1.0}}}}
"""
_OVERLAY = """\
resources: [../../base]
components: [../../../../components/common]
namespace: {app}-{environment}
patches:
- target: {{kind: Deployment}}
  patch: '[{{"op": "add", "path": "/spec/replicas", "value": {replicas}}}]'
"""


def write_files(apps: int = 20) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file."""
    yield (
        "components/common/kustomization.yaml",
        (
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [common.yaml]\n"
        ),
    )
    yield COMMON, _CONFIG.format(name="common")
    for number in range(apps):
        app = f"app{number:02}"
        yield f"apps/{app}/base/kustomization.yaml", "resources: [config.yaml, web.yaml]\n"
        yield f"apps/{app}/base/config.yaml", _CONFIG.format(name=f"{app}-config")
        yield f"apps/{app}/base/web.yaml", _WORKLOAD.format(app=app)
        for replicas, environment in enumerate(ENVIRONMENTS, start=1):
            folder = f"apps/{app}/overlays/{environment}"
            overlay = _OVERLAY.format(app=app, environment=environment, replicas=replicas)
            yield f"{folder}/kustomization.yaml", overlay
            yield f"{folder}/krm-fn.yaml", _CONFIGURATION.format(app=app)


CHANGES = (
    ("nothing", ""),
    ("a ConfigMap of one base", "apps/app07/base/config.yaml"),
    ("one of the component", COMMON),
)


def main() -> None:
    print(
        f"{'changed':26} {'on one processor':>17} {'on all':>8} {'ratio':>6} {'used':>8} {'characters':>11}  summary"
    )
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = dict(write_files())
        commit(folder, files)
        for what, path in CHANGES:
            edited = {path: files[path].replace("info", "debug")} if path else {}
            write(folder, edited)
            runs = [_compare_twice(folder) for _ in range(3)]
            write(folder, {path: files[path] for path in edited})
            one, every, used = (
                median(figures) for figures in zip(*(run[:3] for run in runs), strict=True)
            )
            text = runs[0][3]
            figures = f"{one:15.1f} s {every:6.1f} s {every / one:6.2f} {used:6.1f} s"
            print(f"{what:26} {figures} {len(text):11,}  {text.splitlines()[1]}")


def _compare_twice(folder: Path) -> tuple[float, float, float, str]:
    """Return the seconds on one processor and on all, those of processors with kustomize's, and the comment."""
    with on_one_processor():
        start = time.monotonic()
        pinned = _compare(folder)
        one = time.monotonic() - start
    start, before = time.monotonic(), _used()
    text = _compare(folder)
    every, used = time.monotonic() - start, _used() - before
    assert text == pinned
    return one, every, used, text


def _compare(folder: Path) -> str:
    command = [sys.executable, "-m", "krm_fn", "diff", "--against=HEAD", "-omarkdown", PATTERN]
    environment = {**os.environ, **ENVIRONMENT}
    return subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
