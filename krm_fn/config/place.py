"""Where a setting is in the text of a configuration."""

from collections.abc import Iterable, Iterator
from itertools import takewhile

from krm_fn.model.item import read_item
from krm_fn.model.node import Node, is_mapping, mark_of, read_path, spell
from krm_fn.model.problem import Problem, ResourceId, at


def place(path: Iterable[str | int], node: Node, who: ResourceId, message: str) -> Problem:
    """Return a problem with the setting at a path such as `spec.kinds`, at the setting's key.

    `node` is the whole configuration, `who` its id: if that is a ConfigMap, the settings are in its `data`.
    """
    path = tuple(path)
    if who.kind == "ConfigMap":
        path = _path_in_data(path)
    return at(mark_of(node, path), message)._replace(resource=who, field=spell(path), node=node)


def place_settings(problems: Iterable[Problem], node: Node | None) -> Iterator[Problem]:
    """Place the problems with settings, whose resource is the configuration `node`. Pass on all others."""
    who = read_item(node).id if is_mapping(node) else None
    for problem in problems:
        if node is None or problem.resource is None or problem.resource != who or problem.node is not None:
            yield problem
        else:
            placed = place(read_path(problem.field), node, problem.resource, problem.message)
            yield placed._replace(severity=problem.severity)


def _path_in_data(path: tuple[str | int, ...]) -> tuple[str, ...]:
    """Translate `spec.kinds[0]` to `data.kinds`, and `spec.checksums.annotation` to `data[checksums.annotation]`."""
    if path[:1] == ("data",):
        return tuple(map(str, path))
    names = list(takewhile(lambda name: isinstance(name, str), path[1:]))
    return ("data", ".".join(map(str, names))) if names else ("data",)
