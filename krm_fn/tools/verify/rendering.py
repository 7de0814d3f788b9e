"""Read the revisions of what is about to be applied, and the references to them."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import chain

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import ResourceId
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import Settings
from krm_fn.core.decide.decide import Package, Revision, Revisions, Run, read_package
from krm_fn.core.yaml.yaml import Expansion
from krm_fn.tools.common.rendered import find_default_namespace, find_unknown_specs
from krm_fn.transform import choose_with, read_written


class RenderedSet(NamedTuple):
    """The objects of a set that are here.

    `settings` is None where its configuration is not known. `chosen`: the objects that the function
    would make revisions with it.
    """

    name: str
    revisions: tuple[Revision, ...]
    emitted: tuple[Item, ...]
    settings: Settings | None
    chosen: tuple[Item, ...]

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
    package = read_package(items, config_id, namespace, kinds=kinds)
    specs = tuple(chain.from_iterable(one.references for one in settings_by_set.values()))
    run = read_written(package, specs, Expansion().read_embedded)
    unknown = [*find_unknown_specs(run)]
    if unknown:
        run = read_written(package, (*specs, *unknown), Expansion().read_embedded)
    return Rendering(run, is_placed, _read_sets(run, settings_by_set))


def _read_sets(run: Run, settings_by_set: Mapping[str, Settings]) -> dict[str, RenderedSet]:
    by_set: dict[str, list[Revision]] = defaultdict(list)
    for revision in run.revisions.rendered:
        by_set[revision.item.labels[keys.SET]].append(revision)
    emitted: dict[str, list[Item]] = defaultdict(list)
    for item in run.package.emitted:
        if keys.SET in item.labels:
            emitted[item.labels[keys.SET]].append(item)
    sets: dict[str, RenderedSet] = {}
    for name in sorted({*by_set, *emitted, *settings_by_set}):
        settings = settings_by_set.get(name)
        sets[name] = RenderedSet(
            name=name,
            revisions=tuple(by_set[name]),
            emitted=tuple(emitted[name]),
            settings=settings,
            chosen=() if settings is None else choose_with(run.survey, settings),
        )
    return sets
