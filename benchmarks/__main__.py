"""Print the table: the function beside a Go function that does nothing."""

import argparse
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from benchmarks.inputs import KINDS, resource_list
from benchmarks.install import install
from benchmarks.measure import Command, Figures, measure, measure_in_turn

NOOP = Path(__file__).parent / "noop"
CACHE = Path(os.environ.get("KRM_FN_CACHE") or Path.home() / ".cache" / "krm-fn")

SIZES = (12, 2_000, 20_000)
"""Small ones first: what this process needs to make an input is a floor under the memory it can tell of others."""


def main() -> None:
    """Install the function, build the Go function, measure both in turn, print Markdown."""
    runs = parse_runs()
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), install(Path(folder)), runs)


def compare(folder: Path, krm_fn: Path, runs: int) -> None:
    noop = build_noop()
    print("| objects | MB | runs | krm-fn | Go no-op | of Go's time | krm-fn | Go no-op | of Go's memory |")
    print("|---|---|---|---|---|---|---|---|---|")
    measured: dict[int, tuple[Figures, Figures]] = {}
    for objects in SIZES:
        rounds = (runs + 1) // 2 if objects == SIZES[-1] else runs
        stdin = folder / "input.yaml"
        stdin.write_bytes(resource_list(objects))
        mine, go = measure_in_turn([Command([str(krm_fn)], stdin), Command([str(noop)], stdin)], rounds)
        measured[objects] = mine, go
        print(
            f"| {objects:,} | {stdin.stat().st_size / 1e6:.2f} | {rounds} "
            f"| {mine.time} | {go.time} | {mine.seconds / go.seconds:.2f} "
            f"| {mine.memory} | {go.memory} | {share_of_memory(mine, go)} |",
            flush=True,
        )
    report(measured, measure_checksums(folder, krm_fn, runs))


def measure_checksums(folder: Path, krm_fn: Path, runs: int) -> float:
    """How much longer a checksum for every workload takes than a name for every ConfigMap: least by least."""
    for strategy in ("rename", "checksum"):
        (folder / strategy).write_bytes(resource_list(SIZES[-1], strategy))
    seconds: dict[str, list[float]] = {"rename": [], "checksum": []}
    for _ in range(runs):
        for strategy, measured in seconds.items():
            measured.append(measure(Command([str(krm_fn)], folder / strategy)).seconds)
    rename, checksum = map(min, seconds.values())
    print(f"\nA checksum for all {SIZES[-1] // KINDS:,} workloads: {checksum:.3g} s; names: {rename:.3g} s")
    return checksum / rename


def parse_runs() -> int:
    """How often to measure each, by the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="for each size, half of it for the largest (default: 5)")
    runs: int = parser.parse_args().runs
    if runs < 1:
        parser.error("--runs: at least 1")
    return runs


def share_of_memory(mine: Figures, go: Figures) -> str:
    hidden = mine.has_hidden_memory or go.has_hidden_memory
    return "" if hidden else f"{mine.mebibytes / go.mebibytes:.2f}"


def report(measured: dict[int, tuple[Figures, Figures]], checksums: float) -> None:
    """Print the targets, and whether they were met."""
    mine, go = measured[20_000]
    rows = [
        ("20,000 objects: time, of the Go no-op's", mine.seconds / go.seconds, 0.45),
        ("20,000 objects: memory, of the Go no-op's", mine.mebibytes / go.mebibytes, 0.35),
        ("from 2,000 to 20,000 objects: time, times", mine.seconds / measured[2_000][0].seconds, 11),
        ("12 objects: seconds of processor time", measured[12][0].processor, 0.065),
        ("20,000 objects: time with checksums, of that with names", checksums, 1.15),
    ]
    print("\n| target | at most | measured | |")
    print("|---|---|---|---|")
    for what, figure, target in rows:
        print(f"| {what} | {target} | {figure:.3g} | {'met' if figure <= target else 'missed'} |")


def build_noop() -> Path:
    """Build the Go function, once for each state of its sources."""
    sources = b"".join((NOOP / name).read_bytes() for name in ("go.mod", "go.sum", "main.go"))
    program = CACHE / "benchmarks" / hashlib.sha256(sources).hexdigest()[:16] / "noop"
    if not program.exists():
        # Which commit it is built from is of no interest here, and Go fails where git may not tell.
        subprocess.run(["go", "build", "-C", str(NOOP), "-buildvcs=false", "-o", str(program), "."], check=True)
    return program


if __name__ == "__main__":
    main()
