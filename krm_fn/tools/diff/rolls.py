"""Find the workloads that roll, and what in their pod templates."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain

from krm_fn.base import keys
from krm_fn.base.item import WORD, Item, collect
from krm_fn.base.kind import ROLES
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import descend, elements, get, read_path, text
from krm_fn.base.pods import find_templates, template_around, template_source
from krm_fn.base.reference import Reference
from krm_fn.core.names.names import base_name
from krm_fn.facts.kinds import OPAQUE_KINDS
from krm_fn.report.object_change import (
    MAKES_PODS,
    Cause,
    Effect,
    FieldChange,
    Roll,
    Scaled,
    effect_on,
    is_like_template,
    list_scaled,
    read_hold,
)
from krm_fn.tools.common.stored import is_stored_alike
from krm_fn.tools.diff.pair import AS_WRITTEN, ComparedPair, Release

_IN_TEMPLATE = re.compile(r"(?:^|\.)\w*[tT]emplate\.(?:spec|metadata)\b")
_IMAGE = re.compile(r"\.(?:initC|c)ontainers\[[^]]*\]\.image$")


class Rolls(NamedTuple):
    """`by_config`: the workloads that roll because of a ConfigMap or Secret.

    `by_workload`: those that roll besides.
    """

    by_config: Mapping[Item, list[Roll]]
    by_workload: Mapping[Item, Roll]


def find_rolls(
    compared: Iterable[ComparedPair],
    renamed: Collection[Item],
    releases: tuple[Release, Release],
) -> Rolls:
    """Find what rolls. All keys are objects of the new rendering.

    `renamed`: the objects that have got another name.
    """
    before, release = releases
    former: dict[Item, tuple[Item, ComparedPair]] = {}
    for one in compared:
        old, item = one.pair
        if old is not None and item is not None:
            former[item] = old, one
    edited = {item: one for item, (_, one) in former.items() if one.content}
    checksummed, rollouts = _Checksummed(edited, release), _find_rollouts(release)
    scaled = list_scaled(release.package.authored)
    known = _Known(before, release, renamed, checksummed, rollouts, scaled)
    by_config: dict[Item, list[Roll]] = defaultdict(list)
    by_workload: dict[Item, Roll] = {}
    for item, (old, one) in former.items():
        if not item.is_config and item.id.kind not in ROLES:
            workload = _Workload(known, item, old, one)
            for config, roll in chain(workload.by_name(), workload.by_checksum()):
                by_config[config].append(roll)
            by_workload.update((item, roll) for roll in workload.by_itself())
    every = [*chain.from_iterable(by_config.values()), *by_workload.values()]
    replaced = {roll[:3] for roll in every if roll.effect in MAKES_PODS}
    for config in edited.keys() - {*renamed}:
        told = replaced | {roll[:3] for roll in by_config.get(config, ())}
        changed = {change.key for change in edited[config].content}
        for item, effect in _find_lasting(config, changed, release).items():
            roll = known.roll(rollouts.get(item, item), effect)
            if item in former and roll[:3] not in told:
                by_config[config].append(roll)
    return Rolls(by_config, by_workload)


class _Known(NamedTuple):
    """What is known of the two renderings, for all workloads."""

    before: Release
    release: Release
    renamed: Collection[Item]
    checksummed: "_Checksummed"
    rollouts: Mapping[Item, Item]
    scaled: Scaled

    @property
    def is_as_written(self) -> bool:
        return self.release.dialect == AS_WRITTEN

    def roll(self, item: Item, effect: Effect, by: Iterable[Cause] = ()) -> Roll:
        namespace = self.release.package.namespace_of(item)
        causes = tuple(sorted(by, key=[*Cause].index))
        return Roll(item.id.kind, namespace, base_name(item), effect, causes)


class _Workload:
    """A workload of both renderings, and what rolls it: a method for each cause."""

    def __init__(self, known: _Known, item: Item, old: Item, compared: ComparedPair) -> None:
        self._known = known
        self._compared = compared
        self._item = item
        self._old = old
        self._rolling = known.rollouts.get(item, item)

    def by_name(self) -> Iterator[tuple[Item, Roll]]:
        """Yield a roll for each config whose new name it follows."""
        for config, effect in self._followed.items():
            yield config, self._roll(effect or self._effect, {Cause.NAME})

    def by_checksum(self) -> Iterator[tuple[Item, Roll]]:
        """Yield a roll for each config that its new checksum covers."""
        for config in self._covered or ():
            yield config, self._roll(self._effect, {Cause.CHECKSUM})

    def by_itself(self) -> Iterator[Roll]:
        """Yield a roll for another change, or if nothing else rolls it, and pods that were held back may start."""
        if not self._compared.unlike:
            return
        if self._causes:
            yield self._roll(self._effect, self._causes)
        elif not self._is_told:
            scaled = self._known.scaled
            if read_hold(self._old, scaled).pods > read_hold(self._item, scaled).pods:
                yield self._known.roll(self._item, Effect.RELEASED)

    def _roll(self, effect: Effect, by: Iterable[Cause]) -> Roll:
        return self._known.roll(self._rolling, effect, by)

    @cached_property
    def _effect(self) -> Effect:
        keeps_name = self._item.id.name == self._old.id.name
        return effect_on(self._rolling, keeps_name=keeps_name, scaled=self._known.scaled)

    @cached_property
    def _followed(self) -> dict[Item, Effect | None]:
        """The configs whose new name it follows, with the effect; None for that of another pod template.

        An object that has the new name already follows nothing.
        """
        references = self._known.before.by_referrer.get(self._old, ())
        before = {(one.kind, one.name.value) for _, one, _ in references}
        effects: dict[Item, Effect | None] = {}
        for _, one, targets in self._known.release.by_referrer.get(self._item, ()):
            for config in targets:
                is_new = config in self._known.renamed and (one.kind, one.name.value) not in before
                # Once it is that of another pod template, nothing else counts.
                if is_new and effects.get(config, Effect.CHANGES):
                    is_in_pod = _is_in_template(self._item, one) or is_like_template(
                        self._item, one.field
                    )
                    effects[config] = None if is_in_pod else Effect.CHANGES
        return effects

    @cached_property
    def _covered(self) -> list[Item] | None:
        """The configs that a new checksum of it covers; None where it has no new one."""
        is_new = _has_new_checksum(self._item, self._old)
        return self._known.checksummed.find(self._item) if is_new else None

    @cached_property
    def _is_told(self) -> bool:
        """Whether a config says already that its pods are replaced."""
        return None in self._followed.values() or bool(self._covered)

    @cached_property
    def _is_another(self) -> bool:
        """Whether it has other pods, as a definition never has. It takes long to tell, and few need be asked."""
        item, old = self._item, self._old
        # A Job that is named by its content runs again under another name, whatever differs.
        is_another_job = item.id.kind == "Job" and old.id.name not in ("", item.id.name)
        has_pods = item.id.kind not in OPAQUE_KINDS
        return has_pods and (is_another_job or _is_stored_anew(item, old))

    @cached_property
    def _causes(self) -> set[Cause]:
        """The causes in itself."""
        is_as_written, changes = self._known.is_as_written, self._compared.fields
        causes: set[Cause] = set()
        is_like_another = any(is_like_template(self._item, change.path) for change in changes)
        if is_like_another or not is_as_written or (changes and self._is_another):
            causes.update(chain.from_iterable(_causes(self._item, change) for change in changes))
        # Namespaces and names are part of a checksum: of another environment, it differs in any case.
        if is_as_written and self._covered == []:
            causes.add(Cause.CHECKSUM)
        # Where a field is made anew, nobody can tell whether anything else differs in what is stored.
        is_open = is_as_written and not self._compared.made_anew
        if is_open and not causes and not self._is_told and self._is_another:
            causes.add(Cause.NAME)  # that no rule follows, as in an argument, or that of a Job
        return causes


def _find_lasting(config: Item, changed: set[str], release: Release) -> dict[Item, Effect]:
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


def _is_in_template(item: Item, reference: Reference) -> bool:
    return item.id.kind == "Pod" or template_around(item.node, reference.field) is not None


def _causes(item: Item, change: FieldChange) -> Iterator[Cause]:
    is_in_template = bool(_IN_TEMPLATE.search(change.path)) and any(find_templates(item.node))
    if is_in_template or is_like_template(item, change.path):
        is_annotation = "annotations[" in change.path and change.path.endswith("]")
        if _IMAGE.search(change.path):
            yield Cause.IMAGE
        elif is_annotation and "checksum" in change.path:
            yield Cause.CHECKSUM
        else:
            yield Cause.TEMPLATE if is_in_template or item.id.kind == "Pod" else Cause.SPEC


def _is_stored_anew(item: Item, old: Item) -> bool:
    """Tell whether an API server stores another pod template, names included.

    Only such a template rolls a workload.
    """
    before = {one.path: one.node for one in find_templates(old.node)}
    after = {one.path: one.node for one in find_templates(item.node)}
    return before.keys() != after.keys() or any(
        not is_stored_alike(before[path], node, item.id) for path, node in after.items()
    )


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
