"""Which pod templates get which entries of `spec.mounts`, and what an earlier run has mounted there."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.item import Item, about
from krm_fn.model.kinds import kind_of
from krm_fn.model.node import is_scalar
from krm_fn.model.pods import Container, PodSpec, find_pod_specs
from krm_fn.model.problem import Problem, ResourceId, Severity
from krm_fn.model.settings import Mount, Settings, is_pattern
from krm_fn.mounts.mark import MountMark, read_mount_mark
from krm_fn.naming.names import names_of
from krm_fn.naming.near_names import find_near, find_near_word
from krm_fn.naming.suggest import did_you_mean, nearest
from krm_fn.references.find import may_refer
from krm_fn.references.made import find_name
from krm_fn.references.reference import Reference, ResolvedReference
from krm_fn.references.resolve import Index
from krm_fn.references.rule import By, Rule


class PlannedMount(NamedTuple):
    """An entry of `spec.mounts` in one pod template. `targets`: the objects that each of its sources matches."""

    entry: str
    mount: Mount
    containers: tuple[Container, ...]
    targets: tuple[tuple[Item, ...], ...]


class TemplatePlan(NamedTuple):
    """A pod template with mounts, now or before. `mark` is what an earlier run wrote down about its own."""

    item: Item
    pod: PodSpec
    mark: MountMark
    mounts: tuple[PlannedMount, ...]

    def references(self) -> Iterator[ResolvedReference]:
        """Return each source that the package holds as a reference. The referrer has no text for it yet."""
        for planned in self.mounts:
            for source, targets in zip(planned.mount.sources, planned.targets, strict=True):
                name = find_name(source.kind, source.name, targets[0]) if targets else None
                if is_scalar(name):
                    field = f"{self.pod.field}.volumes"
                    rule = Rule(By.MOUNTS, planned.entry)
                    reference = Reference(source.kind, name, None, field, in_pod=True, written=False, rule=rule)
                    yield ResolvedReference(self.item, reference, targets)


class MountPlan(NamedTuple):
    """All pod templates with mounts, and the entries that cannot be mounted."""

    templates: tuple[TemplatePlan, ...]
    problems: tuple[Problem, ...]


def plan_mounts(items: Iterable[Item], index: Index, settings: Settings, config_id: ResourceId | None) -> MountPlan:
    """Match workloads against `spec.mounts`. `config_id` is the functionConfig, for problems about its entries."""
    templates: list[TemplatePlan] = []
    problems: list[Problem] = []
    entries = [(f"spec.mounts[{number}]", mount) for number, mount in enumerate(settings.mounts)]
    used: set[str] = set()
    authored = [item for item in items if not item.is_local and may_refer(item.id)]
    for item in authored:
        mounts = [(entry, mount) for entry, mount in entries if _matches(item, mount)]
        mark = item.annotations.get(keys.MOUNTS + settings.set, "")
        if not mounts and not mark:
            continue
        pods = find_pod_specs(item)
        used |= {entry for entry, _ in mounts}
        problems += _without_place(item, pods, mounts)
        for pod in pods:
            planned = [_plan(item, pod, entry, mount, index) for entry, mount in mounts]
            in_container = tuple(one for one in planned if one.containers)
            templates.append(TemplatePlan(item, pod, read_mount_mark(mark), in_container))
    problems += [problem for template in templates for problem in _missing_sources(template, index)]
    for entry, mount in entries:
        if entry not in used:
            message = f"matches no workload of the package{_hint(mount, authored)}"
            problems.append(Problem(message, config_id, entry, Severity.WARNING))
    return MountPlan(tuple(templates), tuple(problems))


def _matches(item: Item, mount: Mount) -> bool:
    return (
        (_runs_pods(item) if mount.kind is None else item.id.kind == mount.kind)
        and mount.namespace in (None, item.id.namespace)
        and (mount.name == "*" or any(fnmatchcase(name, mount.name) for name in names_of(item)))
        and (not mount.labels or mount.labels.items() <= item.labels.items())
    )


def _hint(mount: Mount, items: Iterable[Item]) -> str:
    """Suggest the name or the kind that was meant by an entry that matches nothing."""
    if mount.name != "*" and not is_pattern(mount.name):
        alike = mount._replace(name="*")
        name = nearest(mount.name, {item.id.name for item in items if _matches(item, alike)})
        if name:
            return did_you_mean(f'"{name}"')
    kinds = {item.id.kind for item in items if mount.kind and _matches(item, mount._replace(kind=item.id.kind))}
    return did_you_mean(find_near_word(mount.kind or "", kinds))


def _runs_pods(item: Item) -> bool:
    kind = kind_of(item)
    return kind is not None and bool(kind.pod_spec)


def _plan(item: Item, pod: PodSpec, entry: str, mount: Mount, index: Index) -> PlannedMount:
    patterns = {"containers": mount.containers, "initContainers": mount.init_containers}
    containers = tuple(
        container
        for container in pod.containers
        if any(fnmatchcase(container.name, pattern) for pattern in patterns[container.list_name])
    )
    targets = tuple(index.find(item, source.kind, source.name) for source in mount.sources)
    return PlannedMount(entry, mount, containers, targets)


def _without_place(item: Item, pods: list[PodSpec], mounts: Iterable[tuple[str, Mount]]) -> Iterator[Problem]:
    """Report entries that name this kind or a container exactly, where there is no such pod or container."""
    for entry, mount in mounts:
        if not pods and mount.kind is not None:
            yield about(item, f"{entry} cannot mount {mount} here: there is no pod template")
        for list_name, patterns in (("containers", mount.containers), ("initContainers", mount.init_containers)):
            for pattern in patterns if pods else ():
                if is_pattern(pattern):
                    continue
                names = [one.name for pod in pods for one in pod.containers if one.list_name == list_name]
                if pattern not in names:
                    found = ", ".join(filter(None, names)) or "none"
                    message = f"{entry} mounts {mount} into container {pattern!r}; found: {found}"
                    yield about(item, message, f"{pods[0].field}.{list_name}")


def _missing_sources(template: TemplatePlan, index: Index) -> Iterator[Problem]:
    item = template.item
    for entry, mount, _, targets in template.mounts:
        for source, found in zip(mount.sources, targets, strict=True):
            if not found and not source.optional:
                where = f"namespace {item.id.namespace}" if item.id.namespace else "the package"
                known = {name for config, name in index.named if config.id.kind == source.kind}
                question = did_you_mean(find_near([source.name], known).get(source.name, ""))
                action = f"{question} " if question else "; "
                message = f"{entry} mounts {source}, which is not in {where}{action}add it, or set `optional: true`"
                yield about(item, message, template.pod.field)
