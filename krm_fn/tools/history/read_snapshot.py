"""Read all that is live in a namespace and concerns revisions. Each kind is listed once, for all sets together."""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from krm_fn.base import keys
from krm_fn.base.kind import ADD_ON_KINDS, CONSUMER_KINDS, Kind, consumer_named
from krm_fn.base.link_plan import LinkPlan, Unreadable, read_arguments
from krm_fn.linker.api import Forbidden, NotServed, Refused
from krm_fn.linker.cluster import Configs, ObjectLists, observe
from krm_fn.linker.live_cluster import CONFIG_MAPS, has_config_map
from krm_fn.linker.objects import Consumer, LiveRevision, Names, Observation
from krm_fn.linker.owners import rendered_names
from krm_fn.linker.read import (
    below,
    linker_arguments,
    read_consumer,
    read_of_set,
    text_in,
)
from krm_fn.linker.wait import MAX_LOOKUPS, find_broken
from krm_fn.tools.history.progress import read_job, read_live_object, read_pod
from krm_fn.tools.history.revision_history import LinkerJob
from krm_fn.tools.history.snapshot import LiveObject, Pod, SetSnapshot, Snapshot

(_JOBS,) = (kind for kind in CONSUMER_KINDS if kind.kind == "Job")


_TIMEOUT, _MINIMUM_AGE = 300, 600
"""The defaults of `krm-fn link`, for a set without a Job."""


class _SetConfigs(NamedTuple):
    """The ConfigMaps of one set, and the base names of its revisions by name."""

    configs: Configs
    bases: dict[str, str]


class _Objects(NamedTuple):
    """All objects that may reference revisions of any set. The other fields are those of a snapshot."""

    consumers: dict[Kind, list[Consumer]]
    by_uid: dict[str, LiveObject]
    pods: list[Pod]
    unseen: dict[Kind, Refused]


def read_snapshot(source: ObjectLists, set_name: str | None) -> Snapshot:
    """Read all sets, or one. Raises ApiError; Forbidden without the right to list ConfigMaps."""
    # Revisions first: what is listed after them and does not reference one did not do so when that was read.
    sets, now = _read_sets(source, set_name)
    jobs = _find_jobs(_read_jobs(source, set_name), sets)
    plans = {name: _plan(name, jobs.get(name), one.configs.inventory) for name, one in sorted(sets.items())}
    names: set[str] = set()
    for one in sets.values():
        names |= {revision.name for revision in one.configs.revisions}
        names |= one.configs.inventory.references if one.configs.inventory else frozenset()
    kinds = dict.fromkeys(CONSUMER_KINDS)  # each once, though several sets may name it
    for plan in plans.values():
        names |= {revision.name for revision in plan.rendered}  # what does not exist yet: pods may wait for it
        kinds |= dict.fromkeys(plan.kinds)
    objects = _read_objects(source, kinds, Names.of(names))
    return Snapshot(
        source.namespace,
        tuple(_read_set(plan, jobs.get(name), sets[name], source, objects) for name, plan in plans.items()),
        objects.by_uid,
        None if any(kind.kind == "Pod" for kind in objects.unseen) else tuple(objects.pods),
        objects.unseen,
        now or time.time(),
    )


def _read_sets(source: ObjectLists, set_name: str | None) -> tuple[dict[str, _SetConfigs], float]:
    # Without content: it may be large, and names and marks tell everything here.
    selector = keys.SET if set_name is None else f"{keys.SET}={set_name}"
    listed = source.read(CONFIG_MAPS, _read_config, metadata_only=True, labelSelector=selector)
    configs: dict[str, list[LiveRevision | Consumer]] = defaultdict(list)
    bases: dict[str, dict[str, str]] = defaultdict(dict)
    for name, config, base in listed.items:
        configs[name].append(config)
        if isinstance(config, LiveRevision):
            bases[name][config.name] = base
    sets = {name: _SetConfigs(Configs.of(of_set, listed.now), bases[name]) for name, of_set in configs.items()}
    return sets, listed.now


def _read_config(item: Any) -> tuple[str, LiveRevision | Consumer, str] | None:
    """Read a ConfigMap with the name of its set and its base name."""
    name = text_in(below(item, "metadata.labels"), keys.SET)
    config = read_of_set(item, _default_plan(name))
    return config and (name, config, text_in(below(item, "metadata.annotations"), keys.BASE_NAME))


def _read_jobs(source: ObjectLists, set_name: str | None) -> list[LinkerJob]:
    """Return the Jobs of linkers. None at all without the right to list Jobs, which is found out later again."""
    selector = f"{keys.COMPONENT}={keys.LINKER}" + ("" if set_name is None else f",{keys.SET}={set_name}")
    try:
        return source.read(_JOBS, _read_linker_job, labelSelector=selector).items
    except Refused:
        return []


def _find_jobs(jobs: Iterable[LinkerJob], sets: Mapping[str, _SetConfigs]) -> dict[str, LinkerJob]:
    """Return the newest Job of each set, of those whose rendering the inventory lists if there are any.

    After a revert with kubectl, the Job of what was reverted is still there, and is the newest.
    """
    found: dict[str, LinkerJob] = {}
    ranks: dict[str, tuple[bool, float, str]] = {}
    for job in jobs:
        inventory = sets[job.set].configs.inventory if job.set in sets else None
        rank = (_is_listed(_read_plan(job), inventory), job.created, job.name)
        if job.set not in found or rank > ranks[job.set]:
            found[job.set], ranks[job.set] = job, rank
    return found


def _is_listed(plan: LinkPlan, inventory: Consumer | None) -> bool:
    """Tell whether the inventory lists what was rendered with this plan. Without one, nothing says otherwise."""
    if inventory is None or inventory.is_being_deleted:
        return True
    return inventory.references.issuperset(revision.name for revision in plan.rendered)


def _read_linker_job(item: Any) -> LinkerJob | None:
    arguments = linker_arguments(below(item, _JOBS.pod_spec))
    return read_job(item, text_in(below(item, "metadata.labels"), keys.SET), arguments) if arguments else None


def _plan(set_name: str, job: LinkerJob | None, inventory: Consumer | None) -> LinkPlan:
    """Return the plan that a run of this Job has; the default if there is none.

    What it says to be rendered does not count if the inventory says otherwise: another rendering has superseded it.
    """
    plan = _read_plan(job) if job is not None else _default_plan(set_name)
    return plan if _is_listed(plan, inventory) else plan._replace(workloads=(), revisions=(), producers=())


def _read_plan(job: LinkerJob) -> LinkPlan:
    """Read the plan of a Job; the default if somebody has written one by hand."""
    with suppress(Unreadable):
        plan = read_arguments(job.arguments)
        if plan.set == job.set:
            return plan
    return _default_plan(job.set)


def _default_plan(set_name: str) -> LinkPlan:
    return LinkPlan(set=set_name, timeout=_TIMEOUT, minimum_age=_MINIMUM_AGE)


def _read_objects(source: ObjectLists, kinds: Iterable[Kind], names: Names) -> _Objects:
    found = _Objects({}, {}, [], {})
    for kind in kinds:
        try:
            found.consumers[kind] = source.read(kind, partial(_read_object, found, kind, names)).items
        except Refused as error:
            if isinstance(error, NotServed) and kind in ADD_ON_KINDS:
                found.consumers[kind] = []  # what is not installed has no objects
            else:
                found.unseen[kind] = error
    return found


def _read_object(found: _Objects, kind: Kind, names: Names, item: Any) -> Consumer | None:
    consumer = read_consumer(kind, item, names)
    if kind.kind == "Pod":
        pod = read_pod(item, names)
        if pod is not None and pod.references:
            found.pods.append(pod)
    # Workloads and templates count without a reference too: their numbers say which of them is the way back.
    known = consumer_named(kind.kind)
    if known.template_copy or known.progress or (consumer is not None and consumer.references):
        one = read_live_object(kind, item, names)
        found.by_uid[one.uid] = one
    return consumer


class _View:
    """One set as the linker reads it: a `Reader` of what has been listed."""

    def __init__(self, source: ObjectLists, configs: Configs, objects: _Objects) -> None:
        self._source = source
        self._configs = configs
        self._objects = objects
        self._has: dict[str, bool] = {}

    @property
    def namespace(self) -> str:
        return self._source.namespace

    def configs(self, _: LinkPlan) -> Configs:
        return self._configs

    def has_config_map(self, name: str) -> bool:
        if name not in self._has:
            self._has[name] = has_config_map(self._source, name)
        return self._has[name]

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        """Return the consumers of this set. Raises Forbidden for a kind that could not be listed."""
        if kind in self._objects.unseen:
            raise Forbidden(kind.plural, str(self._objects.unseen[kind]), "")
        # A pod that its controller speaks for counts only with a name of this set, as when the linker lists it.
        narrowed = (consumer.narrowed(names) for consumer in self._objects.consumers[kind])
        return [consumer for consumer in narrowed if consumer.can_own or consumer.references]


def _read_set(
    plan: LinkPlan, job: LinkerJob | None, one: _SetConfigs, source: ObjectLists, objects: _Objects
) -> SetSnapshot:
    view = _View(source, one.configs, objects)
    observation = observe(plan, view)
    return SetSnapshot(plan, job, observation, one.bases, _find_absent(plan, observation, view, objects.by_uid))


def _find_absent(
    plan: LinkPlan, observation: Observation, view: _View, by_uid: Mapping[str, LiveObject]
) -> dict[str, tuple[str, ...]]:
    """Find the ConfigMaps that are missing: what the linker reports, and what old ReplicaSets need."""
    absent: dict[str, set[str]] = defaultdict(set)
    for missing in find_broken(observation, view):
        if missing.owner is not None:
            absent[missing.revision].add(missing.owner.uid)
    # The linker asks only for what is wanted now. Old ReplicaSets are the way back, which has to exist as well.
    live = {revision.name for revision in observation.revisions if not revision.is_tracker}
    names = Names.of({*(revision.name for revision in observation.revisions), *rendered_names(plan, observation)})
    needed: dict[str, set[str]] = defaultdict(set)
    for consumer in observation.consumers:
        found = by_uid.get(consumer.owner.uid)
        for name in found.required - live if found else ():
            if names.are_like(name):
                needed[name].add(consumer.owner.uid)
    for name in sorted(needed)[:MAX_LOOKUPS]:  # each is a request
        if not view.has_config_map(name):
            absent[name] |= needed[name]
    return {name: tuple(sorted(uids)) for name, uids in sorted(absent.items())}
