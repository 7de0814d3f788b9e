"""Markdown for GitHub: nothing in it is more than text, and it fits into a comment."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.diff.difference import (
    BY_NAME,
    KEPT,
    PRUNED,
    REFUSED,
    ROLLS,
    Change,
    Difference,
    Fate,
    FieldChange,
    Linker,
    Roll,
    Who,
)
from krm_fn.diff.to_markdown import MARK, write_markdown
from krm_fn.look.content import KeyChange, Shown
from tests.cases import FIXTURES
from tests.diff.markdown import COMMENT, read_markdown

TAGS = {COMMENT, "p", "strong", "code", "details", "details open", "summary"}
TYPES = {"html_block", "fence"}
RECORDED = sorted(FIXTURES.glob("diffs/*/diff.md"))

HOSTILE = [
    *("`", "```", "~~~", "\n", "\r\n", "\n\n", "    ", " ", "a", "\u202e", "\x00", "\U0001f600"),
    *("</details>", "</code>", "-->", "<!--", "]]>", "<img src=x>", "&", "&#64;"),
    *("@team", "#1", "|", "**", "![x](http://a.example)", "www.a.example"),
]

hostile = st.lists(st.sampled_from(HOSTILE), max_size=8).map("".join)


def who(text: str) -> Who:
    return Who(text, text, text, text, text, text)


@st.composite
def differences(draw: st.DrawFn) -> Difference:
    text = hostile
    roll = Roll(draw(text), draw(text), draw(text), draw(st.sampled_from([ROLLS, REFUSED])), (BY_NAME,))
    change = Change(
        draw(st.none() | text.map(who)),
        who(draw(text)),
        has_new_name=draw(st.booleans()),
        keys=(KeyChange(draw(text), Shown(1, draw(text)), Shown(2, draw(text))),),
        fields=(
            FieldChange(draw(text), draw(text), draw(text)),
            FieldChange(draw(text), None, {draw(text): [draw(text), {draw(text): draw(text)}]}),
        ),
        rolls=(roll,),
        hazards=("argocd",),
    )
    gone = Change(who(draw(text)), None, fate=Fate(draw(st.sampled_from([KEPT, PRUNED])), (draw(text),), ()))
    linker = Linker(1, (draw(text),), (draw(text),))
    return Difference(draw(text), draw(text), (change,), (gone,), linker, 0)


@given(differences(), hostile)
def test_no_text_is_more_than_text(difference: Difference, key: str) -> None:
    markdown = write_markdown(difference, key)
    seen = read_markdown(markdown)
    assert markdown.startswith(f"{MARK} ")
    assert seen.types <= TYPES
    assert seen.tags <= TAGS
    assert not seen.unclosed
    for trace in ("@", "#", "|", "`", "<", ">", "*", "[", "www"):
        assert trace not in seen.text
    assert all(line.isprintable() for line in markdown.splitlines())


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.parent.name)
def test_all_is_in_code(file: Path) -> None:
    seen = read_markdown(file.read_text())
    assert seen.types <= TYPES
    assert seen.tags <= TAGS
    assert not seen.unclosed


def _large(changes: int, text: str) -> Difference:
    one = Change(
        who("web-config"), who("web-config"), has_new_name=True, keys=(KeyChange("a", Shown(1, ""), Shown(2, text)),)
    )
    return Difference("old", "new", (one,) * changes, (), Linker(), 0)


@pytest.mark.parametrize(
    ("difference", "told"),
    [
        pytest.param(_large(2, "line\n" * 1000), "... 851 more lines", id="a long value"),
        pytest.param(_large(2, "x" * 1_000_000), "... (+999717)", id="a long line"),
        pytest.param(_large(2000, "x"), "as there is no room in a comment: 1,", id="many changes"),
        pytest.param(_large(300, "e\u0301" * 500), "as there is no room in a comment: ", id="combined characters"),
        pytest.param(_large(300, "\U0001f600" * 500), "as there is no room in a comment: ", id="wide characters"),
    ],
)
def test_a_comment_is_never_too_long(difference: Difference, told: str) -> None:
    markdown = write_markdown(difference, "key" * 1000)
    assert len(markdown.encode("utf-16-le")) / 2 < 65_536
    assert told in markdown
    assert read_markdown(markdown).types <= TYPES
