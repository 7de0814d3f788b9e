"""A live object as its author would have written it, so that it can be compared with a rendering.

What applying does not change is left out: what the API server, controllers and others have added,
where the rendering says nothing of it. What is equal is written as in the rendering: the API server
writes `0644` as `420`, and leaves out what is empty. Fields that the rendering no longer has are
kept if applying removes them: the owners of fields tell.
"""

import json
from collections.abc import Collection, Container, Iterable, Iterator
from itertools import chain

from krm_fn.base.go_yaml import is_text, read_number, read_timestamp
from krm_fn.base.item import Item, data_keys, read_item
from krm_fn.base.keys import BY_HELM, MANAGED_BY
from krm_fn.base.kind import BUILT_IN_GROUPS
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    elements,
    fields,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    step,
    text,
)
from krm_fn.facts.kinds import SERVER_METADATA
from krm_fn.facts.live_fields import BY_HAND, OPEN_MAPS, TWINS, TYPED, WRITTEN_BACK
from krm_fn.linker.read import mapping
from krm_fn.report.object_change import HandEdit
from krm_fn.report.secrets import UNREAD
from krm_fn.tools.common.rendered import is_internal
from krm_fn.tools.common.stored import (
    FALSE,
    TOP,
    TRUE,
    FieldNames,
    element_of,
    field_of,
    is_default,
    is_default_policy,
    is_not_stored,
    is_quantity,
    read_quantity,
)
from krm_fn.tools.diff.tree import MERGE_KEYS
from krm_fn.tools.live.live_object import (
    MARKS,
    FieldOwner,
    LiveManifest,
    holding,
    is_applier,
    read_json,
    with_entries,
)


class Projection(NamedTuple):
    """A live object as far as the rendering or its deployer has to do with it.

    `edits` are the fields that others have set to what the rendering does not say, and `kept` those
    that somebody has added by hand and that applying does not remove. `unread`: those set by hand
    whose values have not been read. `is_guess`: nothing tells exactly what was applied.
    """

    item: Item
    edits: tuple[HandEdit, ...]
    kept: tuple[HandEdit, ...]
    unread: tuple[HandEdit, ...]
    is_guess: bool


def project(live: LiveManifest, rendered: Item, appliers: Collection[str]) -> Projection:
    """Leave out what applying a rendering does not change."""
    projector = _Projector(live, rendered.id.kind, appliers)
    return projector.project(live.item, rendered)


class _Place(NamedTuple):
    """Where a field is: its path for people, the names of the field and of what it is in, and who owns it.

    `applied` is what was applied last; None if that does not have the field. `is_typed`: who stores the
    object has a type for it, so that what is empty is left out, and quantities are spelled in one way. `is_replaced`:
    it is in a list that is always replaced as a whole, as nothing tells its elements apart.
    """

    path: str
    names: FieldNames
    owners: tuple[FieldOwner, ...]
    applied: Node | None
    is_typed: bool
    is_replaced: bool = False

    def field(self, name: str) -> "_Place":
        owners = _descend(self.owners, f"f:{name}")
        below = step(self.path, name), field_of(self.names, name)
        return _Place(*below, owners, get(self.applied, name), *self[4:])

    def element(self, key: str, node: Node, index: int) -> "_Place":
        """Return the place of an element of a list.

        `key`: the field that tells elements apart, `""` for none.
        """
        name = text(get(node, key)) if key else str(index)
        steps: set[str] = set()
        for owner in self.owners:
            steps |= {one for one in owner.fields if _means(one, node)}
        owners = tuple(chain.from_iterable(_descend(self.owners, found) for found in steps or {""}))
        alike = (one for one in elements(self.applied) if key and text(get(one, key)) == name)
        below = f"{self.path}[{name}]", element_of(self.names)
        return _Place(
            *below,
            owners,
            next(alike, None),
            self.is_typed,
            is_replaced=self.is_replaced or not key,
        )


def _descend(owners: Iterable[FieldOwner], name: str) -> tuple[FieldOwner, ...]:
    """Return the owners of a field. The owner of all that is around it owns it too."""
    found: list[FieldOwner] = []
    for one in owners:
        inner = one.fields.get(name) if one.fields else {}
        if inner is not None:
            found.append(one._replace(fields=mapping(inner), is_around=not one.fields))
    return tuple(found)


def _means(one: str, node: Node) -> bool:
    """Tell whether a step of an owner's path is an element: `k:{"name":"web"}` or `v:"web"`."""
    try:
        said = json.loads(one[2:]) if one.startswith(("k:", "v:")) else None
    except ValueError:
        return False
    if one.startswith("v:"):
        return is_scalar(node) and node.value == str(said)
    return bool(said) and all(
        _text(get(node, name)) == str(value) for name, value in mapping(said).items()
    )


def _text(node: Node | None) -> str:
    return node.value if is_scalar(node) else ""


class _Projector:
    def __init__(self, live: LiveManifest, kind: str, appliers: Collection[str]) -> None:
        self._live = live
        self._appliers = appliers
        self._kind = kind
        self._is_built_in = live.item.id.group in BUILT_IN_GROUPS
        self._is_written_back = (live.item.id.group, kind) in WRITTEN_BACK
        # All its defaults are known, so that what is no default was written by somebody.
        self._is_known = self._is_written_back or (self._is_built_in and kind in TYPED)
        self._is_secret = kind == "Secret"
        own = [one for one in live.owners if is_applier(one, appliers)]
        self._is_server_side = any(one.operation == "Apply" for one in own)
        self._is_guess = bool(live.owners) and not (
            self._is_server_side or live.applied or self._is_secret
        )
        self._edits: list[HandEdit] = []
        self._kept: list[HandEdit] = []
        self._unread: list[HandEdit] = []

    def project(self, item: Item, rendered: Item) -> Projection:
        is_typed = self._is_built_in or self._is_written_back
        root = _Place("", TOP, self._live.owners, self._live.applied, is_typed)
        before, after = fields(item.node), fields(rendered.node)
        kept: dict[str, Node] = {}
        known = {"apiVersion", "kind", "metadata"}
        if self._knows_immutable(before, after):
            known.add("immutable")
        for name in (*before, *(name for name in after if name not in before)):
            is_content = self._is_secret and name not in known
            if name == "status" or is_content:
                found = after.get(name)  # another request sets it, or it has not been read
            elif name == "metadata":
                found = self._project_metadata(before[name], after.get(name), root.field(name))
            elif name in before:
                found = self._project(after.get(name), before[name], root.field(name))
            else:
                found = after[name] if _is_nothing(after[name], root.field(name)) else None
            if found is not None:
                kept[name] = found
        if self._is_secret and self._live.keys:
            kept |= self._project_keys(rendered, root.field("data"))
        built = read_item(holding(item.node, rendered.node, kept))
        return Projection(
            built,
            tuple(self._edits),
            tuple(self._kept),
            tuple(self._unread),
            self._is_guess and not self._is_known,
        )

    def _knows_immutable(self, before: Container[str], after: Container[str]) -> bool:
        """Tell whether one knows if a Secret is immutable: a deployer may have set `false`, as it is rendered."""
        if "immutable" not in after:
            return True
        if "immutable" in before:
            return self._live.is_frozen(self._appliers)
        return bool(self._live.owners)

    def _project_keys(self, rendered: Item, place: _Place) -> dict[str, Node]:
        """Take the values of a Secret for equal, as they have not been read, and only keep what keys it has."""
        keys = self._live.keys
        known = data_keys(rendered)
        found = {field: get(rendered.node, field) for field in ("data", "stringData")}
        kept: dict[str, Node] = {}
        for field, node in found.items():
            if is_mapping(node):
                there = {key: one for key, one in fields(node).items() if key in keys}
                kept[field] = holding(node, None, there)
        for key in keys:
            self._unread += self._by_hand(place.field(key)) if key in known else ()
        others = [key for key in keys if key not in known]
        more = [key for key in others if self._is_removed(place.field(key))]
        for key in others:
            self._kept += self._by_hand(place.field(key)) if key not in more else ()
        if more:
            unread = read_json(json.dumps(dict.fromkeys(more, ""), ensure_ascii=False))
            for _, value in unread.value:
                value.tag = UNREAD
            field = next(iter(kept), "data")
            unread.value += kept[field].value if field in kept else []
            kept[field] = unread
        return kept

    def _project_metadata(self, live: Node, rendered: Node | None, place: _Place) -> Node:
        """Keep the name, and leave out what the API server writes."""
        after, before = fields(rendered), fields(live)
        annotations = fields(after.get("annotations"))
        if is_mapping(rendered) and annotations and all(map(is_internal, annotations)):
            # Those of kustomize and kpt are for tools, and never applied.
            after = {name: one for name, one in after.items() if name != "annotations"}
            rendered = holding(rendered, None, after)
        # Only something that stands for it has been seen.
        is_unknown = self._is_secret and not self._live.owners
        whole = rendered if is_unknown else self._project(rendered, live, place)
        kept = fields(whole) | {name: one for name, one in after.items() if name in SERVER_METADATA}
        # A rendering may leave the namespace to those who apply it.
        kept.pop("namespace", None)
        for name in ("name", "namespace"):
            if name in before and (name == "name" or name in after):
                kept[name] = before[name]
        return holding(live, rendered, kept)

    def _project(self, rendered: Node | None, live: Node, place: _Place) -> Node | None:
        if rendered is None:
            return self._keep_removed(live, place)
        is_label = place.names[:2] == ("labels", MANAGED_BY)
        is_of_helm = is_label and text(live) == BY_HELM  # which it writes each time
        is_nothing = is_null(live) and _is_nothing(rendered, place)
        if is_of_helm or is_nothing or is_null(rendered):
            return rendered  # to apply null is to ask for the default
        if is_mapping(rendered) and is_mapping(live):
            return self._project_mapping(rendered, live, place)
        if is_sequence(rendered) and is_sequence(live):
            return self._project_list(rendered, live, place)
        if is_scalar(rendered) and is_scalar(live) and _is_same(rendered, live, place):
            return rendered
        self._edits += (
            _edit(one, place) for one in place.owners if not is_applier(one, self._appliers)
        )
        return live

    def _project_mapping(self, rendered: Mapping, live: Mapping, place: _Place) -> Node:
        after = fields(rendered)
        kept: dict[str, Node] = {}
        for name, value in fields(live).items():
            is_left_out = name == "imagePullPolicy" and name not in after and self._is_built_in
            if is_left_out and is_default_policy(value, after.get("image")):
                continue
            found = self._project(after.get(name), value, place.field(name))
            if found is not None:
                kept[name] = found
        # The API server does not store an empty field, so that it is no change.
        for name, wanted in after.items():
            if name not in kept and _is_nothing(wanted, place.field(name)):
                kept[name] = wanted
        return holding(live, rendered, kept)

    def _project_list(self, rendered: Sequence, live: Sequence, place: _Place) -> Node:
        key = _find_key(rendered.value, live.value)
        kept: list[Node] = []
        for index, (one, after) in enumerate(_pair(rendered.value, live.value, key)):
            found = self._project(after, one, place.element(key, one, index))
            if found is None and not (key and all(owner.fields for owner in place.owners)):
                found = one  # the list as a whole is replaced
            if found is not None:
                kept.append(found)
        built: Node = with_entries(live, kept)
        return built

    def _keep_removed(self, live: Node, place: _Place) -> Node | None:
        """Keep what applying removes of a field that the rendering does not have."""
        is_mark = place.names[0] in {"labels", "annotations"} and place.names[1] in MARKS
        if is_mark or self._comes_again(live, place):
            return None
        is_whole = any(not one.fields and not one.is_around for one in place.owners)
        is_whole = is_whole or (self._is_guess and place.path.endswith("]"))
        if is_whole and self._is_removed(place):
            return live
        if is_mapping(live) and live.value:
            inner = {
                one: self._keep_removed(value, place.field(one))
                for one, value in fields(live).items()
            }
            kept = {one: value for one, value in inner.items() if value is not None}
            return holding(live, None, kept) if kept else None
        if is_sequence(live) and live.value and all(owner.fields for owner in place.owners):
            key = _find_key([], live.value)
            found = [
                self._keep_removed(one, place.element(key, one, at))
                for at, one in enumerate(live.value)
            ]
            removed: Node = with_entries(live, [one for one in found if one is not None])
            return removed if removed.value else None
        if self._is_removed(place):
            return live
        self._kept += self._by_hand(place)
        return None

    def _comes_again(self, live: Node, place: _Place) -> bool:
        """Tell whether the API server writes a field again that somebody removes."""
        is_empty = place.is_typed and is_mapping(live) and is_not_stored(live, place.names)
        is_twin = self._is_built_in and self._is_known and place.names[1] in TWINS
        return (
            is_empty
            or is_twin
            or is_default(live, place.names, self._kind, of_pods=self._is_built_in)
        )

    def _by_hand(self, place: _Place) -> Iterator[HandEdit]:
        for one in place.owners:
            # An apply by kubectl may be the deployer of this cluster.
            if one.manager in BY_HAND and not is_applier(one, self._appliers):
                yield _edit(one, place)

    def _is_removed(self, place: _Place) -> bool:
        """Tell whether applying removes a field, by the rules of the request that the deployer sends.

        Server-side apply removes what the deployer has applied and nobody else owns; other requests what they have
        applied before, if they know that. Helm does, but not where one can see it: it owns what it applied, and every
        default of that time. So only what has no default counts.
        """
        if place.is_replaced and self._is_known:
            return True
        own = [one for one in place.owners if is_applier(one, self._appliers)]
        has_no_default = (
            self._is_known
            or place.names[0] in OPEN_MAPS
            or place.path.endswith("]")
            or place.path == "immutable"
        )
        if self._is_server_side:
            has_applied = False
            for one in own:
                is_exact = has_no_default or not one.is_around
                has_applied |= one.operation == "Apply" and is_exact
            return has_applied and len(own) == len(place.owners)
        if self._live.applied is not None:
            return place.applied is not None
        return (
            bool(own) and len(own) == len(place.owners) and has_no_default and self._kind != "Pod"
        )


def _edit(owner: FieldOwner, place: _Place) -> HandEdit:
    return HandEdit(place.path, owner.manager, owner.time)


def _find_key(rendered: list[Node], live: list[Node]) -> str:
    """Return the field that tells the elements of both lists apart; `""` if there is none."""

    def tells(key: str, nodes: list[Node]) -> bool:
        names = {text(get(node, key)) for node in nodes}
        return "" not in names and len(names) == len(nodes)

    return next((key for key in MERGE_KEYS if tells(key, rendered) and tells(key, live)), "")


def _pair(rendered: list[Node], live: list[Node], key: str) -> Iterator[tuple[Node, Node | None]]:
    """Yield the live elements, each with that of the rendering."""
    if key:
        by_name = {text(get(one, key)): one for one in rendered}
        yield from ((one, by_name.get(text(get(one, key)))) for one in live)
        return
    # Without a name: the one that it says all of, else the next one.
    left = list(rendered)
    found: list[Node | None] = []
    for one in live:
        equal = next((other for other in left if _says(one, other, _NOWHERE)), None)
        found.append(equal)
        if equal is not None:
            left.remove(equal)
    for one, equal in zip(live, found, strict=True):
        yield one, equal if equal is not None or not left else left.pop(0)


_NOWHERE = _Place("", TOP, (), None, is_typed=True)


def _says(live: Node, rendered: Node, place: _Place) -> bool:
    """Tell whether a live value says all that the rendered one says."""
    if is_mapping(rendered) and is_mapping(live):
        before = fields(live)
        for name, wanted in fields(rendered).items():
            inner = place.field(name)
            if name not in before and not _is_nothing(wanted, inner):
                return False
            if name in before and not _says(before[name], wanted, inner):
                return False
        return True
    if is_sequence(rendered) and is_sequence(live):
        pairs = zip(live.value, rendered.value, strict=False)
        return len(live.value) == len(rendered.value) and all(
            _says(one, other, place) for one, other in pairs
        )
    return is_scalar(rendered) and is_scalar(live) and _is_same(rendered, live, place)


def _is_nothing(rendered: Node, place: _Place) -> bool:
    """Tell whether the API server stores nothing for a field, as it is empty."""
    return is_null(rendered) or (place.is_typed and is_not_stored(rendered, place.names))


def _is_same(rendered: Scalar, live: Scalar, place: _Place) -> bool:
    """Tell whether a scalar of YAML is what the API server has stored.

    `live` is JSON: text has quotes.
    """
    if place.is_typed and is_quantity(place.names):
        return (
            rendered.value == live.value
            or read_quantity(rendered.value) == read_quantity(live.value) is not None
        )
    if live.style:
        return rendered.value == live.value and (
            is_text(rendered) or read_timestamp(rendered.value) is not None
        )
    if rendered.style:
        return False
    if live.value in {"true", "false"}:
        return rendered.value.lower() in (TRUE if live.value == "true" else FALSE)
    is_number = rendered.value[:1] in "+-.0123456789"
    return is_number and read_number(rendered.value) == read_number(live.value)
