"""The nodes that the parser makes: slots for what is used, and no marks. A package may have a million of them."""

import re
from bisect import bisect_right
from functools import cached_property
from typing import Any, ClassVar, Self

from krm_fn.base.node import Mark

# As the parser counts lines.
_BREAK = "\r\n|[\n\r\x85\u2028\u2029]"
OTHER_BREAKS = "\x85\u2028\u2029"
"""Characters that end a line in YAML 1.1, beside carriage returns and line feeds."""


class Source:
    """A text. Its nodes share it, and each of the texts in it that there are often, such as the names of fields."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.share = dict[str, str]().setdefault

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(_BREAK, self._text))]

    @cached_property
    def _has_only_line_feeds(self) -> bool:
        # To count takes a tenth of the time of a search for what is rare.
        text = self._text
        return text.count("\r") == text.count("\r\n") and not any(one in text for one in OTHER_BREAKS)

    def mark(self, index: int) -> Mark:
        line = bisect_right(self._line_starts, index) - 1
        return Mark(line, index - self._line_starts[line])

    def column(self, index: int) -> int:
        """Return the column of a place, without counting lines if possible."""
        if self._has_only_line_feeds:
            return index - self._text.rfind("\n", 0, index) - 1
        return self.mark(index).column

    def forget_shared(self) -> None:
        """Free what is only needed while nodes are made."""
        self.share = dict[str, str]().setdefault


class _Node:
    """The constructors take what the parser gives: its marks have the source as their name."""

    __slots__ = ("_length", "_source", "start", "tag", "value")

    start: int
    tag: str | None
    value: Any
    _source: Source
    _length: int

    @property
    def end(self) -> int:
        # Most nodes are short, and small numbers take no memory of their own.
        return self.start + self._length

    @property
    def start_mark(self) -> Mark:
        return self._source.mark(self.start)

    @property
    def column(self) -> int:
        return self._source.column(self.start)


class ScalarNode(_Node):
    __slots__ = ("style",)
    id: ClassVar = "scalar"

    def __init__(self, tag: str | None, value: str, start_mark: Any, end_mark: Any, style: str) -> None:
        self._source = source = start_mark.name
        self.tag = tag
        self.value = source.share(value, value)
        self.start = start = start_mark.index
        self._length = end_mark.index - start
        self.style = style


class _Collection(_Node):
    """The parser sets its end when it has all that is in it."""

    __slots__ = ("flow_style",)

    def __init__(
        self,
        tag: str | None,
        value: list[Any],
        start_mark: Any,
        end_mark: Any,
        flow_style: bool,  # the order is the parser's
    ) -> None:
        self._source = start_mark.name
        self.tag = tag
        self.value = value
        self.start = start_mark.index
        if end_mark is not None:
            self.end_mark = end_mark
        self.flow_style = flow_style

    def _set_end(self, mark: Any) -> None:
        self._length = mark.index - self.start

    end_mark = property(fset=_set_end)

    def copy(self) -> Self:
        """Return a collection of the same entries, in a list of its own."""
        cls = self.__class__
        copy = cls.__new__(cls)
        copy._source, copy.start, copy._length = self._source, self.start, self._length  # noqa: SLF001  # its own
        copy.tag, copy.value, copy.flow_style = self.tag, [*self.value], self.flow_style
        return copy


class MappingNode(_Collection):
    __slots__ = ()
    id: ClassVar = "mapping"


class SequenceNode(_Collection):
    __slots__ = ()
    id: ClassVar = "sequence"
