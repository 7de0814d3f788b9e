"""What a name on the command line means."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.kinds import plural_of
from krm_fn.model.makers import VERSIONED_NAMES
from krm_fn.model.problem import Problem, Rejected
from krm_fn.naming.names import base_name, names_of
from krm_fn.naming.suggest import did_you_mean, nearest
from krm_fn.references.made import find_made

_KINDS = {
    **dict.fromkeys(("configmap", "configmaps", "cm"), "ConfigMap"),
    **dict.fromkeys(("secret", "secrets"), "Secret"),
    **{name: kind for kind in VERSIONED_NAMES for name in (kind.lower(), plural_of(kind))},
}
"""What kubectl calls them."""


class Wanted(NamedTuple):
    """A name, and the kinds and namespaces in front of it. No name stands for all."""

    name: str
    above: tuple[str, ...]

    def matches(self, kind: str, namespace: str, names: Collection[str]) -> bool:
        """Tell whether it means an object that has one of these names."""
        is_there = all(one in {namespace, kind} or _KINDS.get(one.lower()) == kind for one in self.above)
        return is_there and (not self.name or self.name in names)

    def __str__(self) -> str:
        return "/".join((*self.above, self.name))


EVERYTHING = Wanted("", ())


def read_wanted(text: str) -> Wanted:
    """Read `name`, `kind/name`, `namespace/name` or `kind/namespace/name`; `namespace/` for all that is there."""
    *above, name = text.split("/")
    return Wanted(name, tuple(above))


def not_found(wanted: Wanted, configs: Iterable[Item]) -> Rejected:
    """Return the error for a name that no ConfigMap or Secret of the package has."""
    near = nearest(wanted.name, sorted({base_name(item) for item in configs}))
    return Rejected(Problem(f"the package has no ConfigMap or Secret {wanted}{did_you_mean(near)}"))


def find_wanted(wanted: Wanted, configs: Collection[Item], new_names: Mapping[Item, str]) -> list[Item]:
    """Find the ConfigMaps and Secrets that are meant: by their base names, present names or new names.

    What makes a Secret is meant by the name of that as well.
    """
    return [
        item
        for item in configs
        if wanted.matches(item.id.kind, item.id.namespace, {*names_of(item), new_names.get(item, item.id.name)})
        or any(wanted.matches(made.kind, item.id.namespace, made.names) for made in find_made(item))
    ]
