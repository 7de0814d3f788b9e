"""A Kubernetes control plane on loopback: everything is the real thing but the node, which kwok plays."""

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
from tests.cluster.programs import USERS, Places, commands, free_ports
from tests.cluster.server import Server
from tests.cluster.wait import until

ROOT = Path(__file__).parent.parent.parent
# The API server first: clients without it end at once. etcd last: an API server without it does not end at all.
CLIENTS = ("controller-manager", "scheduler", "kwok")
FAKE_NODE = {
    "kind": "Node",
    "metadata": {"name": "fake", "labels": {"kubernetes.io/hostname": "fake", "kubernetes.io/os": "linux"}},
    "status": {kind: {"cpu": "64", "memory": "256Gi", "pods": "1000"} for kind in ("allocatable", "capacity")},
}


class ControlPlane:
    """Its programs by name, its administrator's `api`, and the faults one can put it to."""

    def __init__(self, folder: Path, tools: Callable[[str], Path], admission: Sequence[str]) -> None:
        self.folder = folder
        self.seconds: dict[str, float] = {}
        self.processes: dict[str, Process] = {}
        self._tokens = {user: secrets.token_hex(16) for user in USERS}
        etcd, peers, port, kwok = free_ports(4)
        self.server = Server(url=f"https://127.0.0.1:{port}", certificate=folder / "pki" / "apiserver.crt")
        self.api = Api(server=self.server, token=self._tokens["admin"])
        places = Places(folder=folder, etcd=etcd, peers=peers, api=port, kwok=kwok)
        for name, command in commands(places, tools, admission).items():
            self.processes[name] = Process(name, command, folder)
        self._leash = subprocess.Popen(
            [sys.executable, "-m", "tests.cluster.leash", folder],
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
        until_furnished(self.api)
        self.seconds["cluster ready"] = time.monotonic() - begin

    def close(self) -> None:
        clients = [name for name in self.processes if name not in ("apiserver", "etcd")]
        for name in clients:
            self.processes[name].ask_to_end()
        for name in clients:
            self.processes[name].stop()
        # What it would do beyond this second is to wait for the clients' connections.
        self.processes["apiserver"].stop(patience=1)
        self.processes["etcd"].stop(patience=1)
        self._leash.communicate()

    def add(self, process: Process) -> None:
        """One more program, with its life and its end tied to this cluster's."""
        self.processes[process.name] = process
        self.start(process.name)

    # Faults

    def start(self, name: str) -> None:
        """Start it; the API server also answers then."""
        process_id = self.processes[name].start()
        assert self._leash.stdin is not None
        print(process_id, start_ticks(process_id), file=self._leash.stdin, flush=True)
        if name == "apiserver":
            until("the API server is ready", self._answer, lambda answer: answer == "ok", within=60)

    def stop(self, name: str) -> None:
        self.processes[name].stop(patience=1)

    def restart(self, name: str) -> None:
        """On the same port, with the same data."""
        self.stop(name)
        self.start(name)

    @contextlib.contextmanager
    def stopped(self, name: str) -> Iterator[None]:
        """Away within the block, back after it, whatever happens in it."""
        self.stop(name)
        try:
            yield
        finally:
            self.start(name)

    @contextlib.contextmanager
    def paused(self, name: str) -> Iterator[None]:
        """Stalled within the block."""
        self.processes[name].pause()
        try:
            yield
        finally:
            self.processes[name].resume()

    # Who may talk to it

    def kubeconfig(self, path: Path, *, token: str, namespace: str = "default") -> Path:
        """A file with this one token, for programs of whoever has it."""
        return write_kubeconfig(path, self.server, token=token, namespace=namespace)

    def _write_users(self) -> None:
        (self.folder / "pki").mkdir()
        tokens = (f'{self._tokens[user]},{user},{user},"{group}"\n' for user, group in USERS.items())
        write_private(self.folder / "pki" / "tokens.csv", "".join(tokens))
        for user, token in self._tokens.items():
            self.kubeconfig(self.folder / f"{user}.kubeconfig", token=token)

    def _answer(self) -> Any:
        for process in self.processes.values():
            assert process.name not in ("etcd", "apiserver") or process.runs, process.last_words()
        return self.api.call("GET", "/readyz")


@contextlib.contextmanager
def control_plane(tools: Callable[[str], Path], *, admission: Sequence[str] = ()) -> Iterator[ControlPlane]:
    """One that lives as long as the context; `admission` names plugins that are off by default."""
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


def until_furnished(api: Api) -> None:
    """Until the namespace has what a pod needs: its ServiceAccount and the certificate every pod mounts."""
    api.wait("ServiceAccount", "default", "is there", bool)
    api.wait("ConfigMap", "kube-root-ca.crt", "is there", bool)
