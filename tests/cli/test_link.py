"""`krm-fn link` as a process, without a cluster."""

import os
import subprocess
import sys

import pytest

from krm_fn import __version__

HIDE_CLIENT = "import sys; sys.modules['kubernetes'] = None; sys.argv[0] = 'krm-fn'\n"
PROBE = HIDE_CLIENT + "from krm_fn.__main__ import main; main()"


def run_without_client(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def link_without_client(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_without_client("link", *arguments, **environment)


WITHOUT_CLIENT = [
    pytest.param(["link", "--set", "web"], 1, id="the linker"),
    pytest.param(["history"], 1, id="a history"),
    pytest.param(["graph", "--live"], 1, id="a picture of a cluster"),
    pytest.param(["diff", "--live"], 2, id="a difference, for which 1 would be the code"),
]


@pytest.mark.parametrize(("arguments", "code"), WITHOUT_CLIENT)
def test_a_command_without_the_kubernetes_client_says_how_to_install_it(
    arguments: list[str], code: int
) -> None:
    done = run_without_client(*arguments)
    help_of = f"krm-fn {arguments[0]} --help"
    assert (done.returncode, done.stdout) == (code, "")
    how = "in a clone of krm-fn, pipx install --force '.[linker]'"
    assert done.stderr == f"error: needs the Python package kubernetes: {how}; see {help_of}\n"


@pytest.mark.parametrize(
    ("argument", "why"),
    [
        pytest.param("--colour=blue", "No such option '--colour'", id="an option"),
        pytest.param("web", "Got unexpected extra argument (web)", id="an argument"),
        pytest.param(
            "--no-wait=all",
            "Option '--no-wait' does not take a value",
            id="a flag that has a value now",
        ),
        pytest.param("--timeout=5m", "'5m' is not a valid integer range", id="another unit"),
        pytest.param(
            "--revision=Widget/web",
            "found 'Widget/web', expected ConfigMap/NAME or Secret/NAME",
            id="a kind",
        ),
    ],
)
def test_a_plan_of_another_version_is_an_error_that_names_both_versions(
    argument: str, why: str
) -> None:
    """It ends before anything is asked of a cluster: without the client, that would be another error."""
    done = link_without_client("--set=web", argument, KRM_FN_PLAN_VERSION="99.0.0")
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert done.stderr.endswith(
        f"; krm-fn 99.0.0 wrote this plan, and the linker is {__version__}, which does not understand it. Nothing was "
        "changed: give spec.linker.image the version of the function; see krm-fn link --help\n"
    )


def test_a_plan_that_does_not_say_its_version_is_an_error_that_names_the_one_of_the_linker() -> (
    None
):
    done = link_without_client("--set=web", "--colour=blue", KUBERNETES_SERVICE_HOST="10.0.0.1")
    assert done.returncode == 2
    assert (
        f"; krm-fn of another version wrote this plan, and the linker is {__version__}, which"
        in done.stderr
    )


def test_a_mistake_of_somebody_who_types_is_no_plan_of_another_version() -> None:
    done = link_without_client("--set=web", "--colour=blue")
    assert done.returncode == 2
    assert done.stderr == "error: No such option '--colour'; see krm-fn link --help\n"


def test_a_plan_that_is_understood_may_be_of_any_version() -> None:
    assert (
        "needs the Python package"
        in link_without_client("--set=web", KRM_FN_PLAN_VERSION="99.0.0").stderr
    )
