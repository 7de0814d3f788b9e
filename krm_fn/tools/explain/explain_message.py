"""Messages that somebody has seen in, the entries of docs/messages.yaml about it out.

docs/messages.yaml lists all messages, each with `{name}` for what varies.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import elements, fields, text
from krm_fn.base.problem import Outcome
from krm_fn.core.yaml.yaml import read_yaml
from krm_fn.report.table import Screen, fold

_GAP = re.compile(r"\{[a-z_]+\}")
_LINK = re.compile(r"\[([^][]+)\]\(([^)(]+)\)")

_POSITION = re.compile(r"(?<=: )line \d+, column \d+: ")
"""Words that may be before any message, and is a message's own text too."""

_START = ": "
"""Before a message stand its severity and an address.

Both end so, and so is written where a message begins.
"""

_NEXT = re.compile(r"\n(?=(?:error|warning|info): )")
"""Between two messages. Any other line break is one that a terminal or a log has added."""

_WORD = re.compile(r"[^\W\d_]{2,}")

_UNKNOWN = "no message of krm-fn is like this; copy all of its line"

_Words: TypeAlias = tuple[str, ...]
"""The parts of a text that never vary, in order, without mere punctuation."""


class _Entry(NamedTuple):
    """A message. `templates` are the words of each text that is printed."""

    says: str
    answer: tuple[str, ...]
    templates: tuple[_Words, ...]


def explain_message(copied: str, screen: Screen) -> Outcome:
    """Write the entry of each message in a text, once.

    One that no entry is about fails only if it is alone.
    """
    found: dict[_Entry, None] = {}
    for message in _NEXT.split(copied):
        found |= dict.fromkeys(_find_entries(message))
    if not found:
        return Outcome(b"", f"error: {_UNKNOWN}\n", 2)
    paragraphs: list[str] = []
    for entry in found:
        paragraphs += _write(entry, screen)
    return Outcome("\n".join(paragraphs).encode(), "", 0)


def _find_entries(message: str) -> list[_Entry]:
    """Find the entry that has most in common with a message, or several whose texts are the same."""
    line = _POSITION.sub("", _START + " ".join(message.split()))
    scores = [(_score(entry, line), entry) for entry in _read_entries()]
    best = max(score for score, _ in scores)
    return [entry for score, entry in scores if score == best > 0]


@cache
def _read_entries() -> tuple[_Entry, ...]:
    (root,) = read_yaml(files("krm_fn.docs").joinpath("messages.yaml").read_bytes()).roots
    entries: list[_Entry] = []
    for group in elements(root):
        for one in elements(fields(group)["messages"]):
            entry = fields(one)
            says = text(entry["says"])
            answer = [
                before + text(entry[name])
                for name, before in (("means", ""), ("do", "Do: "))
                if name in entry
            ]
            templates = [says, *map(text, elements(entry.get("from")))]
            entries.append(_Entry(says, tuple(answer), tuple(map(_words, templates))))
    return tuple(entries)


def _words(template: str) -> _Words:
    """Return the words of a template."""
    first, *others = (one.strip() for one in _GAP.split(" ".join(template.split())))
    return tuple(one for one in (first and _START + first, *others) if _WORD.search(one))


def _score(entry: _Entry, line: str) -> int:
    """Return how many characters of the line are the entry's own words, 0 if it is another message."""
    found = (words for words in entry.templates if _holds(line, words))
    return max((sum(map(len, words)) for words in found if _is_told_apart(words)), default=0)


def _holds(line: str, words: _Words) -> bool:
    end = 0
    for one in words:
        start = line.find(one, end)
        if start < 0:
            return False
        end = start + len(one)
    return True


def _is_told_apart(words: _Words) -> bool:
    """Tell whether words are there by no chance: several of them, or one with which a message begins."""
    return len(_WORD.findall(" ".join(words))) > 1 or any(one.startswith(_START) for one in words)


def _write(entry: _Entry, screen: Screen) -> Iterator[str]:
    """Yield the entry, with capitals for what varies."""
    shown = _GAP.sub(lambda found: found[0][1:-1].upper(), entry.says)
    yield "".join(f"{screen.strong(line)}\n" for line in fold(shown.split(), screen.width, ""))
    for paragraph in entry.answer:
        words = _LINK.sub(r"\1 (docs/\2)", paragraph).split()
        yield "".join(f"  {line}\n" for line in fold(words, screen.width - 2, ""))
