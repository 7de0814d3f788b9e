"""Find the references of one object, and the fields that only look like references.

Most are found by the names and shapes of fields. These hold across the whole ecosystem, so kinds
without a schema are read as well. A reference that no name of a field says is a row in
`facts/fields.py`; one that it says wrongly is a row in `facts/exclusions.py` or
`facts/producers.py`. Rows are read when
the first object of their kind asks for them.

The values of charts are read too. The pods of a chart are rendered in the cluster, so only the
shape of a value shows what the chart makes of it, if the shape is one of Kubernetes itself, and
the rows of `facts/chart_values.py`. The source of a chart is often in another package than its
releases. Then its name may tell the chart, and some rows apply to any chart.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from itertools import product
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from krm_fn.base.item import CONFIG_KINDS, Item, collect, is_config_id
from krm_fn.base.kind import ROLES, may_refer, plural_of
from krm_fn.base.node import (
    Node,
    Path,
    Scalar,
    descend,
    elements,
    entries,
    fields,
    get,
    is_mapping,
    is_null,
    is_scalar,
    mappings,
    read_path,
    spell_path,
    step,
    text,
)
from krm_fn.base.problem import ResourceId
from krm_fn.base.producer import RENAMABLE
from krm_fn.base.reference import (
    GROUP_FIELDS,
    THE_VALUE,
    By,
    Reads,
    Reference,
    Rule,
    find_at,
    is_of_core,
    namespace_beside,
    read_reference,
)
from krm_fn.base.settings import FieldSpec
from krm_fn.core.references.generated import read_product_names
from krm_fn.facts.annotations import ANNOTATIONS, LISTS_IN_VALUES, VOLUMES_IN_JSON
from krm_fn.facts.chart_values import CHART_VALUES, SUBCHARTS, TOLD_BY_SOURCE
from krm_fn.facts.exclusions import EXCLUSIONS, FREE_KEYS, PASSED_OVER
from krm_fn.facts.fields import FIELDS, READS, SELECTORS

# Rows about fields.

SELECTOR_FIELDS = frozenset({"name", "key", "optional"})

_BRACES = re.compile(r"\{([^{},]*+,[^{}]*+)\}")


class FieldRow(NamedTuple):
    """A field of some kinds: text, a mapping with `name`, or a list of either. No groups: any.

    `reads`: whether its consumer reads the value only, or the shape of the name, or mounts at a
    path with the name. `text`: a regular expression of texts in which the group `name` is the name.
    `beside_kind`: only if the mapping around the one that holds the name says `kind` with the name
    of the target. `copied_by`: the program that copies the object from there.
    """

    groups: tuple[str, ...]
    kinds: tuple[str, ...]
    path: str
    target: str = "Secret"
    in_pod: bool = False
    reads: Reads = THE_VALUE
    text: str = ""
    beside_kind: bool = False
    copied_by: str = ""


class KeySelectors(NamedTuple):
    """Kinds in which every mapping of `name` and `key` selects a key of a Secret.

    The name of its field does not matter. No kinds: all. `config_maps`: fields in which it selects
    a key of a ConfigMap.
    """

    group: str
    kinds: tuple[str, ...] = ()
    config_maps: tuple[str, ...] = ()


class AnnotationRow(NamedTuple):
    """An annotation that holds a name.

    `inside`: the field of JSON text that holds it; `""` where the text is the name, or
    `namespace/name`. `in_pod`: pods read the object. `written`: a controller writes it.
    `copied_by`: the program that copies it from there into the object with the annotation.
    """

    kind: str
    annotation: str
    target: str = "Secret"
    inside: str = ""
    in_pod: bool = False
    written: bool = False
    copied_by: str = ""


class ExcludedField(NamedTuple):
    """A field of some kinds, and everything below it.

    The path has dots and no list indices; `*` matches anything.

    `unless`: a field beside the name, and its value, that make it a reference after all.
    `but_in_pods`: fields of a pod spec are references after all. `only`: fields below it of which
    alone this is true; none: of all.

    `applied_in`: None where it means something else: a thing of another cluster, of another kind,
    of a vault. A name in it says nothing. Otherwise another program makes objects of it, which
    nothing here can rewrite, and every text in it that is the name of an object is a hint. Then
    these are the fields that may say in which namespace; the first that is set counts, and where
    none is, it may be any.
    """

    group: str
    kinds: tuple[str, ...]
    path: str
    reason: str
    unless: tuple[str, str] | None = None
    but_in_pods: bool = False
    only: tuple[str, ...] = ()
    applied_in: tuple[str, ...] | None = None


class ChartValue(NamedTuple):
    """A value of some charts: text, a mapping with `name`, or a list of either.

    `beside`: a field beside the name, and what it must say. `unless_key_of`: a value whose keys are
    names of objects that the chart makes, which come first. `tells`: path and `beside` can mean
    nothing else, so that the row also holds where the package does not show the chart.
    """

    charts: tuple[str, ...]
    path: str
    target: str
    source: str
    beside: tuple[str, str] | None = None
    unless_key_of: str = ""
    tells: bool = False


@cache
def fields_of(kind: str) -> tuple[FieldRow, ...]:
    return tuple(read_fields(kind))


@cache
def exclusions_of(kind: str) -> tuple[ExcludedField, ...]:
    return tuple(read_exclusions(kind))


@cache
def annotations_of(kind: str) -> Mapping[str, AnnotationRow]:
    return {row.annotation: row for row in read_annotations(kind)}


@cache
def chart_values_of(chart: str) -> tuple[tuple[str, ChartValue], ...]:
    """Return the rows about a chart and the charts that it contains, with paths in its values.

    `""`, where the package does not show the chart: the rows that tell what they are about.
    """
    if not chart:
        return tuple((row.path, row) for row in read_chart_values() if row.tells)
    rows = [(row.path, row) for row in read_chart_values(chart)]
    for charts, alias, contained in SUBCHARTS:
        if chart in charts.split():
            rows += [(f"{alias}/{path}", row) for path, row in chart_values_of(contained)]
    return tuple(rows)


def read_fields(kind: str | None = None) -> Iterator[FieldRow]:
    """Yield the rows about a kind; all rows, if that is None."""
    reads_of: Mapping[str, Any] = READS
    for groups, kinds, paths, targets, *more in _about(kind, FIELDS, 1):
        options = dict(*more)  # a row may end in a mapping of what few rows have
        reads = options.pop("reads", {})
        reads = reads_of[reads] if isinstance(reads, str) else reads
        mounts, volumes = (alternatives(reads.get(name, "")) for name in ("path", "volume"))
        for number, path in enumerate(alternatives(paths)):
            target = _in_turn(alternatives(targets), number)
            in_turn = {"path": _in_turn(mounts, number), "volume": _in_turn(volumes, number)}
            read = Reads(**{**reads, **in_turn})
            yield FieldRow(
                tuple(groups.split()), tuple(kinds.split()), path, target, reads=read, **options
            )


def read_annotations(kind: str | None = None) -> Iterator[AnnotationRow]:
    for kinds, annotations, target, *more in _about(kind, ANNOTATIONS, 0):
        for one in kinds.split():
            if kind not in (None, one):
                continue
            for annotation in alternatives(annotations):
                yield AnnotationRow(one, annotation, target, **dict(*more))


def read_exclusions(kind: str | None = None) -> Iterator[ExcludedField]:
    for group, kinds, paths, reason, *more in _about(kind, EXCLUSIONS, 1):
        for path in alternatives(paths):
            yield ExcludedField(group, tuple(kinds.split()), path, reason, **dict(*more))


def read_chart_values(chart: str | None = None) -> Iterator[ChartValue]:
    for charts, templates, rows in _about(chart, CHART_VALUES, 0):
        for path, target, place, *more in rows:
            yield ChartValue(
                tuple(charts.split()), path, target, f"{templates}/{place}", **dict(*more)
            )


def alternatives(text: str) -> list[str]:
    """Return the texts that `{a,b}` in a text stands for, as in a shell: the last braces vary fastest."""
    parts = _BRACES.split(text)
    axes = [part.split(",") if number % 2 else [part] for number, part in enumerate(parts)]
    return ["".join(one) for one in product(*axes)]


def _in_turn(texts: list[str], number: int) -> str:
    return texts[number % len(texts)]


def _about(kind: str | None, table: Iterable[Any], column: int) -> Iterator[Any]:
    """Yield the rows in whose column with kinds, or charts, this one is."""
    return (row for row in table if kind is None or kind in row[column].split())


KEY_SELECTORS = tuple(
    KeySelectors(group, tuple(kinds.split()), tuple(config_maps.split()))
    for group, kinds, config_maps in SELECTORS
)


# Names and shapes of fields.

NOT_WALKED = PASSED_OVER | {"metadata", "status"}
"""At the top of an object. Deeper down, `metadata` and `status` are fields like any other."""

_NAMED_BY_TYPE = "caProvider"
"""External Secrets says `type: ConfigMap` where others say `kind`."""

_FULL_NAMES = ("secretName", "configMapName", "cmName")

_SELECTORS = {row.group: row for row in KEY_SELECTORS}

_KEYED_FIELDS = SELECTOR_FIELDS | {"namespace"}


class WordForm(Enum):
    """How a field holds the name."""

    HOLDER = auto()
    """In the `name` of a mapping, or of each mapping in a list."""

    NAME = auto()
    """As its own text, or each text of a list."""


class Word(NamedTuple):
    """The kind that the name of a field says, and the rule by which it does."""

    kind: str
    form: WordForm
    rule: Rule
    is_output: bool = False


def _word(kind: str, form: WordForm, field: str, *, is_output: bool = False) -> Word:
    text = f"name in {field}" if form is WordForm.HOLDER else field
    return Word(kind, form, Rule(By.SHAPE, text), is_output)


def _ends(kind: str, form: WordForm, ends: str) -> dict[str, Word]:
    return {end.lower(): _word(kind, form, f"*{end}") for end in ends.split()}


def _beside_kind(kind: str) -> Word:
    return Word(kind, WordForm.HOLDER, Rule(By.SHAPE, f"name beside kind: {kind}"))


# Ends of field names, in whatever case, a plural `s` taken off. The first that fits wins:
# `SecretName` says that the text is the name, and ends in none of the words for mappings.
_ENDS = {
    **_ends("Secret", WordForm.NAME, "SecretName -secret-name"),
    **_ends("ConfigMap", WordForm.NAME, "ConfigMapName"),
    **_ends(
        "ConfigMap",
        WordForm.HOLDER,
        "ConfigMap ConfigMapRef ConfigMapKeyRef ConfigMapReference ConfigMapTargetRef",
    ),
    **_ends(
        "Secret",
        WordForm.HOLDER,
        "Secret SecretRef SecretKeyRef SecretReference SecretTargetRef SecretKey",
    ),
}

_EXACT = {
    field: _word(kind, form, field, is_output=is_output)
    for field, kind, form, is_output in (
        # Gateway API: the kind may be left out here.
        ("certificateRefs", "Secret", WordForm.HOLDER, False),
        ("clientCertificateRef", "Secret", WordForm.HOLDER, False),
        ("caCertificateRefs", "ConfigMap", WordForm.HOLDER, False),
        # KubeVela's volumes
        ("cmName", "ConfigMap", WordForm.NAME, False),
        # The Secrets Store CSI driver's volumes
        ("secretProviderClass", "SecretProviderClass", WordForm.NAME, False),
        # Crossplane writes connection details, Strimzi a list of offsets.
        ("writeConnectionSecretToRef", "Secret", WordForm.HOLDER, True),
        ("publishConnectionDetailsTo", "Secret", WordForm.HOLDER, True),
        ("toConfigMap", "ConfigMap", WordForm.HOLDER, True),
    )
}

_SELECTED = Word("Secret", WordForm.HOLDER, Rule(By.TABLE, "name beside key"))
_KEYED = Word("", WordForm.HOLDER, Rule(By.SHAPE, "name beside key"))
_CONFIG_MAPS = {
    field: Word("ConfigMap", WordForm.HOLDER, Rule(By.TABLE, f"name in {field}"))
    for row in KEY_SELECTORS
    for field in row.config_maps
}
_CORE_KINDS = {kind: _beside_kind(kind) for kind in CONFIG_KINDS}
_KINDS_IN_SMALL = {kind.lower(): kind for kind in CONFIG_KINDS}
"""Programs that read `kind: configmap` in texts of their own compare kinds without case."""
# Kinds of other groups that may be named by the hash of their spec: references to these are
# followed as well.
_OTHER_KINDS = {kind: (group, _beside_kind(kind)) for group, kind in RENAMABLE}
_ANNOTATED = {
    name: Word(row.target, WordForm.NAME, Rule(By.TABLE, f"annotation {name} of pods"))
    for name, row in annotations_of("Pod").items()
}


def find_by_shape(item: Node, resource: ResourceId) -> list[Reference]:
    """Find the references of an object, in the order of its text.

    A mapping of `name` and `key` in a field that says nothing more may name either kind, or
    something else: its reference has no kind, and matches nothing until the objects of the package
    decide (`references`).
    """
    row = _SELECTORS.get(resource.group)
    walk = _ShapeWalk(
        row if row is not None and (not row.kinds or resource.kind in row.kinds) else None
    )
    walk.enter(item, None, "", None)
    return walk.found


@lru_cache(maxsize=8192)
def word_of(field: str) -> Word | None:
    """Return what a field's name says about its value, None for nearly all fields."""
    if field in _EXACT:
        return _EXACT[field]
    end = field.lower().removesuffix("s")
    return next((word for ending, word in _ENDS.items() if end.endswith(ending)), None)


class _ShapeWalk:
    """One walk over an object.

    Every object of a package is walked, so that this is the hottest code of a run.
    """

    def __init__(self, selectors: KeySelectors | None) -> None:
        self.found: list[Reference] = []
        self._has_selectors = selectors is not None
        self._config_maps = selectors.config_maps if selectors is not None else ()

    def enter(self, node: Node, path: Path, key: str, word: Word | None) -> None:
        """Look at the value of field `key`, whose name means `word`.

        This takes one or two frames for each level.
        """
        if node.id == "sequence":
            self._enter_list(node, path, word)
            return
        around = fields(node)
        # A mapping that names an object is asked before its fields: `name` by itself says no kind.
        if "name" in around and (said := self._word_of_holder(around, key, word)):
            self._add(said, around["name"], (path, "name"), around)
        for name, value in around.items():
            meant = word_of(name)
            if name == "annotations" and path:
                # Those of a pod template; the object's own are read by kind (`find`).
                self._enter_annotations(value, (path, name))
            elif value.id != "scalar":
                if name not in (PASSED_OVER if path else NOT_WALKED):
                    self.enter(
                        value,
                        (path, name),
                        name,
                        _CONFIG_MAPS[name] if name in self._config_maps else meant,
                    )
            elif meant is not None and meant.form is WordForm.NAME and key not in FREE_KEYS:
                self._add(meant, value, (path, name), around)

    def _enter_annotations(self, node: Node, path: Path) -> None:
        for name, value in fields(node).items():
            if name in _ANNOTATED:
                self._add(_ANNOTATED[name], value, (path, name), {})
            elif name in VOLUMES_IN_JSON and is_scalar(value):
                self.found += _find_volumes(name, value, spell_path((path, name)))

    def _enter_list(self, node: Node, path: Path, word: Word | None) -> None:
        for index, element in enumerate(node.value):
            # An element has no name of its own: the word of the list says what it means.
            if element.id != "scalar":
                self.enter(element, (path, index), "", word)
            elif word is not None and word.form is WordForm.NAME:
                self._add(word, element, (path, index), {})

    def _word_of_holder(self, around: dict[str, Node], key: str, word: Word | None) -> Word | None:
        """Return the kind that a mapping with a `name` names, None where it names neither."""
        kind = text(around.get("type" if key == _NAMED_BY_TYPE else "kind"))
        kind = _KINDS_IN_SMALL.get(kind.lower(), kind)
        if kind in _CORE_KINDS:
            if not is_of_core(around):
                return None
            return (
                word._replace(kind=kind)
                if word is not None and word.is_output
                else _CORE_KINDS[kind]
            )
        group, beside_kind = _OTHER_KINDS.get(kind, ("", None))
        if beside_kind is not None and _group_beside(around) == group:
            return beside_kind
        if (
            word is not None
            and word.form is WordForm.HOLDER
            and kind.lower() in ("", word.kind.lower())
        ):
            # Beside `secretName` or `configMapName`, `name` is something else.
            return None if any(name in around for name in _FULL_NAMES) else word
        if "key" in around and around.keys() <= _KEYED_FIELDS:
            return self._word_of_keyed(around, key)
        return None

    def _word_of_keyed(self, around: dict[str, Node], key: str) -> Word | None:
        if self._has_selectors and around.keys() <= SELECTOR_FIELDS:
            return _SELECTED
        return None if key in FREE_KEYS else _KEYED

    def _add(
        self, word: Word, name: Node, path: tuple[Path, str | int], around: dict[str, Node]
    ) -> None:
        if is_scalar(name) and name.value and not is_null(name):
            namespace, field = namespace_beside(around, str(path[1])), spell_path(path)
            one = read_reference(
                word.kind,
                name,
                namespace,
                field,
                word.rule,
                is_output=word.is_output,
                around=around,
            )
            self.found.append(one)


def _group_beside(around: dict[str, Node]) -> str:
    """Return the group beside a kind: `external-secrets.io`, also of `external-secrets.io/v1`."""
    return next(
        filter(None, (text(around.get(name)).partition("/")[0] for name in GROUP_FIELDS)), ""
    )


# Charts and their values.

_FLUX, _ARGO = "helm.toolkit.fluxcd.io", "argoproj.io"
_SOURCES = "source.toolkit.fluxcd.io"

_OWN_SERVER, _OWN_NAME = "https://kubernetes.default.svc", "in-cluster"
"""How an Application says that it deploys to the cluster that it is in."""

_VOLUMES = r"olumes\["
"""`extraVolumes` and the like hold volumes of pods."""

_NAMESPACE_FIELDS = frozenset({"namespaceOverride", "forceNamespace"})
"""Values with which many charts put their objects into another namespace than that of the release, at any depth."""

_REMOTE = "its pods run in another cluster"
_ELSEWHERE = "a value puts the chart's objects into another namespace than that of the release"
_UNKNOWN = "it does not say into which namespace it deploys"

Charts: TypeAlias = Mapping[tuple[str, str, str], str]
"""The names of charts, by kind, namespace and name of the object that `chartRef` names."""

NO_CHARTS: Charts = MappingProxyType({})


class ChartRelease(NamedTuple):
    """A chart and its values, which are in `field`.

    `chart`: its name, `""` where the package does not show it.

    `namespace`: where it is installed, `""` for the namespace of the object that says so.
    `excluded`: why its pods read no object of the package; None where they may.
    """

    chart: str
    values: Node
    field: str
    namespace: str
    excluded: ExcludedField | None

    def holds(self, field: str) -> bool:
        return field.startswith((f"{self.field}.", f"{self.field}["))

    def place(self, reference: Reference) -> Reference:
        """Let a reference in these values mean an object of the namespace of the release."""
        in_pod = reference.in_pod or re.search(_VOLUMES, reference.field) is not None
        return reference._replace(installed_in=self.namespace, in_pod=in_pod)


def read_charts(items: Iterable[Item]) -> Charts:
    """Read the charts that Flux's sources in a package hold."""
    charts = {}
    for item in items:
        if item.id.group == _SOURCES:
            key = item.id.kind, item.id.namespace, item.id.name
            if item.id.kind == "HelmChart":
                charts[key] = text(get(item.node, "spec", "chart"))
            elif item.id.kind == "OCIRepository":
                charts[key] = text(get(item.node, "spec", "url")).rpartition("/")[2]
    return charts


def read_releases(
    item: Node, resource: ResourceId, charts: Charts = NO_CHARTS
) -> list[ChartRelease]:
    """Return the releases of a HelmRelease or an Application whose values are mappings."""
    if resource.group_kind == (_FLUX, "HelmRelease"):
        return list(_read_helm_release(item, resource, charts))
    if resource.group_kind == (_ARGO, "Application"):
        return list(_read_application(item))
    return []


def _read_helm_release(item: Node, resource: ResourceId, charts: Charts) -> Iterator[ChartRelease]:
    spec = get(item, "spec")
    values = get(spec, "values")
    if not is_mapping(values):
        return
    chart = text(get(spec, "chart", "spec", "chart")) or _chart_of_source(
        get(spec, "chartRef"), resource, charts
    )
    namespace = text(get(spec, "targetNamespace"))
    reason = ""
    # Objects of the package are in this cluster, and those of the chart in another one.
    if not is_null(get(spec, "kubeConfig")):
        reason = _REMOTE
    elif _may_be_elsewhere(values, namespace or resource.namespace):
        reason = _ELSEWHERE
    yield ChartRelease(
        chart, values, "spec.values", namespace, _exclude(_FLUX, "HelmRelease", reason)
    )


def _chart_of_source(source: Node | None, resource: ResourceId, charts: Charts) -> str:
    """Return the chart that `chartRef` names: as the package shows it, else as its name tells."""
    name = text(get(source, "name"))
    there = text(get(source, "namespace")) or resource.namespace
    shown = charts.get((text(get(source, "kind")), there, name))
    if shown is None:
        return name if name in TOLD_BY_SOURCE else ""
    return shown


def _read_application(item: Node) -> Iterator[ChartRelease]:
    spec = get(item, "spec")
    destination = get(spec, "destination")
    namespace = text(get(destination, "namespace"))
    is_here = (
        text(get(destination, "server")) == _OWN_SERVER
        or text(get(destination, "name")) == _OWN_NAME
    )
    sources = [("spec.source", get(spec, "source"))]
    sources += [
        (f"spec.sources[{index}]", one) for index, one in enumerate(elements(get(spec, "sources")))
    ]
    for field, source in sources:
        helm = get(source, "helm")
        values = get(helm, "valuesObject")
        if not is_mapping(values):
            continue
        reason = ""
        if not is_here:
            reason = _REMOTE
        elif not namespace:
            reason = _UNKNOWN
        elif text(get(helm, "namespace")) not in ("", namespace) or _may_be_elsewhere(
            values, namespace
        ):
            reason = _ELSEWHERE
        excluded = _exclude(_ARGO, "Application", reason)
        yield ChartRelease(
            text(get(source, "chart")), values, f"{field}.helm.valuesObject", namespace, excluded
        )


def _exclude(group: str, kind: str, reason: str) -> ExcludedField | None:
    return ExcludedField(group, (kind,), "spec", reason) if reason else None


def _may_be_elsewhere(values: Node, namespace: str) -> bool:
    """Tell whether a value may put objects of the chart into another namespace."""
    return any(
        one not in ("", namespace)
        for one in (text(get(values, "namespace")), *_overrides_in(values))
    )


def _overrides_in(node: Node) -> Iterator[str]:
    # At any depth, because the values of a subchart are below its name. A list holds none.
    for name, value in fields(node).items():
        if name in _NAMESPACE_FIELDS:
            yield text(value)
        yield from _overrides_in(value)


def find_by_rows(release: ChartRelease) -> Iterator[Reference]:
    """Find what the rows for a chart say of its values."""
    chart = f"of chart {release.chart}" if release.chart else ""
    for path, row in chart_values_of(release.chart):
        said = chart or f"as of chart {row.charts[0]}"
        rule = Rule(By.TABLE, f"value {path.replace('/', '.')} {said}", source=row.source)
        for reference in find_at(release.values, path, row.target, rule, in_pod=True):
            if _is_meant(reference, row, release.values):
                yield release.place(reference._replace(field=f"{release.field}.{reference.field}"))


def _is_meant(reference: Reference, row: ChartValue, values: Node) -> bool:
    if row.beside is not None and text(reference.around.get(row.beside[0])) != row.beside[1]:
        return False
    # A key of that value is the name of an object that the chart makes itself.
    return not row.unless_key_of or get(values, row.unless_key_of, reference.target) is None


_RBAC = Rule(By.RBAC, "resourceNames of a rule that covers the kind")

_ADMISSION = "admissionregistration.k8s.io"
_POLICY_OF = {
    "ValidatingAdmissionPolicyBinding": "ValidatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding": "MutatingAdmissionPolicy",
}

_LISTED = r"(?<![^,\s])[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?![^,\s])"
"""A name in a comma list.

A dot in it is a character of a name, and of a pattern that matches that name.
"""

_INDEX = r"\[\d+\]"


class Resource(NamedTuple):
    """A kind as an RBAC rule spells it.

    `by_star`: a rule about all resources, `*`, is meant for it as well.
    """

    kind: str
    group: str
    plural: str
    by_star: bool = True


# A rule about `*` is written for many kinds: its `resourceNames` are hardly those of an
# ExternalSecret.
_CONFIGS = (
    Resource("ConfigMap", "", "configmaps"),
    Resource("Secret", "", "secrets"),
    *(Resource(kind, group, plural_of(kind), by_star=False) for group, kind in RENAMABLE),
)

KindsOfParams: TypeAlias = Mapping[tuple[str, str], str]
"""`ConfigMap` or `Secret`, by kind and name of the policy."""


class ExcludedReference(NamedTuple):
    """A field that looks like a reference, and the row that says what it is instead."""

    reference: Reference
    row: ExcludedField


class Found(NamedTuple):
    """The references of an object, and what only looks like one."""

    references: list[Reference]
    lookalikes: list[ExcludedReference]


class SpecsByKind:
    """The entries of `spec.references` by the kind that they are about; `""` for any."""

    def __init__(self, specs: Iterable[FieldSpec]) -> None:
        self._by_kind = collect((spec.kind, (index, spec)) for index, spec in enumerate(specs))

    def matching(self, resource: ResourceId) -> list[FieldSpec]:
        """Return the entries about objects of this kind, in their order."""
        if not self._by_kind:
            return []
        # In the order of the configuration: the first entry about a field counts.
        known: list[tuple[int, FieldSpec]] = []
        for kind in {resource.kind, ""}:
            known += self._by_kind.get(kind, ())
        return [
            spec for _, spec in sorted(known, key=itemgetter(0)) if _matches_kind(spec, resource)
        ]


def find_references(
    item: Node, resource: ResourceId, extra: Iterable[FieldSpec], charts: Charts = NO_CHARTS
) -> Found:
    """Find the references of an object: by shape, by the tables, and by `spec.references`.

    A field that is found twice is what the later of these says. A mapping that `find_by_shape`
    finds without a kind is left out where one of them says the kind.
    """
    if not may_refer(resource):
        # A ConfigMap or Secret may be a copy of another one.
        return Found([*_find_in_annotations(item, resource)] if is_config_id(resource) else [], [])
    releases = read_releases(item, resource, charts)
    by_shape, lookalikes = split_lookalikes(find_by_shape(item, resource), resource, releases)
    found = {_place_of(reference): reference for reference in by_shape}
    for reference in _find_by_kind(item, resource):
        found[_place_of(reference)] = reference
    for release in releases:
        for reference in find_by_rows(release):
            if release.excluded is None:
                found[_place_of(reference)] = reference
            else:
                lookalikes.append(ExcludedReference(reference, release.excluded))
    for reference in find_by_specs(item, resource, extra):
        known = found.get(_place_of(reference))
        # Our own rules know more of a field: who copies the object, where it is mounted. But where
        # they say that a controller writes the object, the author's entry says that it is read.
        if known is None or known.is_output:
            around = _release_of(reference, releases)
            found[_place_of(reference)] = around.place(reference) if around else reference
    for reference in by_shape:
        if not reference.kind and any((kind, reference.field) in found for kind in CONFIG_KINDS):
            # A rule has said the kind, so the package need not tell it.
            del found[_place_of(reference)]
    return Found(
        list(found.values()), [one for one in lookalikes if _place_of(one.reference) not in found]
    )


def _place_of(reference: Reference) -> tuple[str, str]:
    return reference.kind, reference.field


def find_by_specs(
    item: Node, resource: ResourceId, specs: Iterable[FieldSpec]
) -> Iterator[Reference]:
    """Find the references at the paths of `spec.references`."""
    for spec in specs:
        if _matches_kind(spec, resource):
            yield from find_at(item, spec.path, spec.target, Rule(By.REFERENCES, spec.entry))


def _matches_kind(spec: FieldSpec, resource: ResourceId) -> bool:
    return (
        spec.kind in ("", resource.kind)
        and spec.group in ("", resource.group)
        and spec.version in ("", resource.api_version.rpartition("/")[2])
    )


def split_lookalikes(
    found: list[Reference], resource: ResourceId, releases: Iterable[ChartRelease] = ()
) -> Found:
    """Tell references from fields that only look like them, and mean something else."""
    if not exclusions_of(resource.kind):
        return Found(found, [])
    rows = _exclusions_of(resource)
    references, lookalikes = [], []
    for one in found:
        release = _release_of(one, releases)
        reference = release.place(one) if release else one
        # The release knows more about its values than a row about a field around all of them.
        known = [
            row for row in rows if release is None or row.only or not _is_below(release.field, row)
        ]
        row = release.excluded if release else None
        row = row or next((row for row in known if _is_lookalike(reference, row)), None)
        if row is None:
            references.append(reference)
        else:
            lookalikes.append(ExcludedReference(reference, row))
    return Found(references, lookalikes)


def _release_of(reference: Reference, releases: Iterable[ChartRelease]) -> ChartRelease | None:
    """Return the release whose values hold a reference, None for a reference in no values."""
    return next((one for one in releases if one.holds(reference.field)), None)


def _is_lookalike(reference: Reference, row: ExcludedField) -> bool:
    if not _is_below(reference.field, row) or (row.but_in_pods and reference.in_pod):
        return False
    if row.only and not any(f".{name}." in _plain(reference.field) for name in row.only):
        return False
    return row.unless is None or text(reference.around.get(row.unless[0])) != row.unless[1]


def exclusion_of(field: str, resource: ResourceId) -> ExcludedField | None:
    """Return the row of exclusions that a field of an object is in."""
    return next((row for row in _exclusions_of(resource) if _is_below(field, row)), None)


def has_texts_of_others(resource: ResourceId) -> bool:
    """Tell whether objects of this kind have fields of which another program makes objects."""
    return any(row.applied_in is not None for row in _exclusions_of(resource))


def _exclusions_of(resource: ResourceId) -> list[ExcludedField]:
    return [row for row in exclusions_of(resource.kind) if row.group == resource.group]


def _is_below(field: str, row: ExcludedField) -> bool:
    return fnmatchcase(f"{_plain(field)}.", f"{row.path}.*")


def _plain(field: str) -> str:
    """Return a path with dots alone: without positions, and without brackets around names."""
    return re.sub(_INDEX, "", field).replace("[", ".").replace("]", "")


def _find_by_kind(item: Node, resource: ResourceId) -> Iterator[Reference]:
    kind, group = resource.kind, resource.group
    if kind in ROLES:
        yield from find_in_rules(item)
    yield from _find_in_annotations(item, resource)
    if (group, kind) == ("helm.toolkit.fluxcd.io", "HelmRelease"):
        yield from _find_in_values(get(item, "spec", "values"))
    for field in fields_of(kind):
        if not field.groups or group in field.groups:
            yield from _find_by_row(item, field)
    yield from read_product_names(item, resource)


def find_in_rules(item: Node, among: Iterable[Resource] = _CONFIGS) -> Iterator[Reference]:
    """Find the `resourceNames` in the rules of a Role or ClusterRole.

    They name what `resources` of the rule says.
    """
    for position, rule in enumerate(elements(get(item, "rules"))):
        groups, resources = _texts(rule, "apiGroups"), _texts(rule, "resources")
        kinds: list[str] = []
        for one in among:
            is_listed = one.plural in resources or (one.by_star and "*" in resources)
            if is_listed and not groups.isdisjoint((one.group, "*")):
                kinds.append(one.kind)
        if not kinds:
            continue
        for index, name in enumerate(elements(get(rule, "resourceNames"))):
            if is_scalar(name) and name.value and not is_null(name):
                field = f"rules[{position}].resourceNames[{index}]"
                for kind in kinds:
                    yield Reference(
                        kind, name, None, field, in_pod=False, is_output=False, rule=_RBAC
                    )


def _texts(rule: Node, field: str) -> set[str]:
    """Return the texts of a list. Null is none of them, the empty text is one."""
    return {
        word.value for word in elements(get(rule, field)) if is_scalar(word) and not is_null(word)
    }


def _find_in_annotations(item: Node, resource: ResourceId) -> Iterator[Reference]:
    """Find annotations whose text is a name, `namespace/name`, or JSON with a name in it."""
    rows = annotations_of(resource.kind)
    is_pod = resource.kind in ("Pod", "VirtualMachineInstance")
    if not rows and not is_pod:
        return
    for name, node in entries(get(item, "metadata", "annotations")):
        if is_pod and name in VOLUMES_IN_JSON and is_scalar(node):
            yield from _find_volumes(name, node, f"metadata.annotations[{name}]")
        row = rows.get(name)
        if row is None or not is_scalar(node) or not node.value or is_null(node):
            continue
        field, rule = f"metadata.annotations[{name}]", _rule(f"annotation {name}", row.copied_by)
        reference = read_reference(
            row.target, node, None, field, rule, in_pod=row.in_pod, is_output=row.written
        )
        if not row.inside:
            yield reference
        elif match := re.search(rf'("{row.inside}"\s*:\s*")([^"]+)"', node.value):
            yield reference.around_name(*match.span(2))


# The last takes the rest of a text that does not end.
_JSON = r'"(?P<text>(?:[^"\\]|\\.)*+)"\s*(?P<is_key>:?)|[{}\[\]]|"[\s\S]*+'
_VOLUME_FIELDS = {
    ("configMap", "name"): "ConfigMap",
    ("secret", "name"): "Secret",
    ("secret", "secretName"): "Secret",
}


def _find_volumes(annotation: str, said: Scalar, field: str) -> list[Reference]:
    """Find the names in volumes that are written as JSON, by the fields around each."""
    rule = Rule(By.TABLE, f"annotation {annotation}", source=VOLUMES_IN_JSON[annotation])
    found: list[tuple[str, tuple[int, int]]] = []
    above: list[str] = []
    key = ""
    for token in re.finditer(_JSON, said.value):
        if token["text"] is None:
            if token[0] in "{[":
                above.append(key)
            elif above:
                above.pop()
            key = ""
        elif token["is_key"]:
            key = token["text"]
        else:
            kind = _VOLUME_FIELDS.get((above[-1] if above else "", key))
            if kind is not None:
                found.append((kind, token.span("text")))
            key = ""
    references: list[Reference] = []
    for number, (kind, span) in enumerate(found):
        place = f"{field}[{number}]" if len(found) > 1 else field
        whole = Reference(kind, said, None, place, in_pod=True, is_output=False, rule=rule)
        references.append(whole.around_name(*span)._replace(is_in_json=len(found) > 1))
    return references


def _find_in_values(values: Node | None) -> Iterator[Reference]:
    """Find the comma lists of names in the values of a chart.

    Each name that is no pattern is a reference.
    """
    for field, mapping in mappings(values, "spec.values"):
        for name, value in mapping.items():
            kind = LISTS_IN_VALUES.get(name)
            if kind is not None and is_scalar(value) and not is_null(value):
                yield from _find_in_list(
                    kind, value, step(field, name), f"annotation {name} in values"
                )


def _find_in_list(kind: str, listed: Scalar, field: str, rule: str) -> Iterator[Reference]:
    for number, found in enumerate(re.finditer(_LISTED, listed.value)):
        place = f"{field}[{number}]" if "," in listed.value else field
        whole = Reference(
            kind, listed, None, place, in_pod=False, is_output=False, rule=Rule(By.TABLE, rule)
        )
        yield whole.around_name(*found.span())


def _find_by_row(item: Node, row: FieldRow) -> Iterator[Reference]:
    rule = _rule(row.path, row.copied_by)._replace(reads=row.reads)
    for reference in find_at(item, row.path, row.target, rule, in_pod=row.in_pod):
        if (
            row.beside_kind
            and text(get(descend(item, read_path(reference.field)[:-2]), "kind")) != row.target
        ):
            continue
        if not row.text:
            yield reference
        elif match := re.fullmatch(row.text, reference.name.value):
            yield reference.around_name(*match.span("name"))


def _rule(text: str, copied_by: str) -> Rule:
    return Rule(By.COPY, text, f"{copied_by} copies it") if copied_by else Rule(By.TABLE, text)


def read_kinds_of_params(items: Iterable[Item]) -> KindsOfParams:
    """Read which admission policies of the package take ConfigMaps or Secrets as parameters.

    A policy says of which kind its parameters are, its bindings name them.
    """
    kinds = {}
    for item in items:
        if item.id.kind in _POLICY_OF.values() and item.id.group == _ADMISSION:
            param_kind = get(item.node, "spec", "paramKind")
            kind = text(get(param_kind, "kind"))
            if text(get(param_kind, "apiVersion")) == "v1" and kind in CONFIG_KINDS:
                kinds[item.id.kind, item.id.name] = kind
    return kinds


def find_params(item: Node, resource: ResourceId, kinds: KindsOfParams) -> list[Reference]:
    """Find the parameter that a binding names.

    Where its policy is not in the package, its kind is not known.

    A binding that names no namespace takes the parameter from the namespace of each object that it
    checks.
    """
    policy = _POLICY_OF.get(resource.kind)
    if policy is None or resource.group != _ADMISSION:
        return []
    name = text(get(item, "spec", "policyName"))
    kind = kinds.get((policy, name))
    if kind is None:
        return []
    return find_at(item, "spec/paramRef", kind, Rule(By.TABLE, f"paramKind of {policy}/{name}"))
