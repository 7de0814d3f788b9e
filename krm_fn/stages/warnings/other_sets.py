"""Other sets in the package: what they have taken from this one, and linkers that nobody renders any more."""

from collections import defaultdict
from collections.abc import Iterator

from krm_fn.model import keys
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import DEFAULT_SET, Jobs, Settings, Strategy
from krm_fn.naming.names import authored_id, listed_revisions
from krm_fn.stages.choose import Choices
from krm_fn.stages.package import Package


def find_taken(package: Package, choices: Choices, settings: Settings) -> Iterator[Problem]:
    """Report for each other set how many of its revisions this configuration would choose, and has no effect on.

    That is so where the base of a kustomization runs the function too, and where a set gets another name in place. It
    is an error if this set has no revision at all, and is there for nothing else. Sets that share a package select
    different objects.
    """
    if package.config_id is None:  # then nobody has written what has no effect
        return
    taken: dict[str, list[Item]] = defaultdict(list)
    for choice in choices.all:
        if choice.is_taken and choice.problem is None:
            taken[choice.item.labels[keys.SET]].append(choice.item)
    has_effect = bool(settings.mounts) or settings.jobs is Jobs.RENAME
    is_any_left = has_effect or any(choice.strategy is not Strategy.IGNORE for choice in choices.all)
    for name, (first, *more) in taken.items():
        if more:
            objects, them = f"{len(more) + 1} objects that it would choose, such as {authored_id(first)}, are", "them"
        else:
            objects, them = f"{authored_id(first)}, which it would choose, is", "it"
        effect = f"leaves {them} alone" if is_any_left else "changes nothing"
        message = (
            f"{objects} already of set {name}, so set {settings.set} {effect}; remove the transformer of set {name}, "
            f"set spec.takeOver: [{name}] if set {settings.set} replaces it, or exclude {them} if both sets stay"
        )
        yield Problem(message, package.config_id, "metadata.name", Severity.WARNING if is_any_left else Severity.ERROR)


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
