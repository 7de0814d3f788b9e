"""Texts with objects: which file a problem is in, and which changes are of which text."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from krm_fn.base.changes import Changes
from krm_fn.base.item import Item, collect
from krm_fn.base.node import Marks, Node, read_path
from krm_fn.base.problem import Problem, Problems, Rejected
from krm_fn.core.yaml.yaml import Envelope


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


def place_by_object(
    problems: Iterable[Problem],
    opened: Iterable[tuple[str, Envelope]],
    configuration: tuple[str, Node | None] = ("", None),
) -> Problems:
    """Place problems in the files whose names come with the envelopes, and with the configuration.

    A problem without a line is placed at its field, or where its object begins. One with the file
    of a kpt package keeps that file.
    """
    marks = Marks()
    files: dict[Node, str] = {}
    for name, envelope in opened:
        for item in envelope.items:
            files[item.node] = name
    file, config = configuration
    if config is not None:
        files[config] = file
    for problem in problems:
        found_in = files.get(problem.node) if problem.node else None
        if problem.node is None or found_in is None or problem.file not in ("", found_in):
            yield problem
            continue
        if problem.line:
            yield place(found_in, problem)
            continue
        mark = marks.of(problem.node, read_path(problem.field))
        yield place(found_in, problem._replace(line=mark.line + 1, column=mark.column + 1))


_T = TypeVar("_T")


def share_out(changes: Changes, envelopes: list[Envelope]) -> Iterator[Changes]:
    """Give each envelope the changes of its own items.

    New objects belong to none: they get a stream of their own.
    """
    holder = {item: envelope for envelope in envelopes for item in envelope.items}
    patches = _group(changes.patches, lambda patch: holder[patch[0]])
    edits = _group(changes.edits, lambda edit: holder[edit.item])
    replaced = _group(changes.replace, lambda pair: holder[pair[0]])
    removed = _group(changes.remove, lambda item: holder[item])
    for envelope in envelopes:
        yield Changes(
            patches=tuple(patches[envelope]),
            edits=tuple(edits[envelope]),
            replace=tuple(replaced[envelope]),
            remove=tuple(removed[envelope]),
        )


def _group(values: Iterable[_T], holder_of: Callable[[_T], Envelope]) -> dict[Envelope, list[_T]]:
    return collect((holder_of(value), value) for value in values)


OpenedText = list[tuple[str, Envelope]]
"""The name of each text, and its objects."""


def items_of(opened: Iterable[tuple[str, Envelope]]) -> list[Item]:
    return [item for _, envelope in opened for item in envelope.items]
