"""Start pods when their ConfigMaps and Secrets are there, as a kubelet does. kwok starts pods without them."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime

from tests.cluster.api import Api, Object
from tests.cluster.object_state import WAITS, Name, read_state
from tests.cluster.readiness import has_ended, is_going, is_ready
from tests.cluster.repeated import Repeated
from tests.cluster.server import STRATEGIC

PAUSE = 0.5
# The label of the pods that it starts.
STARTED_BY_TEST = dict([WAITS.split("=")])


class MountingKubelet(Repeated):
    """A context manager for the pods of a namespace with the label `test/pod: local`, which kwok leaves Pending."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._waited: dict[str, set[Name]] = {}
        self._read: dict[str, dict[Name, Mapping[str, str]]] = {}
        super().__init__("mounting kubelet", self._start_pods, PAUSE)

    def waited(self) -> set[Name]:
        """Return what a pod had to wait for at some time."""
        return {name for names in self._waited.values() for name in names}

    def values(self, kind: str, key: str) -> list[str]:
        """Return the values that the Ready pods have read under this key, in objects of this kind."""
        found = []
        for pod in self._api.list("Pod", labels=WAITS):
            if is_ready(pod):
                read = self._read[pod["metadata"]["uid"]]
                found += [
                    data[key]
                    for (of_kind, _), data in read.items()
                    if of_kind == kind and key in data
                ]
        return sorted(found)

    def _is_accepted(self, found: Mapping[Name, Object]) -> bool:
        """Tell whether the program in the pod starts with this configuration."""
        del found
        return True

    def _start_pods(self) -> None:
        for pod in self._api.list("Pod", labels=WAITS):
            self._start(pod)

    def _start(self, pod: Object) -> None:
        uid = pod["metadata"]["uid"]
        # Not what was read: a status that the API server has not taken is written again.
        if is_ready(pod) or has_ended(pod) or is_going(pod) or not pod["spec"].get("nodeName"):
            return
        found = {
            (kind, name): self._api.find(kind, name) for kind, name in read_state(pod).required
        }
        missing = {name for name, item in found.items() if item is None}
        if missing:
            self._waited.setdefault(uid, set()).update(missing)
            return
        there = {name: item for name, item in found.items() if item}
        if not self._is_accepted(there):
            self._api.patch(
                "Pod",
                pod["metadata"]["name"],
                _crashing(pod),
                subresource="status",
                patch_type=STRATEGIC,
            )
            return
        self._read[uid] = {name: _plain(item) for name, item in there.items()}
        self._api.patch(
            "Pod",
            pod["metadata"]["name"],
            _running(pod),
            subresource="status",
            patch_type=STRATEGIC,
        )


def _plain(item: Object) -> Mapping[str, str]:
    data = item.get("data") or {}
    if item["kind"] == "Secret":
        return {key: base64.b64decode(value).decode() for key, value in data.items()}
    return data


def _running(pod: Object) -> Object:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    conditions = [
        {"type": condition, "status": "True", "lastTransitionTime": now}
        for condition in ("Initialized", "Ready", "ContainersReady")
    ]
    status = _status(pod, {"running": {"startedAt": now}}, is_ready=True)
    return {"status": {**status, "startTime": now, "conditions": conditions}}


def _crashing(pod: Object) -> Object:
    return {"status": _status(pod, {"waiting": {"reason": "CrashLoopBackOff"}}, is_ready=False)}


def _status(pod: Object, state: Object, *, is_ready: bool) -> Object:
    containers = [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": is_ready,
            "started": is_ready,
            "restartCount": int(not is_ready),
            "state": state,
        }
        for container in pod["spec"]["containers"]
    ]
    return {"phase": "Running", "containerStatuses": containers}
