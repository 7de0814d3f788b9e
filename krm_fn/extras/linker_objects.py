"""Build the objects that run the linker in one namespace, each from its plan and the settings."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType

from krm_fn import __version__
from krm_fn.base import keys
from krm_fn.base.changes import Object
from krm_fn.base.kind import DEPLOYERS, SYNC_WAVE, Kind, keep_new_name, protections_of, wave_of
from krm_fn.base.link_plan import PLAN_VERSION, JobPlan, RevisionName
from krm_fn.base.node import NewValue
from krm_fn.base.settings import (
    DEFAULT_SET,
    NO_SIDECAR_ANNOTATIONS,
    NO_SIDECAR_LABELS,
    Settings,
    version_of,
)
from krm_fn.core.decide.run import Revision
from krm_fn.core.names.names import content_name, cron_job_name

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
                "labels": pod_labels(settings),
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
    rules = _rules_of_role(group, settings)
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


def needs_binding(group: JobPlan, settings: Settings) -> bool:
    """Tell whether the namespace needs a RoleBinding. An account of the author's may have its own."""
    return group.has_job and bool(_rules_of_role(group, settings))


def _rules_of_role(group: JobPlan, settings: Settings) -> list[Object]:
    named = [*_named_rules(group, settings)]
    if settings.linker.account is None:
        return [*_build_rules(group), *named, *_RECORD]
    return named if settings.linker.has_secrets_role else []


def build_account_rules(group: JobPlan, settings: Settings) -> list[Object]:
    """Build the rules that an account of the author's needs beside the Role that is emitted for it."""
    named = [] if settings.linker.has_secrets_role else _named_rules(group, settings)
    return [*_build_rules(group), *named, *_RECORD]


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
        # What had no name may be of several packages.
        keys.FORMER_SETS: ",".join(one for one in settings.take_over if one != DEFAULT_SET),
        keys.LEAVING: "true" if settings.leave else "",
        keys.DEFAULT_NAMESPACE: group.default_namespace,
    }
    annotations = {**_filled(marks), **keep_new_name(settings.deployers)}
    metadata = _metadata(
        _name(settings), group.namespace, group.first_wave, _labels(settings), annotations
    )
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def tracker(
    revision: Revision, name: RevisionName, settings: Settings, marks: Mapping[str, str | None]
) -> Object:
    """Build an empty ConfigMap under the Secret's name: Secrets may be patched by name only.

    `name`: that of a Secret revision, or of what a producer makes, or of a producer that pods name.
    `marks`: further annotations.
    """
    wave = wave_of(revision.item)
    bases = {revision.name_of(one): one.base_name for one in revision.generated}
    stands_for = "" if name.kind == "Secret" else name.kind
    made_by = "" if revision.item.is_config else f"{revision.id.kind}/{revision.name}"
    annotations = {
        keys.BASE_NAME: bases.get(name.name, revision.base_name),
        keys.WANTED: "true",  # a deployer that applies it again gives it back before it is deleted (decision 9)
        **_filled({**marks, keys.STANDS_FOR: stands_for, keys.MADE_BY: made_by}),
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


def pod_labels(settings: Settings) -> dict[str, str]:
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
