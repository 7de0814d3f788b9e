"""Run every shell block of README.md unchanged, with the installed wheel.

What each renders is complete, and protected from its deployer.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn import __version__
from tests.integration.names import assert_names_hold, load
from tests.integration.protected import assert_protected

ROOT = Path(__file__).parent.parent.parent
SECTIONS = re.split(r"^## ", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
BLOCKS = [
    pytest.param(section.splitlines()[0], block, id=f"{section.splitlines()[0]} {index}")
    for section in SECTIONS
    for index, block in enumerate(re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL))
]
TOOLS = ("kustomize", "kpt", "helm", "docker")
DEPLOYERS = {
    "kustomize": ("argocd", "flux", "kpt"),  # who applies the output is open, so the defaults must hold
    "kpt": ("kpt",),
    "Argo CD": ("argocd",),
    "Helm": ("helm",),
    "Flux": ("flux",),
    "Migrating without an outage": ("argocd",),
    "Verify before you apply": ("argocd",),
}
"""The deployers that the output of each section is for; a section that is not here draws."""


@pytest.mark.parametrize(("section", "block"), BLOCKS)
def test_a_block_runs_and_holds_its_promise(  # noqa: PLR0913, PLR0917  # fixtures
    section: str,
    block: str,
    require_tool: Callable[[str], Path],
    request: pytest.FixtureRequest,
    installed: Path,
    tmp_path: Path,
) -> None:
    environment = dict(os.environ)
    if "examples/kustomize\n" in block:  # this block runs the image
        environment |= request.getfixturevalue("docker_host")
        image = request.getfixturevalue("image")
        docker = str(require_tool("docker"))
        subprocess.run([docker, "tag", image, f"krm-fn:{__version__}"], env=environment, check=True)
    folders = [str(require_tool(tool).parent) for tool in TOOLS if tool in block]
    environment["PATH"] = os.pathsep.join([str(installed), *folders, os.environ["PATH"]])
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if section not in DEPLOYERS:
        assert done.stdout.startswith("flowchart LR\n")
        assert "web-config-" in done.stdout
        return
    changed = [tmp_path / "rendered.yaml", *(tmp_path / "shop").glob("*.yaml")]
    written = "\n---\n".join([done.stdout, *(file.read_text() for file in changed if file.exists())])
    objects = [item for item in load(written) if item.get("kind") not in ("Kustomization", "ConfigRevisions")]
    assert_names_hold(objects)
    assert_protected(objects, DEPLOYERS[section])
    assert [item for item in objects if item["kind"] == "ConfigMap" and item.get("immutable")]


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 6
