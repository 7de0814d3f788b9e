"""Texts that are read alone: each once, and only where each of their parts is what it must be."""

import pytest

from krm_fn.core.yaml.alone import Texts, Unusual
from krm_fn.core.yaml.reader import MAX_DEPTH, read_yaml
from tests.wire.test_around import spell

LONG = "x" * 100
OBJECT = f"""\
- kind: Role
  metadata:
    name: NAME
  rules:
  - verbs: [get]
    resources:
    - {LONG}
  - verbs:
    - list
"""
SAID = [
    pytest.param(f"a:\n  b: {LONG}\n  c: d\n", id="a field below its key"),
    pytest.param(f"a:\n- {LONG}\n- c\n", id="a list in the column of its key"),
    pytest.param(f"- a: {LONG}\n  b: c\n- d\n", id="a mapping behind a dash"),
    pytest.param(f"- - {LONG}\n  - b\n", id="a list behind a dash"),
    pytest.param(f"a: |\n  b: {LONG}\n  c: d\n", id="a block"),
    pytest.param(f"a:\n  # {LONG}\n  b: c\n\n# d\n", id="comments"),
    pytest.param(f"a:\n\n  b: {LONG}\n", id="an empty line below a key"),
    pytest.param(f"a:\n  {{b: {LONG}}}\n", id="braces below a key"),
    pytest.param(f"a: !x\n  b: {LONG}\n", id="a tag"),
    pytest.param(f'"a": "b\n\n  {LONG}"\nc: d\n', id="quotes around two lines"),
]
UNUSUAL = [
    pytest.param(f"a:\n  b: {LONG}\n c: d\n", id="a line between two columns"),
    pytest.param(f"a:\n  b: {LONG}\n  b: d\n", id="a key twice"),
    pytest.param(f"a:\n  {LONG}\n", id="text below a key"),
    pytest.param(f"a:\n  b: {LONG}\n- c\n", id="an element behind a field"),
    pytest.param(f"- a: {LONG}\nb: c\n", id="a field behind an element"),
    pytest.param(f'a:\n  b: "{LONG}\n  c: d"\n', id="a quote that another part closes"),
    pytest.param(f"a:\n  b: [{LONG}\n  c: d]\n", id="a bracket that another part closes"),
    pytest.param(f"a:\n  b: &b {LONG}\n  c: *b\n", id="an alias"),
    pytest.param(f"a: {LONG}\n---\nb: c\n", id="two documents"),
    pytest.param(f"{LONG}\n", id="no collection"),
    pytest.param(f"{{a: {LONG}}}\n", id="braces"),
    pytest.param(f"!x\na: {LONG}\n", id="a tag in front"),
]


@pytest.mark.parametrize("column", [0, 4])
@pytest.mark.parametrize("text", SAID)
def test_the_parts_say_what_the_whole_says(text: str, column: int) -> None:
    moved = "".join(" " * column + line if line.strip() else line for line in text.splitlines(keepends=True))
    texts = Texts()
    keys = texts.add_entries(moved[column:], column, 1)
    texts.read()
    assert spell(texts.collection(keys)) == spell(read_yaml(moved.encode()).roots[0])


@pytest.mark.parametrize("text", UNUSUAL)
def test_what_is_unusual_is_not_read(text: str) -> None:
    texts = Texts()
    keys = texts.add_entries(text, 0, 1)
    with pytest.raises(Unusual):  # noqa: PT012  # which of the two finds it does not matter
        texts.read()
        texts.collection(keys)


def test_what_two_objects_have_in_common_is_one_node() -> None:
    texts = Texts()
    keys = texts.add_entries("".join(OBJECT.replace("NAME", name) for name in "abc"), 0, 1)
    texts.read()
    first, second, third = ([value for _, value in one.value] for one in texts.collection(keys).value)
    assert first[2] is second[2] is third[2]
    assert first[1] is not second[1]


def test_depth_is_bounded() -> None:
    texts = Texts()
    texts.add("a: [b]\n", 0, MAX_DEPTH - 2)
    with pytest.raises(Unusual):
        texts.read()
