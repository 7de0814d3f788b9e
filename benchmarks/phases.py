"""Count the instructions of each phase of a run: `python -m benchmarks.phases`.

With `--beside`, also those of a commit. Each instruction is counted once, in the innermost function
of `PHASES` that is running; what a function imports is its own.
"""

import argparse
import os
import py_compile
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.alternatives import write_configured
from benchmarks.in_phases import OWN
from benchmarks.inputs import resource_list
from benchmarks.install import install
from benchmarks.measure import Command, count, require_valgrind
from benchmarks.page import write_part
from benchmarks.real_shapes import MEDIUM

CONFIGS = 400

PHASES = {
    "krm_fn.function:read_yaml": "reading",
    "krm_fn.function:open_envelope": "reading",
    "krm_fn.function:find_only_configuration": "reading",
    "krm_fn.function:read_package": "references",
    "krm_fn.transform:_read_survey": "references",
    "krm_fn.core.references.mentions:Mentions": "mentions",
    "krm_fn.core.decide.choose:_Chooser._defaulted": "guards",
    "krm_fn.function:transform": "decisions, names, marks",
    "krm_fn.function:check_run": "lint",
    "krm_fn.core.yaml.yaml:plan_splices": "edits",
    "krm_fn.core.yaml.yaml:prove": "proof",
    "krm_fn.function:apply_changes": "writing",
    "krm_fn.core.yaml.envelope:Envelope.encode": "writing",
    "krm_fn.__main__:write_stdout": "writing",
    "krm_fn.function:run": "the rest",
}
"""By functions: their phases. What runs before, between and after them is the start."""

START = "start"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.phases", description=__doc__)
    parser.add_argument(
        "--beside", metavar="COMMIT", default="", help="count those of a commit too"
    )
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/performance.md too"
    )
    options = parser.parse_args()
    require_valgrind()
    with tempfile.TemporaryDirectory() as name:
        lines = [*table(Path(name), options.beside)]
    print("\n".join(lines))
    if options.write:
        beside = f" --beside {options.beside}" if options.beside else ""
        write_part(f"python -m benchmarks.phases{beside}", lines)


def table(folder: Path, commit: str) -> Iterator[str]:
    """Yield a row for each phase, with its instructions in each input and checkout."""
    checkouts = {"here": install(folder / "here")}
    if commit:
        checkouts = {commit: install(folder / "then", commit), **checkouts}
    write_configured(folder, CONFIGS)
    (folder / "run.yaml").write_bytes(resource_list(MEDIUM))
    inputs = {
        f"{MEDIUM:,} objects": ("run.yaml", []),
        f"N = {CONFIGS}, alone": ("objects.yaml", [f"{folder}/krm-fn.yaml"]),
    }
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        counting = {
            f"{what}: {checkout}": pool.submit(count_phases, folder, krm_fn, folder / stdin, words)
            for what, (stdin, words) in inputs.items()
            for checkout, krm_fn in checkouts.items()
        }
    columns = {what: one.result() for what, one in counting.items()}
    yield f"| million instructions | {' | '.join(columns)} |"
    yield f"|{'---|' * (len(columns) + 1)}"
    for phase in dict.fromkeys((START, *PHASES.values())):
        cells = [f"{counted[phase] / 1e6:,.0f}" for counted in columns.values()]
        yield f"| {phase} | {' | '.join(cells)} |"
    sums = [f"{sum(counted.values()) / 1e6:,.0f}" for counted in columns.values()]
    yield f"| all | {' | '.join(sums)} |"


def count_phases(folder: Path, krm_fn: Path, stdin: Path, words: list[str]) -> Counter[str]:
    """Return the instructions of each phase. Ends the process where a function of a phase is not there."""
    dumps = Path(tempfile.mkdtemp(dir=folder))
    program, labels = dumps / "in_phases.pyc", dumps / "labels"
    py_compile.compile(str(Path(__file__).with_name("in_phases.py")), str(program), doraise=True)
    names = [f"{name}={phase}" for name, phase in PHASES.items()]
    python = str(krm_fn.with_name("python"))
    command = Command([python, str(program), str(labels), *names, "--", *words], stdin)
    with stdin.open("rb") as source:
        tried = subprocess.run(command.words, stdin=source, capture_output=True, check=False)
    if tried.returncode:
        sys.exit(tried.stderr.decode())  # it names the function that is missing
    count(command, "--dump-before=getsid", f"--callgrind-out-file={dumps}/callgrind")
    counted: Counter[str] = Counter()
    for number, phase in enumerate(labels.read_text().splitlines(), start=1):
        with (dumps / f"callgrind.{number}").open() as lines:
            counted[phase] += next(
                int(line.split()[1]) for line in lines if line.startswith("summary: ")
            )
    del counted[OWN]
    return counted


if __name__ == "__main__":
    main()
