"""Names that are made from content, in any text: fold them into base names, and never show those of Secrets."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from krm_fn.diff.pair import Pair
from krm_fn.diff.release import Release, is_named_by_content
from krm_fn.look.secrets import Masks
from krm_fn.model.item import Item
from krm_fn.model.node import Node, Scalar
from krm_fn.naming.names import HASH, WORD, base_name
from krm_fn.references.find import ROLES
from krm_fn.references.made import find_made

_HASH = re.compile(HASH)
_SECRET = "Secret"  # noqa: S105  # the name of a kind

_FOLDED = "\0"
"""What no text of YAML begins with."""


class Folded(NamedTuple):
    """A text in which labels stand for names. `value` is equal to no text that just contains the label."""

    value: str
    shown: str


class Names:
    """The names of one rendering.

    `labels`: what stands for each name that is made from content. The label is the same for a revision and its
    predecessor. `references`: the same for texts that reference an object by any name, and the text with the label.
    """

    def __init__(self, labels: Mapping[str, str], references: Mapping[Node, str], masks: Masks) -> None:
        self._labels = labels
        self._references = references
        self._masks = masks

    def __contains__(self, name: str) -> bool:
        """Tell whether the name is made from content."""
        return name in self._labels

    def fold(self, scalar: Scalar) -> Folded:
        """Replace each name by its label."""
        if scalar in self._references:
            label = self._references[scalar]
            return Folded(_FOLDED + label, label)
        if not _HASH.search(scalar.value):
            return Folded(scalar.value, scalar.value)
        shown = WORD.sub(lambda found: self._labels.get(found[0], found[0]), scalar.value)
        return Folded(shown if shown == scalar.value else _FOLDED + shown, shown)

    def hide(self, text: str) -> str:
        """Mask the names of Secrets."""
        return self._masks.hide(text)


def read_names(pairs: Iterable[Pair], releases: tuple[Release, Release]) -> tuple[Names, Names]:
    """Return the names of the old and of the new rendering."""
    by_item: dict[Item, str] = {}
    by_name: tuple[dict[str, str], dict[str, str]] = ({}, {})
    secrets: list[Item] = []
    for pair in pairs:
        label = next(base_name(item) for item in reversed(pair) if item is not None)
        for item, labels in zip(pair, by_name, strict=True):
            if item is None:
                continue
            by_item[item] = label
            if is_named_by_content(item):
                labels[item.id.name] = label
                if item.id.kind == _SECRET:
                    secrets.append(item)
                for made in find_made(item):
                    labels[made.reference.target] = made.base_name
    masks = Masks(secrets)
    old, new = (
        Names(labels, _label_references(release, by_item), masks)
        for labels, release in zip(by_name, releases, strict=True)
    )
    return old, new


def _label_references(release: Release, labels: Mapping[Item, str]) -> dict[Node, str]:
    """Return the labels of references. A rule of a Role has base names and others, and one text may be of two kinds."""
    return {
        reference.name: reference.renamed(labels[targets[0]])
        for references in release.by_referrer.values()
        for referrer, reference, targets in references
        if len(targets) == 1 and reference.target == targets[0].id.name and referrer.id.kind not in ROLES
    }
