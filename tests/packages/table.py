"""Write the table of packages in docs/secrets.md: what the function renames in each, and what it leaves alone.

`python -m tests.packages.table` prints it, with `--write` it updates the page.
"""

import re
import sys
from pathlib import Path

from tests.packages.package import Package, read_packages

PAGE = Path(__file__).parent.parent.parent / "docs" / "secrets.md"

_BEGIN, _END = "<!-- made by `python -m tests.packages.table --write` -->\n", "<!-- end -->\n"
_TABLE = re.compile(f"{re.escape(_BEGIN)}.*?{re.escape(_END)}", re.DOTALL)


def page() -> str:
    """Return the page with its table."""
    return _TABLE.sub(lambda _: f"{_BEGIN}{table()}{_END}", PAGE.read_text())


def table() -> str:
    """Return the table: one row for each package."""
    rows = [_row(package) for package in read_packages()]
    return "\n".join(["| Package | Renamed | Left alone |", "|---|---|---|", *rows, ""])


def _row(package: Package) -> str:
    link = f"[{package.repository.removeprefix('github.com/')}](https://{package.repository})"
    renamed = "<br>".join(f"`{name}`" for name in sorted(package.renamed))
    left = "<br>".join(f"`{name}`: {why}" for name, why in sorted(package.left.items()))
    return f"| {link} | {renamed} | {left} |"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page())
    else:
        print(table(), end="")
