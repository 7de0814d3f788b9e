"""The folders in fixtures/graphs, and their graphs."""

from pathlib import Path

from krm_fn.cli.main import main
from krm_fn.model.problem import Outcome
from tests.cases import FIXTURES

GRAPHS = sorted(path.parent for path in FIXTURES.glob("graphs/*/input.yaml"))


def draw(case: Path, form: str) -> Outcome:
    """Draw a case, in its folder."""
    arguments = case / "arguments"
    more = arguments.read_text().split() if arguments.exists() else []
    return main(["graph", "input.yaml", *more, "--output", form])
