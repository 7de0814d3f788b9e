"""Where a setting is in the text of a configuration."""

from collections.abc import Iterable
from itertools import takewhile

from krm_fn.model.node import Node, mark_of, spell
from krm_fn.model.problem import Problem, ResourceId, at


def place(path: Iterable[str | int], node: Node, who: ResourceId, message: str) -> Problem:
    """Return a problem with the setting at a path such as `spec.kinds`, at the setting's key.

    `node` is the whole configuration, `who` its id: if that is a ConfigMap, the settings are in its `data`.
    """
    path = tuple(path)
    if who.kind == "ConfigMap":
        path = _path_in_data(path)
    return at(mark_of(node, path), message)._replace(resource=who, field=spell(path))


def _path_in_data(path: tuple[str | int, ...]) -> tuple[str, ...]:
    """Translate `spec.kinds[0]` to `data.kinds`, and `spec.checksums.annotation` to `data[checksums.annotation]`."""
    if path[:1] == ("data",):
        return tuple(map(str, path))
    names = list(takewhile(lambda name: isinstance(name, str), path[1:]))
    return ("data", ".".join(map(str, names))) if names else ("data",)
