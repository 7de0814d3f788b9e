"""Checksums on pod templates, where something is to restart pods other than a new name."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from krm_fn.model import keys
from krm_fn.model.changes import Changes, Patch, patch_at
from krm_fn.model.item import Item, about
from krm_fn.model.kinds import kind_of
from krm_fn.model.node import FieldPath, Node, fields, get, step
from krm_fn.model.pods import find_templates
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Settings, Strategy
from krm_fn.naming.content_digest import content_digest
from krm_fn.naming.names import authored_id, base_name
from krm_fn.references.generated import digest_of, known_names
from krm_fn.references.reference import ResolvedReference
from krm_fn.references.references import References
from krm_fn.stages.choose import FIXED_NAMES, Choices
from krm_fn.stages.package import Package
from krm_fn.stages.restart_requests import (
    Catalogue,
    ChecksumInput,
    Named,
    OptIn,
    Readings,
    find_readings,
    is_clear,
    is_literal,
    is_read,
)

if TYPE_CHECKING:
    from krm_fn.stages.restart_requests import OptIn


CONTROLLER_DOMAINS = ("wave.pusher.com/", "reloader.stakater.com/")
"""What every annotation contains that Wave and Reloader read."""


class Checksums(NamedTuple):
    """What pods read whose change restarts them, and what is wrong with it."""

    readings: Readings
    problems: tuple[Problem, ...] = ()


def find_opt_ins(items: Collection[Item], controllers: Iterable[str]) -> list["OptIn"]:
    """Find the workloads that ask Wave or Reloader to restart them."""
    if not any(map(_may_opt_in, items)):
        return []
    from krm_fn.stages.restart_requests import read_opt_ins

    return read_opt_ins(items, controllers)


def _may_opt_in(item: Item) -> bool:
    kind = kind_of(item)
    if kind is None or not kind.rolled_by:
        return False
    on_pods = fields(get(item.node, *kind.template.split("."), "metadata", "annotations"))
    return any(domain in name for name in (*item.annotations, *on_pods) for domain in CONTROLLER_DOMAINS)


def plan_checksums(references: References, choices: Choices, opt_ins: list["OptIn"]) -> Checksums:
    """Find the pod templates that read objects of strategy `checksum`, or that opted in."""
    if not opt_ins and not any(choice.strategy is Strategy.CHECKSUM for choice in choices.all):
        return Checksums(Readings())

    return read_checksums(references, choices, opt_ins)


def set_checksums(package: Package, checksums: Checksums, texts: Mapping[Node, str], settings: Settings) -> Changes:
    """Annotate the pod templates, and remove the checksums of earlier runs that nothing asks for any more.

    `texts`: the new values of scalars in the data of ConfigMaps and Secrets.
    """
    changes = Changes(problems=checksums.problems)
    restarted = checksums.readings.restarted
    if not restarted and not any(keys.CHECKSUM in item.annotations for item in package.authored):
        return changes

    return annotate_templates(package.authored, restarted, texts, settings.checksums.annotation) + changes


def read_checksums(references: References, choices: Choices, opt_ins: list[OptIn]) -> Checksums:
    """Find the pod templates that read objects of strategy `checksum`, or that opted in."""
    # Wave and Reloader may restart pods for content that somebody else writes; a checksum made here cannot.
    own = [choice for choice in choices.all if not (opt_ins and choice.is_written_by_others)]
    # What a producer makes may change without its spec: then only a controller restarts pods.
    catalogue = Catalogue(choice.item for choice in own if choice.item.is_config)
    readings = find_readings(references, {choice.item: choice.strategy for choice in own}, opt_ins, catalogue)
    return Checksums(readings, tuple(_warn(readings, references, opt_ins, catalogue)))


def annotate_templates(
    items: Iterable[Item], readings: Iterable[ChecksumInput], texts: Mapping[Node, str], annotation: str
) -> Changes:
    """Set the annotation where pods read something, and remove what an earlier run set where they no longer do.

    The mark on the workload tells our annotation from one of the same name that a chart has made.
    """
    digests = _Digests(texts)
    patches: list[tuple[Item, Patch]] = []
    problems: list[Problem] = []
    annotated: dict[Item, set[FieldPath]] = defaultdict(set)
    for reading in readings:
        item = reading.item
        if item not in annotated:
            patches.append((item, {"metadata": {"annotations": {keys.CHECKSUM: annotation}}}))
        annotated[item].add(reading.template.path)
        patches.append(_annotate(reading, annotation, digests.of(reading)))
        problems += _announce(reading, annotation)
    for item in items:
        if keys.CHECKSUM in item.annotations and not item.is_local:
            patches += _remove(item, annotated.get(item, set()))
    return Changes(patches=tuple(patches), problems=tuple(problems))


class _Digests:
    """The digests of readings. An object is digested once, however many pods read it."""

    def __init__(self, texts: Mapping[Node, str]) -> None:
        self._texts = texts
        self._entries: dict[tuple[Item, frozenset[str] | None], tuple[str, ...]] = {}

    def of(self, reading: ChecksumInput) -> str:
        entries = sorted(self._entry(config, keys_read) for config, keys_read in reading.configs.items())
        return sha256(json.dumps(entries).encode()).hexdigest()

    def _entry(self, config: Item, keys_read: frozenset[str] | None) -> tuple[str, ...]:
        key = (config, keys_read)
        if key not in self._entries:
            kind, namespace = config.id.kind, config.id.namespace
            digest = (
                content_digest(config.node, keys_read, self._texts)
                if config.is_config
                else digest_of(config, self._texts)
            )
            self._entries[key] = (kind, namespace, base_name(config), digest)
        return self._entries[key]


def _annotate(reading: ChecksumInput, annotation: str, digest: str) -> tuple[Item, Patch]:
    former = reading.item.annotations.get(keys.CHECKSUM, annotation)
    annotations: Patch = {annotation: digest, **({} if former == annotation else {former: None})}
    return reading.item, patch_at(reading.template.path, {"metadata": {"annotations": annotations}})


def _announce(reading: ChecksumInput, annotation: str) -> Iterator[Problem]:
    """Say what restarts the pods, the same on every run over the same references."""
    field = step(f"{reading.template.field}.metadata.annotations", annotation)
    read = ", ".join(sorted(_name(config, keys_read, reading.item) for config, keys_read in reading.configs.items()))
    yield about(reading.item, f"pods restart when {read} changes", field, Severity.INFO)
    is_first_run = keys.CHECKSUM not in reading.item.annotations
    if is_first_run and get(reading.template.node, "metadata", "annotations", annotation):
        yield about(reading.item, "the checksum that was here is replaced", field, Severity.INFO)


def _name(config: Item, keys_read: frozenset[str] | None, reader: Item) -> str:
    """Name an object by its base name, with its namespace if that differs, and with the keys unless all are read."""
    namespace = "" if config.id.namespace == reader.id.namespace else config.id.namespace
    name = str(config.id._replace(name=base_name(config), namespace=namespace))
    return name if keys_read is None else f"{name} ({', '.join(sorted(keys_read))})"


def _remove(item: Item, annotated: set[FieldPath]) -> Iterator[tuple[Item, Patch]]:
    former = item.annotations[keys.CHECKSUM]
    for template in find_templates(item.node):
        if template.path not in annotated and get(template.node, "metadata", "annotations", former) is not None:
            yield item, patch_at(template.path, _without(template.node, former))
    if not annotated:
        yield item, _without(item.node, keys.CHECKSUM)


def _without(node: Node, annotation: str) -> Patch:
    """Remove an annotation, and the mappings around it that would be empty."""
    metadata = fields(get(node, "metadata"))
    if len(fields(metadata["annotations"])) > 1:
        return {"metadata": {"annotations": {annotation: None}}}
    return {"metadata": {"annotations": None} if len(metadata) > 1 else None}


def _warn(readings: Readings, references: References, opt_ins: list[OptIn], catalogue: Catalogue) -> Iterator[Problem]:
    """Warn about workloads that a change of content does not restart, though that is configured."""
    for reading in readings.immutable:
        read = _list((config.id.kind, config.id.name) for config in reading.configs)
        yield _warning(reading.item, f"reads {read}; a Job cannot change, so make it a hook or let it be replaced")
    untemplated: dict[Item, list[ResolvedReference]] = defaultdict(list)
    for resolved in readings.untemplated:
        untemplated[resolved.referrer].append(resolved)
    for item, several in untemplated.items():
        read = _list((resolved.reference.kind, resolved.reference.target) for resolved in several)
        yield _warning(item, f"reads {read}, but has no pod template for a checksum: nothing restarts its pods")
    if opt_ins:
        yield from _warn_about_missing(references, opt_ins, catalogue)
        yield from _warn_about_patterns(opt_ins)


def _warn_about_missing(references: References, opt_ins: list[OptIn], catalogue: Catalogue) -> Iterator[Problem]:
    """Warn about objects that Wave or Reloader sees in the cluster, but this function does not see in the package."""
    missing: dict[Item, set[tuple[str, str]]] = defaultdict(set)
    made: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for referrer, reference, targets in references:
        if is_read(reference) and not any(catalogue.contains(target) for target in targets):
            missing[referrer].add((reference.kind, reference.target))
        if reference.written:
            for one in {(reference.kind, reference.target), *known_names(referrer)}:
                made[one].append(referrer)
    for opt_in in opt_ins:
        outside = {(kind, name) for kind, name in missing[opt_in.item] if kind in opt_in.all_of}
        outside |= {_short(named, opt_in) for named in opt_in.named if is_literal(named) and not catalogue.find(named)}
        outside = {(kind, name) for kind, name in outside - opt_in.excluded if name not in FIXED_NAMES}
        producers = {one: producer for one in outside for producer in made[one] if _is_near(producer, opt_in.item)}
        if elsewhere := outside - producers.keys():
            message = (
                f"reads {_list(elsewhere)}, not in this package or not managed by it; "
                f"only {opt_in.controller} will restart pods when it changes"
            )
            yield _warning(opt_in.item, message)
        for producer in dict.fromkeys(producers[one] for one in sorted(producers)):
            read = _list(one for one, its in producers.items() if its is producer)
            message = (
                f"reads {read}, which {authored_id(producer)} makes in the cluster; "
                f"only {opt_in.controller} will restart pods when it changes"
            )
            yield _warning(opt_in.item, message)


def _is_near(producer: Item, reader: Item) -> bool:
    """Tell whether a producer may make something in the namespace of a reader. It may have no namespace."""
    return producer.id.namespace in ("", reader.id.namespace)


def _short(named: Named, opt_in: OptIn) -> tuple[str, str]:
    elsewhere = named.namespace != opt_in.item.id.namespace
    return named.kind, f"{named.namespace}/{named.name}" if elsewhere else named.name


def _warn_about_patterns(opt_ins: list[OptIn]) -> Iterator[Problem]:
    for opt_in in opt_ins:
        for named in opt_in.named:
            if not is_literal(named) and not is_clear(named):
                yield _warning(opt_in.item, f"the pattern {named.name!r} is not supported here; list the names instead")


def _list(objects: Iterable[tuple[str, str]]) -> str:
    return ", ".join(sorted({f"{kind}/{name}" for kind, name in objects}))


def _warning(item: Item, message: str) -> Problem:
    return about(item, message, severity=Severity.WARNING)
