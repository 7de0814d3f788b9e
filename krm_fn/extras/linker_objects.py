"""Build the objects that run the linker: its Jobs, its permissions, its inventory and its trackers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType

from krm_fn import __version__
from krm_fn.base import keys
from krm_fn.base.changes import Object
from krm_fn.base.deployer import SYNC_WAVE, keep_new_name, protections_of, wave_of
from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import PLAN_VERSION, JobPlan, RevisionName
from krm_fn.base.node import NewValue
from krm_fn.base.settings import NO_SIDECAR_ANNOTATIONS, NO_SIDECAR_LABELS, Settings
from krm_fn.core.decide.revisions import Revision
from krm_fn.core.names.names import content_name, cron_job_name, version_of

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


def cron_job(group: JobPlan, settings: Settings, namespace: str, image: str) -> Object:
    """Build the CronJob that runs the linker between releases: the pod of the Job, but it waits for nothing.

    `group`: that of `merge_plans`. `namespace`: where it will be applied, as far as the function knows. Its name never
    changes, so that nothing but its plan differs between releases.
    """
    linker = settings.linker
    ttl = linker.ttl_seconds_after_finished
    labels = {**linker.labels, **_labels(settings)}
    spec: Object = {
        "schedule": spread_schedule(linker.schedule or _WHEN_RESUMED, namespace, settings.set),
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


def spread_schedule(schedule: str, namespace: str, set_name: str) -> str:
    """Return a plain schedule, with a minute and an hour in place of each `H`.

    They are chosen by the SHA-256 of `<namespace>/<set>`: where 2,000 sets all ran at minute 0, 2,000 pods would start
    at once, and ask the API server at once. Whoever renders, and whenever, gets the same.
    """
    return _place_schedule(schedule, int(sha256(f"{namespace}/{set_name}".encode()).hexdigest(), 16))


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
    return " ".join([_place_field(minute, number, 60), _place_field(hour, number // 60, 24), others])


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
    # An image of this version needs no telling, and so the Job is the same in each package of a version.
    is_other = version_of(linker.image or "") not in ("", __version__)
    environment: list[NewValue] = [{"name": PLAN_VERSION, "value": __version__}] if is_other else []
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
                **_given(env=environment),
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
        **{one.annotation: one.value for one in protections_of(settings.deployers)},
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
