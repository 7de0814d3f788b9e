"""What krm-fn says: every text in its source, and every message that docs/messages.yaml explains."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
LIST = ROOT / "docs/messages.yaml"
PARTS = ROOT / "tests/pages/parts_of_messages.jsonl"
SCHEMA = ROOT / "schemas/configrevisions-revisions.krm-fn.io-v1.json"
GAP = re.compile(r"\{[a-z_]+\}")
_GAP = "{}"
_OF_ONE_WORD = {"missing", "verified: {what}"}
_HELP = {"help", "metavar", "short_help", "options_metavar", "words"}


class Message(NamedTuple):
    """A message. `templates`: `says`, and other texts that are printed in its place."""

    group: str
    says: str
    means: str
    do: str
    templates: tuple[str, ...]
    is_frequent: bool

    def matches(self, line: str) -> bool:
        """Tell whether a line that was printed is this message, whatever varies in it."""
        return any(one.search(line) for one in _specific(self.templates))

    def is_about(self, text: str) -> bool:
        """Tell whether a text in the source is a part or a case of this message.

        What fills a gap of a part may be written out in the message.
        """
        return self.has_part(text) or self.has_case(text)

    def is_specific(self) -> bool:
        """Tell whether it has words of its own, by which a line can be recognised."""
        return any(map(is_specific, self.templates)) or self.says in _OF_ONE_WORD

    def has_case(self, text: str) -> bool:
        """Tell whether a text is the message, or the message with its gaps filled."""
        return self.is_specific() and self.matches(text)

    def has_part(self, text: str) -> bool:
        """Tell whether a text with words of its own stands in the message."""
        return is_specific(text) and any(map(_pattern(text).search, self.templates))


class Text(NamedTuple):
    """A text in the source, with `{}` for each expression in it."""

    file: str
    line: int
    text: str


@cache
def read_messages() -> tuple[Message, ...]:
    """Return all messages of docs/messages.yaml, in its order."""
    return tuple(
        Message(
            group["title"],
            one["says"],
            one.get("means", ""),
            one.get("do", ""),
            tuple(map(normal, (one["says"], *one.get("from", ())))),
            one.get("often", False),
        )
        for group in yaml.load(LIST.read_text(), yaml.CSafeLoader)
        for one in group["messages"]
    )


@cache
def read_parts() -> frozenset[str]:
    """Return the texts that are only ever part of a message, where no message shows them."""
    return frozenset(normal(json.loads(line)) for line in PARTS.read_text().splitlines())


def normal(template: str) -> str:
    """Return a template with `{}` in the place of each name."""
    return GAP.sub(_GAP, template)


@cache
def find_texts() -> tuple[Text, ...]:
    """Return every text of more than one word in the source.

    Docstrings, the help of options and the words of guards are none.
    """
    return (
        *(text for file in sorted((ROOT / "krm_fn").rglob("*.py")) for text in _texts_in(file)),
        *_texts_in_schema(),
    )


def _texts_in_schema() -> Iterator[Text]:
    """Yield what is said of a field that the configuration must not have: JSON Schema has no words for that."""
    stack = [json.loads(SCHEMA.read_text())]
    while stack:
        one = stack.pop()
        if isinstance(one, dict) and "not" in one and "$comment" in one:
            yield Text(SCHEMA.relative_to(ROOT).as_posix(), 0, one["$comment"])
        stack += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()


def _texts_in(file: Path) -> Iterator[Text]:
    tree = ast.parse(file.read_text())
    ignored = {id(node) for one in ast.walk(tree) for node in _ignored(one)}
    for node in ast.walk(tree):
        text = _text(node)
        if id(node) not in ignored and text and " " in text.strip():
            yield Text(file.relative_to(ROOT).as_posix(), getattr(node, "lineno", 0), text)


def _ignored(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Expr):  # a docstring
        yield node.value
    elif isinstance(node, ast.JoinedStr):  # its parts are no texts of their own
        yield from (part for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, ast.keyword) and node.arg in _HELP:
        yield from ast.walk(node.value)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile":
        yield from ast.walk(node)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else _GAP for part in node.values
        )
    return ""


@cache
def _specific(templates: tuple[str, ...]) -> list[re.Pattern[str]]:
    """Return the patterns of those that have words of their own, else of all."""
    return [*map(_pattern, filter(is_specific, templates))] or [*map(_pattern, templates)]


@cache
def is_specific(template: str) -> bool:
    """Tell whether a text has words of its own, by which it can be recognised."""
    return len(re.findall(r"[A-Za-z]{2,}", GAP.sub("", template))) > 1


@cache
def _pattern(template: str) -> re.Pattern[str]:
    words = (one.strip() for one in normal(template).split(_GAP))
    return re.compile(".*".join(map(re.escape, words)))
