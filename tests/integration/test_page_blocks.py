"""Run every shell block of README.md and docs/ unchanged, with the installed wheel.

What each renders is complete, and protected from its deployer. The blocks of docs/migration.md need
a cluster: test_migration_blocks.py runs them with a file in its place. Those of the tutorial and of
docs/staged-adoption.md are run on one, by tests/gitops/test_pages.py; those of docs/how-to as whole
pages, by test_how_to.py.
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
ON_A_CLUSTER = {
    ROOT / "docs" / page for page in ("migration.md", "staged-adoption.md", "tutorial.md")
}
AS_A_WHOLE = {*(ROOT / "docs/how-to").glob("*.md")}
PAGES = [ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - ON_A_CLUSTER - AS_A_WHOLE)]
BLOCKS = [
    pytest.param(block, id=f"{page.relative_to(ROOT)} {index}")
    for page in PAGES
    for index, block in enumerate(
        re.findall(r"^ *```sh\n(.*?)^ *```$", page.read_text(), re.MULTILINE | re.DOTALL)
    )
]
TOOLS = ("kustomize", "kpt", "helm", "docker")
FOR = {
    "krm-fn explain": (),
    "krm-fn graph": (),
    "krm-fn init": (),
    # Who applies the output is open, so the defaults must hold.
    "kustomize build": (
        "argocd",
        "flux",
        "kpt",
    ),
    "kpt fn": ("kpt",),
    "helm template": ("helm",),
    "examples/flux": ("flux",),
    "krm-fn render examples/canary": ("argocd",),
    **dict.fromkeys(
        ("krm-fn render examples/kustomize-exec", "krm-fn render --root examples"),
        ("argocd", "flux", "kpt"),
    ),
}
"""The deployers that the output of a block is for, by what is in it.

The first that matches counts.
"""

SAYS = {
    "krm-fn explain": ("ConfigMap shop-config", "rename to shop-config-"),
    "krm-fn graph": ("flowchart LR\n", "web-config-"),
    "krm-fn init": ("examples/kustomize-exec/krm-fn.yaml: ", "4 renamed\n"),
}
"""How the output of other blocks begins, and what is in it."""


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs_and_holds_its_promise(
    block: str,
    require_tool: Callable[[str], Path],
    request: pytest.FixtureRequest,
    installed: Path,
    tmp_path: Path,
) -> None:
    (deployers, *_) = [names for words, names in FOR.items() if words in block]
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
    if not deployers:
        ((start, more),) = [said for words, said in SAYS.items() if words in block]
        assert done.stdout.startswith(start)
        assert more in done.stdout
        return
    changed = [tmp_path / "rendered.yaml", *(tmp_path / "shop").glob("*.yaml")]
    written = "\n---\n".join(
        [done.stdout, *(file.read_text() for file in changed if file.exists())]
    )
    objects = [
        item
        for item in load(written)
        if item.get("kind") not in ("Kustomization", "ConfigRevisions")
    ]
    assert_names_hold(objects)
    assert_protected(objects, deployers)
    assert [item for item in objects if item["kind"] == "ConfigMap" and item.get("immutable")]


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 13
