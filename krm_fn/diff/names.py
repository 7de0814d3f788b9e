"""Names that are made from content, in any text: fold them into base names, and never show those of Secrets."""

import re
from collections.abc import Iterable, Mapping

from krm_fn.diff.pair import Pair
from krm_fn.diff.release import is_named_by_content
from krm_fn.naming.names import CONTENT_NAME, HASH, WORD, base_name

_HASH = re.compile(HASH)
_SECRET = "Secret"  # noqa: S105  # the name of a kind


class Masks:
    """What is shown in the place of names that are made from the content of Secrets: `db-(hash 1)`, `db-(hash 2)`.

    A hash would let people guess the content. Equal names have equal numbers, in both renderings. `bases` are the base
    names of the Secrets, as there may be names of revisions that are in neither rendering.
    """

    def __init__(self, bases: Iterable[str]) -> None:
        self._numbers: dict[str, dict[str, int]] = {base: {} for base in bases}

    def hide(self, text: str) -> str:
        """Mask each such name in a text."""
        if not self._numbers or not _HASH.search(text):
            return text
        return WORD.sub(lambda found: self._mask(found[0]), text)

    def _mask(self, name: str) -> str:
        match = CONTENT_NAME.fullmatch(name)
        if match is None or match[1] not in self._numbers:
            return name
        numbers = self._numbers[match[1]]
        return f"{match[1]}-(hash {numbers.setdefault(name, len(numbers) + 1)})"


class Names:
    """The names of one rendering. `labels`: what stands for each name that is made from content.

    The label is the same for a revision and its predecessor.
    """

    def __init__(self, labels: Mapping[str, str], masks: Masks) -> None:
        self._labels = labels
        self._masks = masks

    def __contains__(self, name: str) -> bool:
        """Tell whether the name is made from content."""
        return name in self._labels

    def fold(self, text: str) -> str:
        """Replace each name by its label."""
        if not _HASH.search(text):
            return text
        return WORD.sub(lambda found: self._labels.get(found[0], found[0]), text)

    def hide(self, text: str) -> str:
        """Mask the names of Secrets."""
        return self._masks.hide(text)


def read_names(pairs: Iterable[Pair]) -> tuple[Names, Names]:
    """Return the names of the old and of the new rendering."""
    old: dict[str, str] = {}
    new: dict[str, str] = {}
    secrets: set[str] = set()
    for pair in pairs:
        label = next(base_name(item) for item in reversed(pair) if item is not None)
        for item, labels in zip(pair, (old, new), strict=True):
            if item is not None and is_named_by_content(item):
                labels[item.id.name] = label
                if item.id.kind == _SECRET:
                    secrets.add(base_name(item))
    masks = Masks(secrets)
    return Names(old, masks), Names(new, masks)
