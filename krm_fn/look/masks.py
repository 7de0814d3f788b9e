"""Hide names that are made from the content of Secrets."""

import re
from collections.abc import Iterable

from krm_fn.model.item import Item
from krm_fn.naming.names import CONTENT_NAME, HASH, WORD, base_name

_HASH = re.compile(HASH)


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
