"""The map "Where do I change ..." of docs/architecture.md, executed.

Each row has a patch in `places`: it applies where the row says, and moves what its second line
says, and nothing else that is recorded. `places/probe.yaml` is a package for the rows about objects.

Where a patch does not apply any more, make the change again, and put what `git diff -U1` prints
behind its two lines.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.once import once
from tests.repository.what_is_recorded import PLACES

ROOT = Path(__file__).parents[2]
COPIED = ("krm_fn", "schemas", "docs")
READ = ("tests", "fixtures", "README.md", "action", "pyproject.toml")
"""What no patch changes is read where it is."""

HEAD = re.compile(r"Row: (?P<row>.*)\nMoves: (?P<moves>.*)\n\n(?=diff )")
PATCHES = sorted(PLACES.glob("*.patch"))


def read_map() -> dict[str, str]:
    """Return where to change what, from the page."""
    page = (ROOT / "docs/architecture.md").read_text()
    table = page.partition("## Where do I change")[2].partition("\n| What")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return {row[0]: row[1] for row in rows}


def read_head(patch: Path) -> tuple[str, set[str]]:
    """Return the row that a patch is for, and what it moves."""
    found = HEAD.match(patch.read_text())
    assert found is not None, "begins with the lines Row and Moves"
    return found["row"], set(found["moves"].split(", "))


def record(root: Path) -> str:
    command = [sys.executable, "-m", "tests.repository.what_is_recorded"]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def read_digests(recorded: str) -> dict[str, str]:
    """Return the digest of each recorded thing."""
    lines = (line.partition(" ") for line in recorded.splitlines())
    return {name: digest for digest, _, name in lines}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Give the digests of the code as it is."""

    def make(folder: Path) -> None:
        (folder / "digests").write_text(record(ROOT))

    return read_digests((once(tmp_path_factory, "what-is-recorded", make) / "digests").read_text())


def test_each_row_of_the_map_has_a_patch() -> None:
    assert sorted(read_map()) == sorted(read_head(patch)[0] for patch in PATCHES)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_patch_changes_what_its_row_names(patch: Path) -> None:
    where = read_map()[read_head(patch)[0]]
    changed = re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.MULTILINE)
    code = [path.removeprefix("krm_fn/") for path in changed if not path.startswith("docs/")]
    unnamed = [
        path for path in code if not any(path.startswith(one) for one in where.split("`")[1::2])
    ]
    assert unnamed == []
    subprocess.run(["git", "apply", "--check", str(patch)], cwd=ROOT, check=True)


@pytest.mark.rows(test=1, submission=6)
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_patch_moves_what_it_says(patch: Path, before: dict[str, str], tmp_path: Path) -> None:
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in READ:
        (tmp_path / name).symlink_to(ROOT / name)
    subprocess.run(["git", "apply", str(patch)], cwd=tmp_path, check=True)
    after = read_digests(record(tmp_path))
    assert {name for name in before if before[name] != after[name]} == read_head(patch)[1]
