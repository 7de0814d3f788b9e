"""All that is live in a namespace and concerns revisions. Each kind is listed once, for all sets together."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

from krm_fn.history.live_object import Job, LiveObject, Pod, read_job, read_live_object, read_pod, text
from krm_fn.linker.api import Forbidden, NotServed, Refused
from krm_fn.linker.cluster import Configs
from krm_fn.linker.live_cluster import Listed
from krm_fn.linker.objects import Consumer, LiveRevision, Names, Observation
from krm_fn.linker.observe import observe
from krm_fn.linker.owners import rendered_names
from krm_fn.linker.read import linker_arguments, mapping, read_config, read_consumer
from krm_fn.linker.wait import MAX_LOOKUPS, find_broken
from krm_fn.model import keys
from krm_fn.model.kinds import ADD_ON_KINDS, CONSUMER_KINDS, Kind, consumer_named
from krm_fn.model.link_plan import LinkPlan, Unreadable, read_arguments

CONFIG_MAPS = Kind("v1", "ConfigMap", "configmaps")
(_JOBS,) = (kind for kind in CONSUMER_KINDS if kind.kind == "Job")

_TIMEOUT, _MINIMUM_AGE = 300, 600
"""The defaults of `krm-fn link`, for a set without a Job."""


_T = TypeVar("_T")


class ObjectLists(Protocol):
    """The lists of one namespace. It cannot write."""

    @property
    def namespace(self) -> str: ...

    def read(
        self, kind: Kind, read: Callable[[Any], _T | None], *, metadata_only: bool = False, **selectors: str
    ) -> Listed[_T]:
        """List the objects of a kind, and return what `read` takes from them. Raises ApiError."""


class SetSnapshot(NamedTuple):
    """One set: what the linker knows of it, and more.

    `plan` is that of its newest Job, or the default. `bases` are the base names by name. `absent`: the ConfigMaps that
    do not exist though live objects, by uid, need them.
    """

    plan: LinkPlan
    job: Job | None
    observation: Observation
    bases: Mapping[str, str]
    absent: Mapping[str, tuple[str, ...]]


class Snapshot(NamedTuple):
    """What was read. `facts` are by uid. `now` is in Unix seconds.

    `pods` is None without the right to list them. `unseen`: the kinds that could not be listed, and why.
    """

    namespace: str
    sets: tuple[SetSnapshot, ...]
    facts: Mapping[str, LiveObject]
    pods: tuple[Pod, ...] | None
    unseen: Mapping[Kind, Refused]
    now: float


def read_snapshot(source: ObjectLists, set_name: str | None) -> Snapshot:
    """Read all sets, or one. Raises ApiError; Forbidden without the right to list ConfigMaps."""
    configs, now = _read_configs(source, set_name)
    jobs = _read_jobs(source, set_name)
    plans = {name: _plan(name, jobs.get(name)) for name in sorted(configs)}
    names = Names.of(
        {revision.name for one in configs.values() for revision in one.revisions}
        | {revision.name for plan in plans.values() for revision in plan.rendered}
        | {name for one in configs.values() if one.inventory for name in one.inventory.references}
    )
    objects = _LiveObjects(source, names)
    for kind in dict.fromkeys([*CONSUMER_KINDS, *(kind for plan in plans.values() for kind in plan.kinds)]):
        objects.read(kind)
    views = {name: _View(source, configs[name], objects) for name in plans}
    return Snapshot(
        source.namespace,
        tuple(_read_set(plans[name], jobs.get(name), view, objects.facts) for name, view in views.items()),
        objects.facts,
        None if any(kind.kind == "Pod" for kind in objects.unseen) else tuple(objects.pods),
        objects.unseen,
        now or time.time(),
    )


class _Config(NamedTuple):
    """The ConfigMaps of one set."""

    revisions: list[LiveRevision]
    inventory: Consumer | None
    bases: dict[str, str]
    now: float


def _read_configs(source: ObjectLists, set_name: str | None) -> tuple[dict[str, _Config], float]:
    """List the ConfigMaps of all sets, without their content."""
    selector = keys.SET if set_name is None else f"{keys.SET}={set_name}"
    listed = source.read(CONFIG_MAPS, _read_config, metadata_only=True, labelSelector=selector)
    found: dict[str, list[tuple[LiveRevision | Consumer, str]]] = defaultdict(list)
    for name, config, base in listed.items:
        found[name].append((config, base))
    return {
        name: _Config(
            [config for config, _ in pairs if isinstance(config, LiveRevision)],
            next((config for config, _ in pairs if isinstance(config, Consumer)), None),
            {config.name: base for config, base in pairs if isinstance(config, LiveRevision)},
            listed.now,
        )
        for name, pairs in found.items()
    }, listed.now


def _read_config(item: Any) -> tuple[str, LiveRevision | Consumer, str] | None:
    """Read a ConfigMap with the name of its set and its base name."""
    metadata = mapping(mapping(item).get("metadata"))
    name = text(mapping(metadata.get("labels")), keys.SET)
    config = read_config(item, _plan(name, None))
    return config and (name, config, text(mapping(metadata.get("annotations")), keys.BASE_NAME))


def _read_jobs(source: ObjectLists, set_name: str | None) -> dict[str, Job]:
    """Return the newest Job of each set. None at all without the right to list Jobs, which is found out later again."""
    selector = f"{keys.COMPONENT}={keys.LINKER}" + ("" if set_name is None else f",{keys.SET}={set_name}")
    try:
        found = source.read(_JOBS, _read_job, labelSelector=selector).items
    except Refused:
        return {}
    return {job.set: job for job in sorted(found, key=lambda job: (job.created, job.name))}


def _read_job(item: Any) -> Job | None:
    labels = mapping(mapping(mapping(item).get("metadata")).get("labels"))
    template = mapping(mapping(mapping(item).get("spec")).get("template"))
    arguments = linker_arguments(template.get("spec"))
    return read_job(item, text(labels, keys.SET), arguments) if arguments else None


def _plan(set_name: str, job: Job | None) -> LinkPlan:
    """Return the plan that a run of this Job has; the default if there is none, or if somebody has written its own."""
    default = LinkPlan(set=set_name, timeout=_TIMEOUT, minimum_age=_MINIMUM_AGE)
    if job is None:
        return default
    try:
        plan = read_arguments(job.arguments)
    except Unreadable:
        return default
    return plan if plan.set == set_name else default


class _LiveObjects:
    """All objects that may reference revisions of any set."""

    def __init__(self, source: ObjectLists, names: Names) -> None:
        self._source = source
        self._names = names
        self.consumers: dict[Kind, list[Consumer]] = {}
        self.facts: dict[str, LiveObject] = {}
        self.pods: list[Pod] = []
        self.unseen: dict[Kind, Refused] = {}

    def read(self, kind: Kind) -> None:
        """List a kind."""
        try:
            self.consumers[kind] = self._source.read(kind, lambda item: self._read(kind, item)).items
        except NotServed as error:
            if kind in ADD_ON_KINDS:
                self.consumers[kind] = []
            else:
                self.unseen[kind] = error
        except Refused as error:
            self.unseen[kind] = error

    def _read(self, kind: Kind, item: Any) -> Consumer | None:
        consumer = read_consumer(kind, item, self._names)
        if kind.kind == "Pod":
            pod = read_pod(item, self._names)
            if pod is not None and pod.references:
                self.pods.append(pod)
        known = consumer_named(kind.kind)
        if known.template_copy or known.progress or (consumer is not None and consumer.references):
            fact = read_live_object(kind, item, self._names)
            self.facts[fact.uid] = fact
        return consumer


class _View:
    """One set as the linker reads it: a `Reader` of what has been listed."""

    def __init__(self, source: ObjectLists, config: _Config, objects: _LiveObjects) -> None:
        self._source = source
        self._config = config
        self._objects = objects
        self._has: dict[str, bool] = {}

    @property
    def namespace(self) -> str:
        return self._source.namespace

    def configs(self, _: LinkPlan) -> Configs:
        return Configs(self._config.revisions, self._config.inventory, self._config.now)

    @property
    def bases(self) -> Mapping[str, str]:
        return self._config.bases

    def has_config_map(self, name: str) -> bool:
        if name not in self._has:
            found = self._source.read(
                CONFIG_MAPS, lambda item: item, metadata_only=True, fieldSelector=f"metadata.name={name}"
            )
            self._has[name] = bool(found.items)
        return self._has[name]

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        """Return the consumers of this set. Raises Forbidden for a kind that could not be listed."""
        if kind in self._objects.unseen:
            raise Forbidden(kind.plural, str(self._objects.unseen[kind]), "")
        narrowed = (_narrow(consumer, names) for consumer in self._objects.consumers[kind])
        return [consumer for consumer in narrowed if consumer.can_own or consumer.references]


def _narrow(consumer: Consumer, names: Names) -> Consumer:
    """Leave out the names of other sets."""
    references, required = consumer.references & names.known, frozenset(filter(names.are_like, consumer.required))
    return consumer._replace(references=references, required=required)


def _read_set(plan: LinkPlan, job: Job | None, view: _View, facts: Mapping[str, LiveObject]) -> SetSnapshot:
    observation = observe(plan, view)
    return SetSnapshot(plan, job, observation, view.bases, _find_absent(plan, observation, view, facts))


def _find_absent(
    plan: LinkPlan, observation: Observation, view: _View, facts: Mapping[str, LiveObject]
) -> dict[str, tuple[str, ...]]:
    """Find the ConfigMaps that are missing: what the linker reports, and what old ReplicaSets need."""
    absent: dict[str, set[str]] = defaultdict(set)
    for missing in find_broken(observation, view):
        if missing.owner is not None:
            absent[missing.revision].add(missing.owner.uid)
    live = {revision.name for revision in observation.revisions if not revision.is_tracker}
    names = Names.of({*(revision.name for revision in observation.revisions), *rendered_names(plan, observation)})
    needed: dict[str, set[str]] = defaultdict(set)
    for consumer in observation.consumers:
        fact = facts.get(consumer.owner.uid)
        for name in fact.required - live if fact else ():
            if names.are_like(name):
                needed[name].add(consumer.owner.uid)
    for name in sorted(needed)[:MAX_LOOKUPS]:
        if not view.has_config_map(name):
            absent[name] |= needed[name]
    return {name: tuple(sorted(uids)) for name, uids in sorted(absent.items())}
