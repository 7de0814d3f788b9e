"""Plan what the linker's Jobs do: which objects wait for which, and what each revision is used by."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from krm_fn.base.deployer import first_wave, is_hook, wave_of, wave_order
from krm_fn.base.item import Item
from krm_fn.base.kind import ADD_ON_KINDS, CONSUMER_KINDS, Kinds, kind_of
from krm_fn.base.link_plan import JobPlan, LinkPlan, ProducerName, RevisionName, Workload
from krm_fn.base.problem import ResourceId
from krm_fn.base.settings import Settings
from krm_fn.core.decide.package import Package
from krm_fn.core.decide.revisions import Consumers, Revision
from krm_fn.core.references.reference import Reference


def plan_links(
    revisions: Iterable[Revision],
    consumers: Consumers,
    package: Package,
    settings: Settings,
    names: Mapping[Item, str] = MappingProxyType({}),
) -> list[JobPlan]:
    """Plan one Job for each namespace and wave that has consumers of revisions.

    `names`: the new names of consumers that are renamed themselves.
    """
    kinds = package.kinds
    requested = {kinds.of(who) for who in requested_kinds(settings)}
    with_add_ons = _with_add_ons(package)
    linked = list(revisions)
    revisions_of = _by_consumer(linked, consumers)
    producers = _producers(linked, consumers, package)
    revised: dict[str, list[Item]] = defaultdict(list)
    for revision in linked:
        revised[package.namespace_of(revision.item)].append(revision.item)
    by_namespace: dict[str, list[Item]] = defaultdict(list)
    for consumer in revisions_of:
        by_namespace[package.namespace_of(consumer)].append(consumer)
    groups = []
    for known_namespace, of_namespace in sorted(by_namespace.items()):
        # Where no consumer sets a namespace, the linker's objects set none either.
        namespace = known_namespace if any(consumer.id.namespace for consumer in of_namespace) else ""
        rendered = set().union(*(revisions_of[consumer] for consumer in of_namespace))
        other_kinds = (requested | {kinds.of(consumer.id) for consumer in of_namespace}) - set(CONSUMER_KINDS)
        # Nobody can grant what they lack: without Argo Rollouts, an administrator has no right to list its kinds.
        has_add_ons = known_namespace in with_add_ons or not requested.isdisjoint(ADD_ON_KINDS)
        known_kinds = [kind for kind in CONSUMER_KINDS if has_add_ons or kind not in ADD_ON_KINDS]
        by_wave: dict[str, list[Item]] = defaultdict(list)
        for consumer in of_namespace:
            by_wave[wave_of(consumer)].append(consumer)
        in_order = sorted(by_wave.items(), key=lambda pair: wave_order(pair[0]))
        first = first_wave(in_order[0][0], revised[known_namespace])
        for wave, of_wave in in_order:
            workloads = [
                _workload(one, kinds, names.get(one, one.id.name), revisions_of[one])
                for one in of_wave
                if _is_waited_for(one)
            ]
            referenced = set().union(*(workload.revisions for workload in workloads))
            plan = LinkPlan(
                set=settings.set,
                workloads=tuple(sorted(workloads)),
                # Each Job knows all that is rendered in its namespace: it must not delete what another wave needs.
                revisions=tuple(sorted(rendered - referenced)),
                producers=tuple(sorted(producers.get(known_namespace, ()))),
                kinds=tuple(sorted(other_kinds)),
                timeout=settings.linker.timeout_seconds,
                minimum_age=settings.linker.minimum_age_seconds,
            )
            groups.append(JobPlan(namespace, wave, plan, (*known_kinds, *plan.kinds), first))
    return groups


def requested_kinds(settings: Settings) -> list[ResourceId]:
    """Return `spec.linker.kinds`, each as the id of an object without a name."""
    pairs = (text.rpartition("/") for text in settings.linker.kinds)
    return [ResourceId(api_version, kind, "", "") for api_version, _, kind in pairs]


def _with_add_ons(package: Package) -> set[str]:
    """Return the namespaces for which the package holds objects of Argo Rollouts."""
    groups = {kind.group for kind in ADD_ON_KINDS}
    candidates = [item for item in package.authored if item.id.group in groups and not item.is_local]
    return {package.namespace_of(item) for item in candidates if package.kinds.of(item.id) in ADD_ON_KINDS}


def _by_consumer(revisions: Iterable[Revision], consumers: Consumers) -> dict[Item, set[RevisionName]]:
    names: dict[Item, set[RevisionName]] = defaultdict(set)
    for revision in revisions:
        for resolved in consumers.get(revision.item, []):
            names[resolved.referrer].add(tracked_name(revision, resolved.reference))
    return names


def _producers(revisions: Iterable[Revision], consumers: Consumers, package: Package) -> dict[str, list[ProducerName]]:
    """Return the producers among the revisions, by namespace, each with the names that something references."""
    producers: dict[str, list[ProducerName]] = defaultdict(list)
    for revision in revisions:
        names = tracked_names(revision, consumers)
        if names and not revision.item.is_config:
            kind = package.kinds.of(revision.item.id)
            producers[package.namespace_of(revision.item)].append(ProducerName(kind, revision.name, names))
    return producers


def tracked_names(revision: Revision, consumers: Consumers) -> tuple[RevisionName, ...]:
    """Return the names under which something references a revision, or what it makes."""
    return tuple(sorted({tracked_name(revision, one.reference) for one in consumers.get(revision.item, ())}))


def tracked_name(revision: Revision, reference: Reference) -> RevisionName:
    """Return what the linker tracks for a reference. A Secret stands for its producer where both have one name."""
    meant = revision.meant_by(reference)
    if meant.name in map(revision.name_of, revision.generated):
        return RevisionName("Secret", meant.name)
    return RevisionName(meant.kind, meant.name)


def _workload(consumer: Item, kinds: Kinds, name: str, revisions: set[RevisionName]) -> Workload:
    kind = kinds.of(consumer.id)
    return Workload(kind.api_version, kind.kind, name, tuple(sorted(revisions)))


def _is_waited_for(consumer: Item) -> bool:
    """Tell whether the live object will say what its manifest says, sooner or later. Hooks and Jobs may never do so."""
    kind = kind_of(consumer)
    is_immutable = kind is not None and kind.is_immutable
    return bool(consumer.id.name) and not is_hook(consumer) and not is_immutable
