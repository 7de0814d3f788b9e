"""Which changes are said to be refused: tests/cluster/test_immutable_fields.py asks the API server the same."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from krm_fn.cli.main import main
from tests.diff.refused_changes import Change, Object, definition, read_changes

CHANGES = read_changes()


def find_refused(
    old: Iterable[Object], new: Iterable[Object], folder: Path
) -> set[tuple[str, str]]:
    """Return kind and name of the objects of which a comparison says that the API server refuses them."""
    for name, items in (("old", old), ("new", new)):
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*items]})
        (folder / f"{name}.yaml").write_text(text)
    done = main(["diff", "-ojson", str(folder / "old.yaml"), str(folder / "new.yaml")])
    assert done.exit_code == 0, done.stderr
    difference = json.loads(done.stdout)
    return {
        (one["kind"], one["new"]["baseName"])
        for one in (*difference["objects"], *difference["revisions"])
        if one["refusal"]
    }


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    """Compare all at once: each object has a name of its own."""
    old, new = ([definition()], [definition()])
    for change in CHANGES:
        old.append(change.old)
        new.append(change.new)
    return find_refused(old, new, tmp_path_factory.mktemp("changes"))


@pytest.mark.parametrize("change", CHANGES, ids=[one.says for one in CHANGES])
def test_what_the_api_server_refuses_is_said(change: Change, refused: set[tuple[str, str]]) -> None:
    assert (change.name in refused) is change.is_refused


def test_each_change_has_a_name_of_its_own() -> None:
    assert len({one.name for one in CHANGES}) == len(CHANGES)
