"""What a cluster says of the applications of generated packages: what is stored, and what their controllers made."""

import json
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

from tests.cluster.api import Api, Object
from tests.cluster.generated_changes import SHARED, Case
from tests.cluster.rollouts_controller import remove_touches, until_noticed
from tests.wait import until

BASE = "revisions.krm-fn.io/base-name"
COMPONENT = "revisions.krm-fn.io/component"

SERVER_FIELDS = (
    "managedFields",
    "resourceVersion",
    "generation",
    "uid",
    "creationTimestamp",
    "ownerReferences",
)
MARKS = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "deployment.kubernetes.io/revision",
    "rollout.argoproj.io/revision",
    "deprecated.daemonset.template.generation",
    "config.k8s.io/owning-inventory",
    "argocd.argoproj.io/tracking-id",
    "meta.helm.sh/release-name",
    "meta.helm.sh/release-namespace",
    "app.kubernetes.io/managed-by",
    "kustomize.toolkit.fluxcd.io/name",
    "kustomize.toolkit.fluxcd.io/namespace",
)
"""What deployers and controllers write into labels and annotations."""

HISTORY = {
    "Deployment": "ReplicaSet",
    "Rollout": "ReplicaSet",
    "StatefulSet": "ControllerRevision",
    "DaemonSet": "ControllerRevision",
}

Who = tuple[str, str]
"""Kind and base name."""


class Observed(NamedTuple):
    """`stored`: each object without marks, under kind, base name and name.

    `made`: what exists for each workload.
    """

    stored: dict[tuple[str, str, str], str]
    made: dict[Who, frozenset[str]]


def observe(api: Api, cases: Iterable[Case]) -> Observed:
    """Wait until the controllers have seen all workloads, and look."""
    cases = list(cases)
    kinds = sorted({case.kind for case in cases})
    for kind in set(kinds) & HISTORY.keys():
        what = f"each {kind} of {api.namespace} is observed"
        look = partial(_find_waiting, api, kind)
        if kind == "Rollout":
            until_noticed(what, api, look, _is_empty)
            remove_touches(api)
        else:
            until(what, look, _is_empty)
    names = {SHARED, *(case.name for case in cases)}
    found = [
        one
        for kind in (*kinds, "ConfigMap", "Secret")
        for one in api.list(kind)
        if _is_of(names, one)
    ]
    stored = {
        (one["kind"], _base_of(one), one["metadata"]["name"]): json.dumps(
            _without_marks(one), sort_keys=True
        )
        for one in found
    }
    histories = _find_histories(api)
    made: dict[Who, frozenset[str]] = {}
    for one in found:
        if one["kind"] in kinds:
            who = one["kind"], _base_of(one)
            made[who] = made.get(who, frozenset()) | _made_of(one, histories)
    return Observed(stored, made)


def _made_of(workload: Object, histories: dict[str, set[str]]) -> frozenset[str]:
    """Return what tells pods of one template from those of another."""
    uid = workload["metadata"]["uid"]
    if workload["kind"] == "Job":
        return frozenset({uid})
    if workload["kind"] == "CronJob":
        return frozenset(
            {json.dumps(workload["spec"]["jobTemplate"]["spec"]["template"], sort_keys=True)}
        )
    return frozenset(histories[uid])


def _find_histories(api: Api) -> dict[str, set[str]]:
    """Return the ReplicaSets and ControllerRevisions by the uid of their owner."""
    found: dict[str, set[str]] = {}
    for one in (*api.list("ReplicaSet"), *api.list("ControllerRevision")):
        for owner in one["metadata"].get("ownerReferences", []):
            found.setdefault(owner["uid"], set()).add(one["metadata"]["name"])
    return found


def _find_waiting(api: Api, kind: str) -> list[str]:
    return [one["metadata"]["name"] for one in api.list(kind) if not _is_observed(one)]


def _is_empty(names: list[str]) -> bool:
    return not names


def _is_of(names: set[str], found: Object) -> bool:
    is_emitted = COMPONENT in found["metadata"].get("labels", {})
    return not is_emitted and _base_of(found).partition("-")[0] in names


def find_rolled(before: Observed, after: Observed) -> set[Who]:
    """Return the workloads that have got a new ReplicaSet, ControllerRevision or Job, or whose next Job is another."""
    return {who for who, made in after.made.items() if made - before.made[who]}


def find_changed(before: Observed, after: Observed, rendered: set[tuple[str, str]]) -> set[Who]:
    """Return the objects of the new rendering that were not there, or say something else now."""
    rollouts = {who for who in find_rolled(before, after) if who[0] == "Rollout"}
    return rollouts | {
        (kind, base)
        for (kind, base, name), text in after.stored.items()
        if (kind, name) in rendered and before.stored.get((kind, base, name)) != text
    }


def _is_observed(found: Object) -> bool:
    generation = found["metadata"]["generation"]
    if found["kind"] == "Rollout" and "rollout.argoproj.io/revision" not in found["metadata"].get(
        "annotations", {}
    ):
        return False  # its controller is about to write the whole object
    return str(found.get("status", {}).get("observedGeneration")) == str(generation)


def _base_of(found: Object) -> str:
    """Return what the author called it.

    A Job that is named by its content says it in its pods' label.
    """
    metadata = found["metadata"]
    if found["kind"] == "Job":
        return str(found["spec"]["template"]["metadata"]["labels"]["app"])
    return str(metadata.get("annotations", {}).get(BASE, metadata["name"]))


def _without_marks(found: Object) -> Object:
    if found["kind"] == "Rollout":
        found = _as_written_back(found)
    metadata = {name: one for name, one in found["metadata"].items() if name not in SERVER_FIELDS}
    for field in ("labels", "annotations"):
        kept = {
            name: one
            for name, one in (metadata.pop(field, None) or {}).items()
            if name not in MARKS
        }
        metadata |= {field: kept} if kept else {}
    return {**{name: one for name, one in found.items() if name != "status"}, "metadata": metadata}


def _as_written_back(value: Any) -> Any:
    """Return a Rollout without what is empty, and without quantities.

    Its controller writes it back when it rolls, without what is empty and with quantities in one
    spelling, and the next apply changes that again. Whether that makes other pods, its ReplicaSets
    tell.
    """
    if isinstance(value, dict):
        kept = {name: _as_written_back(one) for name, one in value.items() if name != "resources"}
        return {name: one for name, one in kept.items() if one not in ({}, [], "", None, False)}
    return [_as_written_back(one) for one in value] if isinstance(value, list) else value
