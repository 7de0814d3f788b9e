"""Why an object is a revision, or is none."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.problem import Problem
from krm_fn.base.settings import Strategy


class ReasonCode(StrEnum):
    """What decides. Outputs show these words, so they stay."""

    # Objects that are never chosen from.
    LOCAL = "local"  # for tools, and never applied
    CONFIGURATION = "configuration"
    EMITTED = "emitted"  # by an earlier run, for the linker

    # What author and configuration say.
    EXCLUDE = "exclude"
    ANNOTATION = "annotation"
    KINDS = "kinds"  # spec.kinds does not contain the kind
    SELECT = "select"
    NOT_SELECTED = "not-selected"  # spec.select is there, and no entry matches

    # Without their word: what the package shows.
    DEFAULT = "default"  # pods read it, and nothing hints at a program that looks it up by its name
    NOT_READ = "not-read"  # by pods
    EARLIER_RUN = "earlier-run"  # it is a revision already
    EARLY_READER = "early-reader"  # a hook or a workload reads it before it is applied
    FIXED_NAME = "fixed-name"  # programs of every cluster look it up by its name; or it has none
    OTHER_SET = "other-set"
    WRITTEN = "written"  # a controller decides its name or content
    BOUND = "bound"  # the name of the Secret that it makes must stay, or its encryption covers its name

    # Hints at somebody who looks it up by its name, or changes it after this function: `guards/guards.py` lists them.
    ROLE = "role"
    COPIED = "copied"
    PROGRAM = "program"
    EMPTY = "empty"
    DATA = "data"
    OPTION = "option"
    API_READER = "api-reader"
    FIELD = "field"
    NAMESPACE = "namespace"
    CHART = "chart"
    NAME_SHAPE = "name-shape"  # a consumer tells by the end of the name what the object is
    MOUNT_PATH = "mount-path"  # a consumer mounts it at a path with its name, which is written elsewhere
    OPTIONAL = "optional"  # pods do not wait for the Secret that it makes
    GENERATOR = "generator"  # its author asked kustomize for a name without a hash
    VARIABLE = "variable"  # something substitutes variables after this function

    ABSENT = "absent"
    """Nothing in the package makes it: it is only referenced."""


class Reason(NamedTuple):
    """What decides, and how, as a clause. `item` and `field`: where that is written.

    Without an item, the field is one of the configuration. `source`: where a program says so. `remedy`: what to do if
    that is not what is wanted.
    """

    code: ReasonCode
    text: str
    item: Item | None = None
    field: str = ""
    source: str = ""
    remedy: str = ""


def _nothing(_: Item) -> Iterable[Problem]:
    return ()


class Guard(NamedTuple):
    """Two questions about an object that may be renamed.

    `why` says who may look it up by its name, and so why it is left alone by default; None where nobody is known.
    `refuse` reports who cannot follow where somebody has chosen it all the same.
    """

    why: Callable[[Item], Reason | None]
    refuse: Callable[[Item], Iterable[Problem]] = _nothing


Guards: TypeAlias = Mapping[ReasonCode, Guard]
"""In the order in which they are asked: the first answer is the reason."""

RENAME_ALL_THE_SAME = (
    f"annotate it with {keys.STRATEGY}: {Strategy.RENAME} to rename it all the same, "
    f"or {Strategy.IGNORE} to accept this"
)
