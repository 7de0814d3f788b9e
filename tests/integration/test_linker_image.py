"""Run the linker in the real image with what a pod gets: token, certificate, namespace and two variables."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cluster.control_plane import control_plane
from tests.cluster.linker_harness import LinkerHarness, linker_harness
from tests.integration.docker_daemon import Environment
from tests.tools.require import require_built
from tests.wait import grow_older

MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
# The security context of the Job's pod, as Docker options.
RESTRICTED = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"]


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LinkerHarness]:
    """Start another control plane, so that the tests of the cluster do not need the image."""
    folder = tmp_path_factory.mktemp("linker")
    with (
        control_plane(require_built) as cluster,
        linker_harness(cluster, "image", folder) as harness,
    ):
        yield harness


@pytest.fixture
def mounted(harness: LinkerHarness, tmp_path: Path) -> Path:
    """Write the files that a pod mounts. Other users can read them too, as in a pod."""
    api = harness.release.api
    tmp_path.chmod(0o755)
    (tmp_path / "token").write_text(harness.release.token())
    (tmp_path / "ca.crt").write_text(api.server.certificate.read_text())
    (tmp_path / "namespace").write_text(api.namespace)
    return tmp_path


@pytest.mark.parametrize(
    "user",
    ["65534", "1000730000"],
    ids=["the image's own user", "a user id that OpenShift assigns"],
)
def test_the_image_links(
    harness: LinkerHarness, mounted: Path, docker_host: Environment, image: str, user: str
) -> None:
    with harness.restored():
        expected = harness.undisturbed()
        grow_older()
        where = urlsplit(harness.release.api.server.url)
        pod = [
            f"--env=KUBERNETES_SERVICE_HOST={where.hostname}",
            f"--env=KUBERNETES_SERVICE_PORT={where.port}",
            f"--volume={mounted}:{MOUNTED}:ro",
        ]
        command = [
            "docker",
            "run",
            "--rm",
            "--network=host",
            f"--user={user}",
            *RESTRICTED,
            *pod,
            image,
        ]
        done = subprocess.run(
            [*command, *harness.release.arguments],
            env=docker_host,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0
        assert re.fullmatch("(waiting for .*\n)*", done.stderr)
        assert "revisions in image: " in done.stdout
        assert harness.release.state() == expected
