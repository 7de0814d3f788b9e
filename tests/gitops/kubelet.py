"""Run the linker's pods in all namespaces, as a kubelet would: kwok only pretends to run containers."""

import contextlib
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.cluster.api import Api, Object
from tests.cluster.linker_job import COMPONENT, finish, linker_command, linker_environment
from tests.cluster.readiness import has_ended
from tests.cluster.repeated import Repeated
from tests.cluster.server import ApiError
from tests.wait import linger

PAUSE = 0.3
# Between a pod's binding and its start, as if its image was pulled.
START = 1.0


class PodRun(NamedTuple):
    """What the linker in a pod printed. Without an exit code, the pod was deleted first."""

    pod: str
    exit_code: int | None
    output: str = ""


class Kubelet(Repeated):
    """A context manager. A pod of the linker that is bound to a node runs as a process with the pod's own token."""

    def __init__(self, api: Api) -> None:
        self._api = api.within("")
        self._known: set[str] = set()
        self._runs: dict[str, list[PodRun]] = {}
        self._held: set[str] = set()
        self._broken: set[str] = set()
        super().__init__("kubelet", self._run_pods, PAUSE)

    def runs(self, namespace: str) -> list[PodRun]:
        """Return the runs that have ended in the namespace."""
        return list(self._runs.get(namespace, []))

    def hold(self, namespace: str) -> None:
        """Start no pod of this namespace from now on, as if its image could not be pulled."""
        self._held.add(namespace)

    @contextlib.contextmanager
    def holding(self, namespace: str) -> Iterator[None]:
        """Start no pod of this namespace within the block."""
        self.hold(namespace)
        try:
            yield
        finally:
            self._held.discard(namespace)

    @contextlib.contextmanager
    def breaking(self, namespace: str) -> Iterator[None]:
        """Let each pod of this namespace that starts within the block fail."""
        self._broken.add(namespace)
        try:
            yield
        finally:
            self._broken.discard(namespace)

    def _run_pods(self) -> None:
        for pod in self._api.list("Pod", labels=COMPONENT):
            uid = pod["metadata"]["uid"]
            if uid not in self._known and pod["spec"].get("nodeName") and not has_ended(pod):
                self._known.add(uid)
                threading.Thread(target=self._run, args=(pod,), daemon=True).start()

    def _run(self, pod: Object) -> None:
        api = self._api.within(pod["metadata"]["namespace"])
        run = self._result(api, pod)
        self._runs.setdefault(api.namespace, []).append(run)
        if run.exit_code is not None:
            with contextlib.suppress(ApiError, OSError):
                finish(api, pod, run.exit_code)

    def _result(self, api: Api, pod: Object) -> PodRun:
        name = str(pod["metadata"]["name"])
        linger(START)
        while api.namespace in self._held and not _is_gone(api, pod):
            linger(PAUSE)
        if _is_gone(api, pod):
            return PodRun(name, None)
        if api.namespace in self._broken:
            return PodRun(name, 1, "this test lets it fail")
        with tempfile.TemporaryDirectory(prefix="krm-fn-linker-") as folder:
            try:
                environment = linker_environment(api, pod, Path(folder))
            except ApiError:
                # The pod was deleted at this moment: nobody gets a token for it any more.
                return PodRun(name, None)
            child = subprocess.Popen(
                linker_command(pod),
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            ending = threading.Event()
            stopper = threading.Thread(
                target=_end_with_pod, args=(api, pod, child, ending), daemon=True
            )
            stopper.start()
            output, _ = child.communicate()
            ending.set()
            stopper.join()
        return PodRun(name, None if _is_gone(api, pod) else child.returncode, output)


def _end_with_pod(
    api: Api, pod: Object, child: subprocess.Popen[str], ended: threading.Event
) -> None:
    while not ended.is_set():
        linger(PAUSE)
        if _is_gone(api, pod):
            child.terminate()
            return


def _is_gone(api: Api, pod: Object) -> bool:
    try:
        live = api.find("Pod", pod["metadata"]["name"])
    except (ApiError, OSError):
        return False
    return (
        live is None
        or live["metadata"]["uid"] != pod["metadata"]["uid"]
        or "deletionTimestamp" in live["metadata"]
    )
