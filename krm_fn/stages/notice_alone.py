"""Notice a package of nothing but configuration: whatever names it is somewhere else, and cannot follow."""

from collections.abc import Iterable

from krm_fn.model.item import Item
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.stages.find import may_refer
from krm_fn.stages.name import Revision

_MESSAGE = (
    "renamed objects, but the package holds none that could name them: what names them elsewhere does not follow; "
    "run the function over the whole package, without selectors"
)


def notice_alone(items: Iterable[Item], revisions: Iterable[Revision]) -> list[Problem]:
    """One warning, as when kpt's selectors hand the function ConfigMaps alone."""
    renames = any(revision.strategy is Strategy.RENAME for revision in revisions)
    if not renames or any(may_refer(item.id) and not item.is_local for item in items):
        return []
    return [Problem(_MESSAGE, severity=Severity.WARNING)]
