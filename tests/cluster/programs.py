"""Build the command lines of a control plane."""

import contextlib
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

KWOK = Path(__file__).with_name("kwok.yaml")
# The users with a token, and a group with more rights than every cluster grants its own programs.
USERS = {
    "admin": "system:masters",
    "kwok": "system:masters",
    "system:kube-controller-manager": "",
    "system:kube-scheduler": "",
}

Command = list[str | Path]


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """The folder of the cluster, and the ports of its programs."""

    folder: Path
    etcd: int
    peers: int
    api: int
    kwok: int


def commands(
    places: Places, tools: Callable[[str], Path], admission: Sequence[str]
) -> dict[str, Command]:
    """Return the commands by name, in the order of their start."""
    return {
        "etcd": [tools("etcd"), *_etcd(places)],
        "apiserver": [tools("kube-apiserver"), *_apiserver(places, admission)],
        "controller-manager": [tools("kube-controller-manager"), *_controller_manager(places)],
        "scheduler": [tools("kube-scheduler"), *_scheduler(places)],
        "kwok": [tools("kwok"), *_kwok(places)],
    }


def _etcd(places: Places) -> Command:
    clients, peers = f"http://127.0.0.1:{places.etcd}", f"http://127.0.0.1:{places.peers}"
    return [
        f"--data-dir={places.folder}/etcd",
        f"--listen-client-urls={clients}",
        f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
        # The data need not survive a crash of the machine.
        "--unsafe-no-fsync",
        "--feature-gates=InitialCorruptCheck=false",
        "--watch-progress-notify-interval=5s",
    ]


def _apiserver(places: Places, admission: Sequence[str]) -> Command:
    pki = places.folder / "pki"
    return [
        f"--etcd-servers=http://127.0.0.1:{places.etcd}",
        "--bind-address=127.0.0.1",
        f"--secure-port={places.api}",
        # It needs an address to advertise, which nobody uses; without one it reads the routes.
        "--advertise-address=192.0.2.1",
        "--endpoint-reconciler-type=none",
        # It creates its certificate there. Its key also signs the tokens.
        f"--cert-dir={pki}",
        f"--service-account-key-file={pki}/apiserver.key",
        f"--service-account-signing-key-file={pki}/apiserver.key",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--token-auth-file={pki}/tokens.csv",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.0.0.0/24",
        *([f"--enable-admission-plugins={','.join(admission)}"] if admission else []),
        # New nodes get no taint. Without node-lifecycle-controller (below) they get none if kwok is
        # late either.
        "--disable-admission-plugins=TaintNodesByCondition",
        "--profiling=false",
        "--shutdown-delay-duration=0s",
    ]


def _controller_manager(places: Places) -> Command:
    return [
        f"--kubeconfig={places.folder}/system:kube-controller-manager.kubeconfig",
        "--leader-elect=false",
        "--secure-port=0",
        "--use-service-account-credentials",
        f"--root-ca-file={places.folder}/pki/apiserver.crt",
        f"--service-account-private-key-file={places.folder}/pki/apiserver.key",
        "--controllers=*,-node-lifecycle-controller",
        "--kube-api-qps=300",
        "--kube-api-burst=600",
    ]


def _scheduler(places: Places) -> Command:
    return [
        f"--kubeconfig={places.folder}/system:kube-scheduler.kubeconfig",
        "--leader-elect=false",
        "--secure-port=0",
    ]


def _kwok(places: Places) -> Command:
    return [
        f"--kubeconfig={places.folder}/kwok.kubeconfig",
        "--manage-all-nodes",
        f"--config={KWOK}",
        # With only a port it would listen on every interface.
        f"--server-address=127.0.0.1:{places.kwok}",
        "--node-ip=127.0.0.1",
    ]


def hold_ports(count: int, held: contextlib.ExitStack) -> list[int]:
    """Find different free ports of loopback, and keep other programs from them until the end of `held`.

    The system gives no program a port to which a socket is bound. A program that asks for this port
    may listen on it if it allows others to, as programs in Go do: this socket does not listen. Only
    on Linux: elsewhere another program may get the port before it is used.
    """
    if sys.platform == "linux":
        return _bind(count, held)
    with contextlib.ExitStack() as found:
        return _bind(count, found)


def _bind(count: int, sockets: contextlib.ExitStack) -> list[int]:
    bound = [sockets.enter_context(socket.socket()) for _ in range(count)]
    for one in bound:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("127.0.0.1", 0))
    return [one.getsockname()[1] for one in bound]
