"""Texts of block mappings and lists that are read alone, each once, whatever is around them.

Long texts of new entries are taken apart first, entry by entry, so that what many new objects have in common is read
once. Taking apart believes nothing: each part must say alone what it must, and begin in its column.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from krm_fn.base.node import is_mapping, is_null, is_scalar
from krm_fn.base.problem import Rejected
from krm_fn.core.yaml.nodes import MappingNode, SequenceNode
from krm_fn.core.yaml.reader import has_equal_keys, read_yaml

# What begins with something else, such as `?`, may belong to what is in front of it.
_KEY_ABOVE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*:\r?\n(?P<indent> *)(?P<dash>- )?(?=[A-Za-z0-9\"'])")
_ELEMENT_ABOVE = re.compile(r"- [A-Za-z0-9\"'][^\n]*\n.")
_LONG = 100
"""It takes longer to take apart so few characters than to read them."""


class Unusual(Exception):
    """Something that cannot be read alone."""


Key: TypeAlias = tuple[str, int]
"""A text, and the column of its first character. The indentation in front of it is no part of it."""


class _Element(NamedTuple):
    """A dash, and a mapping behind it."""

    value: list[Key]


class _Field(NamedTuple):
    """The line of a key, and the lines of its value below."""

    key: Key
    value: list[Key]


class Texts:
    """All texts of one output. `depth` of a text: the levels around it."""

    def __init__(self) -> None:
        self._made_of: dict[Key, _Element | _Field | None] = {}
        self._said: dict[Key, Any] = {}
        self._deepest = 0

    def add(self, text: str, column: int, depth: int) -> Key:
        """Add a text. Its last line may lack its end only if nothing is behind it."""
        self._deepest = max(self._deepest, depth)
        # One line says the same in every column, so that equal lines are read once.
        key = text, (column if -1 < text.find("\n") < len(text) - 1 else 0)
        self._made_of.setdefault(key, None)
        return key

    def add_entries(self, text: str, column: int, depth: int) -> list[Key]:
        """Add lines of new entries, each entry by itself, but for lists of short ones."""
        is_list = text[:2] == "- "
        *others, last = _before_entry(column, is_list).split(text)
        if is_list and len(text) <= _LONG * (len(others) + 1):
            return [self.add(text, column, depth)]
        return [self._add_entry(one, column, depth) for one in [*[f"{other}\n" for other in others], last]]

    def _add_entry(self, text: str, column: int, depth: int) -> Key:
        key = self.add(text, column, depth)
        if len(text) > _LONG and self._made_of[key] is None:
            self._made_of[key] = self._take_apart(text, column, depth)
        return key

    def _take_apart(self, text: str, column: int, depth: int) -> _Element | _Field | None:
        if _ELEMENT_ABOVE.match(text):
            return _Element(self.add_entries(text[2:], column + 2, depth + 1))
        above = _KEY_ABOVE.match(text)
        if above is None or len(above["indent"]) < column + (above["dash"] is None):
            return None
        line, indent = above.start("indent"), len(above["indent"])
        return _Field(self.add(text[:line], column, depth), self.add_entries(text[line + indent :], indent, depth + 1))

    def read(self) -> None:
        """Read all texts that are not taken apart, each as a document of its own."""
        texts = [key for key, parts in self._made_of.items() if parts is None]
        documents = [f"---\n{' ' * column}{text}" + "\n" * (text[-1:] != "\n") for text, column in texts]
        if not texts:
            return
        try:
            document = read_yaml("".join(documents).encode(), levels_around=self._deepest)
        except Rejected:
            raise Unusual from None
        if document.has_aliases or len(document.roots) != len(documents):
            raise Unusual
        position = 0
        for one, root, key in zip(documents, document.roots, texts, strict=True):
            begins = position + len("---\n") + key[1]
            if is_scalar(root) or root.flow_style or root.tag is not None or root.start != begins:  # type: ignore[attr-defined]  # only scalars lack it
                raise Unusual
            if is_mapping(root) and root.value[0][0].start != begins:
                raise Unusual
            self._said[key] = root
            position += len(one)

    def collection(self, keys: list[Key]) -> Any:
        """Return the collection whose entries are in these texts."""
        if len(keys) == 1:
            return self._say(keys[0])
        collections = [*map(self._say, keys)]
        cls = collections[0].__class__
        entries = [entry for one in collections for entry in _expect(one, cls).value]
        if cls is MappingNode and has_equal_keys(entries):
            raise Unusual
        return cls.holding(entries)

    def _say(self, key: Key) -> Any:
        if key not in self._said and (parts := self._made_of[key]) is not None:
            self._said[key] = self._join(parts)
        return self._said[key]

    def _join(self, parts: _Element | _Field) -> Any:
        if isinstance(parts, _Element):
            return SequenceNode.holding([_expect(self.collection(parts.value), MappingNode)])
        ((name, nothing),) = _expect(self._say(parts.key), MappingNode).value
        if not is_null(nothing) or nothing.value or nothing.tag:
            raise Unusual
        return MappingNode.holding([(name, self.collection(parts.value))])


def _expect(node: Any, cls: type) -> Any:
    if node.__class__ is not cls:
        raise Unusual
    return node


@lru_cache
def _before_entry(column: int, is_list: bool) -> re.Pattern[str]:
    """Match the line break before an entry, and its indentation."""
    begin = "- " if is_list else "[A-Za-z0-9\"']"
    return re.compile(f"\n{' ' * column}(?={begin})")
