"""Check what the function does with packages of others, whose Secrets are made in the cluster."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packages.package import Package, provided_in, read_packages, references_in, renamed_in
from tests.packages.table import PAGE, page

ALL = read_packages()
EACH = pytest.mark.parametrize("package", [pytest.param(one, id=one.key) for one in ALL])


def test_there_are_at_least_ten_repositories() -> None:
    assert len({package.repository for package in ALL}) >= 10


def test_the_page_has_their_table() -> None:
    assert PAGE.read_text() == page()


@EACH
def test_exactly_these_objects_are_renamed(package: Package) -> None:
    outcome = package.run()
    assert outcome.exit_code == 0
    assert renamed_in(outcome.stdout).keys() == package.renamed


@pytest.mark.rows(test=1)
@EACH
def test_it_says_why_others_are_left_alone(package: Package, tmp_path: Path) -> None:
    configuration = tmp_path / "krm-fn.yaml"
    configuration.write_bytes(package.configuration())
    options = ["-ojson", "--namespace", package.namespace, "--config", str(configuration)]
    command = [sys.executable, "-m", "krm_fn", "explain", *options, str(package.file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = {f"{one['kind']}/{one['name']}": one for one in json.loads(done.stdout)["objects"]}
    left = {name for name, one in found.items() if one["strategy"] == "ignore"}
    assert left == package.left.keys()
    for name, words in package.left.items():
        texts = [found[name]["reason"]["text"], *(hint["text"] for hint in found[name]["hints"])]
        assert any(words in text for text in texts), texts


@EACH
def test_a_second_run_changes_nothing(package: Package) -> None:
    once = package.run().stdout
    assert package.run(once).stdout == once


@EACH
def test_every_pod_finds_what_it_reads(package: Package) -> None:
    after = package.run().stdout
    before = references_in(package.text, package.namespace)
    provided, still_provided = (
        provided_in(package.text, package.namespace),
        provided_in(after, package.namespace),
    )
    for old, new in zip(before, references_in(after, package.namespace), strict=True):
        assert new in still_provided if old in provided else new == old
