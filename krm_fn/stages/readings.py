"""What the pods of each template read of the objects whose content is to roll them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.kinds import cannot_change
from krm_fn.model.node import FieldPath
from krm_fn.model.pods import PodTemplate, template_around, template_at
from krm_fn.model.settings import Strategy
from krm_fn.references.reference import Reference
from krm_fn.references.resolve import Link
from krm_fn.stages.wave_reloader import Catalogue, OptIn

_PULLED = ".imagePullSecrets["
"""The kubelet reads these, anew for each pull."""


class Reading(NamedTuple):
    """A pod template, and which keys of each object count; None stands for all of them."""

    item: Item
    template: PodTemplate
    configs: dict[int, tuple[Item, frozenset[str] | None]]

    def add(self, config: Item, keys: frozenset[str] | None) -> None:
        _, before = self.configs.get(id(config.node), (config, frozenset()))
        self.configs[id(config.node)] = (config, None if keys is None or before is None else before | keys)


class Readings(NamedTuple):
    """By workload and path; and the links of what reads, but holds no pod template."""

    templates: dict[tuple[int, FieldPath], Reading]
    untemplated: list[Link]

    @property
    def rolled(self) -> list[Reading]:
        """Those whose template may change."""
        return [reading for reading in self.templates.values() if not cannot_change(reading.item)]

    @property
    def frozen(self) -> list[Reading]:
        return [reading for reading in self.templates.values() if cannot_change(reading.item)]


def read_by(links: list[Link], strategies: dict[int, Strategy], opt_ins: list[OptIn], catalogue: Catalogue) -> Readings:
    """Everything of strategy `checksum`, and what workloads opted in for, unless a name of theirs follows it.

    `strategies` are those of the objects whose content the package decides.
    """
    readings = Readings({}, [])
    _add_links(readings, links, strategies, opt_ins)
    renamed = {node for node, strategy in strategies.items() if strategy is Strategy.RENAME} if opt_ins else set()
    followed = {
        (id(link.referrer.node), id(config.node))
        for link in (links if renamed else ())
        for config in link.targets
        if id(config.node) in renamed and is_read(link.reference)
    }
    for opt_in in opt_ins:
        for config in catalogue.find_all(opt_in.named):
            if (id(opt_in.item.node), id(config.node)) not in followed:
                _add_named(readings, opt_in, config)
    return readings


def is_read(reference: Reference) -> bool:
    """Whether containers, or what sets them up, see the content."""
    return reference.in_pod and not reference.written and _PULLED not in reference.field


def _add_links(
    readings: Readings, links: Iterable[Link], strategies: dict[int, Strategy], opt_ins: Iterable[OptIn]
) -> None:
    by_workload: dict[int, list[OptIn]] = defaultdict(list)
    for opt_in in opt_ins:
        by_workload[id(opt_in.item.node)].append(opt_in)
    for link in links:
        if not is_read(link.reference):
            continue
        asking = by_workload.get(id(link.referrer.node), ())
        for config in link.targets:
            strategy = strategies.get(id(config.node), Strategy.RENAME)  # what is not ours is not looked at either
            if strategy is Strategy.CHECKSUM or (
                strategy is not Strategy.RENAME and any(opt_in.counts(config) for opt_in in asking)
            ):
                _add_link(readings, link, config)


def _add_link(readings: Readings, link: Link, config: Item) -> None:
    template = template_around(link.referrer.node, link.reference.field)
    if template is None:
        readings.untemplated.append(link)
    else:
        _reading(readings, link.referrer, template).add(config, link.reference.keys)


def _add_named(readings: Readings, opt_in: OptIn, config: Item) -> None:
    template = template_at(opt_in.item.node, opt_in.template)
    if template is not None and opt_in.allows(config):
        _reading(readings, opt_in.item, template).add(config, None)


def _reading(readings: Readings, item: Item, template: PodTemplate) -> Reading:
    return readings.templates.setdefault((id(item.node), template.path), Reading(item, template, {}))
