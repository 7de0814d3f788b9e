"""Find the references of one object, and the fields that only look like references.

Most are found by the names and shapes of fields (`shapes.py`). A reference that no name of a field
says is a row in `facts/fields.py`; one that it says wrongly is a row in `facts/exclusions.py` or
`facts/producers.py`. The values of charts are read too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import product
from operator import itemgetter
from typing import TypeAlias

from krm_fn.base.item import CONFIG_KINDS, Item, collect, is_config_id
from krm_fn.base.keys import DEPENDS_ON
from krm_fn.base.kind import ROLES, may_refer, plural_of
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Node,
    descend,
    elements,
    entries,
    fields,
    get,
    is_null,
    is_scalar,
    mappings,
    read_path,
    step,
    text,
)
from krm_fn.base.problem import ResourceId
from krm_fn.base.producer import RENAMABLE
from krm_fn.base.reference import (
    By,
    Reference,
    Rule,
    find_at,
    read_reference,
)
from krm_fn.base.settings import FieldSpec
from krm_fn.core.references.chart_releases import (
    NO_CHARTS,
    ChartRelease,
    Charts,
    find_by_rows,
    read_releases,
)
from krm_fn.core.references.field_rows import (
    ExcludedField,
    FieldRow,
    annotations_of,
    exclusions_of,
    fields_of,
)
from krm_fn.core.references.generated import read_product_names
from krm_fn.core.references.shapes import find_by_shape, find_volumes
from krm_fn.facts.annotations import LISTS_IN_VALUES, VOLUMES_IN_JSON

_RBAC = Rule(By.RBAC, "resourceNames of a rule that covers the kind")
_COMPARED = Rule(By.TABLE, "expression about the name of an object")

_ADMISSION = "admissionregistration.k8s.io"
_POLICY_OF = {
    "ValidatingAdmissionPolicyBinding": "ValidatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding": "MutatingAdmissionPolicy",
}

_LISTED = r"(?<![^,\s])(?P<name>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?![^,\s])"
"""A name in a comma list.

A dot in it is a character of a name, and of a pattern that matches that name.
"""

_OWN_NAME = r"\b(?:metadata|request)\.name\b"
_LITERAL = r"""["'](?P<name>[a-z0-9][a-z0-9.-]*)["']"""

_DEPENDED_ON = r"(?<![^,\s])/namespaces/[^/,\s]+/(?:ConfigMap|Secret)/(?P<name>[^/,\s]+)"
"""A ConfigMap or Secret in a list of objects."""

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
    # Those of Kyverno are of the same form (kyverno/api: api/policies.kyverno.io/v1).
    if group == _ADMISSION or kind in ("MutatingPolicy", "ValidatingPolicy"):
        yield from _find_in_admission(item)
    yield from _find_in_annotations(item, resource)
    yield from _find_in_depends_on(get(item, "metadata", "annotations", DEPENDS_ON))
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
        yield from _find_in_rule(fields(rule), f"rules[{position}]", among)


def _find_in_rule(
    rule: Mapping[str, Node], place: str, among: Iterable[Resource]
) -> Iterator[Reference]:
    kinds = _kinds_in(rule, among)
    for index, name in enumerate(elements(rule.get("resourceNames"))):
        if is_scalar(name) and name.value and not is_null(name):
            field = f"{place}.resourceNames[{index}]"
            for kind in kinds:
                yield Reference(kind, name, None, field, in_pod=False, is_output=False, rule=_RBAC)


def _kinds_in(rule: Mapping[str, Node], among: Iterable[Resource]) -> list[str]:
    groups, resources = _texts(rule.get("apiGroups")), _texts(rule.get("resources"))
    kinds: list[str] = []
    for one in among:
        is_listed = one.plural in resources or (one.by_star and "*" in resources)
        if is_listed and not groups.isdisjoint((one.group, "*")):
            kinds.append(one.kind)
    return kinds


def _texts(listed: Node | None) -> set[str]:
    """Return the texts of a list. Null is none of them, the empty text is one."""
    return {word.value for word in elements(listed) if is_scalar(word) and not is_null(word)}


def _find_in_admission(item: Node) -> Iterator[Reference]:
    """Find the names that a policy or a webhook is about, in its rules and in its expressions."""
    places = [*mappings(item, "")]
    kinds: dict[str, None] = {}
    for field, around in places:
        kinds |= dict.fromkeys(_kinds_in(around, _CONFIGS))
        yield from _find_in_rule(around, field, _CONFIGS)
    expressions = [(field, around.get("expression")) for field, around in places]
    said = [(field, one) for field, one in expressions if is_scalar(one)]
    # A variable of the policy may hold the name, and another expression compare it.
    if any(re.search(_OWN_NAME, one.value) for _, one in said):
        for (field, one), kind in product(said, kinds):
            whole = read_reference(kind, one, None, f"{field}.expression", _COMPARED)
            yield from _find_inside(whole, _LITERAL)


def _find_in_annotations(item: Node, resource: ResourceId) -> Iterator[Reference]:
    """Find annotations whose text is a name, `namespace/name`, or JSON with a name in it."""
    rows = annotations_of(resource.kind)
    is_pod = resource.kind in ("Pod", "VirtualMachineInstance")
    if not rows and not is_pod:
        return
    for name, node in entries(get(item, "metadata", "annotations")):
        if is_pod and name in VOLUMES_IN_JSON and is_scalar(node):
            yield from find_volumes(name, node, f"metadata.annotations[{name}]")
        row = rows.get(name)
        if row is None or not is_scalar(node) or not node.value or is_null(node):
            continue
        field, rule = f"metadata.annotations[{name}]", _rule(f"annotation {name}", row.copied_by)
        reference = read_reference(
            row.target, node, None, field, rule, in_pod=row.in_pod, is_output=row.written
        )
        yield from _find_inside(reference, row.inside)


def _find_in_depends_on(said: Node | None) -> Iterator[Reference]:
    """Find the names in kpt's list of what is applied before an object.

    A list with a Job is left to the texts that nobody changes: Jobs may be renamed by another step.

    Source: kubernetes-sigs/cli-utils, pkg/object/dependson/strings.go (ParseObjMetadata).
    """
    if is_scalar(said) and "/Job/" not in said.value:
        rule = Rule(By.TABLE, f"annotation {DEPENDS_ON}")
        whole = read_reference("", said, None, f"metadata.annotations[{DEPENDS_ON}]", rule)
        for one in _find_inside(whole, _DEPENDED_ON):
            yield one._replace(kind=one.before.split("/")[-2])


def _find_in_values(values: Node | None) -> Iterator[Reference]:
    """Find the comma lists of names in the values of a chart.

    Each name that is no pattern is a reference.
    """
    for field, mapping in mappings(values, "spec.values"):
        for name, value in mapping.items():
            kind = LISTS_IN_VALUES.get(name)
            if kind is not None and is_scalar(value) and not is_null(value):
                rule = Rule(By.TABLE, f"annotation {name} in values")
                place = step(field, name)
                whole = Reference(
                    kind, value, None, place, in_pod=False, is_output=False, rule=rule
                )
                yield from _find_inside(whole, _LISTED)


def _find_by_row(item: Node, row: FieldRow) -> Iterator[Reference]:
    rule = _rule(row.path, row.copied_by)._replace(reads=row.reads)
    for reference in find_at(item, row.path, row.target, rule, in_pod=row.in_pod):
        above = descend(item, read_path(reference.field)[:-2])
        kinds = text(get(above, "kind")), text(reference.around.get("kind"))
        if row.beside_kind and row.target not in kinds:
            continue
        yield from _find_inside(reference, row.text)


def _find_inside(whole: Reference, pattern: str) -> Iterator[Reference]:
    """Yield a reference for each name in a text, the group `name` of a pattern; without one, the whole."""
    if not pattern:
        yield whole
        return
    found = [*re.finditer(pattern, whole.name.value)]
    for number, match in enumerate(found):
        one = whole.around_name(*match.span("name"))
        is_list = one.is_listed or len(found) > 1
        place = f"{whole.field}[{number}]" if is_list else whole.field
        yield one._replace(field=place, is_in_json=is_list)


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
