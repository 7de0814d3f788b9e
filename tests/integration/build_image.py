"""The project's own Dockerfile, built without a registry and without a network, by build arguments alone."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import IO

from tests.integration.docker_daemon import Environment

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
BASE = "krm-fn-base:test"
IMAGE = "krm-fn:test"


def build_image(docker: Environment, context: Path) -> str:
    """The name of the image, built from what `.dockerignore` lets through and wheels made for the occasion."""
    import_base(docker)
    _copy_sources(context)
    _make_wheels(context)
    arguments = [
        "--build-arg",
        f"BASE={BASE}",
        "--build-arg",
        "PIP_ARGS=--no-index --find-links wheels",
        "--build-arg",
        f"IMAGE={IMAGE}",
    ]
    _run(["docker", "build", "--network", "none", "--tag", IMAGE, *arguments, str(context)], docker)
    return IMAGE


def import_base(docker: Environment) -> str:
    """The running interpreter as an image."""
    script = [sys.executable, str(Path(__file__).with_name("make_base_image.py"))]
    with subprocess.Popen(script, stdout=subprocess.PIPE) as archive:
        _run(["docker", "import", "-", BASE], docker, stdin=archive.stdout)
    assert archive.returncode == 0
    return BASE


def _copy_sources(context: Path) -> None:
    ignore = (ROOT / ".dockerignore").read_text()
    for name in [".dockerignore", "Dockerfile", *re.findall(r"^!(.+)$", ignore, re.MULTILINE)]:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, context / name)
        elif source.exists():
            shutil.copy(source, context)


def _make_wheels(context: Path) -> None:
    """Of what the package needs to run, and to be built; in the copy, for building leaves files behind."""
    requirements = [".[linker]", *PROJECT["build-system"]["requires"]]
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--wheel-dir", "wheels", *requirements], cwd=context, check=True)


def _run(command: list[str], docker: Environment, stdin: IO[bytes] | None = None) -> None:
    """Say everything the command said if it fails, and nothing if it does not."""
    done = subprocess.run(
        command, env=docker, stdin=stdin, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, done.stdout.decode()
