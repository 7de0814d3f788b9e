"""What links revisions to their users."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from krm_fn import __version__
from krm_fn.model import keys
from krm_fn.model.changes import Object
from krm_fn.model.item import Item, about
from krm_fn.model.node import get
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Environment, Settings
from krm_fn.naming.names import HASH
from krm_fn.stages.linker_objects import access, inventory, job, tracker
from krm_fn.stages.linker_plan import Group, plan_links
from krm_fn.stages.name import Revision

_STABLE = re.compile("-linker$")
_NAMES = {
    **dict.fromkeys(("ConfigMap", "ServiceAccount", "Role", "RoleBinding"), _STABLE),
    "Job": re.compile(f"-link-{HASH}$"),
}
"""What is emitted, and how its names end."""

_MAX_ANNOTATIONS = 200 * 1024
"""Characters. Kubernetes allows 256 KiB for all of an object's annotations, those of deployers included."""


def is_emitted(item: Item) -> bool:
    """Whether some run of this function has made the object: such are neither chosen nor followed, and may go.

    The label alone does not say so. Somebody may have copied it, along with others, to an object of theirs.
    """
    component = item.labels.get(keys.COMPONENT)
    if component == keys.TRACKER:
        return item.id.kind == "ConfigMap" and get(item.node, "data") is None and keys.BASE_NAME in item.annotations
    pattern = _NAMES.get(item.id.kind) if component == keys.LINKER else None
    return pattern is not None and pattern.search(item.id.name) is not None


def link(
    authored: list[Item],
    revisions: list[Revision],
    holders: Mapping[int, list[Item]],
    settings: Settings,
    environment: Environment,
) -> tuple[list[Object], list[Problem]]:
    """The objects of every namespace whose revisions can be linked, and why those of the others cannot."""
    if not settings.linker.enabled:
        return [], [_disabled()] if revisions else []
    held = [revision for revision in revisions if id(revision.item.node) in holders]
    linked, problems = _without_clashes(held, authored)
    groups = plan_links(linked, holders, authored, settings)
    placed = [group for group in groups if _is_placed(group, settings, environment)]
    wanted = [*_trackers(linked, placed, settings), *_objects(placed, settings, environment)]
    if len(placed) < len(groups):
        problems.append(_no_namespace())
    return wanted, [*problems, *_too_many(placed), *_taken(authored, wanted)]


def _objects(groups: list[Group], settings: Settings, environment: Environment) -> Iterator[Object]:
    image = settings.linker.image or environment.image or f"krm-fn:{__version__}"
    for _, same in groupby(groups, key=lambda group: group.namespace):
        of_namespace = list(same)
        yield inventory(of_namespace[0], settings)
        if settings.linker.service_account_name is None:
            yield from access(of_namespace[0], settings, _namespace(of_namespace[0], settings, environment))
        for group in of_namespace:
            yield job(group, settings, image)


def _is_placed(group: Group, settings: Settings, environment: Environment) -> bool:
    """A RoleBinding must say the namespace of its ServiceAccount; without one there is nothing to say."""
    return settings.linker.service_account_name is not None or bool(_namespace(group, settings, environment))


def _namespace(group: Group, settings: Settings, environment: Environment) -> str:
    return group.namespace or settings.linker.namespace or environment.namespace


def _trackers(linked: Iterable[Revision], groups: Iterable[Group], settings: Settings) -> Iterator[Object]:
    namespaces = {group.namespace for group in groups}
    for revision in linked:
        if revision.id.kind == "Secret" and revision.id.namespace in namespaces:
            yield tracker(revision, settings)


def _without_clashes(held: list[Revision], authored: Iterable[Item]) -> tuple[list[Revision], list[Problem]]:
    """Leave out Secrets whose tracker would be a ConfigMap that is there already; only adopted names can clash."""
    taken = {item.id for item in authored if item.id.kind == "ConfigMap"}
    clashing = [one for one in held if one.id.kind == "Secret" and one.id._replace(kind="ConfigMap") in taken]
    message = "is never collected: the ConfigMap that would keep track of it has to have its name, and that is taken"
    problems = [about(one.item, message, severity=Severity.WARNING) for one in clashing]
    return [one for one in held if one not in clashing], problems


def _too_many(groups: Iterable[Group]) -> Iterator[Problem]:
    """Namespaces with more revisions than annotations may name; the Job's arguments reach their bound later."""
    for namespace, plan in {group.namespace: group.plan for group in groups}.items():
        length = sum(len(revision.name) + 1 for revision in plan.rendered)
        if length > _MAX_ANNOTATIONS:
            where = f" in namespace {namespace}" if namespace else ""
            message = (
                f"{len(plan.rendered)} revisions{where} are more than one inventory can list; split the set in two"
            )
            yield Problem(message, field="metadata.name")


def _taken(authored: Iterable[Item], wanted: Iterable[Object]) -> Iterator[Problem]:
    """Objects of the author under names that the linker's need."""
    names = {_identity_of(one) for one in wanted}
    for item in authored:
        if (item.id.kind, item.id.namespace, item.id.name) in names:
            yield about(item, "has the name of an object that the linker needs; give this or the set another name")


def _identity_of(one: Any) -> tuple[str, str, str]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def _disabled() -> Problem:
    message = "spec.linker.enabled is false: revisions are protected from pruning, and nothing ever collects them"
    return Problem(message, severity=Severity.INFO)


def _no_namespace() -> Problem:
    message = (
        "nothing collects old revisions: the linker's RoleBinding must name a namespace, and the workloads say none; "
        "write metadata.namespace (in kustomize `namespace:`), or spec.linker.namespace"
    )
    return Problem(message, severity=Severity.WARNING)
