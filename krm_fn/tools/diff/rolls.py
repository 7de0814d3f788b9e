"""Find the workloads that roll, and what in their pod templates."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain
from typing import NamedTuple

from krm_fn.base import keys
from krm_fn.base.item import WORD, Item, collect
from krm_fn.base.kind import OPAQUE_KINDS, ROLES
from krm_fn.base.node import descend, elements, get, read_path, text
from krm_fn.base.pods import find_templates, template_around, template_source
from krm_fn.base.reference import Reference
from krm_fn.core.names.names import base_name
from krm_fn.report.object_change import (
    MAKES_PODS,
    Cause,
    Effect,
    FieldChange,
    Roll,
    effect_on,
    list_scaled,
    read_hold,
)
from krm_fn.tools.diff.pair import AS_WRITTEN, Pair, Release
from krm_fn.tools.diff.stored import is_stored_alike

_IN_TEMPLATE = re.compile(r"(?:^|\.)\w*[tT]emplate\.(?:spec|metadata)\b")
_IMAGE = re.compile(r"\.(?:initC|c)ontainers\[[^]]*\]\.image$")


class Rolls(NamedTuple):
    """`by_config`: the workloads that roll because of a ConfigMap or Secret.

    `by_workload`: those that roll besides.
    """

    by_config: Mapping[Item, list[Roll]]
    by_workload: Mapping[Item, Roll]


def find_rolls(  # noqa: PLR0913, PLR0917  # what is known of the two renderings
    pairs: Iterable[Pair],
    fields: Mapping[Item, tuple[FieldChange, ...]],
    edited: Mapping[Item, frozenset[str]],
    renamed: Collection[Item],
    releases: tuple[Release, Release],
    made_anew: Collection[Item] = (),
) -> Rolls:
    """Find what rolls. All keys are objects of the new rendering.

    `fields`: the fields in which an object differs, but for names and checksums. `edited`: the
    ConfigMaps and Secrets whose content differs, and in which keys. `renamed`: the objects that have got another name.
    `made_anew`: those of which every rendering makes a field anew, so that nobody can tell whether
    anything else differs in what is stored.
    """
    before, release = releases
    former = {pair.new: pair.old for pair in pairs if pair.new is not None and pair.old is not None}
    checksummed = _Checksummed(edited, release)
    is_as_written = release.dialect == AS_WRITTEN
    rollouts = _find_rollouts(release)
    scaled = list_scaled(release.package.authored)
    roll = partial(_roll, release)
    by_config: dict[Item, list[Roll]] = defaultdict(list)
    by_workload: dict[Item, Roll] = {}
    for item, old in former.items():
        if item.is_config or item.id.kind in ROLES:
            continue
        rolling = rollouts.get(item, item)
        keeps_name = item.id.name == old.id.name
        effect_here = effect_on(rolling, keeps_name=keeps_name, scaled=scaled)
        followed = _find_followed(item, renamed, release, _list_references(old, before))
        for config, effect in followed.items():
            by_config[config].append(roll(rolling, effect or effect_here, {Cause.NAME}))
        is_another = cache(partial(_is_another, item, old))  # it takes long, and few need be asked
        changes = fields.get(item, ())
        is_known = item.id.kind == "Pod" or not is_as_written
        can_tell = is_known or (bool(changes) and is_another())
        told = changes if can_tell else ()
        causes = {*chain.from_iterable(_causes(item, change) for change in told)}
        is_told = None in followed.values()
        if _has_new_checksum(item, old):
            # Namespaces and names are part of a checksum: of another environment, it differs in any
            # case.
            read = checksummed.find(item)
            for config in read:
                by_config[config].append(roll(rolling, effect_here, {Cause.CHECKSUM}))
            causes |= set() if read or not is_as_written else {Cause.CHECKSUM}
            is_told = is_told or bool(read)
        is_open = is_as_written and item not in made_anew and not (causes or is_told)
        if is_open and is_another():
            causes = {Cause.NAME}  # that no rule follows, as in an argument, or that of a Job
        if causes:
            by_workload[item] = roll(rolling, effect_here, causes)
        elif not is_told and read_hold(old, scaled).pods > read_hold(item, scaled).pods:
            by_workload[item] = roll(item, Effect.RELEASED, ())
    every = [*chain.from_iterable(by_config.values()), *by_workload.values()]
    replaced = {one[:3] for one in every if one.effect in MAKES_PODS}
    for config in edited.keys() - {*renamed}:
        known = replaced | {one[:3] for one in by_config.get(config, ())}
        lasting = _find_lasting(config, edited[config], release)
        found = (
            roll(rollouts.get(item, item), effect, ())
            for item, effect in lasting.items()
            if item in former
        )
        by_config[config] += (one for one in found if one[:3] not in known)
    return Rolls(by_config, by_workload)


def _find_lasting(config: Item, changed: frozenset[str], release: Release) -> dict[Item, Effect]:
    """Find whose pods live on when a content changes under its name, and what they see of it."""
    found: dict[Item, Effect] = {}
    for referrer, reference, _ in release.by_target.get(config, ()):
        is_read = reference.keys is None or not changed.isdisjoint(reference.keys)
        if not is_read or not _is_in_template(referrer, reference):
            continue
        if referrer.id.kind == "CronJob":
            found[referrer] = Effect.NEXT_RUN
        elif referrer.id.kind != "Job":  # its pods end, and none is made after them
            is_seen = _is_seen_in_place(referrer, reference)
            found[referrer] = Effect.IN_PLACE if is_seen else found.get(referrer, Effect.NEXT_START)
    return found


def _is_seen_in_place(item: Item, reference: Reference) -> bool:
    """Tell whether the kubelet writes new files into pods that run: it does where no part is mounted by `subPath`."""
    path = read_path(reference.field)
    if "volumes" not in path:
        return False
    place = path.index("volumes")
    name = text(get(descend(item.node, path[: place + 2]), "name"))
    for container in elements(descend(item.node, (*path[:place], "containers"))):
        for mount in elements(get(container, "volumeMounts")):
            is_part = get(mount, "subPath") or get(mount, "subPathExpr")
            if text(get(mount, "name")) == name and not is_part:
                return True
    return False


def _find_rollouts(release: Release) -> dict[Item, Item]:
    """Find the Rollouts that take their pods from another workload, by that workload: it has no pods of its own."""
    workloads = {
        (release.package.namespace_of(item), item.id.kind, item.id.name): item
        for item in release.package.authored
    }
    found: dict[Item, Item] = {}
    for rollout in release.package.authored:
        source = template_source(rollout)
        place = (release.package.namespace_of(rollout), *source) if source else None
        if place in workloads:
            found[workloads[place]] = rollout
    return found


def _roll(release: Release, item: Item, effect: Effect, by: Iterable[Cause]) -> Roll:
    namespace = release.package.namespace_of(item)
    return Roll(
        item.id.kind, namespace, base_name(item), effect, tuple(sorted(by, key=[*Cause].index))
    )


def _list_references(item: Item, release: Release) -> set[tuple[str, str]]:
    """Return what an object references, there or not: kinds, and names as they are written."""
    return {
        (reference.kind, reference.name.value)
        for _, reference, _ in release.by_referrer.get(item, ())
    }


def _find_followed(
    item: Item, renamed: Collection[Item], release: Release, known: Collection[tuple[str, str]]
) -> dict[Item, Effect | None]:
    """Find the configs whose new name an object follows, with the effect; None for that of another pod template.

    `known`: what it has referenced before. An object that has the new name already follows nothing.
    """
    effects: dict[Item, Effect | None] = {}
    for _, reference, targets in release.by_referrer.get(item, ()):
        for config in targets:
            if config in renamed and (reference.kind, reference.name.value) not in known:
                is_in_pod = _is_in_template(item, reference)
                effects[config] = None if is_in_pod else effects.get(config, Effect.CHANGES)
    return effects


def _is_in_template(item: Item, reference: Reference) -> bool:
    return item.id.kind == "Pod" or template_around(item.node, reference.field) is not None


def _causes(item: Item, change: FieldChange) -> Iterator[Cause]:
    is_pod = item.id.kind == "Pod" and change.path.startswith("spec.")
    if is_pod or (_IN_TEMPLATE.search(change.path) and any(find_templates(item.node))):
        is_annotation = "annotations[" in change.path and change.path.endswith("]")
        if _IMAGE.search(change.path):
            yield Cause.IMAGE
        elif is_annotation and "checksum" in change.path:
            yield Cause.CHECKSUM
        else:
            yield Cause.TEMPLATE


def _is_another(item: Item, old: Item) -> bool:
    """Tell whether an object has other pods. A definition has none."""
    has_pods = item.id.kind not in OPAQUE_KINDS
    return has_pods and (_is_stored_anew(item, old) or _is_another_job(item, old))


def _is_stored_anew(item: Item, old: Item) -> bool:
    """Tell whether an API server stores another pod template, names included.

    Only such a template rolls a workload.
    """
    before = {one.path: one.node for one in find_templates(old.node)}
    after = {one.path: one.node for one in find_templates(item.node)}
    return before.keys() != after.keys() or any(
        not is_stored_alike(before[path], node, item.id) for path, node in after.items()
    )


def _is_another_job(item: Item, old: Item) -> bool:
    """Tell whether a Job that is named by its content has another name, and so runs again, whatever differs."""
    return item.id.kind == "Job" and bool(old.id.name) and item.id.name != old.id.name


def _has_new_checksum(item: Item, old: Item) -> bool:
    """Tell whether a checksum that this project manages differs in any pod template."""
    names = {
        one.annotations[keys.CHECKSUM] for one in (old, item) if keys.CHECKSUM in one.annotations
    }
    if not names:
        return False
    for template in find_templates(item.node):
        before = descend(old.node, template.path)
        for name in names:
            place = ("metadata", "annotations", name)
            if text(get(before, *place)) != text(get(template.node, *place)):
                return True
    return False


class _Checksummed:
    """The ConfigMaps and Secrets that a checksum may cover, of those whose content differs."""

    def __init__(self, edited: Iterable[Item], release: Release) -> None:
        self._release = release
        self._edited = dict.fromkeys(edited)
        self._by_name = collect(
            ((release.package.namespace_of(config), base_name(config)), config)
            for config in self._edited
        )

    def find(self, workload: Item) -> list[Item]:
        """Find those that the pods of a workload read, and those that its annotations name, as for Reloader."""
        found: list[Item] = []
        for one in self._release.by_referrer.get(workload, ()):
            if one.reference.in_pod:
                found += one.targets
        namespace = self._release.package.namespace_of(workload)
        for value in workload.annotations.values():
            for word in WORD.findall(value):
                found += self._by_name.get((namespace, word), ())
        return [config for config in dict.fromkeys(found) if config in self._edited]
