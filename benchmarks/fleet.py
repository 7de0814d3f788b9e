"""Measure the page of a large fleet, from reports: `python -m benchmarks.fleet`.

With Chromium, its filter too.
"""

import argparse
import copy
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.cases import FIXTURES
from tests.tools.node_packages import installed

REPORT = FIXTURES / "histories/a-paused-canary/output.json"
SCRIPT = Path(__file__).parent.parent / "tests/integration/fleet_speed.mjs"
WORDS = ("prod-7", "web3", "web3 prod-70", "canary", "5dtbmb74d2", "nothing", "")
"""Of columns, of a row, of both, of cells; and what shows everything again.

The third time counts.
"""


def main() -> None:
    """Write reports, make the page of them, and print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    parser.add_argument("--clusters", type=int, default=1000, help="each a report (default: 1000)")
    parser.add_argument("--sets", type=int, default=50, help="of each cluster (default: 50)")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        size = write_reports(folder, options.clusters, options.sets)
        print("| what | measured |\n|---|---|")
        cells = options.clusters * options.sets
        print(
            f"| reports: {options.clusters:,} clusters, {options.sets} sets each | {size / 2**20:.0f} MiB |"
        )
        for form in ("html", "json"):
            print(f"| -o {form}, {cells:,} cells | {_measure(folder, form)} |", flush=True)
        print(f"| filter in Chromium | {measure_filter(folder / 'page.html')} |")


def write_reports(folder: Path, clusters: int, sets: int) -> int:
    """Write reports of clusters that have the same sets, of which some are released further.

    Return their bytes.
    """
    document = json.loads(REPORT.read_text())
    (shop,) = document["sets"]
    size = 0
    for cluster in range(clusters):
        found: list[Any] = []
        for number in range(sets):
            text = json.dumps(copy.deepcopy(shop)).replace("web", f"web{number}")
            found.append({**json.loads(text), "set": f"shop{number}"})
        for one in found[: cluster % 3]:  # not the same everywhere
            one["revisions"] = one["revisions"][1:]
        report = json.dumps({**document, "cluster": f"prod-{cluster}", "sets": found})
        size += (folder / f"prod-{cluster}.json").write_text(report)
    return size


def _measure(folder: Path, form: str) -> str:
    page = folder / f"page.{form}"
    begin = time.perf_counter()
    with page.open("wb") as stdout:
        command = [
            sys.executable,
            "-m",
            "krm_fn",
            "history",
            "--from",
            str(folder / "prod-*.json"),
            "-o",
            form,
        ]
        process = subprocess.Popen(command, stdout=stdout)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    seconds, cpu = time.perf_counter() - begin, usage.ru_utime + usage.ru_stime
    size = page.stat().st_size / 2**20
    return f"{seconds:.1f} s, {cpu:.1f} s of CPU, {usage.ru_maxrss / 1024:.0f} MiB; {size:.1f} MiB written"


def measure_filter(page: Path) -> str:
    chromium, readers = shutil.which("chromium"), installed("diagrams")
    if not chromium or not readers:
        return "not measured: needs Chromium, and python tests/tools/node_packages.py"
    command = ["node", *map(str, (SCRIPT, readers, chromium, page, json.dumps(WORDS * 3)))]
    seen = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    assert seen["complaints"] == []
    times = [
        f"{word or 'all'} {one['cpu']:.0f} ({one['wall']:.0f})"
        for word, one in seen["words"].items()
    ]
    load = seen["load"]
    return (
        f"loaded in {load['cpu'] / 1000:.1f} s of CPU ({load['wall'] / 1000:.1f} s); "
        f"ms of CPU (and ms) until a word shows: {', '.join(times)}"
    )


if __name__ == "__main__":
    main()
