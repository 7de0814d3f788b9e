"""Check every folder in fixtures/links, byte for byte: what a run writes and prints for a given namespace."""

from pathlib import Path

import pytest
import yaml
from pytest_snapshot.plugin import Snapshot

from krm_fn.linker.link import link
from krm_fn.linker.report import Report
from tests.cases import FIXTURES
from tests.linker.arguments import read_plan
from tests.linker.fake_cluster import FakeCluster
from tests.linker.object_store import NAMESPACE, ObjectStore

LINKS = sorted(path.parent for path in FIXTURES.glob("links/*/plan.txt"))


def run_link(case: Path) -> tuple[str, str, float]:
    """Return what a run writes, what it prints, and how many seconds it takes.

    The store's clock starts at noon on 1 June 2026.
    """
    cluster = FakeCluster(ObjectStore(list(yaml.safe_load_all((case / "before.yaml").read_text()))))
    began = cluster.store.clock
    lines: list[str] = []
    report = Report(NAMESPACE, lines.append)
    link(read_plan((case / "plan.txt").read_text().split()), cluster, report)
    writes = [write for write in cluster.writes if "event" not in write]
    problems = [
        f"{'error' if problem.is_failure else 'warning'}: {problem.sentence}"
        for problem in report.problems
    ]
    output = [*lines, report.summary(), *problems]
    printed = "".join(f"{line}\n" for line in output)
    return yaml.safe_dump_all(writes, sort_keys=False), printed, cluster.store.clock - began


@pytest.mark.parametrize("case", LINKS, ids=lambda case: case.name)
def test_a_run_writes_and_prints_what_the_fixture_says(case: Path, snapshot: Snapshot) -> None:
    writes, printed, _ = run_link(case)
    snapshot.snapshot_dir = case
    snapshot.assert_match(writes.encode(), "patches.yaml")
    snapshot.assert_match(printed.encode(), "output.txt")


def test_there_are_fixtures() -> None:
    assert len(LINKS) >= 20
