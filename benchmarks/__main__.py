"""Print the table: the function beside a Go function that does nothing."""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.inputs import resource_list
from benchmarks.measure import Figures, measure_in_turn

HERE = Path(__file__).parent
ROUNDS = {12: 9, 2_000: 5, 20_000: 5}
CACHE = Path(os.environ.get("KRM_FN_CACHE") or Path.home() / ".cache" / "krm-fn")


def main() -> None:
    """Build the Go function, measure both in turn, print Markdown."""
    ours = [sys.executable, "-m", "krm_fn"]
    noop = [str(build_noop())]
    print("| objects | MB | krm-fn | spread | Go no-op | time | krm-fn | Go no-op | memory |")
    print("|---|---|---|---|---|---|---|---|---|")
    measured: dict[int, tuple[Figures, Figures]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for objects, rounds in ROUNDS.items():
            stdin = Path(folder) / "input.yaml"
            stdin.write_bytes(resource_list(objects))
            mine, go = measure_in_turn([ours, noop], stdin, rounds)
            measured[objects] = mine, go
            print(
                f"| {objects:,} | {stdin.stat().st_size / 1e6:.2f} | {mine.seconds:.2f} s | {mine.spread} "
                f"| {go.seconds:.2f} s | {mine.seconds / go.seconds:.2f} "
                f"| {mine.mebibytes:.0f} MiB | {go.mebibytes:.0f} MiB | {mine.mebibytes / go.mebibytes:.2f} |"
            )
    report(measured)


def report(measured: dict[int, tuple[Figures, Figures]]) -> None:
    """The targets, and whether they were met."""
    mine, go = measured[20_000]
    rows = [
        ("20,000 objects: time, of the Go no-op's", mine.seconds / go.seconds, 0.45),
        ("20,000 objects: memory, of the Go no-op's", mine.mebibytes / go.mebibytes, 0.4),
        ("from 2,000 to 20,000 objects: time, times", mine.seconds / measured[2_000][0].seconds, 11),
        ("12 objects: seconds", measured[12][0].seconds, 0.12),
    ]
    print("\n| target | at most | measured | |")
    print("|---|---|---|---|")
    for what, figure, target in rows:
        print(f"| {what} | {target} | {figure:.3g} | {'met' if figure <= target else 'missed'} |")


def build_noop() -> Path:
    """The Go function, built once for each go.sum."""
    key = hashlib.sha256((HERE / "noop/go.sum").read_bytes() + (HERE / "noop/main.go").read_bytes()).hexdigest()[:16]
    program = CACHE / "benchmarks" / key / "noop"
    if not program.exists():
        subprocess.run(["go", "build", "-C", str(HERE / "noop"), "-o", str(program), "."], check=True)
    return program


if __name__ == "__main__":
    main()
