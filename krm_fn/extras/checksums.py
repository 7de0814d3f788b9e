"""Checksums on pod templates, where something is to restart pods other than a new name."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from typing import TypeAlias

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Patch, patch_at
from krm_fn.base.item import Item, about, collect, warning
from krm_fn.base.node import FieldPath, Node, fields, get, step
from krm_fn.base.pods import PodTemplate, find_templates, template_around, template_at
from krm_fn.base.problem import Problem, Problems, Severity
from krm_fn.base.reference import ResolvedReference, is_read
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.run import FIXED_NAMES, ChecksumInput, Run
from krm_fn.core.names.content_digest import content_digest
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.core.references.generated import digest_of, known_names
from krm_fn.core.references.references import References
from krm_fn.extras.restart_requests import (
    Catalogue,
    Named,
    OptIn,
    find_opt_ins,
    find_opt_out,
    is_clear,
    is_literal,
)

_Names: TypeAlias = Mapping[Item, set[tuple[str, str]]]
_Makers: TypeAlias = Mapping[tuple[str, str], list[Item]]


class _Inputs:
    """The inputs of all checksums in a package, and the references of objects that read but have no pod template."""

    def __init__(self) -> None:
        self.of_templates: dict[tuple[Item, FieldPath], ChecksumInput] = {}
        self.untemplated: list[ResolvedReference] = []

    def of(self, item: Item, template: PodTemplate) -> ChecksumInput:
        return self.of_templates.setdefault((item, template.path), ChecksumInput(item, template))


def set_checksums(run: Run) -> Run:
    """Annotate the pod templates that read objects of strategy `checksum`, or whose workloads opted in.

    Checksums of earlier runs that nothing asks for any more are removed.
    """
    opt_ins = find_opt_ins(run.package.authored, run.settings.checksums.controllers)
    # Wave and Reloader may restart pods for content that somebody else writes; a checksum made here
    # cannot.
    own = [choice for choice in run.choices.all if not (opt_ins and choice.is_written_by_others)]
    # What a producer makes may change without its spec: then only a controller restarts pods.
    catalogue = Catalogue(choice.item for choice in own if choice.item.is_config)
    strategies = {choice.item: choice.strategy for choice in own}
    controllers = run.settings.checksums.controllers
    inputs = _read_inputs(run.references, strategies, opt_ins, catalogue, controllers)
    checksums = tuple(inputs.of_templates.values())
    warnings = tuple(_warn(inputs, run.references, opt_ins, catalogue))
    changes = _annotate_all(checksums, run) + Changes(problems=warnings)
    opt_outs = _find_opt_outs(run, checksums)
    return run._replace(checksums=checksums, opt_outs=opt_outs).add(changes)


def _read_inputs(
    references: References,
    strategies: Mapping[Item, Strategy],
    opt_ins: list[OptIn],
    catalogue: Catalogue,
    controllers: Collection[str],
) -> _Inputs:
    """Find what pods read. `strategies` are those of the objects whose content the package decides.

    A workload whose author has opted out is not restarted, whatever the strategy.
    """
    inputs = _Inputs()
    followed = set()
    asking = collect((opt_in.item, opt_in) for opt_in in opt_ins)
    for resolved in references:
        if not is_read(resolved.reference):
            continue
        for config in resolved.targets:
            strategy = strategies.get(config)
            if strategy is Strategy.RENAME:
                followed.add((resolved.referrer, config))
            elif strategy is Strategy.CHECKSUM and not find_opt_out(
                resolved.referrer, config, controllers
            ):
                _add_reference(inputs, resolved, config)
            # The author asks for it on this workload: no kinds, entries and strategies limit that
            # (decision 16).
            elif strategy is not None and (
                asked := _first_counting(asking.get(resolved.referrer, ()), config)
            ):
                _add_reference(inputs, resolved, config, asked)
    for opt_in in opt_ins:
        _add_named(inputs, opt_in, catalogue, followed)
    return inputs


def _find_opt_outs(run: Run, checksums: Iterable[ChecksumInput]) -> dict[tuple[Item, Item], str]:
    """Return the workloads that no checksum restarts for what they read, and the annotation that opts out."""
    checksummed = {
        choice.item for choice in run.choices.all if choice.strategy is Strategy.CHECKSUM
    }
    restarted = {(one.item, config) for one in checksums for config in one.configs}
    found: dict[tuple[Item, Item], str] = {}
    if not checksummed:
        return found
    for resolved in run.references:
        if not is_read(resolved.reference):
            continue
        for config in resolved.targets:
            pair = resolved.referrer, config
            if config in checksummed and pair not in restarted:
                annotation = find_opt_out(*pair, run.settings.checksums.controllers)
                if annotation:
                    found[pair] = annotation
    return found


def _add_named(
    inputs: _Inputs, opt_in: OptIn, catalogue: Catalogue, followed: Collection[tuple[Item, Item]]
) -> None:
    """Add what a workload names to its controller, whether its pods read it or not."""
    template = template_at(opt_in.item.node, opt_in.template)
    if template is not None:
        for named in opt_in.named:
            for config in catalogue.find(named):
                # Where a reference of the workload follows the name of a revision, the name
                # restarts its pods.
                if opt_in.allows(config) and (opt_in.item, config) not in followed:
                    inputs.of(opt_in.item, template).add(config, None, opt_in.controller)


def _first_counting(opt_ins: Iterable[OptIn], config: Item) -> OptIn | None:
    return next((one for one in opt_ins if one.counts(config)), None)


def _add_reference(
    inputs: _Inputs, resolved: ResolvedReference, config: Item, opt_in: OptIn | None = None
) -> None:
    template = template_around(resolved.referrer.node, resolved.reference.field)
    if template is None:
        inputs.untemplated.append(resolved)
    else:
        controller = opt_in.controller if opt_in else ""
        inputs.of(resolved.referrer, template).add(config, resolved.reference.keys, controller)


def _warn(
    inputs: _Inputs, references: References, opt_ins: list[OptIn], catalogue: Catalogue
) -> Problems:
    """Warn about workloads that a change of content does not restart, though that is configured."""
    immutable = [one for one in inputs.of_templates.values() if not one.restarts]
    for one in immutable:
        read = _list((config.id.kind, config.id.name) for config in one.configs)
        yield warning(
            one.item, f"reads {read}; a Job cannot change, so make it a hook or let it be replaced"
        )
    untemplated = collect((resolved.referrer, resolved) for resolved in inputs.untemplated)
    for item, several in untemplated.items():
        read = _list((resolved.reference.kind, resolved.reference.target) for resolved in several)
        yield warning(
            item, f"reads {read}, but has no pod template for a checksum: nothing restarts its pods"
        )
    if opt_ins:
        yield from _warn_about_missing(references, opt_ins, catalogue)
        yield from _warn_about_patterns(opt_ins)


def _warn_about_missing(
    references: References, opt_ins: list[OptIn], catalogue: Catalogue
) -> Problems:
    """Warn about objects that Wave or Reloader sees in the cluster, but this function does not see in the package."""
    missing, made = _find_missing(references, catalogue)
    for opt_in in opt_ins:
        seen = opt_in.all_of | opt_in.marked  # of those missing, nobody knows the annotation
        wanted = {(kind, name) for kind, name in missing[opt_in.item] if kind in seen}
        for named in opt_in.named:
            # Which objects another pattern means, only the cluster shows.
            is_one = is_literal(named) or is_clear(named)
            if is_one and not catalogue.find(named):
                wanted.add(_short(named, opt_in))
        wanted -= opt_in.excluded
        outside = {(kind, name) for kind, name in wanted if name not in FIXED_NAMES}
        producers: dict[tuple[str, str], Item] = {}
        for one in outside:
            for producer in made[one]:
                if _is_near(producer, opt_in.item):
                    producers[one] = producer
        if elsewhere := outside - producers.keys():
            message = (
                f"reads {_list(elsewhere)}, not in this package or not managed by it; "
                f"only {opt_in.controller} will restart pods after a change"
            )
            yield warning(opt_in.item, message)
        for producer in dict.fromkeys(producers[one] for one in sorted(producers)):
            read = _list(one for one, its in producers.items() if its is producer)
            message = (
                f"reads {read}, which {authored_id(producer)} makes in the cluster; "
                f"only {opt_in.controller} will restart pods after a change"
            )
            yield warning(opt_in.item, message)


def _find_missing(references: References, catalogue: Catalogue) -> tuple[_Names, _Makers]:
    """Return what objects read and the package does not decide, and what makes objects in the cluster."""
    missing: dict[Item, set[tuple[str, str]]] = defaultdict(set)
    made: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for referrer, reference, targets in references:
        if is_read(reference) and not any(catalogue.contains(target) for target in targets):
            missing[referrer].add((reference.kind, reference.target))
        if reference.is_output:
            for one in {(reference.kind, reference.target), *known_names(referrer)}:
                made[one].append(referrer)
    return missing, made


def _is_near(producer: Item, reader: Item) -> bool:
    """Tell whether a producer may make something in the namespace of a reader.

    It may have no namespace.
    """
    return producer.id.namespace in ("", reader.id.namespace)


def _short(named: Named, opt_in: OptIn) -> tuple[str, str]:
    elsewhere = named.namespace != opt_in.item.id.namespace
    return named.kind, f"{named.namespace}/{named.name}" if elsewhere else named.name


def _warn_about_patterns(opt_ins: list[OptIn]) -> Problems:
    for opt_in in opt_ins:
        for named in opt_in.named:
            if not is_literal(named) and not is_clear(named):
                yield warning(
                    opt_in.item,
                    f"the pattern {named.name!r} is not supported here; list the names instead",
                )


def _list(objects: Iterable[tuple[str, str]]) -> str:
    return ", ".join(sorted({f"{kind}/{name}" for kind, name in objects}))


def _annotate_all(checksums: Iterable[ChecksumInput], run: Run) -> Changes:
    annotation, texts = run.settings.checksums.annotation, run.revisions.texts
    patches: list[tuple[Item, Patch]] = []
    problems: list[Problem] = []
    annotated: dict[Item, set[FieldPath]] = defaultdict(set)

    @cache  # an object is digested once, however many pods read it
    def entry(config: Item, keys_read: frozenset[str] | None) -> tuple[str, ...]:
        digest = (
            content_digest(config.node, keys_read, texts)
            if config.is_config
            else digest_of(config, texts)
        )
        return config.id.kind, config.id.namespace, base_name(config), digest

    for one in checksums:
        if not one.restarts:
            continue
        item = one.item
        if item not in annotated:
            # The mark tells our annotation from a chart's of the same name. On the workload it
            # restarts nothing.
            patches.append((item, {"metadata": {"annotations": {keys.CHECKSUM: annotation}}}))
        annotated[item].add(one.template.path)
        # Whatever else enters the digest, or in another order, restarts every workload of everybody
        # (decision 11).
        entries = sorted(entry(config, keys_read) for config, keys_read in one.configs.items())
        patches.append(_annotate(one, annotation, sha256(json.dumps(entries).encode()).hexdigest()))
        problems += _announce(one, annotation)
    for item in run.package.authored:
        if keys.CHECKSUM in item.annotations and not item.is_local:
            patches += _remove(item, annotated.get(item, set()))
    return Changes(patches=tuple(patches), problems=tuple(problems))


def _annotate(one: ChecksumInput, annotation: str, digest: str) -> tuple[Item, Patch]:
    former = one.item.annotations.get(keys.CHECKSUM, annotation)
    annotations: dict[str, str | None] = {annotation: digest}
    if former != annotation:  # another annotation was configured
        annotations[former] = None
    return one.item, patch_at(one.template.path, {"metadata": {"annotations": annotations}})


def _announce(one: ChecksumInput, annotation: str) -> Problems:
    """Say what restarts the pods, the same on every run over the same references."""
    field = step(f"{one.template.field}.metadata.annotations", annotation)
    read = ", ".join(
        sorted(_name(config, keys_read, one.item) for config, keys_read in one.configs.items())
    )
    yield about(one.item, f"pods restart when {read} changes", field, Severity.INFO)
    is_first_run = keys.CHECKSUM not in one.item.annotations
    if is_first_run and get(one.template.node, "metadata", "annotations", annotation):
        yield about(one.item, "the checksum that was here is replaced", field, Severity.INFO)


def _name(config: Item, keys_read: frozenset[str] | None, reader: Item) -> str:
    """Name an object by its base name, with its namespace if that differs, and with the keys unless all are read."""
    namespace = "" if config.id.namespace == reader.id.namespace else config.id.namespace
    name = str(config.id._replace(name=base_name(config), namespace=namespace))
    return name if keys_read is None else f"{name} ({', '.join(sorted(keys_read))})"


def _remove(item: Item, annotated: set[FieldPath]) -> Iterator[tuple[Item, Patch]]:
    former = item.annotations[keys.CHECKSUM]
    for template in find_templates(item.node):
        if (
            template.path not in annotated
            and get(template.node, "metadata", "annotations", former) is not None
        ):
            yield item, patch_at(template.path, _without(template.node, former))
    if not annotated:
        yield item, _without(item.node, keys.CHECKSUM)


def _without(node: Node, annotation: str) -> Patch:
    """Remove an annotation, and the mappings around it that would be empty."""
    metadata = fields(get(node, "metadata"))
    if len(fields(metadata["annotations"])) > 1:
        return {"metadata": {"annotations": {annotation: None}}}
    return {"metadata": {"annotations": None} if len(metadata) > 1 else None}
