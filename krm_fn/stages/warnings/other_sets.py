"""Objects of the linkers of other sets in the package: which of them nobody renders any more."""

from collections import defaultdict
from collections.abc import Iterator

from krm_fn.model import keys
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import DEFAULT_SET, Settings
from krm_fn.naming.emitted import listed_revisions
from krm_fn.stages.package import Package


def find_abandoned_linkers(package: Package, settings: Settings) -> Iterator[Problem]:
    """Warn once for each other set whose linker does not fit the package.

    Several sets may share a package. Then each has its revisions there, and its inventory lists them.
    """
    linkers: dict[str, list[Item]] = defaultdict(list)
    for item in package.emitted:
        linkers[item.labels.get(keys.SET, "")].append(item)
    for name, objects in linkers.items():
        if name not in ("", *settings.own_sets) and (reason := _why_abandoned(name, objects, package)):
            message = (
                f"belongs to the linker of set {name}, {reason}; set spec.takeOver: [{name}] if set {settings.set} "
                "replaces it, else run the function of that set, or remove its objects"
            )
            yield about(objects[0], message, severity=Severity.WARNING)


def _why_abandoned(name: str, objects: list[Item], package: Package) -> str:
    revisions = {item.id.name for item in package.configs if item.labels.get(keys.SET) == name}
    if not revisions:
        return "but the package holds no revision of that set"
    listed = {one for item in objects for one in listed_revisions(item)}
    if missing := sorted(listed - revisions):
        return f"which lists {missing[0]}, and the package does not hold it"
    return "which a run without a name has made" if name == DEFAULT_SET else ""
