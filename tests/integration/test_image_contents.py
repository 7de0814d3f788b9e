"""What is in the image: little, the same each time, and said in its labels and its bill of materials."""

import io
import json
import subprocess
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from krm_fn import __version__
from tests.integration.build_image import BASE, REVISION, ROOT, build, make_context
from tests.integration.docker_daemon import Environment
from tests.integration.test_image import Outcome, inspect, run_image
from tests.release.locks import read_lock

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MEGABYTES = 1_000_000
BILL = "opt/krm-fn/krm-fn.cdx.json"


def test_the_image_adds_little_to_its_base(docker_host: Environment, image: str) -> None:
    size, base = (int(str(inspect(docker_host, name)["Size"])) for name in (image, BASE))
    assert size - base < 45 * MEGABYTES


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Path:
    """Return a copy of the sources in another place, and with other times."""
    folder = tmp_path_factory.mktemp("again")
    make_context(folder, wheels)
    return folder


def test_the_same_sources_give_the_same_layers(
    docker_host: Environment, image: str, context: Path
) -> None:
    again = f"{image}-again"
    build(docker_host, context, again, "--no-cache")
    assert inspect(docker_host, again)["RootFS"] == inspect(docker_host, image)["RootFS"]


def test_labels_say_what_it_is(docker_host: Environment, image: str) -> None:
    config = inspect(docker_host, image)["Config"]
    assert isinstance(config, dict)
    repository = PROJECT["urls"]["Source"]
    assert {
        key.removeprefix("org.opencontainers.image."): value
        for key, value in config["Labels"].items()
    } == {
        "title": PROJECT["name"],
        "description": PROJECT["description"],
        "licenses": PROJECT["license"],
        "source": repository,
        "url": repository,
        "documentation": f"{repository}#readme",
        "version": __version__,
        "revision": REVISION,
        "base.name": BASE,
    }


def exported(docker: Environment, image: str) -> tarfile.TarFile:
    """Return the whole file system of an image."""
    run = ["docker", "create", image, "nothing"]
    name = subprocess.run(
        run, env=docker, check=True, capture_output=True, text=True
    ).stdout.strip()
    archive = subprocess.run(
        ["docker", "export", name], env=docker, check=True, capture_output=True
    ).stdout
    subprocess.run(["docker", "rm", name], env=docker, check=True, capture_output=True)
    return tarfile.open(fileobj=io.BytesIO(archive))


@pytest.fixture(scope="module")
def files(docker_host: Environment, image: str) -> Iterator[tarfile.TarFile]:
    with exported(docker_host, image) as archive:
        yield archive


def test_nothing_in_it_installs_or_runs_a_script(files: tarfile.TarFile) -> None:
    """The base of the tests has neither, like the real one: the image adds neither."""
    names = {PurePosixPath(name).name for name in files.getnames()}
    assert names.isdisjoint({"pip", "setuptools", "sh", "dash", "bash", "busybox"})


def test_the_bill_of_materials_lists_what_the_lock_pins(files: tarfile.TarFile) -> None:
    bill = json.loads(content(files, BILL))
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "krm-fn"
    listed = {component["purl"] for component in bill["components"]}
    assert listed == {
        f"pkg:pypi/{name}@{pin.version}" for name, pin in read_lock("image.txt").items()
    }


def test_the_bill_of_materials_can_be_had_alone(
    docker_host: Environment, image: str, context: Path, files: tarfile.TarFile
) -> None:
    build(docker_host, context, f"{image}-bill", "--target=sbom")
    with exported(docker_host, f"{image}-bill") as alone:
        assert content(alone, "krm-fn.cdx.json") == content(files, BILL)


def content(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    assert file
    return file.read()


# What a user may start: the function, the command line, the linker, and all that they load.
LOADED = """
import importlib, os, pkgutil, sys
import krm_fn
for module in pkgutil.walk_packages(krm_fn.__path__, "krm_fn."):
    importlib.import_module(module.name)
specs = [spec for module in sys.modules.values() if (spec := getattr(module, "__spec__", None))]
files = [spec.cached for spec in specs if spec.cached]
print(len(files) > 500, [file for file in files if not os.path.exists(file)])
"""


def test_no_start_compiles_anything(docker_host: Environment, image: str) -> None:
    """On a read-only file system, each start would compile it again."""
    inside = run_image(docker_host, "--rm", "--entrypoint=python", image, "-c", LOADED, data=b"")
    assert inside == Outcome(0, b"True []\n", b"")
