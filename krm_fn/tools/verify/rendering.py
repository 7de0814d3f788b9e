"""Read the revisions of what is about to be applied, and the references to them."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from krm_fn.base import keys
from krm_fn.base.item import Item, is_of_chart, is_revision
from krm_fn.base.link_plan import Unreadable
from krm_fn.base.node import scalars
from krm_fn.base.problem import ResourceId
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import FieldSpec, Settings
from krm_fn.core.decide.decide import Package, Revision, Revisions, Run, read_package
from krm_fn.core.yaml.yaml import Expansion
from krm_fn.tools.common.rendered import find_default_namespace, read_plan
from krm_fn.transform import Configured, configure, read_written


class RenderedSet(NamedTuple):
    """The objects of a set that are here. `configured` is None where its configuration is not known."""

    name: str
    revisions: tuple[Revision, ...]
    emitted: tuple[Item, ...]
    configured: Configured | None

    @property
    def has_linker(self) -> bool:
        """Tell whether anything of a linker is here. Copies for hooks are nothing of it."""
        return any(keys.COPY_OF not in item.annotations for item in self.emitted)

    @property
    def is_shared(self) -> bool:
        """Tell whether an inventory leaves the set to the linker of its namespace."""
        return any(
            item.annotations.get(keys.LINKER_RUN) == keys.SHARED_LINKER for item in self.emitted
        )


class Rendering(NamedTuple):
    """The objects as a run that leaves them as they are, and the sets among them by name.

    `is_placed`: somebody has said where objects without a namespace will be applied.
    """

    run: Run
    is_placed: bool
    sets: Mapping[str, RenderedSet]

    @property
    def package(self) -> Package:
        return self.run.package

    @property
    def revisions(self) -> Revisions:
        """Those of all sets, under their present names."""
        return self.run.revisions

    @property
    def consumers(self) -> Mapping[Item, list[ResolvedReference]]:
        """The references to each revision whose referrers the linker will see."""
        return self.run.consumers


def read_rendering(
    items: Collection[Item],
    settings_by_set: Mapping[str, Settings],
    config_id: ResourceId | None,
    namespace: str,
) -> Rendering:
    """Read the objects. `settings_by_set`: the known configurations.

    `config_id`: the functionConfig.

    `namespace` is that of objects that set none. If it is empty, a configuration or the linker's
    objects may say it.
    """
    is_placed = bool(namespace) or any(
        settings.linker.namespace for settings in settings_by_set.values()
    )
    namespace = namespace or find_default_namespace(items, settings_by_set.values())
    kinds = frozenset(chain.from_iterable(settings.kinds for settings in settings_by_set.values()))
    # Which objects a chart makes anew, and so the function leaves alone, nobody can see in one
    # rendering of it.
    generated = {item: True for item in items if is_of_chart(item) and not is_revision(item)}
    package = read_package(items, config_id, namespace, generated, kinds)
    specs = tuple(chain.from_iterable(one.references for one in settings_by_set.values()))
    run = read_written(package, specs, Expansion().read_embedded)
    unknown = [*_find_unknown_specs(run)]
    if unknown:
        run = read_written(package, (*specs, *unknown), Expansion().read_embedded)
    configured = {
        name: configure(run.survey, settings) for name, settings in settings_by_set.items()
    }
    return Rendering(run, is_placed, _read_sets(package, run.revisions, configured))


def configure_by_default(rendering: Rendering) -> Configured:
    """Choose as the function does without a configuration."""
    return configure(rendering.run.survey, Settings())


def _read_sets(
    package: Package, revisions: Revisions, configured: Mapping[str, Configured]
) -> dict[str, RenderedSet]:
    by_set: dict[str, list[Revision]] = defaultdict(list)
    for revision in revisions.rendered:
        by_set[revision.item.labels[keys.SET]].append(revision)
    emitted: dict[str, list[Item]] = defaultdict(list)
    for item in package.emitted:
        if keys.SET in item.labels:
            emitted[item.labels[keys.SET]].append(item)
    sets: dict[str, RenderedSet] = {}
    for name in sorted({*by_set, *emitted, *configured}):
        sets[name] = RenderedSet(
            name=name,
            revisions=tuple(by_set[name]),
            emitted=tuple(emitted[name]),
            configured=configured.get(name),
        )
    return sets


def _find_unknown_specs(run: Run) -> Iterator[FieldSpec]:
    """Find fields of `spec.references` without a configuration.

    A Job says who references a revision, and a revision of which kinds that is. Where no rule finds
    the reference, the field says the whole name.
    """
    by_kind: dict[str, list[Item]] = defaultdict(list)
    for item in run.package.authored:
        by_kind[f"{item.id.api_version}/{item.id.kind}"].append(item)
    planned: dict[tuple[str, str], set[str]] = defaultdict(set)
    for job in run.package.emitted:
        with suppress(Unreadable):
            for workload in read_plan(job).workloads:
                for name in workload.revisions:
                    planned[name.kind, name.name].add(str(workload).partition("=")[0])
    for revision in run.revisions.rendered:
        readers = {one.referrer for one in run.consumers.get(revision.item, ())}
        kinds = revision.item.annotations.get(keys.KINDS, "").split(",")
        said = planned[revision.id.kind, revision.name]
        for kind in {*kinds, *(who.rpartition("/")[0] for who in said)}:
            for item in by_kind.get(kind, ()):
                if item not in readers and (kind in kinds or f"{kind}/{item.id.name}" in said):
                    yield from _find_specs(item, revision)


def _find_specs(item: Item, revision: Revision) -> Iterator[FieldSpec]:
    for scalar, path, _ in scalars(item.node):
        if scalar.value == revision.name:
            names = (str(name).replace("/", r"\/") for name in path if isinstance(name, str))
            group, _, version = item.id.api_version.rpartition("/")
            yield FieldSpec(revision.id.kind, "/".join(names), group, version, item.id.kind)
