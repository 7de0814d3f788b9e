"""Why somebody may look an object up by the name that its author gave it.

A pod that reads a ConfigMap through a volume or a variable follows its new name. A program that
asks the API for a fixed name does not: it fails, or runs with defaults. So an object that nobody
chose explicitly is only renamed where nothing hints at such a reader.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property

from krm_fn.base.item import DATA_FIELDS, Item, about
from krm_fn.base.keys import (
    ASKED_FIXED_NAME,
    FIXED_NAME,
    IS_GENERATED,
    NEEDS_HASH_SUFFIX,
    STRATEGY,
)
from krm_fn.base.kind import is_fixed
from krm_fn.base.node import get, is_mapping, is_scalar
from krm_fn.base.problem import Problem
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.run import (
    MANAGED_BY,
    RENAME_ALL_THE_SAME,
    Guard,
    Guards,
    Package,
    Reason,
    ReasonCode,
    Survey,
    is_of_chart,
)
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.core.references.find import ROLES
from krm_fn.core.references.generated import find_generated, known_names
from krm_fn.core.references.mentions import Mentions
from krm_fn.core.references.reference import ResolvedReference
from krm_fn.core.references.references import References
from krm_fn.facts.annotations import COLLECTED
from krm_fn.guards.readers import (
    READING,
    WRITING,
    NameReaders,
    Permissions,
    find_early_readers,
    guard_against,
    reads_own_files,
)
from krm_fn.guards.replaced_later import Variables
from krm_fn.guards.well_known import looked_up_by

_RENDER = f"render the chart with krm-fn render CHART, which finds out, or {RENAME_ALL_THE_SAME}"
"""It renders a chart twice: what is the same again is no password that the chart has just generated."""


_COLLECTED_BY = f"metadata.labels[{COLLECTED[0]}]"
_COLLECTED = (
    f"{COLLECTED[1]} deletes it under a name that no annotation reference.resources.gardener.cloud/... "
    "of its readers has"
)
_ACCEPT_COLLECTED = (
    f"annotate it with {STRATEGY}: {Strategy.IGNORE} to accept this, or remove the label"
)


def find_guards(survey: Survey) -> Guards:
    """Return what is asked about each object, from what is written to what is guessed."""
    references, settings = survey.references, survey.settings
    hints = _Hints(survey.package, references, survey.mentions, settings.deployers)
    return {
        ReasonCode.EARLY_READER: guard_against(find_early_readers(references, settings.deployers)),
        ReasonCode.ROLE: Guard(hints.role),
        ReasonCode.COPIED: Guard(hints.copied),
        ReasonCode.PROGRAM: Guard(hints.program, _refuse_collected),
        ReasonCode.NAME_SHAPE: Guard(hints.name_shape, hints.refuse_name_shape),
        ReasonCode.MOUNT_PATH: Guard(hints.mount_path),
        ReasonCode.EMPTY: Guard(_why_empty),
        ReasonCode.DATA: Guard(hints.data),
        ReasonCode.OPTION: Guard(hints.option),
        ReasonCode.API_READER: Guard(hints.api_reader),
        ReasonCode.FIELD: Guard(hints.field),
        ReasonCode.SCOPE: Guard(hints.scope),
        ReasonCode.TEXT: Guard(hints.text),
        ReasonCode.NAMESPACE: Guard(hints.namespace),
        ReasonCode.CHART: Guard(hints.chart),
        ReasonCode.OPTIONAL: Guard(hints.optional),
        ReasonCode.GENERATOR: Guard(_why_generator),
        ReasonCode.VARIABLE: Guard(hints.variable),
    }


class _Hints:
    """The hints of a package. Each is computed when the first object is asked about."""

    def __init__(
        self,
        package: Package,
        references: References,
        mentions: Mentions,
        deployers: Collection[str],
    ) -> None:
        self._package = package
        self._references = references
        self._mentions = mentions
        self._deployers = deployers

    @cached_property
    def _readers(self) -> Permissions:
        return Permissions(self._package.authored, self._package.namespace_of, READING)

    @cached_property
    def _writers(self) -> Permissions:
        return Permissions(self._package.authored, self._package.namespace_of, WRITING)

    @cached_property
    def _name_readers(self) -> NameReaders:
        return NameReaders(self._package, self._references)

    @cached_property
    def _variables(self) -> Variables:
        return Variables(self._package, self._references, self._deployers)

    def name_shape(self, item: Item) -> Reason | None:
        return self._name_readers.by_shape(item)

    def refuse_name_shape(self, item: Item) -> Iterable[Problem]:
        return self._name_readers.refuse(item)

    def mount_path(self, item: Item) -> Reason | None:
        return self._name_readers.by_path(item)

    def variable(self, item: Item) -> Reason | None:
        return self._variables.about(item)

    def role(self, item: Item) -> Reason | None:
        return self._listed_by_role.get(item)

    def data(self, item: Item) -> Reason | None:
        return self._in_data.get(item)

    def field(self, item: Item) -> Reason | None:
        return self._in_fields.get(item)

    def scope(self, item: Item) -> Reason | None:
        return self._in_unclear_scopes.get(item)

    def text(self, item: Item) -> Reason | None:
        return self._in_texts.get(item)

    def namespace(self, item: Item) -> Reason | None:
        return self._in_unclear_namespaces.get(item)

    def optional(self, item: Item) -> Reason | None:
        return None if item.is_config else self._read_as_optional.get(item)

    @cached_property
    def _listed_by_role(self) -> dict[Item, Reason]:
        return self._first_to_each(
            ReasonCode.ROLE,
            lambda one: one.referrer.id.kind in ROLES,
            lambda one: (
                f"{authored_id(one.referrer)} lists it in resourceNames, so a program reads it through the API"
            ),
        )

    def _first_to_each(
        self,
        code: ReasonCode,
        is_meant: Callable[[ResolvedReference], bool],
        say: Callable[[ResolvedReference], str],
    ) -> dict[Item, Reason]:
        first: dict[Item, Reason] = {}
        for one in filter(is_meant, self._references.authored):
            for target in one.targets:
                if target not in first:
                    first[target] = Reason(code, say(one), one.referrer, one.reference.field)
        return first

    def copied(self, item: Item) -> Reason | None:
        """Say that a program copies the object, or what it makes: the copies have its name, or are known by it."""
        found = self._mentions.copies.find(item)
        return (
            None
            if found is None
            else Reason(ReasonCode.COPIED, found.text, found.item, found.field)
        )

    def program(self, item: Item) -> Reason | None:
        if _is_collected(item):
            return Reason(
                ReasonCode.PROGRAM, _COLLECTED, item, _COLLECTED_BY, remedy=_ACCEPT_COLLECTED
            )
        namespace = self._package.namespace_of(item)
        names = [
            (item.id.kind, base_name(item)),
            *((one.kind, one.base_name) for one in find_generated(item)),
        ]
        for kind, name in names:
            known = looked_up_by(item, name, namespace, kind)
            if known is not None:
                return Reason(
                    ReasonCode.PROGRAM,
                    f"{known.program} looks it up by this name",
                    source=known.source,
                )
        return None

    @cached_property
    def _in_data(self) -> dict[Item, Reason]:
        reasons: dict[Item, Reason] = {}
        for one in self._references.embedded:
            says = f"the data of {authored_id(one.item)} references it"
            for target in one.targets:
                reasons[target] = Reason(ReasonCode.DATA, says, one.item, one.field)
        return reasons

    def option(self, item: Item) -> Reason | None:
        namespaces = self._package.namespaces_like(item.id.namespace)
        present = [(item.id.kind, name) for name in dict.fromkeys((item.id.name, base_name(item)))]
        # A producer is passed by what it makes as well: programs are told the name of the Secret.
        for kind, name in present if item.is_config else known_names(item):
            for referrer, found in self._mentions.options.passing(kind, name, namespaces):
                text = f"{authored_id(referrer)} passes its name in {found.shown} ({found.field})"
                return Reason(ReasonCode.OPTION, text, referrer, found.field)
        return None

    def api_reader(self, item: Item) -> Reason | None:
        """Name a program that reads the object from a file, and may read it through the API as well."""
        if item.id.name != base_name(item):
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
                return Reason(ReasonCode.API_READER, text, referrer)
        return None

    @cached_property
    def _in_fields(self) -> dict[Item, Reason]:
        found = self._first_to_each(
            ReasonCode.FIELD,
            lambda one: is_fixed(one.referrer),
            lambda one: (
                f"{authored_id(one.referrer)} names it in {one.reference.field}, which nobody can change"
            ),
        )
        for miss in self._mentions.unfollowed:
            text = f"{authored_id(miss.referrer)} names it in {miss.field}, which no rule follows"
            found.setdefault(miss.target, Reason(ReasonCode.FIELD, text, miss.referrer, miss.field))
        return found

    @cached_property
    def _in_unclear_scopes(self) -> dict[Item, Reason]:
        found: dict[Item, Reason] = {}
        for one in self._references.authored:
            lookup, items = self._references.index.find_unclear(one)
            if not items:
                continue
            text = (
                f"{authored_id(one.referrer)} names it in {one.reference.field}, and {lookup.said}"
            )
            reason = Reason(ReasonCode.SCOPE, text, one.referrer, one.reference.field)
            for item in items:
                found.setdefault(item, reason)
        return found

    @cached_property
    def _in_texts(self) -> dict[Item, Reason]:
        """Texts that a program reads, and that say of which kind the name in them is."""
        reasons: dict[Item, Reason] = {}
        for one in self._mentions.in_texts:
            if not one.for_people:
                text = (
                    f"{authored_id(one.item)} names it in a text that no rule follows ({one.place})"
                )
                reason = Reason(ReasonCode.TEXT, text, one.item, one.field)
                reasons.setdefault(one.target, reason)
        return reasons

    @cached_property
    def _in_unclear_namespaces(self) -> dict[Item, Reason]:
        nearly: dict[Item, Reason] = {}
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
            reason = Reason(ReasonCode.NAMESPACE, text, one.referrer, one.reference.field)
            for item in self._references.index.find_with(
                kind, name, has_namespace=not has_namespace
            ):
                nearly.setdefault(item, reason)
        return nearly

    def chart(self, item: Item) -> Reason | None:
        """Say that a Helm chart makes the object anew on every rendering, as charts make passwords."""
        is_generated = self._package.generated.get(item)
        if is_generated is not None:
            return (
                Reason(ReasonCode.CHART, "its chart makes it anew on every rendering")
                if is_generated
                else None
            )
        if item.id.kind != "Secret":
            return None
        if is_of_chart(item):
            text = "its Helm chart may make it anew on every rendering, or look it up"
            return Reason(ReasonCode.CHART, text, remedy=_RENDER)
        # The labels of kustomize's generator, or of another tool, say that no chart makes it.
        is_of_author = NEEDS_HASH_SUFFIX in item.annotations or MANAGED_BY in item.labels
        near = None if is_of_author else self._of_charts.get(item.file)
        if near is None:
            return None
        text = f"it is beside {authored_id(near)}, and a Helm chart may make it anew on every rendering"
        return Reason(ReasonCode.CHART, text, near, remedy=_RENDER)

    @cached_property
    def _of_charts(self) -> dict[str, Item]:
        """The first object of a chart in each file; in a stream, the file is `""`."""
        return {item.file: item for item in reversed(self._package.authored) if is_of_chart(item)}

    @cached_property
    def _read_as_optional(self) -> dict[Item, Reason]:
        """Pods that do not wait for what a producer makes: under a new name, it comes after them."""
        return self._first_to_each(
            ReasonCode.OPTIONAL,
            lambda one: one.reference.in_pod and one.reference.is_optional,
            lambda one: (
                f"{authored_id(one.referrer)} reads its {one.reference.kind} as optional, "
                "and would not wait for a new one"
            ),
        )


def _is_collected(item: Item) -> bool:
    return item.labels.get(COLLECTED[0]) == "true"


def _refuse_collected(item: Item) -> Iterator[Problem]:
    if _is_collected(item):
        yield about(item, f"must not be renamed: {_COLLECTED}; {_ACCEPT_COLLECTED}", _COLLECTED_BY)


def _why_generator(item: Item) -> Reason | None:
    """Say that the author asked kustomize for a fixed name.

    Nobody knows why: maybe as a program needs it.
    """
    file = item.annotations.get(FIXED_NAME)
    has_no_hash = IS_GENERATED in item.annotations and NEEDS_HASH_SUFFIX not in item.annotations
    is_known = item.annotations.get(ASKED_FIXED_NAME) == "true"
    if file is None and not has_no_hash and not is_known:
        return None
    who = f"its generator in {file}" if file else "its generator"
    return Reason(ReasonCode.GENERATOR, f"{who} asks for a fixed name (disableNameSuffixHash)")


def _why_empty(item: Item) -> Reason | None:
    if not item.is_config:
        return None
    for field in DATA_FIELDS:
        data = get(item.node, field)
        for key, value in data.value if is_mapping(data) else ():
            if not is_scalar(key) or not is_scalar(value) or value.value.strip():
                return None
    return Reason(ReasonCode.EMPTY, "it has no content, so a controller may fill it")
