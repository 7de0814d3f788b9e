"""Files of fixtures that are said by what is different in those of another fixture."""

import re
from pathlib import Path

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


def read_patched(path: Path) -> str:
    """Return the text of a file. A patch in its place is what `diff -u ../other/FILE FILE` prints."""
    patch = path.with_suffix(".patch")
    if not patch.exists():
        return path.read_text()
    base, _, *lines = patch.read_text().splitlines(keepends=True)
    return apply((path.parent / base.removeprefix("--- ").rstrip("\n")).read_text(), lines)


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
