"""Where `krm-fn verify` fails, no block of a page commits or pushes what it has refused.

A reader's shell goes on after a command that fails, unlike that of tests/integration. Programs with the names of
`krm-fn` and `git` write down how they are called, and that is all.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.pages.blocks import read_blocks

PAGES = Path(__file__).parents[2] / "docs"
BLOCKS = [
    pytest.param(block, id=page.stem)
    for page in sorted(PAGES.rglob("*.md"))
    for block in read_blocks(page.read_text())
    if "krm-fn verify" in block and "git " in block
]
FAKE = """\
#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
test "$(basename "$0") $1" != "krm-fn verify"
"""


def type_in(block: str, folder: Path) -> list[str]:
    """Type a block in a shell of which nothing is set, and return the calls of all programs."""
    programs = folder / "programs"
    programs.mkdir()
    for name in ("krm-fn", "git", "kpt", "kubectl", "kustomize"):
        (programs / name).write_text(FAKE)
        (programs / name).chmod(0o755)
    calls = folder / "calls"
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "CALLS": str(calls)}
    place = folder / "place"
    (place / "services/cart/overlays/prod/krm").mkdir(parents=True)
    (place / "services/cart/overlays/README.md").write_text("")
    (place / "krm-fn.yaml").write_text("spec:\n")
    subprocess.run(
        ["sh", "-c", block], cwd=place, env=environment, capture_output=True, check=False
    )
    return calls.read_text().splitlines()


@pytest.mark.parametrize("block", BLOCKS)
def test_what_verify_refuses_is_not_committed(block: str, tmp_path: Path) -> None:
    calls = type_in(block, tmp_path)
    (place,) = (number for number, call in enumerate(calls) if call.startswith("krm-fn verify"))
    assert [call for call in calls[place + 1 :] if call.startswith("git")] == []


def test_a_file_beside_the_overlays_is_no_package(tmp_path: Path) -> None:
    (block,) = read_blocks((PAGES / "how-to/argo-cd-without-a-plugin.md").read_text())[1:2]
    calls = type_in(block, tmp_path)
    rendered = [call for call in calls if call.startswith("krm-fn render")]
    assert rendered == ["krm-fn render --quiet services/cart/overlays/prod/"]


def test_a_file_of_the_reader_keeps_its_lines() -> None:
    blocks = [one for page in PAGES.rglob("*.md") for one in read_blocks(page.read_text())]
    lines = [line for block in blocks for line in block.splitlines() if ".gitignore" in line]
    assert any(line.startswith("echo") for line in lines)
    assert not [line for line in lines if "> .gitignore" in line and ">> .gitignore" not in line]


def test_no_block_edits_what_an_option_of_init_writes() -> None:
    """A line that one command comments out, and another one does not find again, stays in a reader's file."""
    lines = [
        line
        for page in PAGES.rglob("*.md")
        for block in read_blocks(page.read_text())
        for line in block.splitlines()
        if "sed" in line and "strategy: adopt" in line
    ]
    assert lines
    assert [line for line in lines if "'/^  strategy: adopt/d'" not in line] == []
