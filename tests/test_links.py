"""Every folder in fixtures/links is a claim about the owners after a run. Each is compared byte for byte."""

from pathlib import Path

import pytest
import yaml
from pytest_snapshot.plugin import Snapshot

from krm_fn.linker.link import link
from krm_fn.linker.report import Report
from tests.cases import FIXTURES
from tests.linker.arguments import read_plan
from tests.linker.fake_cluster import FakeCluster
from tests.linker.world import NAMESPACE, World

LINKS = sorted(path.parent for path in FIXTURES.glob("links/*/plan.txt"))


@pytest.mark.parametrize("case", LINKS, ids=lambda case: case.name)
def test_a_run_makes_the_recorded_writes(case: Path, snapshot: Snapshot) -> None:
    """The clock of the simulated cluster starts at noon on 1 June 2026."""
    cluster = FakeCluster(World(list(yaml.safe_load_all((case / "before.yaml").read_text()))))
    lines: list[str] = []
    report = Report(NAMESPACE, lines.append)
    link(read_plan((case / "plan.txt").read_text().split()), cluster, report)
    writes = [write for write in cluster.writes if "event" not in write]
    said = [*lines, report.summary(), *(f"error: {sentence}" for sentence in report.failures)]
    snapshot.snapshot_dir = case
    snapshot.assert_match(yaml.safe_dump_all(writes, sort_keys=False).encode(), "patches.yaml")
    snapshot.assert_match("".join(f"{line}\n" for line in said).encode(), "said.txt")


def test_there_are_fixtures() -> None:
    assert len(LINKS) >= 20
