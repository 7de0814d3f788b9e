"""Checksums on pod templates, where something is to restart pods other than a new name."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from krm_fn.model import keys
from krm_fn.model.changes import Changes
from krm_fn.model.item import Item
from krm_fn.model.kinds import kind_of
from krm_fn.model.node import Node, fields, get
from krm_fn.model.problem import Problem
from krm_fn.model.settings import Settings, Strategy
from krm_fn.references.references import References
from krm_fn.stages.choose import Choices
from krm_fn.stages.package import Package
from krm_fn.stages.readings import Readings

if TYPE_CHECKING:
    from krm_fn.stages.wave_reloader import OptIn

CONTROLLER_DOMAINS = ("wave.pusher.com/", "reloader.stakater.com/")
"""What every annotation contains that Wave and Reloader read."""


class Checksums(NamedTuple):
    """What pods read whose change restarts them, and what is wrong with it."""

    readings: Readings
    problems: tuple[Problem, ...] = ()


def find_opt_ins(items: Collection[Item], controllers: Iterable[str]) -> list["OptIn"]:
    """Find the workloads that ask Wave or Reloader to restart them."""
    if not any(map(_may_opt_in, items)):
        return []
    from krm_fn.stages.wave_reloader import read_opt_ins

    return read_opt_ins(items, controllers)


def _may_opt_in(item: Item) -> bool:
    kind = kind_of(item)
    if kind is None or not kind.rolled_by:
        return False
    on_pods = fields(get(item.node, *kind.template.split("."), "metadata", "annotations"))
    return any(domain in name for name in (*item.annotations, *on_pods) for domain in CONTROLLER_DOMAINS)


def plan_checksums(references: References, choices: Choices, opt_ins: list["OptIn"]) -> Checksums:
    """Find the pod templates that read objects of strategy `checksum`, or that opted in."""
    if not opt_ins and not any(choice.strategy is Strategy.CHECKSUM for choice in choices.all):
        return Checksums(Readings())
    from krm_fn.stages.checksum import read_checksums

    return read_checksums(references, choices, opt_ins)


def set_checksums(package: Package, checksums: Checksums, texts: Mapping[Node, str], settings: Settings) -> Changes:
    """Annotate the pod templates, and remove the checksums of earlier runs that nothing asks for any more.

    `texts`: the new values of scalars in the data of ConfigMaps and Secrets.
    """
    changes = Changes(problems=checksums.problems)
    restarted = checksums.readings.restarted
    if not restarted and not any(keys.CHECKSUM in item.annotations for item in package.authored):
        return changes
    from krm_fn.stages.checksum import annotate_templates

    return annotate_templates(package.authored, restarted, texts, settings.checksums.annotation) + changes
