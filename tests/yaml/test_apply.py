"""A merge patch changes a text only where it must."""

import pytest

from krm_fn.base.changes import Changes, Patch
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.yaml import apply_changes
from tests.yaml.patched import patched

PATCH: Patch = {
    "immutable": True,
    "metadata": {
        "name": "new-2456789bcd",
        "labels": {"s": "w"},
        "annotations": {"b": "c", "x": None},
    },
}
ADDED = "  labels:\n    s: w\n  annotations:\n    b: c\n"


CASES = [
    pytest.param(
        "metadata:\n  name: a\n",
        "metadata:\n  name: new-2456789bcd\n" + ADDED + "immutable: true\n",
        id="missing fields are added as blocks",
    ),
    pytest.param(
        "metadata:\n  name: a",
        "metadata:\n  name: new-2456789bcd\n" + ADDED + "immutable: true",
        id="a missing last newline stays missing",
    ),
    pytest.param(
        "metadata:\r\n  name: a # c\r\nkind: x\r\n",
        "metadata:\r\n  name: new-2456789bcd # c\r\n"
        + ADDED.replace("\n", "\r\n")
        + "kind: x\r\nimmutable: true\r\n",
        id="new lines end as the old ones do",
    ),
    pytest.param(
        "metadata :\n  name: a\n  labels  : {}\n  annotations :\nimmutable :\n",
        "metadata :\n  name: new-2456789bcd\n  labels  :\n    s: w\n  annotations :\n    b: c\nimmutable : true\n",
        id="a space before a colon stays",
    ),
    pytest.param(
        "metadata: {name: a, labels, annotations}\n? immutable\n# c\n",
        "metadata: {name: new-2456789bcd, labels: {s: w}, annotations: {b: c}}\n? immutable\n: true\n# c\n",
        id="a field without a colon gets one",
    ),
    pytest.param(
        "metadata:\r  name: a\r",
        "metadata:\r  name: new-2456789bcd\r" + ADDED.replace("\n", "\r") + "immutable: true\r",
        id="lines that end in a carriage return alone do so",
    ),
    pytest.param(
        "metadata: {name: a}\n",
        "metadata: {name: new-2456789bcd, labels: {s: w}, annotations: {b: c}}\nimmutable: true\n",
        id="a flow mapping gains flow entries",
    ),
    pytest.param(
        '{"metadata": {"name": "a"}}',
        '{"metadata": {"name": "new-2456789bcd", "labels": {"s": "w"}, "annotations": {"b": "c"}}, "immutable": true}',
        id="JSON stays JSON",
    ),
    pytest.param(
        '{\n  "metadata": {\n    "name": "a",\n    "labels": {},\n    "annotations": {"x": "1"}\n  }\n}\n',
        '{\n  "metadata": {\n    "name": "new-2456789bcd",\n    "labels": {"s": "w"},\n'
        '    "annotations": {"b": "c"}\n  },\n'
        '  "immutable": true\n}\n',
        id="indented JSON stays indented",
    ),
    pytest.param(
        "metadata:\n  annotations:\n  labels: {}  # none\n  name: 'a'\n",
        "metadata:\n  annotations:\n    b: c\n  labels:\n    s: w  # none\n  name: 'new-2456789bcd'\nimmutable: true\n",
        id="empty places are filled as blocks, comments kept",
    ),
    pytest.param(
        'metadata:\n  annotations: {x: 1, y: 2,}\n  name: "a"\n',
        'metadata:\n  annotations: {y: 2, b: c,}\n  name: "new-2456789bcd"\n  labels:\n    s: w\nimmutable: true\n',
        id="a trailing comma stays one",
    ),
    pytest.param(
        "metadata:\n  annotations:\n    x: 1 # gone\n    # stays\n    y: |+\n      a\n\n  name: a\n",
        "metadata:\n  annotations:\n    # stays\n    y: |+\n      a\n\n    b: c\n"
        "  name: new-2456789bcd\n  labels:\n    s: w\n"
        "immutable: true\n",
        id="a dropped field is dropped with its line, a block scalar keeps its blank lines",
    ),
    pytest.param(
        "metadata:\n  name: a\n  annotations:\n    x: 1\n    y: |\n      z",
        "immutable: true\nmetadata:\n  labels:\n    s: w\n  name: new-2456789bcd\n  annotations:\n"
        "    b: c\n    y: |\n      z",
        id="nothing is added behind a block scalar without a last newline",
    ),
    pytest.param(
        "- ? metadata\n  : name: &n a\n    annotations: !!map {}\n",
        "- ? metadata\n  : name: &n new-2456789bcd\n    annotations: !!map {b: c}\n    labels:\n"
        "      s: w\n  immutable: true\n",
        id="explicit keys, anchors and tags stay",
    ),
    pytest.param(
        "base: &b [1]\nmetadata:\n  name: a\n  other: *b # c\n",
        "base: &b [1]\nmetadata:\n  name: new-2456789bcd\n  other: *b # c\n"
        + ADDED
        + "immutable: true\n",
        id="an alias ends where it is written",
    ),
    pytest.param(
        "list: &l\n- 1\nmetadata:\n  name: a\n  other:\n  - 1\n  - *l\n  # c\nkind: x",
        "list: &l\n- 1\nmetadata:\n  name: new-2456789bcd\n  other:\n  - 1\n  - *l\n"
        + ADDED
        + "  # c\nkind: x\nimmutable: true",
        id="an alias at the end of a list does too",
    ),
    pytest.param(
        "metadata: {annotations: , name: a}\n",
        "metadata: {annotations: {b: c}, name: new-2456789bcd, labels: {s: w}}\nimmutable: true\n",
        id="an empty value in a flow mapping",
    ),
    pytest.param(
        "metadata: {name: a, ? annotations : }\n",
        "metadata: {name: new-2456789bcd, ? annotations : {b: c}, labels: {s: w}}\nimmutable: true\n",
        id="an empty value at the end of a flow mapping",
    ),
    pytest.param(
        "metadata: {name: a, annotations: # c\n  }\n",
        "metadata: {name: new-2456789bcd, annotations: {b: c} , labels: {s: w} # c\n  }\nimmutable: true\n",
        id="an empty value with a comment in a flow mapping",
    ),
    pytest.param(
        "metadata: {name: a, z:\n  }\n",
        "metadata: {name: new-2456789bcd, z: , labels: {s: w}, annotations: {b: c}\n  }\nimmutable: true\n",
        id="an empty value that stays keeps away from the comma",
    ),
    pytest.param(
        "metadata: {name: a, z: !!str }\n",
        "metadata: {name: new-2456789bcd, z: !!str , labels: {s: w}, annotations: {b: c} }\nimmutable: true\n",
        id="an empty value with a tag does too",
    ),
    pytest.param(
        "metadata:\n  name: a\n  labels: {s: !!str }\n  annotations: {b: !!null }\n",
        "metadata:\n  name: new-2456789bcd\n  labels: {s: !!str w }\n  annotations: {b: c }\nimmutable: true\n",
        id="behind a tag without a value, a tag of another type goes",
    ),
    pytest.param(
        "metadata:\n  name: a\n  labels: !!null\n  annotations: &n !!null # c\nimmutable: !!bool\n",
        "metadata:\n  name: new-2456789bcd\n  labels: {s: w}\n  annotations: &n {b: c} # c\nimmutable: !!bool true\n",
        id="a null with a tag becomes what it must be, an anchor stays",
    ),
    pytest.param(
        "metadata:\n  name: a\n  labels:\n    s: !!int 12\n  annotations:\n    b: |-\n      d\u00a0\n    e: f\n",
        "metadata:\n  name: new-2456789bcd\n  labels:\n    s: w\n  annotations:\n    b: c\n    e: f\nimmutable: true\n",
        id="a tag of a number goes, and a block with all that looks like white space",
    ),
    pytest.param(
        "metadata:\n  name: >-\n    a\n  annotations:\n    q: 1\n",
        "metadata:\n  name: new-2456789bcd\n  annotations:\n    q: 1\n    b: c\n  labels:\n    s: w\nimmutable: true\n",
        id="a folded name becomes a plain one",
    ),
    pytest.param(
        "metadata:\n  annotations: {x: b}\n  name: a\n...\n",
        "metadata:\n  annotations: {b: c}\n  name: new-2456789bcd\n  labels:\n    s: w\nimmutable: true\n...\n",
        id="the only entry is replaced",
    ),
]


@pytest.mark.parametrize(("before", "after"), CASES)
def test_a_merge_patch_in_text(before: str, after: str) -> None:
    assert patched(before, PATCH) == after


@pytest.mark.parametrize("after", [case.values[1] for case in CASES])
def test_a_merge_patch_is_done_once(after: str) -> None:
    assert patched(after, PATCH) == after


def test_a_new_object_goes_into_the_outermost_list() -> None:
    text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: List\n  items:\n  - kind: A\n"
    envelope = open_envelope(read_yaml(text.encode()))
    assert apply_changes(envelope, Changes(add=({"kind": "B"},))).text == f"{text}- kind: B\n"
