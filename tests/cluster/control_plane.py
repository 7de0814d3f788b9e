"""Run a real Kubernetes control plane on loopback. Only the node is simulated, by kwok."""

import contextlib
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.cluster.api import Api
from tests.cluster.kubeconfig import write_kubeconfig, write_private
from tests.cluster.process import Process, start_ticks
from tests.cluster.programs import USERS, Places, commands, hold_ports
from tests.cluster.server import Server
from tests.wait import until

ROOT = Path(__file__).parent.parent.parent
# They stop before the API server and etcd. The API server hangs if etcd stops first.
CLIENTS = ("controller-manager", "scheduler", "kwok")
FAKE_NODE = {
    "kind": "Node",
    "metadata": {
        "name": "fake",
        "labels": {"kubernetes.io/hostname": "fake", "kubernetes.io/os": "linux"},
    },
    "status": {
        kind: {"cpu": "64", "memory": "256Gi", "pods": "1000"}
        for kind in ("allocatable", "capacity")
    },
}


class ControlPlane:
    """The programs by name, the administrator's `api`, the address of `etcd`, and methods that cause faults."""

    def __init__(
        self, folder: Path, tools: Callable[[str], Path], admission: Sequence[str]
    ) -> None:
        self.folder = folder
        self.seconds: dict[str, float] = {}
        self.processes: dict[str, Process] = {}
        self._tokens = {user: secrets.token_hex(16) for user in USERS}
        self._ports = contextlib.ExitStack()
        etcd, peers, port, kwok = self.hold_ports(4)
        self.server = Server(
            url=f"https://127.0.0.1:{port}", certificate=folder / "pki" / "apiserver.crt"
        )
        self.api = Api(server=self.server, token=self._tokens["admin"])
        self.etcd = f"http://127.0.0.1:{etcd}"
        places = Places(folder=folder, etcd=etcd, peers=peers, api=port, kwok=kwok)
        for name, command in commands(places, tools, admission).items():
            self.processes[name] = Process(name, command, folder)
        self._cleanup = subprocess.Popen(
            [sys.executable, "-m", "tests.cluster.process_cleanup", folder],
            stdin=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=True,
        )

    def launch(self) -> None:
        begin = time.monotonic()
        self._write_users()
        self.start("etcd")
        self.start("apiserver")
        self.seconds["API server ready"] = time.monotonic() - begin
        for name in CLIENTS:
            self.start(name)
        self.api.create(FAKE_NODE)
        self.api.ready("Node", "fake")
        until_namespace_is_ready(self.api)
        self.seconds["cluster ready"] = time.monotonic() - begin
        self.seconds["programs on a processor"] = sum(
            process.processor_seconds() for process in self.processes.values()
        )

    def close(self) -> None:
        clients = [name for name in self.processes if name not in ("apiserver", "etcd")]
        for name in clients:
            self.processes[name].ask_to_end()
        for name in clients:
            self.processes[name].stop()
        # After one second it would only wait for connections of clients.
        self.processes["apiserver"].stop(patience=1)
        self.processes["etcd"].stop(patience=1)
        self._cleanup.communicate()
        self._ports.close()

    def hold_ports(self, count: int) -> list[int]:
        """Find free ports for programs of this cluster, which stay theirs while one is stopped."""
        return hold_ports(count, self._ports)

    def add(self, process: Process) -> None:
        """Start one more program, which ends with this cluster."""
        self.processes[process.name] = process
        self.start(process.name)

    # Faults

    def start(self, name: str) -> None:
        """Start a program. The API server is ready afterwards."""
        process_id = self.processes[name].start()
        assert self._cleanup.stdin is not None
        print(process_id, start_ticks(process_id), file=self._cleanup.stdin, flush=True)
        if name == "apiserver":
            # Five seconds, but more than a minute where others use all processors. It ends at once
            # with the program.
            until(
                "the API server is ready", self._answer, lambda answer: answer == "ok", within=300
            )

    def stop(self, name: str) -> None:
        self.processes[name].stop(patience=1)

    def restart(self, name: str) -> None:
        """Restart a program on the same port, with the same data."""
        self.stop(name)
        self.start(name)

    @contextlib.contextmanager
    def stopped(self, name: str) -> Iterator[None]:
        """Stop a program for the duration of the block."""
        self.stop(name)
        try:
            yield
        finally:
            self.start(name)

    @contextlib.contextmanager
    def paused(self, name: str) -> Iterator[None]:
        """Suspend a program for the duration of the block."""
        self.processes[name].pause()
        try:
            yield
        finally:
            self.processes[name].resume()

    # Access

    def kubeconfig(self, path: Path, *, token: str, namespace: str = "default") -> Path:
        """Write a kubeconfig with this token."""
        return write_kubeconfig(path, self.server, token=token, namespace=namespace)

    def _write_users(self) -> None:
        (self.folder / "pki").mkdir()
        tokens = (
            f'{self._tokens[user]},{user},{user},"{group}"\n' for user, group in USERS.items()
        )
        write_private(self.folder / "pki" / "tokens.csv", "".join(tokens))
        for user, token in self._tokens.items():
            self.kubeconfig(self.folder / f"{user}.kubeconfig", token=token)

    def _answer(self) -> Any:
        for process in self.processes.values():
            assert process.name not in ("etcd", "apiserver") or process.runs, process.log_tail()
        return self.api.call("GET", "/readyz")


@contextlib.contextmanager
def control_plane(
    tools: Callable[[str], Path], *, admission: Sequence[str] = ()
) -> Iterator[ControlPlane]:
    """Run a control plane for the duration of the context.

    `admission` lists more admission plugins.
    """
    folder = Path(tempfile.mkdtemp(prefix="krm-fn-cluster-"))
    try:
        cluster = ControlPlane(folder, tools, admission)
        try:
            cluster.launch()
            yield cluster
        finally:
            cluster.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_namespace(cluster: ControlPlane, name: str) -> Api:
    """Create a namespace. Returns an administrator's client."""
    cluster.api.create({"kind": "Namespace", "metadata": {"name": name}})
    client = cluster.api.within(name)
    until_namespace_is_ready(client)
    return client


def until_namespace_is_ready(api: Api) -> None:
    """Wait until the namespace has the ServiceAccount and the certificate that every pod needs."""
    api.wait("ServiceAccount", "default", "is there", bool)
    api.wait("ConfigMap", "kube-root-ca.crt", "is there", bool)
