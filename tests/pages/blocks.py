"""Commands on pages, and what they print: run in one shell, and put back into the page."""

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

BLOCK = re.compile(r"^```sh\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
"""Commands, and right behind them what they print."""

AGE = re.compile(r" +(?:\d+[smh])+ +")
"""In a table, how long ago something was. That depends on the machine."""


def read_blocks(text: str) -> list[str]:
    """Return the commands of each block of a page."""
    return [commands for commands, _ in BLOCK.findall(text)]


def run_blocks(
    blocks: Iterable[str], environment: Mapping[str, str], folder: Path, start: Path | None = None
) -> list[str]:
    """Run all blocks in one shell, as a reader does, and return what each printed.

    The first failure ends it. What is printed is kept in `folder`; the shell begins in `start`, or
    there.
    """
    blocks = list(blocks)
    script = ["set -euo pipefail", f"cd {start or folder}"]
    for number, block in enumerate(blocks):
        script += [f"exec > {folder}/{number}.out", block]
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    outputs = [folder / f"{number}.out" for number in range(len(blocks))]
    last = [output.read_text() for output in outputs if output.exists()]
    assert done.returncode == 0, (
        f"block {len(last)} ended with {done.returncode}:\n{last[-1]}{done.stderr}"
    )
    return last


def with_outputs(text: str, printed: Iterable[str]) -> str:
    """Put what was printed in the blocks of the page, each age as half a minute."""
    outputs = (AGE.sub("  30s  ", one) for one in printed)

    def put(found: re.Match[str]) -> str:
        output = next(outputs)
        if found[2] is None:
            return found[0]
        return f"```sh\n{found[1]}```\n\n```text\n{output}```"

    return BLOCK.sub(put, text)
