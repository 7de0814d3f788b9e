"""Run the image with the same flags as kustomize, kpt and others."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.integration.build_image import ROOT
from tests.integration.docker_daemon import Environment

TRANSFORMED = min((ROOT / "fixtures" / "transforms").glob("*/input.yaml"))
REJECTED = min((ROOT / "fixtures" / "rejections").glob("*/input.yaml"))
# As kustomize and kpt run it.
RUN = ["docker", "run", "--interactive", "--network=none", "--security-opt=no-new-privileges"]

USERS = [
    pytest.param("nobody", id="nobody, as in kustomize and kpt"),
    pytest.param("65534", id="the image's own user"),
    pytest.param("999", id="999, as in an Argo CD plugin sidecar"),
    pytest.param("10001", id="a user without an account"),
    pytest.param("0", id="kustomize with as-current-user, started by root"),
]


class Outcome(NamedTuple):
    """The exit code and the output of a process."""

    exit_code: int
    stdout: bytes
    stderr: bytes


def run_locally(data: bytes) -> Outcome:
    return run([sys.executable, "-m", "krm_fn"], data)


def run_image(docker: Environment, *arguments: str, data: bytes) -> Outcome:
    return run([*RUN, *arguments], data, docker)


def run(command: list[str], data: bytes, environment: Environment | None = None) -> Outcome:
    done = subprocess.run(command, input=data, env=environment, capture_output=True, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


def inspect(docker: Environment, name: str) -> dict[str, object]:
    answer = subprocess.run(
        ["docker", "image", "inspect", name], env=docker, check=True, capture_output=True
    )
    (image,) = json.loads(answer.stdout)
    return dict(image)


@pytest.mark.parametrize("user", USERS)
def test_any_user_gets_the_bytes_of_a_local_run(
    docker_host: Environment, image: str, user: str
) -> None:
    data = TRANSFORMED.read_bytes()
    inside = run_image(docker_host, "--rm", "--read-only", "--user", user, image, data=data)
    assert inside == run_locally(data)
    assert inside.exit_code == 0


def test_a_rejection_leaves_the_container_with_its_exit_code(
    docker_host: Environment, image: str
) -> None:
    data = REJECTED.read_bytes()
    inside = run_image(docker_host, "--rm", "--read-only", image, data=data)
    assert inside == run_locally(data)
    assert inside.exit_code == 1


def test_the_command_is_on_path(docker_host: Environment, image: str) -> None:
    data = TRANSFORMED.read_bytes()
    inside = run_image(docker_host, "--rm", "--read-only", "--entrypoint=krm-fn", image, data=data)
    assert inside == run_locally(data)


def test_no_module_is_imported_from_the_working_folder(
    docker_host: Environment, image: str, tmp_path: Path
) -> None:
    """Orchestrators mount packages, whose files may have any name."""
    (tmp_path / "yaml.py").write_text("raise SystemExit('imported')\n")
    tmp_path.chmod(0o755)
    mounted = ["--volume", f"{tmp_path}:/package:ro", "--workdir", "/package"]
    data = TRANSFORMED.read_bytes()
    assert run_image(docker_host, "--rm", *mounted, image, data=data) == run_locally(data)


@pytest.fixture
def finished_container(docker_host: Environment, image: str) -> Iterator[str]:
    """Run a container with a writable file system, and yield its name after it has ended."""
    name = f"krm-fn-{os.getpid()}"
    run_image(docker_host, "--name", name, "--user=root", image, data=TRANSFORMED.read_bytes())
    yield name
    subprocess.run(["docker", "rm", name], env=docker_host, check=True, capture_output=True)


def test_nothing_is_written(docker_host: Environment, finished_container: str) -> None:
    changes = subprocess.run(
        ["docker", "diff", finished_container], env=docker_host, check=True, capture_output=True
    )
    assert changes.stdout == b""


def test_the_user_is_a_number_and_not_root(docker_host: Environment, image: str) -> None:
    """With a user name, Kubernetes could not check `runAsNonRoot`, and the pod would not start."""
    config = inspect(docker_host, image)["Config"]
    assert isinstance(config, dict)
    assert config["User"] == "65534:65534"
