"""Run the real image with the same input as in a pod: a token, a certificate, a namespace and two variables."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cluster.control_plane import control_plane
from tests.cluster.linker_bench import LinkerBench, linker_bench
from tests.integration.docker_daemon import Environment
from tests.tools.require import require_built

MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
# The security context of the Job's pod, as options of Docker.
RESTRICTED = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LinkerBench]:
    """Start a separate control plane, so that the cluster tests do not have to build the image too."""
    folder = tmp_path_factory.mktemp("linker")
    with control_plane(require_built) as cluster, linker_bench(cluster, "image", folder) as bench:
        yield bench


@pytest.fixture
def mounted(bench: LinkerBench, tmp_path: Path) -> Path:
    """Write the files of a service account. Other users can read them, as in a pod."""
    api = bench.scene.api
    tmp_path.chmod(0o755)
    (tmp_path / "token").write_text(bench.scene.token())
    (tmp_path / "ca.crt").write_text(api.server.certificate.read_text())
    (tmp_path / "namespace").write_text(api.namespace)
    return tmp_path


@pytest.mark.parametrize("user", ["65534", "1000730000"], ids=["the image's own user", "a user that OpenShift assigns"])
def test_the_image_links(bench: LinkerBench, mounted: Path, docker_host: Environment, image: str, user: str) -> None:
    with bench.fresh():
        expected = bench.undisturbed()
        time.sleep(1.1)  # until the restored revisions are older than the minimum age
        where = urlsplit(bench.scene.api.server.url)
        pod = [
            f"--env=KUBERNETES_SERVICE_HOST={where.hostname}",
            f"--env=KUBERNETES_SERVICE_PORT={where.port}",
            f"--volume={mounted}:{MOUNTED}:ro",
        ]
        command = ["docker", "run", "--rm", "--network=host", f"--user={user}", *RESTRICTED, *pod, image]
        done = subprocess.run(
            [*command, *bench.scene.arguments], env=docker_host, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "revisions in image: " in done.stdout
        assert bench.scene.state() == expected
