"""YAML text to nodes with marks: the only door through which the YAML library enters.

Nothing is resolved or constructed: a scalar is its text and its style. What could not be read back the same
way by every tool behind us (duplicate keys, recursive or exploding aliases, absurd nesting) is refused here, so
that all later code may walk the nodes without care.
"""

import codecs
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import yaml
from yaml._yaml import CParser

from krm_fn.model.node import Mark, Node
from krm_fn.model.problem import Problem, Rejected, at

MAX_DEPTH = 400
"""Levels of nesting; real manifests stay under 60. The parser recurses in C, so a bound is needed."""


class Document(NamedTuple):
    """A YAML text and what it says. `text` has no byte order mark; `mark` says whether the bytes had one."""

    text: str
    byte_order_mark: bool
    roots: list[Node]
    has_aliases: bool


class _Parser(CParser):
    """libyaml's parser, composing nodes without resolving tags (half the time of the stock loader).

    It calls the three hooks below once for each node. Set on the instance and written for speed, as they are a fifth
    of its work: the depth is the length of a list, so that going up is a call into C.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        levels: list[Node | None] = []
        enter = levels.append

        def descend(parent: Node | None, _index: object) -> None:
            enter(parent)
            if len(levels) > MAX_DEPTH:
                raise Rejected(at(parent.start_mark if parent else None, f"nested deeper than {MAX_DEPTH} levels"))

        self.resolve = lambda *_: None
        self.descend_resolver = descend
        self.ascend_resolver = levels.pop


def read_yaml(data: bytes) -> Document:
    """All documents of a text. Raises Rejected with line and column."""
    text = _decode(data)
    byte_order_mark = text.startswith("\ufeff")
    text = text.removeprefix("\ufeff")
    roots = list(_compose(data.removeprefix(codecs.BOM_UTF8)))
    has_aliases = "*" in text and "&" in text and has_shared(roots)
    if has_aliases:
        refuse_explosion(roots)
    for root in roots:
        refuse_duplicate_keys(root, once=has_aliases)
    return Document(text, byte_order_mark, roots, has_aliases)


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Rejected(_at_offset(data, error.start, f"byte 0x{data[error.start]:02x} is not UTF-8")) from error


def _at_offset(data: bytes, offset: int, message: str) -> Problem:
    line_start = data.rfind(b"\n", 0, offset) + 1
    column = len(data[line_start:offset].decode("utf-8", "replace")) + 1
    return Problem(message, line=data.count(b"\n", 0, offset) + 1, column=column)


def _compose(data: bytes) -> Iterator[Node]:
    try:
        parser = _Parser(data)
        while parser.check_node():
            yield cast("Node", parser.get_node())
    except yaml.MarkedYAMLError as error:
        what = ", ".join(filter(None, [error.problem, error.context]))
        raise Rejected(at(error.problem_mark or error.context_mark, f"not YAML: {what}")) from error
    except yaml.reader.ReaderError as error:
        character = f"character U+{error.character:04X}" if isinstance(error.character, int) else "a character"
        raise Rejected(_at_offset(data, error.position, f"not YAML: {character} is not allowed")) from error


MAX_EXPANDED = 1_000_000
MAX_EXPANSION = 4
"""A text may stand for a million nodes once its aliases are written out, or for four times what is written."""


def has_shared(roots: list[Node]) -> bool:
    """Whether any node is reached twice, scalars included."""
    seen: set[int] = set()
    stack: list[Node] = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            return True
        seen.add(id(node))
        stack.extend(children(node))
    return False


def children(node: Node) -> Iterator[Node]:
    """The nodes right below a node, keys included."""
    if node.id == "mapping":
        for key, value in node.value:
            yield key
            yield value
    elif node.id == "sequence":
        yield from node.value


def refuse_explosion(roots: list[Node]) -> None:
    """Raise where aliases are recursive or stand for many times what is written."""
    sizes: dict[int, int] = {}

    def size(node: Node) -> int:
        known = sizes.get(id(node))
        if known == 0:
            raise Rejected(at(node.start_mark, "an alias inside its own anchor: the document never ends"))
        if known is None:
            sizes[id(node)] = 0
            known = 1 + sum(size(child) for child in children(node))
            sizes[id(node)] = known
        return known

    expanded = sum(size(root) for root in roots)
    if expanded > max(MAX_EXPANDED, MAX_EXPANSION * len(sizes)):
        largest = max(roots, key=size)
        raise Rejected(at(largest.start_mark, f"aliases expand {len(sizes)} nodes to {expanded}"))


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
