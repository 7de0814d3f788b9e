"""Read all that is live in a namespace and concerns revisions, as values.

The linker knows what references what. People also want to know about pods, and how far a rollout
is: these are fields of each controller. Each kind is listed once, for all sets together. The
readers accept any JSON, like those of the linker.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

from krm_fn.base import keys
from krm_fn.base.kind import ADD_ON_KINDS, CONSUMER_KINDS, Kind, consumer_named
from krm_fn.base.link_plan import MINIMUM_AGE, TIMEOUT, LinkPlan, Unreadable, read_arguments
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Json
from krm_fn.facts.kinds import HASH_LABELS, REVISION_HISTORY_LIMIT
from krm_fn.linker.api import Forbidden, NotServed, Refused
from krm_fn.linker.cluster import (
    MAX_LOOKUPS,
    Configs,
    ObjectLists,
    find_inventories,
    find_sets,
    kinds_to_list,
    observe,
)
from krm_fn.linker.live_cluster import CONFIG_MAPS, has_config_map
from krm_fn.linker.objects import Consumer, Inventory, LiveRevision, Names, Observation, listed_by
from krm_fn.linker.owners import rendered_names
from krm_fn.linker.read import (
    ALL_SETS,
    below,
    controller_of,
    linker_arguments,
    list_of,
    mapping,
    mappings_in,
    possible_names,
    read_consumer,
    read_of_any_set,
    read_time,
    required_config_maps,
    text_in,
)
from krm_fn.linker.wait import find_broken
from krm_fn.tools.common.kept import count_kept
from krm_fn.tools.common.revision_history import LinkerJob


class LiveObject(NamedTuple):
    """An object that references revisions, or a workload. `created` is in Unix seconds.

    `controller` is the uid of its controller, and `made_by` the kind and name of that; `""` for
    none. `marks` are what its controller and its pods call it: its name, a hash, and `#3` for the
    third. `replicas` are the pods that its status tells. `required`: names of ConfigMaps, like
    those of revisions, without which its pods do not start. `keeps`: of how many earlier templates
    its controller keeps what it made; None if nothing limits that.
    """

    kind: str
    name: str
    uid: str
    created: float
    controller: str = ""
    made_by: tuple[str, str] = ("", "")
    number: int = 0
    marks: frozenset[str] = frozenset()
    replicas: int | None = None
    required: frozenset[str] = frozenset()
    progress: "Progress | None" = None
    keeps: int | None = None


class Progress(NamedTuple):
    """How far a workload is.

    `newest` and `stable` are marks of what its controller created from two templates.

    An empty `newest` stands for the one with the highest number. `stable` is the one that a
    workload returns to; `""` for none. `is_done`: all pods are of the newest. `situation` is a word
    such as `paused`, `""` if there is nothing to say; `reason` is the controller's own. `limit`:
    how many old ones are kept.
    """

    newest: str
    stable: str
    is_done: bool
    limit: int
    situation: str = ""
    reason: str = ""
    is_blue_green: bool = False


class Pod(NamedTuple):
    """A pod that has not ended. `references`: names of revisions, or like them.

    `problem`: why a container waits, such as `CreateContainerConfigError`.
    """

    name: str
    controller: str
    marks: frozenset[str]
    references: frozenset[str]
    is_ready: bool
    problem: str = ""


class SetSnapshot(NamedTuple):
    """One set: what the linker knows of it, and more.

    `plan` is that of the newest Job of what the inventory lists, or the default. `bases` are the
    base names by name. `absent`: the ConfigMaps that do not exist though live objects, by uid, need
    them. `is_shared`: its inventory leaves it to the linker of the namespace.
    """

    plan: LinkPlan
    job: LinkerJob | None
    observation: Observation
    bases: Mapping[str, str]
    absent: Mapping[str, tuple[str, ...]]
    is_shared: bool = False


class Snapshot(NamedTuple):
    """What was read. `objects` are by uid. `now` is in Unix seconds.

    `pods` is None without the right to list them. `unseen`: the kinds that could not be listed, and
    why.
    """

    namespace: str
    sets: tuple[SetSnapshot, ...]
    objects: Mapping[str, LiveObject]
    pods: tuple[Pod, ...] | None
    unseen: Mapping[Kind, Refused]
    now: float


# What a live object says of itself.

_NUMBERS = ("deployment.kubernetes.io/revision", "rollout.argoproj.io/revision")
"""Annotations by controllers on ReplicaSets: the number that `--to-revision` takes."""


_MOST_DIGITS = 18  # Python refuses to read a number of thousands


_ENDED = ("Succeeded", "Failed")


_STARTING = ("ContainerCreating", "PodInitializing")


def read_live_object(kind: Kind, item: Any, names: Names) -> LiveObject:
    """Read an object of this kind. `names` are those of revisions."""
    parts = _Parts.of(item)
    controller = controller_of(parts.metadata)
    number = _number(item, parts)
    read_progress = _PROGRESS.get(consumer_named(kind.kind).progress)
    template = consumer_named(kind.kind).template_copy
    return LiveObject(
        kind.kind,
        parts.name,
        text_in(parts.metadata, "uid"),
        parts.created,
        controller=controller.uid,
        made_by=(controller.kind, controller.name),
        number=number,
        marks=_marks(parts) | ({f"#{number}"} if number else set()),
        replicas=_count(parts.status, "replicas") if kind.kind == "ReplicaSet" else None,
        required=frozenset(
            filter(names.are_like, required_config_maps(template and below(item, template)))
        ),
        progress=read_progress(parts) if read_progress else None,
        keeps=count_kept(kind.kind, {name: _count(parts.spec, name) for name in parts.spec}),
    )


def read_pod(item: Any, names: Names) -> Pod | None:
    """Read a pod; None for one that has ended."""
    parts = _Parts.of(item)
    if parts.status.get("phase") in _ENDED:
        return None
    fields = ("initContainerStatuses", "containerStatuses")
    containers = chain.from_iterable(list_of(parts.status.get(field)) for field in fields)
    reasons = (text_in(below(one, "state.waiting"), "reason") for one in containers)
    return Pod(
        parts.name,
        controller=controller_of(parts.metadata).uid,
        marks=_marks(parts),
        references=frozenset(
            filter(names.are_like, possible_names(mapping(item), has_pod_spec=True))
        ),
        is_ready=_condition(parts.status, "Ready").get("status") == "True",
        problem=next((reason for reason in reasons if reason and reason not in _STARTING), ""),
    )


class _Parts(NamedTuple):
    metadata: Json
    labels: Json
    annotations: Json
    spec: Json
    status: Json

    @classmethod
    def of(cls, item: Any) -> "_Parts":
        paths = ("metadata", "metadata.labels", "metadata.annotations", "spec", "status")
        return cls(*(below(item, path) for path in paths))

    @property
    def name(self) -> str:
        return text_in(self.metadata, "name")

    @property
    def created(self) -> float:
        return read_time(text_in(self.metadata, "creationTimestamp")) or 0.0


def _read_rollout(rollout: _Parts) -> Progress:
    """Read a Rollout. Its status names the hashes of both templates: RolloutStatus in Argo Rollouts' types.go."""
    status = rollout.status
    newest, stable = text_in(status, "currentPodHash"), text_in(status, "stableRS")
    phase = text_in(status, "phase")
    return Progress(
        newest,
        stable,
        is_done=bool(newest) and newest == stable,
        limit=_limit(rollout),
        situation="aborted"
        if status.get("abort") is True
        else ""
        if phase == "Healthy"
        else phase.lower(),
        reason=text_in(status, "message"),
        is_blue_green="blueGreen" in mapping(rollout.spec.get("strategy")),
    )


def _read_deployment(deployment: _Parts) -> Progress:
    """Read a Deployment: done as `kubectl rollout status` has it, or as its controller said when it was.

    The pods of a Deployment that is done may become unready later.
    """
    status = deployment.status
    progressing = _condition(status, "Progressing")
    reason = text_in(progressing, "reason")
    replicas = _count(deployment.spec, "replicas")
    wanted = 1 if replicas is None else replicas
    updated, available, total = (
        _count(status, field) or 0 for field in ("updatedReplicas", "availableReplicas", "replicas")
    )
    has_all = updated >= wanted and total == updated and available >= updated
    is_late = progressing.get("status") == "False"
    number = text_in(deployment.annotations, _NUMBERS[0])
    return Progress(
        f"#{number}" if number else "",
        "",
        is_done=_is_observed(deployment) and (reason == "NewReplicaSetAvailable" or has_all),
        limit=_limit(deployment),
        situation="paused" if deployment.spec.get("paused") is True else "stuck" if is_late else "",
        reason=reason if is_late else "",
    )


def _read_stateful_set(stateful_set: _Parts) -> Progress:
    newest, current = (
        text_in(stateful_set.status, field) for field in ("updateRevision", "currentRevision")
    )
    is_done = newest == current and _is_observed(stateful_set)
    return Progress(newest, "", is_done=is_done, limit=_limit(stateful_set))


def _read_daemon_set(daemon_set: _Parts) -> Progress:
    fields = ("updatedNumberScheduled", "desiredNumberScheduled")
    updated, wanted = (_count(daemon_set.status, field) or 0 for field in fields)
    # Its status names no revision, so that the highest number is the newest.
    return Progress(
        "", "", is_done=updated >= wanted and _is_observed(daemon_set), limit=_limit(daemon_set)
    )


_PROGRESS: dict[str, Callable[[_Parts], Progress]] = {
    "hashes": _read_rollout,
    "replicas": _read_deployment,
    "revisions": _read_stateful_set,
    "scheduled": _read_daemon_set,
}
"""By `progress` of a kind in `facts/kinds.py`."""


def _marks(parts: _Parts) -> frozenset[str]:
    return frozenset(
        filter(None, [parts.name, *(text_in(parts.labels, one) for one in HASH_LABELS)])
    )


def _number(item: Any, parts: _Parts) -> int:
    """Return the number of a ReplicaSet, in an annotation, or of a ControllerRevision, in a field."""
    written = next(filter(None, (text_in(parts.annotations, name) for name in _NUMBERS)), "")
    is_number = written.isdecimal() and len(written) <= _MOST_DIGITS
    return int(written) if is_number else _count(mapping(item), "revision") or 0


def _limit(workload: _Parts) -> int:
    limit = _count(workload.spec, "revisionHistoryLimit")
    return REVISION_HISTORY_LIMIT if limit is None else limit


def _count(fields: Json, name: str) -> int | None:
    value = fields.get(name)  # True is an int to Python, and no number in JSON
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_observed(workload: _Parts) -> bool:
    """Tell whether the status is about the present spec."""
    return (_count(workload.status, "observedGeneration") or 0) >= (
        _count(workload.metadata, "generation") or 0
    )


def _condition(status: Json, kind: str) -> Json:
    conditions = mappings_in(status, "conditions")
    return next((one for one in conditions if one.get("type") == kind), {})


# Read a whole namespace.

(_JOBS,) = (kind for kind in CONSUMER_KINDS if kind.kind == "Job")


_FOR_ALL_SETS = ("--kind=", "--timeout=", "--minimum-age=")


class _SetConfigs(NamedTuple):
    """The ConfigMaps of one set, and the base names of its revisions by name."""

    configs: Configs
    bases: dict[str, str]


class _Objects(NamedTuple):
    """All objects that may reference revisions of any set.

    The other fields are those of a snapshot.
    """

    consumers: dict[Kind, list[Consumer]]
    by_uid: dict[str, LiveObject]
    pods: list[Pod]
    unseen: dict[Kind, Refused]


def read_snapshot(source: ObjectLists, set_name: str | None) -> Snapshot:
    """Read all sets, or one. Raises ApiError; Forbidden without the right to list ConfigMaps."""
    # Revisions first: what is listed after them and does not reference one did not do so when that
    # was read.
    all_sets, now = _read_sets(source)
    sets = {name: one for name, one in all_sets.items() if set_name in (None, name)}
    all_jobs = _read_jobs(source, set_name)
    jobs = _find_jobs(all_jobs, sets)
    shared = _find_shared(all_jobs)
    plans: dict[str, LinkPlan] = {}
    for name, one in sorted(sets.items()):
        if one.configs.is_shared and shared is not None:
            jobs[name], plans[name] = shared, _plan_shared(name, shared)
        else:
            plans[name] = _plan(name, jobs.get(name), one.configs.inventory)
    names: set[str] = set()
    for one in sets.values():
        names |= {revision.name for revision in one.configs.revisions}
        names |= listed_by(one.configs.inventory)
    kinds = dict.fromkeys(CONSUMER_KINDS)  # each once, though several sets may name it
    for name, plan in plans.items():
        # What does not exist yet: pods may wait for it.
        names |= {revision.name for revision in plan.rendered}
        kinds |= dict.fromkeys(kinds_to_list(plan, sets[name].configs.revisions))
    objects = _read_objects(source, kinds, Names.of(names))
    return Snapshot(
        source.namespace,
        tuple(
            _read_set(plan, jobs.get(name), all_sets, source, objects)
            for name, plan in plans.items()
        ),
        objects.by_uid,
        None if any(kind.kind == "Pod" for kind in objects.unseen) else tuple(objects.pods),
        objects.unseen,
        now or time.time(),
    )


def _read_sets(source: ObjectLists) -> tuple[dict[str, _SetConfigs], float]:
    # Without content: it may be large, and names and marks tell everything here.
    listed = source.read(CONFIG_MAPS, _read_config, metadata_only=True, labelSelector=keys.SET)
    configs: dict[str, list[LiveRevision | Inventory]] = defaultdict(list)
    bases: dict[str, str] = {}
    for config, base in listed.items:
        configs[config.set_name].append(config)
        if isinstance(config, LiveRevision):
            bases[config.name] = base
    by_label = {name: Configs.of(of_label, listed.now) for name, of_label in configs.items()}
    nothing = Configs([], None, listed.now)
    sets: dict[str, _SetConfigs] = {}
    for name in find_sets(by_label):
        found = Configs.with_former(name, lambda label: by_label.get(label, nothing))
        of_set = {one.name: bases[one.name] for one in found.revisions}
        sets[name] = _SetConfigs(found, of_set)
    return sets, listed.now


def _read_config(item: Any) -> tuple[LiveRevision | Inventory, str] | None:
    """Read a ConfigMap of any set, with its base name."""
    config = read_of_any_set(item)
    return config and (config, text_in(below(item, "metadata.annotations"), keys.BASE_NAME))


def _read_jobs(source: ObjectLists, set_name: str | None) -> list[LinkerJob]:
    """Return the Jobs of the linkers of these sets, and of the linker of the namespace.

    None at all without the right to list Jobs, which is found out later again.
    """
    selector = f"{keys.COMPONENT}={keys.LINKER}"
    try:
        jobs = source.read(_JOBS, read_job, labelSelector=selector).items
    except Refused:
        return []
    return [one for one in jobs if set_name is None or one.set in ("", set_name)]


def _find_shared(jobs: Iterable[LinkerJob]) -> LinkerJob | None:
    """Return the newest Job of the linker of the namespace. Its CronJob keeps the last ones."""
    of_namespace = [one for one in jobs if ALL_SETS in one.arguments]
    return max(of_namespace, key=lambda one: (one.created, one.name), default=None)


def _plan_shared(set_name: str, job: LinkerJob) -> LinkPlan:
    """Return the plan for one set: the limits and kinds for all of them."""
    given = [one for one in job.arguments if one.startswith(_FOR_ALL_SETS)]
    for default in (f"--timeout={TIMEOUT}", f"--minimum-age={MINIMUM_AGE}"):
        if not any(one.startswith(default.partition("=")[0]) for one in given):
            given.append(default)
    with suppress(Unreadable):
        plan = read_arguments([f"--set={set_name}", *given])
        return plan._replace(lists_marked=False)
    return _default_plan(set_name)


def _find_jobs(jobs: Iterable[LinkerJob], sets: Mapping[str, _SetConfigs]) -> dict[str, LinkerJob]:
    """Return the newest Job of each set, of those whose rendering the inventory lists if there are any.

    After a revert with kubectl, the Job of what was reverted is still there, and is the newest.
    """
    found: dict[str, LinkerJob] = {}
    ranks: dict[str, tuple[bool, float, str]] = {}
    for job in jobs:
        if job.set in sets and sets[job.set].configs.is_shared:
            continue  # it is left over, and its plan says nothing any more
        inventory = sets[job.set].configs.inventory if job.set in sets else None
        rank = (_is_listed(_read_plan(job), inventory), job.created, job.name)
        if job.set not in found or rank > ranks[job.set]:
            found[job.set], ranks[job.set] = job, rank
    return found


def _is_listed(plan: LinkPlan, inventory: Inventory | None) -> bool:
    """Tell whether the inventory lists what was rendered with this plan.

    Without one, nothing says otherwise.
    """
    if inventory is None or inventory.is_being_deleted:
        return True
    return inventory.references.issuperset(revision.name for revision in plan.rendered)


def read_job(item: Any) -> LinkerJob | None:
    """Read the Job of a linker; None for any other."""
    arguments = linker_arguments(below(item, _JOBS.pod_spec))
    if not arguments:
        return None
    parts = _Parts.of(item)
    complete, failed = (_condition(parts.status, kind) for kind in ("Complete", "Failed"))
    has_failed = failed.get("status") == "True"
    ended = failed if has_failed else complete if complete.get("status") == "True" else {}
    failure = (text_in(failed, "reason") or "failed") if has_failed else ""
    ended_at = read_time(text_in(ended, "lastTransitionTime"))
    set_name = text_in(parts.labels, keys.SET)
    return LinkerJob(parts.name, parts.created, ended_at, failure, set_name, arguments)


def _plan(set_name: str, job: LinkerJob | None, inventory: Inventory | None) -> LinkPlan:
    """Return the plan that a run of this Job has; the default if there is none.

    What it says to be rendered does not count if the inventory says otherwise: another rendering
    has superseded it.
    """
    plan = _read_plan(job) if job is not None else _default_plan(set_name)
    return (
        plan
        if _is_listed(plan, inventory)
        else plan._replace(workloads=(), revisions=(), producers=())
    )


def _read_plan(job: LinkerJob) -> LinkPlan:
    """Read the plan of a Job; the default if somebody has written one by hand."""
    with suppress(Unreadable):
        plan = read_arguments(job.arguments)
        if plan.set == job.set:
            return plan
    return _default_plan(job.set)


def _default_plan(set_name: str) -> LinkPlan:
    return LinkPlan(set=set_name, timeout=TIMEOUT, minimum_age=MINIMUM_AGE)


def _read_objects(source: ObjectLists, kinds: Iterable[Kind], names: Names) -> _Objects:
    found = _Objects({}, {}, [], {})
    for kind in kinds:
        try:
            found.consumers[kind] = source.read(
                kind, partial(_read_object, found, kind, names)
            ).items
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
    # Workloads and templates count without a reference too: their numbers say which of them is the
    # way back, and their limits how many revisions stay.
    known = consumer_named(kind.kind)
    is_known = known.template_copy or known.progress or known.keeps
    if is_known or (consumer is not None and consumer.references):
        one = read_live_object(kind, item, names)
        found.by_uid[one.uid] = one
    return consumer


class _View:
    """One set as the linker reads it: a `Reader` of what has been listed."""

    def __init__(
        self, source: ObjectLists, sets: Mapping[str, _SetConfigs], objects: _Objects
    ) -> None:
        self._source = source
        self._sets = sets
        self._objects = objects
        self._has: dict[str, bool] = {}

    @property
    def namespace(self) -> str:
        return self._source.namespace

    def configs(self, plan: LinkPlan) -> Configs:
        return self._sets[plan.set].configs

    def revision(self, name: str) -> LiveRevision | None:
        revisions = chain.from_iterable(one.configs.revisions for one in self._sets.values())
        return next((one for one in revisions if one.name == name), None)

    def inventories(self) -> list[Inventory]:
        return find_inventories(one.configs for one in self._sets.values())

    def has_config_map(self, name: str) -> bool:
        if name not in self._has:
            self._has[name] = has_config_map(self._source, name)
        return self._has[name]

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        """Return the consumers of this set.

        Raises Forbidden for a kind that could not be listed.
        """
        if kind in self._objects.unseen:
            raise Forbidden(kind.plural, str(self._objects.unseen[kind]), "")
        # A pod that its controller speaks for counts only with a name of this set, as when the
        # linker lists it.
        narrowed = (consumer.narrowed(names) for consumer in self._objects.consumers[kind])
        return [consumer for consumer in narrowed if consumer.can_own or consumer.references]


def _read_set(
    plan: LinkPlan,
    job: LinkerJob | None,
    sets: Mapping[str, _SetConfigs],
    source: ObjectLists,
    objects: _Objects,
) -> SetSnapshot:
    one = sets[plan.set]
    view = _View(source, sets, objects)
    observation = observe(plan, view)
    return SetSnapshot(
        plan,
        job,
        observation,
        one.bases,
        _find_absent(plan, observation, view, objects.by_uid),
        one.configs.is_shared,
    )


def _find_absent(
    plan: LinkPlan, observation: Observation, view: _View, by_uid: Mapping[str, LiveObject]
) -> dict[str, tuple[str, ...]]:
    """Find the ConfigMaps that are missing: what the linker reports, and what old ReplicaSets need."""
    absent: dict[str, set[str]] = defaultdict(set)
    for missing in find_broken(observation, view):
        if missing.owner is not None:
            absent[missing.revision].add(missing.owner.uid)
    # The linker asks only for what is wanted now. Old ReplicaSets are the way back, which has to
    # exist as well.
    live = {revision.name for revision in observation.existing if not revision.is_tracker}
    names = Names.of(
        {*(revision.name for revision in observation.revisions), *rendered_names(plan, observation)}
    )
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
