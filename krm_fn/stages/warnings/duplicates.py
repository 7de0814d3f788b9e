"""Objects that the package has twice, as where a rendering lies beside what it was made of."""

from collections.abc import Iterator

from krm_fn.model.item import Item, about, place_of
from krm_fn.model.keys import PACKAGE_PATH
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.sync_order import is_hook
from krm_fn.naming.names import authored_id
from krm_fn.stages.name import Revisions
from krm_fn.stages.package import Package


def find_duplicates(package: Package, revisions: Revisions) -> Iterator[Problem]:
    """Warn about each object that has kind, namespace and name of an earlier one, also in the output.

    kustomize refuses such a package, kpt tells subpackages apart, and a chart may create a hook beside an object of
    its name. Renamed objects of one name and other content are told apart by it: a reference that may mean two of them
    is an error.
    """
    first: dict[tuple[str, ...], Item] = {}
    for item in package.authored:
        who = item.id
        if not who.name or not who.kind or item.is_local or is_hook(item):
            continue
        subpackage = item.annotations.get(PACKAGE_PATH, "")
        names = who.name, revisions.names.get(item, who.name)
        identity = (who.group, who.kind, package.namespace_of(item), *names, subpackage)
        earlier = first.setdefault(identity, item)
        if earlier is not item:
            message = f"is in the package twice, {place_of(earlier)} and {place_of(item)}: what is applied last wins"
            yield about(item, message, severity=Severity.WARNING)._replace(resource=authored_id(item))
