"""Markdown for GitHub: nothing in it is more than text, and it fits into a comment."""

import pytest
from hypothesis import given

from krm_fn.report.object_change import ObjectChange
from krm_fn.report.secrets import KeyChange, Shown
from krm_fn.tools.diff.difference import Difference, LinkerChange
from krm_fn.tools.diff.write_difference import MARK, write_markdown
from tests.diff.generated import differences, hostile, who
from tests.diff.markdown import TAGS, TYPES, read_markdown


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


def _large(changes: int, text: str) -> Difference:
    one = ObjectChange(
        who("web-config"),
        who("web-config"),
        has_new_name=True,
        keys=(KeyChange("a", Shown(1, ""), Shown(2, text)),),
    )
    return Difference("old", "new", (one,) * changes, (), LinkerChange(), 0)


@pytest.mark.parametrize(
    ("difference", "told"),
    [
        pytest.param(_large(2, "line\n" * 1000), "... 851 more lines", id="a long value"),
        pytest.param(_large(2, "x" * 1_000_000), "... (+999717)", id="a long line"),
        pytest.param(_large(2000, "x"), "as there is no room in a comment: 1,", id="many changes"),
        pytest.param(
            _large(300, "e\u0301" * 500),
            "as there is no room in a comment: ",
            id="combined characters",
        ),
        pytest.param(
            _large(300, "\U0001f600" * 500),
            "as there is no room in a comment: ",
            id="wide characters",
        ),
    ],
)
def test_a_comment_is_never_too_long(difference: Difference, told: str) -> None:
    markdown = write_markdown(difference, "key" * 1000)
    assert len(markdown.encode("utf-16-le")) / 2 < 65_536
    assert told in markdown
    assert read_markdown(markdown).types <= TYPES


@pytest.mark.parametrize("room", [5_000, 65_000, 1_000_000])
def test_a_comment_has_no_more_than_there_is_room_for(room: int) -> None:
    markdown = write_markdown(_large(300, "x" * 1_000), "key", room=room)
    assert len(markdown) <= room
    assert ("Left out" in markdown) == (room < 1_000_000)
