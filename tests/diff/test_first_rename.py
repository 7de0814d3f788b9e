"""The count of what the first rename rolls, judged by the pod templates that PyYAML reads of both renderings."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.cli.main import main
from tests.cases import MIGRATIONS
from tests.cluster.generated_changes import KINDS, application, objects_of
from tests.cluster.held_pods import HOLDS
from tests.recorded import output_of

COUNTED = re.compile(r"the first rename rolls (\d+) workloads?(?: \((\d+) Rollouts?\))?")
ROLLING = {"Deployment", "StatefulSet", "DaemonSet", "Rollout"}
CONFIGURATION = """
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {{name: shop}}
spec: {{kinds: [ConfigMap, Secret], strategy: {}, linker: {{image: "registry.example/krm-fn:1"}}}}
"""


def templates(rendering: bytes) -> dict[tuple[str, str], Any]:
    """Return the pod templates by kind and name, of workloads that nothing holds."""
    found: dict[tuple[str, str], Any] = {}
    documents = list(filter(None, yaml.safe_load_all(rendering)))
    for one in documents[0]["items"] if documents[0]["kind"] == "ResourceList" else documents:
        spec = one.get("spec") or {}
        is_held = spec.get("paused") or spec.get("updateStrategy", {}).get("type") == "OnDelete"
        if one["kind"] in ROLLING and not is_held:
            found[one["kind"], one["metadata"]["name"]] = spec["template"]
    return found


def judge(old: Path, new: Path) -> tuple[int, int]:
    """Return how many workloads have another template, and how many of them are Rollouts, if that is what is said."""
    before, after = templates(old.read_bytes()), templates(new.read_bytes())
    rolled = [kind for (kind, name), one in after.items() if one != before.get((kind, name), one)]
    summary = json.loads(main(["diff", "-ojson", str(old), str(new)]).stdout)["summary"]
    said = COUNTED.search(summary)
    counted = (int(said[1]), int(said[2] or 0)) if said else (0, 0)
    assert counted == (len(rolled), rolled.count("Rollout")), summary
    return counted


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("holds", ["nothing is held", "every second is held"])
@pytest.mark.parametrize("number", [1, 3])
def test_what_the_first_rename_rolls_is_counted(tmp_path: Path, number: int, holds: str) -> None:
    made = [
        application(kind, f"{kind.lower()}-{place}", f"of-{place % 2}")
        for kind in KINDS
        for place in range(number)
        if kind != "Job"
    ]
    for one in made[::2] if holds.startswith("every") else ():
        kind = one.workload["kind"]
        held = {**HOLDS.get(kind, {}).get("paused", {}), **HOLDS.get(kind, {}).get("OnDelete", {})}
        one.workload["spec"] |= held
    sides: list[Path] = []
    for strategy in ("adopt", "rename"):
        folder = tmp_path / strategy
        folder.mkdir()
        (folder / "objects.yaml").write_text("\n---\n".join(map(json.dumps, objects_of(made))))
        (folder / "krm-fn.yaml").write_text(CONFIGURATION.format(strategy))
        rendered = tmp_path / f"{strategy}.yaml"
        rendered.write_bytes(main(["render", str(folder)]).stdout)
        sides.append(rendered)
    assert judge(*sides)[0] > number
    assert judge(sides[0], sides[0]) == judge(sides[1], sides[1]) == (0, 0)


NAMED_BEFORE = ("from-kustomize-generators", "from-spinnaker")
"""Their first step has names with hashes already."""

TWO_STEPS = [
    case for case in MIGRATIONS if (case / "step-2").exists() and case.name not in NAMED_BEFORE
]


@pytest.mark.parametrize("case", TWO_STEPS, ids=lambda case: case.name)
def test_a_migration_says_what_its_second_step_rolls(case: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_bytes(output_of(case / "step-1"))
    new.write_bytes(output_of(case / "step-2"))
    judge(old, new)
