"""Where in which file, in the form that editors and terminals understand: `web.yaml:3:5`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.model.problem import Problem, ResourceId
from krm_fn.wire.envelope import Package


def place(name: str, problem: Problem) -> Problem:
    """A problem of one text, with its line in that text."""
    where = f"{name}:{problem.line}:{problem.column}" if problem.line else name
    return problem._replace(file=where, line=0, column=0)


def unreadable(name: str, error: OSError) -> Problem:
    """What the system says of a file."""
    return Problem((error.strerror or str(error)).lower(), file=name)


def place_by_object(problems: Iterable[Problem], packages: Iterable[tuple[str, Package]]) -> Iterator[Problem]:
    """Problems of the packages, read from texts with these names.

    One that says only which object it means is placed where that object begins; one that means an object
    in a file of a kpt package has its place already.
    """
    begins: dict[tuple[ResourceId | None, str], list[tuple[str, int, int]]] = defaultdict(list)
    for name, package in packages:
        for item in package.items:
            mark = item.node.start_mark
            begins[item.id, item.file].append((name, mark.line + 1, mark.column + 1))
    for problem in problems:
        found = begins.get((problem.resource, problem.file), [])
        if len(found) != 1 or problem.file not in ("", found[0][0]):
            yield problem
            continue
        name, line, column = found[0]
        yield place(name, problem if problem.line else problem._replace(line=line, column=column))
