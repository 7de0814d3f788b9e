"""What every test may ask for."""

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.integration.build_image import build_image
from tests.integration.docker_daemon import DaemonError, Environment, docker_daemon
from tests.tools.require import give_up, require

# A slow machine is no failure; and a failure in CI must be there again in the next run.
settings.register_profile("krm-fn", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("krm-fn")


@pytest.fixture(scope="session")
def require_tool() -> Callable[[str], Path]:
    """`require_tool("helm")` is the program's path; without the program the test is skipped, or fails in CI."""
    return functools.cache(require)


@pytest.fixture(scope="session")
def docker_host(require_tool: Callable[[str], Path]) -> Iterator[Environment]:
    """The environment for `docker` and for what calls it: DOCKER_HOST is a daemon of our own."""
    require_tool("docker")
    dockerd = require_tool("dockerd")
    if os.geteuid() != 0:
        give_up("needs root, to start dockerd")
    try:
        with docker_daemon(dockerd) as environment:
            yield environment
    except DaemonError as error:
        give_up(str(error))


@pytest.fixture(scope="session")
def image(docker_host: Environment, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name under which the daemon of `docker_host` knows the image of this checkout."""
    return build_image(docker_host, tmp_path_factory.mktemp("context"))
