"""Write the codes of all guards into the schema of `explain`: `python -m tests.pages.guard_codes --write`."""

import json
import re
import sys
from pathlib import Path
from textwrap import fill

from krm_fn.guards.guards import GUARDS

SCHEMA = Path(__file__).parents[2] / "schemas" / "explain-v1.json"
_INDENT = " " * 12
_CODES = re.compile(r'(?<="absent",\n)[^\]]+(?=\n +\])')
"""The grounds behind those of the function itself."""


def schema() -> str:
    """Return the schema: what is written by hand, and one ground for each guard."""
    codes = ", ".join(json.dumps(row.code) for row in GUARDS)
    lines = fill(codes, 100, initial_indent=_INDENT, subsequent_indent=_INDENT)
    text, count = _CODES.subn(lambda _: lines, SCHEMA.read_text())
    assert count == 1
    return text


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        SCHEMA.write_text(schema())
    else:
        print(schema(), end="")
