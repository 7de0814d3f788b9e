"""The text of a release, as the workflow makes it."""

import subprocess
import sys
from pathlib import Path

import pytest

from krm_fn import __version__

ROOT = Path(__file__).parent.parent.parent
DIGEST = f"sha256:{'0' * 64}"
CHANGELOG = """\
# Changelog

## [Unreleased]

### Added

- Not out yet.

## [1.2.0] - 2026-11-22

### Added

- A thing.

## [1.1.0] - soon

- Without a date.

## [1.0.0] - 2026-01-01
"""


def notes(
    tmp_path: Path, version: str, *arguments: str, changelog: str = CHANGELOG
) -> subprocess.CompletedProcess[str]:
    """Run a copy of the script beside these sources, without this package on its path."""
    files = {
        "release/notes.py": (ROOT / "release/notes.py").read_text(),
        "krm_fn/__init__.py": f'__version__ = "{version}"\n',
        "CHANGELOG.md": changelog,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-I", "-S", str(tmp_path / "release/notes.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_is_the_section_of_the_version(tmp_path: Path) -> None:
    done = notes(tmp_path, "1.2.0", "v1.2.0")
    assert (done.stdout, done.stderr, done.returncode) == ("### Added\n\n- A thing.\n", "", 0)


def test_with_an_image_it_ends_with_its_digest(tmp_path: Path) -> None:
    done = notes(tmp_path, "1.2.0", "v1.2.0", f"ghcr.io/krm-fn/krm-fn@{DIGEST}")
    assert done.stdout.startswith("### Added\n\n- A thing.\n\n### The image\n")
    assert f"      image: ghcr.io/krm-fn/krm-fn:1.2.0@{DIGEST}\n" in done.stdout


@pytest.mark.parametrize(
    ("version", "arguments", "message"),
    [
        pytest.param(
            "1.2.0",
            ["v1.3.0"],
            "error: tag: found v1.3.0, expected v1.2.0, the version in __init__.py\n",
            id="the tag of another version",
        ),
        pytest.param(
            "1.2.0",
            ["1.2.0"],
            "error: tag: found 1.2.0, expected v1.2.0, the version in __init__.py\n",
            id="a tag without its v",
        ),
        pytest.param(
            "1.3.0", ["v1.3.0"], "error: CHANGELOG.md: has no section ## [1.3.0]\n", id="no section"
        ),
        pytest.param(
            "1.1.0",
            ["v1.1.0"],
            "error: CHANGELOG.md: found ## [1.1.0] - soon, expected a date: ## [1.1.0] - 2026-01-31\n",
            id="no date",
        ),
        pytest.param(
            "1.0.0",
            ["v1.0.0"],
            "error: CHANGELOG.md: the section of 1.0.0 is empty\n",
            id="nothing about the version",
        ),
        pytest.param(
            "1.2.0",
            ["v1.2.0", "ghcr.io/krm-fn/krm-fn:1.2.0"],
            "error: image: found ghcr.io/krm-fn/krm-fn:1.2.0, expected a name with a digest: "
            "ghcr.io/krm-fn/krm-fn@sha256:...\n",
            id="an image without a digest",
        ),
    ],
)
def test_what_stops_a_release(
    tmp_path: Path, version: str, arguments: list[str], message: str
) -> None:
    done = notes(tmp_path, version, *arguments)
    assert (done.stdout, done.stderr, done.returncode) == ("", message, 1)


def test_this_version_can_be_released() -> None:
    command = [sys.executable, str(ROOT / "release/notes.py"), f"v{__version__}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
