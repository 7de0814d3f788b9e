"""`typing.NamedTuple` for a type checker, and classes for which Python needs a fifth of the time.

A start has 126 of them: docs/decisions/0102-named-tuples-that-are-cheap-to-make.md.
"""

from collections import namedtuple
from collections.abc import Iterable
from functools import cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Self

__all__ = ["NamedTuple"]

_Single: Any = namedtuple("_Single", "field")  # noqa: PYI024
_READ = [type(_Single.field)(position, None) for position in range(32)]
"""What reads the field at a position: any tuple may have it. Python's own is in C."""

_GLOBALS = {"new": tuple.__new__, "__builtins__": {}}


class _Record(tuple[Any, ...]):
    """What all named tuples share."""

    __slots__ = ()
    _fields: tuple[str, ...]

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        record = tuple.__new__(cls, values)
        if len(record) != len(cls._fields):
            message = f"Expected {len(cls._fields)} arguments, got {len(record)}"
            raise TypeError(message)
        return record

    def _replace(self, /, **changes: Any) -> Self:
        record = self._make(map(changes.pop, self._fields, self))
        if changes:
            message = f"Got unexpected field names: {[*changes]!r}"
            raise ValueError(message)
        return record

    __replace__ = _replace
    """As `copy.replace` calls it, from Python 3.13 on."""

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({values})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Let `copy` and `pickle` call the class with its fields."""
        return tuple(self)


class _Meta(type):
    """Turns the body of a class into a plain class of tuples."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
        if not bases:
            return super().__new__(cls, name, bases, body)
        # From Python 3.14 on, a body has no annotations before somebody asks its class.
        fields = tuple(body.get("__annotations__") or type(name, (), body).__annotations__)
        defaults = {field: body[field] for field in fields if field in body}
        code = _constructor(len(fields)).replace(co_varnames=("cls", *fields))
        new = FunctionType(code, _GLOBALS, "__new__", tuple(defaults.values()))
        new.__qualname__ = f"{name}.__new__"  # the name in Python's message about wrong arguments
        whole = {
            **body,
            **{field: _READ[position] for position, field in enumerate(fields)},
            "__slots__": (),
            "__new__": new,
            "__match_args__": fields,
            "_fields": fields,
            "_field_defaults": defaults,
        }
        return type(name, tuple(_Record if base is NamedTuple else base for base in bases), whole)


@cache
def _constructor(count: int) -> CodeType:
    """Compile what returns a tuple of its arguments: all classes with as many fields share it."""
    names = "".join(f"field{position}, " for position in range(count))
    code: CodeType = eval(f"lambda cls, {names}: new(cls, ({names}))").__code__  # noqa: S307  # our own text
    return code


if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class NamedTuple(metaclass=_Meta):
        """Marks the bodies for `_Meta`."""
