"""Hide names that are made from the content of Secrets."""

import re
from collections.abc import Iterable

from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.model.problem import Problem
from krm_fn.naming.names import CONTENT_NAME, HASH, WORD, base_name

_HASH = re.compile(HASH)

_ID_OF_SECRET = re.compile(rf"\bSecret(?:\.[^/\s]*)?/(?:[^/\s:,;'\"]+/)?([a-z0-9.-]+)-({HASH})(?![a-z0-9])")
"""The id of a Secret, as krm-fn or kustomize writes it, with a hash in its name."""

_PART = re.compile(f"-{HASH}(?![a-z0-9])")
_MASK = "(hash)"


class Masks:
    """What is shown in the place of names that are made from the content of Secrets: `db-(hash 1)`, `db-(hash 2)`.

    A hash would let people guess the content. Equal names have equal numbers. Of the items, only Secrets count.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._numbers: dict[str, dict[str, int]] = {}
        for item in items:
            if item.id.kind != "Secret":
                continue
            base = base_name(item)
            self._numbers[base] = self._numbers.get(base, {})
            if item.id.name != base:
                self._number(base, item.id.name)

    def hide(self, text: str) -> str:
        """Mask each such name in a text."""
        if not self._numbers or not _HASH.search(text):
            return text
        return WORD.sub(lambda found: self._mask(found[0]), text)

    def _mask(self, name: str) -> str:
        match = CONTENT_NAME.fullmatch(name)
        if match is None or match[1] not in self._numbers:  # else it may be of a revision that is in no rendering
            return name
        return f"{match[1]}-(hash {self._number(match[1], name)})"

    def _number(self, base: str, name: str) -> int:
        numbers = self._numbers[base]
        return numbers.setdefault(name, len(numbers) + 1)


def hide_in_ids(line: str) -> str:
    """Mask the hash in the ids of Secrets: `Secret/shop/db-(hash)`."""
    return _ID_OF_SECRET.sub(lambda found: found[0].removesuffix(found[2]) + _MASK, line)


def hide_in_problems(problems: Iterable[Problem], items: Iterable[Item]) -> list[Problem]:
    """Mask the names of Secrets in what people read: `db-(hash)`. Without a number, which other runs could give anew.

    `resource` stays as it is: orchestrators find the object by that.
    """
    problems = list(problems)
    if not any(_HASH.search(str(problem)) for problem in problems):
        return problems
    bases = {base_name(item) for item in items if item.id.kind == "Secret" or _is_tracker(item)}
    bases |= {found[1] for problem in problems for found in _ID_OF_SECRET.finditer(str(problem))}  # what is missing
    return [
        problem._replace(
            message=_hide_bases(problem.message, bases),
            shown_resource=_hide_bases(str(problem.resource or ""), bases),
        )
        for problem in problems
    ]


def _is_tracker(item: Item) -> bool:
    """Tell whether the object has the name of a Secret for which it stands."""
    return item.labels.get(keys.COMPONENT) in keys.TRACKERS and keys.STANDS_FOR not in item.annotations


def _hide_bases(text: str, bases: set[str]) -> str:
    return WORD.sub(lambda word: _PART.sub(lambda found: _hide_part(word[0], found, bases), word[0]), text)


def _hide_part(word: str, found: re.Match[str], bases: set[str]) -> str:
    """Mask a hash behind a base name; a suffix may have been added to both."""
    before, behind = word[: found.start()], word[found.end() :]
    return f"-{_MASK}" if before in bases or before + behind in bases else found[0]
