"""Notice what no edit can mend: programs told a ConfigMap's name in plain words."""

import re
from collections.abc import Iterable, Iterator

from krm_fn.model.item import Item, about
from krm_fn.model.node import Node, get, is_mapping, is_scalar, is_sequence, text
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.stages.name import Revision

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_LISTS_OF_WORDS = ("args", "command")


def notice_mentions(items: Iterable[Item], revisions: Iterable[Revision]) -> list[Problem]:
    """A warning for each `args`, `command` or env `value` that says the base name of a renamed object."""
    renamed = {
        (revision.item.id.namespace, revision.base_name): revision
        for revision in revisions
        if revision.strategy is Strategy.RENAME
    }
    if not renamed:
        return []
    return [problem for item in items if not item.is_local for problem in _mentions(item, renamed)]


def _mentions(item: Item, renamed: dict[tuple[str, str], Revision]) -> Iterator[Problem]:
    spec = get(item.node, "spec")
    for field, said in _said(spec, "spec") if is_mapping(spec) else ():
        for word in _WORD.findall(said):
            revision = renamed.get((item.id.namespace, word))
            if revision:
                now = f"{revision.base_id} is now {revision.name}"
                message = f"says {word!r} in plain words, and {now}; read it through a volume or a variable instead"
                yield about(item, message, field, Severity.WARNING)


def _said(node: Node, path: str) -> Iterator[tuple[str, str]]:
    """What containers below `node` are told, with the path of each piece."""
    for key, value in node.value:
        if value.id == "mapping":
            yield from _said(value, f"{path}.{key.value}")
        elif value.id == "sequence":
            in_container = key.value in _CONTAINERS
            for index, element in enumerate(value.value):
                if element.id == "mapping":
                    look = _told if in_container else _said
                    yield from look(element, f"{path}.{key.value}[{index}]")


def _told(container: Node, path: str) -> Iterator[tuple[str, str]]:
    for name in _LISTS_OF_WORDS:
        words = get(container, name)
        for index, word in enumerate(words.value if is_sequence(words) else []):
            if is_scalar(word):
                yield f"{path}.{name}[{index}]", word.value
    variables = get(container, "env")
    for index, variable in enumerate(variables.value if is_sequence(variables) else []):
        yield f"{path}.env[{index}].value", text(get(variable, "value"))
