"""The graph of a namespace: what is live, by the history of its sets."""

from collections.abc import Iterable

from krm_fn.diff.lines import write_lines
from krm_fn.graph.graph import Builder, EdgeKind, Graph, GraphNode, Handle, Lane, NodeStyle
from krm_fn.history.history import History, Referrer, RevisionHistory, Role, SetHistory, Template, WorkloadHistory
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
"""In the order in which templates are beside each other: what is replaced, what replaces it, and the others."""

_MADE_BY = {kind.kind: kind.history for kind in CONSUMER_KINDS if kind.history}


def graph_history(history: History) -> Graph:
    """Draw every revision of a history, the workloads with what their controllers made, and all owners."""
    drawer = _HistoryDrawer(history)
    for one in history.sets:
        drawer.draw_workloads(one.workloads)
    for one in history.sets:
        for entry in one.entries:
            drawer.draw_entry(one, entry)
    return drawer.builder.build(f"namespace {history.namespace}", is_sorted=True)


class _HistoryDrawer:
    def __init__(self, history: History) -> None:
        self.builder = Builder()
        self._history = history
        self._masks = _mask_secrets(entry for one in history.sets for entry in one.entries)

    def draw_workloads(self, workloads: Iterable[WorkloadHistory]) -> None:
        for workload in workloads:
            situation = workload.situation or ("" if workload.is_done else "rolling out")
            facts = [f"The controller says: {workload.reason}."] if workload.reason else []
            if workload.way_back is not None and workload.way_back.command:
                facts.append(f"Go back with: {workload.way_back.command}")
            node = GraphNode(
                Lane.REFERRERS, NodeStyle.REFERRER, workload.kind, "", workload.name, situation, tuple(facts)
            )
            self.builder.add(str(workload), node)
            for template in sorted(workload.templates, key=lambda one: list(_LOOKS).index(one.role)):
                self._draw_template(workload, template)

    def _draw_template(self, workload: WorkloadHistory, template: Template) -> None:
        kind = _MADE_BY[workload.kind]
        pods = [write_pods(template.pods)] if template.pods is not None else []
        node = GraphNode(
            Lane.TEMPLATES, _LOOKS[template.role], kind, "", template.name, ", ".join([template.role, *pods])
        )._replace(group=f"{workload.kind} {workload.name}")
        handle = self.builder.add(f"{kind}/{template.name}", node)
        self.builder.tie(str(workload), handle, EdgeKind.MAKES)

    def draw_entry(self, one: SetHistory, entry: RevisionHistory) -> None:
        """Draw a revision, and an arrow from each object that references or owns it."""
        handle: Handle = ("revision", one.name, entry.kind, entry.name)
        look = NodeStyle.ABSENT if entry.created is None else NodeStyle.REVISION
        state = self._hide(", ".join(write_state(entry, self._history.now)))
        name = self._masks.get((entry.kind, entry.name), entry.name)
        node = GraphNode(Lane.REVISIONS, look, entry.kind, "", name, state, tuple(self._find_facts(one, entry)))
        lines = write_lines(entry.change, _WIDTH) if entry.change is not None else ()
        self.builder.add(handle, node._replace(changes=tuple((line.sign, line.text) for line in lines)))
        owners = dict.fromkeys(entry.owners)
        for referrer in entry.referrers:
            is_owner = str(referrer) in owners
            owners.pop(str(referrer), None)
            self.builder.tie(self._draw_referrer(referrer), handle, EdgeKind.HOLDS if is_owner else EdgeKind.REFERENCES)
        for owner in owners:
            self.builder.tie(self._draw_owner(one, owner), handle, EdgeKind.OWNS)

    def _draw_referrer(self, referrer: Referrer) -> Handle:
        pods = write_pods(referrer.pods) if referrer.pods is not None else ""
        node = GraphNode(Lane.REFERRERS, NodeStyle.REFERRER, referrer.kind, "", referrer.name, pods)
        return self.builder.add(str(referrer), node)

    def _draw_owner(self, one: SetHistory, owner: str) -> Handle:
        kind, _, name = owner.partition("/")
        state = "inventory" if owner == f"ConfigMap/{one.name}-linker" else "owner"
        return self.builder.add(owner, GraphNode(Lane.OWNERS, NodeStyle.OWNER, kind, "", self._hide(name), state))

    def _find_facts(self, one: SetHistory, entry: RevisionHistory) -> Iterable[str]:
        yield f"Set {one.name}, base name {entry.base}."
        if entry.created is not None:
            yield f"Created {duration(self._history.now - entry.created)} ago."
        if entry.pods is not None:
            yield f"Pods that run it: {write_pods(entry.pods)}."
        if entry.kind == "Secret":
            yield "Nothing of a Secret is read. The name ends in a hash, which is not shown."

    def _hide(self, text: str) -> str:
        for (_, name), masked in self._masks.items():
            text = text.replace(name, masked)
        return text


def _mask_secrets(entries: Iterable[RevisionHistory]) -> dict[tuple[str, str], str]:
    """Return what is shown in the place of names that are made from the content of Secrets."""
    masks: dict[tuple[str, str], str] = {}
    numbers: dict[str, int] = {}
    for entry in entries:
        if entry.kind == "Secret" and entry.suffix:
            numbers[entry.base] = numbers.get(entry.base, 0) + 1
            masks[entry.kind, entry.name] = f"{entry.base}-(hash {numbers[entry.base]})"
    return masks
