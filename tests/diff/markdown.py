"""What a reader of Markdown sees outside of code, and which tags it meets: by CommonMark, as GitHub reads it."""

from html.parser import HTMLParser
from typing import NamedTuple

from markdown_it import MarkdownIt

COMMENT = "!--"
TAGS = {COMMENT, "p", "strong", "code", "details", "details open", "summary"}
TYPES = {"html_block", "fence"}


class Seen(NamedTuple):
    """`text` is all that is outside of code, `tags` the HTML elements, `types` what the Markdown is made of."""

    text: str
    tags: set[str]
    types: set[str]
    code: str
    unclosed: list[str]


def read_markdown(markdown: str) -> Seen:
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)
    html = "".join(token.content for token in tokens if token.type == "html_block")
    reader = _Reader()
    reader.feed(html)
    reader.close()
    fences = "".join(token.content for token in tokens if token.type == "fence")
    return Seen(
        reader.text,
        reader.tags,
        {token.type for token in tokens},
        reader.code + fences,
        reader.open,
    )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = self.code = ""
        self.tags: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(" ".join([tag, *(name for name, _ in attrs)]))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.tags.add(COMMENT)
        assert data.startswith(" krm-fn diff ")

    def handle_data(self, data: str) -> None:
        if "code" in self.open:
            self.code += data
        else:
            self.text += data
