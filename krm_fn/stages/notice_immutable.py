"""Notice objects that the API server will refuse: their template cannot change, and now names another revision."""

from collections.abc import Collection, Iterable, Iterator

from krm_fn.model.item import Item, about
from krm_fn.model.lifetimes import HOOKS, IMMUTABLE
from krm_fn.model.problem import Problem, Severity

_REPLACED = {
    "argocd.argoproj.io/sync-options": ("Replace=true", "Force=true"),
    "kustomize.toolkit.fluxcd.io/force": ("enabled",),
}
"""Annotations of objects that their deployer deletes and creates anew when an immutable field changes."""


def notice_immutable(changed: Iterable[tuple[Item, str]], but: Collection[int]) -> Iterator[Problem]:
    """A warning for each plain Job and bare Pod among the objects that change, with the first field that does.

    `but`: objects that change their names as well, by `id(item.node)`.
    """
    seen = set(but)
    for item, field in changed:
        if id(item.node) not in seen and cannot_change(item):
            seen.add(id(item.node))
            message = (
                f"changes, which a {item.id.kind} cannot once it is created: "
                "delete the old one before applying, or make it a hook"
            )
            yield about(item, message, field, Severity.WARNING)


def cannot_change(item: Item) -> bool:
    """Whether the API server refuses another template under the same name, and nothing replaces the object."""
    return (item.id.group, item.id.kind) in IMMUTABLE and not is_replaced(item)


def is_replaced(item: Item) -> bool:
    """Whether each change of it makes a new one: a hook, a generated name, or its deployer's doing."""
    if not item.id.name or any(hook in item.annotations for hook in HOOKS):
        return True
    return any(
        value in item.annotations.get(annotation, "").split(",")
        for annotation, values in _REPLACED.items()
        for value in values
    )
