"""Read the objects of a cluster that belong to a rendering.

It only lists: names and metadata first, and content of what is compared.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from krm_fn.base import keys
from krm_fn.base.item import (
    CONFIG_KINDS,
    Item,
    is_emitted,
    is_revision,
    is_secret_tracker,
    listed_revisions,
)
from krm_fn.base.kind import KINDS, Kind, kind_of
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import get, scalars, text
from krm_fn.base.pods import find_templates
from krm_fn.core.names.names import base_name
from krm_fn.linker.api import Api, Forbidden, NotServed, Refused
from krm_fn.linker.live_cluster import CONFIG_MAPS, SECRETS, Lists, find_resources
from krm_fn.linker.read import below, mapping, text_in
from krm_fn.report.object_change import is_immutable
from krm_fn.tools.diff.pair import Release, emitted_base
from krm_fn.tools.history.ask import patience
from krm_fn.tools.live.live_object import LiveManifest, find_appliers, read_live, with_template
from krm_fn.tools.render.render import TRACKS, find_tracks

_JOB = "Job"

_REPLICA_SETS = KINDS["apps", "ReplicaSet"]


class LiveManifests(NamedTuple):
    """The objects that there are. `unseen`: group and kind of what could not be listed; `notes` say why.

    `frozen`: kind, namespace and name of each ConfigMap and Secret that is immutable, compared or not. `running`: the
    workloads whose pods run another template than theirs, with the one that they run.
    """

    objects: list[LiveManifest]
    unseen: frozenset[tuple[str, str]]
    notes: tuple[str, ...]
    frozen: frozenset[tuple[str, str, str]] = frozenset()
    running: Mapping[Item, LiveManifest] = MappingProxyType({})


class ClusterReader:
    """The objects of a cluster that a rendering is about.

    Raises ApiError; Forbidden for ConfigMaps.
    """

    def __init__(self, api: Api, namespace: str, say: Callable[[str], None]) -> None:
        self._api = api
        self._namespace = namespace
        self._say = say
        self._notes: list[str] = []
        self._unseen: set[tuple[str, str]] = set()
        self._resources: dict[str, list[dict[str, Any]] | None] = {}

    def read(self, release: Release, own_set: str = "") -> LiveManifests:
        """Read what is live. `own_set`: the set of the configuration, of which nothing may be rendered any more."""
        wanted: dict[tuple[Kind, str], set[str]] = defaultdict(set)
        for item in (*release.package.authored, *release.package.emitted):
            kind = release.package.kinds.of(item.id)
            namespace = (
                (release.package.namespace_of(item) or self._namespace)
                if kind.is_namespaced
                else ""
            )
            wanted[kind, namespace] |= {item.id.name, base_name(item)}  # it may become a revision
        kinds = dict.fromkeys(kind for kind, _ in wanted)
        served = {kind: self._find_served(kind) for kind in kinds}
        listed: list[LiveManifest] = []
        for (kind, namespace), names in wanted.items():
            asked = served[kind]
            if asked is not None:
                listed += self._list(asked, namespace if asked.is_namespaced else "", names)
        chosen = [*choose_compared(listed, release, own_set)]
        if ("", "Secret") in self._unseen:
            chosen += map(_stand_in, [one.item for one in chosen if is_secret_tracker(one.item)])
        objects = [*self._with_content(chosen)]
        frozen = {one.item.id[1:] for one in listed if one.item.is_config and one.is_immutable}
        frozen.difference_update(self._find_mutable(listed, release))
        # Who has set the field may have set it to `false`, which only the content tells.
        frozen -= {
            one.item.id[1:] for one in objects if _has_content(one) and not is_immutable(one.item)
        }
        running = {one.item: found for one in chosen for found in self._find_running(one)}
        return LiveManifests(
            objects,
            frozenset(self._unseen),
            tuple(self._notes),
            frozenset(frozen),
            running,
        )

    def _find_mutable(
        self, listed: Collection[LiveManifest], release: Release
    ) -> Iterator[tuple[str, str, str]]:
        """Yield each Secret that is rendered with `immutable: false`, where the deployer has set the field."""
        appliers = find_appliers(listed)
        rendered = {
            (item.id.kind, release.package.namespace_of(item) or self._namespace, item.id.name)
            for item in release.package.authored
            if item.is_config and text(get(item.node, "immutable")).lower() == "false"
        }
        for one in listed:
            if one.item.id[1:] in rendered and not one.is_frozen(appliers):
                yield one.item.id[1:]

    def _find_running(self, one: LiveManifest) -> Iterator[LiveManifest]:
        """Yield a Rollout whose update was aborted with the template that its pods run, if that may be read."""
        if not one.stable:
            return
        self._api.deadline = patience(self._say)
        lists = Lists(self._api, one.item.id.namespace)
        read = partial(read_live, _REPLICA_SETS)
        try:
            found = lists.read(_REPLICA_SETS, read, fieldSelector=f"metadata.name={one.stable}")
        except Refused as error:
            self._note_unseen(_REPLICA_SETS, one.item.id.namespace, error)
            return
        for replica_set in found.items:
            running = with_template(one, replica_set)
            if running is not None:
                yield running

    def _find_served(self, kind: Kind) -> Kind | None:
        """Return a kind with its plural and scope; None if the API server does not have it.

        It is asked about kinds that no table has. Every user may read which resources there are;
        where the answer is something else, the name suggests plural and scope.
        """
        if kind.group_kind in KINDS or _is_config(kind):
            return kind
        resources = self._find_resources(kind.api_version)
        if resources is None:
            return kind
        for one in resources:
            if one.get("kind") == kind.kind and "/" not in text_in(one, "name"):
                return kind._replace(
                    plural=text_in(one, "name"), is_namespaced=one.get("namespaced") is not False
                )
        self._note_unknown(kind)
        return None

    def _find_resources(self, api_version: str) -> list[dict[str, Any]] | None:
        if api_version not in self._resources:
            self._api.deadline = patience(self._say)
            self._resources[api_version] = find_resources(self._api, api_version)
        return self._resources[api_version]

    def _note_unknown(self, kind: Kind) -> None:
        self._notes.append(
            f"the API server has no {kind.kind} of {kind.api_version}, so each is shown as new"
        )

    def _list(self, kind: Kind, namespace: str, names: set[str]) -> list[LiveManifest]:
        """List what may be compared, of ConfigMaps and Secrets without content; nothing where that is forbidden."""
        lists = Lists(self._api, namespace)
        is_config = _is_config(kind)
        read = partial(_read_candidate, kind, names)
        # Objects without a namespace are few, and those of others many and large.
        selectors = (
            [{}]
            if kind.is_namespaced
            else [{"fieldSelector": f"metadata.name={name}"} for name in names]
        )
        try:
            found: list[LiveManifest] = []
            for selector in selectors:
                self._api.deadline = patience(self._say)
                # Values of Secrets are never asked for, and of ConfigMaps those alone that are
                # compared (decision 61).
                found += lists.read(kind, read, metadata_only=is_config, **selector).items
        except Refused as error:
            if is_config and kind.kind == "ConfigMap":
                raise
            self._note_unseen(kind, namespace, error)
            return []
        return found

    def _note_unseen(self, kind: Kind, namespace: str, error: Refused) -> None:
        where = f"{kind.plural} in {namespace}" if namespace else kind.plural
        if isinstance(error, NotServed):
            self._note_unknown(kind)
            return
        why = f"you need the rule {error.rule}" if isinstance(error, Forbidden) else str(error)
        self._notes.append(f"not seen, and so not compared: {where}; {why}")
        self._unseen.add(kind.group_kind)

    def _with_content(self, chosen: Iterable[LiveManifest]) -> Iterator[LiveManifest]:
        """Read the content of ConfigMaps. One that is gone meanwhile is none."""
        for one in chosen:
            if not _has_content(one):
                yield one
                continue
            self._api.deadline = patience(self._say)
            lists = Lists(self._api, one.item.id.namespace)
            read = partial(read_live, CONFIG_MAPS)
            yield from lists.read(
                CONFIG_MAPS, read, fieldSelector=f"metadata.name={one.item.id.name}"
            ).items


def _has_content(one: LiveManifest) -> bool:
    """Tell whether the content is read of what is compared."""
    item = one.item
    return item.id.kind == "ConfigMap" and not item.id.group and not is_emitted(item)


def _is_config(kind: Kind) -> bool:
    return not kind.group and kind.kind in CONFIG_KINDS


def _stand_in(tracker: Item) -> LiveManifest:
    """Return what the tracker tells of its Secret: the name."""
    marks = {
        "labels": {keys.SET: tracker.labels[keys.SET]},
        "annotations": {keys.BASE_NAME: base_name(tracker)},
    }
    return read_live(
        SECRETS, {"metadata": {"name": tracker.id.name, "namespace": tracker.id.namespace, **marks}}
    )


def _read_candidate(kind: Kind, names: set[str], found: Any) -> LiveManifest | None:
    """Read an object if it has one of the names, or a mark of a set or of a deployer."""
    metadata = below(found, "metadata")
    marks = {**mapping(metadata.get("labels")), **mapping(metadata.get("annotations"))}
    is_candidate = (
        text_in(metadata, "name") in names
        or keys.SET in marks
        or any(one in marks for one in TRACKS)
    )
    return read_live(kind, found) if is_candidate else None


def choose_compared(
    listed: Iterable[LiveManifest], new: Release, own_set: str = ""
) -> Iterator[LiveManifest]:
    """Yield what is live of an earlier rendering, and what has the name of an object of the new one.

    Of the revisions of a set, those count that live templates reference: somebody may have gone back to an earlier one.
    Of other base names, those that the inventory lists as rendered: the others are history. Without an inventory, the
    newest of each base name, and without any, the object of that name. What one deployer tracks together with these is
    of the same rendering.
    """
    listed = list(listed)
    authored = [*new.package.authored, *new.package.emitted]
    names = {_id(item, new) for item in authored}
    sets = {
        (item.labels[keys.SET], new.package.namespace_of(item))
        for item in authored
        if keys.SET in item.labels
    }
    sets |= {(own_set, new.package.namespace_of(item)) for item in authored if own_set}
    inventories = {
        _set_of(one.item): listed_revisions(one.item)
        for one in listed
        if keys.RENDERED in one.item.annotations
    }
    tracked: set[tuple[str, str]] = set()
    for one in listed:
        tracked |= find_tracks(one.item) if _id(one.item, new) in names else set()
    in_use = _find_in_use(listed, names, inventories, new)
    newest: dict[tuple[str, ...], LiveManifest] = {}
    bases = {
        (*_id(one.item, new)[:3], base_name(one.item)) for one in listed if is_revision(one.item)
    }
    names |= {
        (*_id(item, new)[:3], base_name(item)) for item in authored if is_revision(item)
    } - bases
    oldest_first = sorted(listed, key=lambda one: (one.created, one.item.id.name))
    for one in sorted(oldest_first, key=lambda one: _id(one.item, new) in names):
        item = one.item
        is_same = _id(item, new) in names
        is_of_set = _is_of_set(item)
        tracks = find_tracks(item)
        if is_of_set and _set_of(item) in sets:
            inventory = inventories.get(_set_of(item))
            if _line_of(item) in in_use:
                inventory = in_use[_line_of(item)]
            if inventory is None:
                newest[_line_of(item)] = one
            elif item.id.name in inventory:
                yield one
        elif is_emitted(item) and item.id.kind == _JOB and _set_of(item) in sets:
            newest[_JOB, *_set_of(item), emitted_base(item)] = one
        elif is_same or (tracks and tracks <= tracked and not one.controller and not is_of_set):
            yield one
    yield from newest.values()


def _find_in_use(
    listed: Iterable[LiveManifest],
    rendered: Container[tuple[str, ...]],
    inventories: Mapping[tuple[str, str], Container[str]],
    new: Release,
) -> dict[tuple[str, ...], set[str]]:
    """Find which of several revisions count, those that a template with a history references.

    Of anything else nobody goes back to an earlier template: that tells only of what the inventory lists too.
    """
    going_back: set[tuple[str, str]] = set()
    others: set[tuple[str, str]] = set()
    for one in listed:
        if one.item.is_config or is_emitted(one.item) or _id(one.item, new) not in rendered:
            continue
        kind = kind_of(one.item)
        found = going_back if kind is not None and kind.history else others
        namespace = new.package.namespace_of(one.item)
        for template in find_templates(one.item.node):
            found |= {(namespace, place.scalar.value) for place in scalars(template.node)}
    in_use: dict[tuple[str, ...], set[str]] = defaultdict(set)
    # Who makes a Secret is in no template, and belongs to the tracker of what it makes.
    revisions = [
        one.item
        for one in listed
        if _is_of_set(one.item) and keys.MADE_BY not in one.item.annotations
    ]
    for item in revisions:
        if (item.id.namespace, item.id.name) in going_back:
            in_use[_line_of(item)].add(item.id.name)
    for item in revisions:
        is_listed = item.id.name in inventories.get(_set_of(item), ())
        is_read = (item.id.namespace, item.id.name) in others
        if is_listed and is_read and _line_of(item) in in_use:
            in_use[_line_of(item)].add(item.id.name)
    return in_use


def _is_of_set(item: Item) -> bool:
    return is_revision(item) or item.labels.get(keys.COMPONENT) == keys.TRACKER


def _line_of(item: Item) -> tuple[str, ...]:
    """Return what all revisions of one object have in common."""
    component = item.labels.get(keys.COMPONENT, "")
    return item.id.kind, component, *_set_of(item), base_name(item)


def _id(item: Item, new: Release) -> tuple[str, str, str, str]:
    return item.id.group, item.id.kind, new.package.namespace_of(item), item.id.name


def _set_of(item: Item) -> tuple[str, str]:
    return item.labels.get(keys.SET, ""), item.id.namespace
