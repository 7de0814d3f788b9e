"""The graph of a package, as it will be once applied, and that of a namespace, by the history of its sets."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from krm_fn.base import keys
from krm_fn.base.item import Item, is_emitted, is_revision
from krm_fn.base.kind import consumer_named
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import ResourceId
from krm_fn.base.producer import RENAMABLE_KINDS
from krm_fn.base.reference import By
from krm_fn.base.settings import Strategy, configures
from krm_fn.core.decide.decide import Run
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.core.references.generated import find_generated
from krm_fn.report.change_lines import write_lines
from krm_fn.report.markup import WIDTH
from krm_fn.report.secrets import Masks, number_names, show_content
from krm_fn.tools.common.revision_history import (
    History,
    Pods,
    RevisionHistory,
    Role,
    WorkloadHistory,
)
from krm_fn.tools.explain.explain import (
    Explained,
    Places,
    SourceLine,
    Wanted,
    explain_absent,
    find_explained_references,
)
from krm_fn.tools.graph.picture import (
    Builder,
    DataKey,
    EdgeKind,
    Graph,
    GraphNode,
    Handle,
    Lane,
    NodeStyle,
)
from krm_fn.tools.history.history import duration, write_pods, write_state
from krm_fn.tools.opened.opened import Opened

_STATES = {
    Strategy.RENAME: "revision",
    Strategy.ADOPT: "revision under its own name",
    Strategy.CHECKSUM: "keeps its name, with a checksum",
    Strategy.IGNORE: "left alone",
}


class _Emitted(NamedTuple):
    """An object that owns revisions, as it will be rendered.

    `names`: what an inventory lists; None for a tracker.
    """

    who: ResourceId
    names: frozenset[str] | None


def graph_package(found: Run, masks: Masks, opened: Opened, wanted: Wanted, title: str) -> Graph:
    """Draw all ConfigMaps and Secrets of a package, or those that `wanted` means.

    Raises Rejected if there are none.

    `masks` hide the names of Secrets.
    """
    producers = frozenset(item for item in found.package.configs if not item.is_config)
    configs = [item for item in opened.items if item in producers or _is_drawn(item, found)]
    items = wanted.find(configs, found.revisions.names)
    places = Places(opened.envelopes, opened.configuration)
    absent = explain_absent(wanted, found, places)
    if wanted.name and not items and not absent:
        raise wanted.not_found(configs)
    drawer = _PackageDrawer(found, masks, places)
    drawer.draw_configs(items)
    drawer.draw_absent(absent)
    drawer.draw_owners()
    return drawer.builder.build(title)


def _is_drawn(item: Item, found: Run) -> bool:
    """Tell whether it is a ConfigMap or Secret that is applied, and not one of the linker's own."""
    is_configuration = configures(item) or item.id == found.package.config_id
    return item.is_config and not item.is_local and not is_emitted(item) and not is_configuration


class _PackageDrawer:
    def __init__(self, found: Run, masks: Masks, places: Places) -> None:
        self.builder = Builder()
        self._found = found
        self._strategies = {choice.item: choice.strategy for choice in found.choices.all}
        self._reasons = {choice.item: choice.reason for choice in found.choices.all} | dict(
            found.package.set_aside
        )
        self._references = find_explained_references(found, places)
        self._hide = masks.hide
        self._restored = {revision.item for revision in found.revisions.restored}
        self._applied: dict[tuple[str, str, str], Item] = {}
        self._configs: dict[ResourceId, Item] = {}

    def draw_configs(self, items: Iterable[Item]) -> None:
        """Draw ConfigMaps and Secrets, and what references them."""
        drawn = [*items]
        for item in drawn:
            self.builder.add(item, self._config(item))
            self._configs.setdefault(authored_id(item), item)
            name = self._found.revisions.names.get(item, item.id.name)
            namespace = self._found.package.namespace_of(item)
            self._applied[item.id.kind, namespace, name] = item
            # What a producer makes has a name in the cluster too. An object of the package with
            # that name comes first.
            for made in find_generated(item):
                revision = self._found.revisions.renamed.get(item)
                made_name = revision.name_of(made) if revision else made.reference.target
                self._applied.setdefault((made.kind, namespace, made_name), item)
        for item in drawn:
            for one in self._references.get(item, ()):
                # A producer says the name of what it makes, which is no reference to itself.
                says_own_name = one.rule.by == By.PRODUCER and self._configs.get(one.who) is item
                if not says_own_name:
                    self._refer(one.who, item, one.field, one.place)

    def draw_absent(self, absent: Iterable[Explained]) -> None:
        for one in absent:
            facts = (_sentence(one.because.reason.text),)
            node = self._node(
                Lane.REVISIONS, NodeStyle.ABSENT, one.who, "not in the package", facts
            )
            handle = self.builder.add(("absent", one.who), node)
            for missing in one.unfollowed:
                self._refer(missing.who, handle, missing.field, missing.place)

    def draw_owners(self) -> None:
        """Draw the trackers, which own Secrets, and the inventory, which owns trackers and ConfigMaps that it lists."""
        owned: dict[tuple[str, str], Handle] = {
            (namespace, name): item
            for (kind, namespace, name), item in self._applied.items()
            if kind == "ConfigMap" and item in self._found.consumers  # else it is retained
        }
        # A tracker is drawn before the inventory that owns it.
        for one in sorted(_find_emitted(self._found), key=lambda one: one.names is not None):
            namespace = one.who.namespace or self._found.package.namespace
            if one.names is None:
                kinds = ("Secret", *RENAMABLE_KINDS)
                found = (self._applied.get((kind, namespace, one.who.name)) for kind in kinds)
                secret = next(filter(None, found), None)
                if secret is not None:
                    kind = "Secret" if secret.is_config else secret.id.kind
                    state = f"tracker of {'an' if kind[0] in 'AEIOU' else 'a'} {kind}"
                    owned[namespace, one.who.name] = self._draw_owner(one, state)
                    self.builder.connect(one.who, secret, EdgeKind.OWNS)
            for name in sorted(one.names or ()):
                if (namespace, name) in owned:
                    self.builder.connect(
                        self._draw_owner(one, "inventory"), owned[namespace, name], EdgeKind.OWNS
                    )

    def _draw_owner(self, one: _Emitted, state: str) -> Handle:
        return self.builder.add(one.who, self._node(Lane.OWNERS, NodeStyle.OWNER, one.who, state))

    def _refer(self, who: ResourceId, target: Handle, field: str, place: SourceLine) -> None:
        referrer: Handle = self._configs.get(who, ("referrer", who))
        self.builder.add(referrer, self._node(Lane.REFERRERS, NodeStyle.REFERRER, who))
        where = f"{place.file}:{place.line}" if place.line else place.file
        placed = f"{field} ({where})" if where else field
        self.builder.connect(referrer, target, EdgeKind.REFERENCES, self._hide(placed))

    def _node(
        self,
        lane: Lane,
        style: NodeStyle,
        who: ResourceId,
        state: str = "",
        facts: Iterable[str] = (),
    ) -> GraphNode:
        name = self._hide(who.name) or "(generated name)"
        return GraphNode(
            lane, style, who.kind, who.namespace, name, state, tuple(map(self._hide, facts))
        )

    def _config(self, item: Item) -> GraphNode:
        strategy = self._strategies.get(item, Strategy.IGNORE)
        stays = is_revision(item) and item not in self._restored  # as one of another set does
        style = NodeStyle.REVISION if strategy.makes_revisions or stays else NodeStyle.PLAIN
        base, name = base_name(item), self._found.revisions.names.get(item, item.id.name)
        is_secret, facts = item.id.kind == "Secret", []
        if name != base:
            facts.append(
                "The name ends in a hash, which is not shown."
                if is_secret
                else f"The base name is {base}."
            )
        if item in self._reasons and strategy is Strategy.IGNORE:
            facts.append(_sentence(f"left alone because {self._reasons[item].text}"))
        node = self._node(Lane.REVISIONS, style, item.id, _STATES[strategy], facts)
        content = tuple(
            DataKey(key, shown.size or 0) for key, shown in sorted(show_content(item).items())
        )
        # The name of a Secret in the output is made from its content, and would tell whether a
        # guess of that is right.
        return node._replace(name=base if is_secret else name, keys=content)


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."


def _find_emitted(found: Run) -> Iterator[_Emitted]:
    """Yield the inventories and trackers in the output: new ones, those that are replaced, and those that stay."""
    gone = {*found.changes.remove, *(item for item, _ in found.changes.replace)}
    for item in found.package.emitted:
        if (
            item not in gone
            and item.id.kind == "ConfigMap"
            and keys.COPY_OF not in item.annotations
        ):
            yield _read_emitted(item.id, item.labels, item.annotations)
    written: Iterable[Any] = (*found.changes.add, *(one for _, one in found.changes.replace))
    for one in written:
        metadata = one["metadata"]
        if one["kind"] == "ConfigMap" and keys.COPY_OF not in metadata.get("annotations", {}):
            who = ResourceId(
                one["apiVersion"], one["kind"], metadata.get("namespace", ""), metadata["name"]
            )
            yield _read_emitted(who, metadata["labels"], metadata["annotations"])


def _read_emitted(
    who: ResourceId, labels: Mapping[str, str], annotations: Mapping[str, str]
) -> _Emitted:
    is_tracker = labels.get(keys.COMPONENT) == keys.TRACKER
    names = frozenset(filter(None, annotations.get(keys.RENDERED, "").split(",")))
    return _Emitted(who, None if is_tracker else names)


_STYLES = {
    Role.STABLE: NodeStyle.STABLE,
    Role.OLD: NodeStyle.STABLE,
    Role.CANARY: NodeStyle.NEW,
    Role.PREVIEW: NodeStyle.NEW,
    Role.NEW: NodeStyle.NEW,
    Role.ABORTED: NodeStyle.NEW,
    Role.PAST: NodeStyle.PAST,
}
_ORDER = [*_STYLES]
"""In which templates are beside each other: what is replaced, what replaces it, and the others."""


def graph_history(history: History) -> Graph:
    """Draw every revision of a history, the workloads with what their controllers made, and all owners."""
    drawer = _HistoryDrawer(history)
    for one in history.sets:
        for workload in one.workloads:
            drawer.draw_workload(workload)
    for one in history.sets:
        for entry in one.entries:
            drawer.draw_entry(one.name, entry)
    return drawer.builder.build(f"namespace {history.namespace}", is_sorted=True)


class _HistoryDrawer:
    def __init__(self, history: History) -> None:
        self.builder = Builder()
        self._now = history.now
        secrets = (one for one in history.entries if one.kind == "Secret" and one.suffix)
        self._masks = number_names((one.base, one.name) for one in secrets)

    def draw_workload(self, workload: WorkloadHistory) -> None:
        facts = [f"The controller says: {workload.reason}."] if workload.reason else []
        if workload.way_back is not None and workload.way_back.command:
            facts.append(f"Go back with: {workload.way_back.command}")
        situation = workload.situation or ("" if workload.is_done else "rolling out")
        node = _referrer(workload.kind, workload.name, situation)
        handle = self.builder.add(str(workload), node._replace(facts=tuple(facts)))
        kind, group = consumer_named(workload.kind).history, f"{workload.kind} {workload.name}"
        for one in sorted(workload.templates, key=lambda one: _ORDER.index(one.role)):
            state = ", ".join([one.role, *_write_pods(one.pods)])
            node = GraphNode(
                Lane.TEMPLATES, _STYLES[one.role], kind, "", one.name, state, group=group
            )
            self.builder.connect(
                handle, self.builder.add(f"{kind}/{one.name}", node), EdgeKind.MAKES
            )

    def draw_entry(self, set_name: str, entry: RevisionHistory) -> None:
        """Draw a revision, and an arrow from each object that references or owns it."""
        handle: Handle = ("revision", set_name, entry.kind, entry.name)
        style = NodeStyle.ABSENT if entry.created is None else NodeStyle.REVISION
        name = self._masks.get(entry.name, entry.name) if entry.kind == "Secret" else entry.name
        state = self._hide(", ".join(write_state(entry, self._now)))
        facts = tuple(self._find_facts(set_name, entry))
        lines = write_lines(entry.change, WIDTH) if entry.change is not None else ()
        changes = tuple((line.sign, line.text) for line in lines)
        self.builder.add(
            handle,
            GraphNode(Lane.REVISIONS, style, entry.kind, "", name, state, facts, changes=changes),
        )
        # In the order of the history: these nodes are not sorted.
        for referrer in entry.referrers:
            node = _referrer(referrer.kind, referrer.name, *_write_pods(referrer.pods))
            edge = EdgeKind.HOLDS if str(referrer) in entry.owners else EdgeKind.REFERENCES
            self.builder.connect(self.builder.add(str(referrer), node), handle, edge)
        for owner in dict.fromkeys(entry.owners):
            if owner not in {str(referrer) for referrer in entry.referrers}:
                kind, _, name = owner.partition("/")
                state = "inventory" if owner == f"ConfigMap/{set_name}-linker" else "owner"
                node = GraphNode(Lane.OWNERS, NodeStyle.OWNER, kind, "", self._hide(name), state)
                self.builder.connect(self.builder.add(owner, node), handle, EdgeKind.OWNS)

    def _find_facts(self, set_name: str, entry: RevisionHistory) -> Iterator[str]:
        yield f"Set {set_name}, base name {entry.base}."
        if entry.created is not None:
            yield f"Created {duration(self._now - entry.created)} ago."
        yield from (f"Pods that run it: {pods}." for pods in _write_pods(entry.pods))
        if entry.kind == "Secret":
            yield "Nothing of a Secret is read. The name ends in a hash, which is not shown."

    def _hide(self, text: str) -> str:
        for name, masked in self._masks.items():
            text = text.replace(name, masked)
        return text


def _referrer(kind: str, name: str, state: str = "") -> GraphNode:
    return GraphNode(Lane.REFERRERS, NodeStyle.REFERRER, kind, "", name, state)


def _write_pods(pods: Pods | None) -> list[str]:
    return [] if pods is None else [write_pods(pods)]
