"""Text and values in the forms of others: Markdown, HTML, Mermaid, JSON.

There a text is text, and never markup.

Names of sets, objects and files come from pull requests, and a comment with them is posted by
somebody whom people trust: no character in it may begin a link, a picture, a mention, or the end of
what is around it.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from operator import attrgetter
from pkgutil import get_data
from typing import Any, TypeAlias

from krm_fn.base.problem import camel_case, printable
from krm_fn.report.table import cut

WIDTH = 300
"""Columns of a text in a document or a box. Nobody reads more of one."""

_LONGEST_COMMENT = 500

_NOT_IN_MARKDOWN = re.compile(r"[^\w .,:;/()-]|_", re.ASCII)
"""Characters that mean something in Markdown, or mention a person, or could.

Names of objects have none of them.
"""

_REFERENCE = re.compile(
    r"[@#]|(?<=www)\.|:(?=/|[a-z_+-][\w+-]*:)|(?<=\bgh)-|\A-|\A\d+(?=[.)])",
    re.ASCII | re.IGNORECASE,
)
"""Where a forge finds an address, a person, an issue or a picture in text, or a list.

It looks for them after Markdown, in each piece of text by itself. Tags end a piece. The number of a
commit leads to the same repository, and stays readable.
"""

_NOT_IN_COMMENT = re.compile("[^A-Za-z0-9._/ ]")

_NOT_IN_LABEL = re.compile("[^A-Za-z0-9 ,/._-]|(?<![A-Za-z0-9])[._-]|[._-](?![A-Za-z0-9])")
"""Characters that could be more than a part of a label.

Within a word, dots and hyphens begin no list or emphasis.
"""


def markdown(text: str) -> str:
    """Write text among other Markdown, also in a cell of a table."""
    pieces, position = [], 0
    for found in _REFERENCE.finditer(text):
        pieces.append(_as_text(text[position : found.start()]))
        pieces.append(f"<span>{_as_text(found[0])}</span>")
        position = found.end()
    return "".join([*pieces, _as_text(text[position:])])


def _as_text(text: str) -> str:
    return _NOT_IN_MARKDOWN.sub(lambda found: f"&#{ord(found[0])};", text)


def markdown_code(text: str) -> str:
    """Write text as code in Markdown, whose fence is longer than any in it."""
    fence = _fence([text])
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"


def html_code(text: str) -> str:
    """Write text as code in HTML, which Markdown does not look into."""
    return f"<code>{escape(cut(printable(text), WIDTH))}</code>"


def html_comment(text: str) -> str:
    """Encode text for an HTML comment, which ends at the first `--`."""
    encoded = _NOT_IN_COMMENT.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), text
    )
    return encoded[:_LONGEST_COMMENT]


def html_text(text: str) -> str:
    return escape(printable(text))


def html_page(title: str, package: str, name: str, body: Iterable[str]) -> Iterator[str]:
    """Write a page that needs nothing else, with our style and script of this name.

    `body` is HTML. Nothing but these two texts can run or be fetched, whatever is in it.
    """
    style = _read_file(__package__, "page.css") + _read_file(package, f"{name}.css")
    script = _read_file(package, f"{name}.js")
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'"
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{html_text(title)}</title>"
    yield f"<style>{style}</style>"
    yield from body
    yield f"<script>{script}</script>"
    yield "</html>"


def _read_file(package: str, name: str) -> str:
    # Lighter than importlib.resources, which every `krm-fn diff` would import with this module.
    return (get_data(package, name) or b"").decode()


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def code_block(language: str, lines: list[str]) -> list[str]:
    """Return lines as a block of code, whose fence is longer than any in it."""
    fence = _fence(lines, least=3)
    return [f"{fence}{language}", *lines, fence]


def _fence(lines: Iterable[str], least: int = 1) -> str:
    runs = re.findall("`+", "\n".join(lines))
    return "`" * max([least, *(len(run) + 1 for run in runs)])


def mermaid_label(text: str, width: int = WIDTH) -> str:
    """Write any other character as Mermaid's code for it."""
    return _NOT_IN_LABEL.sub(lambda found: f"#{ord(found[0])};", cut(printable(text), width))


VERSION = 1
"""A later version 1 may add fields. What is there keeps its name and meaning."""

FieldSource: TypeAlias = str | tuple[str, Callable[[Any], object]]

Forms: TypeAlias = Mapping[type, Sequence[FieldSource]]
"""By type, its fields in order, where these are not just all fields of the NamedTuple under their own names.

`present_name` is written as `presentName`, `baseName=base` has another name, `*place` adds the fields of a value to
those around it, and a pair has a name and what computes the value.
"""


def join_lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def write_forms(value: object, forms: Forms, *, in_one_line: bool = False) -> str:
    """Write a document: the fields of the value, behind the version."""
    return (
        json.dumps({"version": VERSION, **as_json(value, forms)}, indent=None if in_one_line else 2)
        + "\n"
    )


def as_json(value: object, forms: Forms) -> Any:
    """Return what json.dumps writes as it is."""
    if not isinstance(value, tuple):
        # Lists and mappings are fields of manifests, and may be deeper than Python calls functions
        # in one another.
        return value
    if not hasattr(value, "_fields"):
        return [as_json(one, forms) for one in value]
    written: dict[str, object] = {}
    for source in forms.get(type(value), value._fields):
        name, part = _read_field(value, source)
        # People read JSON too: the order is that of the schemas, and not of the alphabet.
        written |= as_json(part, forms) if name.startswith("*") else {name: as_json(part, forms)}
    return written


def _read_field(value: object, source: FieldSource) -> tuple[str, object]:
    if not isinstance(source, str):
        name, compute = source
        return name, compute(value)
    name, _, attribute = source.rpartition("=")
    return name or camel_case(attribute), attrgetter(attribute.removeprefix("*"))(value)
