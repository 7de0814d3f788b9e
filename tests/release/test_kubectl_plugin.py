"""What krew installs as `kubectl revisions`: by its own rules, and as users have it."""

import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn import __version__

ROOT = Path(__file__).parent.parent.parent
REPOSITORY = "https://github.com/krm-fn/krm-fn"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    command = [
        sys.executable,
        "-I",
        "-S",
        str(ROOT / "release/kubectl_plugin.py"),
        str(tmp_path / "plugin"),
        REPOSITORY,
    ]
    subprocess.run(command, check=True)
    return tmp_path / "plugin"


@pytest.fixture
def manifest(written: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((written / "revisions.yaml").read_text())
    return loaded


@pytest.fixture
def archive(written: Path) -> Path:
    return written / f"kubectl-revisions-v{__version__}.tar.gz"


def test_the_manifest_is_valid_by_the_rules_of_krew(manifest: dict[str, Any]) -> None:
    """See ValidatePlugin in internal/index/validation/validate.go of https://github.com/kubernetes-sigs/krew."""
    spec = manifest["spec"]
    assert manifest["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2"
    assert manifest["kind"] == "Plugin"
    assert manifest["metadata"]["name"] == "revisions"  # the name of the file
    assert spec["version"] == f"v{__version__}"
    assert spec["shortDescription"]
    assert "\n" not in spec["shortDescription"]
    (platform,) = spec["platforms"]
    assert platform["selector"] == {
        "matchExpressions": [{"key": "os", "operator": "In", "values": ["darwin", "linux"]}]
    }
    assert re.fullmatch("[a-f0-9]{64}", platform["sha256"])


def test_the_manifest_names_the_archive_of_the_release(
    manifest: dict[str, Any], archive: Path
) -> None:
    (platform,) = manifest["spec"]["platforms"]
    assert platform["uri"] == f"{REPOSITORY}/releases/download/v{__version__}/{archive.name}"
    assert platform["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    with tarfile.open(archive) as files:
        members = {member.name: member.mode for member in files.getmembers()}
    assert members == {"LICENSE": 0o644, platform["bin"]: 0o755}


def test_a_second_archive_has_the_same_bytes(written: Path, archive: Path) -> None:
    before = archive.read_bytes()
    subprocess.run(
        [sys.executable, str(ROOT / "release/kubectl_plugin.py"), str(written), REPOSITORY],
        check=True,
    )
    assert archive.read_bytes() == before


def test_artifact_hub_reads_the_description(manifest: dict[str, Any]) -> None:
    """See docs/krew_annotations.md of https://github.com/artifacthub/hub: the description is the page of the plugin."""
    assert manifest["spec"]["description"]
    assert manifest["metadata"]["annotations"]["artifacthub.io/license"] == "Apache-2.0"


def run(archive: Path, folder: Path, *programs: str) -> subprocess.CompletedProcess[str]:
    """Run the script of the archive, with programs on PATH that print how they were called."""
    with tarfile.open(archive) as files:
        script = io.BytesIO((files.extractfile("kubectl-revisions") or io.BytesIO()).read())
    path = folder / "bin"
    path.mkdir()
    for program in programs:
        (path / program).write_text(f'#!/bin/sh\necho "{program}" "$@"\n')
        (path / program).chmod(0o755)
    (path / "sh").symlink_to("/bin/sh")
    command = ["/bin/sh", "-s", "--", "-n", "shop"]
    environment = {**os.environ, "PATH": str(path)}
    return subprocess.run(
        command,
        input=script.read().decode(),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_runs_what_is_on_path(archive: Path, tmp_path: Path) -> None:
    done = run(archive, tmp_path, "krm-fn", "kubectl-revisions", "uvx", "pipx")
    assert (done.stdout, done.stderr, done.returncode) == ("kubectl-revisions -n shop\n", "", 0)


@pytest.mark.parametrize(
    "programs",
    [
        pytest.param(
            ["uvx", "pipx"], id="uv and pipx would fetch whatever an index has under the name"
        ),
        pytest.param(["krm-fn"], id="a krm-fn without it is of another project"),
        pytest.param([], id="there is nothing"),
    ],
)
def test_otherwise_it_says_how_to_install_it(
    archive: Path, tmp_path: Path, programs: list[str]
) -> None:
    done = run(archive, tmp_path, *programs)
    message = (
        f"error: kubectl revisions needs krm-fn {__version__} or later on PATH, with its extra 'linker'; found none. "
        "In a clone of krm-fn: pipx install '.[linker]'\n"
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", message, 127)
