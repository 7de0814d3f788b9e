"""Build the objects that run the linker: its Jobs, its permissions, its inventory and its trackers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from krm_fn.base import keys
from krm_fn.base.changes import Object
from krm_fn.base.deployer import PROTECTIONS, SYNC_WAVE, first_wave, is_hook, keep_new_name, wave_of, wave_order
from krm_fn.base.item import Item
from krm_fn.base.kind import ADD_ON_KINDS, CONSUMER_KINDS, Kind, Kinds, kind_of
from krm_fn.base.link_plan import JobPlan, LinkPlan, ProducerName, RevisionName, Workload
from krm_fn.base.node import NewValue
from krm_fn.base.problem import ResourceId
from krm_fn.base.settings import NO_SIDECAR_ANNOTATIONS, NO_SIDECAR_LABELS, Settings
from krm_fn.core.decide.package import Package
from krm_fn.core.decide.revisions import Consumers, Revision
from krm_fn.core.names.names import content_name, cron_job_name
from krm_fn.core.references.reference import Reference

START_SECONDS = 300
"""What the Job may need beyond the linker's own timeout: a new node, the image, the start of the program."""

_RETRIES = 2
"""For a pod that was evicted, or whose node failed. The linker itself repeats requests, and the deadline covers all."""

_WHEN_RESUMED = "@hourly"
"""The schedule of a suspended CronJob, which the API server wants all the same."""

_DAY = 86_400
"""After that, Kubernetes deletes a scheduled Job. One that has failed would alert until the next one fails."""

# Together the restricted Pod Security Standard. No user id: the image says 65534, and OpenShift hands out its own.
_POD_SECURITY: dict[str, NewValue] = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}

_CONTAINER_SECURITY: dict[str, NewValue] = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}

# What Kubernetes mounts by itself, but with a token that expires after ten minutes, the shortest time that it allows.
# The kubelet renews it while the pod runs, and the linker reads it again.
_TOKEN = "token"  # noqa: S105  # the name of a volume
_TOKEN_VOLUME: dict[str, NewValue] = {
    "name": _TOKEN,
    "projected": {
        "sources": [
            {"serviceAccountToken": {"path": "token", "expirationSeconds": 600}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
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

    A hook, or a later wave, would wait for the end of a canary. Its name changes if and only if its spec does, because
    the spec of a Job is immutable.
    """
    linker = settings.linker
    spec = _job_spec(group, settings, image, linker.ttl_seconds_after_finished)
    name = content_name(settings.set, "-link", spec)
    labels = {**linker.labels, **_labels(settings)}
    metadata = _metadata(name, group.namespace, group.wave, labels, linker.annotations)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def cron_job(group: JobPlan, settings: Settings, image: str) -> Object:
    """Build the CronJob that runs the linker between releases: the pod of the Job, but it waits for nothing.

    `group`: that of `merge_plans`. Its name never changes, so that nothing but its plan differs between releases.
    """
    linker = settings.linker
    ttl = linker.ttl_seconds_after_finished
    labels = {**linker.labels, **_labels(settings)}
    spec: Object = {
        "schedule": linker.schedule or _WHEN_RESUMED,
        # What is not written, people may set: a CronJob that they suspend stays so in the next release.
        **({} if linker.schedule else {"suspend": True}),
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


def _job_spec(group: JobPlan, settings: Settings, image: str, ttl: int | None) -> Object:
    linker = settings.linker
    return {
        "backoffLimit": _RETRIES,
        "activeDeadlineSeconds": linker.timeout_seconds + START_SECONDS,
        # By default none: Argo CD and Flux would create the Job again and again that Kubernetes has deleted.
        **({} if ttl is None else {"ttlSecondsAfterFinished": ttl}),
        "template": {
            "metadata": {
                "labels": {**NO_SIDECAR_LABELS, **linker.labels, **_labels(settings)},
                "annotations": {**NO_SIDECAR_ANNOTATIONS, **linker.annotations},
            },
            "spec": _pod_spec(group, settings, image),
        },
    }


def _pod_spec(group: JobPlan, settings: Settings, image: str) -> Object:
    linker = settings.linker
    return {
        "serviceAccountName": linker.service_account_name or _name(settings),
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
                "resources": linker.resources,
                "securityContext": _CONTAINER_SECURITY,
                "volumeMounts": [_TOKEN_MOUNT],
            }
        ],
        "volumes": [_TOKEN_VOLUME],
    }


def access(group: JobPlan, settings: Settings, subject_namespace: str) -> list[Object]:
    """Build ServiceAccount, Role and RoleBinding: for one namespace, with no verb that the linker does not use.

    `group`: any of its namespace. What all Jobs need is there before the first of them.
    """
    name = _name(settings)
    metadata = _metadata(name, group.namespace, group.first_wave, _labels(settings))
    rbac = "rbac.authorization.k8s.io"
    subject = {"kind": "ServiceAccount", "name": name, "namespace": subject_namespace}
    return [
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": metadata,
            "automountServiceAccountToken": False,
        },
        {"apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": metadata, "rules": list(_rules(group, settings))},
        {
            "apiVersion": f"{rbac}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": name},
            "subjects": [subject],
        },
    ]


def _rules(group: JobPlan, settings: Settings) -> Iterator[Object]:
    # The linker reads by `list` alone, so nothing grants `get` or `watch` of these (decision 10).
    for api_group, plurals in _by_group(group.listed).items():
        yield _rule(api_group, plurals, ["list"])
    yield _rule("", ["configmaps"], ["list", "patch", "delete"])
    # RBAC honours names for `get` and `patch`, but not for `list`. OpenShift refuses owners on what one may not delete.
    verbs = ["get", "patch", *(["delete"] if settings.linker.openshift else [])]
    if group.plan.secrets:
        yield {**_rule("", ["secrets"], verbs), "resourceNames": sorted(group.plan.secrets)}
    producers = defaultdict(set)
    for producer in group.plan.producers:
        producers[producer.kind.group, producer.kind.plural].add(producer.name)
    for (api_group, plural), names in sorted(producers.items()):
        yield {**_rule(api_group, [plural], verbs), "resourceNames": sorted(names)}
    yield _rule("", ["events"], ["create"])


def inventory(group: JobPlan, settings: Settings) -> Object:
    """Build the ConfigMap that lists what is rendered and owns it, so that deleting a workload deletes no revision.

    Its name never changes, and so neither does its uid: a workload may be deleted and created again. It is never in a
    later wave than a revision: between the two, a run could delete a revision that is wanted again.
    """
    names = ",".join(sorted({revision.name for revision in group.plan.rendered}))
    annotations = {keys.RENDERED: names, **keep_new_name(settings.deployers)}
    metadata = _metadata(_name(settings), group.namespace, group.first_wave, _labels(settings), annotations)
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def tracker(revision: Revision, name: RevisionName, settings: Settings) -> Object:
    """Build an empty ConfigMap under the Secret's name: the linker may patch ConfigMaps, and Secrets by name only.

    `name`: that of a Secret revision, or of what a producer makes, or of a producer that pods name.
    """
    wave = wave_of(revision.item)
    bases = {revision.name_of(one): one.base_name for one in revision.generated}
    annotations = {
        keys.BASE_NAME: bases.get(name.name, revision.base_name),
        keys.WANTED: "true",  # a deployer that applies it again gives it back before it is deleted (decision 9)
        **({keys.STANDS_FOR: name.kind} if name.kind != "Secret" else {}),
        **({keys.MADE_BY: f"{revision.id.kind}/{revision.name}"} if not revision.item.is_config else {}),
        **{one.annotation: one.value for deployer in settings.deployers for one in PROTECTIONS[deployer]},
        **keep_new_name(settings.deployers),
    }
    labels = {keys.SET: settings.set, keys.COMPONENT: keys.TRACKER}
    metadata = _metadata(name.name, revision.item.id.namespace, wave, labels, annotations)
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def _given(**fields: NewValue) -> Object:
    return {name: value for name, value in fields.items() if value}


def _by_group(kinds: Iterable[Kind]) -> dict[str, list[str]]:
    groups = defaultdict(set)
    for kind in kinds:
        groups[kind.group].add(kind.plural)
    return {group: sorted(plurals) for group, plurals in sorted(groups.items())}


def _rule(api_group: str, resources: list[str], verbs: list[str]) -> Object:
    return {"apiGroups": [api_group], "resources": resources, "verbs": verbs}


def _name(settings: Settings) -> str:
    return f"{settings.set}-linker"


def _labels(settings: Settings) -> dict[str, str]:
    return {keys.SET: settings.set, keys.COMPONENT: keys.LINKER}


def _metadata(
    name: str,
    namespace: str,
    wave: str,
    labels: Mapping[str, str],
    annotations: Mapping[str, str] = MappingProxyType({}),
) -> Object:
    all_annotations = {**annotations, **({SYNC_WAVE: wave} if wave else {})}
    return {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        "labels": labels,
        **({"annotations": all_annotations} if all_annotations else {}),
    }


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
        rendered = {name for consumer in of_namespace for name in revisions_of[consumer]}
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
            referenced = {name for workload in workloads for name in workload.revisions}
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
