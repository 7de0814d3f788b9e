"""Explain workloads: what each of them reads, and which of that makes new pods when it changes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from krm_fn.base.item import Item
from krm_fn.base.node import read_path
from krm_fn.base.pods import find_pod_specs, template_around, template_source
from krm_fn.base.problem import ResourceId
from krm_fn.base.reference import By, Reference, ResolvedReference, Rule
from krm_fn.core.decide.decide import Reason, Revision, Run
from krm_fn.core.names.names import authored_id, names_of
from krm_fn.report.object_change import Effect, effect_on, list_scaled
from krm_fn.report.secrets import Masks
from krm_fn.tools.explain.explain_objects import explain_absent, explain_each
from krm_fn.tools.explain.explanation import (
    ABSENT,
    Because,
    Explained,
    ExplainedWorkload,
    How,
    ReadField,
    ReadObject,
    WorkloadChange,
    strongest_effect,
)
from krm_fn.tools.explain.places import NOWHERE, Places
from krm_fn.tools.explain.wanted import EVERYTHING, Wanted

_NOTHING = Explained(
    *(ResourceId("", "", "", ""), "", NOWHERE, ABSENT),
    Because(Reason(ABSENT, "nothing in the package makes it")),
)
"""The explanation of an object that an optional mount names, and that is not there."""


def with_all_references(found: Run) -> Run:
    """Return the same run with the references of a package without configuration, which the function never reads."""
    return found._replace(survey=found.survey.with_all_references())


def find_workloads(found: Run) -> list[Item]:
    """Find the objects with pods, and those that make pods of what they reference, in whatever shape."""
    with_pods: set[Item] = set()
    for one in found.references:
        # The pods of a chart are not in the package.
        if one.reference.in_pod and one.reference.installed_in is None:
            with_pods.add(one.referrer)
    workloads: list[Item] = []
    for item in found.package.authored:
        has_pods = (
            item in with_pods or bool(find_pod_specs(item)) or template_source(item) is not None
        )
        if has_pods and not item.is_config and not item.is_local:
            workloads.append(item)
    return workloads


def explain_workloads(
    wanted: Wanted, found: Run, workloads: Iterable[Item], places: Places, masks: Masks
) -> tuple[ExplainedWorkload, ...]:
    """Explain the workloads that are meant. `masks` hide the names of Secrets."""
    meant = [
        one for one in workloads if wanted.matches(one.id.kind, one.id.namespace, names_of(one))
    ]
    if not meant:
        return ()
    explainer = _WorkloadExplainer(found, places, masks)
    return tuple(
        sorted(
            map(explainer.explain, meant),
            key=lambda one: (one.who.namespace, one.who.kind, one.who.name),
        )
    )


class _WorkloadExplainer:
    def __init__(self, found: Run, places: Places, masks: Masks) -> None:
        self._found = found
        self._places = places
        self._hide = masks.hide
        self._configs = explain_each(
            found, [choice.item for choice in found.choices.all], places, masks
        )
        self._absent = {one.who: one for one in explain_absent(EVERYTHING, found, places)}
        self._references: dict[Item, list[ResolvedReference]] = defaultdict(list)
        # A hook that runs before all else reads a name that never changes.
        of_hooks = [one.resolved for one in found.hook_reads]
        self._fixed_names: dict[tuple[Item, str], str] = {}
        for one in found.hook_reads:
            self._fixed_names[one.resolved.referrer, one.resolved.reference.field] = one.name
        for resolved in chain(found.references, of_hooks):
            if not resolved.reference.is_output:
                self._references[resolved.referrer].append(resolved)
        self._named_in = _find_names_in_content(found)
        # An optional mount may name what is not in the package: then it is no reference.
        self._optional_mounts = {
            (one.entry, one.targets) for one in found.mounts if one.source.optional
        }
        self._renamed_jobs = {one.item for one in found.jobs}
        self._scaled = list_scaled(found.package.authored)

    def explain(self, workload: Item) -> ExplainedWorkload:
        item, missing_template = self._find_template_holder(workload)
        fields: dict[Item, list[ReadField]] = {}
        missing: dict[ResourceId, list[ReadField]] = {}
        for resolved in self._references[item]:
            field = self._read_field(resolved)
            for target in resolved.targets:
                fields.setdefault(target, []).append(field)
            if not resolved.targets:
                reference = resolved.reference
                who = ResourceId("v1", reference.kind, resolved.namespace_meant, reference.target)
                missing.setdefault(who, []).append(field)
        for who, field in self._find_missing_mounts(item):
            missing.setdefault(who, []).append(field)
        for config, explained in self._configs.items():
            if _is_read_by_a_program(explained, item):
                fields.setdefault(config, [])
        keeps_name = workload not in self._renamed_jobs
        effect = effect_on(workload, keeps_name=keeps_name, scaled=self._scaled)
        changes = self._find_changes(item, effect)
        reads: list[ReadObject] = []
        for config in {**fields, **changes}:
            if config in self._configs:
                several, its = tuple(fields.get(config, ())), tuple(changes.get(config, ()))
                opt_out = self._found.opt_outs.get((item, config), "")
                reads.append(ReadObject(self._configs[config], several, its, opt_out))
        for who, absent in missing.items():
            # The place of something that is missing is that of its first reference.
            explained = self._absent.get(who, _NOTHING)._replace(
                who=who, present_name=who.name, place=NOWHERE
            )
            reads.append(ReadObject(explained, tuple(absent), ()))
        who, place = authored_id(workload), self._places.of(workload)
        return ExplainedWorkload(who, place, tuple(sorted(reads, key=_order)), missing_template)

    def _find_template_holder(self, workload: Item) -> tuple[Item, str]:
        """Return the workload itself, or the one from which a Rollout takes its pod template, and what is missing."""
        source, package = template_source(workload), self._found.package
        if source is None:
            return workload, ""
        for item in package.authored:
            is_near = package.namespace_of(item) == package.namespace_of(workload)
            if is_near and (item.id.kind, item.id.name) == source:
                return item, ""
        kind, name = source
        return workload, str(
            ResourceId("", kind, package.namespace_of(workload), name)
        ) if name else ""

    def _read_field(self, resolved: ResolvedReference) -> ReadField:
        one = resolved.reference
        place = self._places.of(resolved.referrer, one.field)
        is_pin = any(self._is_pin(one, target) for target in resolved.targets)
        is_optional = one.is_optional or (one.rule.text, resolved.targets) in self._optional_mounts
        text, new_text = self._hide(one.target), self._find_new_text(resolved)
        return ReadField(place, one.field, one.kind, text, new_text, one.rule, is_optional, is_pin)

    def _find_new_text(self, resolved: ResolvedReference) -> str | None:
        one = resolved.reference
        fixed = self._fixed_names.get((resolved.referrer, one.field))
        if fixed is not None:
            return "" if fixed == one.target else fixed
        for target in resolved.targets[:1]:
            revision = self._found.revisions.renamed.get(target)
            if revision is not None:
                return (
                    None
                    if one.kind == "Secret" and _has_hash(revision)
                    else revision.meant_by(one).name
                )
            if self._found.references.index.is_stale(target, one.kind, one.target):
                return target.id.name
        return ""

    def _find_missing_mounts(self, item: Item) -> Iterator[tuple[ResourceId, ReadField]]:
        for one in self._found.mounts:
            if one.item is item and not one.targets:
                kind, name = one.source.kind, one.source.name
                place, rule = self._places.of(item, one.field), Rule(By.MOUNTS, one.entry)
                is_optional = one.source.optional
                read = ReadField(place, one.field, kind, name, "", rule, is_optional, is_pin=False)
                yield ResourceId("v1", kind, item.id.namespace, name), read

    def _find_changes(self, item: Item, effect: Effect) -> dict[Item, list[WorkloadChange]]:
        """Find what a change of content changes in a workload, and how.

        `effect`: that of another pod template.
        """
        changes: dict[Item, list[WorkloadChange]] = defaultdict(list)
        for resolved in self._references[item]:
            if (item, resolved.reference.field) in self._fixed_names:
                continue
            change = WorkloadChange(
                How.NAME, effect if _is_in_template(item, resolved.reference) else Effect.CHANGES
            )
            for target in resolved.targets:
                is_followed = self._is_named_by_content(target) and not self._is_pin(
                    resolved.reference, target
                )
                if is_followed and change not in changes[target]:
                    changes[target].append(change)
        for checksum in self._found.checksums:
            if checksum.item is item and checksum.restarts:
                for config, keys in checksum.configs.items():
                    read = None if keys is None else tuple(sorted(keys))
                    changes[config].append(
                        WorkloadChange(
                            How.CHECKSUM, effect, read, checksum.asked_by.get(config, "")
                        )
                    )
        self._add_names_in_content(changes)
        return changes

    def _add_names_in_content(self, changes: dict[Item, list[WorkloadChange]]) -> None:
        """Add the objects whose names are in the content of those that are found already."""
        waiting = [config for config, several in changes.items() if several]
        for holder in waiting:
            for config, key in self._named_in.get(holder, ()):
                if changes.get(config):
                    continue
                for change in changes[holder]:
                    if change.keys is None or key in change.keys:
                        changes[config].append(
                            WorkloadChange(change.how, change.effect, through=authored_id(holder))
                        )
                        waiting.append(config)

    def _is_pin(self, reference: Reference, target: Item) -> bool:
        return (reference.kind, reference.target) in self._found.pins.get(target, ())

    def _is_named_by_content(self, config: Item) -> bool:
        revision = self._found.revisions.renamed.get(config)
        return revision is not None and _has_hash(revision)


def _find_names_in_content(found: Run) -> dict[Item, list[tuple[Item, str]]]:
    """Return, by object, those that are named by their content and whose names are in its own, and under which key."""
    named_in: dict[Item, list[tuple[Item, str]]] = defaultdict(list)
    named = {item for item, revision in found.revisions.renamed.items() if _has_hash(revision)}
    for embedded in found.references.embedded:
        key = str(read_path(embedded.field)[-1])
        named_in[embedded.item] += [(target, key) for target in embedded.targets if target in named]
    for resolved in found.references.authored:
        if resolved.referrer in named and not resolved.reference.is_output:
            named_in[resolved.referrer] += [
                (target, "") for target in resolved.targets if target in named
            ]
    return named_in


def _has_hash(revision: Revision) -> bool:
    return revision.name != revision.base_name


def _is_in_template(item: Item, reference: Reference) -> bool:
    return item.id.kind == "Pod" or template_around(item.node, reference.field) is not None


def _order(read: ReadObject) -> tuple[int, ResourceId]:
    effect = strongest_effect(read)
    return len(Effect) if effect is None else [*Effect].index(effect), read.config.who


def _is_read_by_a_program(explained: Explained, item: Item) -> bool:
    return any(because.reason.item is item for because in (explained.because, *explained.hints))
