"""Build the project's Dockerfile without a registry and without a network, with build arguments only."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO

from krm_fn import __version__
from tests.integration.docker_daemon import Environment

ROOT = Path(__file__).parent.parent.parent
BASE, BUILD = "krm-fn-base:test", "krm-fn-build:test"
IMAGE = "krm-fn:test"
REVISION = "0123456789abcdef0123456789abcdef01234567"
SOURCE_DATE_EPOCH = 1_700_000_000


def build_image(docker: Environment, context: Path, wheels: Path) -> str:
    """Build the image from the files that `.dockerignore` allows and from local wheels, and return its name."""
    _import_bases(docker)
    make_context(context, wheels)
    build(docker, context, IMAGE)
    return IMAGE


def fetch_wheels(target: Path) -> None:
    """Fetch the wheels of the locks, from pip's cache if they are there."""
    locks = [f"--requirement={ROOT / 'locks' / name}" for name in ("build.txt", "image.txt")]
    options = [
        "--quiet",
        "--disable-pip-version-check",
        "--require-hashes",
        "--no-deps",
        "--dest",
        str(target),
    ]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, *locks], check=True)


def _import_bases(docker: Environment) -> None:
    """Import the running interpreter as a base image, once with what builds and once without."""
    for name, options in ((BASE, ()), (BUILD, ("--tools",))):
        script = [sys.executable, str(Path(__file__).with_name("make_base_image.py")), *options]
        with subprocess.Popen(script, stdout=subprocess.PIPE) as archive:
            _run(["docker", "import", "-", name], docker, stdin=archive.stdout)
        assert archive.returncode == 0


def build(docker: Environment, context: Path, name: str, *options: str) -> None:
    """Build an image from a context that is complete."""
    arguments = {
        "BASE": BASE,
        "BUILD": BUILD,
        "PIP_ARGS": "--no-index --find-links wheels",
        "IMAGE": IMAGE,
        "VERSION": __version__,
        "REVISION": REVISION,
        "SOURCE_DATE_EPOCH": str(SOURCE_DATE_EPOCH),
    }
    given = [word for key, value in arguments.items() for word in ("--build-arg", f"{key}={value}")]
    _run(
        ["docker", "build", "--network", "none", "--tag", name, *given, *options, str(context)],
        docker,
    )


def make_context(context: Path, wheels: Path) -> None:
    """Copy what the Dockerfile may read, and the wheels."""
    copy_sources(context)
    shutil.copytree(wheels, context / "wheels")


def copy_sources(context: Path) -> None:
    """Copy what the image and a package are built from."""
    ignore = (ROOT / ".dockerignore").read_text()
    for name in [".dockerignore", "Dockerfile", *re.findall(r"^!(.+)$", ignore, re.MULTILINE)]:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, context / name)
        elif source.exists():
            (context / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, context / name)


def _run(command: list[str], docker: Environment, stdin: IO[bytes] | None = None) -> None:
    """Run the command, and show its output only if it fails."""
    done = subprocess.run(
        command,
        env=docker,
        stdin=stdin,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout.decode()
