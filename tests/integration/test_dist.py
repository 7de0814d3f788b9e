"""Install the wheel and the sdist as users do, and run what they install."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from krm_fn import __version__
from tests.integration.install import ROOT, Dist, install, make_dist, without_network
from tests.recorded import output_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CASE = min((ROOT / "fixtures" / "transforms").glob("*/input.yaml"))
TOOLS = Path(sys.executable).parent

RUNNERS = [
    pytest.param([TOOLS / "pipx", "run", "--spec", "{wheel}", "krm-fn"], id="pipx run"),
    pytest.param([TOOLS / "uvx", "--from", "{wheel}", "krm-fn"], id="uvx"),
]


def test_the_wheel_is_for_every_platform(dist: Dist) -> None:
    assert dist.wheel.name == f"krm_fn-{__version__}-py3-none-any.whl"


def test_the_same_sources_give_the_same_bytes(dist: Dist, tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        again = make_dist(tmp_path)
    finally:
        os.umask(old)
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in dist]


def test_both_contain_all_modules_and_schemas(dist: Dist) -> None:
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "krm_fn").rglob("*.py")}
    schemas = {path.name for path in (ROOT / "schemas").glob("*.json")}
    with zipfile.ZipFile(dist.wheel) as wheel:
        pipelines = {"krm_fn/examples/github/diff.yaml", "krm_fn/examples/gitlab/.gitlab-ci.yml"}
        data = pipelines | {"krm_fn/docs/messages.yaml"}
        assert set(wheel.namelist()) >= sources | data | {
            f"krm_fn/schemas/{name}" for name in schemas
        }
        assert not [
            name
            for name in wheel.namelist()
            if name.startswith("krm_fn/docs/") and name.endswith(".md")
        ]
    with tarfile.open(dist.sdist) as sdist:
        packed = {name.partition("/")[2] for name in sdist.getnames()}
    assert packed >= sources | {f"schemas/{name}" for name in schemas} | {
        "README.md",
        "LICENSE",
        "pyproject.toml",
    }


def test_the_function_needs_three_packages(installed: Path) -> None:
    """What they need themselves is not krm-fn's choice."""
    listing = [sys.executable, "-m", "pip", "--python", str(installed / "python"), "inspect"]
    report = json.loads(subprocess.run(listing, check=True, capture_output=True).stdout)
    needed: dict[str, list[str]] = {
        canonicalize_name(one["metadata"]["name"]): one["metadata"].get("requires_dist", [])
        for one in report["installed"]
    }
    direct = {re.split("[^a-z-]", line)[0] for line in needed["krm-fn"] if "extra ==" not in line}
    assert direct == {"click", "jsonschema", "pyyaml"}
    assert needed.keys() - direct - {"krm-fn"} <= {
        "attrs",
        "jsonschema-specifications",
        "referencing",
        "rpds-py",
        "typing-extensions",
    }


@pytest.mark.parametrize("archive", ["wheel", "sdist"])
def test_what_is_installed_is_the_function(
    archive: str, dist: Dist, installed: Path, wheels: Path, tmp_path: Path
) -> None:
    programs = (
        installed if archive == "wheel" else install(dist.sdist, wheels, tmp_path / "environment")
    )
    assert outcome([programs / "krm-fn"], tmp_path) == (
        0,
        output_of(CASE.parent),
    )


def test_what_is_installed_explains_a_message(installed: Path, tmp_path: Path) -> None:
    """The list of messages is of the documentation, of which the wheel has nothing else."""
    line = "error: a.yaml:2:1: duplicate key 'a'; the first is on line 1"
    command: list[str | Path] = [installed / "krm-fn", "explain", "--message", line]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.startswith("duplicate key KEY; the first is on line LINE\n")


@pytest.mark.parametrize(
    "command", ["link --set shop", "history --namespace shop", "graph --live ."]
)
def test_what_needs_the_extra_says_so(command: str, installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [installed / "krm-fn", *command.split()],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert ".[linker]" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("runner", RUNNERS)
def test_it_runs_without_being_installed(
    runner: list[str], dist: Dist, wheels: Path, tmp_path: Path
) -> None:
    command = [str(word).format(wheel=dist.wheel) for word in runner]
    homes = {
        "PIPX_HOME": str(tmp_path / "pipx"),
        "UV_CACHE_DIR": str(tmp_path / "uv"),
        "HOME": str(tmp_path),
    }
    environment = {**without_network(wheels), **homes}
    assert outcome(command, tmp_path, environment) == (
        0,
        output_of(CASE.parent),
    )


def outcome(
    command: list[str] | list[Path], folder: Path, environment: dict[str, str] | None = None
) -> tuple[int, bytes]:
    """Run the function from another folder than the checkout, and return its exit code and its output."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        command,
        input=CASE.read_bytes(),
        cwd=folder,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
    )
    return done.returncode, done.stdout


def test_an_index_shows_where_it_comes_from() -> None:
    assert {"Source", "Issues", "Changelog"} <= PROJECT["urls"].keys()
    declared = {name for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)}
    assert {name.rpartition(".")[2] for name in declared} == {"11", "12", "13", "14"}
