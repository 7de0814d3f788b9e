"""Tuples whose places have names, as those of `typing`, and defined in a fifth of the time.

`typing` compiles a constructor for each class. A run defines more than a hundred classes before it reads a byte, which
took a fifth of its time for a small package. Here, all classes with as many fields share one compiled constructor.
"""

import sys
from collections import namedtuple
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 14):
    # Type checkers know no other tuple with names. From 3.14 on, a class being defined does not hold its annotations.
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414, TID251  # so written, other modules may import it
else:

    class _Defining(type):
        """Turns the statement `class Name(NamedTuple)` into a class of tuples."""

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            fields = tuple(namespace.get("__annotations__", ()))
            like = _tuple_of(len(fields))
            defaults = {field: namespace[field] for field in fields if field in namespace}
            if fields[len(fields) - len(defaults) :] != tuple(defaults):
                message = f"{name}: a field without a default follows one with a default"
                raise TypeError(message)
            new = like.__new__
            code = new.__code__.replace(co_varnames=("_cls", *fields))
            members = {
                **namespace,
                **dict(zip(fields, map(vars(like).get, like._fields), strict=True)),
                "__new__": FunctionType(code, new.__globals__, "__new__", tuple(defaults.values())),
                "__match_args__": fields,
                "__slots__": (),
                "_fields": fields,
            }
            return type(name, (_Named, *(base for base in bases if base is not NamedTuple)), members)

    @cache
    def _tuple_of(length: int) -> type:
        return namedtuple("_Like", [f"field{place}" for place in range(length)])  # noqa: PYI024  # the name is no type

    class _Named(tuple):
        """What all tuples with names can do."""

        __slots__ = ()

        def _replace(self, **changed: Any) -> "_Named":
            replaced = tuple.__new__(type(self), map(changed.pop, self._fields, self))
            if changed:
                message = f"{type(self).__name__} has no {', '.join(changed)}"
                raise TypeError(message)
            return replaced

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self) -> str:
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

    NamedTuple = type.__new__(_Defining, "NamedTuple", (), {})
