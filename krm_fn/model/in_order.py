"""Problems in the order in which a reader of the input meets them."""

from collections.abc import Iterable, Sequence

from krm_fn.model.item import Item
from krm_fn.model.node import Marks, Node, read_path
from krm_fn.model.problem import Problem

_FIRST = -1


def in_order(problems: Iterable[Problem], items: Sequence[Item], config: Node | None) -> tuple[Problem, ...]:
    """Sort problems: those with the configuration, then by object and field, then those with the package as a whole.

    `items` are all objects in the order of the input.
    """
    ranks: dict[Node | None, int] = {item.node: rank for rank, item in enumerate(items)}
    marks = Marks()
    if config is not None:
        ranks[config] = _FIRST

    def place(problem: Problem) -> tuple[int, int]:
        rank = ranks.get(problem.node, len(items))
        return rank, marks.first_of(problem.node, read_path(problem.field)).start if problem.node else 0

    return tuple(sorted(problems, key=place))
