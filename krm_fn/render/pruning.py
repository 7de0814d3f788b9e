"""Who would prune a deployed object once it is no longer rendered: each reads what is live, not what is about to be."""

from collections.abc import Iterable

from krm_fn.model.deployers import PROTECTIONS, Protection
from krm_fn.model.item import Item
from krm_fn.model.node import get, is_sequence

KEEPERS = {deployer: tuple(one for one in protections if one.keeps) for deployer, protections in PROTECTIONS.items()}
"""What keeps an object, by deployer; nothing for one that prunes nothing."""

_AS_WELL = {
    "flux": (
        Protection("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
        Protection("kustomize.toolkit.fluxcd.io/ssa", "Ignore"),
    ),
    "kpt": (Protection("cli-utils.sigs.k8s.io/on-remove", "keep"),),
}
"""What keeps it just as well, though this project does not write it."""

_READ_LABELS = frozenset({"flux"})
"""Who takes a label for an annotation."""

_SPARE_OWNED = frozenset({"argocd"})
"""Who leaves an object to its owner, if it has one; the others do not look."""


def find_deployers(revision: Item) -> list[str]:
    """From whom a rendered revision is protected."""
    return [
        deployer
        for deployer, keepers in KEEPERS.items()
        if keepers and all(_says(revision.annotations, one) for one in keepers)
    ]


def find_pruners(item: Item, deployers: Iterable[str]) -> list[str]:
    """Those of the deployers from whom nothing keeps a deployed object."""
    return [deployer for deployer in deployers if not _is_kept(item, deployer)]


def _is_kept(item: Item, deployer: str) -> bool:
    if deployer in _SPARE_OWNED and _has_owner(item):
        return True
    marks = {**item.labels, **item.annotations} if deployer in _READ_LABELS else item.annotations
    by_ours = all(_says(marks, one) for one in KEEPERS[deployer])
    return by_ours or any(_says(marks, one) for one in _AS_WELL.get(deployer, ()))


def _has_owner(item: Item) -> bool:
    owners = get(item.node, "metadata", "ownerReferences")
    return is_sequence(owners) and bool(owners.value)


def _says(marks: dict[str, str], protection: Protection) -> bool:
    present = marks.get(protection.annotation, "")
    options = [option.strip() for option in present.split(",")] if protection.part_of_list else [present]
    return protection.value in options
