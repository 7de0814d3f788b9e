"""Everything that names this version names the same one."""

import re
import subprocess
from pathlib import Path

import pytest

from krm_fn import __version__

ROOT = Path(__file__).parent.parent.parent
LISTED = subprocess.run(
    ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout
# Fixtures and tests name made-up images.
SHOWN = [
    path
    for path in filter(None, LISTED.split("\0"))
    if path.startswith(("README.md", "docs/", "examples/", "release/", "artifacthub"))
    and (ROOT / path).is_file()
]
IMAGE_OR_TAG = re.compile(r"\bkrm-fn[:@]v?([0-9][\w.-]*[0-9])")
NAMED = [
    (path, version)
    for path in SHOWN
    for version in IMAGE_OR_TAG.findall((ROOT / path).read_text(errors="replace"))
]


@pytest.mark.parametrize(("path", "version"), NAMED)
def test_what_users_copy_names_this_version(path: str, version: str) -> None:
    assert version == __version__, path


def test_there_is_something_to_copy() -> None:
    assert len(NAMED) >= 10
