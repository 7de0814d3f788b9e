"""The folders in fixtures/graphs, and their graphs."""

from pathlib import Path

from krm_fn.base.problem import Outcome
from krm_fn.cli.main import main
from krm_fn.tools.common.revision_history import History
from krm_fn.tools.graph.graph import GraphFormat, draw_history
from krm_fn.tools.history.ask import add_changes, find_base_names
from krm_fn.tools.history.find_history import find_history
from krm_fn.tools.history.snapshot import read_snapshot
from tests.cases import FIXTURES
from tests.history.cases import read_source

PACKAGES = sorted(path.parent for path in FIXTURES.glob("graphs/*/input.yaml"))
NAMESPACES = sorted(path.parent for path in FIXTURES.glob("graphs/*/objects.*"))
GRAPHS = [*PACKAGES, *NAMESPACES]


def draw(case: Path, form: str) -> Outcome:
    """Draw a case, a package in its folder."""
    if case in NAMESPACES:
        return draw_history(read_live(case, with_changes=form == "html"), GraphFormat(form))
    arguments = case / "arguments"
    more = arguments.read_text().split() if arguments.exists() else []
    return main(["graph", "input.yaml", *more, "--output", form])


def read_live(case: Path, *, with_changes: bool) -> History:
    """Read a namespace, as the command does: the content of ConfigMaps only for what shows changes."""
    source = read_source(case)
    history = find_history(read_snapshot(source, None))
    return add_changes(history, source, find_base_names(history)) if with_changes else history
