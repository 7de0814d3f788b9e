"""References in the data of ConfigMaps and Secrets, where a value is YAML."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from krm_fn.base.item import Item, about, data_texts
from krm_fn.base.node import Node, Scalar, elements, get, is_scalar, text
from krm_fn.base.problem import Rejected, ResourceId
from krm_fn.core.names.names import CONTENT_NAME
from krm_fn.core.references.reference import Reference
from krm_fn.core.references.resolve import Index
from krm_fn.core.references.shapes import find_by_shape

ReadYaml: TypeAlias = Callable[[str], list[Node]]
"""Reads the documents of a text; none where it is not YAML."""

_QUOTES = "\"'"
_HINTS = ("onfigMap", "onfigmap", "onfig_map", "ecret")
"""Every field that names a ConfigMap or Secret by its shape contains one of these."""


class EmbeddedReference(NamedTuple):
    """A reference inside a value of `item`.

    `scalar` is the value as written in the manifest, `field` its path, `reference` is in the YAML that the value
    holds. `namespace` is the one that this YAML says, None where it says none. `is_encoded`: the value is base64.
    """

    item: Item
    scalar: Scalar
    field: str
    reference: Reference
    targets: tuple[Item, ...]
    namespace: str | None
    is_encoded: bool

    def resolve(self, index: Index) -> "EmbeddedReference":
        """Return it with the objects that it means."""
        targets = index.find(self.item, self.reference.kind, self.reference.target, self.namespace)
        return self._replace(targets=targets)

    @property
    def span(self) -> tuple[int, int] | None:
        """Where the name begins and ends in the value; None where it is not written as it is read."""
        name = self.reference.name
        # The marks do not count a byte order mark, and include an anchor and quotes.
        shift = self.scalar.value.startswith("\ufeff")
        end = name.end + shift
        end -= self.scalar.value[end - 1] in _QUOTES
        start = end - len(name.value)
        if start < name.start + shift or self.scalar.value[start:end] != name.value:
            return None
        return start + len(self.reference.before), end - len(self.reference.after)


def find_embedded(configs: Iterable[Item], index: Index, read_yaml: ReadYaml) -> list[EmbeddedReference]:
    """Find the references in the data of these objects that match an object of the package.

    A name with a hash may match one later, as the name of an earlier rendering. It is found without a target. Raises
    Rejected where `read_yaml` does, at the value.
    """
    found: list[EmbeddedReference] = []
    for item in configs:
        for value in data_texts(item):
            try:
                for reference, namespace in _find_in(value.text, read_yaml):
                    one = EmbeddedReference(
                        item, value.scalar, value.field, reference, (), namespace, value.is_encoded
                    ).resolve(index)
                    if one.targets or CONTENT_NAME.fullmatch(reference.target):
                        found.append(one)
            except Rejected as rejected:
                raise Rejected(*(about(item, one.message, value.field) for one in rejected.problems)) from rejected
    return found


def _find_in(value: str, read_yaml: ReadYaml) -> Iterator[tuple[Reference, str | None]]:
    """Yield each reference in a text, and the namespace that it says."""
    # To read YAML takes far longer than to look for words, and most values hold none.
    if not any(hint in value for hint in _HINTS) or ":" not in value:
        return
    for root in read_yaml(value):
        for document in _documents(root):
            # The value may be a manifest: then it means objects of the namespace that it sets.
            namespace = text(get(document, "metadata", "namespace")) or None
            who = ResourceId(text(get(document, "apiVersion")), text(get(document, "kind")), "", "")
            for reference in find_by_shape(document, who):
                if not reference.written:
                    yield reference, reference.target_namespace or namespace


def _documents(root: Node) -> Iterator[Node]:
    """Return the objects of a List, or what else there is."""
    items = get(root, "items")
    if items is not None and text(get(root, "kind")).endswith("List"):
        yield from elements(items)
    elif not is_scalar(root):
        yield root
