"""What the linker is to wait for and to keep, by namespace and sync wave."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.kinds import CONSUMER_KINDS, Kinds, is_hook, kind_of
from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.model.settings import Settings
from krm_fn.stages.name import Revision

SYNC_WAVE = "argocd.argoproj.io/sync-wave"


class Group(NamedTuple):
    """The Job of one wave in one namespace. `secrets` and `kinds` are those of the whole namespace, for its Role."""

    namespace: str
    wave: str
    plan: LinkPlan


def plan_links(
    revisions: Iterable[Revision], holders: Mapping[int, list[Item]], items: Iterable[Item], settings: Settings
) -> list[Group]:
    """One group for each wave that workloads are applied in."""
    kinds_of_package = Kinds(items)
    names = _names_by_referrer(revisions, holders)
    by_namespace: dict[str, list[Item]] = defaultdict(list)
    for referrer, _ in names.values():
        by_namespace[referrer.id.namespace].append(referrer)
    groups = []
    for namespace, referrers in sorted(by_namespace.items()):
        rendered = {name for referrer in referrers for name in names[id(referrer.node)][1]}
        kinds = {kinds_of_package.of(referrer.id) for referrer in referrers}
        for wave in sorted({wave_of(referrer) for referrer in referrers}, key=wave_order):
            workloads = [
                Workload(kind.api_version, kind.kind, referrer.id.name, tuple(sorted(names[id(referrer.node)][1])))
                for referrer in referrers
                if wave_of(referrer) == wave and is_waited_for(referrer)
                for kind in [kinds_of_package.of(referrer.id)]
            ]
            waited = {name for workload in workloads for name in workload.revisions}
            plan = LinkPlan(
                set=settings.set,
                workloads=tuple(sorted(workloads)),
                revisions=tuple(sorted(rendered - waited)),
                kinds=tuple(sorted(kinds - set(CONSUMER_KINDS))),
                timeout=settings.linker.timeout_seconds,
                minimum_age=settings.linker.minimum_age_seconds,
            )
            groups.append(Group(namespace, wave, plan))
    return groups


def is_waited_for(referrer: Item) -> bool:
    """Whether the object will say what its manifest says, sooner or later: for others one would wait for ever."""
    kind = kind_of(referrer)
    return bool(referrer.id.name) and not is_hook(referrer) and not (kind is not None and kind.is_immutable)


def wave_of(item: Item) -> str:
    """As written; `""` for none, which Argo CD reads as 0."""
    return item.annotations.get(SYNC_WAVE, "")


def wave_order(wave: str) -> tuple[int, str]:
    number = wave.removeprefix("-")
    return (int(wave) if number.isdecimal() else 0, wave)


def _names_by_referrer(
    revisions: Iterable[Revision], holders: Mapping[int, list[Item]]
) -> dict[int, tuple[Item, set[RevisionName]]]:
    names: dict[int, tuple[Item, set[RevisionName]]] = {}
    for revision in revisions:
        for referrer in holders.get(id(revision.item.node), []):
            held = names.setdefault(id(referrer.node), (referrer, set()))
            held[1].add(RevisionName(revision.id.kind, revision.name))
    return names
