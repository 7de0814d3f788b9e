"""What is about to be applied, read as it is: its revisions, and the references to them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.link_plan import Unreadable
from krm_fn.base.node import elements, get, text
from krm_fn.base.problem import ResourceId
from krm_fn.base.settings import Settings, Strategy
from krm_fn.core.decide.choice import Choices
from krm_fn.core.decide.choose import choose
from krm_fn.core.decide.mark import find_consumers
from krm_fn.core.decide.package import Package, is_of_chart, read_package
from krm_fn.core.decide.revisions import Consumers, Revision, Revisions
from krm_fn.core.names.names import base_name, hash_in_name, is_emitted, is_revision
from krm_fn.core.references.embedded import find_embedded
from krm_fn.core.references.generated import find_generated
from krm_fn.core.references.references import Authored, References, find_authored
from krm_fn.core.references.resolve import Index
from krm_fn.core.yaml.reader import embedded_reader
from krm_fn.extras.mounts.plan_mounts import read_mounts
from krm_fn.guards.early_readers import find_early_readers
from krm_fn.guards.guards import find_guards
from krm_fn.tools.verify.check_job import read_plan


class Configured(NamedTuple):
    """What a configuration says about the objects, as if the function ran now."""

    settings: Settings
    references: References
    choices: Choices


class RenderedSet(NamedTuple):
    """What is here of a set. `configured` is None where its configuration is not known.

    `is_marked`: its revisions and trackers have the mark `wanted`, which version 0.1.0 did not write.
    """

    name: str
    revisions: tuple[Revision, ...]
    emitted: tuple[Item, ...]
    configured: Configured | None
    is_marked: bool


class Rendering(NamedTuple):
    """The objects, and the sets among them by name. `revisions` are those of all sets, under their present names.

    `consumers`: the references to each of them whose referrers the linker will see. `is_placed`: somebody has said
    where objects without a namespace will be applied.
    """

    package: Package
    references: References
    revisions: Revisions
    consumers: Consumers
    is_placed: bool
    sets: Mapping[str, RenderedSet]


def read_rendering(
    items: Collection[Item], settings_by_set: Mapping[str, Settings], config_id: ResourceId | None, namespace: str
) -> Rendering:
    """Read the objects. `settings_by_set`: the known configurations. `config_id`: the functionConfig.

    `namespace` is that of objects that set none. If it is empty, a configuration or the linker's objects may say it.
    """
    is_placed = bool(namespace) or any(settings.linker.namespace for settings in settings_by_set.values())
    namespace = namespace or find_default_namespace(items, settings_by_set.values())
    kinds = frozenset(chain.from_iterable(settings.kinds for settings in settings_by_set.values()))
    # Which objects a chart makes anew, and so the function leaves alone, nobody can see in one rendering of it.
    generated = {item: True for item in items if is_of_chart(item) and not is_revision(item)}
    package = read_package(items, config_id, namespace, generated, kinds)
    index, authored = read_written(package, settings_by_set.values())
    references = References(
        package.authored,
        index,
        authored=authored,
        mounted=[],
        embedded=find_embedded(package.configs, index, embedded_reader()),
    )
    revisions = Revisions(_read_revision(item) for item in package.configs if is_revision(item))
    configured = {name: _configure(package, references, settings) for name, settings in settings_by_set.items()}
    return Rendering(
        package=package,
        references=references,
        revisions=revisions,
        consumers=find_consumers(package, references, revisions, Settings()),
        is_placed=is_placed,
        sets=_read_sets(package, revisions, configured),
    )


def read_written(package: Package, settings: Iterable[Settings]) -> tuple[Index, Authored]:
    """Read the references that are written in what is about to be applied.

    What an earlier run wrote for mounts counts too: it is applied as it is.
    """
    index = Index(package.configs, package.kinds, package.namespace)
    specs = tuple(chain.from_iterable(one.references for one in settings))
    return index, find_authored(package.authored, index, specs, but=())


def find_default_namespace(items: Collection[Item], configured: Iterable[Settings]) -> str:
    """Find the namespace of objects that set none, as far as the function has left a trace of it."""
    emitted = [item for item in items if is_emitted(item)]
    by_config = (settings.linker.namespace or "" for settings in configured)
    return next(filter(None, chain(by_config, _subject_namespaces(emitted), _planned_namespaces(items, emitted))), "")


def _subject_namespaces(emitted: Iterable[Item]) -> Iterator[str]:
    """Yield what RoleBindings without a namespace say about that of their ServiceAccount."""
    for item in emitted:
        if item.id.kind == "RoleBinding" and not item.id.namespace:
            yield from (text(get(subject, "namespace")) for subject in elements(get(item.node, "subjects")))


def _planned_namespaces(items: Iterable[Item], emitted: Iterable[Item]) -> Iterator[str]:
    """Yield the namespaces of Jobs whose plan speaks of objects that set none."""
    namespaces: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        namespaces[item.id.kind, item.id.name].add(item.id.namespace)
    for job in emitted:
        try:
            plan, _ = read_plan(job)
        except Unreadable:
            continue
        own = job.id.namespace
        planned = {(one.kind, one.name) for one in plan.workloads}
        planned |= {(one.kind, one.name) for one in plan.rendered}
        found = [namespaces[one] for one in planned]
        if own and any("" in of_name and own not in of_name for of_name in found):
            yield own


def _read_revision(item: Item) -> Revision:
    strategy = Strategy.RENAME if hash_in_name(item) else Strategy.ADOPT
    return Revision(item, base_name(item), item.id.name, strategy, tuple(find_generated(item)))


def _configure(package: Package, references: References, settings: Settings) -> Configured:
    """Choose as the function does: what it mounts counts as a reference."""
    mounts = read_mounts(package.authored, references.index, settings, package.config_id)
    own = mounts.own_texts
    with_mounts = References(
        package.authored,
        references.index,
        authored=Authored([one for one in references.authored if one.reference.name not in own], []),
        mounted=mounts.references,
        embedded=references.embedded,
    )
    early = find_early_readers(with_mounts, settings.deployers)
    guards = find_guards(package, with_mounts, early, settings)
    choices = choose(package, with_mounts, guards, settings)
    return Configured(settings=settings, references=with_mounts, choices=choices)


def _read_sets(package: Package, revisions: Revisions, configured: Mapping[str, Configured]) -> dict[str, RenderedSet]:
    by_set: dict[str, list[Revision]] = defaultdict(list)
    for revision in revisions.rendered:
        by_set[revision.item.labels[keys.SET]].append(revision)
    emitted: dict[str, list[Item]] = defaultdict(list)
    for item in package.emitted:
        if keys.SET in item.labels:
            emitted[item.labels[keys.SET]].append(item)
    sets: dict[str, RenderedSet] = {}
    for name in sorted({*by_set, *emitted, *configured}):
        items = [revision.item for revision in by_set[name]] + emitted[name]
        sets[name] = RenderedSet(
            name=name,
            revisions=tuple(by_set[name]),
            emitted=tuple(emitted[name]),
            configured=configured.get(name),
            is_marked=any(keys.WANTED in item.annotations for item in items),
        )
    return sets
