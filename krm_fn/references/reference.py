"""A field that names a ConfigMap or a Secret."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from krm_fn.model.node import Node, Scalar, get, is_sequence, text

_NAMESPACE = re.compile(r"([^/:]+)/$")


class Reference(NamedTuple):
    """One reference as it stands in a referrer.

    `name` is the scalar that holds the name; `namespace` the one beside it that says where, if there is
    one; `field` the path to `name`, for people. `in_pod` is true where pods read the object, so that a change
    of name makes a new pod template. `written` is true where a controller *writes* the object named here
    rather than reads it: such a name is never changed.

    `before` and `after` are what else the scalar's text holds around the name: `shop/` of `shop/users`.
    `around` are the fields of the mapping that `name` stands in, where pods read the object and that is known.
    """

    kind: str
    name: Scalar
    namespace: Scalar | None
    field: str
    in_pod: bool
    written: bool
    before: str = ""
    after: str = ""
    around: Mapping[str, Node] | None = None

    @property
    def target(self) -> str:
        """The name alone."""
        text = self.name.value
        return text[len(self.before) : len(text) - len(self.after)]

    @property
    def target_namespace(self) -> str | None:
        """Where the reference says its object lies, None where it does not say."""
        if self.namespace is not None:
            return self.namespace.value
        said = _NAMESPACE.search(self.before)
        return said.group(1) if said else None

    @property
    def keys(self) -> frozenset[str] | None:
        """The keys of the object that are read here, None for all of it."""
        around = self.around or {}
        items = around.get("items")
        if is_sequence(items) and items.value:
            return frozenset(text(get(entry, "key")) for entry in items.value)
        if self.field.endswith("KeyRef.name") and "key" in around:
            return frozenset({text(around["key"])})
        return None

    def renamed(self, name: str) -> str:
        """The scalar's text once the object is called `name`."""
        return f"{self.before}{name}{self.after}"
