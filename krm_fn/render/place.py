"""Places in files, in the form that editors and terminals understand: `web.yaml:3:5`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.model.problem import Problem, ResourceId
from krm_fn.wire.envelope import Envelope


def place(name: str, problem: Problem) -> Problem:
    """Place a problem in a file, at its line if it has one."""
    where = f"{name}:{problem.line}:{problem.column}" if problem.line else name
    return problem._replace(file=where, line=0, column=0)


def unreadable(name: str, error: OSError) -> Problem:
    """Return the problem of a file that cannot be read."""
    return Problem((error.strerror or str(error)).lower(), file=name)


def place_by_object(problems: Iterable[Problem], opened: Iterable[tuple[str, Envelope]]) -> Iterator[Problem]:
    """Place problems in the files whose names come with the envelopes.

    A problem without a line is placed where its object begins. One with the file of a kpt package keeps that file.
    """
    begins: dict[tuple[ResourceId | None, str], list[tuple[str, int, int]]] = defaultdict(list)
    for name, envelope in opened:
        for item in envelope.items:
            mark = item.node.start_mark
            begins[item.id, item.file].append((name, mark.line + 1, mark.column + 1))
    for problem in problems:
        found = begins.get((problem.resource, problem.file), [])
        if len(found) != 1 or problem.file not in ("", found[0][0]):
            yield problem
            continue
        name, line, column = found[0]
        yield place(name, problem if problem.line else problem._replace(line=line, column=column))
