"""`kpt live apply` takes what the documentation renders, and prunes superseded revisions while the linker runs."""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from tests.cluster.api import Api
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.linker_job import ROOT, run_linker
from tests.cluster.release import REVISIONS, SET, owners, render
from tests.cluster.workloads import app
from tests.tools.require import require

CHANGES = 4
APPLY = "apply . --reconcile-timeout 60s --prune-timeout 10s --output events"


class Kpt:
    """A package of kpt, applied with an administrator's token."""

    def __init__(self, api: Api, folder: Path, package: Path | None = None) -> None:
        """Initialise a package, or a new one in the folder."""
        self._api, self._program, self._folder = api, require("kpt"), package or folder / "package"
        kubeconfig = write_kubeconfig(
            folder / "config", api.server, token=api.token, namespace=api.namespace
        )
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "KUBECONFIG": str(kubeconfig),
        }
        if package is None:
            self._folder.mkdir()
            kptfile = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": SET}}
            (self._folder / "Kptfile").write_text(json.dumps(kptfile))
        for command in (
            "install-resource-group",
            f"init . --namespace {api.namespace} --name inventory",
        ):
            done = self.live(command)
            assert done.returncode == 0, done.stdout

    def live(self, arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._program, "live", *arguments.split()],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def write(self, content: str) -> str:
        """Render a Deployment that takes three seconds to be available.

        Return the name of the Job.
        """
        objects = app("Deployment", content, minReadySeconds=3, revisionHistoryLimit=1)
        rendered = render(objects, self._api.namespace, linker={"minimumAgeSeconds": 0})
        documents = [one for one in yaml.safe_load_all(rendered) if one]
        for document in documents:
            document["metadata"]["namespace"] = self._api.namespace
        (self._folder / "all.yaml").write_text(yaml.safe_dump_all(documents))
        return next(str(one["metadata"]["name"]) for one in documents if one["kind"] == "Job")


def test_every_change_is_applied_without_a_failed_prune(namespace: Api, tmp_path: Path) -> None:
    """Kpt reads what it will prune, waits for the rollout, and fails if the linker has changed it meanwhile."""
    kpt = Kpt(namespace, tmp_path)
    with ThreadPoolExecutor() as beside:
        for number in range(CHANGES):
            job = kpt.write(f"{number}")
            applied = beside.submit(kpt.live, APPLY)
            namespace.wait("Job", job, "is there", bool)
            run = run_linker(namespace, SET)
            assert (applied.result().returncode, run.exit_code) == (0, 0), (
                applied.result().stdout + run.stderr
            )
            # The linker has done its part meanwhile: the Deployment owns the revision that it
            # references.
            consumers = {
                one["data"]["content"]: owners(one)
                for one in namespace.list("ConfigMap", labels=REVISIONS)
            }
            assert "Deployment/deployment" in consumers[f"{number}"]
    assert "0" not in consumers, (
        "the first revision is deleted: its ReplicaSet went with the third change"
    )


PAGES = [
    ROOT / "README.md",
    # A how-to is typed as a whole: tests/integration/test_how_to.py.
    *sorted({*(ROOT / "docs").rglob("*.md")} - {*(ROOT / "docs/how-to").glob("*.md")}),
    *sorted((ROOT / "examples").rglob("*.md")),
]
BLOCKS = [
    pytest.param(block, id=f"{page.relative_to(ROOT)} {index}")
    for page in PAGES
    for index, block in enumerate(
        re.findall(r"^ *```sh\n(.*?)^ *```$", page.read_text(), re.MULTILINE | re.DOTALL)
    )
    if "kpt fn" in block
]


def test_there_are_blocks_with_kpt() -> None:
    assert len(BLOCKS) >= 2


@pytest.mark.parametrize("block", BLOCKS)
def test_what_a_page_renders_with_kpt_can_be_applied(
    block: str, namespace: Api, tmp_path: Path
) -> None:
    """Kpt looks up all kinds of a package first, so one object that is only for tools fails the whole of it."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    programs = [str(Path(sys.executable).parent), str(require("kpt").parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(programs)}
    subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block], cwd=tmp_path, env=environment, check=True
    )
    for file in (tmp_path / "shop").rglob("*.yaml"):
        file.write_text(
            file.read_text().replace("namespace: shop", f"namespace: {namespace.namespace}")
        )
    kpt = Kpt(namespace, tmp_path, tmp_path / "shop")
    done = kpt.live("apply . --dry-run")
    assert done.returncode == 0, done.stdout
    assert "apply result: 7 attempted, 7 successful" in done.stdout
