"""A name of an object in a place that no rule follows, and what each way to say it means.

A way is a row: the guard, the warning, what kustomize leaves behind and `krm-fn explain` read it.
"""

from collections.abc import Callable

from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Scalar
from krm_fn.core.names.names import authored_id, base_name, is_hashed_by_kustomize

NO_HASH = "set disableNameSuffixHash: true for its generator"


class Sighting(NamedTuple):
    """A name of `target` in a field of `item`, which no rule changes.

    `name`: as it is written. `option`: what passes it to a program, as people may read it. `scalar`:
    the text around the name, which begins there at `start`; None if the whole field is about it.
    """

    way: "Way"
    target: Item
    item: Item
    field: str
    name: str
    option: str = ""
    scalar: Scalar | None = None
    start: int = 0

    @property
    def line(self) -> int:
        """The line in the text, from 0."""
        return self.scalar.value.count("\n", 0, self.start) if self.scalar else 0

    @property
    def place(self) -> str:
        """The field, and the line of a text with several."""
        if self.scalar is None or "\n" not in self.scalar.value.strip():
            return self.field
        return f"{self.field}, line {self.line + 1} of the text"


class Way(NamedTuple):
    """A way to say a name, and its words.

    `because`: why the object of the name is left alone; None if that is no reason. `warning`: what
    there is to do if it is renamed all the same, to the name given. `explained`: why that is no
    reference; `{}` is the option.
    """

    code: str
    because: Callable[[Sighting], str] | None
    warning: Callable[[Sighting, str], str] | None
    explained: str


def _warn_of_text(one: Sighting, new: str) -> str:
    return (
        f"names {one.target.id.kind} {base_name(one.target)}, which is renamed to {new}, "
        f"but the function changes no text in this field; {_keep_name(one)}"
    )


def _keep_name(one: Sighting, what: str = "the object") -> str:
    return NO_HASH if is_hashed_by_kustomize(one.target) else f"exclude {what}"


OPTION = Way(
    "option",
    because=lambda one: f"{authored_id(one.item)} passes its name in {one.option} ({one.field})",
    warning=lambda one, new: (
        f"{one.option} passes {one.name!r}, but {authored_id(one.target)} is renamed to {new}; "
        f"read it through a volume or a variable instead, or {_keep_name(one, 'it')}"
    ),
    explained="{} passes the name to a program; the function changes no such text",
)
FIELD = Way(
    "field",
    because=lambda one: f"{authored_id(one.item)} names it in {one.field}, which no rule follows",
    warning=lambda one, new: (
        f"names {one.target.id.kind} {base_name(one.target)}, which is renamed to {new}, "
        f"but no rule follows this field; add it to spec.references, or {_keep_name(one)}"
    ),
    explained="no rule reads this field; an entry of spec.references would",
)
FIELD_OF_OTHERS = Way(
    "field",
    because=FIELD.because,
    warning=_warn_of_text,
    explained="no rule reads this field; what is made of it has this name",
)
"""Another program makes objects of the text, so no entry of `spec.references` follows it."""

TEXT = Way(
    "text",
    because=lambda one: (
        f"{authored_id(one.item)} names it in a text that no rule follows ({one.place})"
    ),
    warning=_warn_of_text,
    explained="the text says what it is, and no rule changes it",
)
TEXT_FOR_PEOPLE = Way(
    "text",
    because=None,
    warning=lambda one, new: (
        f"a text for people names {one.target.id.kind} {base_name(one.target)}, which is renamed to {new}"
    ),
    explained="a text for people, and no rule changes it",
)
VARIABLE = Way(
    "text",
    because=None,
    warning=None,
    explained="a variable: the function changes no text that a program gets",
)
"""A variable whose value is a name that nothing else has. It may be one from outside."""
