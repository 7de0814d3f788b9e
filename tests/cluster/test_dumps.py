"""A dump of the cluster is renamed to what a real API server accepts, client-side and server-side."""

import subprocess

import pytest

from krm_fn.function import run
from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.tools.require import require

CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {select: [{name: web-config}], linker: {enabled: false}}
"""


@pytest.mark.parametrize("side", ["--server-side=false", "--server-side"])
@pytest.mark.parametrize("flag", ["--show-managed-fields=false", "--show-managed-fields"])
def test_a_dump_that_is_renamed_is_applied(
    flag: str, side: str, cluster: ControlPlane, namespace: Api
) -> None:
    def kubectl(*arguments: str, stdin: bytes = b"") -> bytes:
        place = [
            "--kubeconfig",
            str(cluster.folder / "admin.kubeconfig"),
            "-n",
            namespace.namespace,
        ]
        command = [str(require("kubectl")), *place, *arguments]
        return subprocess.run(command, input=stdin, check=True, stdout=subprocess.PIPE).stdout

    kubectl("create", "configmap", "web-config", "--from-literal=a=b")
    renamed = run(kubectl("get", "configmap", "web-config", "-o", "yaml", flag), CONFIG).stdout
    (name,) = kubectl("apply", side, "-f", "-", "-o", "name", stdin=renamed).split()
    assert name.startswith(b"configmap/web-config-")
    assert kubectl("get", name.decode(), "-o", "jsonpath={.data.a}") == b"b"
