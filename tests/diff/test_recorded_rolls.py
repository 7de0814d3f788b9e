"""`krm-fn diff OLD NEW` says that a workload rolls exactly if it did when a real API server got the change.

The answers are recorded: tests/cluster/test_diff_oracle.py makes each change, and looks at ReplicaSets and Jobs.
"""

import json
from pathlib import Path

import pytest

from krm_fn.cli.main import main
from tests.cases import FIXTURES
from tests.cluster.generated_changes import Application, cases, objects_of

RECORDED = FIXTURES.parent / "tests/data/rolls_of_changes.json"
CONFIGURATION = (
    "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
    "spec: {kinds: [ConfigMap, Secret], jobs: rename, linker: {image: registry.example/krm-fn:1}}\n"
)


def write(folder: Path, applications: list[Application]) -> str:
    folder.mkdir()
    documents = [json.dumps(one) for one in objects_of(applications)]
    (folder / "objects.yaml").write_text("\n---\n".join(documents))
    (folder / "krm-fn.yaml").write_text(CONFIGURATION)
    return str(folder)


@pytest.mark.volume
def test_what_rolls_is_what_has_rolled(tmp_path: Path) -> None:
    recorded = json.loads(RECORDED.read_text())
    chosen = [case for case in cases() if f"{case.kind}: {case.says}" in recorded]
    assert len(chosen) == len(recorded)
    old = write(tmp_path / "old", [case.old for case in chosen])
    new = write(tmp_path / "new", [case.new for case in chosen])
    difference = json.loads(main(["diff", "-ojson", old, new]).stdout)
    changes = [*difference["revisions"], *difference["objects"]]
    announced = {
        (roll["kind"], roll["name"])
        for change in changes
        for roll in change["rolls"]
        if roll["by"]  # else no other pod template is stored
    }
    found = {f"{case.kind}: {case.says}": (case.kind, case.name) in announced for case in chosen}
    assert {says: rolls for says, rolls in found.items() if recorded[says] != rolls} == {}


def test_both_answers_are_recorded() -> None:
    answers = list(json.loads(RECORDED.read_text()).values())
    assert min(answers.count(True), answers.count(False)) > 50
