"""The diffs in docs/migration.md: what a deployer shows.

`python -m tests.pages.migration_page` updates the page.
"""

import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

from krm_fn.base import keys
from krm_fn.base.kind import PROTECTIONS
from tests.cases import FIXTURES
from tests.function.openapi import load, objects_in
from tests.recorded import output_of

PAGE = Path(__file__).parents[2] / "docs/migration.md"
BLOCK = re.compile(
    r"(?P<head><!-- (?P<case>from-\S+) (?P<step>step-\d) -->\n```diff\n)(?P<diff>.*?)(?P<tail>```\n)",
    re.DOTALL,
)
KEPT = {one.annotation for protections in PROTECTIONS.values() for one in protections if one.keeps}


def deployed_before(step: Path) -> bytes:
    """Return what is deployed when the step begins: first the dump, then the result of step 1."""
    if step.name == "step-1":
        return (step.parent / "deployed.yaml").read_bytes()
    return deployed_by(step.parent / "step-1")


def deployed_by(step: Path) -> bytes:
    """Return what the step deploys: the rendering, unless the deployer changes names."""
    own = step / "deployed.yaml"
    return own.read_bytes() if own.exists() else output_of(step)


def name_diff(step: Path) -> str:
    """Return the diff: one line for each object, without the objects that the function emits."""
    before, after = (list(_lines(text)) for text in (deployed_before(step), deployed_by(step)))
    _, _, _, *lines = unified_diff(before, after, n=len(before), lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _lines(text: bytes) -> Iterator[str]:
    for item in objects_in(load(text.decode())):
        metadata = item["metadata"]
        if keys.COMPONENT in metadata.get("labels", {}) or item["kind"] == "ReplicaSet":
            continue
        name = f"{item['kind']}/{metadata['name']}"
        if item["kind"] == "ConfigMap":
            yield name + (", kept" if KEPT & set(metadata.get("annotations", {})) else "")
        else:
            yield f"{name}: {', '.join(_reads(item['spec']['template']))}"


def _reads(template: dict[str, Any]) -> Iterator[str]:
    for source in template["spec"]["containers"][0]["envFrom"]:
        yield source["configMapRef"]["name"]
    for annotation, value in template["metadata"].get("annotations", {}).items():
        yield f"{annotation} {value[:8]}"


def with_diffs(page: str) -> str:
    """Return the page with all diffs regenerated from the fixtures."""
    return BLOCK.sub(lambda found: found["head"] + name_diff(_step(found)) + found["tail"], page)


def _step(found: re.Match[str]) -> Path:
    return FIXTURES / "migrations" / found["case"] / found["step"]


if __name__ == "__main__":
    PAGE.write_text(with_diffs(PAGE.read_text()))
