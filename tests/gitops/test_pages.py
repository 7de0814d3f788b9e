"""The pages that teach by commands print what they say, on a real control plane."""

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
from tests.pages.blocks import read_blocks, run_blocks, with_outputs
from tests.tools.require import require_built

ELSEWHERE = "cafe"
"""A namespace for what is about `shop`. It has the same length, so that tables stay as wide."""

PAGES = {
    "tutorial.md": "shop",
    "staged-adoption.md": "staged",
    "how-to/a-canary-goes-wrong.md": ELSEWHERE,
}
"""Each page, and the namespace in which it is run."""

BEGINS = {"how-to/a-canary-goes-wrong.md": ("tutorial.md", "## 5. ")}
"""The page whose commands lead to where a page begins, and the heading before which they end."""

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
    first = read_first(page)
    blocks = [
        block.replace("labels: {app: web}", BY_THIS_TEST).replace("shop", namespace)
        for block in [*first, *read_blocks(text)]
    ]
    with Kubelet(api), Nginx(api):
        printed = run_blocks(blocks, place.environment, tmp_path)
    shown = with_outputs(text, [one.replace(ELSEWHERE, "shop") for one in printed[len(first) :]])
    if request.config.option.snapshot_update:
        path.write_text(shown)
    assert shown == text


def read_first(page: str) -> list[str]:
    """Return the commands of another page that lead to where this one begins."""
    if page not in BEGINS:
        return []
    other, heading = BEGINS[page]
    return read_blocks((ROOT / "docs" / other).read_text().partition(f"\n{heading}")[0])
