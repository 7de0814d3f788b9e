"""Tell what an API server makes of a manifest.

It stores no empty fields, its defaults, and one spelling of a quantity. So two pod templates may be
written in different ways, and nothing rolls when one replaces the other. And it refuses to change
some fields of what it has stored.
"""

import re
from collections.abc import Hashable, Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from krm_fn.base.go_yaml import is_text, read_number
from krm_fn.base.item import DATA_FIELDS, Item
from krm_fn.base.kind import BUILT_IN_GROUPS, FixedFields, Kinds, fits, fixed_rows, is_replaced
from krm_fn.base.node import (
    FieldPath,
    Node,
    elements,
    fields,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    text,
)
from krm_fn.base.problem import ResourceId
from krm_fn.facts.immutable_fields import FILLED
from krm_fn.facts.live_fields import (
    DEFAULTS,
    OPEN_MAPS,
    QUANTITIES,
    QUANTITY_FIELDS,
    STORED_WHEN_EMPTY,
    TWINS,
    WRITTEN_BACK,
)
from krm_fn.report.object_change import Refusal

FieldNames: TypeAlias = tuple[str, str]
"""The field or list that a field is in, and its own name."""

TOP: FieldNames = ("", "")
_ELEMENT = "[]"
"""In the place of a field that an element of a list is in."""

TRUE, FALSE = frozenset({"true", "yes", "on", "y"}), frozenset({"false", "no", "off", "n"})
TEMPLATE = ("", "template")
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
_DEFAULTS = {**DEFAULTS, **FILLED}

_OF_ELEMENTS = "elements"
"""What is done to a list: one has to look at its elements."""


def field_of(names: FieldNames, name: str) -> FieldNames:
    return names[1], name


def element_of(names: FieldNames) -> FieldNames:
    return _ELEMENT, names[1]


def is_stored_alike(old: Node, new: Node, who: ResourceId) -> bool:
    """Tell whether two pod templates are the same to an API server and to the controller of such an object."""
    reader = StoredReader(who, keeps_twins=fields(get(new, "spec")).keys().isdisjoint(TWINS))
    return reader.read(old, TEMPLATE) == reader.read(new, TEMPLATE)


def is_default(node: Node, names: FieldNames, kind: str, *, of_pods: bool = True) -> bool:
    """Tell whether this is what the API server writes where nothing is written.

    `of_pods`: into any pod template.
    """
    if not is_scalar(node):
        return False
    if node.value == _DEFAULTS.get((kind, *names)):
        return True
    return of_pods and node.value == _DEFAULTS.get(("", *names))


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


class StoredReader:
    """Reads what is stored of an object, or of its pod template.

    The API server or a controller adds defaults. For other kinds nobody knows, and a field that is
    written in another way may be another one. `keeps_twins`: it keeps fields of the pod spec of
    which no twin is written any more.
    """

    def __init__(self, who: ResourceId, *, keeps_twins: bool = False) -> None:
        is_built_in = who.group in BUILT_IN_GROUPS
        self._kind = who.kind
        self._passed_over = TWINS if keeps_twins and is_built_in else ()
        self._has_defaults = is_built_in or who.group_kind in WRITTEN_BACK

    def read(self, node: Node | None, names: FieldNames) -> Hashable:
        """Return what is stored, None for nothing. Equal values are stored alike."""
        # No comprehensions: each takes a frame for each level of nesting.
        if node is None:
            return None
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
            around = self.read_fields(node, names)
            for name in sorted(around):
                found = self.read(around[name], field_of(names, name))
                if found is not None:
                    kept.append((name, found))
            is_nothing = (
                self._has_defaults and not kept and not _is_choice(names) and names != TEMPLATE
            )
            return None if is_nothing else ("mapping", *kept)
        for one in node.value:
            kept.append(self.read(one, element_of(names)))  # as above
        return ("list", *kept)

    def read_fields(self, node: Node | None, names: FieldNames) -> dict[str, Node]:
        """Return the fields of a mapping, but for those that the API server has itself."""
        around = fields(node)
        left_out = [name for name in around if self._is_left_out(name, names, around)]
        return {name: child for name, child in around.items() if name not in left_out}

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


def find_refusal(
    before: Item,
    after: Item,
    kinds: Kinds,
    *,
    has_new_content: bool,
    unlike: Iterable[FieldPath] = ((),),
) -> str | None:
    """Return why the API server refuses to make one object of another: a `Refusal`, or the path of a field.

    `kinds`: those of the new package. `unlike`: the two are written alike but for these places.
    """
    fixed = {**_fixed_of(before, after), **kinds.fixed_by_definition(after.id)}
    if is_replaced(after) or not any(_is_near(fixed, place) for place in unlike):
        return None
    changed = _FixedComparison(fixed, after).find_changed(before)
    if not before.is_config:
        return next(changed, None)
    fields_of_config = {*changed}.difference(DATA_FIELDS)
    if "type" in fields_of_config:
        return Refusal.TYPE
    if has_new_content and "data" in fixed:
        return Refusal.CONTENT
    return Refusal.IMMUTABLE if fields_of_config else None


def _is_near(fixed: FixedFields, place: FieldPath) -> bool:
    """Tell whether what a place is in holds a field that is fixed, or is in one.

    Not the place itself: what is stored of a field may depend on what is beside it.
    """
    around = ".".join(name for name in place[:-1] if isinstance(name, str))
    return any(
        path.startswith(around) or around.startswith(path.removesuffix(".*")) for path in fixed
    )


def _fixed_of(before: Item, after: Item) -> FixedFields:
    """Return what is fixed. Of what depends on a field that changes, that field alone is known."""
    only = ""
    for when, fixed in fixed_rows(before.id.group_kind):
        path, was, becomes = when.partition("=")[0], fits(before, when), fits(after, when)
        if not when:
            return {only: fixed.get(only, "")} if only else fixed
        if was and (becomes or fixed.get(path)):
            return fixed
        if was or becomes:
            only = path
    return {}


class _FixedComparison:
    """Compares two objects of one kind, in the fields that are fixed."""

    def __init__(self, fixed: FixedFields, after: Item) -> None:
        self._fixed = fixed
        self._after = after
        self._reader = StoredReader(after.id)

    def find_changed(self, before: Item) -> Iterator[str]:
        """Yield the paths of the fields that differ although they cannot change."""
        names = TEMPLATE if before.id.kind == "Pod" else TOP
        return self._find(before.node, self._after.node, "", names, "")

    def _find(
        self, old: Node | None, new: Node | None, path: str, names: FieldNames, refused: str
    ) -> Iterator[str]:
        refused = self._fixed.get(path, refused)
        if not refused and not any(one.startswith(path) for one in self._fixed):
            return
        inside = self._fixed.get(f"{path}.*", refused)
        # Also where one says nothing: what is in it may be what the server fills in.
        if is_mapping(old) and is_mapping(new):
            before, after = (self._reader.read_fields(one, names) for one in (old, new))
            for name in sorted({*before, *after}):
                below = f"{path}.{name}" if path else name
                yield from self._find(
                    before.get(name), after.get(name), below, field_of(names, name), inside
                )
            return
        was, becomes = self._reader.read(old, names), self._reader.read(new, names)
        operation = "" if was == becomes else _name_operation(was, becomes)
        if operation == _OF_ELEMENTS:
            yield from self._find_in_list(old, new, path, names, inside)
        elif operation and _is_refused(operation, refused):
            yield path

    def _find_in_list(
        self, old: Node | None, new: Node | None, path: str, names: FieldNames, refused: str
    ) -> Iterator[str]:
        before, after = _by_name(old), _by_name(new)
        operations = {"unset": before.keys() - after.keys(), "set": after.keys() - before.keys()}
        if any(names and _is_refused(one, refused) for one, names in operations.items()):
            yield path
        for name in before:
            if name in after:
                yield from self._find(before[name], after[name], path, element_of(names), refused)


def _by_name(elements_of: Node | None) -> dict[str, Node]:
    """Return the elements of a list by name; by position where they have none."""
    return {
        text(get(one, "name")) or str(index): one for index, one in enumerate(elements(elements_of))
    }


def _name_operation(was: Any, becomes: Any) -> str:
    """Name what is done to a stored value."""
    if was is None or becomes is None:
        return "set" if was is None else "unset"
    if was[0] == becomes[0] == "list":
        return _OF_ELEMENTS
    if was[0] == becomes[0] and was[0] in {"quantity", "number"}:
        return "grow" if becomes > was else "shrink"
    return "change"


def _is_refused(operation: str, refused: str) -> bool:
    told = refused.split(",")
    return operation in told or (operation in {"grow", "shrink"} and "change" in told)
