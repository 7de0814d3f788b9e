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
SCHEMA = ROOT / "schemas/configrevisions-revisions.krm-fn.io-v1.json"
_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")
_GAP = "{}"
_HELP = {"help", "metavar", "short_help", "options_metavar", "words"}


class Message(NamedTuple):
    """A message, with the texts in the source that make it, and texts that are parts of it."""

    group: str
    says: str
    means: str
    do: str
    templates: tuple[str, ...]
    parts: tuple[str, ...]
    is_frequent: bool

    def matches(self, line: str) -> bool:
        """Tell whether a line that was printed is this message, whatever varies in it."""
        templates = (self.says.rpartition("; {remedy}")[0] or self.says, *self.templates)
        return any(_pattern(template).search(line) for template in templates)


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
            one["means"],
            one["do"],
            tuple(map(normal, one.get("from", [one["says"]]))),
            tuple(map(normal, one.get("parts", ()))),
            one.get("often", False),
        )
        for group in yaml.load(LIST.read_text(), yaml.CSafeLoader)
        for one in group["messages"]
    )


def normal(template: str) -> str:
    """Return a template with `{}` in the place of each name."""
    return _PLACEHOLDER.sub(_GAP, template)


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
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, normal(template).strip().split(_GAP))))
