"""A live object as an API server gives it, with who owns which of its fields."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Any

from krm_fn.base.item import Item, read_item
from krm_fn.base.keys import LAST_APPLIED, SET
from krm_fn.base.kind import DEPLOYERS, Kind
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Mapping, Node, fields, get, is_mapping
from krm_fn.core.yaml.yaml import read_yaml
from krm_fn.facts.kinds import HASH_LABELS, SERVER_METADATA
from krm_fn.facts.live_fields import APPLIERS, BY_HAND, SERVER_MARKS
from krm_fn.linker.read import below, mapping, mappings_in, text_in

_OF_DEPLOYERS = [(*one.marks, *one.tracks) for one in DEPLOYERS.values()]
MARKS = frozenset([LAST_APPLIED, *SERVER_MARKS, *chain.from_iterable(_OF_DEPLOYERS)])
"""Labels and annotations that deployers and the API server add, so that no rendering has them."""

_MANAGERS = chain.from_iterable(one.managers for one in DEPLOYERS.values())
_KNOWN_APPLIERS = frozenset([*APPLIERS, *_MANAGERS])

_NOT_IN_YAML = re.compile(
    "[^\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


class FieldOwner(NamedTuple):
    """A manager of fields, and those of its fields that are here or below: `{}` for all.

    `subresource`: through which it has written, as `scale`. `is_around`: it owns what this is in as
    a whole, in which there may be defaults of the API server.
    """

    manager: str
    operation: str
    time: str
    fields: dict[str, Any]
    subresource: str = ""
    is_around: bool = False


class LiveManifest(NamedTuple):
    """An object of a cluster.

    `applied`: what was applied last, as kubectl has noted it; None if it has not.

    `keys`: those of a Secret, of which the value has not been read. `stable`: of a Rollout whose update was aborted,
    the name of the ReplicaSet that its pods have gone back to. `owned_by`: the uids of its `ownerReferences`.
    """

    item: Item
    owners: tuple[FieldOwner, ...]
    applied: Node | None
    created: str = ""
    keys: tuple[str, ...] = ()
    controller: bool = False
    stable: str = ""
    uid: str = ""
    owned_by: frozenset[str] = frozenset()

    @property
    def is_immutable(self) -> bool:
        """Tell whether somebody has set `immutable`, where no content has been read: to `true`, almost always."""
        return _is_immutable(self.owners)

    def is_frozen(self, appliers: Collection[str]) -> bool:
        """Tell whether somebody else than a deployer has: nobody sets it to `false` by hand."""
        return _is_immutable(one for one in self.owners if not is_applier(one, appliers))


def read_live(kind: Kind, found: Any) -> LiveManifest:
    """Read an object as an API server gives it, without what it says of itself.

    Only the fields that name a Secret are kept.
    """
    metadata = below(found, "metadata")
    owners = tuple(_read_owners(metadata))
    annotations = mapping(metadata.get("annotations"))
    # It has the values of a Secret.
    applied = text_in(annotations, LAST_APPLIED) if kind.kind != "Secret" else ""
    others = {name: value for name, value in annotations.items() if name != LAST_APPLIED}
    own = {
        name: value
        for name, value in metadata.items()
        if name not in {*SERVER_METADATA, "annotations"}
    }
    own |= {"annotations": others} if others else {}
    body = {
        name: value for name, value in mapping(found).items() if name not in {"status", "metadata"}
    }
    if kind.kind == "Secret" and _is_immutable(owners):
        body["immutable"] = True  # it has not been read; `false` is what nobody has to write
    whole = {**body, "apiVersion": kind.api_version, "kind": kind.kind, "metadata": own}
    owned_by = [*mappings_in(metadata, "ownerReferences")]
    return LiveManifest(
        read_item(read_json(json.dumps(whole, ensure_ascii=False))),
        owners,
        read_json(applied) if applied.startswith("{") else None,
        text_in(metadata, "creationTimestamp"),
        _find_keys(owners) if kind.kind == "Secret" else (),
        any(one.get("controller") is True for one in owned_by),
        _find_stable(found) if kind.kind == "Rollout" else "",
        text_in(metadata, "uid"),
        frozenset(text_in(one, "uid") for one in owned_by),
    )


def _find_stable(rollout: Any) -> str:
    """Return the name of the stable ReplicaSet of an aborted update, as Argo Rollouts makes it (its sync.go)."""
    status = below(rollout, "status")
    stable = text_in(status, "stableRS") if status.get("abort") is True else ""
    return f"{text_in(below(rollout, 'metadata'), 'name')}-{stable}" if stable else ""


def with_template(workload: LiveManifest, replica_set: LiveManifest) -> LiveManifest | None:
    """Return a workload with the pod template from which its controller made a ReplicaSet; None if one has none."""
    before, after = (get(one.item.node, "spec", "template") for one in (workload, replica_set))
    labels = get(after, "metadata", "labels")
    if not (is_mapping(before) and is_mapping(after) and is_mapping(labels)):
        return None
    own = {name: one for name, one in fields(labels).items() if name not in HASH_LABELS}
    template = _replaced(after, "metadata", "labels", by=holding(labels, None, own))
    node = _replaced(workload.item.node, "spec", "template", by=template)
    return workload._replace(item=read_item(node))


def _replaced(node: Node, *path: str, by: Node) -> Any:
    """Return a mapping in which something else is at a path that it has."""
    if not path:
        return by
    found = fields(node)
    return holding(node, None, {**found, path[0]: _replaced(found[path[0]], *path[1:], by=by)})


def holding(live: Node, rendered: Node | None, kept: dict[str, Node]) -> Mapping:
    """Return a mapping with these fields, and their names as one of the two has them."""
    names: dict[str, Node] = {}
    for node in (rendered, live):
        names |= {key.value: key for key, _ in node.value} if is_mapping(node) else {}
    built: Mapping = with_entries(
        live, [(names[name], value) for name, value in kept.items() if name in names]
    )
    return built


def with_entries(node: Any, value: list[Any]) -> Any:
    """Return a mapping or list with other entries, in the place of this one."""
    built = node.copy()
    built.value[:] = value
    return built


def read_json(document: str) -> Any:
    """Read JSON as YAML. Half a surrogate pair is in no text."""
    escaped = _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", document.strip())
    (root,) = read_yaml(re.sub("\\\\ud[89a-f][0-9a-f]{2}", "\ufffd", escaped).encode()).roots
    return root


def _read_owners(metadata: dict[str, Any]) -> Iterator[FieldOwner]:
    for one in mappings_in(metadata, "managedFields"):
        owned = mapping(one.get("fieldsV1"))
        if owned and one.get("subresource") != "status":
            manager, operation, subresource = (
                text_in(one, name) for name in ("manager", "operation", "subresource")
            )
            yield FieldOwner(manager, operation, text_in(one, "time"), owned, subresource)


def _is_immutable(owners: Iterable[FieldOwner]) -> bool:
    return any("f:immutable" in owner.fields for owner in owners)


def _find_keys(owners: Iterable[FieldOwner]) -> tuple[str, ...]:
    found = chain.from_iterable(mapping(owner.fields.get("f:data")) for owner in owners)
    return tuple(sorted({key.removeprefix("f:") for key in found if key.startswith("f:")}))


def is_applier(owner: FieldOwner, appliers: Collection[str]) -> bool:
    """Tell whether the manager of fields is a deployer.

    `appliers`: those that have applied a revision.
    """
    if owner.manager == "kubectl":
        # `kubectl scale` writes `scale`, where kpt applies as kubectl does, without a name.
        return not owner.subresource
    return owner.manager in _KNOWN_APPLIERS or owner.manager in appliers


def find_appliers(objects: Iterable[LiveManifest]) -> frozenset[str]:
    """Return who has set the label of a set, but by hand: whoever applies a revision applies the whole rendering."""
    found: set[str] = set()
    for one in objects:
        for owner in one.owners:
            if f"f:{SET}" in below(owner.fields, "f:metadata.f:labels"):
                found.add(owner.manager)
    return frozenset(found) - frozenset(BY_HAND)
