"""How workloads ask Wave and Reloader to be restarted when configuration changes.

Sources: Wave's README and the annotations its code reads; Reloader's README and annotation reference, and its function
`ShouldReload` where these do not say which list wins, where an annotation may be, and what counts as true.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.kinds import cannot_change, kind_of
from krm_fn.model.node import FieldPath, get, texts
from krm_fn.model.pods import PodTemplate, template_around, template_at
from krm_fn.model.settings import CONTROLLERS, Strategy
from krm_fn.naming.names import base_name
from krm_fn.references.reference import Reference, ResolvedReference
from krm_fn.references.references import References

# Wave: the opt-in is on the workload itself. It counts everything that its pods read, and what the lists name.
WAVE_ON = ("wave.pusher.com/update-on-config-change", "true")
WAVE_EXTRA = {"ConfigMap": "wave.pusher.com/extra-configmaps", "Secret": "wave.pusher.com/extra-secrets"}
"""Comma lists of `name` or `namespace/name`."""

# Reloader: the opt-in is on the workload or, if that has none, on its pod template.
RELOADER_AUTO = "reloader.stakater.com/auto"
"""Everything that its pods read."""

RELOADER_SEARCH = "reloader.stakater.com/search"
"""Only those objects that its pods read and that have the next annotation."""

RELOADER_MATCH = ("reloader.stakater.com/match", "true")
RELOADER_IGNORE = ("reloader.stakater.com/ignore", "true")
"""On ConfigMaps and Secrets. Ignored ones restart nothing."""

GO_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
"""The texts that Go's `strconv.ParseBool` reads as true."""


class OfKind(NamedTuple):
    """Reloader's annotations about ConfigMaps, or about Secrets.

    `auto` is about all of this kind; `named` a comma list of anchored regular expressions, whether pods read the
    objects or not; `excluded` a comma list of names, on the workload alone, which wins over all others.
    """

    auto: str
    named: str
    excluded: str


RELOADER = {
    "ConfigMap": OfKind(
        "configmap.reloader.stakater.com/auto",
        "configmap.reloader.stakater.com/reload",
        "configmaps.exclude.reloader.stakater.com/reload",
    ),
    "Secret": OfKind(
        "secret.reloader.stakater.com/auto",
        "secret.reloader.stakater.com/reload",
        "secrets.exclude.reloader.stakater.com/reload",
    ),
}


_RELOADER_KEYS = frozenset({RELOADER_AUTO, RELOADER_SEARCH, *(key for keys in RELOADER.values() for key in keys)})


OPT_INS = frozenset({WAVE_ON[0], *WAVE_EXTRA.values(), *_RELOADER_KEYS, *(one.excluded for one in RELOADER.values())})
"""All annotations of workloads and pod templates that these controllers read."""


class Named(NamedTuple):
    """Objects that count whether pods read them or not. `pattern`: the name is a regular expression."""

    kind: str
    namespace: str
    name: str
    pattern: bool


class OptIn(NamedTuple):
    """What one workload, `item`, asks of one controller; `template` is the path of its pod template.

    Of what its pods read, all objects of the kinds `all_of` count, and of the kinds `marked` those annotated for it.
    """

    item: Item
    controller: str
    template: str
    all_of: frozenset[str]
    marked: frozenset[str]
    named: tuple[Named, ...]
    excluded: frozenset[tuple[str, str]]

    def counts(self, config: Item) -> bool:
        """Tell whether a change of an object that the pods read restarts them."""
        if not self.allows(config):
            return False
        kind, (match, yes) = config.id.kind, RELOADER_MATCH
        return kind in self.all_of or (kind in self.marked and config.annotations.get(match) == yes)

    def allows(self, config: Item) -> bool:
        """Tell whether neither the workload nor the object excludes it."""
        ignore, yes = RELOADER_IGNORE
        ignored = self.controller == CONTROLLERS["reloader"] and config.annotations.get(ignore) == yes
        if ignored or not self.excluded:
            return not ignored
        return self.excluded.isdisjoint((config.id.kind, name) for name in (config.id.name, base_name(config)))


def read_opt_ins(items: Iterable[Item], controllers: Iterable[str]) -> list[OptIn]:
    """Read one opt-in for each controller and each workload that it would restart for anything."""
    asked = list(controllers)
    found = []
    for item in items:
        kind = kind_of(item)
        if kind is not None and not item.is_local:
            found += [_READERS[name](item, kind.template) for name in asked if name in kind.rolled_by]
    return [opt_in for opt_in in found if opt_in is not None]


def _read_wave(item: Item, template: str) -> OptIn | None:
    annotation, yes = WAVE_ON
    if item.annotations.get(annotation) != yes:
        return None
    named = []
    for kind, extra in WAVE_EXTRA.items():
        for entry in _split(item.annotations.get(extra, "")):
            namespace, _, name = entry.rpartition("/")
            named.append(Named(kind, namespace or item.id.namespace, name, pattern=False))
    return OptIn(item, CONTROLLERS["wave"], template, frozenset(WAVE_EXTRA), frozenset(), tuple(named), frozenset())


def _read_reloader(item: Item, template: str) -> OptIn | None:
    on_pods = texts(get(item.node, *template.split("."), "metadata", "annotations"))
    if _RELOADER_KEYS.isdisjoint(item.annotations) and _RELOADER_KEYS.isdisjoint(on_pods):
        return None
    all_of, marked, named = set(), set(), []
    for kind, keys in RELOADER.items():
        said = item.annotations
        if said.keys().isdisjoint((RELOADER_AUTO, RELOADER_SEARCH, keys.auto, keys.named)):
            said = on_pods
        named += [Named(kind, item.id.namespace, name, pattern=True) for name in _split(said.get(keys.named, ""))]
        if said.get(RELOADER_SEARCH) == "true":
            marked.add(kind)
        if not GO_TRUE.isdisjoint((said.get(RELOADER_AUTO), said.get(keys.auto))):
            all_of.add(kind)
    if not all_of and not marked and not named:
        return None
    excluded = frozenset(_excluded(item))
    return OptIn(item, CONTROLLERS["reloader"], template, frozenset(all_of), frozenset(marked), tuple(named), excluded)


_READERS: dict[str, Callable[[Item, str], OptIn | None]] = {"wave": _read_wave, "reloader": _read_reloader}


def _excluded(item: Item) -> Iterator[tuple[str, str]]:
    for kind, keys in RELOADER.items():
        yield from ((kind, name) for name in _split(item.annotations.get(keys.excluded, "")))


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


_LITERAL = re.compile(r"[a-z0-9-]*")

# The patterns that mean the same to Go and to Python, and that Python matches fast. Go's engine is always linear.
_ALIKE = re.compile(r"(?!.*\(\?)(?!.*\[\[)(?!.*\)[*+{])(?:[^\\]|\\[dwsDWS.^$*+?{}\[\]()|-])*")
_BRANCHES = re.compile(r"[*+?{|]")
_MOST_BRANCHES = 3


class Catalogue:
    """Objects by kind, namespace and name, indexed at the first question: for most packages there is none."""

    def __init__(self, configs: Iterable[Item]) -> None:
        self._configs = list(configs)

    def contains(self, config: Item) -> bool:
        return config in self._all

    def find_all(self, several: Iterable[Named]) -> list[Item]:
        return [item for named in several for item in self.find(named)]

    def find(self, named: Named) -> list[Item]:
        """Find what an annotation names; nothing where its pattern is not clear."""
        names = self._by_name.get((named.kind, named.namespace), {})
        if is_literal(named):
            return names.get(named.name, [])
        if not is_clear(named):
            return []
        # As Reloader anchors it: `a|b` is anchored at one end each.
        matches = re.compile(f"^{named.name}$").search
        return [item for name, items in names.items() if matches(name) for item in items]

    @cached_property
    def _all(self) -> frozenset[Item]:
        return frozenset(self._configs)

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], dict[str, list[Item]]]:
        index: dict[tuple[str, str], dict[str, list[Item]]] = defaultdict(lambda: defaultdict(list))
        for item in self._configs:
            for name in {item.id.name, base_name(item)}:
                index[item.id.kind, item.id.namespace][name].append(item)
        return index


def is_literal(named: Named) -> bool:
    return not named.pattern or bool(_LITERAL.fullmatch(named.name))


@lru_cache(maxsize=256)
def is_clear(named: Named) -> bool:
    """Tell whether a pattern means the same to Python as to Go, and is cheap to match."""
    if not _ALIKE.fullmatch(named.name) or len(_BRANCHES.findall(named.name)) > _MOST_BRANCHES:
        return False
    try:
        re.compile(named.name)
    except re.error:
        return False
    return True


_PULLED = ".imagePullSecrets["
"""The kubelet reads these again at each pull."""


class ChecksumInput:
    """A pod template, and which keys of each object count; None for all of them.

    `asked_by`: the controllers whose annotations say that an object counts, where its strategy does not.
    """

    def __init__(self, item: Item, template: PodTemplate) -> None:
        self.item = item
        self.template = template
        self.configs: dict[Item, frozenset[str] | None] = {}
        self.asked_by: dict[Item, str] = {}

    def add(self, config: Item, keys: frozenset[str] | None, opt_in: "OptIn | None" = None) -> None:
        """Count these keys as well."""
        keys = keys if config.is_config else None  # the spec of a producer does not say which part makes which key
        before = self.configs.get(config, frozenset())
        self.configs[config] = None if keys is None or before is None else before | keys
        if opt_in is not None:
            self.asked_by.setdefault(config, opt_in.controller)


class Readings:
    """All of a package, and the references of objects that read but have no pod template."""

    def __init__(self) -> None:
        self._templates: dict[tuple[Item, FieldPath], ChecksumInput] = {}
        self.untemplated: list[ResolvedReference] = []

    def of(self, item: Item, template: PodTemplate) -> ChecksumInput:
        """Return the reading of a pod template."""
        return self._templates.setdefault((item, template.path), ChecksumInput(item, template))

    @property
    def restarted(self) -> list[ChecksumInput]:
        """Those whose template may change."""
        return [reading for reading in self._templates.values() if not cannot_change(reading.item)]

    @property
    def immutable(self) -> list[ChecksumInput]:
        """Those whose template cannot change."""
        return [reading for reading in self._templates.values() if cannot_change(reading.item)]


def find_readings(
    references: References, strategies: Mapping[Item, Strategy], opt_ins: list["OptIn"], catalogue: "Catalogue"
) -> Readings:
    """Find what pods read with strategy `checksum`, and what workloads opted in for.

    An opt-in does not count where a reference of the workload follows the name of a revision: then the name restarts
    its pods. `strategies` are those of the objects whose content the package decides.
    """
    readings = Readings()
    _add_references(readings, references, strategies, opt_ins)
    renamed = {item for item, strategy in strategies.items() if strategy is Strategy.RENAME} if opt_ins else set()
    followed = set()
    for referrer, reference, targets in references if renamed else ():
        if is_read(reference):
            followed |= {(referrer, config) for config in targets if config in renamed}
    for opt_in in opt_ins:
        for config in catalogue.find_all(opt_in.named):
            if (opt_in.item, config) not in followed:
                _add_named(readings, opt_in, config)
    return readings


def is_read(reference: Reference) -> bool:
    """Tell whether containers, or what sets them up, see the content."""
    return reference.in_pod and not reference.written and _PULLED not in reference.field


def _add_references(
    readings: Readings, references: References, strategies: Mapping[Item, Strategy], opt_ins: Iterable["OptIn"]
) -> None:
    by_workload: dict[Item, list[OptIn]] = defaultdict(list)
    for opt_in in opt_ins:
        by_workload[opt_in.item].append(opt_in)
    for resolved in references:
        if not is_read(resolved.reference):
            continue
        asking = by_workload.get(resolved.referrer, ())
        for config in resolved.targets:
            strategy = strategies.get(config, Strategy.RENAME)  # others decide the content: it does not count
            if strategy is Strategy.CHECKSUM:
                _add_reference(readings, resolved, config)
            elif strategy is not Strategy.RENAME:
                counting = next((one for one in asking if one.counts(config)), None)
                if counting is not None:
                    _add_reference(readings, resolved, config, counting)


def _add_reference(
    readings: Readings, resolved: ResolvedReference, config: Item, opt_in: "OptIn | None" = None
) -> None:
    template = template_around(resolved.referrer.node, resolved.reference.field)
    if template is None:
        readings.untemplated.append(resolved)
    else:
        readings.of(resolved.referrer, template).add(config, resolved.reference.keys, opt_in)


def _add_named(readings: Readings, opt_in: "OptIn", config: Item) -> None:
    template = template_at(opt_in.item.node, opt_in.template)
    if template is not None and opt_in.allows(config):
        readings.of(opt_in.item, template).add(config, None, opt_in)
