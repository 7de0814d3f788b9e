"""The folders in fixtures/histories, and the namespaces of fixtures/links."""

from pathlib import Path

import yaml

from krm_fn.tools.common.revision_history import History
from krm_fn.tools.history.ask import add_changes, find_base_names
from krm_fn.tools.history.find_history import find_history
from krm_fn.tools.history.snapshot import read_snapshot
from tests.cases import FIXTURES
from tests.history.fake_source import FakeSource
from tests.linker.object_store import Object
from tests.patched import read_patched

HISTORIES = sorted((FIXTURES / "histories").iterdir())
NAMESPACES = [
    *(case / "objects.yaml" for case in HISTORIES),
    *sorted(FIXTURES.glob("links/*/before.yaml")),
]


def read_objects(path: Path) -> list[Object]:
    return list(yaml.load_all(read_patched(path), Loader=yaml.CSafeLoader))


def read_source(case: Path) -> FakeSource:
    """Return the namespace of a folder. `forbidden.txt` lists what may not be listed."""
    forbidden = case / "forbidden.txt"
    return FakeSource(
        read_objects(case / "objects.yaml"),
        forbidden.read_text().split() if forbidden.exists() else (),
    )


def read_history(case: Path) -> History:
    """Return the history of a folder; with what changed between neighbours, if there is a file `diff`."""
    source = read_source(case)
    history = find_history(read_snapshot(source, None))
    return (
        add_changes(history, source, find_base_names(history))
        if (case / "diff").exists()
        else history
    )
