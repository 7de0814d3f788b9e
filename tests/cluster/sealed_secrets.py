"""Run the controller of Sealed Secrets, and seal Secrets for it."""

import functools
import json
import shutil
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.custom_kinds import install_kinds
from tests.cluster.kinds import complete
from tests.cluster.process import Process
from tests.cluster.tokens import grant_all, token_of
from tests.tools.build import module_folder
from tests.tools.require import give_up
from tests.wait import PATIENCE, until

MODULE = "github.com/bitnami/sealed-secrets"
CONTROLLER, KUBESEAL = "controller", "kubeseal"
NAME = "sealed-secrets"
# The controller reads its token where a pod has it, and nowhere else. In a mount namespace of its
# own, that is a folder of the test, without a trace on the machine.
UNSHARE = ("unshare", "--map-root-user", "--mount")
IN_A_POD = """
set -e
run=$(readlink -f /var/run)
mount -t tmpfs none "$run"
mkdir -p "$run/secrets/kubernetes.io"
ln -s "$1" "$run/secrets/kubernetes.io/serviceaccount"
shift
exec "$@"
"""


@dataclass(frozen=True, kw_only=True)
class SealedSecrets:
    """The running controller. `certificate` is a file with its public key."""

    kubeseal: Path
    certificate: Path

    def seal(self, secret: Object, namespace: str, *, scope: str = "namespace-wide") -> Object:
        """Return the SealedSecret. Only a strict one is bound to its name."""
        body = complete({**secret, "metadata": {**secret["metadata"], "namespace": namespace}})
        command: list[str | Path] = [self.kubeseal, "--cert", self.certificate, "--scope", scope]
        done = subprocess.run(
            command, input=json.dumps(body), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        sealed: Object = json.loads(done.stdout)
        return sealed


def start_sealed_secrets(cluster: ControlPlane, controller: Path, kubeseal: Path) -> SealedSecrets:
    """Install the kind and start the controller."""
    if not _can_unshare():
        give_up(f"needs {' '.join(UNSHARE)}, which this machine does not allow")
    install_kinds(cluster, (module_folder(MODULE) / "helm" / NAME / "crds").glob("*.yaml"))
    api = cluster.api.within(NAME)
    api.apply({"kind": "Namespace", "metadata": {"name": NAME}})
    grant_all(api, NAME)
    port, metrics = cluster.hold_ports(2)
    command: list[str | Path] = [
        *(*UNSHARE, "sh", "-c", IN_A_POD, "sh", _service_account(cluster, api), controller),
        f"--listen-addr=127.0.0.1:{port}",
        f"--listen-metrics-addr=127.0.0.1:{metrics}",
        # Half the size takes a tenth of the time.
        "--key-size=2048",
        "--kubeclient-qps=300",
        "--kubeclient-burst=600",
    ]
    host, _, api_port = api.server.url.removeprefix("https://").partition(":")
    environment = {
        "KUBERNETES_SERVICE_HOST": host,
        "KUBERNETES_SERVICE_PORT": api_port,
        "POD_NAMESPACE": NAME,
    }
    cluster.add(Process(NAME, command, cluster.folder, environment=environment))
    certificate = cluster.folder / f"{NAME}.pem"
    url = f"http://127.0.0.1:{port}/v1/cert.pem"
    certificate.write_bytes(until(f"{NAME} has a key", lambda: _answer(url)))
    return SealedSecrets(kubeseal=kubeseal, certificate=certificate)


def _service_account(cluster: ControlPlane, api: Api) -> Path:
    """Write what a pod finds in its folder of the ServiceAccount."""
    folder = cluster.folder / f"{NAME}-serviceaccount"
    folder.mkdir(mode=0o700)
    (folder / "token").write_text(token_of(api, NAME))
    (folder / "namespace").write_text(NAME)
    shutil.copy(api.server.certificate, folder / "ca.crt")
    return folder


def _answer(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310  # http, on loopback
        text: bytes = answer.read()
    return text


@functools.cache
def _can_unshare() -> bool:
    return (
        shutil.which(UNSHARE[0]) is not None
        and subprocess.run([*UNSHARE, "true"], check=False).returncode == 0
    )
