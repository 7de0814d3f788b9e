"""Which deployers would prune a deployed object that is no longer rendered. Each reads the live object's metadata."""

from collections.abc import Iterable

from krm_fn.model.deployers import PROTECTIONS, Protection
from krm_fn.model.item import Item
from krm_fn.model.node import get, is_sequence

KEEPERS = {deployer: tuple(one for one in protections if one.keeps) for deployer, protections in PROTECTIONS.items()}
"""By deployer: the annotations that stop it from pruning; none for one that prunes nothing."""

_AS_WELL = {
    "flux": (
        Protection("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
        Protection("kustomize.toolkit.fluxcd.io/ssa", "Ignore"),
    ),
    "kpt": (Protection("cli-utils.sigs.k8s.io/on-remove", "keep"),),
}
"""Other annotations that stop it as well, though this project does not write them."""

_READ_LABELS = frozenset({"flux"})
"""Deployers that also accept a label in the place of the annotation."""

_SPARE_OWNED = frozenset({"argocd"})
"""Deployers that never prune an object with an owner."""


def find_deployers(revision: Item) -> list[str]:
    """Find the deployers from which a rendered revision is protected."""
    return [
        deployer
        for deployer, keepers in KEEPERS.items()
        if keepers and all(_says(revision.annotations, one) for one in keepers)
    ]


def find_pruners(item: Item, deployers: Iterable[str]) -> list[str]:
    """Find the deployers that nothing stops from pruning a deployed object."""
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
    return protection.is_in(marks.get(protection.annotation, ""))
