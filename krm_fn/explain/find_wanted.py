"""Find the objects that a name on the command line means."""

from collections.abc import Collection, Iterable, Mapping

from krm_fn.model.item import Item
from krm_fn.model.problem import Problem, Rejected
from krm_fn.naming.names import names_of
from krm_fn.naming.suggest import did_you_mean, nearest

_KINDS = {
    **dict.fromkeys(("configmap", "configmaps", "cm"), "ConfigMap"),
    **dict.fromkeys(("secret", "secrets"), "Secret"),
}
"""What kubectl calls them."""


def find_wanted(wanted: str, configs: Collection[Item], new_names: Mapping[Item, str]) -> list[Item]:
    """Find the ConfigMaps and Secrets that `wanted` means: all if it is empty. Raises Rejected if there is none.

    It is `name`, `kind/name`, `namespace/name` or `kind/namespace/name`. The name may be the base name, the present
    name or the new one.
    """
    if not wanted:
        return [*configs]
    *above, name = wanted.split("/")
    names = {item: {*names_of(item), new_names.get(item, item.id.name)} for item in configs}
    found = [item for item in configs if name in names[item] and _is_in(item, above)]
    if not found:
        near = nearest(name, sorted({one for all_names in names.values() for one in all_names}))
        raise Rejected(Problem(f"found no ConfigMap or Secret {wanted} in the package{did_you_mean(near)}"))
    return found


def _is_in(item: Item, above: Iterable[str]) -> bool:
    return all(one in {item.id.namespace, item.id.kind} or _KINDS.get(one.lower()) == item.id.kind for one in above)
