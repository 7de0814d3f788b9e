"""Keys that a mapping has twice: the next tool would take one value, or the other, or fail."""

from typing import Any

import yaml

from krm_fn.model.node import Mark, Node
from krm_fn.model.problem import Problem, Rejected
from krm_fn.wire.place import at


def refuse_duplicate_keys(root: Node, *, once: bool) -> None:  # noqa: C901  # the one hot loop
    """Raise at the second of two equal keys. The hot loop over every node: kept flat on purpose."""
    scalar = yaml.ScalarNode
    mapping = yaml.MappingNode
    seen: set[int] = set()
    stack: list[Any] = [root]
    pop, push = stack.pop, stack.append
    while stack:
        node = pop()
        if once:
            if id(node) in seen:
                continue
            seen.add(id(node))
        if node.__class__ is mapping:
            pairs = node.value
            try:
                unique = len({key.value for key, _ in pairs})
            except TypeError:  # a key that is itself a collection
                unique = _count_complex(pairs, stack)
            if unique != len(pairs):
                raise Rejected(_duplicate(pairs))
            for _, value in pairs:
                if value.__class__ is not scalar:
                    push(value)
        elif node.__class__ is not scalar:
            for value in node.value:
                if value.__class__ is not scalar:
                    push(value)


def _count_complex(pairs: list[tuple[Any, Any]], stack: list[Any]) -> int:
    collections = [key for key, _ in pairs if key.id != "scalar"]
    stack.extend(collections)
    return len({key.value for key, _ in pairs if key.id == "scalar"}) + len(collections)


def _duplicate(pairs: list[tuple[Any, Any]]) -> Problem:
    first: dict[str, Mark] = {}
    for key, _ in pairs:
        if key.id == "scalar":
            if key.value in first:
                line = first[key.value].line + 1
                return at(key.start_mark, f"key {key.value!r} is here a second time; the first is on line {line}")
            first[key.value] = key.start_mark
    raise AssertionError(pairs)
