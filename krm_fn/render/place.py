"""Places in files, in the form that editors and terminals understand: `web.yaml:3:5`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from krm_fn.model.node import Marks, Node, read_path
from krm_fn.model.problem import Problem, Rejected
from krm_fn.wire.envelope import Envelope


def place(name: str, problem: Problem) -> Problem:
    """Place a problem in a file, at its line if it has one."""
    where = f"{name}:{problem.line}:{problem.column}" if problem.line else name
    return problem._replace(file=where, line=0, column=0)


@contextmanager
def placed_in(name: str) -> Iterator[None]:
    """Place the problems of what the block rejects in a file."""
    try:
        yield
    except Rejected as rejected:
        raise Rejected(*(place(name, problem) for problem in rejected.problems)) from rejected


def unreadable(name: str, error: OSError) -> Problem:
    """Return the problem of a file that cannot be read."""
    return Problem((error.strerror or str(error)).lower(), file=name)


def place_by_object(
    problems: Iterable[Problem],
    opened: Iterable[tuple[str, Envelope]],
    configuration: tuple[str, Node | None] = ("", None),
) -> Iterator[Problem]:
    """Place problems in the files whose names come with the envelopes, and with the configuration.

    A problem without a line is placed at its field, or where its object begins. One with the file of a kpt package
    keeps that file.
    """
    marks = Marks()
    files: dict[Node, str] = {item.node: name for name, envelope in opened for item in envelope.items}
    file, config = configuration
    if config is not None:
        files[config] = file
    for problem in problems:
        name = files.get(problem.node) if problem.node else None
        if problem.node is None or name is None or problem.file not in ("", name):
            yield problem
            continue
        mark = marks.of(problem.node, read_path(problem.field))
        yield place(name, problem if problem.line else problem._replace(line=mark.line + 1, column=mark.column + 1))
