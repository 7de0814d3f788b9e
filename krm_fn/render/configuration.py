"""The configuration of a rendering: that of --config, an object among the manifests, or a krm-fn.yaml beside them."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from krm_fn.config.configuration import Configuration, Origin, Packages, as_passed
from krm_fn.config.configuration import find_configuration as find_among_all
from krm_fn.function import read_config
from krm_fn.model.item import Item
from krm_fn.model.node import Node
from krm_fn.model.problem import at
from krm_fn.model.settings import Environment, configures
from krm_fn.render.place import place, placed_in
from krm_fn.render.sources import Source
from krm_fn.wire.envelope import Envelope

Opened = list[tuple[str, Envelope]]
"""The name of each text, and its objects."""


def find_configuration(
    given: Source | None, beside: list[Source], opened: Opened, environment: Environment
) -> tuple[str, Node | None]:
    """Find the configuration that counts and its file; None without one.

    Raises Rejected for an invalid one, and for two that contradict each other.
    """
    packages = _find_packages(beside, opened)
    found = [*_find(given, beside, opened, packages)]
    chosen = find_among_all((one for _, one in found), packages, environment, "choose one with --config")
    return next(((name, one.node) for name, one in found if one is chosen), ("", None))


def find_configurations(given: Source | None, beside: list[Source], opened: Opened) -> list[Configuration]:
    """Find all configurations, whether they count or not."""
    return [one for _, one in _find(given, beside, opened, _find_packages(beside, opened))]


def _find(
    given: Source | None, beside: Iterable[Source], opened: Opened, packages: Packages
) -> Iterator[tuple[str, Configuration]]:
    """Yield each configuration with the name of its text."""
    if given:
        node = _read(given)
        where = f"--config {given.name}"
        yield given.name, Configuration(node, Origin.PASSED, where, place=partial(place, given.name))
    for name, envelope in opened:
        if envelope.function_config is not None:
            yield name, as_passed(envelope.function_config)._replace(place=partial(place, name))
        for item in filter(configures, envelope.items):
            yield name, _in_file(name, item.node, Origin.READ, packages.of(item))
    for source in beside:
        yield source.name, _in_file(source.name, _read(source), Origin.BESIDE, packages.of_file(source.name))


def _in_file(name: str, node: Node, origin: Origin, package: str) -> Configuration:
    where = place(name, at(node.start_mark, "")).file
    return Configuration(node, origin, where, package, partial(place, name))


def _read(source: Source) -> Node:
    with placed_in(source.name):
        return read_config(source.data)


def _find_packages(beside: Iterable[Source], opened: Opened) -> Packages:
    """Find the kpt packages around the configurations. A Kptfile is no manifest, and is not among the objects."""
    items: list[Item] = [item for _, envelope in opened for item in envelope.items]
    files = [*(item.origin for item in items if item.origin and configures(item)), *(source.name for source in beside)]
    folders = {str(folder) for file in files for folder in Path(file).parents if (folder / "Kptfile").is_file()}
    return Packages(items, [source.name for source in beside], folders)
