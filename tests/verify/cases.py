"""The folders in fixtures/verifications, and their inputs."""

import re
from pathlib import Path

from tests.cases import FIXTURES

VERIFICATIONS = sorted(path.parent for path in FIXTURES.glob("verifications/*/arguments"))

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


def read_input(case: Path) -> bytes:
    """Return the input of a folder. `input.patch` says what is different in that of another one."""
    patch = case / "input.patch"
    if not patch.exists():
        return (case / "input.yaml").read_bytes()
    base, _, *lines = patch.read_text().splitlines(keepends=True)
    return apply((case / base.removeprefix("--- ").rstrip("\n")).read_text(), lines).encode()


def apply(text: str, patch: list[str]) -> str:
    """Apply the hunks of a unified diff, which have to fit."""
    old = text.splitlines(keepends=True)
    new: list[str] = []
    done = 0
    for line in patch:
        if hunk := _HUNK.match(line):
            start = int(hunk[1]) - 1
            new += old[done:start]
            done = start
            continue
        sign, content = line[0], line[1:]
        if sign in " -":
            assert old[done] == content, f"line {done + 1} is {old[done]!r}"
            done += 1
        if sign in " +":
            new.append(content)
    return "".join([*new, *old[done:]])
