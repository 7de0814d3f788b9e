"""What comes of a rendering in a cluster, by other means than those of verify.

The objects are applied as a release: after the one before, and before the next. The real linker
runs with the plans of the Job and of the CronJob, between the controllers and the garbage
collector. Beside that, four rules: pods start if what they read is there with its keys; an object
that is applied again keeps what its name stands for; deployers apply, keep and order objects by
their annotations; and the linker's account may do what it could.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan, Unreadable, read_arguments
from krm_fn.linker.link import link
from krm_fn.linker.report import Report
from krm_fn.linker.retry import OutOfTime
from tests.function.openapi import find_errors
from tests.linker import controllers, garbage_collector
from tests.linker.fake_cluster import FakeCluster
from tests.linker.model.deployers import apply, key_of
from tests.linker.object_store import NAMESPACE, Object, ObjectStore

WORKLOADS = ("Deployment", "Rollout")
IMAGE = "registry.example/krm-fn:0.2.0"
"""The only one that a registry has."""

OLD = 3600.0
"""Seconds. A revision of this age may be deleted."""

_FIXED = {
    "Job": ("spec",),
    "RoleBinding": ("roleRef",),
    "Deployment": ("selector",),
}
"""Fields that the API server does not let change under one name."""


class Release:
    """A rendering, and what an installation of it is to the linker."""

    def __init__(self, objects: list[Object]) -> None:
        self.objects = [one for one in objects if one["metadata"].get("namespace") == NAMESPACE]

    def of_kind(self, kind: str) -> list[Object]:
        return [one for one in self.objects if one["kind"] == kind]

    def find_plans(self, kind: str) -> list[LinkPlan]:
        """Return the plans with which the pods of a kind run the linker, as far as they do."""
        return [plan for one in self.of_kind(kind) if (plan := _read_plan(_pod_of(one)))]


def _pod_of(item: Object) -> Any:
    spec = item.get("spec", {})
    spec = spec.get("jobTemplate", {}).get("spec", {}) if item["kind"] == "CronJob" else spec
    return spec.get("template", {}).get("spec", {})


def _read_plan(pod: Any) -> LinkPlan | None:
    for container in pod.get("containers", ()):
        arguments: list[str] = container.get("args", [])
        is_program = not container.get("command") and container.get("image") == IMAGE
        if arguments[:1] == ["link"] and is_program:
            with suppress(Unreadable):
                return read_arguments(arguments[1:])
    return None


def find_harm(before: list[Object], after: list[Object], following: list[Object]) -> list[str]:
    """Return what is worse in `after` than in `before`. `following`: the next release."""
    invalid = [*_invalid(before, after)]
    if invalid:
        return invalid
    if any(not one.get("metadata", {}).get("name") for one in after):
        return ["refused: an object without a name"]
    first, second = Release(before), Release(after)
    found = [
        *_refused(first, second),
        *_refused_next(second, Release(following)),
        *_gone_or_stuck(second),
        *_refused_by_rule(second),
        *_pods_that_wait(second),
        *_passed_over(second),
        *_pruned(second),
        *_out_of_order(second),
    ]
    found += [f"the linker may not {one}" for one in sorted(_rights(first) - _rights(second))]
    found += _run_time(first, second)
    return found or [*_differences(json.dumps([before, following]), second, Release(following))]


def _invalid(before: list[Object], after: list[Object]) -> Iterator[str]:
    """Find objects with a field that is no such field, or of another type: then nothing else can be asked."""
    for one in after:
        if one not in before:
            yield from (f"refused: {line}" for line in (find_errors(one) or [])[:1])


def _refused(before: Release, after: Release) -> Iterator[str]:
    """Find what the API server refuses because a field must not change under one name."""
    earlier = {key_of(one): one for one in before.objects}
    for one in after.objects:
        if one == earlier.get(key_of(one)):
            continue
        former = earlier.get(key_of(one))
        for field in _FIXED.get(one["kind"], ()) if former else ():
            if former and former.get(field) != one.get(field):
                yield f"refused: {field} of a {one['kind']} cannot change"
        if (
            former
            and keys.BASE_NAME in former["metadata"].get("annotations", {})
            and "immutable" in former
        ):
            if former.get("type") != one.get("type"):
                yield "refused: the type of a Secret cannot change"
            if any(
                former.get(field) != one.get(field)
                for field in ("data", "stringData", "binaryData")
            ):
                yield "pods that run already get other content under the name that they know"
            if not one.get("immutable"):
                yield "refused: immutable cannot be taken back"


def _refused_next(after: Release, following: Release) -> Iterator[str]:
    """Find what the next release cannot change any more."""
    later = {key_of(one): one for one in following.objects}
    for one in after.objects:
        other = later.get(key_of(one), {})
        if other and one.get("immutable") and not other.get("immutable"):
            yield f"refused in the next release: immutable of {'/'.join(key_of(one))}"


def _gone_or_stuck(release: Release) -> Iterator[str]:
    """Find metadata by which the cluster deletes an object, or keeps it for ever, or that only a live one has."""
    for one in filter(_is_ours, release.objects):
        who, metadata = "/".join(key_of(one)), one["metadata"]
        if metadata.get("ownerReferences"):
            yield f"the garbage collector deletes {who}: no such owner"
        if metadata.get("finalizers"):
            yield f"{who} stays for ever"
        if any(metadata.get(name) for name in ("uid", "resourceVersion", "managedFields")):
            yield f"refused: {who} has what only a live object has"


def _refused_by_rule(after: Release) -> Iterator[str]:
    """Find what the API server refuses though the schema allows it."""
    for one in after.of_kind("Role"):
        if any(rule.get("nonResourceURLs") for rule in one.get("rules", ())):
            yield "refused: a Role of URLs"
    for one in after.of_kind("RoleBinding"):
        accounts = [who for who in one.get("subjects", ()) if who["kind"] == "ServiceAccount"]
        if any(who.get("apiGroup") for who in accounts):
            yield "refused: a ServiceAccount of a group"
    for kind in ("Deployment", "Job", "CronJob"):
        for one in after.of_kind(kind):
            volumes = [volume.get("name") for volume in _pod_of(one).get("volumes", ())]
            if len(volumes) != len(set(volumes)):
                yield f"refused: two volumes of one name in {kind}"


def _pods_that_wait(release: Release) -> Iterator[str]:
    """Find pods that never start: a name or a key that they read is not there."""
    held = {
        key_of(one): {
            key for field in ("data", "stringData", "binaryData") for key in one.get(field, {})
        }
        for one in release.objects
        if one["kind"] in ("ConfigMap", "Secret")
    }
    for workload in release.objects:
        if workload["kind"] in WORKLOADS:
            for kind, name, wanted in _reads(_pod_of(workload)):
                if (kind, name) not in held or not wanted <= held[kind, name]:
                    yield f"pods of {workload['metadata']['name']} wait for {kind} {name}"


def _reads(pod: Any) -> Iterator[tuple[str, str, set[str]]]:
    sources: list[tuple[str, Any, str, set[str]]] = []
    for container in pod.get("containers", ()):
        for one in container.get("envFrom", ()):
            sources += [
                ("ConfigMap", one.get("configMapRef"), "name", set()),
                ("Secret", one.get("secretRef"), "name", set()),
            ]
        for one in (variable.get("valueFrom", {}) for variable in container.get("env", ())):
            for kind, field in (("ConfigMap", "configMapKeyRef"), ("Secret", "secretKeyRef")):
                sources.append((kind, one.get(field), "name", {one.get(field, {}).get("key", "")}))
    for volume in pod.get("volumes", ()):
        for kind, field, name in (
            ("ConfigMap", "configMap", "name"),
            ("Secret", "secret", "secretName"),
        ):
            items = {item.get("key", "") for item in volume.get(field, {}).get("items", ())}
            sources.append((kind, volume.get(field), name, items))
    for kind, source, name, wanted in sources:
        if source and not source.get("optional"):
            yield kind, source.get(name, ""), wanted


def _is_ours(one: Object) -> bool:
    return keys.SET in one["metadata"].get("labels", {})


def _passed_over(release: Release) -> Iterator[str]:
    """Find what a deployer does not apply or not keep, by the pages of Argo CD, Flux and kpt on these annotations."""
    for one in filter(_is_ours, release.objects):
        who, annotations = "/".join(key_of(one)), one["metadata"].get("annotations", {})
        marks = {**one["metadata"].get("labels", {}), **annotations}
        flux = "kustomize.toolkit.fluxcd.io/"
        if "argocd.argoproj.io/hook" in marks or "helm.sh/hook" in marks:
            yield f"Argo CD deletes {who}, a hook"
        if (
            marks.get(f"{flux}reconcile", "").lower() == "disabled"
            or marks.get(f"{flux}ssa", "").lower() == "ignore"
        ):
            yield f"Flux does not apply {who}"
        options = annotations.get("argocd.argoproj.io/sync-options", "").split(",")
        if {"Force=true", "Replace=true"}.issubset(options) and one["kind"] != "Job":
            yield f"Argo CD makes another object of {who} on each sync, which nothing owns"
        if marks.get(f"{flux}ssa", "").lower() == "ifnotpresent" and one["kind"] != "Job":
            yield f"Flux does not apply {who} again"
        if annotations.get("config.kubernetes.io/local-config", "false") != "false":
            yield f"kpt does not apply {who}"


def _pruned(release: Release) -> Iterator[str]:
    """Find revisions and trackers that a deployer deletes once they are no longer rendered."""
    flux = "kustomize.toolkit.fluxcd.io/"
    for one in filter(_is_ours, release.objects):
        who, annotations = "/".join(key_of(one)), one["metadata"].get("annotations", {})
        if one["kind"] in ("ConfigMap", "Secret") and keys.BASE_NAME in annotations:
            options = annotations.get("argocd.argoproj.io/sync-options", "").split(",")
            if "Prune=false" not in options:
                yield f"Argo CD prunes {who}"
            if annotations.get(f"{flux}prune") != "disabled":
                yield f"Flux prunes {who}"
            if annotations.get("client.lifecycle.config.k8s.io/deletion") != "detach":
                yield f"kpt prunes {who}"
            if "IgnoreExtraneous" not in annotations.get("argocd.argoproj.io/compare-options", ""):
                yield f"Argo CD reports {who} as obsolete"


def _out_of_order(release: Release) -> Iterator[str]:
    """Find objects that Argo CD applies after what needs them, and so never: it waits for that to become healthy."""
    waves = {key_of(one): _wave(one) for one in release.objects}
    for workload in release.objects:
        if workload["kind"] in WORKLOADS:
            for kind, name, _ in _reads(_pod_of(workload)):
                if waves.get((kind, name), 0) > _wave(workload):
                    yield f"{kind} {name} comes after its pods"
    first = min([_wave(one) for one in release.of_kind("Job") if _is_ours(one)], default=0)
    for one in filter(_is_ours, release.objects):
        needed = one["kind"] in ("ServiceAccount", "Role", "RoleBinding", "ConfigMap")
        if needed and _wave(one) > first:
            yield f"{'/'.join(key_of(one))} comes after the Job"
    inventories = [
        _wave(one)
        for one in release.of_kind("ConfigMap")
        if keys.RENDERED in one["metadata"].get("annotations", {})
    ]
    revisions = [
        _wave(one)
        for one in release.of_kind("ConfigMap")
        if keys.BASE_NAME in one["metadata"].get("annotations", {})
    ]
    if inventories and revisions and min(revisions) < max(inventories):
        yield "a revision comes before the inventory"
    if any(
        _wave(one) < min(map(_wave, release.of_kind("Deployment")))
        for one in release.of_kind("Job")
    ):
        yield "the Job comes before its workloads, and Argo CD waits for its end"
    if any(
        _wave(one) > max(map(_wave, release.of_kind("Deployment")))
        for one in release.of_kind("Job")
    ):
        yield "the Job comes after its workloads, and waits for the end of a canary"


def _wave(one: Object) -> int:
    return int(one["metadata"].get("annotations", {}).get("argocd.argoproj.io/sync-wave", "0"))


def _rights(release: Release) -> set[str]:
    """Return what each pod of the linker may do, as RBAC grants it to its account."""
    accounts = {one["metadata"]["name"] for one in release.of_kind("ServiceAccount")}
    roles = {one["metadata"]["name"]: one for one in release.of_kind("Role")}
    rights = set()
    for pod in [_pod_of(one) for kind in ("Job", "CronJob") for one in release.of_kind(kind)]:
        account = pod.get("serviceAccountName", "")
        for binding in release.of_kind("RoleBinding") if account in accounts else ():
            is_complete = bool(binding.get("roleRef", {}).get("name"))
            subject = {"kind": "ServiceAccount", "name": account, "namespace": NAMESPACE}
            is_bound = any(subject.items() <= one.items() for one in binding.get("subjects", ()))
            is_complete = is_complete and binding["roleRef"].get("kind") == "Role"
            role = roles.get(binding["roleRef"]["name"]) if is_complete else None
            rights |= {*_granted(role)} if is_bound and role else set()
    return rights


def _granted(role: Object) -> Iterator[str]:
    for rule in role.get("rules", ()):
        for group in rule.get("apiGroups", ()):
            for resource in rule.get("resources", ()):
                for verb in rule.get("verbs", ()):
                    for name in rule.get("resourceNames", ("",)):
                        yield f"{verb} {resource}.{group} {name}"


def _run_time(before: Release, after: Release) -> Iterator[str]:
    """Find what keeps a pod of the linker from its work, though it is there: a token, a right place, time."""
    for kind in ("Job", "CronJob"):
        if len(after.find_plans(kind)) < len(before.find_plans(kind)):
            yield f"no {kind} runs the linker"
        if kind == "CronJob" and any(plan.waits for plan in after.find_plans(kind)):
            yield "each run of the CronJob waits for what no release is about to bring"
        earlier = {key_of(one): _pod_of(one) for one in before.of_kind(kind)}
        for one in after.of_kind(kind):
            pod, former = _pod_of(one), earlier.get(key_of(one))
            if former is None:
                continue
            for field in ("volumes", "restartPolicy"):
                if pod.get(field) != former.get(field) and not _holds(
                    pod.get(field), former.get(field)
                ):
                    yield f"pods of the {kind} have no token, or do not end"
            mounts = [container.get("volumeMounts") for container in pod.get("containers", ())]
            wanted = [container.get("volumeMounts") for container in former.get("containers", ())]
            if not any(_holds(mounts_of, wanted[0]) for mounts_of in mounts):
                yield f"pods of the {kind} have no token"


def _holds(found: Any, wanted: Any) -> bool:
    """Tell whether all that is wanted is there."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            _holds(found.get(name), value) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(found, list) and all(
            any(_holds(one, value) for one in found) for value in wanted
        )
    return bool(found == wanted)


def _differences(both: str, after: Release, following: Release) -> Iterator[str]:
    expected = _outcome_of(both)
    found = _live(after, following)
    for stage, outcome in expected.items():
        if found[stage] != outcome:
            for name in sorted(outcome.keys() | found[stage].keys()):
                is_now, should_be = found[stage].get(name, "gone"), outcome.get(name, "gone")
                if is_now != should_be:
                    yield f"{stage}: {name} is {is_now}, and should be {should_be}"


@cache
def _outcome_of(both: str) -> dict[str, dict[str, str]]:
    """Return the outcome without a change: of a release and the next one."""
    before, following = map(Release, json.loads(both))
    return _live(before, following)


def _live(release: Release, following: Release) -> dict[str, dict[str, str]]:
    """Run a release to its end and beyond. Returns what there is of it, in stages."""
    stages: dict[str, dict[str, str]] = {}
    for kind in ("Job", "CronJob"):
        store = ObjectStore()
        _apply(store, release.objects)
        _reconcile(store)
        _link(store, release.find_plans(kind))
        stages[f"after its {kind}"] = _summary(store)
        # The next release, and nothing is left that references this one.
        _apply(store, following.objects)
        _reconcile(store)
        store.clock += OLD
        _trim(store)
        going_back = _copy(store)
        _link(store, following.find_plans("Job"))
        stages[f"after the next release, {kind}"] = _summary(store)
        # A deployer goes back to this release: a run of the next one's CronJob has begun before,
        # and one begins between the ConfigMaps and the workloads.
        configs = [one for one in release.objects if one["kind"] in ("ConfigMap", "Secret")]
        half_way = _copy(going_back)
        _apply(half_way, configs)
        _link(half_way, following.find_plans("CronJob"))
        stages[f"half way back, {kind}"] = _summary(half_way)
        _link(going_back, following.find_plans("CronJob"), configs)
        _apply(going_back, release.objects)
        stages[f"after going back, {kind}"] = _summary(going_back)
    return stages


def _copy(store: ObjectStore) -> ObjectStore:
    other = ObjectStore(clock=store.clock)
    for one in store:
        other.create({**one, "metadata": {**one["metadata"]}})
    return other


def _apply(store: ObjectStore, objects: Sequence[Object]) -> None:
    for one in objects:
        apply(store, one)


def _reconcile(store: ObjectStore) -> None:
    for one in store.of_kind(*WORKLOADS):
        controllers.reconcile(store, one)


def _trim(store: ObjectStore) -> None:
    for one in store.of_kind(*WORKLOADS):
        controllers.trim(store, one, 0)


def _link(
    store: ObjectStore, plans: list[LinkPlan], applied_before_deletion: Sequence[Object] = ()
) -> None:
    def hook(call: str) -> None:
        if applied_before_deletion and call.startswith("delete "):
            _apply(store, applied_before_deletion)

    for plan in plans:
        cluster = FakeCluster(store, hook)
        with suppress(OutOfTime):
            link(plan, cluster, Report(NAMESPACE, lambda _: None))
        garbage_collector.collect(store)


def _named(owner: Object) -> str:
    """Name an owner. What is made of a template has a name that its content decides."""
    name = owner["name"].rpartition("-")[0] if owner["kind"] == "ReplicaSet" else owner["name"]
    return f"{owner['kind']}/{name}"


def _summary(store: ObjectStore) -> dict[str, str]:
    """Return what owns each ConfigMap and Secret."""
    return {
        "/".join(key_of(one)): "owned by "
        + ", ".join(sorted({_named(owner) for owner in one["metadata"].get("ownerReferences", ())}))
        for one in store.of_kind("ConfigMap", "Secret")
    }
