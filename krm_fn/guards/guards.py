"""Why somebody may look an object up by the name that its author gave it.

A pod that reads a ConfigMap through a volume or a variable follows its new name. A program that
asks the API for a fixed name does not: it fails, or runs with defaults. So an object that nobody
chose explicitly is only renamed where nothing hints at such a reader.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TypeAlias

from krm_fn.base.item import DATA_FIELDS, Item, about, is_of_chart
from krm_fn.base.keys import (
    ASKED_FIXED_NAME,
    FIXED_NAME,
    IS_GENERATED,
    MADE_ANEW,
    MANAGED_BY,
    NEEDS_HASH_SUFFIX,
    STRATEGY,
)
from krm_fn.base.kind import ROLES, find_passed_over, who_may_apply
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import get, is_mapping, is_scalar
from krm_fn.base.problem import Problem, Problems
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import Jobs, Strategy
from krm_fn.core.decide.run import (
    RENAME_ALL_THE_SAME,
    Answer,
    Guard,
    Guards,
    Reason,
    Survey,
)
from krm_fn.core.names.names import authored_id, base_name, is_hashed_by_kustomize
from krm_fn.core.references.generated import find_generated
from krm_fn.core.references.sighting import FIELD, OPTION, TEXT, Sighting, Way
from krm_fn.facts.annotations import COLLECTED
from krm_fn.facts.kinds import RUNS
from krm_fn.facts.programs import NAMED_AFTER
from krm_fn.guards.api_readers import READING, WRITING, Permissions, reads_own_files
from krm_fn.guards.early_readers import EarlyReaders, find_early_readers
from krm_fn.guards.name_readers import NameReaders
from krm_fn.guards.replaced_later import SUBSTITUTE, VARIABLE, Variables, is_placeholder
from krm_fn.guards.well_known import looked_up_by

__all__ = [
    "SUBSTITUTE",
    "VARIABLE",
    "build_guards",
    "find_early_readers",
    "is_placeholder",
    "looked_up_by",
]

_RENDER = f"render the chart with krm-fn render CHART, which finds out, or {RENAME_ALL_THE_SAME}"
"""It renders a chart twice: what is the same again is no password that the chart has just generated."""


_COLLECTED_BY = f"metadata.labels[{COLLECTED['label']}]"
_COLLECTED = (
    f"{COLLECTED['program']} deletes it under a name that no annotation {COLLECTED['read_from']} "
    "of its readers has"
)
_ACCEPT_COLLECTED = (
    f"annotate it with {STRATEGY}: {Strategy.IGNORE} to accept this, or remove the label"
)

_ACCEPT_PASSED_OVER = (
    f"annotate it with {STRATEGY}: {Strategy.IGNORE} to accept this, or remove that"
)

Ask: TypeAlias = "Callable[[Evidence, Item], Answer | None]"
Refuse: TypeAlias = "Callable[[Evidence, Item], Iterable[Problem]] | None"


class GuardRow(NamedTuple):
    """A guard: its code, its question, and the words for what it leaves alone.

    `code`: outputs show it, so it stays. `words`: docs/references.md says it with them. The other
    fields are those of `Guard`.
    """

    code: str
    why: Ask
    words: str
    refuse: Refuse = None
    is_about_content: bool = False
    needs_saying: bool = False
    is_certain: bool = False

    def guard(self, shown: "Evidence") -> Guard:
        """Return the guard of one package."""

        def why(item: Item) -> Reason | None:
            answer = self.why(shown, item)
            return None if answer is None else Reason(self.code, *answer)

        def refuse(item: Item) -> Iterable[Problem]:
            return () if self.refuse is None else self.refuse(shown, item)

        return Guard(why, refuse, self.is_about_content, self.needs_saying, self.is_certain)


def build_guards(survey: Survey) -> Guards:
    """Return what is asked about each object, from what is written to what is guessed."""
    shown = Evidence(survey)
    return {row.code: row.guard(shown) for row in GUARDS}


class Evidence:
    """The signs in a package that somebody needs a name. Each is looked for at the first question."""

    def __init__(self, survey: Survey) -> None:
        self._package = survey.package
        self._references = survey.references
        self._mentions = survey.mentions
        self._settings = survey.settings
        self.namespace_of = survey.package.namespace_of

    @cached_property
    def _early_readers(self) -> EarlyReaders:
        return find_early_readers(self._references, self._settings.deployers)

    @cached_property
    def _readers(self) -> Permissions:
        return Permissions(self._package.authored, self._package.namespace_of, READING)

    @cached_property
    def _writers(self) -> Permissions:
        return Permissions(self._package.authored, self._package.namespace_of, WRITING)

    @cached_property
    def name_readers(self) -> NameReaders:
        return NameReaders(self._package, self._references)

    @cached_property
    def variables(self) -> Variables:
        return Variables(self._package, self._references, self._settings.deployers)

    def early_reader(self, item: Item) -> Answer | None:
        return next((one.answer() for one in self._early_readers.get(item, {}).values()), None)

    def refuse_early_reader(self, item: Item) -> Iterable[Problem]:
        return [one.refuse() for one in self._early_readers.get(item, {}).values()]

    def passed_over(self, item: Item) -> Answer | None:
        """Say that a deployer does not apply the object: what has a new name would not be there."""
        for deployer in who_may_apply(self._settings.deployers):
            for says, field in find_passed_over(item, deployer):
                return Answer(f"{says} ({field})", item, field, remedy=_ACCEPT_PASSED_OVER)
        return None

    def optional(self, item: Item) -> Answer | None:
        return None if item.is_config else self._read_as_optional.get(item)

    @cached_property
    def listed_by_role(self) -> dict[Item, Answer]:
        return self._first_to_each(
            lambda one: one.referrer.id.kind in ROLES,
            lambda one: (
                f"{authored_id(one.referrer)} lists it in resourceNames, so a program reads it through the API"
            ),
        )

    def _first_to_each(
        self,
        is_meant: Callable[[ResolvedReference], bool],
        say: Callable[[ResolvedReference], str],
    ) -> dict[Item, Answer]:
        first: dict[Item, Answer] = {}
        for one in filter(is_meant, self._references.authored):
            for target in one.targets:
                if target not in first:
                    first[target] = Answer(say(one), one.referrer, one.reference.field)
        return first

    def looked_up_for(self, item: Item, kind: str, name: str, namespace: str) -> Answer | None:
        """Say which operator makes such a name of the name of its own object.

        What a field of that object names is found by the field.
        """
        for owner in self._owners:
            program, source, names = NAMED_AFTER[owner.id.group_kind]
            made = names.get(kind, "").replace("{}", owner.id.name).split()
            is_made = any(fnmatchcase(name, pattern) for pattern in made)
            is_near = is_made and self.namespace_of(owner) == namespace
            if is_near and all(
                one.referrer is not owner or item not in one.targets
                for one in self._references.authored
            ):
                return Answer(
                    f"{program} looks it up by the name of {authored_id(owner)}",
                    owner,
                    "metadata.name",
                    source,
                )
        return None

    @cached_property
    def _owners(self) -> list[Item]:
        return [item for item in self._package.authored if item.id.group_kind in NAMED_AFTER]

    def copied(self, item: Item) -> Answer | None:
        """Say that a program copies the object, or what it makes: the copies have its name, or are known by it."""
        found = self._mentions.copies.find(item)
        return None if found is None else Answer(found.text, found.item, found.field)

    @cached_property
    def in_data(self) -> dict[Item, Answer]:
        reasons: dict[Item, Answer] = {}
        for one in self._references.embedded:
            says = f"the data of {authored_id(one.item)} references it"
            for target in one.targets:
                reasons[target] = Answer(says, one.item, one.field)
        return reasons

    def sighted(self, way: Way, item: Item) -> Answer | None:
        """Name the first place that says the name in this way."""
        one = self._mentions.of[way.code].get(item)
        if one is None or one.way.because is None:
            return None
        return Answer(one.way.because(one), one.item, one.field)

    def api_reader(self, item: Item) -> Answer | None:
        """Name a program that reads the object from a file, and may read it through the API as well."""
        if item.id.name != base_name(item) or NEEDS_HASH_SUFFIX in item.annotations:
            return None  # kustomize has put the hash there: no program knows a name that changes with the content
        kind = item.id.kind if item.is_config else "Secret"
        namespace = self._package.namespace_of(item)
        for referrer, references in self._references.pod_referrers.get(item, {}).items():
            role = self._readers.role_of(referrer, kind, namespace)
            if not role:
                continue
            may_write = self._writers.role_of(referrer, kind, namespace) != ""
            if not (
                item.is_config and reads_own_files(referrer, references, item, may_write=may_write)
            ):
                text = f"{authored_id(referrer)} may read {kind}s through the API, by {role}"
                return Answer(text, referrer)
        return self._told_reader(item, kind, namespace)

    def _told_reader(self, item: Item, kind: str, namespace: str) -> Answer | None:
        """Name a program that gets the name of the object, and may read or change it through the API."""
        for one in self._said.get(item, ()):
            for pod in (one.item, *self._references.pod_referrers.get(one.item, ())):
                where = pod, kind, namespace
                if role := self._readers.role_of(*where) or self._writers.role_of(*where):
                    text = (
                        f"{authored_id(one.item)} says its name ({one.place}), and {authored_id(pod)} may read or "
                        f"change {kind}s through the API, by {role}"
                    )
                    return Answer(text, one.item, one.field)
        return None

    @cached_property
    def _said(self) -> dict[Item, list[Sighting]]:
        """The words in arguments, variables and data that are the name of an object."""
        said: dict[Item, list[Sighting]] = defaultdict(list)
        if self._readers or self._writers:
            for one in self._mentions.find_rest(self._package.authored):
                if "metadata.annotations" not in one.field:
                    said[one.target].append(one)
        return said

    @cached_property
    def in_fixed_fields(self) -> dict[Item, Answer]:
        return self._first_to_each(
            self._is_in_fixed_field,
            lambda one: (
                f"{authored_id(one.referrer)} names it in {one.reference.field}, which nobody can change"
                + (" without spec.jobs: rename" if one.referrer.id.group_kind in RUNS else "")
            ),
        )

    def _is_in_fixed_field(self, one: ResolvedReference) -> bool:
        if not one.targets or self._package.generated.get(one.referrer):
            return False  # to read a definition for it would take long; or its name is always new
        if (
            self._settings.jobs is Jobs.RENAME
            and one.reference.in_pod
            and one.referrer.id.group_kind in RUNS
        ):
            return False
        return self._package.kinds.may_not_change(one.referrer, one.reference.field)

    @cached_property
    def in_unclear_scopes(self) -> dict[Item, Answer]:
        found: dict[Item, Answer] = {}
        for one in self._references.authored:
            lookup, items = self._references.index.find_unclear(one)
            if not items:
                continue
            text = (
                f"{authored_id(one.referrer)} names it in {one.reference.field}, and {lookup.said}"
            )
            reason = Answer(text, one.referrer, one.reference.field)
            for item in items:
                found.setdefault(item, reason)
        return found

    @cached_property
    def in_unclear_namespaces(self) -> dict[Item, Answer]:
        nearly: dict[Item, Answer] = {}
        if self._package.namespace:
            return nearly  # objects without a namespace are known to be in this one
        first: dict[tuple[str, str, bool], ResolvedReference] = {}
        for one in self._references.authored:
            reference = one.reference
            is_placed = not self._package.kinds.is_cluster_scoped(one.referrer.id)
            if reference.in_pod and is_placed and not one.targets:
                has_namespace = bool(one.namespace_meant)
                first.setdefault((reference.kind, reference.target, has_namespace), one)
        for (kind, name, has_namespace), one in first.items():
            text = (
                f"{authored_id(one.referrer)} may mean it, but only one of the two sets a namespace"
            )
            reason = Answer(text, one.referrer, one.reference.field)
            for item in self._references.index.find_with(
                kind, name, has_namespace=not has_namespace
            ):
                nearly.setdefault(item, reason)
        return nearly

    def chart(self, item: Item) -> Answer | None:
        """Say that a Helm chart makes the object anew on every rendering, as charts make passwords."""
        is_known = self._package.generated.get(item, MADE_ANEW in item.annotations or None)
        if is_known is not None:
            text = "its chart makes it anew on every rendering"
            return Answer(text, annotation=MADE_ANEW) if is_known else None
        if item.id.kind != "Secret":
            return None
        if is_of_chart(item):
            text = "its Helm chart may make it anew on every rendering, or look it up"
            return Answer(text, remedy=_RENDER)
        # The labels of kustomize's generator, or of another tool, say that no chart makes it.
        is_of_author = is_hashed_by_kustomize(item) or MANAGED_BY in item.labels
        near = None if is_of_author else self._of_charts.get(item.file)
        if near is None:
            return None
        text = f"it is beside {authored_id(near)}, and a Helm chart may make it anew on every rendering"
        return Answer(text, near, remedy=_RENDER)

    @cached_property
    def _of_charts(self) -> dict[str, Item]:
        """The first object of a chart in each file; in a stream, the file is `""`."""
        return {item.file: item for item in reversed(self._package.authored) if is_of_chart(item)}

    @cached_property
    def _read_as_optional(self) -> dict[Item, Answer]:
        """Pods that do not wait for what a producer makes: under a new name, it comes after them."""
        return self._first_to_each(
            lambda one: one.reference.in_pod and one.reference.is_optional,
            lambda one: (
                f"{authored_id(one.referrer)} reads its {one.reference.kind} as optional, "
                "and would not wait for a new one"
            ),
        )


def _is_collected(item: Item) -> bool:
    return item.labels.get(COLLECTED["label"]) == "true"


def _looked_up(shown: Evidence, item: Item) -> Answer | None:
    if _is_collected(item):
        return Answer(_COLLECTED, item, _COLLECTED_BY, remedy=_ACCEPT_COLLECTED)
    namespace = shown.namespace_of(item)
    names = [(item.id.kind, base_name(item))]
    names += [(one.kind, one.base_name) for one in find_generated(item)]
    for kind, name in names:
        known = looked_up_by(item, name, namespace, kind)
        if known is not None:
            return Answer(f"{known.program} looks it up by this name", source=known.source)
        if answer := shown.looked_up_for(item, kind, name, namespace):
            return answer
    return None


def _refuse_collected(_: Evidence, item: Item) -> Problems:
    if _is_collected(item):
        message = f"must not be renamed: {_COLLECTED}; {_ACCEPT_COLLECTED}"
        yield about(item, message, _COLLECTED_BY)


def _asked_of_generator(_: Evidence, item: Item) -> Answer | None:
    """Say that the author asked kustomize for a fixed name.

    Nobody knows why: maybe as a program needs it. Behind kustomize nothing else says so, hence
    the annotation.
    """
    file = item.annotations.get(FIXED_NAME)
    has_no_hash = IS_GENERATED in item.annotations and NEEDS_HASH_SUFFIX not in item.annotations
    is_known = item.annotations.get(ASKED_FIXED_NAME) == "true"
    if file is None and not has_no_hash and not is_known:
        return None
    who = f"its generator in {file}" if file else "its generator"
    text = f"{who} asks for a fixed name (disableNameSuffixHash)"
    return Answer(text, annotation=ASKED_FIXED_NAME)


def _without_content(_: Evidence, item: Item) -> Answer | None:
    if not item.is_config:
        return None
    for field in DATA_FIELDS:
        data = get(item.node, field)
        if not is_mapping(data):
            continue
        for key, value in data.value:
            if not is_scalar(key) or not is_scalar(value) or value.value.strip():
                return None
    # Nothing can be stale in it.
    return Answer("it has no content, so a controller may fill it", is_expected=True)


GUARDS = (
    GuardRow(
        "early-reader",
        Evidence.early_reader,
        words="objects that a hook or a workload reads before",
        refuse=Evidence.refuse_early_reader,
        is_certain=True,
    ),
    GuardRow(
        "passed-over",
        Evidence.passed_over,
        words="objects that an annotation keeps their deployer from applying",
        is_about_content=True,
        is_certain=True,
    ),
    GuardRow(
        "role",
        lambda shown, item: shown.listed_by_role.get(item),
        words="names that a Role or ClusterRole lists in `resourceNames`",
        needs_saying=True,
    ),
    GuardRow(
        "copied",
        Evidence.copied,
        words="objects that reflector, kubernetes-replicator, Config Syncer or Kyverno copies",
        is_about_content=True,
    ),
    GuardRow(
        "program",
        _looked_up,
        words="names that a well-known program looks up",
        needs_saying=True,
        refuse=_refuse_collected,
    ),
    GuardRow(
        "name-shape",
        lambda shown, item: shown.name_readers.by_shape(item),
        words="objects that an operator tells apart by the end of their name",
        refuse=lambda shown, item: shown.name_readers.refuse(item),
    ),
    GuardRow(
        "mount-path",
        lambda shown, item: shown.name_readers.by_path(item),
        words="objects that an operator mounts at a path with their name",
        needs_saying=True,
    ),
    GuardRow("empty", _without_content, words="objects without content", is_about_content=True),
    GuardRow(
        "data",
        lambda shown, item: shown.in_data.get(item),
        words="names in the data of another object",
    ),
    GuardRow(
        OPTION.code,
        lambda shown, item: shown.sighted(OPTION, item),
        words="names that an option, a variable or a setting in data passes",
    ),
    GuardRow(
        "api-reader", Evidence.api_reader, words="objects that a pod reads, if its ServiceAccount"
    ),
    GuardRow(
        FIELD.code,
        lambda shown, item: shown.in_fixed_fields.get(item) or shown.sighted(FIELD, item),
        words="names in a field of a custom resource",
    ),
    GuardRow(
        "scope",
        lambda shown, item: shown.in_unclear_scopes.get(item),
        words="names in a cluster-scoped object without a namespace",
        needs_saying=True,
    ),
    GuardRow(TEXT.code, lambda shown, item: shown.sighted(TEXT, item), words="names in other text"),
    GuardRow(
        "namespace",
        lambda shown, item: shown.in_unclear_namespaces.get(item),
        words="objects that differ from what a pod references only",
        needs_saying=True,
    ),
    GuardRow("chart", Evidence.chart, words="Secrets of Helm charts", is_about_content=True),
    GuardRow(
        "optional",
        Evidence.optional,
        words="objects that make a Secret which pods read as optional",
    ),
    GuardRow("generator", _asked_of_generator, words="objects of a kustomize generator"),
    GuardRow(
        VARIABLE,
        lambda shown, item: shown.variables.about(item),
        words="objects with a variable that Flux may substitute",
        is_about_content=True,
    ),
)
"""All guards, in the order in which they are asked: what is written comes before what is guessed."""
