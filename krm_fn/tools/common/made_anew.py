"""Find what a chart makes anew on every rendering, as passwords: only a second rendering shows it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from krm_fn.base.item import DATA_FIELDS, Item, collect
from krm_fn.base.node import FieldPath, Node, fields, is_mapping, is_scalar, is_sequence
from krm_fn.core.names.names import base_name

MadeAnew: TypeAlias = Mapping[Item, frozenset[FieldPath]]
"""The places of each object of a chart that are made anew; `()` if its name is.

Nobody knows of other objects.
"""

WHOLE: FieldPath = ()

MADE_ANEW = "(made anew)"
"""The text that is shown in the place of such a value."""


def find_made_anew(
    items: Iterable[Item], again: Iterable[Item]
) -> dict[Item, frozenset[FieldPath]]:
    """Compare the objects of a rendering with those of another one of the same chart."""
    twins = collect((item.id, item) for item in reversed([*again]))
    found: dict[Item, frozenset[FieldPath]] = {}
    for item in items:
        left = twins[item.id]
        found[item] = (
            frozenset(_find_unlike(item.node, left.pop().node)) if left else frozenset({WHOLE})
        )
    return found


def follow(made_anew: MadeAnew, items: Iterable[Item]) -> dict[Item, frozenset[FieldPath]]:
    """Say of the objects after the function has run what is known of those before.

    It may have renamed them.
    """
    places: dict[tuple[str, str, str, str], frozenset[FieldPath]] = {}
    for item, found in made_anew.items():
        places[_who(item)] = places.get(_who(item), frozenset()) | found
    return {item: places[_who(item)] for item in items if _who(item) in places}


def _who(item: Item) -> tuple[str, str, str, str]:
    return item.id.group, item.id.kind, item.id.namespace, base_name(item)


def has_new_content(places: Iterable[FieldPath]) -> bool:
    """Tell whether the content of a ConfigMap or Secret, or the name of any object, is made anew."""
    return any(place == WHOLE or place[0] in DATA_FIELDS for place in places)


def is_new_key(places: Iterable[FieldPath], key: str) -> bool:
    """Tell whether a key of a ConfigMap or Secret is made anew."""
    return any(
        place == WHOLE or (place[0] in DATA_FIELDS and place[1:2] in ((), (key,)))
        for place in places
    )


def _find_unlike(one: Node, other: Node) -> Iterator[FieldPath]:
    """Yield the places at which two nodes differ, as deep as both have them."""
    # No recursion: objects may be nested deep.
    stack: list[tuple[Node, Node, FieldPath]] = [(one, other, WHOLE)]
    while stack:
        here, there, place = stack.pop()
        if is_mapping(here) and is_mapping(there):
            left, right = fields(here), fields(there)
            yield from ((*place, name) for name in left.keys() ^ right.keys())
            stack += [
                (left[name], right[name], (*place, name)) for name in left.keys() & right.keys()
            ]
        elif is_sequence(here) and is_sequence(there) and len(here.value) == len(there.value):
            pairs = enumerate(zip(here.value, there.value, strict=True))
            stack += [(left, right, (*place, number)) for number, (left, right) in pairs]
        else:
            is_same = (here.value, here.tag) == (there.value, there.tag)
            if not (is_same and is_scalar(here) and is_scalar(there)):
                yield place
