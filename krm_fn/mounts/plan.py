"""Which pod templates get which mounts, and what an earlier run has mounted there."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.item import Item, about
from krm_fn.model.kinds import kind_of
from krm_fn.model.node import get, is_scalar
from krm_fn.model.pods import Container, PodSpec, find_pod_specs
from krm_fn.model.problem import Problem, ResourceId, Severity
from krm_fn.model.settings import Mount, Settings
from krm_fn.mounts.mark import MountMark, read_mount_mark
from krm_fn.naming.names import names_of
from krm_fn.references.find import may_refer
from krm_fn.references.reference import Reference
from krm_fn.references.resolve import Index, Link, Meant, find_targets

_WILD = frozenset("*?[")


class Wanted(NamedTuple):
    """An entry of `spec.mounts` in one pod template. `targets`: what each of its sources may mean."""

    entry: str
    mount: Mount
    containers: tuple[Container, ...]
    targets: tuple[tuple[Item, ...], ...]


class Site(NamedTuple):
    """A pod template with mounts, now or before. `mark` says what an earlier run has put there."""

    item: Item
    pod: PodSpec
    mark: MountMark
    wanted: tuple[Wanted, ...]

    @property
    def targets(self) -> list[Item]:
        """All that is to be mounted here."""
        return [item for wanted in self.wanted for found in wanted.targets for item in found]


def plan_mounts(
    items: Iterable[Item], settings: Settings, index: Index, config_id: ResourceId | None
) -> tuple[list[Site], list[Problem]]:
    """The pod templates to look at, and what is asked for in vain."""
    sites: list[Site] = []
    problems: list[Problem] = []
    entries = [(f"spec.mounts[{number}]", mount) for number, mount in enumerate(settings.mounts)]
    used: set[str] = set()
    for item in items:
        if item.is_local or not may_refer(item.id):
            continue
        mounts = [(entry, mount) for entry, mount in entries if _matches(item, mount)]
        marked = item.annotations.get(keys.MOUNTS + settings.set, "")
        if not mounts and not marked:
            continue
        pods = find_pod_specs(item)
        used |= {entry for entry, _ in mounts}
        problems += _in_vain(item, pods, mounts)
        for pod in pods:
            wanted = tuple(_want(item, pod, entry, mount, index) for entry, mount in mounts)
            sites.append(Site(item, pod, read_mount_mark(marked), tuple(one for one in wanted if one.containers)))
    problems += [problem for site in sites for problem in _missing(site)]
    return sites, [*problems, *_unused([entry for entry, _ in entries if entry not in used], config_id)]


def _matches(item: Item, mount: Mount) -> bool:
    return (
        (_runs_pods(item) if mount.kind is None else item.id.kind == mount.kind)
        and mount.namespace in (None, item.id.namespace)
        and (mount.name == "*" or any(fnmatchcase(name, mount.name) for name in names_of(item)))
        and (not mount.labels or mount.labels.items() <= item.labels.items())
    )


def _runs_pods(item: Item) -> bool:
    kind = kind_of(item)
    return kind is not None and bool(kind.pod_spec)


def _want(item: Item, pod: PodSpec, entry: str, mount: Mount, index: Index) -> Wanted:
    patterns = {"containers": mount.containers, "initContainers": mount.init_containers}
    containers = tuple(
        container
        for container in pod.containers
        if any(fnmatchcase(container.name, pattern) for pattern in patterns[container.list_name])
    )
    targets = tuple(find_targets(item, Meant(source.kind, source.name), index) for source in mount.sources)
    return Wanted(entry, mount, containers, targets)


def _in_vain(item: Item, pods: list[PodSpec], mounts: Iterable[tuple[str, Mount]]) -> Iterator[Problem]:
    """Entries that mean this object by its kind or a container by its name, and there is none."""
    for entry, mount in mounts:
        if not pods and mount.kind is not None:
            yield about(item, f"has no pod template that {entry} could mount {mount} into")
        for list_name, patterns in (("containers", mount.containers), ("initContainers", mount.init_containers)):
            for pattern in patterns if pods else ():
                if _WILD & set(pattern):
                    continue
                names = [one.name for pod in pods for one in pod.containers if one.list_name == list_name]
                if pattern not in names:
                    found = ", ".join(filter(None, names)) or "none"
                    field = f"{pods[0].field}.{list_name}"
                    yield about(item, f"found {found}; {entry} mounts {mount} into {pattern!r}", field)


def _missing(site: Site) -> Iterator[Problem]:
    for entry, mount, _, targets in site.wanted:
        for source, found in zip(mount.sources, targets, strict=True):
            if not found and not source.optional:
                where = f" in namespace {site.item.id.namespace}" if site.item.id.namespace else ""
                message = f"{entry} mounts {source} into it, but the package has none{where}; add it, or say `optional`"
                yield about(site.item, message, site.pod.field)


def _unused(entries: Iterable[str], config_id: ResourceId | None) -> Iterator[Problem]:
    for entry in entries:
        yield Problem("matches no workload of the package", config_id, entry, Severity.WARNING)


def mounted_links(sites: Iterable[Site]) -> Iterator[Link]:
    """One for each source of a mount that the package holds. There is no text in the referrer to change."""
    for site in sites:
        for targets in (found for wanted in site.wanted for found in wanted.targets if found):
            name = get(targets[0].node, "metadata", "name")
            if is_scalar(name):
                field = f"{site.pod.field}.volumes"
                reference = Reference(targets[0].id.kind, name, None, field, in_pod=True, written=False)
                yield Link(site.item, reference, targets)
