"""Keep deployers from pruning revisions that left the package."""

from krm_fn.model.deployers import PROTECTIONS, Protection
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Settings


def protect(item: Item, settings: Settings) -> tuple[dict[str, str], list[Problem]]:
    """The annotations to set, merged into what is there, and a warning where the author wants the opposite."""
    annotations: dict[str, str] = {}
    problems = []
    for deployer in settings.deployers:
        for protection in PROTECTIONS[deployer]:
            present = item.annotations.get(protection.annotation, "")
            merged = _merge(protection, present)
            if merged is None:
                problems.append(_opposite(item, deployer, protection, present))
            else:
                annotations[protection.annotation] = merged
    return annotations, problems


def _merge(protection: Protection, present: str) -> str | None:
    """The value with the protection in it, or None where it says the opposite."""
    if not present:
        return protection.value
    if not protection.part_of_list:
        return present if present == protection.value else None
    options = [option.strip() for option in present.split(",")]
    if protection.value in options:
        return present
    key = protection.value.partition("=")[0]
    if any(option.partition("=")[0] == key for option in options):
        return None
    return f"{present},{protection.value}"


def _opposite(item: Item, deployer: str, protection: Protection, present: str) -> Problem:
    message = f"left as {present!r}, so {deployer} may prune it under running pods; {protection.value!r} prevents that"
    return about(item, message, f"metadata.annotations[{protection.annotation}]", Severity.WARNING)
