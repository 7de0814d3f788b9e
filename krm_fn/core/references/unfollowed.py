"""Find names in fields of custom resources that no rule follows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from krm_fn.base.item import CONFIG_KINDS, Item
from krm_fn.base.kind import BUILT_IN_GROUPS, may_refer
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    FieldPath,
    Node,
    Scalar,
    descend,
    fields,
    get,
    text,
)
from krm_fn.base.reference import (
    NO_RULE,
    is_of_core,
    namespace_beside,
    read_reference,
)
from krm_fn.core.references.field_rows import ExcludedField
from krm_fn.core.references.find import exclusion_of
from krm_fn.core.references.generated import versioned
from krm_fn.core.references.hits import Hit, NameSearch
from krm_fn.core.references.shapes import NOT_WALKED, WordForm, word_of
from krm_fn.core.references.sighting import FIELD, FIELD_OF_OTHERS, Sighting
from krm_fn.core.references.words import ABOUT_OTHERS, kinds_said, read_settings
from krm_fn.facts.exclusions import FREE_KEYS, NOT_NAMES, PASSED_OVER

_NAMES = r"(?i)(?:name|ref|reference|config|configuration|credential)s?$"
"""Ends of field names that hold a name.

In other fields a single word, such as `redis`, is one of some choices.
"""

_CONTAINERS = frozenset(
    {"container", "containers", "ephemeralContainers", "initContainers", "sidecars"}
)
_NAMED_ENTRIES = frozenset(
    {"containers", "env", "initContainers", "ports", "volumeMounts", "volumes"}
)
"""Lists of a pod spec, in whatever object, whose entries have names of their own."""

_OWN = frozenset(
    {
        # An application's own name, and what it is called by its parts (app-template: `controller`,
        # `identifier`).
        *(
            "fullnameoverride",
            "nameoverride",
            "namespaceoverride",
            "releasename",
            "controller",
            "identifier",
        ),
        # Objects of other kinds
        *(
            "existingclaim",
            "claimname",
            "volumename",
            "storageclass",
            "storageclassname",
            "existingvolume",
        ),
        *(
            "ingressclass",
            "ingressclassname",
            "classname",
            "priorityclassname",
            "runtimeclassname",
            "schedulername",
        ),
        *("servicename", "serviceaccountname", "namespace", "targetnamespace"),
        # Places, and who somebody is there
        *(
            "host",
            "hostname",
            "mountpath",
            "subpath",
            "path",
            "database",
            "dbname",
            "user",
            "username",
        ),
    }
)
"""Fields in the values of charts, in small letters, whose text names no ConfigMap and no Secret."""

_OWN_HOLDERS = frozenset({"service", "serviceaccount", "ingress", "controller", "image", "port"})
"""Fields in the values of charts, in small letters, whose `name` is that of something else."""

_OWN_MAPPINGS = r"\w*labels|(?:label|namespace|node|pod|service)?selector"
"""Mappings in the values of charts, in small letters, whose texts describe the chart's own objects, or nodes."""

_CALLS = r"\{\{[^{}]*\}\}|\b[Gg]et\([^()]*\)"
_ARGUMENTS = r"[\"'`]([a-z0-9./-]+)[\"'`]"
"""The arguments of functions in templates and expressions of policies: `fromConfigMap "namespace" "name" "key"`,
`resource.Get("v1", "configmaps", "namespace", "name")`."""

_NAMESPACE = "[a-z0-9-]+"
"""A namespace that is written out: no template, and no variable."""


class _NamingText(NamedTuple):
    """A scalar that says a name.

    `field`: the field or list that it is in; `around`: the mapping. `parent`: the field or list that
    this mapping is in. `in_pod`: it is in a container or pod template.
    """

    hit: Hit
    field: str
    around: Mapping[str, Node]
    parent: str
    in_pod: bool

    @property
    def scalar(self) -> Scalar:
        return self.hit.scalar

    @property
    def names_other_kind(self) -> bool:
        """Whether the mapping around says that it is about something else."""
        kind = text(self.around.get("kind")).lower()
        is_config = any(kind == one.lower() for one in CONFIG_KINDS)
        return bool(kind) and not (is_config and is_of_core(self.around))

    @property
    def namespace(self) -> Scalar | None:
        """The field beside it that says a namespace."""
        return namespace_beside(self.around, self.field) if self.around else None


def sight_fields(search: NameSearch) -> Iterator[Sighting]:
    """Find texts that are the name of a ConfigMap or Secret in fields that no rule reads.

    Only custom resources are looked at. A field of `references` is followed, or known to be written
    by a controller. A field in `NOT_REFERENCES` means something else; or another program makes
    objects of it, and then parts of texts count as well: values of a chart are often one text. The
    chart may read the object, or create one of that name.
    """
    reader = _Search(search)
    for item, hits in search.applied.items():
        # The tables know every field of the kinds of Kubernetes itself.
        if item.id.group not in BUILT_IN_GROUPS and may_refer(item.id):
            for hit in hits:
                yield from reader.read(hit)


class _Search:
    def __init__(self, search: NameSearch) -> None:
        self._index = search.index
        self._names = search.names
        # A controller that applies objects elsewhere finds there what its own namespace does not
        # have.
        self._followed = {
            one.reference.name: bool(one.targets) or one.reference.is_output
            for one in search.references
        }
        self._others = {
            item.id.name
            for item in search.items
            if not item.is_config and versioned(item.id) is None
        }
        self._told: set[tuple[str, str, str]] = set()

    def read(self, hit: Hit) -> Iterator[Sighting]:
        one = None if hit.is_key or self._followed.get(hit.scalar) else _read_around(hit)
        if one is None or one.field in NOT_NAMES or one.names_other_kind:
            return
        field = hit.field
        row = exclusion_of(field, hit.item.id)
        if row is None:
            if hit.scalar not in self._followed:
                yield from self._find_whole(hit.item, one, field)
        elif row.applied_in is not None and not _is_own(one.field, one.parent, hit.path):
            yield from self._find_parts(hit.item, one, field, row)

    def _is_name(self, value: str) -> bool:
        """Tell whether a text is a name, or a namespace and a name."""
        if "/" not in value:
            return value in self._names
        before, _, name = value.rpartition("/")
        return name in self._names and re.fullmatch(_NAMESPACE, before) is not None

    def _find_whole(self, item: Item, one: _NamingText, field: str) -> Iterator[Sighting]:
        """Yield the objects that the whole text of a field may name.

        The name of the field says so, or the text means nothing else.
        """
        if not self._is_name(one.scalar.value):
            return
        name = one.scalar.value.rpartition("/")[2]
        kinds = _kinds_in(one.field) or (CONFIG_KINDS if self._is_telling(one) else ())
        for kind in kinds:
            targets = self._resolve(item, one, kind, field)
            way = FIELD if targets else FIELD_OF_OTHERS
            if not targets and not item.id.namespace and one.namespace is None:
                # It may be cluster-scoped, and name what is in its controller's namespace.
                targets = self._near(kind, one.scalar.value, "")
            for target in targets:
                if target is not item:
                    yield Sighting(way, target, item, field, name)

    def _resolve(self, item: Item, one: _NamingText, kind: str, field: str) -> tuple[Item, ...]:
        reference = read_reference(kind, one.scalar, one.namespace, field, NO_RULE)
        return self._index.resolve(item, reference).targets

    def _is_telling(self, one: _NamingText) -> bool:
        """Tell whether a text that is a name can hardly be anything else."""
        # The rules know every field of a pod spec that names an object. Other names in it are those
        # of volumes, ports and containers.
        if one.in_pod or one.field.lower().endswith(ABOUT_OTHERS):
            return False
        if one.field == "name" and "key" in one.around:
            return True  # `{name, key}` selects a key of an object
        if one.field == "name" and (one.parent in _NAMED_ENTRIES or any(map(word_of, one.around))):
            return False  # it is the name of an entry, which says elsewhere what it references
        name = one.scalar.value.rpartition("/")[2]
        return name not in self._others and (
            not name.isalnum() or re.search(_NAMES, one.field) is not None
        )

    def _find_parts(
        self, item: Item, one: _NamingText, field: str, row: ExcludedField
    ) -> Iterator[Sighting]:
        """Yield the objects that a text names, where another program makes objects of the text."""
        known = text(one.namespace) or _deployed_in(item, row)
        whole = one.scalar.value
        is_whole = self._is_name(whole)
        parts = [whole] if is_whole else self._values_in(whole)
        for part in parts:
            before, _, name = part.rpartition("/")
            # A template or a variable says no namespace, so any object of the name may be meant.
            namespace = (before or known) if re.fullmatch(_NAMESPACE, before or known) else ""
            for kind in CONFIG_KINDS:
                resolved = self._resolve(item, one, kind, field) if is_whole else ()
                for target in self._near(kind, name, namespace):
                    way = FIELD if target in resolved else FIELD_OF_OTHERS
                    yield Sighting(way, target, item, field, name)

    def _near(self, kind: str, name: str, namespace: str) -> tuple[Item, ...]:
        near = self._index.find_anywhere_near(kind, name, namespace)
        if (kind, name, namespace) in self._told:
            return near[:1]  # each of many texts about each of many namespaces would be the square
        self._told.add((kind, name, namespace))
        return near

    def _values_in(self, value: str) -> Iterable[str]:
        """Return the names among settings in a text and arguments in its calls, each once."""
        found: dict[str, None] = {}
        kind = ""
        for setting in read_settings(value):
            if setting.key == "kind":
                kind = setting.value
            is_own = (
                setting.key == "name"
                and setting.parent == "metadata"
                and kind not in {"", *CONFIG_KINDS}
            )
            is_own = is_own or _is_own(setting.key, setting.parent)
            if setting.key not in NOT_NAMES and not is_own and self._is_name(setting.value):
                found[setting.value] = None
        for call in re.findall(_CALLS, value):
            found.update(
                (name, None) for name in re.findall(_ARGUMENTS, call) if self._is_name(name)
            )
        return found


def _is_own(field: str, holder: str, path: FieldPath = ()) -> bool:
    """Tell whether a field of a chart's values is about the chart's own objects.

    `holder`: the field around it.
    """
    if field.lower() in _OWN or (field == "name" and holder.lower() in _OWN_HOLDERS):
        return True
    return any(isinstance(key, str) and re.fullmatch(_OWN_MAPPINGS, key.lower()) for key in path)


def _deployed_in(item: Item, row: ExcludedField) -> str:
    """Return the namespace of the objects that another program makes of a field.

    `""`: the item does not say it.
    """
    namespaces = (text(get(item.node, *path.split("."))) for path in row.applied_in or ())
    return next(filter(None, namespaces), "")


def _read_around(hit: Hit) -> _NamingText | None:
    """Read what is around a text; None if it is where no field names another object."""
    path = hit.path
    if path[0] in NOT_WALKED or not PASSED_OVER.isdisjoint(path[1:]):
        return None
    *above, key = [step for step in path if isinstance(step, str)]
    in_list = isinstance(path[-1], int)
    parent = key if in_list else "".join(above[-1:])
    # What is in such a mapping has names that the author chose.
    if not in_list and parent in FREE_KEYS and path[-2] == parent:
        return None
    in_pod = not _CONTAINERS.isdisjoint(above)
    node: Node | None = hit.item.node
    for position, name in enumerate(path[:-1]):
        # The metadata of an object of another kind names that object itself.
        if name == "metadata" and text(get(node, "kind")) not in {"", *CONFIG_KINDS}:
            return None
        node = descend(node, (name,))
        in_pod = in_pod or (name == "spec" and position > 0 and "containers" in fields(node))
    return _NamingText(hit, key, hit.around, parent, in_pod)


@lru_cache(maxsize=8192)
def _kinds_in(field: str) -> tuple[str, ...]:
    """Return the kinds in the name of a field; none where `find_by_shape` reads it."""
    word = word_of(field)
    return () if word is not None and word.form is WordForm.NAME else kinds_said(field)
