"""Texts that are recorded of some fixtures: JSON that says the same is recorded of all."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

_WORD = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z'-]*(?!\w)")
_SAYS_IT_TOO = {".json", ".yaml", ".patch"}


def find_unsaid(cases: Iterable[Path], file: str, write: Callable[[Path], str]) -> dict[str, str]:
    """Return the words that no recorded text has, each with a fixture whose text has it.

    Words of its JSON and its input do not count. What is found is recorded where an empty file has
    that name, with `--snapshot-update`.
    """
    said: set[str] = set()
    unsaid: dict[str, str] = {}
    for case in cases:
        words = {*_WORD.findall(write(case))}
        if (case / file).exists():
            said |= words
        else:
            others = [one.read_text() for one in case.iterdir() if one.suffix in _SAYS_IT_TOO]
            unsaid |= dict.fromkeys(words.difference(*map(_WORD.findall, others)), case.name)
    return {word: name for word, name in unsaid.items() if word not in said}
