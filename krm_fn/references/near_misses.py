"""Find fields of custom resources that seem to name a ConfigMap or Secret of the package, and that no rule follows."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from krm_fn.model.item import CONFIG_KINDS, Item
from krm_fn.model.node import Node, Scalar, fields, is_null, is_scalar
from krm_fn.references.field_specs import beside
from krm_fn.references.find import may_refer, split_lookalikes
from krm_fn.references.find_by_shape import NOT_WALKED, Path, spell_path
from krm_fn.references.reference import Reference, ResolvedReference, read_reference
from krm_fn.references.releases import read_releases
from krm_fn.references.resolve import Index
from krm_fn.references.rule import By, Rule
from krm_fn.references.shapes import FREE_KEYS, PASSED_OVER, Form, word_of

BUILT_IN_GROUPS = frozenset(
    {
        *("", "apps", "autoscaling", "batch", "extensions", "policy"),
        *(
            f"{name}.k8s.io"
            for name in (
                *("admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization"),
                *("certificates", "coordination", "discovery", "events", "flowcontrol.apiserver", "internal.apiserver"),
                *("networking", "node", "rbac.authorization", "resource", "scheduling", "storage", "storagemigration"),
            )
        ),
    }
)
"""Groups of Kubernetes' own API server: the tables know every field of their kinds."""

_OTHER_THINGS = ("key", "keys", "namespace", "namespaces", "path", "prefix", "type")
"""Ends of field names, such as `secretKey` and `secretNamespace`, that hold something else than an object's name."""

_OWN = frozenset(
    {
        # An application's own name, and what it is called by its parts (app-template: `controller`, `identifier`).
        *("fullnameoverride", "nameoverride", "namespaceoverride", "releasename", "controller", "identifier"),
        # Objects of other kinds
        *("existingclaim", "claimname", "volumename", "storageclass", "storageclassname", "existingvolume"),
        *("ingressclass", "ingressclassname", "classname", "priorityclassname", "runtimeclassname", "schedulername"),
        *("servicename", "serviceaccountname", "namespace", "targetnamespace"),
        # Places, and who somebody is there
        *("host", "hostname", "mountpath", "subpath", "path", "database", "dbname", "user", "username"),
    }
)
"""Fields in the values of charts, in small letters, whose text names no ConfigMap and no Secret."""

_OWN_HOLDERS = frozenset({"service", "serviceaccount", "ingress", "controller", "image", "port"})
"""Fields in the values of charts, in small letters, whose `name` is that of something else."""

_OWN_MAPPINGS = r"\w*labels|(?:label|namespace|node|pod|service)?selector"
"""Mappings in the values of charts, in small letters, whose texts describe the chart's own objects, or nodes."""

_NONE = Rule(By.SHAPE, "")
"""No rule has found it."""


class NearMiss(NamedTuple):
    """A field of `referrer` whose text is a name of `target`."""

    referrer: Item
    field: str
    target: Item


def find_unfollowed(items: Iterable[Item], references: Iterable[ResolvedReference], index: Index) -> list[NearMiss]:
    """Find texts that are the name of a ConfigMap or Secret in fields that no rule reads.

    Only custom resources are looked at, and only fields whose own name contains `configmap` or `secret`. A field of
    `references` is followed, or known to be written by a controller; a field in `NOT_REFERENCES` is no reference.
    Values of a Helm chart count under nearly every name: the chart may read the object, or create one of that name.
    """
    customs = [item for item in items if _is_custom(item)]
    if not customs:
        return []
    followed = {resolved.reference.name for resolved in references}
    misses = []
    for item in customs:
        candidates: list[Reference] = []
        _collect(item.node, None, "", candidates)
        candidates = split_lookalikes(candidates, item.id).references + _chart_values(item)
        found = {(one.kind, one.field): one for one in candidates if one.name not in followed}
        for reference in found.values():
            targets = index.resolve(item, reference).targets
            misses += [NearMiss(item, reference.field, target) for target in targets]
    return misses


def _chart_values(item: Item) -> list[Reference]:
    """Return every text in the values of a HelmRelease or an Application, as a name of either kind."""
    texts: list[Reference] = []
    for release in read_releases(item.node, item.id):
        found: list[Reference] = []
        _collect_texts(release.values, release.path, found)
        texts += map(release.place, found)
    return texts


def _collect_texts(node: Node, path: Path, found: list[Reference], holder: str = "") -> None:
    """Collect the texts below a field of a chart's values. `holder`: the field around it, in small letters."""
    if node.id == "scalar":
        _add(CONFIG_KINDS, node, None, path, found)
    elif node.id == "sequence":
        for index, element in enumerate(node.value):
            _collect_texts(element, (path, index), found, holder)
    else:
        for name, value in fields(node).items():
            field = name.lower()
            is_own = field in _OWN or (field == "name" and holder in _OWN_HOLDERS)
            if not (is_own and value.id == "scalar") and not re.fullmatch(_OWN_MAPPINGS, field):
                _collect_texts(value, (path, name), found, field)


def _is_custom(item: Item) -> bool:
    return item.id.group not in BUILT_IN_GROUPS and may_refer(item.id) and not item.is_local


def _collect(node: Node, path: Path, key: str, found: list[Reference]) -> None:
    """Collect the texts of fields with a telling name, below the value of field `key`."""
    if node.id == "sequence":
        kinds = _kinds_in(key)
        for index, element in enumerate(node.value):
            if element.id != "scalar":
                _collect(element, (path, index), "", found)
            elif kinds:
                _add(kinds, element, None, (path, index), found)
        return
    held = fields(node)
    for name, value in held.items():
        if name in (PASSED_OVER if path else NOT_WALKED):
            continue
        if value.id != "scalar":
            _collect(value, (path, name), name, found)
        elif key not in FREE_KEYS and (kinds := _kinds_in(name)):
            _add(kinds, value, beside(held, name), (path, name), found)


@lru_cache(maxsize=8192)
def _kinds_in(field: str) -> tuple[str, ...]:
    """Return the kinds that a field's name contains, none for names that `find_by_shape` reads as names."""
    word = word_of(field)
    plain = field.lower().replace("-", "").replace("_", "")
    if (word is not None and word.form is Form.NAME) or plain.endswith(_OTHER_THINGS):
        return ()
    return tuple(kind for kind in CONFIG_KINDS if kind.lower() in plain)


def _add(kinds: tuple[str, ...], name: Node, namespace: Scalar | None, path: Path, found: list[Reference]) -> None:
    if is_scalar(name) and name.value and not is_null(name):
        field = spell_path(path)
        found += [read_reference(kind, name, namespace, field, _NONE) for kind in kinds]
