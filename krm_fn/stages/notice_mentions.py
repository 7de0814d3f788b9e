"""Notice what no edit can mend: programs told a ConfigMap's name in plain words."""

import re
from collections.abc import Iterable, Iterator

from krm_fn.model.item import Item, about
from krm_fn.model.node import Node, entries, fields, get, is_mapping, is_scalar, is_sequence, text
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
    return [problem for item in items if not item.is_local for problem in _mentions(item, renamed, fields(item.node))]


def _mentions(item: Item, renamed: dict[tuple[str, str], Revision], top: dict[str, Node]) -> Iterator[Problem]:
    for field, said in _said(top.get("spec"), "spec"):
        for word in _WORD.findall(said):
            revision = renamed.get((item.id.namespace, word))
            if revision:
                now = f"{revision.base_id} is now {revision.name}"
                message = f"says {word!r} in plain words, and {now}; read it through a volume or a variable instead"
                yield about(item, message, field, Severity.WARNING)


def _said(node: Node | None, path: str) -> Iterator[tuple[str, str]]:
    """What containers below `node` are told, with the path of each piece."""
    for name, value in entries(node):
        if name in _CONTAINERS and is_sequence(value):
            for index, container in enumerate(value.value):
                yield from _told(container, f"{path}.{name}[{index}]")
        elif is_mapping(value):
            yield from _said(value, f"{path}.{name}")
        elif is_sequence(value):
            for index, inner in enumerate(value.value):
                if is_mapping(inner):
                    yield from _said(inner, f"{path}.{name}[{index}]")


def _told(container: Node, path: str) -> Iterator[tuple[str, str]]:
    for name in _LISTS_OF_WORDS:
        words = get(container, name)
        for index, word in enumerate(words.value if is_sequence(words) else []):
            if is_scalar(word):
                yield f"{path}.{name}[{index}]", word.value
    variables = get(container, "env")
    for index, variable in enumerate(variables.value if is_sequence(variables) else []):
        yield f"{path}.env[{index}].value", text(get(variable, "value"))
