"""A path or a namespace in, its graph in one of the forms out."""

from collections.abc import Iterable
from enum import StrEnum

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import NotFound, Outcome, Problem, Rejected, Severity, find_errors
from krm_fn.base.settings import Environment
from krm_fn.report.markup import join_lines
from krm_fn.report.secrets import Masks, stderr_lines
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import Allowance, Limits
from krm_fn.tools.common.revision_history import History
from krm_fn.tools.explain.explain import read_wanted
from krm_fn.tools.graph.diagrams import find_excess, write_dot, write_mermaid
from krm_fn.tools.graph.graph_objects import graph_history, graph_package
from krm_fn.tools.graph.picture import Graph, join_graphs
from krm_fn.tools.graph.to_html import write_html
from krm_fn.tools.opened.opened import Inputs, decide_opened, open_inputs

__all__ = [
    "GraphFormat",
    "draw_history",
    "draw_path",
]


class GraphFormat(StrEnum):
    MERMAID = "mermaid"
    DOT = "dot"
    HTML = "html"


_WRITERS = {
    GraphFormat.MERMAID: write_mermaid,
    GraphFormat.DOT: write_dot,
    GraphFormat.HTML: write_html,
}


def draw_path(  # noqa: PLR0913, PLR0917  # what is drawn, how it is read, and how it is written
    inputs: Inputs,
    wanted: str,
    helm: HelmOptions,
    environment: Environment,
    limits: Limits,
    form: GraphFormat,
    packages: Iterable[str] | None = None,
) -> Outcome:
    """Draw all ConfigMaps and Secrets of a package, or those that `wanted` means.

    Where the function would fail, its errors are reported, and what it decided is drawn all the
    same. `packages`: they are drawn in one picture, in the place of what the inputs name.
    """
    some = [inputs.paths] if packages is None else [(path,) for path in packages]
    found = [
        _draw(inputs._replace(paths=paths), wanted, helm, environment, limits) for paths in some
    ]
    has_any = any(one.graph for one in found)
    found = [one for one in found if not (has_any and one.lacks_it)]
    stderr, code = "".join(one.stderr for one in found), int(any(one.failed for one in found))
    graphs = [one.graph for one in found if one.graph is not None]
    if not graphs:
        return Outcome(b"", stderr, code)
    graph = graphs[0] if packages is None else join_graphs(graphs, " ".join(inputs.paths))
    text, remarks = write_graph(graph, form)
    return Outcome(text.encode(), stderr + stderr_lines(remarks), code)


class _Drawn(NamedTuple):
    """The graph of a package, and what is said about it.

    `graph`: None where it cannot be read, or has nothing of the wanted name (`lacks_it`).
    """

    graph: Graph | None
    stderr: str
    failed: bool
    lacks_it: bool = False


def _draw(
    inputs: Inputs, wanted: str, helm: HelmOptions, environment: Environment, limits: Limits
) -> _Drawn:
    try:
        opened = open_inputs(inputs, helm, environment, Allowance(limits))
        found = decide_opened(opened, environment)
        masks = Masks(found.package.configs)
        graph = graph_package(found, masks, opened, read_wanted(wanted), " ".join(inputs.paths))
    except Rejected as rejected:
        lacks_it = isinstance(rejected, NotFound)
        return _Drawn(None, stderr_lines(rejected.problems), failed=True, lacks_it=lacks_it)
    errors = find_errors(opened.place(found.changes.problems))
    return _Drawn(graph, masks.hide(stderr_lines([*opened.remarks, *errors])), bool(errors))


def draw_history(history: History, form: GraphFormat) -> Outcome:
    """Draw what is live in a namespace. Warn of what may be missing, as it could not be listed."""
    text, remarks = write_graph(graph_history(history), form)
    warnings = [Problem(f"not drawn: {one}", severity=Severity.WARNING) for one in history.unseen]
    return Outcome(text.encode(), stderr_lines([*warnings, *remarks]), 0)


def write_graph(graph: Graph, form: GraphFormat) -> tuple[str, list[Problem]]:
    """Write a graph. Warn of one that its form cannot show."""
    text = join_lines(_WRITERS[form](graph))
    excess = find_excess(graph, text) if form is GraphFormat.MERMAID else ""
    advice = f"{excess}; draw one object (NAME), or use -o html"
    return text, [Problem(advice, severity=Severity.WARNING)] if excess else []
