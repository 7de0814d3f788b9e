"""The names of revisions and the pod templates that the function gives to the fixtures, as one row a fixture.

    python -m tests.function.names_and_pods --write

adds a row for each new fixture. It never changes one whose input is the same: another name, and another template, would
restart the pods of everybody. What changes one on purpose removes the row first, and says why in CHANGELOG.md.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from krm_fn.base import keys
from tests.cases import FIXTURES, MIGRATION_STEPS, TRANSFORMS, is_emitted
from tests.yaml.redefined import BaseLoader, load_all

FILE = Path(__file__).parent.parent / "data" / "names_and_pods.jsonl"
CASES = [*TRANSFORMS, *MIGRATION_STEPS]


class Row(NamedTuple):
    """What the function makes of an input: names by `kind/namespace/base name`, digests by `kind/namespace/name`."""

    fixture: str
    input: str
    names: dict[str, str]
    pods: dict[str, str]


def read_rows() -> dict[str, Row]:
    rows = [Row(**json.loads(line)) for line in FILE.read_text().splitlines()]
    return {row.fixture: row for row in rows}


def make_row(case: Path) -> Row:
    """Read what is recorded of a fixture: `test_fixtures.py` proves that the function gives just that."""
    names: dict[str, list[str]] = defaultdict(list)
    pods: dict[str, list[str]] = defaultdict(list)
    for item in read_items((case / "output.yaml").read_bytes()):
        if is_emitted(item):
            continue
        metadata = _mapping(item.get("metadata"))
        name, place = metadata.get("name", ""), f"{item['kind']}/{metadata.get('namespace', '')}"
        if base := _mapping(metadata.get("annotations")).get(keys.BASE_NAME):
            names[f"{place}/{base}"].append(name)
        if templates := [*find_templates(item)]:
            pods[f"{place}/{name}"].append(digest(templates))
    return Row(name_of(case), input_digest(case), _joined(names), _joined(pods))


def _joined(found: dict[str, list[str]]) -> dict[str, str]:
    """With commas, as subpackages of kpt may hold several of one name."""
    return {one: ",".join(values) for one, values in found.items()}


def name_of(case: Path) -> str:
    return case.relative_to(FIXTURES).as_posix()


def input_digest(case: Path) -> str:
    return sha256((case / "input.yaml").read_bytes()).hexdigest()[:10]


def read_items(text: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects, also those of lists.

    All scalars are text: PyYAML does not know what `=` means.
    """
    waiting = [*load_all(text.decode("utf-8-sig"), yaml.CBaseLoader, BaseLoader)]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, dict) and "items" in item:
            waiting = [*(item["items"] or []), *waiting]
        elif isinstance(item, dict) and "kind" in item:  # fixtures contain items of any shape
            yield item


def find_templates(item: dict[str, Any]) -> Iterator[Any]:
    """Yield whatever has containers, with the metadata of a template.

    That of a Pod rolls nothing.
    """
    waiting: list[Any] = [item]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            spec = _mapping(node.get("spec"))
            if isinstance(spec.get("containers"), list):
                yield {"metadata": {} if node is item else node.get("metadata"), "spec": spec}
            else:
                waiting += node.values()


def digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:10]


def _mapping(node: Any) -> dict[str, Any]:
    return node if isinstance(node, dict) else {}


def find_changes(recorded: dict[str, Row], found: list[Row]) -> list[str]:
    """Return what is different in fixtures whose input is the same, in sentences."""
    changes = []
    for row in found:
        before = recorded.get(row.fixture, row)
        if before.input != row.input:
            continue
        for was, now in ((before.names, row.names), (before.pods, row.pods)):
            for one in sorted(was.keys() | now.keys()):
                if was.get(one) != now.get(one):
                    changes.append(
                        f"{row.fixture}: {one}: {was.get(one, 'nothing')} is {now.get(one, 'gone')}"
                    )
    return changes


def write(rows: list[Row]) -> str:
    lines = [json.dumps(row._asdict(), sort_keys=True, separators=(",", ":")) for row in rows]
    return "".join(f"{line}\n" for line in sorted(lines))


def main() -> int:
    found = [make_row(case) for case in CASES]
    if changes := find_changes(read_rows() if FILE.exists() else {}, found):
        print("\n".join(changes))
        return 1
    if "--write" in sys.argv:
        FILE.write_text(write(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
