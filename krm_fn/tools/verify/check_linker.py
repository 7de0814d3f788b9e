"""Check that the linker's objects speak of what is here: its plans, its inventory, its trackers and its Role."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from krm_fn.base import keys
from krm_fn.base.item import Item, about, listed_revisions
from krm_fn.base.kind import ADD_ON_KINDS, SYNC_WAVE, wave_of, wave_order
from krm_fn.base.link_plan import (
    REVISION_KINDS,
    JobPlan,
    LinkPlan,
    RevisionName,
    Unreadable,
    merge_plans,
)
from krm_fn.base.node import elements, get, plain_value, text
from krm_fn.base.problem import Problem, ResourceId, Severity
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import LinkerRun, LinkerSettings, Settings
from krm_fn.core.decide.decide import Package, Revision
from krm_fn.core.references.find import find_in_rules
from krm_fn.core.references.generated import find_generated
from krm_fn.extras.emit_linker import SetLinker
from krm_fn.tools.common.rendered import read_plan
from krm_fn.tools.verify.check_job import (
    OfOthers,
    check_annotations,
    check_cron_job,
    check_job,
    check_object,
    check_wave,
)
from krm_fn.tools.verify.check_names import find_unretained
from krm_fn.tools.verify.rendering import RenderedSet, Rendering

_ABOUT_TRACKERS = (
    *(keys.BASE_NAME, keys.STANDS_FOR, keys.MADE_BY),
    *(keys.RETAIN, keys.WANTED, keys.KINDS, keys.LEAVING),
)
_OF_INVENTORY = (keys.LINKER_RUN, keys.TOLD_KINDS, keys.LEAVING)
_NOTHING = LinkPlan(set="", timeout=0, minimum_age=0)
_RBAC = "rbac.authorization.k8s.io/v1"
_ACCESS = (("v1", "ServiceAccount"), (_RBAC, "Role"), (_RBAC, "RoleBinding"))


def check_linker(rendering: Rendering) -> Iterator[Problem]:
    """Plan again what the linker of each set has to do, and report how its objects differ from that.

    What the configuration alone decides, such as image, resources and times, counts by the name of the Job.
    """
    package = rendering.package
    revisions: dict[str, list[Revision]] = defaultdict(list)
    consumers: dict[Item, list[ResolvedReference]] = {}
    unretained = find_unretained(rendering)
    for revision in rendering.revisions.rendered:
        item = revision.item
        if item in unretained:
            continue  # that the linker deletes it is said already
        revisions[item.labels[keys.SET]].append(revision)
        # What is retained has a reader that the linker cannot see: with a plan of it, it would be
        # taken for unused.
        if item in rendering.consumers and keys.RETAIN not in item.annotations:
            consumers[item] = rendering.consumers[item]
    objects = _LinkerObjects(package)
    rules = _AuthoredRules(package)
    with_add_ons: set[str] = set()
    for found in consumers.values():
        of_add_ons = [
            one.referrer for one in found if package.kinds.of(one.referrer.id) in ADD_ON_KINDS
        ]
        with_add_ons.update(map(package.namespace_of, of_add_ons))
    for one in rendering.sets.values():
        settings = _settings_of(one)
        linker = SetLinker(revisions[one.name], consumers, package, settings)
        trackers = [*linker.build_trackers(map(_as_recorded, linker.rendered), linker.jobs)]
        for place in _places(one, linker.jobs, package):
            if place.emitted:
                if settings.linker.is_shared:
                    yield from _check_no_jobs(place)
                else:
                    yield from _check_jobs(place, objects)
                    yield from _check_cron_jobs(place, one, objects, linker)
                yield from _check_inventory(place, objects)
                yield from _check_trackers(place, objects, trackers)
                yield from _check_access(place, settings, one, objects)
                yield from _check_account(place, linker, rules)
                yield from _check_built(place, linker, has_add_ons=place.namespace in with_add_ons)
                yield from _check_namespaces(place, one, rendering)
            elif _is_expected(place, one):
                yield Problem(
                    f"no linker for {_name(place)}, though its configuration asks for one: run krm-fn again"
                )


def _settings_of(one: RenderedSet) -> Settings:
    """Return the settings of a set; without its configuration, those that its objects show."""
    if one.configured is not None:
        return one.configured.settings
    told = next((item.annotations.get(keys.TOLD_KINDS, "") for item in _inventories(one)), "")
    kinds = tuple(filter(None, told.split(",")))
    settings = Settings(
        set=one.name,
        leave=_is_marked(one, keys.LEAVING, "true"),
        linker=LinkerSettings(kinds=kinds),
    )
    if is_shared(one):
        # The Role and its binding are both asked for, or neither.
        has_role = any(item.id.kind in ("Role", "RoleBinding") for item in one.emitted)
        linker = LinkerSettings(run=LinkerRun.SHARED, secrets_role=has_role, kinds=kinds)
        account = next(_other_accounts(one), None)
        return settings._replace(linker=linker._replace(service_account_name=account))
    if any(item.id.kind == "ServiceAccount" for item in one.emitted):
        return settings
    # The function binds another account only where it is asked to.
    for account in _other_accounts(one):
        linker = LinkerSettings(service_account_name=account, secrets_role=True, kinds=kinds)
        return settings._replace(linker=linker)
    return settings


def is_shared(one: RenderedSet) -> bool:
    """Tell whether an inventory leaves the set to the linker of its namespace."""
    return _is_marked(one, keys.LINKER_RUN, keys.SHARED_LINKER)


def _is_marked(one: RenderedSet, annotation: str, value: str) -> bool:
    """Tell whether an inventory of the set has an annotation."""
    return any(item.annotations.get(annotation) == value for item in _inventories(one))


def _inventories(one: RenderedSet) -> Iterator[Item]:
    for item in one.emitted:
        if item.id.kind == "ConfigMap" and item.id.name == f"{one.name}-linker":
            yield item


def _other_accounts(one: RenderedSet) -> Iterator[str]:
    """Yield the accounts to which something is granted, but that of the set."""
    for item in one.emitted:
        for subject in elements(get(item.node, "subjects")):
            account = text(get(subject, "name"))
            if account != f"{one.name}-linker":
                yield account


def _as_recorded(revision: Revision) -> Revision:
    """Return the revision under the base name that its tracker has, also where a prefix was added since."""
    return revision._replace(base_name=revision.item.annotations[keys.BASE_NAME])


class _LinkerObjects:
    """The objects that are here, each in the namespace that it will be applied to."""

    def __init__(self, package: Package) -> None:
        authored = [
            (item.id, package.namespace_of(item)) for item in package.authored if not item.is_local
        ]
        self._configs = {
            (RevisionName(who.kind, who.name), namespace) for who, namespace in authored
        }
        for producer in package.configs:
            made = [
                RevisionName(one.kind, one.reference.target) for one in find_generated(producer)
            ]
            self._configs |= {(name, package.namespace_of(producer)) for name in made}
        # Without the version: a plan says the one that the API server serves, as of a CronJob.
        self._workloads = {
            ((who.group, who.kind, who.name), namespace) for who, namespace in authored
        }

    def have_config(self, name: RevisionName, namespace: str) -> bool:
        return (name, namespace) in self._configs

    def have_workload(self, name: str, namespace: str) -> bool:
        api_version, kind, own_name = name.rsplit("/", 2)
        group = api_version.rpartition("/")[0]
        return ((group, kind, own_name), namespace) in self._workloads


class _JobPlace(NamedTuple):
    """A set in one namespace: what its linker should do there, and the linker's objects that are there."""

    set: str
    namespace: str
    groups: tuple[JobPlan, ...]
    emitted: tuple[Item, ...]

    @property
    def linker_name(self) -> str:
        """The name of the linker's objects, but for Jobs and trackers."""
        return f"{self.set}-linker"

    @property
    def linked(self) -> frozenset[RevisionName]:
        """The revisions that the linker should know, and those that it retains."""
        return frozenset(name for group in self.groups for name in group.rendered)

    @property
    def jobs(self) -> tuple[JobPlan, ...]:
        """The groups that have a Job."""
        return tuple(group for group in self.groups if group.has_job)

    @property
    def owned(self) -> frozenset[RevisionName]:
        """The objects that trackers are to own: Secrets, and what makes Secrets."""
        owned: set[RevisionName] = set()
        for group in self.groups:
            owned |= {RevisionName("Secret", name) for name in group.plan.secrets}
            owned |= {RevisionName(one.kind.kind, one.name) for one in group.plan.producers}
        return frozenset(owned)

    @property
    def plans(self) -> list[LinkPlan]:
        """The plans of the Jobs, as far as they can be read."""
        plans = []
        for job in self.of_kind("Job"):
            with suppress(Unreadable):
                plans.append(read_plan(job)[0])
        return plans

    @property
    def inventories(self) -> list[Item]:

        return [one for one in self.of_kind("ConfigMap") if one.id.name == self.linker_name]

    def of_kind(self, kind: str) -> list[Item]:
        """Return the linker's objects of a kind, without trackers."""
        return [
            one
            for one in self.emitted
            if one.id.kind == kind and one.labels[keys.COMPONENT] == keys.LINKER
        ]


def _places(one: RenderedSet, groups: Iterable[JobPlan], package: Package) -> Iterator[_JobPlace]:
    of_namespace: dict[str, list[JobPlan]] = defaultdict(list)
    for group in groups:
        of_namespace[group.namespace or package.namespace].append(group)
    emitted: dict[str, list[Item]] = defaultdict(list)
    for item in one.emitted:
        emitted[package.namespace_of(item)].append(item)
    for namespace in sorted({*of_namespace, *emitted}):
        yield _JobPlace(
            one.name, namespace, tuple(of_namespace[namespace]), tuple(emitted[namespace])
        )


def _is_expected(place: _JobPlace, one: RenderedSet) -> bool:
    """Tell whether the configuration asks for a linker.

    Without a namespace there is only one if somebody else grants what it needs.
    """
    if one.configured is None or not place.jobs:
        return False
    linker = one.configured.settings.linker
    return linker.enabled and bool(place.namespace or linker.account)


def _check_no_jobs(place: _JobPlace) -> Iterator[Problem]:
    """Find what is left of a linker of the set's own: two of them would delete by two rules."""
    for kind in ("Job", "CronJob", "ServiceAccount"):
        for item in place.of_kind(kind):
            message = (
                "is of the Job that the set had before; its inventory leaves the set to the linker of the namespace: "
                "remove it"
            )
            yield about(item, message)


def _check_jobs(place: _JobPlace, objects: _LinkerObjects) -> Iterator[Problem]:
    plans = {group.wave: group.plan for group in place.jobs}
    as_planned = {wave_order(wave)[0]: wave for wave in plans}  # "0" is the same wave as none

    def find_wave(job: Item) -> str:
        wave = wave_of(job)
        return wave if wave in plans else as_planned.get(wave_order(wave)[0], wave)

    first: dict[str, Item] = {}
    for job in place.of_kind("Job"):
        other = first.setdefault(find_wave(job), job)
        if other.id != job.id:
            yield about(
                job, f"is in the input beside {other.id}: only one of them is of this rendering"
            )
        try:
            plan, field = read_plan(job)
        except Unreadable as error:
            yield about(job, f"has no plan: {error}")
            continue
        messages = [*_compare(plan, plans.get(find_wave(job), _NOTHING), place, objects)]
        yield from (about(job, message, field) for message in messages)
        if not messages:  # else it is clear what has changed
            yield from check_job(job, place.set, place.inventories)
    found = {find_wave(job) for job in place.of_kind("Job")}
    here = [plans[wave] for wave in found & plans.keys()]
    for wave in sorted(plans.keys() - found):
        if plans[wave] in here:
            continue  # two waves in which nothing is waited for have one plan, and so one Job
        of_wave = f", sync wave {wave}" if wave else ""
        what_for = "nothing sets owners, or deletes old revisions"
        yield Problem(f"no Job of the linker for {_name(place)}{of_wave}: {what_for}")


def _check_cron_jobs(
    place: _JobPlace, one: RenderedSet, objects: _LinkerObjects, linker: SetLinker
) -> Iterator[Problem]:
    settings = one.configured.settings if one.configured else None
    group = merge_plans(place.jobs) if place.jobs else None
    found = place.of_kind("CronJob")
    jobs = place.of_kind("Job")
    sound = (one for one in jobs if not any(check_job(one, place.set, place.inventories)))
    proven = next(sound, None) if found else None
    is_wanted = (
        group and settings and settings.linker.enabled and settings.linker.schedule is not None
    )
    if is_wanted and not found:
        yield _missing(place, "batch/v1", "CronJob", "spec.linker.schedule asks for it")
    for item in found:
        try:
            plan, field = read_plan(item)
        except Unreadable as error:
            yield about(item, f"has no plan: {error}")
            continue
        messages = [*_compare(plan, group.plan if group else _NOTHING, place, objects)]
        yield from (about(item, message, field) for message in messages)
        if not messages:
            wanted = None
            if group and settings and is_wanted:
                schedule = text(get(item.node, "spec", "schedule"))
                wanted = partial(linker.build_cron_job, group, place.namespace, schedule)
            yield from check_cron_job(item, plan, wanted, OfOthers(proven, place.inventories))


def _name(place: _JobPlace) -> str:
    return f"set {place.set}" + (f" in namespace {place.namespace}" if place.namespace else "")


class _Link(NamedTuple):
    """A part of a plan: this workload is to reference this revision."""

    workload: str
    revision: RevisionName


def _compare(
    found: LinkPlan, wanted: LinkPlan, place: _JobPlace, objects: _LinkerObjects
) -> Iterator[str]:
    """Say how a plan differs from the wanted one.

    Of several reasons for one difference the first is enough.
    """
    if found.set != place.set:
        yield f"found set {found.set!r}, expected {place.set!r}"
    absent = {name for name in found.rendered if not objects.have_config(name, place.namespace)}
    yield from (f"lists {name}, which is not in the input" for name in sorted(absent))
    before, after = _links(found), _links(wanted)
    gone = {
        link.workload
        for link in before
        if not objects.have_workload(link.workload, place.namespace)
    }
    yield from (f"waits for {workload}, which is not in the input" for workload in sorted(gone))
    for workload, name in sorted(before - after):
        if workload not in gone and name not in absent:
            yield f"waits until {workload} references {name}, which it does not"
    yield from (
        f"does not wait until {workload} references {name}"
        for workload, name in sorted(after - before)
    )
    explained = absent | {link.revision for link in before ^ after}
    yield from (
        f"lists {name}, which nothing references"
        for name in sorted(found.rendered - wanted.rendered - explained)
    )
    yield from (
        f"does not list {name}" for name in sorted(wanted.rendered - found.rendered - explained)
    )
    producers = {
        (producer.kind.kind, producer.name): producer.revisions for producer in found.producers
    }
    for producer in wanted.producers:
        if producers.get((producer.kind.kind, producer.name)) != producer.revisions:
            made = ", ".join(map(str, producer.revisions))
            yield f"does not say that {producer.kind.kind}/{producer.name} makes {made}"


def _links(plan: LinkPlan) -> set[_Link]:
    links: set[_Link] = set()
    for one in plan.workloads:
        workload = f"{one.api_version}/{one.kind}/{one.name}"
        links |= {_Link(workload, name) for name in one.revisions}
    return links


def _check_inventory(place: _JobPlace, objects: _LinkerObjects) -> Iterator[Problem]:
    field = f"metadata.annotations[{keys.RENDERED}]"
    if not place.inventories and place.groups:
        yield _missing(
            place,
            "v1",
            "ConfigMap",
            "it is the inventory, by which the linker knows what is rendered",
        )
    wanted = {one.name for one in place.linked}
    for item in place.inventories:
        found = listed_revisions(item)
        yield from (about(item, f"does not list {name}", field) for name in sorted(wanted - found))
        for name in sorted(found - wanted):
            if not any(
                objects.have_config(RevisionName(kind, name), place.namespace)
                for kind in REVISION_KINDS
            ):
                yield about(item, f"lists {name}, which is not in the input", field)


def _check_trackers(
    place: _JobPlace, objects: _LinkerObjects, wanted: Iterable[Any]
) -> Iterator[Problem]:
    trackers = {
        one.id.name: one for one in place.emitted if one.labels[keys.COMPONENT] == keys.TRACKER
    }
    tracked = {name.name: name.kind for name in place.linked if name.kind != "ConfigMap"}
    for name in sorted(tracked.keys() - trackers.keys()):
        who = ResourceId("v1", tracked[name], place.namespace, name)
        yield Problem(
            "has no tracker, a ConfigMap of the same name: nothing deletes it when it is no longer used",
            who,
        )
    for name, tracker in trackers.items():
        kind = tracker.annotations.get(keys.STANDS_FOR, "Secret")
        if not objects.have_config(RevisionName(kind, name), place.namespace):
            yield about(tracker, f"is the tracker of {kind}/{name}, which is not in the input")
    planned = []
    for one in wanted:
        name, namespace = one["metadata"]["name"], one["metadata"].get("namespace", "")
        if name in trackers and namespace in ("", place.namespace):
            planned.append(trackers[name])
            yield from check_annotations(trackers[name], one, _ABOUT_TRACKERS)
            yield from check_object(trackers[name], one)
            yield from check_wave(trackers[name], one)
    yield from _check_after_inventory(planned, place)


def _check_after_inventory(trackers: Iterable[Item], place: _JobPlace) -> Iterator[Problem]:
    """Find trackers that a run could delete, with their Secrets, before the inventory lists them again."""
    inventories = place.inventories
    if not inventories:
        return
    # If the inventory is later, that is said already.
    first = [group.first_wave for group in place.groups[:1]]
    waves = [wave_order(wave)[0] for wave in (*first, *map(wave_of, inventories))]
    for tracker in trackers:
        if wave_order(wave_of(tracker))[0] < min(waves):
            message = f"found {wave_of(tracker)!r}, which is before the inventory: the linker may delete it in between"
            yield about(tracker, message, f"metadata.annotations[{SYNC_WAVE}]")


def _check_access(
    place: _JobPlace, settings: Settings, one: RenderedSet, objects: _LinkerObjects
) -> Iterator[Problem]:
    """Check what lets the Job do its work, unless somebody else grants it."""
    linker = settings.linker
    kinds: tuple[tuple[str, str], ...] = ()
    needed_by = "the linker of the namespace" if linker.is_shared else "the Job of the linker"
    if linker.account is not None:
        kinds = _ACCESS[1:] if linker.has_secrets_role and place.owned else ()
    elif one.configured is not None or any(place.of_kind(kind) for _, kind in _ACCESS):
        kinds = _ACCESS
    for api_version, kind in kinds if place.jobs else ():
        if not any(found.id.name == place.linker_name for found in place.of_kind(kind)):
            yield _missing(place, api_version, kind, f"{needed_by} needs it")
    owned = place.owned
    for role in place.of_kind("Role"):
        references = [one for one in find_in_rules(role.node) if one.kind != "ConfigMap"]
        named = {RevisionName(reference.kind, reference.target) for reference in references}
        for name in sorted(owned - named):
            yield about(role, f"does not name {name}: the linker may not set its owner", "rules")
        for name in sorted(named - owned):
            if not objects.have_config(name, place.namespace):
                yield about(role, f"names {name}, which is not in the input", "rules")


class _AuthoredRules:
    """The accounts of authors, and the rules of Roles that are bound to each."""

    def __init__(self, package: Package) -> None:
        self.accounts: dict[tuple[str, str], Item] = {}
        self._bindings: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
        self._rules: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
        for one in package.authored:
            namespace = package.namespace_of(one)
            kind, name = one.id.kind, one.id.name
            if kind == "ServiceAccount":
                self.accounts[namespace, name] = one
            elif kind in ("Role", "ClusterRole"):
                where = "" if kind == "ClusterRole" else namespace
                rules = map(plain_value, elements(get(one.node, "rules")))
                self._rules[kind, where, name] += rules
            elif kind == "RoleBinding":
                role = text(get(one.node, "roleRef", "kind"))
                where = "" if role == "ClusterRole" else namespace
                bound = role, where, text(get(one.node, "roleRef", "name"))
                for subject in elements(get(one.node, "subjects")):
                    self._bindings[namespace, text(get(subject, "name"))].append(bound)

    def granted(self, namespace: str, account: str) -> list[Any] | None:
        """Return the rules of an account; None where a Role of it is not in the input."""
        rules: list[Any] = []
        for bound in self._bindings.get((namespace, account), ()):
            if bound not in self._rules:
                return None
            rules += self._rules[bound]
        return rules


def _check_account(
    place: _JobPlace, linker: SetLinker, authored: _AuthoredRules
) -> Iterator[Problem]:
    """Check what an account of the author's may do, where it is in the input, and so is what grants it."""
    name = linker.settings.linker.account or ""
    account = authored.accounts.get((place.namespace, name))
    granted = authored.granted(place.namespace, name)
    if account is None or granted is None:
        return
    for group in place.jobs[:1]:
        for rule in linker.build_account_rules(group):
            if not _is_granted(rule, granted):
                message = f"may not do what the linker needs; a Role of it lacks the rule {json.dumps(rule)}"
                yield about(account, message)


def _is_granted(rule: Any, granted: Iterable[Any]) -> bool:
    """Tell whether rules grant all of a rule, each verb on each resource."""
    needed_names = _words_of(rule, "resourceNames")
    allowed: set[tuple[str, str]] = set()
    for one in granted:
        names = _words_of(one, "resourceNames")
        is_of_group = not _words_of(one, "apiGroups").isdisjoint({*rule["apiGroups"], "*"})
        if is_of_group and (not names or (needed_names and needed_names <= names)):
            allowed.update(product(_words_of(one, "resources"), _words_of(one, "verbs")))
    return all(
        not allowed.isdisjoint(product((resource, "*"), (verb, "*")))
        for resource, verb in product(rule["resources"], rule["verbs"])
    )


def _words_of(rule: Any, field: str) -> set[str]:
    """Return the words in a field of a rule. Authors may write anything there."""
    words = rule.get(field) if isinstance(rule, dict) else None
    return {word for word in words if isinstance(word, str)} if isinstance(words, list) else set()


def _check_built(place: _JobPlace, linker: SetLinker, *, has_add_ons: bool) -> Iterator[Problem]:
    """Compare the objects that all Jobs of a namespace need with those that the function builds."""
    roles = [one for one in place.of_kind("Role") if one.id.name == place.linker_name]
    if not place.groups:
        return
    group = place.groups[0]
    # Argo Rollouts may be here for other reasons, and no configuration may be known: then the Role
    # says what is needed.
    listed = [
        one
        for one in group.listed
        if one not in ADD_ON_KINDS or has_add_ons or _names_add_ons(roles)
    ]
    for plan in place.plans:
        listed += plan.kinds
    group = group._replace(listed=tuple(listed))
    unnamed = {one.name for one in place.owned}
    for role in roles:
        unnamed -= {reference.target for reference in find_in_rules(role.node)}
    for wanted in linker.build_shared(group, place.namespace):
        for item in place.of_kind(str(wanted["kind"])):
            if item.id.name == place.linker_name:
                yield from check_object(item, wanted, unnamed)
                yield from check_wave(item, wanted)
                if item.id.kind == "ConfigMap":
                    yield from check_annotations(item, wanted, _OF_INVENTORY)


def _names_add_ons(roles: Iterable[Item]) -> bool:
    groups = {kind.group for kind in ADD_ON_KINDS}
    for role in roles:
        for rule in elements(get(role.node, "rules")):
            if any(text(group) in groups for group in elements(get(rule, "apiGroups"))):
                return True
    return False


def _check_namespaces(
    place: _JobPlace, one: RenderedSet, rendering: Rendering
) -> Iterator[Problem]:
    """Find objects that have lost the namespace of the Job, as far as nobody says where such objects are applied.

    An author may have left it out of some objects, and the function was told which one it is: then it is a warning. An
    object that alone has none has probably lost it.
    """
    if rendering.is_placed or not any(group.namespace for group in place.groups):
        return
    expected = f"expected {place.namespace}, as its workloads have it"
    is_told = any(
        item.annotations.get(keys.DEFAULT_NAMESPACE) == place.namespace for item in place.emitted
    )
    is_meant = place.namespace == rendering.package.namespace and not is_told
    bare = _find_bare(one, rendering) if is_meant else []
    for item in bare:
        message = f"missing: {expected}, unless the deployer sets it (verify --namespace {place.namespace})"
        yield about(
            item,
            message,
            "metadata.namespace",
            Severity.WARNING if len(bare) > 1 else Severity.ERROR,
        )
    for item in place.emitted:
        if not item.id.namespace and item.labels[keys.COMPONENT] == keys.LINKER:
            yield about(item, f"missing: {expected}", "metadata.namespace")


def _find_bare(one: RenderedSet, rendering: Rendering) -> list[Item]:
    """Find the revisions, and what reads them, that have no namespace."""
    revised = [revision.item for revision in one.revisions]
    readers: list[Item] = []
    for item in revised:
        readers += [found.referrer for found in rendering.consumers.get(item, ())]
    return [item for item in dict.fromkeys(revised + readers) if not item.id.namespace]


def _missing(place: _JobPlace, api_version: str, kind: str, why: str) -> Problem:
    return Problem(
        f"is not in the input: {why}",
        ResourceId(api_version, kind, place.namespace, place.linker_name),
    )
