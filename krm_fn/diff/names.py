"""Names that are made from content, in any text: fold them into base names, and never show those of Secrets."""

import re
from collections.abc import Iterable, Mapping

from krm_fn.diff.pair import Pair
from krm_fn.diff.release import is_named_by_content
from krm_fn.naming.names import CONTENT_NAME, HASH, WORD, base_name

_HASH = re.compile(HASH)
_SECRET = "Secret"  # noqa: S105  # the name of a kind
_MASK = "(hash)"


class Names:
    """The names of one rendering.

    `labels`: what stands for each name that is made from content. It is the same for a revision and its predecessor.
    `secrets`: the base names of Secrets that are named by content, in both renderings.
    """

    def __init__(self, labels: Mapping[str, str], secrets: frozenset[str]) -> None:
        self._labels = labels
        self._secrets = secrets

    def __contains__(self, name: str) -> bool:
        """Tell whether the name is made from content."""
        return name in self._labels

    def fold(self, text: str) -> str:
        """Replace each name by what stands for it."""
        if not _HASH.search(text):
            return text
        return WORD.sub(lambda found: self._labels.get(found[0], found[0]), text)

    def hide(self, text: str) -> str:
        """Mask the hash in the names of Secrets, also of revisions that are in neither rendering."""
        if not self._secrets or not _HASH.search(text):
            return text
        return WORD.sub(lambda found: self._mask(found[0]), text)

    def _mask(self, name: str) -> str:
        match = CONTENT_NAME.fullmatch(name)
        return f"{match[1]}-{_MASK}" if match and match[1] in self._secrets else name


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
    return Names(old, frozenset(secrets)), Names(new, frozenset(secrets))
