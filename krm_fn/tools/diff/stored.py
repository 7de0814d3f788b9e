"""Tell what an API server stores of a manifest: no empty fields, its defaults, and one spelling of a quantity.

So two pod templates may be written in different ways, and nothing rolls when one replaces the other.
"""

import re
from collections.abc import Collection, Hashable
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from krm_fn.base.go_yaml import is_text, read_number
from krm_fn.base.kind import BUILT_IN_GROUPS
from krm_fn.base.node import Node, fields, get, is_mapping, is_null, is_scalar, is_sequence, text
from krm_fn.base.problem import ResourceId
from krm_fn.facts.live_fields import (
    DEFAULTS,
    OPEN_MAPS,
    QUANTITIES,
    QUANTITY_FIELDS,
    STORED_WHEN_EMPTY,
    TWINS,
    WRITTEN_BACK,
)

FieldNames: TypeAlias = tuple[str, str]
"""The field or list that a field is in, and its own name."""

TOP: FieldNames = ("", "")
_ELEMENT = "[]"
"""In the place of a field that an element of a list is in."""

TRUE, FALSE = frozenset({"true", "yes", "on", "y"}), frozenset({"false", "no", "off", "n"})
_TEMPLATE = ("", "template")
_POD = ("template", "spec")
_POD_CONTEXT = ("spec", "securityContext")
_QUANTITY = re.compile(r"([-+]?[0-9.]+)([eE][-+]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?")
_SUFFIXES = {
    "n": "1e-9",
    "u": "1e-6",
    "m": "1e-3",
    **{one: f"1e{3 * index}" for index, one in enumerate(" kMGTPE")},
}
_BINARY = "KMGTPE"


def field_of(names: FieldNames, name: str) -> FieldNames:
    return names[1], name


def element_of(names: FieldNames) -> FieldNames:
    return _ELEMENT, names[1]


def is_stored_alike(old: Node, new: Node, who: ResourceId) -> bool:
    """Tell whether two pod templates are the same to an API server and to the controller of such an object."""
    is_built_in = who.group in BUILT_IN_GROUPS
    has_defaults = is_built_in or who.group_kind in WRITTEN_BACK
    keeps_twins = is_built_in and fields(get(new, "spec")).keys().isdisjoint(TWINS)
    reader = _Reader(who.kind, TWINS if keeps_twins else (), has_defaults=has_defaults)
    return reader.read(old, _TEMPLATE) == reader.read(new, _TEMPLATE)


def is_default(node: Node, names: FieldNames, kind: str, *, of_pods: bool = True) -> bool:
    """Tell whether this is what the API server writes where nothing is written.

    `of_pods`: into any pod template.
    """
    if not is_scalar(node):
        return False
    if node.value == DEFAULTS.get((kind, *names)):
        return True
    return of_pods and node.value == DEFAULTS.get(("", *names))


def is_not_stored(node: Node, names: FieldNames) -> bool:
    """Tell whether the API server stores nothing for a field of one of its own types, as it is empty, false or 0."""
    if is_null(node):
        return True
    is_element = names[0] == _ELEMENT and is_scalar(node)
    if is_element or names[0] in OPEN_MAPS or names[0] in QUANTITIES:
        return False  # keys of an author, and elements of a list, are there although they are empty
    if _is_choice(names):
        return is_sequence(node) and not node.value
    if is_scalar(node) and node.value and not node.style:
        return node.value.lower() in FALSE or node.value == "0"
    return not node.value


def _is_choice(names: FieldNames) -> bool:
    """Tell whether a field says something even if it is empty, false or 0."""
    return names[1] in STORED_WHEN_EMPTY or (
        names[1] == "securityContext" and names != _POD_CONTEXT
    )


def is_default_policy(policy: Node, image: Node | None) -> bool:
    """Tell whether an image is pulled so where nothing is written: always if its tag is `latest`, or it has none."""
    name, _, digest = text(image).partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    is_latest = tag == "latest" or not (tag or digest)
    return text(policy) == ("Always" if is_latest else "IfNotPresent")


def is_quantity(names: FieldNames) -> bool:
    return names[0] in QUANTITIES or names[1] in QUANTITY_FIELDS


def read_quantity(written: str) -> Decimal | None:
    found = _QUANTITY.fullmatch(written)
    if not found:
        return None
    suffix = found[2] or ""
    try:
        number = Decimal(found[1])
        if suffix.endswith("i"):
            return number * Decimal(1024) ** (_BINARY.index(suffix[0]) + 1)
        return number * Decimal(_SUFFIXES.get(suffix, f"1{suffix}"))
    except InvalidOperation:
        return None


class _Reader:
    """Reads what is stored of a pod template.

    `passed_over`: fields of the pod spec that the API server keeps.

    `has_defaults`: the API server or a controller adds them. For other kinds nobody knows, and a
    field that is written in another way may roll.
    """

    def __init__(self, kind: str, passed_over: Collection[str], *, has_defaults: bool) -> None:
        self._kind = kind
        self._passed_over = passed_over
        self._has_defaults = has_defaults

    def read(self, node: Node, names: FieldNames) -> Hashable:
        """Return what is stored, None for nothing. Equal values are stored alike."""
        # No comprehensions: each takes a frame for each level of nesting.
        if self._has_defaults:
            is_left_out = is_not_stored(node, names) or is_default(node, names, self._kind)
            if is_left_out:
                return None
        if is_scalar(node):
            return _read_scalar(
                node.value, names if self._has_defaults else TOP, is_text=is_text(node)
            )
        kept: list[Hashable] = []
        if is_mapping(node):
            around = fields(node)
            for name in sorted(around):
                if self._is_left_out(name, names, around):
                    continue
                found = self.read(around[name], field_of(names, name))
                if found is not None:
                    kept.append((name, found))
            is_nothing = (
                self._has_defaults and not kept and not _is_choice(names) and names != _TEMPLATE
            )
            return None if is_nothing else ("mapping", *kept)
        for one in node.value:
            kept.append(self.read(one, element_of(names)))  # as above
        return ("list", *kept)

    def _is_left_out(self, name: str, names: FieldNames, around: dict[str, Node]) -> bool:
        is_twin = names == _POD and name in self._passed_over
        is_policy = self._has_defaults and name == "imagePullPolicy"
        return is_twin or (is_policy and is_default_policy(around[name], around.get("image")))


def _read_scalar(written: str, names: FieldNames, *, is_text: bool) -> Hashable:
    if is_quantity(names):
        quantity = read_quantity(written)
        if quantity is not None:
            return "quantity", quantity
    if is_text:
        return "text", written
    if written.lower() in TRUE | FALSE:
        return "boolean", written.lower() in TRUE
    number = read_number(written) if written[:1] in "+-.0123456789" else None
    return ("text", written) if number is None else ("number", number)
