"""Print a digest of each recorded thing as the code here makes it: `python -m tests.repository.what_is_recorded`.

`test_places.py` compares what this prints with and without a change.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from krm_fn.function import run
from krm_fn.report.table import Screen
from krm_fn.tools.builds.kustomization import find_paths
from krm_fn.tools.builds.named_fields import read_plainly
from krm_fn.tools.history.history import HistoryFormat, write_history
from tests.cases import ENVIRONMENT, TRANSFORMS
from tests.history.cases import HISTORIES, read_history
from tests.linker.test_links import LINKS, run_link
from tests.pages import config_page, deployer_lists, guard_codes, reference_page
from tests.pages.messages import read_messages
from tests.references.test_find_rows import list_rows

PLACES = Path(__file__).parent / "places"


def record() -> Iterator[tuple[str, object]]:
    """Yield the name of each, and its content."""
    yield "places/probe.yaml", _transform(PLACES / "probe.yaml")
    yield "fixtures/transforms", [_transform(case / "input.yaml") for case in TRANSFORMS]
    yield "fixtures/links", [run_link(case) for case in LINKS]
    yield (
        "fixtures/histories",
        [write_history(read_history(one), HistoryFormat.WIDE, Screen()) for one in HISTORIES],
    )
    roots = read_plainly((PLACES / "kustomization.yaml").read_bytes())
    yield "places/kustomization.yaml", [one.path for one in find_paths(roots, [])]
    yield "tests/data/rows_of_fields.jsonl", list_rows()
    yield "docs/messages.yaml", read_messages()
    yield "docs/configuration.md", config_page.page()
    yield "docs/commands", reference_page.pages()
    yield "the grounds of explain", guard_codes.schema()
    yield "the lists of deployers", [one.text for one in deployer_lists.find_lists()]


def _transform(file: Path) -> tuple[str, str]:
    outcome = run(file.read_bytes(), environment=ENVIRONMENT)
    return outcome.stdout.decode(), outcome.stderr


def main() -> None:
    for name, content in record():
        print(sha256(json.dumps(content).encode()).hexdigest(), name)


if __name__ == "__main__":
    main()
