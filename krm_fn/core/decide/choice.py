"""What was chosen for an object, and why."""

from typing import NamedTuple

from krm_fn.base.item import Item
from krm_fn.base.problem import Problem
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.reason import Reason


class Choice(NamedTuple):
    """The strategy of an object. `explicit`: something chose it; else it is left alone because nothing did.

    `is_written_by_others`: its name or content is not the package's to decide. `problem`: what is wrong with it.
    `gets_base_name_back`: an earlier run in place has made it a revision, and it is none any more. `is_taken`: this set
    would choose it, were it not a revision of another set.
    """

    item: Item
    strategy: Strategy
    reason: Reason
    explicit: bool = True
    is_written_by_others: bool = False
    problem: Problem | None = None
    gets_base_name_back: bool = False
    is_taken: bool = False


class Choices(NamedTuple):
    """One choice for each of these objects, and what is wrong with them."""

    all: tuple[Choice, ...]
    problems: tuple[Problem, ...]
