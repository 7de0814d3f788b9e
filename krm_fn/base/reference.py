"""Define a reference: a field that names a ConfigMap or a Secret, and the rule that found it.

`find_at` finds references at a field path, which means what it means in kustomize's fieldSpecs.
"""

import fnmatch
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    TRUE,
    Node,
    Scalar,
    elements,
    entries,
    fields,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    step,
    text,
)

_NAMESPACE = r"(?<![^/:])([^/:]++)/(?:(?:ConfigMap|Secret)/)?$"
"""The namespace in front of a name, or in front of its kind: `shop/web`, `/namespaces/shop/Secret/web`."""

_NOTHING: Mapping[str, Node] = MappingProxyType({})

_IN_POD = (
    *(".env[", ".envFrom[", ".imagePullSecrets["),
    *(".volumes[", ".templatedVolumes[", ".workspaces["),
    *(".volumeMounts.configMap[", ".volumeMounts.secret["),  # KubeVela
    *(".driver.secrets[", ".driver.configMaps[", ".executor.secrets[", ".executor.configMaps["),
    ".metadata.annotations[",  # below the top they are a template's
)
"""Lists of a pod spec, wherever it is.

The imagePullSecrets of a ServiceAccount are at the top instead.
"""


class By(StrEnum):
    """The kinds of rules."""

    SHAPE = "shape"
    """The names of the fields, in objects of any kind: `shapes`."""

    TABLE = "table"
    """A row for this kind of objects: `fields`, `annotations`, `chart_values`."""

    PRODUCER = "maker"
    """A row of `producers`: a controller writes the object."""

    COPY = "copy"
    """A row for what a program copies from there, by its name."""

    RBAC = "rbac"
    """The `resourceNames` of a rule."""

    REFERENCES = "references"
    """An entry of `spec.references`."""

    MOUNTS = "mounts"
    """An entry of `spec.mounts`."""


class Reads(NamedTuple):
    """The other uses of a name, beside finding the object by it. By default, there are none.

    `endings`: it tells by these ends of the name what is in the object. `path`: it mounts the
    object there, with the name in the place of `{}`, so that others may write this path. `beside`:
    it also reads another object, whose name is this one with that end. `volume`: patterns of how
    it names a volume of the object, with the name in the place of `{}`, for others to mount.
    `identity`: what it knows by the name, so that a new name would be another of these. `source`:
    where its project says so.
    """

    endings: tuple[str, ...] = ()
    path: str = ""
    beside: str = ""
    volume: str = ""
    identity: str = ""
    source: str = ""


THE_VALUE = Reads()


class Rule(NamedTuple):
    """A rule. `text`: which of its kind, for people.

    `reason`: how a controller writes or copies the object; `source`: where its project says so.
    Both may be unknown.
    """

    by: By
    text: str
    reason: str = ""
    source: str = ""
    reads: Reads = THE_VALUE


NO_RULE = Rule(By.SHAPE, "")
"""For what looks like a reference, and no rule has found."""


class Reference(NamedTuple):
    """One reference as it is written in a referrer.

    `name` is the scalar that holds the name, `namespace` the one beside it that names a namespace,
    `field` the path to `name` for people. `in_pod`: pods read the object, so that another name
    makes another pod template. `is_output`: a controller writes the object, so that its name must
    stay. `kind` is `""` where the text does not say it.

    `before` and `after` are the parts of the text around the name: `shop/` of `shop/users`.
    `around` are the fields of the mapping that `name` is in. `installed_in`: where a chart is
    installed whose values hold the name, `""` for the namespace of the referrer; None for a name
    that is in no values. `is_in_json`: it is in JSON, which may say other names as well.
    """

    kind: str
    name: Scalar
    namespace: Scalar | None
    field: str
    in_pod: bool
    is_output: bool
    rule: Rule
    before: str = ""
    after: str = ""
    around: Mapping[str, Node] = _NOTHING
    installed_in: str | None = None
    is_in_json: bool = False

    @property
    def target(self) -> str:
        """The name alone."""
        text = self.name.value
        return text[len(self.before) : len(text) - len(self.after)]

    @property
    def is_listed(self) -> bool:
        """Whether the text may hold other names as well: it is a comma list, or JSON."""
        is_in_list = self.before.rstrip().endswith(",") or self.after.lstrip().startswith(",")
        return is_in_list or self.is_in_json

    @property
    def target_namespace(self) -> str | None:
        """The namespace that the reference names, None where it names none."""
        if self.namespace is not None:
            return self.namespace.value
        # A text may hold thousands of names, and each would be looked for from its beginning.
        found = re.search(_NAMESPACE, self.before) if self.before.endswith("/") else None
        return found.group(1) if found else self.installed_in or None

    @property
    def keys(self) -> frozenset[str] | None:
        """The keys of the object that pods read through this reference, None for all of them."""
        items = self.around.get("items")
        if is_sequence(items) and items.value:
            return frozenset(text(get(entry, "key")) for entry in items.value)
        if self.field.endswith("KeyRef.name") and "key" in self.around:
            return frozenset({text(self.around["key"])})
        return None

    @property
    def is_optional(self) -> bool:
        """Whether pods start without the object."""
        return text(self.around.get("optional")) in TRUE

    def around_name(self, start: int, end: int) -> "Reference":
        """Return the same, where the name is only this part of the text."""
        return self._replace(before=self.name.value[:start], after=self.name.value[end:])

    def renamed(self, name: str) -> str:
        """Return the scalar's text once the object is called `name`."""
        return f"{self.before}{name}{self.after}"


class ResolvedReference(NamedTuple):
    """A reference, its referrer, and the objects that it matches: none, one, or too many."""

    referrer: Item
    reference: Reference
    targets: tuple[Item, ...]

    @property
    def namespace_meant(self) -> str:
        """The namespace in which the object is looked for: the one named, else the referrer's."""
        named = self.reference.target_namespace
        return self.referrer.id.namespace if named is None else named

    @property
    def is_own(self) -> bool:
        """Whether a producer says here what it makes, and nothing else here has that name."""
        return self.reference.is_output and self.targets == (self.referrer,)


class EmbeddedReference(NamedTuple):
    """A reference inside a value of `item`.

    `scalar` is the value as written in the manifest, `field` its path, `reference` is in the YAML
    that the value holds. `namespace` is the one that this YAML says, None where it says none.
    `is_encoded`: the value is base64.
    """

    item: Item
    scalar: Scalar
    field: str
    reference: Reference
    targets: tuple[Item, ...]
    namespace: str | None
    is_encoded: bool

    @property
    def span(self) -> tuple[int, int] | None:
        """The span of the name in the value; None where it is not written as it is read."""
        name = self.reference.name
        value = self.scalar.value
        # The marks do not count a byte order mark, and include an anchor and quotes.
        shift = 1 if value.startswith("\ufeff") else 0
        end = name.end + shift
        if value[end - 1] in "\"'":
            end -= 1
        start = end - len(name.value)
        if start < name.start + shift or value[start:end] != name.value:
            return None
        return start + len(self.reference.before), end - len(self.reference.after)


class HookRead(NamedTuple):
    """A reference of a hook that runs before all else: to a copy, or by the base name that stays."""

    resolved: ResolvedReference
    name: str
    is_copy: bool


def read_reference(  # noqa: PLR0913  # the parts of a reference
    kind: str,
    name: Scalar,
    namespace: Scalar | None,
    field: str,
    rule: Rule,
    *,
    in_pod: bool = False,
    is_output: bool = False,
    around: Mapping[str, Node] = _NOTHING,
) -> Reference:
    """Read a scalar whose text is a name, or `namespace/name`."""
    before = name.value[: name.value.rfind("/") + 1]
    # A pod spec may be anywhere in a custom resource, so the lists on the way tell.
    in_pod = in_pod or any(part in field for part in _IN_POD)
    return Reference(kind, name, namespace, field, in_pod, is_output, rule, before, around=around)


def is_read(reference: Reference) -> bool:
    """Tell whether containers, or what sets them up, see the content."""
    # The kubelet reads these again at each pull.
    is_pulled = ".imagePullSecrets[" in reference.field
    return reference.in_pod and not reference.is_output and not is_pulled


# Groups beside a name.

CORE_GROUPS = frozenset({"", "v1", "core", "core/v1"})
"""The values of `apiGroup`, `group` or `apiVersion` beside `kind: ConfigMap`."""

GROUP_FIELDS = ("apiGroup", "group", "apiVersion")


def is_of_core(around: Mapping[str, Node]) -> bool:
    """Tell whether a mapping that names an object says the core group, or none at all."""
    return all(text(around.get(name)) in CORE_GROUPS for name in GROUP_FIELDS)


# Field paths.

Name: TypeAlias = tuple[Scalar, Scalar | None, str, Mapping[str, Node]]
"""A name, the namespace beside it, its field, and the fields of the mapping that it is in."""


def find_at(  # noqa: PLR0913  # the parts of a reference
    item: Node, path: str, kind: str, rule: Rule, *, in_pod: bool = False, is_output: bool = False
) -> list[Reference]:
    """Find every name at `path`. A field that is missing or has another shape holds none.

    Lists on the way need no mark in the path, and `*` is any field of a mapping, or any part of its
    name. At the end is a name, a mapping with `name`, or a list of either.
    """
    found: list[Name] = []
    _descend(item, split_path(path), "", found)
    return [
        read_reference(
            kind, name, namespace, field, rule, in_pod=in_pod, is_output=is_output, around=around
        )
        for name, namespace, field, around in found
    ]


def find_missing_step(item: Node, path: str) -> tuple[str, list[str]]:
    """Return the first name in `path` that an object lacks, and the names that it has there.

    If it has all of them, the name is `""`. Only the first element of a list is looked at, and the
    first that `*` stands for.
    """
    node: Node | None = item
    for name in split_path(path):
        node = next(iter(elements(node)), node)
        present = fields(node)
        if name != "*" and name not in present:
            return name, list(present)
        node = next(iter(present.values()), None) if name == "*" else present[name]
    return "", []


@lru_cache(maxsize=1024)
def split_path(path: str) -> tuple[str, ...]:
    r"""Split `a/b\/c` into `a` and `b/c`. A slash in front and `[]` after a name are allowed."""
    first, *rest = path.removeprefix("/").split("/")
    names = [first]
    for part in rest:
        if names[-1].endswith("\\"):
            names[-1] = f"{names[-1][:-1]}/{part}"
        else:
            names.append(part)
    return tuple(name.removesuffix("[]") for name in names)


def namespace_beside(around: Mapping[str, Node], name: str) -> Scalar | None:
    """Return the namespace that goes with the name in field `name` of the same mapping.

    It is `secretNamespace` for `secretName`, `...-secret-namespace` for `...-secret-name`, else
    `namespace`.
    """
    for ending, other in (("Name", "Namespace"), ("-name", "-namespace")):
        node = around.get(name.removesuffix(ending) + other) if name.endswith(ending) else None
        if is_scalar(node) and not is_null(node):
            return node
    node = around.get("namespace")
    return node if is_scalar(node) and not is_null(node) else None


def _descend(node: Node, names: tuple[str, ...], field: str, found: list[Name]) -> None:
    if is_mapping(node):
        if names[:1] == ("*",):
            for name, value in entries(node):
                _descend(value, names[1:], step(field, name), found)
        elif names and "*" in names[0]:
            for name in fnmatch.filter(fields(node), names[0]):
                _descend_into_field(fields(node), (name, *names[1:]), field, found)
        else:
            _descend_into_field(fields(node), names, field, found)
    elif is_sequence(node):
        for index, element in enumerate(node.value):
            if not is_scalar(element):
                _descend(element, names, f"{field}[{index}]", found)
            elif not names and element.value and not is_null(element):
                # A list of names: only at the end of a path, as a list of text has no fields.
                found.append((element, None, f"{field}[{index}]", {}))


def _descend_into_field(
    around: dict[str, Node], names: tuple[str, ...], field: str, found: list[Name]
) -> None:
    name, *rest = names or ("name",)
    value = around.get(name)
    if is_scalar(value):
        if not rest and value.value and not is_null(value):
            found.append((value, namespace_beside(around, name), step(field, name), around))
    elif value is not None and names:
        _descend(value, tuple(rest), step(field, name), found)
