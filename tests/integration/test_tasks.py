"""Three tasks of a reader, done by the pages of the site alone: what was typed, and what was printed.

Each transcript in tests/pages/tasks begins where the how-tos begin, names the pages that were needed,
and says which sentence had to be read twice.
"""

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.namespace_in_a_file import serve_namespace
from tests.integration.test_how_to import ROOT, environment, make_repository
from tests.pages.blocks import read_blocks, run_blocks, with_outputs
from tests.tools.require import require

TASKS = sorted((ROOT / "tests/pages/tasks").glob("*.md"))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.stem)
def test_a_task_is_done_as_it_is_written(
    task: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    require("kustomize")
    repository = make_repository(tmp_path)
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    text = task.read_text()
    with BEGINS.get(task.stem, _as_it_is)(repository, tmp_path) as variables:
        printed = run_blocks(
            read_blocks(text), {**environment(tmp_path), **variables}, outputs, repository
        )
    shown = with_outputs(text, printed)
    if request.config.option.snapshot_update:
        task.write_text(shown)
    assert shown == text


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.stem)
def test_a_task_names_pages_that_are_there(task: Path) -> None:
    pages = re.findall(r"\]\((\S+?\.md)(?:#\S+)?\)", task.read_text())
    assert len(pages) >= 3
    for page in pages:
        assert (task.parent / page).resolve().is_file(), page


@contextlib.contextmanager
def _as_it_is(_repository: Path, _folder: Path) -> Iterator[Mapping[str, str]]:
    yield {}


@contextlib.contextmanager
def _a_paused_canary(repository: Path, folder: Path) -> Iterator[Mapping[str, str]]:
    """Commit a change of the configuration, and serve its canary, whose old revision somebody has deleted."""
    shop = repository / "apps/shop/overlays/prod"
    init = "init . --deployer argocd --linker-image registry.internal/krm-fn:0.2.0"
    _run(["krm-fn", *init.split()], shop, folder)
    old = _render(shop, folder, "Name each ConfigMap by its content")
    config = repository / "apps/shop/base/config.yaml"
    config.write_text(config.read_text().replace("info", "debug"))
    new = _render(shop, folder, "Say more")
    file = folder / "namespace.yaml"
    file.write_text(yaml.safe_dump_all(_live(old, new)))
    kubectl = folder / "bin/kubectl"
    kubectl.parent.mkdir()
    kubectl.write_text(
        f"#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m tests.integration.namespace_in_a_file {file} "
        '"$@"\n'
    )
    kubectl.chmod(0o755)
    path = f"{kubectl.parent}:{environment(folder)['PATH']}"
    with serve_namespace(file, folder) as kubeconfig:
        yield {"KUBECONFIG": str(kubeconfig), "PATH": path, "COLUMNS": "110"}


BEGINS = {"old-pods-of-a-canary": _a_paused_canary}


def _run(command: list[str], cwd: Path, folder: Path) -> str:
    return subprocess.run(
        command, cwd=cwd, env=environment(folder), capture_output=True, text=True, check=True
    ).stdout


def _render(shop: Path, folder: Path, message: str) -> list[dict[str, Any]]:
    _run(["git", "add", "--all", "."], shop.parents[1], folder)
    _run(["git", "commit", "--quiet", f"--message={message}"], shop, folder)
    return [*yaml.safe_load_all(_run(["krm-fn", "render", "."], shop, folder))]


def _live(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what the API server has in the pause, without the ConfigMap of the old content."""
    rendered = {(one["kind"], one["metadata"]["name"]): one for one in new}
    (rollout,) = (one for one in new if one["kind"] == "Rollout")
    (before,) = (one for one in old if one["kind"] == "Rollout")
    hashes = {"old": "68974767d7", "new": "574f4897cf"}
    live = _stored(rollout, "rollout")
    live["status"] = {
        "observedGeneration": "1",
        "phase": "Paused",
        "stableRS": hashes["old"],
        "currentPodHash": hashes["new"],
        "replicas": 5,
        "updatedReplicas": 1,
        "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": "2026-06-01T11:56:00Z"}],
        "controllerPause": True,
    }
    yield live
    for one in rendered.values():
        if one["kind"] == "ConfigMap":
            yield _stored(one, one["metadata"]["name"])
    for name, template, ready in (("old", before, 3), ("new", rollout, 1)):
        replicas = 4 if name == "old" else 1
        yield _replica_set(hashes[name], template, replicas)
        for number in range(replicas):
            yield _pod(hashes[name], number, template, is_ready=number < ready)


def _stored(one: dict[str, Any], uid: str) -> dict[str, Any]:
    metadata = {**one["metadata"], "uid": uid, "creationTimestamp": "2026-06-01T11:55:00Z"}
    return {**one, "metadata": {**metadata, "namespace": "shop", "generation": 1}}


def _replica_set(name: str, rollout: dict[str, Any], replicas: int) -> dict[str, Any]:
    owner = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "name": "web",
        "uid": "rollout",
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"web-{name}",
            "namespace": "shop",
            "uid": name,
            "creationTimestamp": "2026-06-01T11:55:00Z",
            "labels": {"app": "web", "rollouts-pod-template-hash": name},
            "ownerReferences": [{**owner, "controller": True}],
        },
        "spec": {"replicas": replicas, "template": rollout["spec"]["template"]},
        "status": {"replicas": replicas},
    }


def _pod(name: str, number: int, rollout: dict[str, Any], *, is_ready: bool) -> dict[str, Any]:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"web-{name}", "uid": name}
    waiting = {"reason": "CreateContainerConfigError"}
    states = [] if is_ready else [{"name": "web", "state": {"waiting": waiting}}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"web-{name}-{number}",
            "namespace": "shop",
            "uid": f"{name}-{number}",
            "creationTimestamp": "2026-06-01T11:56:00Z",
            "labels": {"app": "web", "rollouts-pod-template-hash": name},
            "ownerReferences": [{**owner, "controller": True}],
        },
        "spec": rollout["spec"]["template"]["spec"],
        "status": {
            "phase": "Running" if is_ready else "Pending",
            "conditions": [{"type": "Ready", "status": str(is_ready)}],
            "containerStatuses": states,
        },
    }
