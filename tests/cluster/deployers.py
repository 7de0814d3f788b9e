"""Two deployers, reduced to what they apply and what they prune, and in which order.

Argo CD prunes first and spares what has an owner; Flux applies first and spares nothing that has only an owner.
Both read what protects an object from the live one. Neither waits for anything: `before_each` is called before
every step, to act in the middle, and a test waits there as it likes.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import yaml

from tests.cluster.api import Api, Object
from tests.cluster.apply_order import argo_rank, flux_rank, wave
from tests.cluster.kinds import KINDS, ROLLOUTS
from tests.cluster.server import ApiError

TRACKING = "argocd.argoproj.io/tracking-id"
SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
FLUX = "kustomize.toolkit.fluxcd.io/"
# What a deployer finds in the namespace and prunes; Kubernetes makes the others.
PRUNED = (
    *("ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding", "Service", "Ingress", "NetworkPolicy"),
    *("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "PodDisruptionBudget", "HorizontalPodAutoscaler"),
    *("Rollout", "AnalysisTemplate"),
)


class Step(NamedTuple):
    """What is about to happen to which object."""

    action: str  # "apply" or "prune"
    kind: str
    namespace: str
    name: str
    wave: int = 0


Id = tuple[str, str, str]  # kind, namespace, name
Hook = Callable[[Step], object]


def go_on(_: Step) -> None:
    """The hook of a sync that nothing disturbs."""


@dataclass(kw_only=True)
class ArgoLike:
    """Argo CD: an Application with `prune: true` and its default, annotation tracking."""

    api: Api
    app: str
    namespaces: set[str] = field(default_factory=set)

    def sync(self, stream: bytes, before_each: Hook = go_on) -> list[Step]:
        """Bring the namespace to what the stream says; the steps it took."""
        target = [self._tracked(item) for item in _load(stream, self.api.namespace)]
        self.namespaces |= {_id(item)[1] for item in target} | {self.api.namespace}
        wanted = {_id(item) for item in target}
        steps = []
        for item in self._prunable(wanted):
            steps.append(_step("prune", item))
            before_each(steps[-1])
            _delete(self.api, item, "Foreground")
        for item in sorted(target, key=argo_rank):
            steps.append(_step("apply", item))
            before_each(steps[-1])
            self.api.apply(item, manager="argocd-controller")
        return steps

    def _tracked(self, item: Object) -> Object:
        metadata = item["metadata"]
        annotations = {**(metadata.get("annotations") or {}), TRACKING: self._tracking_id(item)}
        return {**item, "metadata": {**metadata, "annotations": annotations}}

    def _tracking_id(self, item: Object) -> str:
        group = item["apiVersion"].rpartition("/")[0]
        kind, namespace, name = _id(item)
        return f"{self.app}:{group}/{kind}:{namespace}/{name}"

    def _prunable(self, wanted: set[Id]) -> Iterator[Object]:
        """Only roots are the application's: whatever has an owner, dead or alive, is somebody else's."""
        for item in _live(self.api, self.namespaces):
            annotations = item["metadata"].get("annotations", {})
            options = {option.strip() for option in annotations.get(SYNC_OPTIONS, "").split(",")}
            ours = annotations.get(TRACKING) == self._tracking_id(item)
            if ours and _id(item) not in wanted and not _owned(item) and "Prune=false" not in options:
                yield item


@dataclass(kw_only=True)
class FluxLike:
    """Flux: a Kustomization with `prune: true`. Its inventory is what it applied last."""

    api: Api
    name: str
    inventory: set[Id] = field(default_factory=set)

    def sync(self, stream: bytes, before_each: Hook = go_on) -> list[Step]:
        """Bring the namespace to what the stream says; the steps it took."""
        target = [self._labelled(item) for item in _load(stream, self.api.namespace)]
        steps = []
        for item in sorted(target, key=flux_rank):
            steps.append(_step("apply", item))
            before_each(steps[-1])
            self.api.apply(item, manager="kustomize-controller")
        wanted = {_id(item) for item in target}
        for kind, namespace, name in sorted(self.inventory - wanted):
            live = self.api.within(namespace).find(kind, name)
            if live is None or not self._prunes(live):
                continue
            steps.append(_step("prune", live))
            before_each(steps[-1])
            _delete(self.api, live, "Background")
        # What was spared is no longer in it, and never looked at again.
        self.inventory = wanted
        return steps

    def _labelled(self, item: Object) -> Object:
        metadata = item["metadata"]
        return {**item, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), **self._labels()}}}

    def _labels(self) -> dict[str, str]:
        return {f"{FLUX}name": self.name, f"{FLUX}namespace": self.api.namespace}

    def _prunes(self, item: Object) -> bool:
        labels = item["metadata"].get("labels", {})
        marks = {**labels, **item["metadata"].get("annotations", {})}
        spared = (
            marks.get(f"{FLUX}prune", "").lower() == "disabled"
            or marks.get(f"{FLUX}reconcile", "").lower() == "disabled"
            or marks.get(f"{FLUX}ssa", "").lower() == "ignore"
        )
        return not spared and self._labels().items() <= labels.items()


def _load(stream: bytes, namespace: str) -> list[Object]:
    """The documents, each with a namespace: what has none of its own goes where the deployer is told."""
    documents = [document for document in yaml.load_all(stream, Loader=yaml.CSafeLoader) if document]
    return [
        {**document, "metadata": {"namespace": namespace, **document["metadata"]}}
        if KINDS[document["kind"]].namespaced
        else document
        for document in documents
    ]


def _live(api: Api, namespaces: Iterable[str]) -> Iterator[Object]:
    for namespace in sorted(namespaces):
        for kind in PRUNED:
            try:
                yield from api.within(namespace).list(kind, metadata_only=True)
            except ApiError as error:
                # A kind this cluster does not have.
                if error.status != 404 or KINDS[kind].api_version != ROLLOUTS:
                    raise


def _delete(api: Api, item: Object, propagation: str) -> None:
    metadata = item["metadata"]
    try:
        api.within(metadata["namespace"]).delete(
            item["kind"], metadata["name"], propagation=propagation, uid=metadata["uid"]
        )
    except ApiError as error:
        # Somebody was faster: it is gone, or already another.
        if error.status not in (404, 409):
            raise


def _owned(item: Object) -> bool:
    return bool(item["metadata"].get("ownerReferences"))


def _id(item: Object) -> Id:
    metadata = item["metadata"]
    return item["kind"], metadata.get("namespace", ""), metadata["name"]


def _step(action: str, item: Object) -> Step:
    return Step(action, *_id(item), wave=wave(item))
