"""Emit the objects that run the linker.

There is one Job for each namespace and sync wave. The Jobs share permissions, an inventory and
trackers in their namespace. The arguments of a Job are its plan: which objects it waits for, and
which objects use each revision. With `spec.linker.run: shared` there is no Job (decision 83).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, groupby
from types import MappingProxyType

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Object
from krm_fn.base.item import Item, about, collect, warning
from krm_fn.base.kind import (
    ADD_ON_KINDS,
    CONSUMER_KINDS,
    Kind,
    find_made,
    first_wave,
    is_hook,
    is_making_known,
    kind_of,
    wave_of,
    wave_order,
)
from krm_fn.base.link_plan import (
    JobPlan,
    LinkPlan,
    ProducerName,
    RevisionName,
    Workload,
    merge_plans,
)
from krm_fn.base.problem import Problem, Problems, ResourceId, Severity, listing
from krm_fn.base.reference import Reference
from krm_fn.base.settings import Environment, LinkerRun, Settings
from krm_fn.core.decide.name import find_consumers, find_holding, marks_for_linker
from krm_fn.core.decide.run import Consumers, Package, Revision, Run
from krm_fn.core.names.names import authored_id
from krm_fn.extras.judge_linker import (
    DEFAULT_IMAGE,
    judge_jobs,
    judge_name,
    judge_objects,
    requested_kinds,
)
from krm_fn.extras.linker_objects import (
    access,
    build_account_rules,
    cron_job,
    inventory,
    job,
    needs_binding,
    pod_labels,
    tracker,
)
from krm_fn.extras.upsert import upsert
from krm_fn.facts.kinds import RUNS

_DISABLED = Problem(
    "spec.linker.enabled is false: revisions are protected from pruning, and nothing ever deletes them",
    severity=Severity.INFO,
)
_NO_SECRETS = Problem(
    "spec.linker.secrets is false: Secret revisions are retained, and nothing ever deletes them",
    severity=Severity.INFO,
)
_NO_NAMESPACE = Problem(
    "no linker, so nothing deletes old revisions: its RoleBinding needs a namespace, and the workloads set none; "
    "set metadata.namespace (in kustomize `namespace:`), or spec.linker.namespace",
    severity=Severity.WARNING,
)


def emit_linker(run: Run) -> Run:
    """Put the objects into the package, in place of those of an earlier run.

    Report revisions that nothing links.
    """
    settings, rendered = run.settings, run.revisions.rendered
    own = [
        item
        for item in run.package.emitted
        if item.labels.get(keys.SET) in settings.own_sets and not is_hook(item)
    ]
    if not settings.linker.enabled:
        return run.add(upsert(own, []) + Changes(problems=(_DISABLED,) if rendered else ()))
    wanted, problems = _wanted(run)
    if own and not rendered:
        # Names that came back are what a configuration wants. Without them, something else has lost
        # the revisions.
        severity = Severity.INFO if run.revisions.restored else Severity.WARNING
        of_set = own[0].labels[keys.SET]
        message = f"the linker of set {of_set} is removed from the package: no object is a revision any more"
        problems.append(about(own[0], message, severity=severity))
    return run.add(upsert(own, wanted) + Changes(problems=tuple(problems)))


def _wanted(run: Run) -> tuple[list[Object], list[Problem]]:
    package, settings, environment = run.package, run.settings, run.environment
    rendered, new_names = run.revisions.rendered, run.revisions.names
    linker = SetLinker(rendered, run.consumers, package, settings, new_names)
    groups, problems = linker.jobs, linker.problems
    # A RoleBinding must name the namespace of its ServiceAccount; an account of the author's has a
    # binding already.
    placed = [
        group
        for group in groups
        if _namespace(group, settings, environment) or not needs_binding(group, settings)
    ]
    trackers = linker.build_trackers(linker.rendered, placed)
    wanted = [*trackers, *_objects(placed, settings, environment)]
    if len(placed) < len(groups):
        problems.append(_NO_NAMESPACE)
    has_secrets = any(revision.id.kind == "Secret" for revision in rendered)
    if has_secrets and not settings.linker.secrets:
        problems.append(_NO_SECRETS)
    if wanted:
        problems += judge_name(settings, environment.unread)
    if any(group.has_job for group in placed) and not settings.linker.is_shared:
        problems += judge_jobs(run)
        problems += _judge_policies(package, placed, settings)
    problems += _report_unread(run)
    problems += _report_unknown(run)
    return wanted, [*problems, *judge_objects(run, placed, wanted)]


def _objects(
    groups: list[JobPlan], settings: Settings, environment: Environment
) -> Iterator[Object]:
    image = settings.linker.image or environment.image or DEFAULT_IMAGE
    for _, same in groupby(groups, key=lambda group: group.namespace):
        first, *others = same
        yield inventory(first, settings)
        if not first.has_job:
            continue
        namespace = _namespace(first, settings, environment)
        yield from access(first, settings, namespace)
        if settings.linker.is_shared:
            continue  # the linker of the namespace runs for this set, too
        if settings.linker.schedule is not None:
            yield cron_job(merge_plans((first, *others)), settings, namespace, image)
        yield from (job(group, settings, image) for group in (first, *others))


def _namespace(group: JobPlan, settings: Settings, environment: Environment) -> str:
    return group.namespace or settings.linker.namespace or environment.namespace


def _judge_policies(package: Package, groups: Iterable[JobPlan], settings: Settings) -> Problems:
    if any(item.id.kind == "NetworkPolicy" for item in package.authored):
        from krm_fn.extras.shut_in import find_shut_in

        namespaces = {group.namespace or package.namespace for group in groups}
        yield from find_shut_in(package, namespaces, pod_labels(settings))


def _report_unread(run: Run) -> Problems:
    """Warn about what is retained for no other reason than that nobody has named a kind."""
    settings, package = run.settings, run.package
    retained = [one for one in run.revisions.rendered if one.item not in run.consumers]
    if not settings.linker.is_shared or not retained:
        return
    of_job = settings._replace(linker=settings.linker._replace(run=LinkerRun.JOB))
    survey = run.survey.with_references(run.references, of_job)
    would_see = find_consumers(survey, run.revisions)
    for revision in retained:
        if revision.item not in would_see:
            continue
        needed: dict[str, set[Kind]] = {}
        if not revision.item.is_config:
            needed["it"] = {package.kinds.of(revision.id)}
        for one in would_see[revision.item]:
            who = f"{authored_id(one.referrer)}, which references it,"
            needed.setdefault(who, set()).update(find_holding(one, package))
        for who, kinds in needed.items():
            unread = settings.linker.find_unread(kinds)
            if unread:
                named = (f"{kind.api_version}/{kind.kind}" for kind in unread)
                names = listing(named, is_sentence=True)
                options = listing((f"--kind={kind}" for kind in unread), is_sentence=True)
                message = (
                    f"is retained, and nothing ever deletes it: {who} is of a kind, or makes objects of one, that the "
                    f"linker of the namespace does not read; add {names} to spec.linker.kinds, and {options} to the "
                    "CronJob of that linker"
                )
                yield warning(revision.item, message, resource=revision.base_id)
                break


def _report_unknown(run: Run) -> Problems:
    """Warn about what is kept for kinds of which no table says what is made of them."""
    linker = run.settings.linker
    for revision in run.revisions.rendered:
        unknown: dict[Kind, ResourceId] = {}
        for resolved in run.consumers.get(revision.item, ()):
            for kind in find_holding(resolved, run.package):
                if not is_making_known(kind) and not linker.names(kind):
                    unknown.setdefault(kind, authored_id(resolved.referrer))
        if unknown:
            readers = listing(sorted({*map(str, unknown.values())}), is_sentence=True)
            named = sorted(f"{kind.api_version}/{kind.kind}" for kind in unknown)
            names = listing(named, is_sentence=True)
            message = (
                f"the linker never deletes what {readers} has referenced: other objects may be made of it and keep a "
                f"copy, and krm-fn does not know their kinds; add {names}, and any such kind, to spec.linker.kinds"
            )
            yield warning(revision.item, message, resource=revision.base_id)


class SetLinker:
    """The linker of one set: what it has to do, and the objects with which it does that.

    `rendered`: the revisions, but for those with a problem. It cannot collect those that have no
    consumer. `names`: the new names of consumers that are renamed themselves.
    """

    def __init__(  # what decides about a linker
        self,
        revisions: Iterable[Revision],
        consumers: Consumers,
        package: Package,
        settings: Settings,
        names: Mapping[Item, str] = MappingProxyType({}),
    ) -> None:
        self.settings = settings
        self._consumers = consumers
        self._package = package
        self._names = names
        self.rendered, self.problems = without_clashes([*revisions], consumers, package.authored)
        self._revisions_of = _by_consumer(self.rendered, consumers)
        self._producers = _producers(self.rendered, consumers, package)
        self._with_add_ons = _with_add_ons(package)
        self._revised: dict[str, list[Item]] = defaultdict(list)
        self._retained: dict[str, set[RevisionName]] = defaultdict(set)
        self._holding: dict[Item, set[Kind]] = defaultdict(set)
        for revision in self.rendered:
            namespace = package.namespace_of(revision.item)
            self._revised[namespace].append(revision.item)
            for resolved in consumers.get(revision.item, ()):
                self._holding[resolved.referrer] |= find_holding(resolved, package)
            if revision.item not in consumers:
                self._retained[namespace].update(_tracked_names(revision, consumers))

    @cached_property
    def jobs(self) -> list[JobPlan]:
        """One Job for each namespace and wave that has consumers of revisions.

        In a namespace without, there is one group, for the inventory alone.
        """
        by_namespace: dict[str, list[Item]] = {name: [] for name in self._revised}
        for consumer in self._revisions_of:
            by_namespace[self._package.namespace_of(consumer)].append(consumer)
        jobs: list[JobPlan] = []
        for namespace, consumers in sorted(by_namespace.items()):
            jobs += self._plan_namespace(namespace, consumers)
        return jobs

    def _plan_namespace(self, namespace: str, consumers: list[Item]) -> Iterator[JobPlan]:
        """Plan the Jobs of one namespace, in the order of their waves."""
        revised = self._revised[namespace]
        everything = consumers or revised
        rendered = set(chain.from_iterable(self._revisions_of[one] for one in consumers))
        known_kinds, other_kinds = self._find_kinds(namespace, consumers)
        waves = _by_wave(everything)
        is_set = {bool(one.id.namespace) for one in (*consumers, *revised)}
        plan = LinkPlan(
            set=self.settings.set,
            producers=tuple(sorted(self._producers.get(namespace, ()))),
            kinds=tuple(sorted(other_kinds)),
            timeout=self.settings.linker.timeout_seconds,
            minimum_age=self.settings.linker.minimum_age_seconds,
        )
        of_namespace = JobPlan(
            # Where no consumer sets a namespace, the linker's objects set none either.
            namespace=namespace if any(one.id.namespace for one in everything) else "",
            wave="",
            plan=plan,
            listed=(*known_kinds, *plan.kinds),
            first_wave=first_wave(waves[0][0], revised),
            default_namespace=namespace if len(is_set) > 1 else "",
            retained=tuple(sorted(self._retained[namespace] - rendered)),
            has_job=bool(consumers) or self.settings.leave,
        )
        for wave, of_wave in waves if consumers else waves[:1]:
            own_plan = self._plan_wave(plan, of_wave, rendered)
            yield of_namespace._replace(wave=wave, plan=own_plan)

    def _plan_wave(
        self, plan: LinkPlan, of_wave: Iterable[Item], rendered: set[RevisionName]
    ) -> LinkPlan:
        """Add what the Job of a wave waits for, and what others do: it must not delete what another wave needs."""
        workloads = [
            self._read_workload(one)
            for one in of_wave
            if one in self._revisions_of and _is_waited_for(one)
        ]
        awaited = chain.from_iterable(one.revisions for one in workloads)
        return plan._replace(
            workloads=tuple(sorted(workloads)),
            revisions=tuple(sorted(rendered.difference(awaited))),
        )

    def _find_kinds(self, namespace: str, consumers: list[Item]) -> tuple[list[Kind], set[Kind]]:
        """Return the kinds that every linker lists, and those that this one lists as well."""
        kinds = self._package.kinds
        requested = {kinds.of(who) for who in requested_kinds(self.settings)}
        others = {*requested}
        for consumer in consumers:
            others |= self._holding[consumer]
        # Nobody can grant what they lack: without Argo Rollouts, an administrator has no right to
        # list its kinds.
        is_requested = not requested.isdisjoint(ADD_ON_KINDS)
        has_add_ons = is_requested or namespace in self._with_add_ons
        known = [kind for kind in CONSUMER_KINDS if has_add_ons or kind not in ADD_ON_KINDS]
        return known, find_made(others)

    def _read_workload(self, consumer: Item) -> Workload:
        kind = self._package.kinds.of(consumer.id)
        name = self._names.get(consumer, consumer.id.name)
        revisions = tuple(sorted(self._revisions_of[consumer]))
        return Workload(kind.api_version, kind.kind, name, revisions)

    def build_trackers(
        self, revisions: Iterable[Revision], jobs: Iterable[JobPlan]
    ) -> Iterator[Object]:
        """Build the tracker of each referenced name of a Secret, or of what makes one."""
        namespaces = {one.namespace or self._package.namespace for one in jobs}
        for revision in revisions:
            if self._package.namespace_of(revision.item) in namespaces:
                marks = marks_for_linker(revision, self._consumers, self._package, self.settings)
                for name in _tracked_names(revision, self._consumers):
                    if name.kind != "ConfigMap":
                        yield tracker(revision, name, self.settings, marks)

    def build_account_rules(self, group: JobPlan) -> list[Object]:
        return build_account_rules(group, self.settings)


def _by_wave(consumers: Iterable[Item]) -> list[tuple[str, list[Item]]]:
    """Return the consumers of each wave, in the order in which waves are applied."""
    by_wave = collect((wave_of(consumer), consumer) for consumer in consumers)
    return sorted(by_wave.items(), key=lambda pair: wave_order(pair[0]))


def _with_add_ons(package: Package) -> set[str]:
    """Return the namespaces for which the package holds objects of Argo Rollouts."""
    groups = {kind.group for kind in ADD_ON_KINDS}
    found: set[str] = set()
    for item in package.authored:
        is_near = item.id.group in groups and not item.is_local
        if is_near and package.kinds.of(item.id) in ADD_ON_KINDS:
            found.add(package.namespace_of(item))
    return found


def _by_consumer(
    revisions: Iterable[Revision], consumers: Consumers
) -> dict[Item, set[RevisionName]]:
    names: dict[Item, set[RevisionName]] = defaultdict(set)
    for revision in revisions:
        for resolved in consumers.get(revision.item, []):
            names[resolved.referrer].add(_tracked_name(revision, resolved.reference))
    return names


def _producers(
    revisions: Iterable[Revision], consumers: Consumers, package: Package
) -> dict[str, list[ProducerName]]:
    """Return the producers by namespace, each with the names that something references."""
    producers: dict[str, list[ProducerName]] = defaultdict(list)
    for revision in revisions:
        if revision.item.is_config or revision.item not in consumers:
            continue
        names = _tracked_names(revision, consumers)
        kind = package.kinds.of(revision.item.id)
        producers[package.namespace_of(revision.item)].append(
            ProducerName(kind, revision.name, names)
        )
    return producers


def _tracked_names(revision: Revision, consumers: Consumers) -> tuple[RevisionName, ...]:
    """Return the names under which something references a revision, or what it makes.

    Who references a retained one is not known.
    """
    if not revision.generated:
        return (RevisionName(revision.item.id.kind, revision.name),)
    found = {_tracked_name(revision, one.reference) for one in consumers.get(revision.item, ())}
    if not found:
        found = {RevisionName("Secret", revision.name_of(one)) for one in revision.generated}
    return tuple(sorted(found))


def _tracked_name(revision: Revision, reference: Reference) -> RevisionName:
    """Return what the linker tracks for a reference.

    A Secret stands for its producer where both have one name.
    """
    meant = revision.meant_by(reference)
    if meant.name in map(revision.name_of, revision.generated):
        return RevisionName("Secret", meant.name)
    return RevisionName(meant.kind, meant.name)


def _is_waited_for(consumer: Item) -> bool:
    """Tell whether the live object will say what its manifest says, sooner or later.

    Hooks, Jobs and other kinds that run to an end may never do so.
    """
    kind = kind_of(consumer)
    is_run = consumer.id.group_kind in RUNS or (kind is not None and kind.is_immutable)
    return bool(consumer.id.name) and not is_hook(consumer) and not is_run


def without_clashes(
    revisions: list[Revision], consumers: Consumers, authored: Iterable[Item]
) -> tuple[list[Revision], list[Problem]]:
    """Leave out Secrets whose tracker would have the name of a ConfigMap that exists.

    Only adopted names can clash. One that is retained is not collected in any case.
    """
    taken = {(item.id.namespace, item.id.name) for item in authored if item.id.kind == "ConfigMap"}
    clashing = [
        one
        for one in revisions
        if any(
            name.kind != "ConfigMap" and (one.id.namespace, name.name) in taken
            for name in _tracked_names(one, consumers)
        )
    ]
    message = "will not be garbage-collected: its tracker would collide with an existing ConfigMap of the same name"
    problems = [warning(one.item, message) for one in clashing if one.item in consumers]
    left_out = {one.item for one in clashing}
    return [one for one in revisions if one.item not in left_out], problems
