"""Build the project's Dockerfile without a registry and without a network, with build arguments only."""

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
    """Build the image from the files that `.dockerignore` allows and from local wheels, and return its name."""
    import_base(docker)
    copy_sources(context)
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
    """Import the running interpreter as a base image, and return its name."""
    script = [sys.executable, str(Path(__file__).with_name("make_base_image.py"))]
    with subprocess.Popen(script, stdout=subprocess.PIPE) as archive:
        _run(["docker", "import", "-", BASE], docker, stdin=archive.stdout)
    assert archive.returncode == 0
    return BASE


def copy_sources(context: Path) -> None:
    """Copy what the image and a package are built from."""
    ignore = (ROOT / ".dockerignore").read_text()
    for name in [".dockerignore", "Dockerfile", *re.findall(r"^!(.+)$", ignore, re.MULTILINE)]:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, context / name)
        elif source.exists():
            shutil.copy(source, context)


def _make_wheels(context: Path) -> None:
    """Build wheels of all run-time and build requirements. Works in the copy, because building leaves files behind."""
    requirements = [".[linker]", *PROJECT["build-system"]["requires"]]
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--wheel-dir", "wheels", *requirements], cwd=context, check=True)


def _run(command: list[str], docker: Environment, stdin: IO[bytes] | None = None) -> None:
    """Run the command, and show its output only if it fails."""
    done = subprocess.run(
        command, env=docker, stdin=stdin, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, done.stdout.decode()
