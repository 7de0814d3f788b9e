"""The pages that teach by commands print what they say, on a real control plane."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster.api import Object
from tests.cluster.control_plane import ControlPlane, control_plane
from tests.cluster.linker_job import ROOT
from tests.cluster.mounting_kubelet import MountingKubelet
from tests.cluster.object_state import Name
from tests.cluster.rollouts_controller import NAME, start_rollouts_controller
from tests.gitops.command import Workplace
from tests.gitops.kubelet import Kubelet
from tests.tools.require import require_built

PAGES = {"tutorial.md": "shop", "staged-adoption.md": "staged"}
"""Each page, and the namespace that it creates."""

BLOCK = re.compile(r"^```sh\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
"""Commands, and right behind them what they print."""

AGE = re.compile(r" +(?:\d+[smh])+ +")
"""In a table, how long ago something was. That depends on the machine."""

BY_THIS_TEST = "labels: {app: web, test/pod: local}"
"""The one change of what a page writes: pods that the test starts, once it has read their configuration."""


class Nginx(MountingKubelet):
    """Starts a pod if nginx would start with its configuration: each line of it ends as nginx wants."""

    def _is_accepted(self, found: Mapping[Name, Object]) -> bool:
        texts = [
            text
            for item in found.values()
            for key, text in item["data"].items()
            if key.endswith(".conf")
        ]
        return all(line.endswith(("{", "}", ";")) for text in texts for line in text.splitlines())


@pytest.fixture(scope="module")
def cluster() -> Iterator[ControlPlane]:
    with control_plane(require_built) as running:
        start_rollouts_controller(running, require_built(NAME))
        yield running


@pytest.mark.parametrize(("page", "namespace"), PAGES.items())
def test_a_page_prints_what_it_says(
    page: str, namespace: str, cluster: ControlPlane, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    api = cluster.api.within(namespace)
    path = ROOT / "docs" / page
    text = path.read_text()
    place = Workplace(cluster, api)
    with Kubelet(api), Nginx(api):
        printed = run_blocks([commands for commands, _ in BLOCK.findall(text)], place, tmp_path)
    shown = with_outputs(text, printed)
    if request.config.option.snapshot_update:
        path.write_text(shown)
    assert shown == text


def run_blocks(blocks: list[str], place: Workplace, folder: Path) -> list[str]:
    """Run all blocks in one shell, as a reader does, and return what each printed.

    The first failure ends it.
    """
    script = ["set -euo pipefail", f"cd {folder}"]
    for number, block in enumerate(blocks):
        script += [
            f"exec > {folder}/{number}.out",
            block.replace("labels: {app: web}", BY_THIS_TEST),
        ]
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        env=place.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    outputs = [folder / f"{number}.out" for number in range(len(blocks))]
    last = [output.read_text() for output in outputs if output.exists()]
    assert done.returncode == 0, (
        f"block {len(last)} ended with {done.returncode}:\n{last[-1]}{done.stderr}"
    )
    return last


def with_outputs(text: str, printed: list[str]) -> str:
    """Put what was printed in the blocks of the page, each age as half a minute."""
    outputs = (AGE.sub("  30s  ", one) for one in printed)

    def put(found: re.Match[str]) -> str:
        output = next(outputs)
        if found[2] is None:
            return found[0]
        return f"```sh\n{found[1]}```\n\n```text\n{output}```"

    return BLOCK.sub(put, text)
