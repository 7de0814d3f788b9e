"""Mount revisions into pod templates, and remove what an earlier run mounted and no entry asks for any more."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from krm_fn.model import keys
from krm_fn.model.changes import Changes
from krm_fn.model.item import Item
from krm_fn.model.node import Node
from krm_fn.model.problem import Problem, ResourceId
from krm_fn.model.settings import Settings
from krm_fn.references.reference import ResolvedReference
from krm_fn.references.resolve import Index

if TYPE_CHECKING:
    from krm_fn.mounts.present import PresentMounts


class Mounts(NamedTuple):
    """The pod templates with mounts: what is configured for them, and what an earlier run mounted."""

    templates: tuple["PresentMounts", ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def references(self) -> list[ResolvedReference]:
        """The references that these mounts add."""
        return [reference for present in self.templates for reference in present.plan.references()]

    @property
    def own_texts(self) -> set[Node]:
        """The scalars that an earlier run wrote, references among them."""
        return {text for present in self.templates for text in present.own_texts()}


def read_mounts(items: Collection[Item], index: Index, settings: Settings, config_id: ResourceId | None) -> Mounts:
    """Find out what is to be mounted where. `config_id` is the functionConfig."""
    mark = keys.MOUNTS + settings.set
    if not settings.mounts and not any(mark in item.annotations for item in items):
        return Mounts()
    from krm_fn.mounts.plan import plan_mounts
    from krm_fn.mounts.present import read_present

    plan = plan_mounts(items, index, settings, config_id)
    return Mounts(tuple(read_present(template, index) for template in plan.templates), plan.problems)


def update_mounts(mounts: Mounts, names: Mapping[Item, str], index: Index, set_name: str) -> Changes:
    """Change every pod template to what is configured. `names`: the new names of the objects that are renamed."""
    changes = Changes(problems=mounts.problems)
    if not mounts.templates:
        return changes
    from krm_fn.mounts.patch import patch_templates

    return changes + patch_templates(mounts.templates, names, index, set_name)
