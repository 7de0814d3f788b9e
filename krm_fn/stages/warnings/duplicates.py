"""Objects that the package has twice, as where a rendering lies beside what it was made of."""

from collections.abc import Iterable, Iterator

from krm_fn.model.item import Item, about
from krm_fn.model.keys import PACKAGE_PATH
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.sync_order import is_hook
from krm_fn.stages.name import Revisions
from krm_fn.stages.package import Package


def find_duplicates(package: Package, revisions: Revisions) -> Iterator[Problem]:
    """Warn about each object that has kind, namespace and name of an earlier one.

    kustomize refuses such a package, kpt tells subpackages apart, and a chart may create a hook beside an object of
    its name. Renamed objects are told apart by their content: a reference that may mean two of them is an error.
    """
    first: dict[tuple[str, ...], Item] = {}
    for item in _applied(package.authored, revisions):
        who = item.id
        subpackage = item.annotations.get(PACKAGE_PATH, "")
        identity = (who.group, who.kind, package.namespace_of(item), who.name, subpackage)
        earlier = first.setdefault(identity, item)
        if earlier is not item:
            where = f" in {earlier.file}" if earlier.file else ""
            message = f"the package has another object of this kind and name{where}: what is applied last wins"
            yield about(item, message, severity=Severity.WARNING)


def _applied(items: Iterable[Item], revisions: Revisions) -> Iterator[Item]:
    """Yield the objects that are applied under the name that they have."""
    for item in items:
        if item.id.name and item.id.kind and not (item.is_local or is_hook(item) or item in revisions.renamed):
            yield item
