"""Joined texts keep the values that they had alone."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.base.node import Plain, is_mapping, plain_value
from krm_fn.core.yaml import envelope
from krm_fn.core.yaml.envelope import end_last_line, join_streams, open_list
from krm_fn.core.yaml.reader import read_yaml

AFTER = "---\nz: 1\n"
KUBECTLS_MARKER = "\n---"
"""In k8s.io/apimachinery, pkg/util/yaml/decoder.go: `yamlSeparator`."""

ENDS = [
    pytest.param("a: 1\n", "a: 1\n", id="a line break is there"),
    pytest.param("a: 1", "a: 1\n", id="none after plain text"),
    pytest.param(
        "a: 1\r\nb: 2",
        "a: 1\r\nb: 2\r\n",
        id="none, and the others are carriage returns and line feeds",
    ),
    pytest.param(
        "a: 1\r", "a: 1\r\n", id="a carriage return alone, behind which kubectl finds no marker"
    ),
    pytest.param(
        "a: 1\rb: 2", "a: 1\rb: 2\r\n", id="none, and the others are carriage returns alone"
    ),
    pytest.param("a: 1\r\r", "a: 1\r\r\n", id="two carriage returns are two line breaks"),
    pytest.param("a: |\n  x\r", "a: |\n  x\r\n", id="a carriage return alone ends a block scalar"),
    pytest.param("a: |+\n  x\r\r", "a: |+\n  x\r\r\n", id="and one that keeps its line breaks"),
    pytest.param("a: |+\n  x\r  ", "a: |+\n  x\r\n", id="and one whose last line is only spaces"),
    pytest.param("a: 1\n# end\r", "a: 1\n# end\r\n", id="a carriage return alone ends a comment"),
    pytest.param(
        "a: |\n  x", "a: |-\n  x\n", id="none after a block scalar, whose value has none either"
    ),
    pytest.param("a: >\n  x", "a: >-\n  x\n", id="nor a folded one's"),
    pytest.param("a: |+\n  x", "a: |-\n  x\n", id="nor one that keeps its line breaks"),
    pytest.param("a: |2\n   x", "a: |2-\n   x\n", id="an indentation indicator stays"),
    pytest.param(
        "a: |+2\n   x", "a: |2-\n   x\n", id="an indentation indicator stays, behind the other too"
    ),
    pytest.param(
        "- b: &x !!str | # why\n    x",
        "- b: &x !!str |- # why\n    x\n",
        id="anchor, tag and comment stay",
    ),
    pytest.param("a: |-\n  x", "a: |-\n  x\n", id="one that drops its line breaks is safe"),
    pytest.param("a: |+\n  x\n  ", "a: |+\n  x\n", id="spaces at the end would become a line"),
    pytest.param("a: |\n  x\n# end", "a: |\n  x\n# end\n", id="a comment has ended it"),
    pytest.param(
        "a: &a |\n  x\nb: *a", "a: &a |\n  x\nb: *a\n", id="an alias of one ends somewhere else"
    ),
    pytest.param("# nothing", "# nothing\n", id="a comment alone"),
    pytest.param("", "", id="nothing"),
]


@pytest.mark.parametrize(("text", "ended"), ENDS)
def test_end_last_line(text: str, ended: str) -> None:
    assert end_last_line(text) == ended
    assert values(end_last_line(text) + AFTER) == [*values(text), {"z": 1}]
    # As kubectl splits a stream.
    assert len(f"\n{end_last_line(text)}{AFTER}".split(KUBECTLS_MARKER)) == 2


JOINED = [
    pytest.param(["a: 1"], "a: 1", id="one alone is as it was"),
    pytest.param(["a: 1\n", "b: 2"], "---\na: 1\n---\nb: 2", id="several have a marker each"),
    pytest.param(
        ["---\na: 1\n", "--- {b: 2}"],
        "---\na: 1\n--- {b: 2}",
        id="a marker that is there is enough",
    ),
    pytest.param(
        ["a: 1\n", "# b\n---\nb: 2"],
        "---\na: 1\n---\n# b\n---\nb: 2",
        id="behind a comment it is not",
    ),
    pytest.param(
        ["a: |+\n  x\n", "\n\nb: 2\n"],
        "---\na: |+\n  x\n---\n\n\nb: 2\n",
        id="blank lines stay apart",
    ),
    pytest.param(["----\n", "b: 2\n"], "---\n----\n---\nb: 2\n", id="four dashes are no marker"),
    pytest.param(
        ['{"a": 1}', '{"b": 2}'],
        '---\n{"a": 1}\n---\n{"b": 2}',
        id="JSON, so that kubectl takes all for YAML",
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


@given(
    st.lists(
        st.tuples(st.sampled_from([end.values[0] for end in ENDS]), st.booleans()),
        min_size=1,
        max_size=4,
    )
)
def test_joined_texts_keep_their_values(parts: list[tuple[str, bool]]) -> None:
    texts = ["---\n" * marked + str(text) for text, marked in parts]
    said = [value for text in texts for value in values(text)]
    assert [value for value in values(join_streams(texts)) if value is not None] == [
        value for value in said if value is not None
    ]


def values(text: str) -> list[Plain]:
    return [plain_value(root) for root in read_yaml(text.encode()).roots]


LISTS = [
    pytest.param("\n- a: 1\n-\n- b: 2\n", id="in lines"),
    pytest.param(" [{a: 1}, null, {b: 2}]\n", id="in brackets"),
    pytest.param("\n- a: 1\n- b: 2", id="without a line break at the end"),
    pytest.param("\n- a: 1\r- b: 2\r", id="with carriage returns alone"),
    pytest.param("\r- a: 1\r\r- b: 2", id="with nothing but carriage returns, and none at the end"),
]


@pytest.mark.parametrize("items", LISTS)
def test_only_the_objects_of_a_list_become_documents(items: str) -> None:
    assert _opened(f"items:{items}") == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("header", ["|", "|-", "|+", ">", ">-", ">+"])
@pytest.mark.parametrize("end", ["", "\n", "\r", "\r\n", "\n\n", "\r\r", "\n  "])
def test_a_block_scalar_at_the_end_of_a_list_keeps_its_value(header: str, end: str) -> None:
    text = f"items:\n- a: {header}\n    x{end}"
    (wrapped,) = values(text)
    assert isinstance(wrapped, dict)
    assert _opened(text) == wrapped["items"]


def _opened(text: str) -> list[Plain]:
    (wrapper,) = read_yaml(text.encode()).roots
    assert is_mapping(wrapper)
    return values(open_list(text, wrapper))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("!!binary YQ==: x", True, id="a tag at the beginning"),
        pytest.param("a: !!binary YQ==", True, id="a tag of a value"),
        pytest.param("{a: b,!!binary YQ==: c}", True, id="a tag behind a comma"),
        pytest.param("[!<tag:yaml.org,2002:%62inary> YQ==]", True, id="an escaped tag in a list"),
        pytest.param(
            "- ! \n- !e!%62inary YQ==", True, id="an escaped tag with a prefix of its own"
        ),
        pytest.param(r"pattern: ^[a-zA-Z0-9!#$%&'*+]+$", False, id="the pattern of a definition"),
        pytest.param("text: wow!binary", False, id="an exclamation mark within a word"),
    ],
)
def test_names_are_searched_for_base64_where_a_tag_may_say_it(text: str, expected: bool) -> None:
    assert bool(re.search(envelope._ENCODED, text)) is expected  # noqa: SLF001  # to search all names takes long
