"""Fixtures and settings for all tests."""

import functools
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cli.process import stop_servers
from tests.integration.build_image import build_image, fetch_wheels
from tests.integration.docker_daemon import (
    DaemonError,
    Environment,
    docker_daemon,
    environment_of,
)
from tests.integration.install import Dist, find_dist, install, make_dist
from tests.once import once, started_once
from tests.tiers import add_option, choose_tests
from tests.tools.require import allow, give_up, require
from tests.volume import SEED

# Modules beside the tests check too, and a failure must show what they saw.
pytest.register_assert_rewrite("tests.cluster", "tests.gitops")

# A slow machine must not fail a test, and a failure must be reproducible: without a seed, every run
# tries the same.
settings.register_profile("krm-fn", deadline=None, derandomize=SEED is None, print_blob=True)
settings.load_profile("krm-fn")

# A rendering makes no cycles. To look for some takes a tenth of the time.
gc.set_threshold(100_000, 50, 1_000)

# Every process would compile all tests again, and rewrite their assertions.
sys.dont_write_bytecode = False

# A shell may export the width of its window.
os.environ.pop("COLUMNS", None)

# What runs in the background of a shell ignores these, and hands that down to every program that it
# starts.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(
            _number, signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    add_option(parser)


_CHOSEN = pytest.StashKey[str]()
"""What tests/tiers.py says of its choice."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[_CHOSEN] = choose_tests(config, items)


def pytest_runtest_setup(item: pytest.Item) -> None:
    allow(may_ask=item.get_closest_marker("needs") is not None)


def pytest_sessionfinish() -> None:
    """End the processes that have run krm-fn."""
    stop_servers()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which tests were chosen, and how many schedules the search of tests/linker/explorer has tried."""
    if chosen := terminalreporter.config.stash.get(_CHOSEN, ""):
        terminalreporter.write_line(chosen)
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    counts = [
        value for report in reports for name, value in report.user_properties if name == "schedules"
    ]
    if counts:
        terminalreporter.write_line(
            f"{sum(counts):,} schedules of the linker beside others, in {len(counts)} searches"
        )


@pytest.fixture(scope="session")
def require_tool() -> Callable[[str], Path]:
    """Return a function that finds a program, such as `require_tool("helm")`.

    If the program is missing, the test is skipped; in CI it fails.
    """
    return functools.cache(require)


@pytest.fixture(scope="session")
def docker_host(
    require_tool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Environment]:
    """Return the environment for `docker` and its callers: DOCKER_HOST is a daemon that only the tests use."""
    require_tool("docker")
    dockerd = require_tool("dockerd")
    if os.geteuid() != 0:
        give_up("needs root, to start dockerd")
    try:
        with started_once(tmp_path_factory, "docker", lambda: docker_daemon(dockerd)) as host:
            yield environment_of(host)
    except DaemonError as error:
        give_up(str(error))


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheels of the locks."""
    return once(tmp_path_factory, "wheels", fetch_wheels)


@pytest.fixture(scope="session")
def image(docker_host: Environment, tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> str:
    """Build the image of this checkout in the daemon of `docker_host`, and return its name."""

    def build(folder: Path) -> None:
        (folder / "name").write_text(build_image(docker_host, folder / "context", wheels))

    return (once(tmp_path_factory, "image", build) / "name").read_text()


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    """Build the wheel and the sdist of this checkout."""
    return find_dist(once(tmp_path_factory, "dist", make_dist))


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, dist: Dist, wheels: Path) -> Path:
    """Install the wheel, without extras, into an empty environment.

    Return the folder of its programs.
    """
    return install(dist.wheel, wheels, tmp_path_factory.mktemp("installed"))
