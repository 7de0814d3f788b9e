"""Give pod templates a checksum of what their pods read, so that a change of content rolls them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.changes import Patch, patch_at
from krm_fn.model.item import Item, about
from krm_fn.model.node import FieldPath, Mapping, fields, get, step
from krm_fn.model.pods import find_templates
from krm_fn.model.problem import Problem, Severity
from krm_fn.naming.content_digest import content_digest
from krm_fn.naming.names import base_name
from krm_fn.references.resolve import Link
from krm_fn.stages.choose import FIXED_NAMES, Choice
from krm_fn.stages.readings import Reading, Readings, is_read, read_by
from krm_fn.stages.wave_reloader import Catalogue, Named, OptIn, is_clear, is_literal


class Checksums(NamedTuple):
    """Marks on workloads and annotations of their templates, and what there is to say about these."""

    patches: list[tuple[Item, Patch]]
    problems: list[Problem]


def checksum(items: Iterable[Item], readings: Iterable[Reading], annotation: str) -> Checksums:
    """Set the annotation where pods read something, and take back what an earlier run set where they no longer do.

    The mark tells ours from an annotation of the same name that a chart has made.
    """
    digests = _Digests()
    sums = Checksums([], [])
    marked: dict[int, set[FieldPath]] = defaultdict(set)
    for reading in readings:
        item = reading.item
        if id(item.node) not in marked:
            sums.patches.append((item, {"metadata": {"annotations": {keys.CHECKSUM: annotation}}}))
        marked[id(item.node)].add(reading.template.path)
        sums.patches.append(_annotate(reading, annotation, digests.of(reading)))
        sums.problems.extend(_say(reading, annotation))
    for item in items:
        if keys.CHECKSUM in item.annotations and not item.is_local:
            _take_back(item, marked.get(id(item.node), set()), sums)
    return sums


class _Digests:
    """Of readings; that of an object is made once, however many pods read it."""

    def __init__(self) -> None:
        self._entries: dict[tuple[int, frozenset[str] | None], tuple[str, ...]] = {}

    def of(self, reading: Reading) -> str:
        entries = sorted(self._entry(config, read) for config, read in reading.configs.values())
        return sha256(json.dumps(entries).encode()).hexdigest()

    def _entry(self, config: Item, read: frozenset[str] | None) -> tuple[str, ...]:
        key = (id(config.node), read)
        if key not in self._entries:
            kind, namespace = config.id.kind, config.id.namespace
            self._entries[key] = (kind, namespace, base_name(config), content_digest(config.node, read))
        return self._entries[key]


def _annotate(reading: Reading, annotation: str, digest: str) -> tuple[Item, Patch]:
    former = reading.item.annotations.get(keys.CHECKSUM, annotation)
    annotations: Patch = {annotation: digest, **({} if former == annotation else {former: None})}
    return reading.item, patch_at(reading.template.path, {"metadata": {"annotations": annotations}})


def _say(reading: Reading, annotation: str) -> Iterator[Problem]:
    """What the pods roll with, the same on every run over the same references; and what gives way on the first."""
    field = step(f"{reading.template.field}.metadata.annotations", annotation)
    read = ", ".join(sorted(_name(config, read, reading.item) for config, read in reading.configs.values()))
    yield about(reading.item, f"pods roll with {read}", field, Severity.INFO)
    if (
        get(reading.template.node, "metadata", "annotations", annotation)
        and keys.CHECKSUM not in reading.item.annotations
    ):
        yield about(reading.item, "the checksum that was there gives way to ours", field, Severity.INFO)


def _name(config: Item, read: frozenset[str] | None, reader: Item) -> str:
    """By the base name, without the namespace that both are in, and with the keys where not all are read."""
    namespace = "" if config.id.namespace == reader.id.namespace else config.id.namespace
    name = str(config.id._replace(name=base_name(config), namespace=namespace))
    return name if read is None else f"{name} ({', '.join(sorted(read))})"


def _take_back(item: Item, marked: set[FieldPath], sums: Checksums) -> None:
    former = item.annotations[keys.CHECKSUM]
    for template in find_templates(item.node):
        if template.path not in marked and get(template.node, "metadata", "annotations", former) is not None:
            sums.patches.append((item, patch_at(template.path, _without(template.node, former))))
    if not marked:
        sums.patches.append((item, _without(item.node, keys.CHECKSUM)))


def _without(node: Mapping, annotation: str) -> Patch:
    """Take an annotation away, and what would be left empty around it."""
    metadata = fields(get(node, "metadata"))
    if len(fields(metadata["annotations"])) > 1:
        return {"metadata": {"annotations": {annotation: None}}}
    return {"metadata": {"annotations": None} if len(metadata) > 1 else None}


def roll(
    items: list[Item], links: list[Link], choices: list[Choice], opt_ins: list[OptIn], annotation: str
) -> Checksums:
    """`choices` are those about objects whose content is the package's to say."""
    catalogue = Catalogue(choice.item for choice in choices)
    readings = read_by(links, {id(choice.item.node): choice.strategy for choice in choices}, opt_ins, catalogue)
    checksums = checksum(items, readings.rolled, annotation)
    notices = notice_unrolled(readings, links, opt_ins, catalogue)
    return checksums._replace(problems=[*checksums.problems, *notices])


def notice_unrolled(
    readings: Readings, links: Iterable[Link], opt_ins: list[OptIn], catalogue: Catalogue
) -> Iterator[Problem]:
    """A warning for each of them, with all that it reads."""
    for reading in readings.frozen:
        read = _list((config.id.kind, config.id.name) for config, _ in reading.configs.values())
        yield _warn(reading.item, f"reads {read}, and a Job cannot change: it runs again as a hook, or when replaced")
    untemplated: dict[int, list[Link]] = defaultdict(list)
    for link in readings.untemplated:
        untemplated[id(link.referrer.node)].append(link)
    for several in untemplated.values():
        read = _list((link.reference.kind, link.reference.target) for link in several)
        yield _warn(
            several[0].referrer, f"reads {read}, and has no pod template for a checksum: nothing rolls its pods"
        )
    if opt_ins:
        yield from _notice_outside(links, opt_ins, catalogue)
        yield from _notice_unclear(opt_ins)


def _notice_outside(links: Iterable[Link], opt_ins: list[OptIn], catalogue: Catalogue) -> Iterator[Problem]:
    """What a controller in the cluster sees, and a function that sees the package alone cannot."""
    missing: dict[int, set[tuple[str, str]]] = defaultdict(set)
    for link in links:
        if is_read(link.reference) and not any(catalogue.holds(target) for target in link.targets):
            missing[id(link.referrer.node)].add((link.reference.kind, link.reference.target))
    for opt_in in opt_ins:
        outside = {(kind, name) for kind, name in missing[id(opt_in.item.node)] if kind in opt_in.all_of}
        outside |= {_short(named, opt_in) for named in opt_in.named if is_literal(named) and not catalogue.find(named)}
        outside = {(kind, name) for kind, name in outside - opt_in.excluded if name not in FIXED_NAMES}
        if outside:
            message = (
                f"reads {_list(outside)}, which the package has no say in: only {opt_in.controller} rolls it for that"
            )
            yield _warn(opt_in.item, message)


def _short(named: Named, opt_in: OptIn) -> tuple[str, str]:
    elsewhere = named.namespace != opt_in.item.id.namespace
    return named.kind, f"{named.namespace}/{named.name}" if elsewhere else named.name


def _notice_unclear(opt_ins: list[OptIn]) -> Iterator[Problem]:
    for opt_in in opt_ins:
        for named in opt_in.named:
            if not is_literal(named) and not is_clear(named):
                message = f"the pattern {named.name!r} is not followed; write out the names that it stands for"
                yield _warn(opt_in.item, message)


def _list(objects: Iterable[tuple[str, str]]) -> str:
    return ", ".join(sorted({f"{kind}/{name}" for kind, name in objects}))


def _warn(item: Item, message: str) -> Problem:
    return about(item, message, severity=Severity.WARNING)
