"""What to do with the objects that this project makes itself."""

from typing import NamedTuple, TypeAlias

from krm_fn.model.edit import Value
from krm_fn.model.item import Item

Object: TypeAlias = dict[str, Value]


class Emission(NamedTuple):
    """Objects to put in the place of earlier ones, earlier ones that go, and new ones."""

    replace: list[tuple[Item, Object]]
    remove: list[Item]
    add: list[Object]


NOTHING = Emission([], [], [])
