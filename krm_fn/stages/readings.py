"""What the pods of each template read of the objects whose content is to restart them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from krm_fn.model.item import Item
from krm_fn.model.kinds import cannot_change
from krm_fn.model.node import FieldPath
from krm_fn.model.pods import PodTemplate, template_around, template_at
from krm_fn.model.settings import Strategy
from krm_fn.references.reference import Reference, ResolvedReference
from krm_fn.references.references import References

if TYPE_CHECKING:
    from krm_fn.stages.wave_reloader import Catalogue, OptIn

_PULLED = ".imagePullSecrets["
"""The kubelet reads these again at each pull."""


class Reading:
    """A pod template, and which keys of each object count; None for all of them.

    `asked_by`: the controllers whose annotations say that an object counts, where its strategy does not.
    """

    def __init__(self, item: Item, template: PodTemplate) -> None:
        self.item = item
        self.template = template
        self.configs: dict[Item, frozenset[str] | None] = {}
        self.asked_by: dict[Item, str] = {}

    def add(self, config: Item, keys: frozenset[str] | None, opt_in: "OptIn | None" = None) -> None:
        """Count these keys as well."""
        keys = keys if config.is_config else None  # the spec of a maker does not say which part makes which key
        before = self.configs.get(config, frozenset())
        self.configs[config] = None if keys is None or before is None else before | keys
        if opt_in is not None:
            self.asked_by.setdefault(config, opt_in.controller)


class Readings:
    """All of a package, and the references of objects that read but have no pod template."""

    def __init__(self) -> None:
        self._templates: dict[tuple[Item, FieldPath], Reading] = {}
        self.untemplated: list[ResolvedReference] = []

    def of(self, item: Item, template: PodTemplate) -> Reading:
        """Return the reading of a pod template."""
        return self._templates.setdefault((item, template.path), Reading(item, template))

    @property
    def restarted(self) -> list[Reading]:
        """Those whose template may change."""
        return [reading for reading in self._templates.values() if not cannot_change(reading.item)]

    @property
    def immutable(self) -> list[Reading]:
        """Those whose template cannot change."""
        return [reading for reading in self._templates.values() if cannot_change(reading.item)]


def find_readings(
    references: References, strategies: Mapping[Item, Strategy], opt_ins: list["OptIn"], catalogue: "Catalogue"
) -> Readings:
    """Find what pods read with strategy `checksum`, and what workloads opted in for.

    An opt-in does not count where a reference of the workload follows the name of a revision: then the name restarts
    its pods. `strategies` are those of the objects whose content the package decides.
    """
    readings = Readings()
    _add_references(readings, references, strategies, opt_ins)
    renamed = {item for item, strategy in strategies.items() if strategy is Strategy.RENAME} if opt_ins else set()
    followed = set()
    for referrer, reference, targets in references if renamed else ():
        if is_read(reference):
            followed |= {(referrer, config) for config in targets if config in renamed}
    for opt_in in opt_ins:
        for config in catalogue.find_all(opt_in.named):
            if (opt_in.item, config) not in followed:
                _add_named(readings, opt_in, config)
    return readings


def is_read(reference: Reference) -> bool:
    """Tell whether containers, or what sets them up, see the content."""
    return reference.in_pod and not reference.written and _PULLED not in reference.field


def _add_references(
    readings: Readings, references: References, strategies: Mapping[Item, Strategy], opt_ins: Iterable["OptIn"]
) -> None:
    by_workload: dict[Item, list[OptIn]] = defaultdict(list)
    for opt_in in opt_ins:
        by_workload[opt_in.item].append(opt_in)
    for resolved in references:
        if not is_read(resolved.reference):
            continue
        asking = by_workload.get(resolved.referrer, ())
        for config in resolved.targets:
            strategy = strategies.get(config, Strategy.RENAME)  # others decide the content: it does not count
            if strategy is Strategy.CHECKSUM:
                _add_reference(readings, resolved, config)
            elif strategy is not Strategy.RENAME:
                counting = next((one for one in asking if one.counts(config)), None)
                if counting is not None:
                    _add_reference(readings, resolved, config, counting)


def _add_reference(
    readings: Readings, resolved: ResolvedReference, config: Item, opt_in: "OptIn | None" = None
) -> None:
    template = template_around(resolved.referrer.node, resolved.reference.field)
    if template is None:
        readings.untemplated.append(resolved)
    else:
        readings.of(resolved.referrer, template).add(config, resolved.reference.keys, opt_in)


def _add_named(readings: Readings, opt_in: "OptIn", config: Item) -> None:
    template = template_at(opt_in.item.node, opt_in.template)
    if template is not None and opt_in.allows(config):
        readings.of(opt_in.item, template).add(config, None, opt_in)
