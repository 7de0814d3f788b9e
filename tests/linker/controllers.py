"""The workload controllers, as far as they create and delete history and pods.

Old history may be deleted at any moment, which is worse than what real controllers do: they wait
until its pods are gone. Only those start pods that do not replace them, or need not: an edited
template leaves the old ones as they are.
"""

import zlib
from typing import Any

from tests.linker.manifests import made_by, pod_of
from tests.linker.object_store import Object, ObjectStore

REVISION = "deployment.kubernetes.io/revision"
HISTORY = {
    **dict.fromkeys(("Deployment", "Rollout"), "ReplicaSet"),
    **dict.fromkeys(("StatefulSet", "DaemonSet"), "ControllerRevision"),
}
WITHOUT_HISTORY = ("ReplicaSet", "ReplicationController")
WITH_OLD_PODS = (*WITHOUT_HISTORY, "StatefulSet", "DaemonSet")
"""The last two with the update strategy OnDelete."""


def history(store: ObjectStore, workload: Object) -> list[Object]:
    """Return the ReplicaSets or ControllerRevisions of a workload, in the order of creation."""
    uid = workload["metadata"]["uid"]
    if workload["kind"] in WITHOUT_HISTORY:
        return []
    return [
        item
        for item in store.of_kind(HISTORY[workload["kind"]])
        if _controller(item).get("uid") == uid
    ]


def template_of(item: Object) -> Object:
    """Return the pod template in a ReplicaSet or ControllerRevision."""
    content: Object = item["spec"] if "spec" in item else item["data"]["spec"]
    template: Object = content["template"]
    return template


def reconcile(store: ObjectStore, workload: Object) -> None:
    """Create history and a pod for the current template, unless equal ones exist; adopt orphans that match."""
    _start_pod(store, workload)
    if workload["kind"] in WITHOUT_HISTORY:
        return
    if workload["spec"].get("paused") and workload["kind"] != "Rollout":
        return  # a paused Rollout still creates its ReplicaSet
    _adopt(store, workload)
    made = history(store, workload)
    number = max((_number(item) for item in made), default=0) + 1
    template = workload["spec"]["template"]
    for item in made:
        if template_of(item) == template:
            if _number(item) < number - 1:
                _renumber(store, item, number)
            return
    name = f"{workload['metadata']['name']}-{zlib.crc32(repr(template).encode()):08x}"
    if store.find(HISTORY[workload["kind"]], name) is None:
        annotations = {REVISION: str(number)}
        store.create(
            made_by(workload, HISTORY[workload["kind"]], name, template, annotations=annotations)
        )


def trim(store: ObjectStore, workload: Object, limit: int) -> None:
    """Delete history beyond the limit: Rollouts by creation time, the others by revision number, oldest first."""
    old = [
        item
        for item in history(store, workload)
        if template_of(item) != workload["spec"]["template"]
    ]
    if workload["kind"] != "Rollout":
        old.sort(key=_number)
    for item in old[: max(0, len(old) - limit)]:
        store.remove(item)


def _start_pod(store: ObjectStore, workload: Object) -> None:
    name = f"{workload['metadata']['name']}-{zlib.crc32(repr(workload['spec']['template']).encode()):08x}-pod"
    if workload["kind"] in WITH_OLD_PODS and store.find("Pod", name) is None:
        store.create(pod_of(workload, name))


def _adopt(store: ObjectStore, workload: Object) -> None:
    for item in store.of_kind(HISTORY[workload["kind"]]):
        if not _controller(item) and item["metadata"]["name"].startswith(
            f"{workload['metadata']['name']}-"
        ):
            made = made_by(workload, item["kind"], item["metadata"]["name"], {})
            others = item["metadata"].get("ownerReferences", [])
            store.update_metadata(
                item, ownerReferences=[*others, *made["metadata"]["ownerReferences"]]
            )


def _controller(item: Object) -> dict[str, Any]:
    owners = item["metadata"].get("ownerReferences", [])
    return next((owner for owner in owners if owner.get("controller")), {})


def _number(item: Object) -> int:
    return int(item["metadata"]["annotations"][REVISION])


def _renumber(store: ObjectStore, item: Object, number: int) -> None:
    store.update_metadata(
        item, annotations={**item["metadata"]["annotations"], REVISION: str(number)}
    )
