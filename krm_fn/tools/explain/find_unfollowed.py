"""Names of ConfigMaps and Secrets in fields and texts that no rule reads, and about which no warning says anything.

Only names that mean nothing else are looked for: a word such as `web`, or a name that another object has too, is all
over a package. Values of Secrets are never looked at.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from krm_fn.base.item import CONFIG_KINDS, Item
from krm_fn.base.keys import LOCAL_CONFIG
from krm_fn.base.kind import BUILT_IN_GROUPS, ROLES, TOOL_GROUPS, may_refer
from krm_fn.base.node import FieldPath, text
from krm_fn.base.pods import template_around
from krm_fn.base.reference import is_of_core
from krm_fn.core.decide.decide import Run, find_older, why_passed_over
from krm_fn.core.names.names import authored_id, names_of
from krm_fn.core.references.hits import Hit, Known
from krm_fn.core.references.names_in_texts import is_about_itself
from krm_fn.core.references.resolve import Index
from krm_fn.core.references.sighting import TEXT
from krm_fn.facts.annotations import RESTART_REQUESTS
from krm_fn.facts.exclusions import FREE_KEYS, NOT_NAMES, PASSED_OVER
from krm_fn.lint.lint import find_misspelled
from krm_fn.tools.explain.explanation import (
    LOOKALIKE,
    MISSPELLED,
    OLDER,
    Unfollowed,
)
from krm_fn.tools.explain.places import Places

_WORDS_OF_PROGRAMS = re.compile(
    r"\.(?P<what>command|args)\[\d+\]$|\.env\[\d+\]\.(?P<variable>value)$"
)
_OPT_INS = frozenset(annotation for *_, annotation in RESTART_REQUESTS)
"""Annotations that restart controllers read on workloads and pod templates."""

_IN_NAMESPACE = re.compile("[a-z0-9-]+/")


class Mention(NamedTuple):
    """A text that says a name of `target` at `start`. `why`: why that is no reference."""

    target: Item
    hit: Hit
    start: int
    why: str


def find_mentions(known: Known, targets: Iterable[Item]) -> Iterator[Mention]:
    """Find where the names of these objects are mentioned, in the order of the text."""
    telling = {*filter(_is_telling, chain.from_iterable(map(names_of, targets)))}
    # A word such as `web`, or a name that another object has too, is all over a package.
    telling -= {item.id.name for item in known.items if not item.is_config}
    wanted = {*targets}
    for hit in chain.from_iterable(known.hits.values()):
        for name in hit.names.keys() & telling if _is_searched(hit.item) else ():
            why = _why_unread(hit, name)
            for target in _find_meant(hit, name, known.index) if why else ():
                if target in wanted and target is not hit.item:
                    yield Mention(target, hit, hit.names[name], why)


def _is_telling(name: str) -> bool:
    return not name.isalnum()


def _is_searched(item: Item) -> bool:
    is_object = bool(item.id.api_version and item.id.kind)
    is_secret = item.id.kind == CONFIG_KINDS[1] and item.is_config
    return is_object and not is_secret and item.id.group not in TOOL_GROUPS


def _find_meant(hit: Hit, name: str, index: Index) -> Iterator[Item]:
    """Find the objects of a name in the namespaces that a text may mean."""
    here = "" if index.kinds.is_cluster_scoped(hit.item.id) else index.namespace_of(hit.item)
    beside = text(hit.around.get("namespace"))
    for kind in CONFIG_KINDS:
        for namespace in {here, beside or here}:
            yield from index.find_anywhere_near(kind, name, namespace)


def _why_unread(hit: Hit, name: str) -> str:
    """Say why a text that contains a name is no reference; `""` if it probably means something else."""
    item = hit.item
    if "annotations" in hit.path[:-1]:
        return _why_annotation_is_unread(str(hit.path[-1]))
    if item.is_local:
        return f"the object is for tools, and never applied ({LOCAL_CONFIG})"
    if item.is_config:
        return "no field in this text references it by its shape"
    return _why_field_is_unread(hit, name) if may_refer(item.id) else ""


def _why_field_is_unread(hit: Hit, name: str) -> str:
    item, field = hit.item, hit.field
    program = _WORDS_OF_PROGRAMS.search(field)
    if program:
        what = "a variable" if program["variable"] else program["what"]
        return f"{what}: the function changes no text that a program gets"
    if item.id.kind in ROLES and "resourceNames" in hit.path:
        return "the rule is about other resources"
    if item.id.group in BUILT_IN_GROUPS or template_around(item.node, field) is not None:
        return ""  # the tables know every field of these
    return _why_custom_field_is_unread(hit, name)


def _why_annotation_is_unread(name: str) -> str:
    is_known = name in _OPT_INS or is_about_itself(name)
    return "" if is_known else "no rule reads this annotation"


def _why_custom_field_is_unread(hit: Hit, name: str) -> str:
    kind = text(hit.around.get("kind"))
    if not _may_name(hit.path) or (kind and kind not in CONFIG_KINDS):
        return ""
    if kind and not is_of_core(hit.around):
        return f"the {kind} beside it is of another group"
    before = hit.text.removesuffix(name)
    if before != hit.text and (not before or _IN_NAMESPACE.fullmatch(before)):
        return "no rule reads this field"
    return "the function changes no text that just contains a name"


def _may_name(path: FieldPath) -> bool:
    """Tell whether a field of a custom resource may name an object, as far as its path says."""
    return {*path}.isdisjoint(PASSED_OVER | FREE_KEYS) and path[-1] not in NOT_NAMES


def find_not_followed(
    found: Run, targets: Collection[Item], places: Places
) -> dict[Item, list[Unfollowed]]:
    """Return what was not followed to each of these objects: first what is nearly a reference, then mere text."""
    finder = _Finder(found, targets, places)
    by_target: dict[Item, dict[tuple[object, ...], Unfollowed]] = {target: {} for target in targets}
    for target, one in finder.find():
        if target in by_target:
            # The first rule that judges a field decides.
            by_target[target].setdefault((one.who, one.place, one.field), one)
    return {target: list(found.values()) for target, found in by_target.items()}


class _Finder:
    def __init__(self, found: Run, targets: Collection[Item], places: Places) -> None:
        self._found = found
        self._targets = targets
        self._places = places
        # What a rule has judged is no text that just contains a name: a whole field, or a name in
        # it.
        self._judged: set[tuple[Item, str, Item | None]] = set()

    def find(self) -> Iterator[tuple[Item, Unfollowed]]:
        references = self._found.references
        self._judged |= {(one.referrer, one.reference.field, None) for one in references}
        for embedded in references.embedded:
            self._judged |= {(embedded.item, embedded.field, target) for target in embedded.targets}
        yield from self._find_passed_over()
        yield from self._find_older()
        yield from self._find_misspelled()
        yield from self._find_lookalikes()
        yield from self._find_sightings()
        yield from self._find_mentions()

    def _say(
        self, target: Item, item: Item, field: str, reason: str, text: str
    ) -> tuple[Item, Unfollowed]:
        self._judged.add((item, field, target))
        return target, Unfollowed(
            authored_id(item), self._places.of(item, field), field, reason, text
        )

    def _find_passed_over(self) -> Iterator[tuple[Item, Unfollowed]]:
        """Yield references that say a name of an object and mean no other that has the name as well."""
        references = self._found.references
        for resolved in references.authored:
            one = resolved.reference
            for target, reason in references.index.find_passed_over(resolved):
                text = f"the {one.kind} {why_passed_over(resolved, target, reason)}"
                yield self._say(target, resolved.referrer, one.field, reason.value, text)

    def _find_older(self) -> Iterator[tuple[Item, Unfollowed]]:
        for resolved, revision in find_older(self._found.references, self._found.revisions):
            text = f"{resolved.reference.target!r} is another revision, and stays"
            yield self._say(revision.item, resolved.referrer, resolved.reference.field, OLDER, text)

    def _find_misspelled(self) -> Iterator[tuple[Item, Unfollowed]]:
        package = self._found.package
        named = defaultdict(list)
        for item, name in self._found.references.index.named:
            named[item.id.kind, package.namespace_of(item), name].append(item)
        for one in find_misspelled(self._found):
            for target in named[one.kind, one.namespace, one.name]:
                referrer, field = one.resolved.referrer, one.resolved.reference.field
                yield self._say(target, referrer, field, MISSPELLED, one.message)

    def _find_lookalikes(self) -> Iterator[tuple[Item, Unfollowed]]:
        references = self._found.references
        for referrer, (reference, row) in references.lookalikes:
            for target in references.index.resolve(referrer, reference).targets:
                yield self._say(target, referrer, reference.field, LOOKALIKE, row.reason)

    def _find_sightings(self) -> Iterator[tuple[Item, Unfollowed]]:
        for one in self._found.mentions.sightings:
            item, field = one.item, one.field
            if self._is_new(item, field, one.target):
                self._judged.add((item, field, one.target))
                place = self._places.of(item, field)
                if one.scalar is not None:
                    place = self._places.of_text(item, field, one.scalar, one.line)
                why = one.way.explained(one)
                yield one.target, Unfollowed(authored_id(item), place, field, one.way.code, why)

    def _find_mentions(self) -> Iterator[tuple[Item, Unfollowed]]:
        for one in find_mentions(self._found.mentions.known, self._targets):
            item, field = one.hit.item, one.hit.field
            if self._is_new(item, field, one.target):
                line = one.hit.text.count("\n", 0, one.start)
                place = self._places.of_text(item, field, one.hit.scalar, line)
                yield one.target, Unfollowed(authored_id(item), place, field, TEXT.code, one.why)

    def _is_new(self, item: Item, field: str, target: Item) -> bool:
        return self._judged.isdisjoint({(item, field, None), (item, field, target)})
