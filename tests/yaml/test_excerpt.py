"""Which entries of a text are read again after an edit.

`tests/yaml/test_prove.py` shows that wrong edits are found.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.core.yaml import excerpt
from krm_fn.core.yaml.excerpt import _UNEVEN, _is_uneven, make_excerpt
from krm_fn.core.yaml.reader import Document, read_yaml
from krm_fn.core.yaml.splice import Splice

LEFT_OUT = [
    pytest.param("a: 1\nb: EDIT\nc: 3\n", "b: EDITED\n", id="fields around the edited one"),
    pytest.param("- a: 1\n- b: EDIT\n- c: 3\n", "- b: EDITED\n", id="elements in one column"),
    pytest.param("x:\n  - a: 1\n  - b: EDIT\n", "x:\n  - b: EDITED\n", id="elements further in"),
    pytest.param(
        "a: 1\nb: 2\n---\nc: 3\nd: EDIT\n", "---\nd: EDITED\n", id="fields in one of two documents"
    ),
    pytest.param(
        "a: 1\r\nb: 2\r\n---\r\nc: 3\r\nd: EDIT\r\n",
        "---\r\nd: EDITED\r\n",
        id="fields in one of two documents, lines that end as on Windows",
    ),
    pytest.param(
        "a: 1\n--- # b\nc: 3\n...\n# d\n---\nd: EDIT\n",
        "# d\n---\nd: EDITED\n",
        id="documents that end with a line",
    ),
    pytest.param(
        "a: 1\n---\nb: EDIT\n---\nc: 3\n", "---\nb: EDITED\n---\nc: 3\n", id="a document of three"
    ),
    pytest.param(
        "a: 1\n---\n---\nb: EDIT\n",
        "a: 1\n---\n---\nb: EDITED\n",
        id="none beside an empty document",
    ),
    pytest.param(
        'rule: "x > 1\n  ? 1 : 0"\nb: EDIT\nc: 3\n',
        "b: EDITED\n",
        id="a question mark within a folded text begins no key",
    ),
    pytest.param(
        "rule: |\n  ? 1 : 0\n  %x\nb: EDIT\nc: 3\n",
        "b: EDITED\n",
        id="a question mark within a block begins no key",
    ),
    pytest.param(
        "a: <<\nb: EDIT\nc: \\\n", "b: EDITED\n", id="fields beside the text of a merge key"
    ),
    pytest.param(
        "---a: 1\n---b: EDIT\n", "---b: EDITED\n", id="a name that begins as a marker does"
    ),
]
READ_AGAIN = [
    pytest.param("-  a: 1\n-  b: EDIT\n-  c: 3\n", id="elements two columns behind their dash"),
    pytest.param("- a: 1\n-  b: EDIT\n- c: 3\n", id="elements in different columns"),
    pytest.param("- a: 1\r- b: EDIT\r- c: 3\r", id="elements behind a carriage return alone"),
    pytest.param("-\n  a: 1\n-\n  b: EDIT\n-\n  c: 3\n", id="elements on a line below their dash"),
    pytest.param("[{a: 1}, {b: EDIT}, {c: 3}]\n", id="a list in flow style"),
    pytest.param("{a: 1, b: EDIT, c: 3}\n", id="a mapping in flow style"),
    pytest.param("? a\n: 1\n? b\n: EDIT\n", id="keys behind a question mark"),
    pytest.param(
        'x: "x\n  ? y"\n? a\n: 1\n? b\n: EDIT\n',
        id="keys behind a question mark, below a text with one",
    ),
    pytest.param("? |\n  ? a\n: 1\nb: EDIT\n", id="a key that is a block with a question mark"),
    pytest.param("x: &x {a: 1}\ny: *x\nb: EDIT\n", id="aliases"),
    pytest.param('"<<": {a: 1}\nb: EDIT\nc: 3\n', id="a key that may merge"),
    pytest.param(
        '!!merge "\\x3c<": {a: 1}\nb: EDIT\nc: 3\n', id="a key that merges, written as an escape"
    ),
]


def excerpt_of(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(excerpt, "_SMALL", 0)
    document = read_yaml(text.encode())
    start = text.index("EDIT")
    found = make_excerpt(
        document, [Splice(start, start + 4, "EDITED")], [], text.replace("EDIT", "EDITED")
    )
    assert found.is_intact
    return found.text


@pytest.mark.parametrize(("text", "expected"), LEFT_OUT)
def test_what_no_edit_touches_is_left_out(
    text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The last entry stays: what is behind a document could be part of it.
    assert excerpt_of(text, monkeypatch).startswith(expected)


@pytest.mark.parametrize("text", READ_AGAIN)
def test_entries_that_share_a_line_stay(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert excerpt_of(text, monkeypatch) == text.replace("EDIT", "EDITED")


PARTS = ("%", "?", "a", " ", "\t", "-", "\n", "\r", "\x85", "\u2028")


@given(st.lists(st.sampled_from(PARTS)).map("".join))
def test_a_line_is_uneven_as_its_pattern_says(text: str) -> None:
    """A quick look at the whole text comes before the pattern."""
    document = Document(text, byte_order_mark=False, roots=[], has_aliases=False)
    assert _is_uneven(document) == bool(re.search(_UNEVEN, f"\n{text}"))
