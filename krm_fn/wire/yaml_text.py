"""YAML text to nodes with marks: the only door through which the YAML library enters.

Nothing is resolved or constructed: a scalar is its text and its style. What could not be read back the same
way by every tool behind us (duplicate keys, recursive or exploding aliases, absurd nesting) is refused here, so
that all later code may walk the nodes without care.
"""

import codecs
from collections.abc import Iterator
from typing import NamedTuple, cast

import yaml
from yaml._yaml import CParser

from krm_fn.model.node import Node
from krm_fn.model.problem import Problem, Rejected
from krm_fn.wire.aliases import has_shared, refuse_explosion
from krm_fn.wire.duplicate_keys import refuse_duplicate_keys
from krm_fn.wire.place import at

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
