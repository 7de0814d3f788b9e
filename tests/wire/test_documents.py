"""Joined texts keep the values that they had alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.config.plain import Plain, plain_value
from krm_fn.model.node import is_mapping
from krm_fn.wire.envelope import end_last_line, join_streams, open_list
from krm_fn.wire.reader import read_yaml

AFTER = "---\nz: 1\n"

ENDS = [
    pytest.param("a: 1\n", "a: 1\n", id="a line break is there"),
    pytest.param("a: 1", "a: 1\n", id="none after plain text"),
    pytest.param("a: 1\r\nb: 2", "a: 1\r\nb: 2\r\n", id="none, and the others are carriage returns and line feeds"),
    pytest.param("a: |\n  x", "a: |-\n  x\n", id="none after a block scalar, whose value has none either"),
    pytest.param("a: >\n  x", "a: >-\n  x\n", id="nor a folded one's"),
    pytest.param("a: |+\n  x", "a: |-\n  x\n", id="nor one that keeps its line breaks"),
    pytest.param("a: |2\n   x", "a: |2-\n   x\n", id="an indentation indicator stays"),
    pytest.param("a: |+2\n   x", "a: |2-\n   x\n", id="an indentation indicator stays, behind the other too"),
    pytest.param("- b: &x !!str | # why\n    x", "- b: &x !!str |- # why\n    x\n", id="anchor, tag and comment stay"),
    pytest.param("a: |-\n  x", "a: |-\n  x\n", id="one that drops its line breaks is safe"),
    pytest.param("a: |+\n  x\n  ", "a: |+\n  x\n", id="spaces at the end would become a line"),
    pytest.param("a: |\n  x\n# end", "a: |\n  x\n# end\n", id="a comment has ended it"),
    pytest.param("a: &a |\n  x\nb: *a", "a: &a |\n  x\nb: *a\n", id="an alias of one ends somewhere else"),
    pytest.param("# nothing", "# nothing\n", id="a comment alone"),
    pytest.param("", "", id="nothing"),
]


@pytest.mark.parametrize(("text", "ended"), ENDS)
def test_end_last_line(text: str, ended: str) -> None:
    assert end_last_line(text) == ended
    assert values(end_last_line(text) + AFTER) == [*values(text), {"z": 1}]


JOINED = [
    pytest.param(["a: 1"], "a: 1", id="one alone is as it was"),
    pytest.param(["a: 1\n", "b: 2"], "---\na: 1\n---\nb: 2", id="several have a marker each"),
    pytest.param(["---\na: 1\n", "--- {b: 2}"], "---\na: 1\n--- {b: 2}", id="a marker that is there is enough"),
    pytest.param(["a: 1\n", "# b\n---\nb: 2"], "---\na: 1\n---\n# b\n---\nb: 2", id="behind a comment it is not"),
    pytest.param(["a: |+\n  x\n", "\n\nb: 2\n"], "---\na: |+\n  x\n---\n\n\nb: 2\n", id="blank lines stay apart"),
    pytest.param(["----\n", "b: 2\n"], "---\n----\n---\nb: 2\n", id="four dashes are no marker"),
    pytest.param(
        ['{"a": 1}', '{"b": 2}'], '---\n{"a": 1}\n---\n{"b": 2}', id="JSON, so that kubectl takes all for YAML"
    ),
    pytest.param(
        ["# x\n%YAML 1.1\n---\na: 1\n", "%YAML 1.2\r\n---\r\nb: 2"],
        "---\n# x\n#YAML 1.1\n---\na: 1\n---\n#YAML 1.2\r\n---\r\nb: 2",
        id="directives, which kubectl and Argo CD do not read, become comments",
    ),
]


@pytest.mark.parametrize(("texts", "joined"), JOINED)
def test_joined(texts: list[str], joined: str) -> None:
    assert join_streams(texts) == joined


@given(st.lists(st.tuples(st.sampled_from([end.values[0] for end in ENDS]), st.booleans()), min_size=1, max_size=4))
def test_joined_texts_keep_their_values(parts: list[tuple[str, bool]]) -> None:
    texts = ["---\n" * marked + str(text) for text, marked in parts]
    said = [value for text in texts for value in values(text)]
    assert [value for value in values(join_streams(texts)) if value is not None] == [
        value for value in said if value is not None
    ]


def values(text: str) -> list[Plain]:
    return [plain_value(root) for root in read_yaml(text.encode()).roots]


@pytest.mark.parametrize("items", ["\n- a: 1\n-\n- b: 2\n", " [{a: 1}, null, {b: 2}]\n"])
def test_only_the_objects_of_a_list_become_documents(items: str) -> None:
    text = f"items:{items}"
    (wrapper,) = read_yaml(text.encode()).roots
    assert is_mapping(wrapper)
    assert values(open_list(text, wrapper)) == [{"a": 1}, {"b": 2}]
