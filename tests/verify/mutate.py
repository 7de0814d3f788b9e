"""Every small change of an object, made from its content and from the schema that Kubernetes publishes for its kind.

Each field is removed, or gets another value, or one of another type; a list loses an entry, or gets a copy of one; a
mapping gets an entry that its schema allows; the metadata gets every label and annotation that a deployer or the
function itself reads; a reference to a ConfigMap becomes one to a Secret, and the other way.
"""

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from krm_fn.base import keys
from tests.function.openapi import resolved, schema_of

Object: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str | int, ...]

READ_BY_OTHERS: dict[str, tuple[str, ...]] = {
    "argocd.argoproj.io/sync-options": (
        "Prune=true",
        "Replace=true",
        "Force=true,Replace=true",
        "ServerSideApply=true",
    ),
    "argocd.argoproj.io/compare-options": ("IgnoreExtraneous", "ServerSideDiff=true"),
    "argocd.argoproj.io/hook": ("PreSync", "PostSync", "Skip"),
    "argocd.argoproj.io/hook-delete-policy": ("HookSucceeded",),
    "argocd.argoproj.io/sync-wave": ("-1", "0", "1"),
    "argocd.argoproj.io/tracking-id": ("shop:/ConfigMap:shop/x",),
    "kustomize.toolkit.fluxcd.io/prune": ("disabled", "enabled"),
    "kustomize.toolkit.fluxcd.io/reconcile": ("disabled", "Disabled", "enabled"),
    "kustomize.toolkit.fluxcd.io/ssa": ("Ignore", "IfNotPresent", "Merge", "Override"),
    "kustomize.toolkit.fluxcd.io/force": ("enabled",),
    "client.lifecycle.config.k8s.io/deletion": ("detach", "delete"),
    "config.kubernetes.io/local-config": ("true", "false"),
    "config.kubernetes.io/depends-on": ("/namespaces/shop/ConfigMap/x",),
    "helm.sh/hook": ("pre-install", "post-upgrade"),
    "helm.sh/resource-policy": ("keep",),
    "kapp.k14s.io/versioned": ("",),
    "kapp.k14s.io/noop": ("",),
    "example.com/team": ("a",),
    keys.RETAIN: ("true",),
    keys.STRATEGY: ("ignore",),
    keys.OWNS_SECRET: ("true",),
}
LABELS: dict[str, tuple[str, ...]] = {
    keys.SET: ("other",),
    keys.COMPONENT: (keys.LINKER, keys.TRACKER),
    "kustomize.toolkit.fluxcd.io/reconcile": ("disabled",),
    "kustomize.toolkit.fluxcd.io/prune": ("enabled",),
    "app.kubernetes.io/instance": ("shop",),
}
NOT_CHANGED = ("apiVersion", "kind")
REFERENCES = ("envFrom", "env", "volumes")
OF_CLUSTER = ("creationTimestamp", "deletionTimestamp", "generation", "selfLink")
"""Metadata that the API server passes over in what is applied."""

OTHER_KIND = {
    "configMap": ("secret", {"name": "secretName"}),
    "secret": ("configMap", {"secretName": "name"}),
    "configMapRef": ("secretRef", {}),
    "secretRef": ("configMapRef", {}),
    "configMapKeyRef": ("secretKeyRef", {}),
    "secretKeyRef": ("configMapKeyRef", {}),
}
"""The field that refers to the other kind, and what the name is called there."""


class Mutation(NamedTuple):
    """A change of one object. `name` says what was done, and where."""

    name: str
    item: Object


def mutations(item: Object, *, is_ours: bool) -> Iterator[Mutation]:
    """Yield the changes of an object. Of one that is not `is_ours`, only its references change."""
    who = f"{item['kind']}/{item['metadata']['name']}"
    yield from _Fields(item, who, is_ours=is_ours).change(item, (), schema_of(item))
    for where, table in (("annotations", READ_BY_OTHERS), ("labels", LABELS)) if is_ours else ():
        for name, values in table.items():
            for value in values:
                if item["metadata"].get(where, {}).get(name) != value:
                    changed = copy.deepcopy(item)
                    changed["metadata"].setdefault(where, {})[name] = value
                    yield Mutation(f"{who} {where[:-1]} {name}={value}", changed)


class _Fields:
    """The changes of the fields of one object, as its schema allows them."""

    def __init__(self, item: Object, who: str, *, is_ours: bool) -> None:
        self._item = item
        self._who = who
        self._is_ours = is_ours

    def change(self, value: Any, path: Path, schema: dict[str, Any]) -> Iterator[Mutation]:
        schema = resolved(schema)
        is_reached = self._is_ours or any(one in path for one in REFERENCES)
        if path and is_reached and path[0] not in NOT_CHANGED:
            yield Mutation(f"{self._who} without {_spell(path)}", _without(self._item, path))
            for other in (*_others(value, schema), *_of_other_types(value)):
                yield self._put(path, other, "=")
        if isinstance(value, dict):
            yield from self._change_mapping(value, path, schema, is_reached=is_reached)
        elif isinstance(value, list):
            for place, inner in enumerate(value):
                yield from self.change(inner, (*path, place), schema.get("items", {}))
            if value and is_reached:
                more = copy.deepcopy(value[-1])
                if isinstance(more, dict) and "name" in more:
                    more["name"] = "other"
                name = f"{self._who} {_spell(path)} with another entry"
                yield Mutation(name, _with(self._item, path, [*value, more]))
                if more != value[-1]:
                    name = f"{self._who} {_spell(path)} with one entry twice"
                    yield Mutation(name, _with(self._item, path, [*value, value[-1]]))

    def _change_mapping(
        self, value: Object, path: Path, schema: dict[str, Any], *, is_reached: bool
    ) -> Iterator[Mutation]:
        properties = schema.get("properties", {})
        for name, inner in value.items():
            below = properties.get(name) or schema.get("additionalProperties") or {}
            yield from self.change(inner, (*path, name), below if isinstance(below, dict) else {})
        for name, inner in properties.items() if is_reached else ():
            is_passed_over = path == ("metadata",) and name in OF_CLUSTER
            if name not in value and (*path, name) != ("status",) and not is_passed_over:
                for added in _samples(inner):
                    yield self._put((*path, name), added, " added as ")
        for name in value if is_reached else ():
            if name in OTHER_KIND and isinstance(value[name], dict):
                other, names = OTHER_KIND[name]
                rest = {key: inner for key, inner in value.items() if key != name}
                moved = {names.get(key, key): inner for key, inner in value[name].items()}
                changed = _with(self._item, path, {**rest, other: moved})
                yield Mutation(f"{self._who} {_spell((*path, name))} as {other}", changed)

    def _put(self, path: Path, value: Any, how: str) -> Mutation:
        return Mutation(f"{self._who} {_spell(path)}{how}{value!r}", _with(self._item, path, value))


def _spell(path: Path) -> str:
    return ".".join(map(str, path))


def _others(value: Any, schema: dict[str, Any]) -> Iterator[Any]:
    """Yield other values of a scalar."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, 0)
    elif isinstance(value, str):
        yield from (one for one in schema.get("enum", ()) if one != value)
        if value:
            middle = len(value) // 2
            yield f"{value[:middle]}{'xy'[value[middle] == 'x']}{value[middle + 1 :]}"
            yield value[:-1]


def _of_other_types(value: Any) -> Iterator[Any]:
    """Yield what people write by mistake in the place of a value: with quotes, or without."""
    if isinstance(value, bool):
        yield str(value).lower()
    elif isinstance(value, int):
        yield str(value)
    elif isinstance(value, str):
        yield from (True, 1)
    else:
        yield "other"


def _samples(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield values of a field that the object does not have."""
    schema = resolved(schema)
    kinds = schema.get("type", "object")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if "enum" in schema:
        yield from schema["enum"]
    elif kind == "boolean":
        yield from (True, False)
    elif kind in ("integer", "number"):
        yield from (0, 1)
    elif kind == "string":
        yield "other"
    elif kind == "array":
        yield [next(_samples(schema.get("items", {})))]
    elif "properties" in schema:
        yield {
            name: next(_samples(schema["properties"][name])) for name in schema.get("required", ())
        }
    else:
        yield {"example.com/other": "a"}


def _without(item: Object, path: Path) -> Object:
    changed = copy.deepcopy(item)
    above: Any = changed
    for step in path[:-1]:
        above = above[step]
    del above[path[-1]]
    return changed


def _with(item: Object, path: Path, value: Any) -> Object:
    changed = copy.deepcopy(item)
    above: Any = changed
    for step in path[:-1]:
        above = above[step]
    above[path[-1]] = value
    return changed
