"""The value of an edited part is that of its text once it is edited."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.base.changes import ListPatch, Patch
from krm_fn.base.item import read_item
from krm_fn.base.node import is_mapping
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.splice import apply_splices, plan_patch, splice_change
from krm_fn.extras.jobs import edited_value

PATCHES: list[Patch] = [
    {},
    {"a": "new-2456789bcd"},
    {"a": None},
    {"l": ListPatch(drop=(0,))},
    {"l": ListPatch(drop=(0, 1))},
    {
        "l": ListPatch(
            {0: {"b": "x", "n": None}}, drop=(1,), add=({"m": 292, "o": True, "s": [{"k": "v"}]},)
        )
    },
    {"l": ListPatch({1: {"l": ListPatch(add=({"d": 1},))}})},
    {"new": ListPatch(add=({"c": "e"},)), "m": {"x": {"y": "z"}}},
]
SOURCES = [
    "a: text\nl:\n- {b: 1, n: yes}\n- b: 0o17 # kept\n  l: []\nm: {}\n",
    '{"a": "1", "l": [{"b": 1.50, "n": null}, {"b": true}], "m": null}\n',
    "a: >-\n  x\n  y\nl: [{b: .inf}, {<<: {b: 2}, c: !!int x}]\n",
]


@pytest.mark.parametrize("patch", PATCHES)
@pytest.mark.parametrize("source", SOURCES)
def test_the_value_is_what_the_edited_text_says(source: str, patch: Patch) -> None:
    document = read_yaml(source.encode())
    (root,) = document.roots
    assert is_mapping(root)
    edits = list(plan_patch(read_item(root), patch))
    text = apply_splices(
        source, [splice for edit in edits for splice in splice_change(source, edit.change)]
    )
    assert edited_value(root, patch, {}) == edited_value(
        read_yaml(text.encode()).roots[0], None, {}
    )


def test_changed_texts_are_part_of_the_value() -> None:
    (root,) = read_yaml(b"a: [b, c]").roots
    assert edited_value(root, None, {root.value[0][1].value[1]: "d"}) == {"a": ["b", "d"]}


@given(st.integers(1, 390))
def test_depth_is_no_matter(depth: int) -> None:
    (root,) = read_yaml(b"[" * depth + b"]" * depth).roots
    edited_value(root, None, {})
