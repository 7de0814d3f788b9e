"""Names of ConfigMaps and Secrets in fields and texts that no rule reads, and about which no warning says anything.

Only names that mean nothing else are looked for: a word such as `web`, or a name that another object has too, is all
over a package. Values of Secrets are never looked at.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from krm_fn.base.item import CONFIG_KINDS, WORD, Item
from krm_fn.base.keys import LOCAL_CONFIG
from krm_fn.base.kind import BUILT_IN_GROUPS, ROLES, TOOL_GROUPS, may_refer
from krm_fn.base.node import FieldPath, LocatedScalar, Scalar, scalars, spell, text
from krm_fn.base.pods import template_around
from krm_fn.base.reference import is_of_core
from krm_fn.core.decide.decide import Package, Run, find_older, why_passed_over
from krm_fn.core.names.names import authored_id, base_name, names_of
from krm_fn.facts.annotations import RESTART_REQUESTS
from krm_fn.facts.exclusions import FREE_KEYS, NOT_NAMES, PASSED_OVER
from krm_fn.lint.lint import find_misspelled
from krm_fn.tools.explain.explanation import (
    FIELD,
    LOOKALIKE,
    MISSPELLED,
    OLDER,
    OPTION,
    TEXT,
    Unfollowed,
)
from krm_fn.tools.explain.places import Places

_WORDS_OF_PROGRAMS = re.compile(
    r"\.(?P<what>command|args)\[\d+\]$|\.env\[\d+\]\.(?P<variable>value)$"
)
_ANNOTATIONS_OF_TOOLS = re.compile(
    r"internal\.config\.kubernetes\.io/|config\.kubernetes\.io/(index|path)$|([\w.]+\.)?krm-fn\.io/"
    r"|kubectl\.kubernetes\.io/last-applied-configuration$|meta\.helm\.sh/|argocd\.argoproj\.io/tracking-id$"
)
"""Annotations that tools write, about the object itself."""

_OPT_INS = frozenset(annotation for *_, annotation in RESTART_REQUESTS)
"""Annotations that restart controllers read on workloads and pod templates."""

_FEW = 100
"""To look for more names in a text takes longer than to read it."""

_IN_NAMESPACE = re.compile("[a-z0-9-]+/")


class Mention(NamedTuple):
    """A scalar of `item` that says a name of `target` at `start`.

    `why`: why that is no reference.
    """

    target: Item
    item: Item
    field: str
    scalar: Scalar
    start: int
    why: str


_ByNamespace: TypeAlias = Mapping[str, list[tuple[int, Item]]]
"""Objects by their namespaces, each with its place among all of them."""


def find_mentions(package: Package, targets: Iterable[Item]) -> Iterator[Mention]:
    """Find where the names of these objects are mentioned, in the order of the text."""
    names = _telling_names(package, targets)
    if not names:
        return

    def says_none(text: str) -> bool:
        return len(names) <= _FEW and not any(name in text for name in names)

    for item in package.authored:
        if not _is_searched(item):
            continue
        for found in scalars(item.node, says_none):
            for name, start in _names_in(found.scalar.value, names):
                why = _why_unread(item, found, is_whole=_is_whole(found.scalar.value, name, start))
                if not why:
                    continue
                for target in _find_near(package, item, names[name], found):
                    if target is not item:
                        yield Mention(target, item, spell(found.path), found.scalar, start, why)


def _telling_names(package: Package, targets: Iterable[Item]) -> dict[str, _ByNamespace]:
    """Return the names that hardly mean anything else, each with its objects."""
    taken = {item.id.name for item in package.authored if not item.is_config}
    names: dict[str, _ByNamespace] = defaultdict(lambda: defaultdict(list))
    for index, target in enumerate(targets):
        for name in names_of(target):
            if name not in taken and not name.isalnum():
                names[name][target.id.namespace].append((index, target))
    return dict(names)


def _is_searched(item: Item) -> bool:
    is_object = bool(item.id.api_version and item.id.kind)
    is_secret = item.id.kind == CONFIG_KINDS[1] and item.is_config
    return is_object and not is_secret and item.id.group not in TOOL_GROUPS


def _names_in(value: str, names: Container[str]) -> Iterator[tuple[str, int]]:
    """Yield each name in a text once, and where it begins."""
    seen = set()
    for word in WORD.finditer(value):
        if word[0] in names and word[0] not in seen:
            seen.add(word[0])
            yield word[0], word.start()


def _is_whole(value: str, name: str, start: int) -> bool:
    """Tell whether a text is just the name, or `namespace/name`."""
    return value[start:] == name and (
        not start or _IN_NAMESPACE.fullmatch(value[:start]) is not None
    )


def _find_near(
    package: Package, item: Item, targets: _ByNamespace, found: LocatedScalar
) -> list[Item]:
    """Return those of the targets whose namespace the object may mean, in their order."""
    like = (
        None
        if package.kinds.is_cluster_scoped(item.id)
        else package.namespaces_like(item.id.namespace)
    )
    namespaces = targets.keys() if like is None else {*like, text(found.around.get("namespace"))}
    near: list[tuple[int, Item]] = []
    for namespace in namespaces:
        near += targets.get(namespace, ())
    return [target for _, target in sorted(near, key=itemgetter(0))]


def _why_unread(item: Item, found: LocatedScalar, *, is_whole: bool) -> str:
    """Say why a text that contains a name is no reference; `""` if it probably means something else."""
    top = found.path[0]
    if top == "metadata":
        return (
            _why_annotation_is_unread(str(found.path[-1]))
            if found.path[1:2] == ("annotations",)
            else ""
        )
    if item.is_local:
        return f"the object is for tools, and never applied ({LOCAL_CONFIG})"
    if item.is_config:
        return "no field in this text references it by its shape" if top == "data" else ""
    if not may_refer(item.id) or top == "status":
        return ""
    return _why_field_is_unread(item, found, is_whole=is_whole)


def _why_field_is_unread(item: Item, found: LocatedScalar, *, is_whole: bool) -> str:
    field = spell(found.path)
    program = _WORDS_OF_PROGRAMS.search(field)
    if program:
        what = "a variable" if program["variable"] else program["what"]
        return f"{what}: the function changes no text that a program gets"
    if "annotations" in found.path:
        return _why_annotation_is_unread(str(found.path[-1]))
    if item.id.kind in ROLES and "resourceNames" in found.path:
        return "the rule is about other resources"
    if item.id.group in BUILT_IN_GROUPS or template_around(item.node, field) is not None:
        return ""  # the tables know every field of these
    return _why_custom_field_is_unread(found, is_whole=is_whole)


def _why_annotation_is_unread(name: str) -> str:
    return (
        ""
        if name in _OPT_INS or _ANNOTATIONS_OF_TOOLS.match(name)
        else "no rule reads this annotation"
    )


def _why_custom_field_is_unread(found: LocatedScalar, *, is_whole: bool) -> str:
    kind = text(found.around.get("kind"))
    if not _may_name(found.path) or (kind and kind not in CONFIG_KINDS):
        return ""
    if kind and not is_of_core(found.around):
        return f"the {kind} beside it is of another group"
    return (
        "no rule reads this field"
        if is_whole
        else "the function changes no text that just contains a name"
    )


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
        yield from self._find_options()
        yield from self._find_fields()
        yield from self._find_texts()

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

    def _find_options(self) -> Iterator[tuple[Item, Unfollowed]]:
        """Yield names that a program gets to look the object up."""
        package, options = self._found.package, self._found.mentions.options
        followed = {
            (one.item, one.field, one.reference.target) for one in self._found.references.embedded
        }
        for target in self._targets:
            for name in dict.fromkeys((target.id.name, base_name(target))):
                for item, one in options.passing(
                    target.id.kind, name, package.namespaces_like(target.id.namespace)
                ):
                    if (item, one.field, one.name) not in followed:
                        text = f"{one.shown} passes the name to a program; the function changes no such text"
                        yield self._say(target, item, one.field, OPTION, text)

    def _find_fields(self) -> Iterator[tuple[Item, Unfollowed]]:
        for one in self._found.mentions.unfollowed:
            remedy = (
                "an entry of spec.references would"
                if one.may_be_followed
                else "what is made of it has this name"
            )
            yield self._say(
                one.target, one.referrer, one.field, FIELD, f"no rule reads this field; {remedy}"
            )

    def _find_texts(self) -> Iterator[tuple[Item, Unfollowed]]:
        for said in self._found.mentions.in_texts:
            if self._is_new(said.item, said.field, said.target):
                what = "a text for people" if said.for_people else "the text says what it is"
                why = f"{what}, and no rule changes it"
                place = self._places.of_text(
                    said.item, said.field, said.scalar, said.scalar.value.count("\n", 0, said.start)
                )
                self._judged.add((said.item, said.field, said.target))
                yield said.target, Unfollowed(authored_id(said.item), place, said.field, TEXT, why)
        for one in find_mentions(self._found.package, self._targets):
            if self._is_new(one.item, one.field, one.target):
                line = one.scalar.value.count("\n", 0, one.start)
                place = self._places.of_text(one.item, one.field, one.scalar, line)
                yield one.target, Unfollowed(authored_id(one.item), place, one.field, TEXT, one.why)

    def _is_new(self, item: Item, field: str, target: Item) -> bool:
        return self._judged.isdisjoint({(item, field, None), (item, field, target)})
