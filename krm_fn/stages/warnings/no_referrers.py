"""A package that is nothing but configuration."""

from krm_fn.model.problem import Problem, Severity
from krm_fn.references.find import may_refer
from krm_fn.stages.name import Revisions
from krm_fn.stages.package import Package

_NO_REFERRERS = (
    "ConfigMaps or Secrets are renamed, but the package has no objects that could reference them: referrers elsewhere "
    "keep the old names; run the function over the whole package, without selectors"
)


def find_no_referrers(package: Package, revisions: Revisions) -> list[Problem]:
    """Warn if no object of the package could follow a new name, as when kpt's selectors pass ConfigMaps alone."""
    if not revisions.renamed or any(may_refer(item.id) and not item.is_local for item in package.authored):
        return []
    return [Problem(_NO_REFERRERS, severity=Severity.WARNING)]
