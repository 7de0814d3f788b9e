"""One rendering, as far as its difference from another one depends on it."""

from collections import defaultdict
from collections.abc import Collection
from functools import cached_property
from typing import Final

from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.model.settings import Settings
from krm_fn.naming.names import base_name, is_revision
from krm_fn.references.generated import versioned
from krm_fn.references.reference import ResolvedReference
from krm_fn.references.references import find_authored
from krm_fn.references.resolve import Index
from krm_fn.stages.package import Package, read_package
from krm_fn.verify.rendering import find_namespace


class Release:
    """The objects of a rendering, and the references among them."""

    def __init__(self, package: Package, references: list[ResolvedReference]) -> None:
        self.package: Final = package
        self.references: Final = references

    @cached_property
    def by_referrer(self) -> dict[Item, list[ResolvedReference]]:
        """The references of each object, without those that say what a controller is to write."""
        found: dict[Item, list[ResolvedReference]] = defaultdict(list)
        for one in self.references:
            if not one.reference.written:
                found[one.referrer].append(one)
        return found

    @cached_property
    def by_target(self) -> dict[Item, list[ResolvedReference]]:
        """The references to each object."""
        found: dict[Item, list[ResolvedReference]] = defaultdict(list)
        for references in self.by_referrer.values():
            for one in references:
                for target in one.targets:
                    found[target].append(one)
        return found

    @cached_property
    def linked_sets(self) -> frozenset[tuple[str, str]]:
        """The sets that have a linker, each with its namespace."""
        return frozenset(
            (item.labels[keys.SET], self.package.namespace_of(item))
            for item in self.package.emitted
            if keys.SET in item.labels and item.labels.get(keys.COMPONENT) == keys.LINKER
        )


def read_release(items: Collection[Item], settings: Settings | None, namespace: str) -> Release:
    """Read the objects. `settings`: those of the configuration, if there was one.

    `namespace` is that of objects that set none. If it is empty, the configuration or the linker's objects may say it.
    """
    configured = [settings] if settings else []
    package = read_package(items, None, namespace or find_namespace(items, configured))
    index = Index(package.configs, package.kinds, package.namespace)
    extra = settings.references if settings else ()
    return Release(package, find_authored(package.authored, index, extra, but=()).references)


def is_versioned(item: Item) -> bool:
    """Tell whether others read it, or what it makes: a ConfigMap, a Secret, or a producer that is a revision."""
    return item.is_config or (versioned(item.id) is not None and is_revision(item))


def set_of(item: Item) -> str:
    """Return the set of a revision; `""` for any other object."""
    return item.labels[keys.SET] if is_revision(item) else ""


def is_named_by_content(item: Item) -> bool:
    """Tell whether the name changes with the content."""
    return base_name(item) != item.id.name
