"""Each page of docs/how-to works as it is written, from the first command to the last, in one repository.

The repository that they begin in is tests/pages/how_to; beside it is a clone of krm-fn. What needs a
cluster is shown in `console` blocks, or is run on one by tests/gitops/test_pages.py.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from tests.gitops.command import search_path
from tests.pages.blocks import read_blocks, run_blocks, with_outputs
from tests.tools.require import require

ROOT = Path(__file__).parent.parent.parent
ON_A_CLUSTER = {"a-canary-goes-wrong"}
PAGES = sorted({page.stem for page in (ROOT / "docs/how-to").glob("*.md")})
NEEDED = ("kustomize", "helm", "kpt", "kubectl")
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Reader"), ("EMAIL", "reader@example.com"))
}


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ON_A_CLUSTER])
def test_a_page_works_as_it_is_written(
    page: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    path = ROOT / "docs/how-to" / f"{page}.md"
    text = path.read_text()
    blocks = read_blocks(text)
    assert blocks
    for name in NEEDED:
        if re.search(rf"\b{name} ", "".join(blocks)):
            require(name)
    repository = make_repository(tmp_path)
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    shown = with_outputs(text, run_blocks(blocks, environment(tmp_path), outputs, repository))
    if request.config.option.snapshot_update:
        path.write_text(shown)
    assert shown == text


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_on_a_screen_or_two(page: str) -> None:
    """A screen is some fifty lines. What is copied and what it prints may fill a second one."""
    assert len((ROOT / "docs/how-to" / f"{page}.md").read_text().splitlines()) <= 110


SERVICES = (
    *("account", "billing", "cart", "catalog", "checkout", "email"),
    *("inventory", "ledger", "orders", "search", "shipping", "tax"),
)
STAGES = ("prod", "staging")


def make_repository(
    folder: Path, services: Iterable[str] = SERVICES, stages: Iterable[str] = STAGES
) -> Path:
    """Return a clone of what the pages begin with, with a branch `main` at its origin."""
    repository = folder / "repository"
    shutil.copytree(ROOT / "tests/pages/how_to", repository)
    shutil.copytree(ROOT / "examples", folder / "krm-fn/examples")
    write_services(repository / "services", services, [*stages])
    for command in (
        "init --quiet --initial-branch=main",
        "add --all",
        "commit --quiet --message=Start",
        f"init --quiet --bare {folder}/origin",
        f"remote add origin {folder}/origin",
        "push --quiet origin main",
        "branch --quiet --set-upstream-to=origin/main",
    ):
        subprocess.run(
            ["git", *command.split()], cwd=repository, env=environment(folder), check=True
        )
    return repository


def write_services(folder: Path, services: Iterable[str], stages: Sequence[str]) -> None:
    """Write the monorepo: a base and an overlay for each stage, for each service."""
    header = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
    for name in services:
        manifests = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}-config}}
data:
  LOG_LEVEL: info
  SERVICE: {name}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
      - name: {name}
        image: registry.example/{name}:1.0
        envFrom: [{{configMapRef: {{name: {name}-config}}}}]
"""
        base = folder / name / "base"
        base.mkdir(parents=True)
        (base / f"{name}.yaml").write_text(manifests)
        (base / "kustomization.yaml").write_text(f"{header}resources:\n- {name}.yaml\n")
        for stage in stages:
            overlay = folder / name / "overlays" / stage
            overlay.mkdir(parents=True)
            text = f"{header}namespace: {name}-{stage}\nresources:\n- ../../base\n"
            (overlay / "kustomization.yaml").write_text(text)


def environment(folder: Path) -> dict[str, str]:
    """Return an environment with krm-fn and the built programs, and without anybody's settings."""
    return {
        **os.environ,
        **AUTHOR,
        "PATH": search_path(),
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
