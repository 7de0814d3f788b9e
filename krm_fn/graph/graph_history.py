"""The graph of a namespace: what is live, by the history of its sets."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.diff.lines import write_lines
from krm_fn.graph.graph import Builder, EdgeKind, Graph, GraphNode, Handle, Lane, NodeStyle
from krm_fn.history.history import History, Pods, RevisionHistory, Role, WorkloadHistory
from krm_fn.history.text import duration, write_pods, write_state
from krm_fn.model.kinds import CONSUMER_KINDS

_WIDTH = 300
"""Columns of a line about a change."""

_LOOKS = {
    Role.STABLE: NodeStyle.STABLE,
    Role.OLD: NodeStyle.STABLE,
    Role.CANARY: NodeStyle.NEW,
    Role.PREVIEW: NodeStyle.NEW,
    Role.NEW: NodeStyle.NEW,
    Role.ABORTED: NodeStyle.NEW,
    Role.PAST: NodeStyle.PAST,
}
_ORDER = [*_LOOKS]
"""In which templates are beside each other: what is replaced, what replaces it, and the others."""

_MADE_BY = {kind.kind: kind.history for kind in CONSUMER_KINDS if kind.history}


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
        self._masks = _mask_secrets(entry for one in history.sets for entry in one.entries)

    def draw_workload(self, workload: WorkloadHistory) -> None:
        facts = [f"The controller says: {workload.reason}."] if workload.reason else []
        if workload.way_back is not None and workload.way_back.command:
            facts.append(f"Go back with: {workload.way_back.command}")
        situation = workload.situation or ("" if workload.is_done else "rolling out")
        node = _referrer(workload.kind, workload.name, situation)
        handle = self.builder.add(str(workload), node._replace(facts=tuple(facts)))
        kind, group = _MADE_BY[workload.kind], f"{workload.kind} {workload.name}"
        for one in sorted(workload.templates, key=lambda one: _ORDER.index(one.role)):
            state = ", ".join([one.role, *_write_pods(one.pods)])
            node = GraphNode(Lane.TEMPLATES, _LOOKS[one.role], kind, "", one.name, state, group=group)
            self.builder.tie(handle, self.builder.add(f"{kind}/{one.name}", node), EdgeKind.MAKES)

    def draw_entry(self, set_name: str, entry: RevisionHistory) -> None:
        """Draw a revision, and an arrow from each object that references or owns it."""
        handle: Handle = ("revision", set_name, entry.kind, entry.name)
        look = NodeStyle.ABSENT if entry.created is None else NodeStyle.REVISION
        name = self._masks.get((entry.kind, entry.name), entry.name)
        state = self._hide(", ".join(write_state(entry, self._now)))
        facts = tuple(self._find_facts(set_name, entry))
        lines = write_lines(entry.change, _WIDTH) if entry.change is not None else ()
        changes = tuple((line.sign, line.text) for line in lines)
        self.builder.add(handle, GraphNode(Lane.REVISIONS, look, entry.kind, "", name, state, facts, changes=changes))
        # In the order of the history: these nodes are not sorted.
        for referrer in entry.referrers:
            node = _referrer(referrer.kind, referrer.name, *_write_pods(referrer.pods))
            tie = EdgeKind.HOLDS if str(referrer) in entry.owners else EdgeKind.REFERENCES
            self.builder.tie(self.builder.add(str(referrer), node), handle, tie)
        for owner in dict.fromkeys(entry.owners):
            if owner not in {str(referrer) for referrer in entry.referrers}:
                kind, _, name = owner.partition("/")
                state = "inventory" if owner == f"ConfigMap/{set_name}-linker" else "owner"
                node = GraphNode(Lane.OWNERS, NodeStyle.OWNER, kind, "", self._hide(name), state)
                self.builder.tie(self.builder.add(owner, node), handle, EdgeKind.OWNS)

    def _find_facts(self, set_name: str, entry: RevisionHistory) -> Iterator[str]:
        yield f"Set {set_name}, base name {entry.base}."
        if entry.created is not None:
            yield f"Created {duration(self._now - entry.created)} ago."
        yield from (f"Pods that run it: {pods}." for pods in _write_pods(entry.pods))
        if entry.kind == "Secret":
            yield "Nothing of a Secret is read. The name ends in a hash, which is not shown."

    def _hide(self, text: str) -> str:
        for (_, name), masked in self._masks.items():
            text = text.replace(name, masked)
        return text


def _referrer(kind: str, name: str, state: str = "") -> GraphNode:
    return GraphNode(Lane.REFERRERS, NodeStyle.REFERRER, kind, "", name, state)


def _write_pods(pods: Pods | None) -> list[str]:
    return [] if pods is None else [write_pods(pods)]


def _mask_secrets(entries: Iterable[RevisionHistory]) -> dict[tuple[str, str], str]:
    """Return what is shown in the place of names that are made from the content of Secrets."""
    masks: dict[tuple[str, str], str] = {}
    numbers: dict[str, int] = defaultdict(int)
    for entry in entries:
        if entry.kind == "Secret" and entry.suffix:
            numbers[entry.base] += 1
            masks[entry.kind, entry.name] = f"{entry.base}-(hash {numbers[entry.base]})"
    return masks
