"""Text of others is text in Markdown, and nothing else, as GitHub renders it and then reads it."""

import re
from html.parser import HTMLParser
from random import Random

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from krm_fn.report.markup import markdown, markdown_code
from tests.volume import part_of, seed_of

HOSTILE = (
    "www.x.example",
    "WWW.X.EXAMPLE/a",
    "https://x.example",
    "HTTP://x.example/?a=b",
    "ftp://x.example/a",
    "mailto:a@b.example",
    "xmpp:a@b.example/c",
    "a@b.example",
    "@team/people",
    "#12",
    "GH-12",
    "owner/repo#12",
    "owner@0123456789abcdef0123456789abcdef01234567",
    "0123456",
    "![a](https://x.example/a.png)",
    "[a](https://x.example)",
    "[a]: https://x.example",
    "<https://x.example>",
    "<a href=https://x.example>a</a>",
    "<img src=x>",
    "&lt;img src=x&gt;",
    "*a* _b_ ~~c~~ `d` ``e``",
    "| a | b |",
    "# a",
    "- a",
    "1. a",
    "$a$",
    "\\@team",
    "`@team`",
    "\u2028@team",
    ":tada:",
    ":+1:",
)
OF_THE_FORGE = re.compile(
    r"@\w|#\d|\bgh-\d|www\.\w|\w://|:[a-z_+-][\w+-]*:", re.ASCII | re.IGNORECASE
)
"""What GitHub looks for in each piece of the text that it has rendered, outside of code."""


OURS = {("lang", "diff"), ("lang", "mermaid"), ("open", None)}
"""The attributes that krm-fn asks for: of blocks of code, and of what is open at first."""


class Seen(HTMLParser):
    """What a browser gets: the tags, and the pieces of text outside of code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.pieces = [""]
        self.text = ""
        self._is_code = False
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert {*attributes} <= OURS
        self.tags.add(tag)
        self._is_code = tag == "code"
        self.pieces.append("")

    def handle_endtag(self, tag: str) -> None:
        self._is_code = self._is_code and tag != "code"
        self.pieces.append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if not self._is_code:
            self.pieces[-1] += data


def seen(source: str) -> Seen:
    return Seen(cmarkgfm.github_flavored_markdown_to_html(source, options=Options.CMARK_OPT_UNSAFE))


def assert_text(hostile: str) -> None:
    for source in (
        f"- {markdown(hostile)}",
        f"| {markdown(hostile)} |\n|---|\n",
        markdown(hostile),
    ):
        found = seen(source)
        assert found.tags <= {"ul", "li", "p", "span", "table", "thead", "tr", "th"}, hostile
        assert not [piece for piece in found.pieces if OF_THE_FORGE.search(piece)], hostile
        assert " ".join(found.text.split()) == " ".join(hostile.split())


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_text_is_text(hostile: str) -> None:
    assert_text(hostile)
    found = seen(markdown_code(hostile))
    assert found.tags <= {"p", "code"}
    assert " ".join(found.text.split()) == " ".join(hostile.split())


@pytest.mark.volume
def test_any_mixture_of_texts_is_text() -> None:
    for number in range(part_of(20_000)):
        random = Random(seed_of(number))
        words = random.choices([*HOSTILE, "a", " ", ".", ":", "/", "(", ")", ","], k=4)
        assert_text("".join(words).strip())
