"""What the linker is to wait for and to keep, by namespace and sync wave."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.kinds import CONSUMER_KINDS, HOOKS, IMMUTABLE, ConsumerKind, plural_of
from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.model.node import get, text
from krm_fn.model.problem import ResourceId
from krm_fn.model.settings import Settings
from krm_fn.stages.name import Revision

SYNC_WAVE = "argocd.argoproj.io/sync-wave"

_KNOWN = {(kind.group, kind.kind): kind for kind in CONSUMER_KINDS}


class Group(NamedTuple):
    """The Job of one wave in one namespace. `secrets` and `kinds` are those of the whole namespace, for its Role."""

    namespace: str
    wave: str
    plan: LinkPlan


def plan_links(
    revisions: Iterable[Revision], holders: Mapping[int, list[Item]], items: Iterable[Item], settings: Settings
) -> list[Group]:
    """One group for each wave that workloads are applied in."""
    plurals = _plurals(items)
    names = _names_by_referrer(revisions, holders)
    by_namespace: dict[str, list[Item]] = defaultdict(list)
    for referrer, _ in names.values():
        by_namespace[referrer.id.namespace].append(referrer)
    groups = []
    for namespace, referrers in sorted(by_namespace.items()):
        rendered = {name for referrer in referrers for name in names[id(referrer.node)][1]}
        kinds = {_kind_of(referrer.id, plurals) for referrer in referrers}
        for wave in sorted({wave_of(referrer) for referrer in referrers}, key=wave_order):
            workloads = [
                Workload(kind.api_version, kind.kind, referrer.id.name, tuple(sorted(names[id(referrer.node)][1])))
                for referrer in referrers
                if wave_of(referrer) == wave and is_waited_for(referrer)
                for kind in [_kind_of(referrer.id, plurals)]
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
    if not referrer.id.name or any(hook in referrer.annotations for hook in HOOKS):
        return False
    return (referrer.id.group, referrer.id.kind) not in IMMUTABLE


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


def _plurals(items: Iterable[Item]) -> dict[tuple[str, str], str]:
    """What the definitions in the package call their kinds in URLs."""
    definitions = [item.node for item in items if item.id.kind == "CustomResourceDefinition"]
    return {
        (text(get(node, "spec", "group")), text(get(node, "spec", "names", "kind"))): text(
            get(node, "spec", "names", "plural")
        )
        for node in definitions
    }


def _kind_of(who: ResourceId, plurals: Mapping[tuple[str, str], str]) -> ConsumerKind:
    known = _KNOWN.get((who.group, who.kind))
    return known or ConsumerKind(who.api_version, who.kind, plurals.get((who.group, who.kind)) or plural_of(who.kind))
