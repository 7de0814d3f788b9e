"""The nodes of the output, which the proof has read in part, are those that reading all of it gives."""

from typing import Any

import pytest

from krm_fn.base.changes import Changes, ListPatch, Patch
from krm_fn.core.yaml import excerpt
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.yaml import apply_changes

FIRST = "kind: A\nmetadata:\n  name: a\n  labels:\n    b: c\n    d: e\nspec:\n  list:\n  - f: 1\n    g: 2\n  - h: 3\n"
STREAM = f"{FIRST}---\n{FIRST}---\nkind: B\ni: 4\n"
COMPLETED = [
    pytest.param(FIRST, {}, id="nothing"),
    pytest.param(FIRST, {"kind": "C"}, id="a field"),
    pytest.param(FIRST, {"metadata": {"labels": {"d": "j"}}}, id="a field further in"),
    pytest.param(FIRST, {"metadata": {"labels": {"b": None}}}, id="a field less"),
    pytest.param(FIRST, {"metadata": {"annotations": {"k": "l"}}}, id="a new mapping"),
    pytest.param(FIRST, {"spec": {"list": ListPatch({0: {"g": "m"}})}}, id="a field of an element"),
    pytest.param(STREAM, {"metadata": {"name": "n"}}, id="one of three documents"),
    pytest.param(f"---\n---\n{STREAM}", {"metadata": {"name": "n"}}, id="beside an empty document"),
    pytest.param(
        FIRST.replace("c\n", "&o c\n").replace("e\n", "*o\n"), {"kind": "C"}, id="beside an alias"
    ),
]


def spell(node: Any) -> Any:
    """Return what a node says, without places and the order of fields."""
    if node.id == "scalar":
        return node.tag, node.value, node.style
    if node.id == "mapping":
        return node.tag, sorted((spell(key), spell(value)) for key, value in node.value)
    return node.tag, [*map(spell, node.value)]


@pytest.mark.parametrize("small", [0, 300], ids=["an excerpt", "the whole text"])
@pytest.mark.parametrize(("text", "patch"), COMPLETED)
def test_the_nodes_are_those_of_the_output(
    text: str, patch: Patch, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excerpt, "_SMALL", small)
    envelope = open_envelope(read_yaml(text.encode()))
    changes = Changes(patches=((envelope.items[0], patch),))
    output, proof = apply_changes(envelope, changes)
    roots = proof.complete()
    if roots is None:  # a list that has changed, of which not all was read
        assert (small, [*patch]) == (0, ["spec"])
    else:
        assert [*map(spell, roots)] == [*map(spell, read_yaml(output.encode()).roots)]


def test_what_was_added_and_removed_is_not_there() -> None:
    envelope = open_envelope(read_yaml(STREAM.encode()))
    for changes in (Changes(add=({"kind": "D"},)), Changes(remove=(envelope.items[0],))):
        assert apply_changes(envelope, changes).proof.complete() is None
