"""Run the tests of each version in tests/tools/versions.toml, and write the results into CONTRIBUTING.md.

`python -m tests.tools.versions` runs all of them, and `kubernetes=1.34 helm` behind it these. `--list` prints what
there is, as JSON for a matrix of GitHub Actions.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from tests.tools.build import FAMILIES, read_versions

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
BLOCK = re.compile(r"(?<=<!-- written by make test-versions -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEAD = ("Program", "Version", "Date", "Passed", "Failed", "Skipped", "Build, s", "Tests, s")
UNKNOWN = "-"


class Cell(NamedTuple):
    """A version of a program."""

    program: str
    version: str

    def __str__(self) -> str:
        return f"{self.program}={self.version}"


class Row(NamedTuple):
    """What came of a cell, in the order of HEAD."""

    program: str
    version: str
    date: str
    passed: str
    failed: str
    skipped: str
    build_seconds: str
    test_seconds: str

    @property
    def cell(self) -> Cell:
        return Cell(self.program, self.version)

    @property
    def is_good(self) -> bool:
        """Tell whether tests have passed and none has failed: all may be skipped, or none chosen."""
        return self.failed == "0" and self.passed not in ("0", UNKNOWN)


def list_cells() -> list[Cell]:
    return [
        Cell(program, version)
        for program, row in read_versions().items()
        for version in sorted((row.default, *row.others), key=_numbers)
    ]


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.removeprefix("v").split(".")]


def choose(cells: Sequence[Cell], wanted: Sequence[str]) -> list[Cell]:
    """Return the cells of a program, as `helm`, or with the start of a version, as `helm=3.20`."""
    chosen = []
    for choice in wanted:
        program, _, start = choice.partition("=")
        found = [
            cell
            for cell in cells
            if cell.program == program
            and (not start or f"{cell.version}.".startswith(f"v{start.removeprefix('v')}."))
        ]
        if not found:
            sys.exit(f"{choice}: expected one of {', '.join(map(str, cells))}")
        chosen += found
    return chosen


def run_cell(cell: Cell, before: Row | None) -> Row:
    """Build the version, run the tests of its program, and count.

    `before`: the row of an earlier run.
    """
    (family,) = (one for one in FAMILIES if one.name == cell.program)
    environment = {**os.environ, family.variable: cell.version}
    print(f"{cell}: building", flush=True)
    versions = read_versions()[cell.program]
    command = [sys.executable, "tests/tools/build.py", cell.program, *versions.also]
    built = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    seconds = re.search(rf"^built {cell.program} in (\d+) s$", built, re.MULTILINE)
    build_seconds = seconds[1] if seconds else before.build_seconds if before else UNKNOWN
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", f"--junitxml={report}", *versions.tests]
        start = time.monotonic()
        subprocess.run(command, env=environment, check=False)
        test_seconds = round(time.monotonic() - start)
        (suite,) = ET.parse(report).getroot()  # noqa: S314  # pytest has written it
    total, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
    failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    counts = (str(total - failed - skipped), str(failed), str(skipped))
    return Row(*cell, f"{datetime.now(UTC):%Y-%m-%d}", *counts, build_seconds, str(test_seconds))


def read_rows(page: str) -> dict[Cell, Row]:
    """Read the results of earlier runs."""
    block = BLOCK.search(page)
    assert block is not None
    rows = [
        Row(*(text.strip() for text in line.strip("|").split("|")))
        for line in block[0].splitlines()[2:]
    ]
    return {row.cell: row for row in rows}


def write_rows(page: str, rows: dict[Cell, Row]) -> str:
    """Write the results of the versions that are in the table."""
    listed = [rows.get(cell) or Row(*cell, *[UNKNOWN] * 6) for cell in list_cells()]
    lines = (HEAD, ("---",) * len(HEAD), *listed)
    return BLOCK.sub("".join(f"| {' | '.join(line)} |\n" for line in lines), page)


def main(arguments: Sequence[str]) -> int:
    cells = list_cells()
    if list(arguments) == ["--list"]:
        print(json.dumps([str(cell) for cell in cells]))
        return 0
    results = []
    for cell in choose(cells, arguments) if arguments else cells:
        row = run_cell(cell, read_rows(PAGE.read_text()).get(cell))
        # At once: the whole takes hours, and another process may run other cells.
        page = PAGE.read_text()
        PAGE.write_text(write_rows(page, {**read_rows(page), cell: row}))
        results.append(row)
    for row in results:
        print(
            f"{row.cell}: {row.passed} passed, {row.failed} failed, {row.skipped} skipped, {row.test_seconds} s"
        )
    return int(not all(row.is_good for row in results))


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(sys.argv[1:]))
