"""The part of what another program says that cannot show a value.

kustomize, helm and git quote what they cannot read: a Secret of the package, a literal, a line of variables. What they
may quote is not known, but what they usually say is. So only that is shown.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from krm_fn.facts.phrases import PHRASES

_CHARACTER_OF_PATH = r"[^\s'\"`:{}\[\](),;?&=@<>]"
_SLOTS = {
    # What is shown: paths and addresses without a token, names, and words of the program.
    "path": rf"(?:https?://[\w.-]+(?::\d+)?/[\w./-]*(?:\?ref=[\w./-]+)?|{_CHARACTER_OF_PATH}+)",
    "file": rf"{_CHARACTER_OF_PATH}*\.[A-Za-z][A-Za-z0-9]{{0,10}}",
    "name": r"[\w.-]+",
    "names": r"[\w.-]+(?:,? [\w.-]+)*",
    "quoted": r"'[\w.-]+'(?:, '[\w.-]+')*",
    "field": r"[\w.$/\[\]=*~-]+",
    "pointer": r"[\w./~-]*",
    "id": r"[\w.\[\]/|~-]+",
    "ids": r"[\w.\[\]/|~ -]+",
    "number": r"-?\d+",
    "word": r"[A-Za-z]+",
    "words": r"[A-Za-z]+(?:,? [A-Za-z]+)*",
    "type": r"[\w.*\[\]]+(?: \{\})?",
    "versions": r"[\w.<>=~^*|, -]+?",
    "code": r"(?:[\w.$|() :=-]+|([\s\S]{1,4000}?))(?=>: )",  # no code with texts in it
    "repeated": r"(?P<repeated>[\w./-]+)",
    "same": r"(?P=repeated)",
    "opening": r"(?:<(?=\n))?",
    "blanks": r"\s*",
    "findings": r"(?=:\n- at )",
    "grammar": r"(?:'.' indicator|',' or '[\]}]'|'?<document start>'?|key|node content|alphabetic or numeric [a-z]+)",
    # What is not shown.
    "any": r"([\s\S]{0,4000}?)",
    "text": r"([^\n]{0,4000}?)",
    "line": r"([^\n]*)",
    "rest": r"([\s\S]*)",
    "literal": r"(?P<literal>[\s\S]*)",
}

_SLOT = re.compile(r"\\\{(\w+)\\\}")
_PREFIXES = ("Error", "error", "fatal", "Error:", "error:", "fatal:")
_BETWEEN = " \t\r\n'\":;,.)`]>"
_OPENING = " \t\r\n'\":;,"
_MOST = 16_384
"""Characters that are looked at: no message is longer, but what it quotes."""


class Known(NamedTuple):
    """The known beginning of a text, with `...` for each value in it. `is_whole`: there is nothing else."""

    text: str
    is_whole: bool


def known_part(said: str, is_literal: Callable[[str], bool] = lambda _: False) -> Known:
    """Return what is known of a message.

    `is_literal` tells whether the message of a template's `fail` is written in that template, and not made of values.
    """
    shown, position = "", 0
    while position < min(len(said), _MOST):
        found = next(filter(None, (shape.match(said, position) for shape in _compile_shapes())), None)
        if found:
            shown += _without_values(found, is_literal)
            position = found.end()
        elif said[position] in _BETWEEN:
            shown += said[position]
            position += 1
        else:
            break
    is_whole = position == len(said)
    shown = " ".join((shown if is_whole else shown.rstrip(_OPENING)).split())
    return Known("" if shown in _PREFIXES else shown, is_whole)


def _without_values(found: re.Match[str], is_literal: Callable[[str], bool]) -> str:
    """Return the text of a match with `...` for what is in its groups, but for those with a name."""
    shown, behind = "", found.start()
    named = {number for name, number in found.re.groupindex.items() if name != "literal" or is_literal(found[name])}
    for number in range(1, found.re.groups + 1):
        if number not in named and found[number]:
            shown += found.string[behind : found.start(number)] + "..."
            behind = found.end(number)
    return shown + found.string[behind : found.end()]


@cache
def _compile_shapes() -> list[re.Pattern[str]]:
    end = rf"(?:(?<==)|(?=[{re.escape(_BETWEEN)}]|\Z))"  # a program's `err=` introduces more
    shapes = [re.escape(line.replace("\\n", "\n")) for line in PHRASES.strip().splitlines()]
    return [re.compile(_SLOT.sub(lambda slot: _SLOTS.get(slot[1], slot[0]), shape) + end) for shape in shapes]
