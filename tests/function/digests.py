"""Print what the doors of krm-fn say of every fixture, as a digest a line.

Processes with different hash seeds have to print the same: within one process, the order of a set
is always the same.
"""

import sys
from collections.abc import Iterator
from contextlib import chdir
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from krm_fn.base.problem import Outcome
from krm_fn.cli.main import main as krm_fn
from krm_fn.function import run
from krm_fn.report.table import Screen
from krm_fn.tools.history.history import HistoryFormat, write_history
from tests.cases import ENVIRONMENT, REJECTIONS, TRANSFORMS
from tests.history.cases import HISTORIES, read_history
from tests.volume import IS_WHOLE

CASES = [*TRANSFORMS, *REJECTIONS][:: 1 if IS_WHOLE else 24]


def decide(case: Path) -> Iterator[tuple[str, Outcome]]:
    """Yield what the doors say of a package."""
    before = case / "input.yaml"
    outcome = run(before.read_bytes(), environment=ENVIRONMENT)
    yield "function", outcome
    yield "explain", krm_fn(["explain", str(before), "-ojson"])
    if case in TRANSFORMS:
        after = Path("output.yaml")  # in a folder of its own: the answers name it
        after.write_bytes(outcome.stdout)
        yield "graph", krm_fn(["graph", str(before), "--output", "dot"])
        yield "verify", krm_fn(["verify", str(after)])
        yield "diff", krm_fn(["diff", str(before), str(after), "-ojson"])


def main() -> int:
    with TemporaryDirectory() as folder, chdir(folder):
        for case in CASES:
            for door, outcome in decide(case):
                said = outcome.stdout + outcome.stderr.encode() + outcome.summary.encode()
                print(case.name, door, outcome.exit_code, sha256(said).hexdigest())
    for case in HISTORIES:
        print(
            case.name,
            "history",
            sha256(
                write_history(read_history(case), HistoryFormat.JSON, Screen()).encode()
            ).hexdigest(),
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
