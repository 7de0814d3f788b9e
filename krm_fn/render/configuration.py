"""The functionConfig of a rendering: the file of --config, a krm-fn.yaml beside the manifests, or one among them."""

from collections.abc import Collection, Iterable

from krm_fn.config.read import parse_config
from krm_fn.function import read_config
from krm_fn.model.node import Node
from krm_fn.model.problem import Problem, Rejected, at
from krm_fn.model.settings import NO_ENVIRONMENT, Environment, is_configuration
from krm_fn.render.place import place, placed_in
from krm_fn.render.sources import Source
from krm_fn.wire.envelope import Envelope


def find_configuration(
    given: Source | None,
    beside: Iterable[Source],
    opened: Iterable[tuple[str, Envelope]],
    environment: Environment,
) -> tuple[str, Node | None]:
    """Find the only configuration and its file; None if there is none. Raises Rejected for an invalid one, and for two.

    The file of --config wins over all others. Without it, two are an error: neither may be ignored silently.
    """
    found = find_configurations(given, beside, opened, environment)
    if len(found) > 1:
        raise Rejected(too_many("", found))
    return found[0] if found else ("", None)


def find_configurations(
    given: Source | None,
    beside: Iterable[Source],
    opened: Iterable[tuple[str, Envelope]],
    environment: Environment = NO_ENVIRONMENT,
) -> list[tuple[str, Node]]:
    """Find all configurations, each with the name of its text. Raises Rejected for an invalid one.

    The file of --config wins over all others.
    """
    if given:
        return [(given.name, _read(given, environment))]
    files = [(source.name, _read(source, environment)) for source in beside]
    among = [(name, node) for name, envelope in opened for node in _configurations(envelope)]
    return files + [(name, _check(name, node, environment)) for name, node in among]


def too_many(what: str, found: Collection[tuple[str, Node]]) -> Problem:
    """Return the problem of several configurations of which only one can apply."""
    places = ", ".join(place(name, at(node.start_mark, "")).file for name, node in found)
    return Problem(f"found {len(found)} configurations{what}: {places}; choose one with --config")


def _configurations(envelope: Envelope) -> Iterable[Node]:
    """Yield the functionConfig of a ResourceList, and the objects of our kind."""
    if envelope.function_config is not None:
        yield envelope.function_config
    yield from (item.node for item in envelope.items if is_configuration(item.id))


def _read(source: Source, environment: Environment) -> Node:
    with placed_in(source.name):
        node = read_config(source.data)
    return _check(source.name, node, environment)


def _check(name: str, node: Node, environment: Environment) -> Node:
    """Return the node if it is a valid configuration. Raises Rejected with the places in its file."""
    with placed_in(name):
        parse_config(node, environment)
    return node
