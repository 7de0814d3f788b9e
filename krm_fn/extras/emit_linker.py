"""Emit the objects that run the linker.

There is one Job for each namespace and sync wave. The Jobs share permissions, an inventory and
trackers in their namespace. The arguments of a Job are its plan: which objects it waits for, and
which objects use each revision. With `spec.linker.run: shared` there is no Job (decision 83).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from types import MappingProxyType
from typing import Any

from krm_fn import __version__
from krm_fn.base import keys
from krm_fn.base.changes import Changes, Object
from krm_fn.base.item import Item, about, warning
from krm_fn.base.kind import (
    ADD_ON_KINDS,
    CONSUMER_KINDS,
    DEPLOYERS,
    SYNC_WAVE,
    Kind,
    find_made,
    first_wave,
    is_hook,
    is_making_known,
    keep_new_name,
    kind_of,
    protections_of,
    wave_of,
    wave_order,
)
from krm_fn.base.link_plan import (
    PLAN_VERSION,
    JobPlan,
    LinkPlan,
    ProducerName,
    RevisionName,
    Workload,
    merge_plans,
)
from krm_fn.base.node import NewValue, Node, entries, is_mapping, is_sequence
from krm_fn.base.problem import Problem, Problems, ResourceId, Severity, listing
from krm_fn.base.reference import Reference
from krm_fn.base.settings import (
    EXPECTED_IMAGE,
    NO_SIDECAR_ANNOTATIONS,
    NO_SIDECAR_LABELS,
    Environment,
    LinkerRun,
    NearbyConfig,
    Settings,
    is_image,
    version_of,
)
from krm_fn.core.decide.name import find_consumers, find_holding, marks_for_linker
from krm_fn.core.decide.run import Consumers, Package, Revision, Run
from krm_fn.core.names.names import authored_id, content_name, cron_job_name

# The objects of one namespace.

START_SECONDS = 300
"""What the Job may need beyond the linker's own timeout: a new node, the image, the start of the program."""

_RBAC = "rbac.authorization.k8s.io"

_RETRIES = 2
"""For a pod that was evicted, or whose node failed.

The linker itself repeats requests, and the deadline covers all.
"""

_WHEN_RESUMED = "@hourly"
"""The schedule of a suspended CronJob, which the API server wants all the same."""

_DAY = 86_400
"""After that, Kubernetes deletes a scheduled Job.

One that has failed would alert until the next one fails.
"""

# Together the restricted Pod Security Standard. No user id: the image says 65534, and OpenShift
# hands out its own.
_POD_SECURITY: dict[str, NewValue] = {
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}

_CONTAINER_SECURITY: dict[str, NewValue] = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}

# What Kubernetes mounts by itself, but with a token that expires after ten minutes, the shortest
# time that it allows. The kubelet renews it while the pod runs, and the linker reads it again.
_TOKEN = "token"  # noqa: S105  # the name of a volume
_TOKEN_VOLUME: dict[str, NewValue] = {
    "name": _TOKEN,
    "projected": {
        "sources": [
            {"serviceAccountToken": {"path": "token", "expirationSeconds": 600}},
            {
                "configMap": {
                    "name": "kube-root-ca.crt",
                    "items": [{"key": "ca.crt", "path": "ca.crt"}],
                }
            },
            {
                "downwardAPI": {
                    "items": [
                        {"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}
                    ]
                }
            },
        ]
    },
}
_TOKEN_MOUNT: dict[str, NewValue] = {
    "name": _TOKEN,
    "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
    "readOnly": True,
}


def job(group: JobPlan, settings: Settings, image: str) -> Object:
    """Build the Job: a plain resource, never a hook, in the sync wave of its workloads.

    A hook, or a later wave, would wait for the end of a canary. Its name changes if and only if its
    spec does, because the spec of a Job is immutable.
    """
    linker = settings.linker
    spec = _job_spec(group, settings, image, linker.ttl_seconds_after_finished)
    name = content_name(settings.set, "-link", spec)
    labels = _labels(settings)
    metadata = _metadata(name, group.namespace, group.wave, labels, linker.annotations)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def cron_job(group: JobPlan, settings: Settings, namespace: str, image: str) -> Object:
    """Build the CronJob between releases: the pod of the Job, but it waits for nothing.

    `group`: that of `merge_plans`. `namespace`: where it will be applied, as far as the function knows. Its name never
    changes, so that nothing but its plan differs between releases.
    """
    linker = settings.linker
    ttl = linker.ttl_seconds_after_finished
    labels = _labels(settings)
    spec: Object = {
        "schedule": spread_schedule(linker.schedule or _WHEN_RESUMED, namespace, settings.set),
        # What is not written, people may set: a CronJob that they suspend stays so in the next
        # release.
        **_given(suspend=not linker.schedule),
        "concurrencyPolicy": "Forbid",
        "startingDeadlineSeconds": START_SECONDS,  # so that Kubernetes counts no missed runs (decision 60)
        "successfulJobsHistoryLimit": 1,
        "failedJobsHistoryLimit": 1,
        "jobTemplate": {
            "metadata": {"labels": labels, **_given(annotations=linker.annotations)},
            "spec": _job_spec(group, settings, image, _DAY if ttl is None else ttl),
        },
    }
    name = cron_job_name(settings.set)
    metadata = _metadata(name, group.namespace, group.wave, labels, linker.annotations)
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": spec}


def spread_schedule(schedule: str, namespace: str, set_name: str) -> str:
    """Return a plain schedule, with a minute and an hour in place of each `H`.

    They are chosen by the SHA-256 of `<namespace>/<set>`: where 2,000 sets all ran at minute 0,
    2,000 pods would start at once, and ask the API server at once. Whoever renders, and whenever,
    gets the same.
    """
    return _place_schedule(
        schedule, int(sha256(f"{namespace}/{set_name}".encode()).hexdigest(), 16)
    )


def may_be_spread(schedule: str, found: str) -> bool:
    """Tell whether some namespace and set make the one schedule of the other."""
    return found in {_place_schedule(schedule, number) for number in range(60 * 24)}


def _place_schedule(schedule: str, number: int) -> str:
    if schedule.startswith("@"):
        return schedule
    minute, hour, others = schedule.split(maxsplit=2)
    if "H" not in minute + hour:
        return schedule  # with the spaces that it has
    # The hour from what the minute leaves over: `H H * * *` has 1,440 times a day, not 60.
    return " ".join(
        [_place_field(minute, number, 60), _place_field(hour, number // 60, 24), others]
    )


def _place_field(field: str, number: int, values: int) -> str:
    if not field.startswith("H"):
        return field
    step = field.removeprefix("H/")
    return f"{number % int(step)}-{values - 1}/{step}" if step != "H" else str(number % values)


def _job_spec(group: JobPlan, settings: Settings, image: str, ttl: int | None) -> Object:
    linker = settings.linker
    return {
        "backoffLimit": _RETRIES,
        "activeDeadlineSeconds": linker.timeout_seconds + START_SECONDS,
        # By default none: Argo CD and Flux would create the Job again and again that Kubernetes has
        # deleted.
        **({} if ttl is None else {"ttlSecondsAfterFinished": ttl}),
        "template": {
            "metadata": {
                "labels": _pod_labels(settings),
                "annotations": {
                    **NO_SIDECAR_ANNOTATIONS,
                    **linker.annotations,
                    # Another name, so that a run follows.
                    **_filled({keys.LEAVING: "true" if settings.leave else ""}),
                },
            },
            "spec": _pod_spec(group, settings, image),
        },
    }


def _pod_spec(group: JobPlan, settings: Settings, image: str) -> Object:
    linker = settings.linker
    # An image of this version needs no telling, and so the Job is the same in each package of a
    # version.
    is_other = version_of(linker.image or "") not in ("", __version__)
    environment: list[NewValue] = [{"name": PLAN_VERSION, "value": __version__}] if is_other else []
    return {
        "serviceAccountName": linker.account or _name(settings),
        "automountServiceAccountToken": False,
        "restartPolicy": "Never",
        "securityContext": _POD_SECURITY,
        **_given(imagePullSecrets=linker.image_pull_secrets, nodeSelector=linker.node_selector),
        **_given(tolerations=linker.tolerations),
        "containers": [
            {
                "name": "link",
                "image": image,
                "args": ["link", *group.plan.to_arguments()],
                **_given(env=environment),
                "resources": linker.resources,
                "securityContext": _CONTAINER_SECURITY,
                "volumeMounts": [_TOKEN_MOUNT],
            }
        ],
        "volumes": [_TOKEN_VOLUME],
    }


def access(group: JobPlan, settings: Settings, subject_namespace: str) -> list[Object]:
    """Build ServiceAccount, Role and RoleBinding of one namespace, with only the verbs needed.

    `group`: any of its namespace. All Jobs need them, so they are there before the first. To an
    account of the author's, the Role grants what has a name in each rendering, if that is asked for.
    """
    linker = settings.linker
    name, account = _name(settings), linker.account
    metadata = _metadata(name, group.namespace, group.first_wave, _labels(settings))
    own: Object = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": metadata,
        "automountServiceAccountToken": False,
    }
    rules = [*_build_rules(group), *_named_rules(group, settings), *_RECORD]
    if account is not None:
        rules = [*_named_rules(group, settings)] if linker.has_secrets_role else []
    role: Object = {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "Role",
        "metadata": metadata,
        "rules": rules,
    }
    binding: Object = {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": name},
        "subjects": [
            {"kind": "ServiceAccount", "name": account or name, "namespace": subject_namespace}
        ],
    }
    objects = [own] if account is None else []
    return [*objects, role, binding] if rules else objects


def _build_rules(group: JobPlan) -> Iterator[Object]:
    """Build the rules that name no object: they are the same in each rendering."""
    # The linker reads by `list` alone, so nothing grants `get` or `watch` of these (decision 10).
    for api_group, plurals in _by_group(group.listed).items():
        yield _rule(api_group, plurals, ["list"])
    yield _rule("", ["configmaps"], ["list", "patch", "delete"])


def _named_rules(group: JobPlan, settings: Settings) -> Iterator[Object]:
    """Build the rules for the Secrets of this rendering, and for what makes Secrets."""
    # RBAC honours names for `get` and `patch`, but not for `list`. OpenShift refuses owners on what
    # one may not delete.
    verbs = ["get", "patch"]
    if settings.linker.openshift:
        verbs.append("delete")
    if group.plan.secrets:
        yield {**_rule("", ["secrets"], verbs), "resourceNames": sorted(group.plan.secrets)}
    producers = defaultdict(set)
    for producer in group.plan.producers:
        producers[producer.kind.group, producer.kind.plural].add(producer.name)
    for (api_group, plural), names in sorted(producers.items()):
        yield {**_rule(api_group, [plural], verbs), "resourceNames": sorted(names)}


def inventory(group: JobPlan, settings: Settings) -> Object:
    """Build the inventory, which lists and owns all that is rendered.

    It owns the revisions so that deleting a workload deletes none of them. Its name never changes,
    and so neither does its uid: a workload may be deleted and created again. It is never in a later
    wave than a revision: between the two, a run could delete a revision that is wanted again.
    """
    linker = settings.linker
    marks = {
        keys.RENDERED: ",".join(sorted({revision.name for revision in group.rendered})),
        keys.LINKER_RUN: keys.SHARED_LINKER if linker.is_shared else "",
        keys.TOLD_KINDS: ",".join(linker.kinds),
        keys.LEAVING: "true" if settings.leave else "",
        keys.DEFAULT_NAMESPACE: group.default_namespace,
    }
    annotations = {**_filled(marks), **keep_new_name(settings.deployers)}
    metadata = _metadata(
        _name(settings), group.namespace, group.first_wave, _labels(settings), annotations
    )
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def tracker(
    revision: Revision, name: RevisionName, settings: Settings, marks: Mapping[str, str]
) -> Object:
    """Build an empty ConfigMap under the Secret's name: Secrets may be patched by name only.

    `name`: that of a Secret revision, or of what a producer makes, or of a producer that pods name.
    `marks`: further annotations.
    """
    wave = wave_of(revision.item)
    bases = {revision.name_of(one): one.base_name for one in revision.generated}
    annotations = {
        keys.BASE_NAME: bases.get(name.name, revision.base_name),
        keys.WANTED: "true",  # a deployer that applies it again gives it back before it is deleted (decision 9)
        **marks,
        **({keys.STANDS_FOR: name.kind} if name.kind != "Secret" else {}),
        **(
            {keys.MADE_BY: f"{revision.id.kind}/{revision.name}"}
            if not revision.item.is_config
            else {}
        ),
        **{one.annotation: one.value for one in protections_of(settings.deployers)},
        **keep_new_name(settings.deployers),
    }
    labels = _labels(settings, keys.TRACKER)
    metadata = _metadata(name.name, revision.item.id.namespace, wave, labels, annotations)
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def _given(**fields: NewValue) -> Object:
    return {name: value for name, value in fields.items() if value}


def _filled(annotations: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in annotations.items() if value}


def _by_group(kinds: Iterable[Kind]) -> dict[str, list[str]]:
    groups = defaultdict(set)
    for kind in kinds:
        groups[kind.group].add(kind.plural)
    return {group: sorted(plurals) for group, plurals in sorted(groups.items())}


def _rule(api_group: str, resources: list[str], verbs: list[str]) -> Object:
    return {"apiGroups": [api_group], "resources": resources, "verbs": verbs}


_RECORD = (_rule("", ["events"], ["create"]),)
"""It writes Events on workloads, which `kubectl describe` shows."""


def _name(settings: Settings) -> str:
    return f"{settings.set}-linker"


def _labels(settings: Settings, component: str = keys.LINKER) -> dict[str, str]:
    """Return the labels of an object of the linker.

    Where a deployer writes who manages an object, two values would differ for ever.
    """
    by_deployers = {mark for name in settings.deployers for mark in DEPLOYERS[name].marks}
    manager = {} if keys.MANAGED_BY in by_deployers else {keys.MANAGED_BY: "krm-fn"}
    return {**manager, **settings.linker.labels, **_identity(settings, component)}


def _pod_labels(settings: Settings) -> dict[str, str]:
    """Return the labels of the linker's pods. Another one would rename each Job."""
    return {**NO_SIDECAR_LABELS, **settings.linker.labels, **_identity(settings, keys.LINKER)}


def _identity(settings: Settings, component: str) -> dict[str, str]:
    return {keys.SET: settings.set, keys.COMPONENT: component}


def _metadata(
    name: str,
    namespace: str,
    wave: str,
    labels: Mapping[str, str],
    annotations: Mapping[str, str] = MappingProxyType({}),
) -> Object:
    all_annotations = {**annotations}
    if wave:
        all_annotations[SYNC_WAVE] = wave
    return {
        "name": name,
        **_given(namespace=namespace),
        "labels": labels,
        **_given(annotations=all_annotations),
    }


# The plans of the Jobs.


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
        rendered: set[RevisionName] = set()
        for consumer in consumers:
            rendered |= self._revisions_of[consumer]
        known_kinds, other_kinds = self._find_kinds(namespace, consumers)
        waves = _by_wave(consumers or revised)
        first = first_wave(waves[0][0], revised)
        # Where no consumer sets a namespace, the linker's objects set none either.
        own_namespace = namespace if any(one.id.namespace for one in consumers or revised) else ""
        is_set = {bool(one.id.namespace) for one in (*consumers, *revised)}
        default_namespace = namespace if len(is_set) > 1 else ""
        retained = tuple(sorted(self._retained[namespace] - rendered))
        has_job = bool(consumers) or self.settings.leave
        for wave, of_wave in waves if consumers else waves[:1]:
            workloads = [
                self._read_workload(one)
                for one in of_wave
                if one in self._revisions_of and _is_waited_for(one)
            ]
            awaited: set[RevisionName] = set()
            for workload in workloads:
                awaited.update(workload.revisions)
            plan = LinkPlan(
                set=self.settings.set,
                workloads=tuple(sorted(workloads)),
                # Each Job knows all that is rendered in its namespace: it must not delete what
                # another wave needs.
                revisions=tuple(sorted(rendered - awaited)),
                producers=tuple(sorted(self._producers.get(namespace, ()))),
                kinds=tuple(sorted(other_kinds)),
                timeout=self.settings.linker.timeout_seconds,
                minimum_age=self.settings.linker.minimum_age_seconds,
            )
            listed = (*known_kinds, *plan.kinds)
            yield JobPlan(
                own_namespace, wave, plan, listed, first, default_namespace, retained, has_job
            )

    def _find_kinds(self, namespace: str, consumers: list[Item]) -> tuple[list[Kind], set[Kind]]:
        """Return the kinds that every linker lists, and those that this one lists as well."""
        kinds = self._package.kinds
        requested = {kinds.of(who) for who in _requested_kinds(self.settings)}
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
                marks = _filled(
                    marks_for_linker(revision, self._consumers, self._package, self.settings)
                )
                for name in _tracked_names(revision, self._consumers):
                    if name.kind != "ConfigMap":
                        yield tracker(revision, name, self.settings, marks)

    def build_shared(self, group: JobPlan, namespace: str) -> list[Object]:
        """Build what all Jobs of a namespace need: the inventory, account, Role and RoleBinding."""
        return [inventory(group, self.settings), *access(group, self.settings, namespace)]

    def build_account_rules(self, group: JobPlan) -> list[Object]:
        """Build the rules that an account of the author's needs beside the Role that is emitted for it."""
        is_emitted = self.settings.linker.has_secrets_role
        named = [] if is_emitted else _named_rules(group, self.settings)
        return [*_build_rules(group), *named, *_RECORD]

    def build_cron_job(self, group: JobPlan, namespace: str, schedule: str, image: str) -> Object:
        """Build the CronJob for this image. `schedule`: that of a CronJob that is there.

        It counts if `H` in the configured one can become it. Nobody here knows which one it becomes:
        the namespace may have been set after krm-fn.
        """
        settings, linker = self.settings, self.settings.linker
        if linker.schedule and may_be_spread(linker.schedule, schedule):
            settings = settings._replace(linker=linker._replace(schedule=schedule))
        return cron_job(group, settings, namespace, image)


def _by_wave(consumers: Iterable[Item]) -> list[tuple[str, list[Item]]]:
    """Return the consumers of each wave, in the order in which waves are applied."""
    by_wave: dict[str, list[Item]] = defaultdict(list)
    for consumer in consumers:
        by_wave[wave_of(consumer)].append(consumer)
    return sorted(by_wave.items(), key=lambda pair: wave_order(pair[0]))


def _requested_kinds(settings: Settings) -> list[ResourceId]:
    """Return `spec.linker.kinds`, each as the id of an object without a name."""
    pairs = (text.rpartition("/") for text in settings.linker.kinds)
    return [ResourceId(api_version, kind, "", "") for api_version, _, kind in pairs]


def _with_add_ons(package: Package) -> set[str]:
    """Return the namespaces for which the package holds objects of Argo Rollouts."""
    groups = {kind.group for kind in ADD_ON_KINDS}
    candidates = [
        item for item in package.authored if item.id.group in groups and not item.is_local
    ]
    return {
        package.namespace_of(item)
        for item in candidates
        if package.kinds.of(item.id) in ADD_ON_KINDS
    }


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
    found = {_tracked_name(revision, one.reference) for one in consumers.get(revision.item, ())}
    if not found:
        found = {RevisionName("Secret", revision.name_of(one)) for one in revision.generated}
    if not found:
        found = {RevisionName(revision.id.kind, revision.name)}
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

    Hooks and Jobs may never do so.
    """
    kind = kind_of(consumer)
    is_immutable = kind is not None and kind.is_immutable
    return bool(consumer.id.name) and not is_hook(consumer) and not is_immutable


_DEFAULT_IMAGE = f"krm-fn:{__version__}"

_MAX_ANNOTATIONS = 200 * 1024
"""Characters. Kubernetes allows 256 KiB for all annotations of an object, those of deployers included."""

_MOST_FILES = 2
"""Configurations nearby that a warning names."""

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


_FOR_TOOLS = (
    "internal.config.kubernetes.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
    "internal.kpt.dev/",
    "kustomize.config.k8s.io/",
)
"""Annotations by which kpt and kustomize recognise an object: its file, its position in it, its id."""


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
    package, consumers, settings, environment = (
        run.package,
        run.consumers,
        run.settings,
        run.environment,
    )
    rendered = run.revisions.rendered
    linker = SetLinker(rendered, consumers, package, settings, run.revisions.names)
    groups, problems = linker.jobs, linker.problems
    # A RoleBinding must name the namespace of its ServiceAccount; an account of the author's has a
    # binding already.
    placed = [
        group
        for group in groups
        if _namespace(group, settings, environment)
        or not (group.has_job and access(group, settings, ""))
    ]
    wanted = [
        *linker.build_trackers(linker.rendered, placed),
        *_objects(placed, settings, environment),
    ]
    if len(placed) < len(groups):
        problems.append(_NO_NAMESPACE)
    has_secrets = any(revision.id.kind == "Secret" for revision in rendered)
    if has_secrets and not settings.linker.secrets:
        problems.append(_NO_SECRETS)
    if wanted and not settings.is_named:
        problems.append(_unnamed(settings, environment.unread))
    elif wanted and environment.unread:
        # The name of a release or an application names the set, so that nothing else shows the
        # mistake.
        message = f"set {settings.set} has no configuration, so all defaults apply; {_near(environment.unread)}"
        problems.append(Problem(message, severity=Severity.WARNING))
    if any(group.has_job for group in placed) and not settings.linker.is_shared:
        problems += _judge_image(package, settings, environment)
        problems += _judge_ttl(package, settings)
        problems += _judge_policies(package, placed, settings)
    problems += _report_unread(run)
    problems += _report_unknown(run)
    problems += [*_refused_kinds(package, settings), *_too_many(placed, package)]
    return wanted, [*problems, *_taken(package.authored, wanted)]


def _objects(
    groups: list[JobPlan], settings: Settings, environment: Environment
) -> Iterator[Object]:
    image = settings.linker.image or environment.image or _DEFAULT_IMAGE
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


def _too_many(groups: Iterable[JobPlan], package: Package) -> Problems:
    """Report namespaces with more revisions than an annotation can list.

    The Job's arguments have more room.
    """
    for namespace, rendered in {group.namespace: group.rendered for group in groups}.items():
        length = sum(len(revision.name) + 1 for revision in rendered)
        if length > _MAX_ANNOTATIONS:
            where = f" in namespace {namespace}" if namespace else ""
            message = f"{len(rendered)} revisions{where} do not fit into one inventory; split the set in two"
            yield Problem(message, package.config_id, "metadata.name")


def _refused_kinds(package: Package, settings: Settings) -> Problems:
    """Report entries of `spec.linker.kinds` that a Role must not or cannot name."""
    for index, who in enumerate(_requested_kinds(settings)):
        kind = package.kinds.of(who)
        field = f"spec.linker.kinds[{index}]"
        if not kind.is_listable:
            yield Problem(
                f"the linker must not list {kind.plural!r}; remove the entry",
                package.config_id,
                field,
            )
        elif not kind.is_namespaced:
            message = f"{kind.kind} is cluster-scoped, and the linker only looks into one namespace"
            yield Problem(message, package.config_id, field)


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
                names = listing(
                    (f"{kind.api_version}/{kind.kind}" for kind in unread), is_sentence=True
                )
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
            names = listing(
                sorted(f"{kind.api_version}/{kind.kind}" for kind in unknown), is_sentence=True
            )
            message = (
                f"the linker never deletes what {readers} has referenced: other objects may be made of it and keep a "
                f"copy, and krm-fn does not know their kinds; add {names}, and any such kind, to spec.linker.kinds"
            )
            yield warning(revision.item, message, resource=revision.base_id)


def _taken(authored: Iterable[Item], wanted: Iterable[Object]) -> Problems:
    """Report the author's objects that have the names of the linker's."""
    names = {_name_of(one) for one in wanted}
    for item in authored:
        if (item.id.kind, item.id.namespace, item.id.name) in names:
            yield about(
                item,
                "has the name of an object that the linker needs; rename it, or rename the set",
            )


def _near(unread: Sequence[NearbyConfig]) -> str:
    """Name files that nobody has passed."""
    files = " and ".join(one.file for one in unread[:_MOST_FILES])
    return f"found {files}, unread: pass --config {unread[0].file}, or {unread[0].remedy}"


def _unnamed(settings: Settings, unread: Sequence[NearbyConfig]) -> Problem:
    near = f"{_near(unread)}; " if unread else ""
    message = (
        f"the set has no name of its own, and is called {settings.set}: two such packages in one namespace overwrite "
        f"each other's inventory and Role; {near}set metadata.name in a configuration, and, if this package is "
        f"deployed already, spec.takeOver: [{settings.set}]"
    )
    return Problem(message, severity=Severity.WARNING)


def _judge_image(package: Package, settings: Settings, environment: Environment) -> Problems:
    """Report an image that nobody has set, that is none, or that is of another version."""
    image = settings.linker.image
    version = version_of(image or "")
    if not image and not environment.image:
        message = (
            f"not set, so the linker's Job gets image {_DEFAULT_IMAGE}, which no registry has; "
            "push the image, and set its name here or in the environment variable KRM_FN_IMAGE"
        )
        yield Problem(message, package.config_id, "spec.linker.image", Severity.WARNING)
    elif not image and not is_image(environment.image):
        yield Problem(
            f'KRM_FN_IMAGE: found "{environment.image}", which no registry accepts: expected {EXPECTED_IMAGE}'
        )
    elif version not in ("", __version__):
        message = (
            f"image {image} is of version {version}, and this program is {__version__}: the Job must understand what "
            "the function wrote; use the same version for both"
        )
        yield Problem(message, package.config_id, "spec.linker.image", Severity.WARNING)


def _judge_ttl(package: Package, settings: Settings) -> Problems:
    """Warn about a Job that goes by itself, where a deployer creates again what is missing."""
    again = [name for name in settings.deployers if DEPLOYERS[name].repairs_drift]
    if settings.linker.ttl_seconds_after_finished is not None and again:
        message = (
            f"spec.deployers has {listing(again, is_sentence=True)}: the Job that Kubernetes deletes is missing, so it "
            "is created, and runs, again and again; remove this field, or name other deployers if these do not apply it"
        )
        field = "spec.linker.ttlSecondsAfterFinished"
        yield Problem(message, package.config_id, field, Severity.WARNING)


def _judge_policies(package: Package, groups: Iterable[JobPlan], settings: Settings) -> Problems:
    if any(item.id.kind == "NetworkPolicy" for item in package.authored):
        from krm_fn.extras.shut_in import find_shut_in

        namespaces = {group.namespace or package.namespace for group in groups}
        yield from find_shut_in(package, namespaces, _pod_labels(settings))


def upsert(own: list[Item], wanted: list[Object]) -> Changes:
    """Replace objects that have the same part as before, add new ones, and remove obsolete ones.

    Several may have one part: Secrets of one base name, in subpackages of kpt, have a tracker each.
    Those that keep their names keep their places, and the others take the places that are left.
    """
    # Were they added beside those of the run before, kustomize would refuse the output, and kpt
    # keep both.
    open_ = {_name_of(one): one for one in wanted}  # equal Secrets share a tracker
    complete: list[tuple[Item, Object]] = []
    for key_of in (_name_of, _part_of):
        places: dict[tuple[str, ...], list[Item]] = defaultdict(list)
        taken = {item for item, _ in complete}
        for item in own:
            if item not in taken:
                places[key_of(_read(item))].append(item)
        for name, one in list(open_.items()):
            if free := places[key_of(one)]:
                item = free.pop(0)
                complete.append((item, _with_tool_annotations(open_.pop(name), item)))
    stays = {item.node for item, _ in complete}  # through a YAML alias two items may share one node
    return Changes(
        replace=tuple((item, one) for item, one in complete if _text_of(one) != _plain(item.node)),
        remove=tuple(item for item in own if item.node not in stays),
        add=tuple(open_.values()),
    )


def _read(item: Item) -> Any:
    metadata = {
        "name": item.id.name,
        "namespace": item.id.namespace,
        "annotations": item.annotations,
    }
    return {"kind": item.id.kind, "metadata": metadata}


def _name_of(one: Any) -> tuple[str, ...]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def _part_of(one: Any) -> tuple[str, ...]:
    """Return the part of an object: a wave's Job, a Secret's tracker, a namespace's Role."""
    kind, namespace, name = _name_of(one)
    annotations = one["metadata"].get("annotations", {})
    lasting = {
        "Job": annotations.get(SYNC_WAVE, ""),
        "ConfigMap": annotations.get(keys.BASE_NAME, ""),
    }
    return kind, namespace, lasting.get(kind, name)


def _with_tool_annotations(wanted: Any, item: Item) -> Object:
    metadata = wanted["metadata"]
    # Without these, kpt would write the object into another file.
    kept = {name: value for name, value in item.annotations.items() if name.startswith(_FOR_TOOLS)}
    annotations = {**metadata.get("annotations", {}), **kept}
    return {
        **wanted,
        "metadata": {**metadata, **({"annotations": annotations} if annotations else {})},
    }


def _plain(node: Node) -> Any:
    """Return an object with every scalar as its text, for comparing."""
    if is_mapping(node):
        return {name: _plain(value) for name, value in entries(node)}
    return [_plain(value) for value in node.value] if is_sequence(node) else node.value


def _text_of(value: Any) -> Any:
    """Return the same of an object that this project builds."""
    if isinstance(value, Mapping):
        return {name: _text_of(field) for name, field in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [*map(_text_of, value)]
    return str(value).lower() if isinstance(value, bool) else str(value)
