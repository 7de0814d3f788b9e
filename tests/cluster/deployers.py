"""Two deployers, reduced to what they apply and prune, and in which order.

Argo CD prunes first, and does not prune objects with owners. Flux applies first, and prunes objects
with owners too. Both read the annotation that prevents pruning from the live object. Neither waits
for anything: `before_each` is called before every step, and a test may act or wait there.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import yaml

from tests.cluster.api import Api, Object
from tests.cluster.apply_order import argo_rank, flux_rank, wave
from tests.cluster.kinds import INSTALLED_BY_TESTS, KINDS
from tests.cluster.server import ApiError

TRACKING = "argocd.argoproj.io/tracking-id"
SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
FLUX = "kustomize.toolkit.fluxcd.io/"
# The kinds that deployers prune. Controllers create the others.
PRUNED = (
    *(
        "ConfigMap",
        "Secret",
        "ServiceAccount",
        "Role",
        "RoleBinding",
        "Service",
        "Ingress",
        "NetworkPolicy",
    ),
    *(
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "Job",
        "CronJob",
        "PodDisruptionBudget",
        "HorizontalPodAutoscaler",
    ),
    *("Rollout", "AnalysisTemplate", "ExternalSecret", "SecretStore", "SealedSecret"),
)


class Step(NamedTuple):
    """A write that is about to happen."""

    action: str  # "apply" or "prune"
    kind: str
    namespace: str
    name: str
    wave: int = 0


Id = tuple[str, str, str]  # kind, namespace, name
Hook = Callable[[Step], object]


def no_hook(_: Step) -> None:
    """Let the step pass."""


@dataclass(kw_only=True)
class ArgoLike:
    """Argo CD: an Application with `prune: true` and its default, annotation tracking."""

    api: Api
    app: str
    namespaces: set[str] = field(default_factory=set)

    def sync(self, stream: bytes, before_each: Hook = no_hook) -> list[Step]:
        """Apply the stream and prune. Returns the steps."""
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
        """Find tracked objects to prune.

        An object with an owner, existing or not, is never pruned.
        """
        for item in _live(self.api, self.namespaces):
            annotations = item["metadata"].get("annotations", {})
            options = {option.strip() for option in annotations.get(SYNC_OPTIONS, "").split(",")}
            ours = annotations.get(TRACKING) == self._tracking_id(item)
            if (
                ours
                and _id(item) not in wanted
                and not _owned(item)
                and "Prune=false" not in options
            ):
                yield item


@dataclass(kw_only=True)
class FluxLike:
    """Flux: a Kustomization with `prune: true`. Its inventory is what it applied last."""

    api: Api
    name: str
    inventory: set[Id] = field(default_factory=set)

    def sync(self, stream: bytes, before_each: Hook = no_hook) -> list[Step]:
        """Apply the stream and prune. Returns the steps."""
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
        # Objects that were not pruned leave the inventory, and are never pruned later.
        self.inventory = wanted
        return steps

    def _labelled(self, item: Object) -> Object:
        metadata = item["metadata"]
        return {
            **item,
            "metadata": {
                **metadata,
                "labels": {**(metadata.get("labels") or {}), **self._labels()},
            },
        }

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
    """Load the documents. Those without a namespace get the deployer's."""
    documents = [
        document for document in yaml.load_all(stream, Loader=yaml.CSafeLoader) if document
    ]
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
                if error.status != 404 or KINDS[kind].api_version not in INSTALLED_BY_TESTS:
                    raise


def _delete(api: Api, item: Object, propagation: str) -> None:
    metadata = item["metadata"]
    try:
        api.within(metadata["namespace"]).delete(
            item["kind"], metadata["name"], propagation=propagation, uid=metadata["uid"]
        )
    except ApiError as error:
        # The object is gone, or is another one by now.
        if error.status not in (404, 409):
            raise


def _owned(item: Object) -> bool:
    return bool(item["metadata"].get("ownerReferences"))


def _id(item: Object) -> Id:
    metadata = item["metadata"]
    return item["kind"], metadata.get("namespace", ""), metadata["name"]


def _step(action: str, item: Object) -> Step:
    return Step(action, *_id(item), wave=wave(item))
