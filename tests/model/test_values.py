"""Tuples with names do what those of `typing` do: each row is tried on both."""

import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import pytest

from krm_fn.model import values

T = TypeVar("T")


class Own(values.NamedTuple):
    """A place."""

    name: str
    line: int = 1
    column: int = 0

    @property
    def where(self) -> str:
        return f"{self.name}:{self.line}"

    @classmethod
    def first(cls, name: str) -> "Own":
        return cls(name, 0)


class Typings(typing.NamedTuple):
    """A place."""

    name: str
    line: int = 1
    column: int = 0

    @property
    def where(self) -> str:
        return f"{self.name}:{self.line}"

    @classmethod
    def first(cls, name: str) -> "Typings":
        return cls(name, 0)


class Listed(values.NamedTuple, Generic[T]):
    found: list[T]


def matched(place: Any) -> str:
    match place:
        case Own(name, line) | Typings(name, line):
            return f"{name} {line}"
    return ""


ALIKE: list[tuple[str, Callable[[Any], Any]]] = [
    ("fields by place", lambda of: tuple(of("a", 2, 3))),
    ("fields by name", lambda of: tuple(of(column=3, name="a"))),
    ("defaults", lambda of: of("a") == ("a", 1, 0)),
    ("a field is read by its name", lambda of: (of("a").name, of("a").line)),
    ("unpacked", lambda of: [*of("a")]),
    ("matched by place", lambda of: matched(of("a"))),
    ("hash", lambda of: hash(of("a"))),
    ("order", lambda of: of("a") < of("b")),
    ("a part is replaced", lambda of: of("a")._replace(line=4)),
    ("as a dict", lambda of: of("a")._asdict()),
    ("names of the fields", lambda of: of._fields),
    ("shown", lambda of: repr(of("a")).partition("(")[2]),
    ("a property", lambda of: of("a").where),
    ("a method of the class", lambda of: of.first("a")),
    ("documented", lambda of: of.__doc__),
    ("its module", lambda of: of.__module__),
    ("annotations", lambda of: of.__annotations__),
    ("a tuple", lambda of: issubclass(of, tuple)),
    ("no other attributes", lambda of: hasattr(of("a"), "__dict__")),
]

REFUSED: list[tuple[str, Callable[[Any], Any], type[Exception]]] = [
    ("a field without a value", lambda of: of(), TypeError),
    ("a value too many", lambda of: of("a", 1, 2, 3), TypeError),
    ("a field that it does not have", lambda of: of("a", row=1), TypeError),
    ("a field that is set", lambda of: setattr(of("a"), "name", "b"), AttributeError),
    ("an attribute that it does not have", lambda of: setattr(of("a"), "row", 1), AttributeError),
]


@pytest.mark.parametrize(("what", "look"), ALIKE, ids=[what for what, _ in ALIKE])
def test_alike(what: str, look: Callable[[Any], Any]) -> None:
    assert look(Own) == look(Typings), what


@pytest.mark.parametrize(("what", "look", "error"), REFUSED, ids=[what for what, _, _ in REFUSED])
def test_refused_alike(what: str, look: Callable[[Any], Any], error: type[Exception]) -> None:  # noqa: ARG001  # its id
    for of in (Own, Typings):
        with pytest.raises(error):
            look(of)


def test_a_part_that_does_not_exist_is_not_replaced() -> None:
    with pytest.raises((TypeError, ValueError)):
        Own("a")._replace(row=1)  # type: ignore[call-arg]  # the mistake


def test_of_any_type() -> None:
    assert Listed[int]([1]).found == [1]


def test_a_field_without_a_default_comes_first() -> None:
    with pytest.raises(TypeError):

        class Late(values.NamedTuple):
            line: int = 1
            name: str  # type: ignore[misc]  # the mistake
