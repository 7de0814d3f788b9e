"""Measure how long a start takes: `python -m benchmarks.start`.

With `--image`, that of a container too.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.inputs import resource_list
from benchmarks.install import install
from benchmarks.measure import Command, measure_in_turn
from tests.integration.build_image import build_image, fetch_wheels
from tests.integration.docker_daemon import docker_daemon, environment_of

OBJECTS = 12
AT_ONCE = 0.15
"""Seconds after which a person at a terminal begins to wait."""


class Start(NamedTuple):
    """A command that has little to do, and what it may take, where there is a target."""

    what: str
    command: Command
    target: float | None = None


def main() -> None:
    """Print tables in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start", description=__doc__)
    parser.add_argument(
        "--runs", type=int, default=15, help="of each command, in turn (default: 15)"
    )
    parser.add_argument(
        "--image", action="store_true", help="build the image and start containers; needs root"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starts = list_starts(install(folder), folder)
        print_table(starts, arguments.runs)
        if arguments.image:
            with container(folder) as in_container:
                print_table([starts[1], in_container], arguments.runs)


def list_starts(krm_fn: Path, folder: Path) -> list[Start]:
    """Return Python itself, the function, and what people type."""
    given, rendered, program = write_input(folder), folder / "output.yaml", str(krm_fn)
    with given.open("rb") as stdin, rendered.open("wb") as stdout:
        subprocess.run([program], stdin=stdin, stdout=stdout, check=True)
    complete = ["env", "_KRM_FN_COMPLETE=bash_complete", "COMP_WORDS=krm-fn re", "COMP_CWORD=1"]
    return [
        Start(
            "Python itself", Command([str(krm_fn.with_name("python")), "-I", "-S", "-c", "pass"])
        ),
        Start(f"{OBJECTS} objects", Command([program], given), 0.05),
        Start("--help", Command([program, "--help"]), AT_ONCE),
        Start("completion in a shell", Command([*complete, program]), AT_ONCE),
        Start("history --help", Command([program, "history", "--help"]), AT_ONCE),
        Start("verify", Command(["sh", "-c", f"exec {program} verify {rendered} 2>/dev/null"])),
        Start("diff", Command([program, "diff", str(given), str(rendered)])),
        Start("explain", Command([program, "explain", str(given)])),
        Start("graph", Command([program, "graph", str(given)])),
    ]


def write_input(folder: Path) -> Path:
    path = folder / "input.yaml"
    path.write_bytes(resource_list(OBJECTS))
    return path


@contextmanager
def container(folder: Path) -> Iterator[Start]:
    """Build the image, as the tests do, in a daemon of its own.

    Its processes are not ours: only the clock counts.
    """
    dockerd = shutil.which("dockerd")
    if dockerd is None or os.geteuid() != 0:
        sys.exit("--image needs dockerd and root")
    context, wheels = folder / "context", folder / "wheels"
    context.mkdir()
    fetch_wheels(wheels)
    with docker_daemon(Path(dockerd)) as host:
        image = build_image(environment_of(host), context, wheels)
        run = [
            "env",
            f"DOCKER_HOST={host}",
            "docker",
            "run",
            "--rm",
            "--interactive",
            "--network=none",
            "--read-only",
            image,
        ]
        yield Start(f"{OBJECTS} objects in a container", Command(run, folder / "input.yaml"))


def print_table(starts: list[Start], runs: int) -> None:
    print("| start | seconds | of them processor time | at most | |")
    print("|---|---|---|---|---|")
    measured = measure_in_turn([start.command for start in starts], runs)
    for start, figures in zip(starts, measured, strict=True):
        print(
            f"| {start.what} | {figures.time} | {figures.processor:.3f} | {judge(start, figures.processor)} |"
        )
    print(flush=True)


def judge(start: Start, seconds: float) -> str:
    """Compare with the target the time in which no other process ran."""
    if start.target is None:
        return "|"
    return f"{start.target} | {'met' if seconds <= start.target else 'missed'}"


if __name__ == "__main__":
    main()
