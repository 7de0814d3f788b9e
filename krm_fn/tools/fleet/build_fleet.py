"""Many histories as one table: a row for each base name of a set, a column for each cluster and namespace.

A column holds what is in use there. What differs between the cells of a row is found once all columns are there.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from math import inf

from krm_fn.base.item import collect
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import listing
from krm_fn.base.suggest import did_you_mean, nearest
from krm_fn.report.secrets import number_names
from krm_fn.tools.common.revision_history import (
    History,
    NoAnswer,
    Pods,
    Retention,
    RevisionHistory,
    Role,
    SetHistory,
)
from krm_fn.tools.history.history import write_staying, write_unseen

_MOST_NAMES = 10


class Use(StrEnum):
    """The use of a revision in a namespace: what its workloads have of it, if that says anything."""

    IN_USE = "in use"
    OLD = "being replaced"
    NEW = "rolling out"
    CANARY = "canary"
    PREVIEW = "preview"
    ABORTED = "aborted"
    NOT_STARTED = "not started"
    """A workload references it, and has not begun to roll it out: it may be paused."""

    RENDERED = "rendered"
    """Nothing that could be listed references it."""

    NOT_APPLIED = "not applied"
    MISSING = "missing"


_USES = {
    Role.STABLE: Use.IN_USE,
    Role.OLD: Use.OLD,
    Role.NEW: Use.NEW,
    Role.CANARY: Use.CANARY,
    Role.PREVIEW: Use.PREVIEW,
    Role.ABORTED: Use.ABORTED,
}
"""By the role of a template. One that has no pods any more is no use."""

_ORDER = [*Use]

_BEFORE_PODS = frozenset({Use.NOT_STARTED, Use.RENDERED, Use.NOT_APPLIED, Use.MISSING})
"""No pod runs with it yet, and so there is no time since when."""


class ConfigKey(NamedTuple):
    """The subject of a row."""

    set: str
    base: str
    kind: str


class UsedRevision(NamedTuple):
    """A revision that is in use in a namespace, or about to be. Times are in Unix seconds.

    `hash` is empty for an adopted object. `uses` has several for one that is the canary of one
    workload, and stable in another. `created` is None if it does not exist. `since`: the use began
    not before this; None if nothing tells. `share`: per cent of the pods that run any revision of
    the base name; None if nothing says how many there are.
    """

    name: str
    hash: str
    uses: tuple[Use, ...]
    created: float | None
    since: float | None
    pods: Pods | None = None
    share: int | None = None


class FleetAccess(NamedTuple):
    """The namespaces to ask: those of all contexts that a name or shell pattern means, else of the current one.

    `namespace`: this one of each; None for that of the context. `is_everywhere`: all that have revisions. `timeout`:
    seconds for each cluster, and for each of its namespaces.
    """

    kubeconfig: str | None
    contexts: tuple[str, ...]
    namespace: str | None
    is_everywhere: bool
    timeout: float


class Silence(StrEnum):
    """Why a column is empty."""

    NO_ANSWER = "no answer"
    REFUSED = "refused"
    NO_REPORT = "no report"


class FleetColumn(NamedTuple):
    """A namespace of a cluster, as it was at `now`, in Unix seconds by the clock there; None if it has not answered.

    `cluster` is empty for the one that the program runs in, and `namespace` if it is not known. `sets` are those that
    are there, `silence` and `reason` say why nothing is known, and `notes` what could not be seen.
    """

    cluster: str
    namespace: str
    now: float | None = None
    used: Mapping[ConfigKey, tuple[UsedRevision, ...]] = {}
    sets: frozenset[str] = frozenset()
    silence: Silence | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()


class CellState(StrEnum):
    """Whether there are revisions in a cell.

    `none`: the set is there, and no revision of the base name is in use.
    """

    USED = "used"
    NONE = "none"
    NO_SET = "no set"
    UNKNOWN = "unknown"


class FleetCell(NamedTuple):
    """The revisions of a base name that are in use in a column. `is_different`: from most cells of the row."""

    state: CellState
    is_different: bool
    revisions: tuple[UsedRevision, ...]


class FleetRow(NamedTuple):
    key: ConfigKey
    cells: tuple[FleetCell, ...]

    @property
    def is_different(self) -> bool:
        return any(cell.is_different for cell in self.cells)


class Fleet(NamedTuple):
    """A table. The cells of a row are in the order of the columns."""

    columns: tuple[FleetColumn, ...]
    rows: tuple[FleetRow, ...]

    @property
    def labels(self) -> list[str]:
        """Return the headings of the columns: cluster or namespace, or both where one is not enough."""
        clusters = {one.cluster for one in self.columns} - {""}
        namespaces = {one.namespace for one in self.columns} - {""}
        if len(namespaces) < 2 and len(clusters) > 1:  # noqa: PLR2004  # one says nothing about a column
            return [one.cluster for one in self.columns]
        if len(clusters) < 2:  # noqa: PLR2004  # likewise
            return [one.namespace or one.cluster for one in self.columns]
        return ["/".join(filter(None, one[:2])) for one in self.columns]


def find_column(history: History, cluster: str) -> FleetColumn:
    used: dict[ConfigKey, tuple[UsedRevision, ...]] = {}
    for one in history.sets:
        starts = _find_starts(one)
        for (base, kind), entries in _group(one.entries).items():
            if revisions := _find_used(one, entries, starts):
                used[ConfigKey(one.name, base, kind)] = tuple(revisions)
    sets = frozenset(one.name for one in history.sets)
    notes = [*map(write_unseen, history.unseen)]
    for one in history.sets:
        notes += write_staying(one, Retention.RETAINED, Retention.LEAK)
    return FleetColumn(cluster, history.namespace, history.now, used, sets, notes=tuple(notes))


def _group(entries: Sequence[RevisionHistory]) -> dict[tuple[str, str], list[RevisionHistory]]:
    return collect(((entry.base, entry.kind), entry) for entry in entries)


def _find_used(
    one: SetHistory, entries: Sequence[RevisionHistory], starts: Mapping[str, float]
) -> list[UsedRevision]:
    """Return the revisions of a base name that are in use, the stable one first."""
    uses = [tuple(sorted(_find_uses(one, entry), key=_ORDER.index)) for entry in entries]
    counts = [_find_pods(entry) for entry in entries]
    is_known = all(pods is not None for pods, found in zip(counts, uses, strict=True) if found)
    total = sum(pods.total for pods in counts if pods is not None) if is_known else 0
    used: list[UsedRevision] = []
    for entry, found, pods in zip(entries, uses, counts, strict=True):
        if not found:
            continue
        since = None if _BEFORE_PODS.issuperset(found) else _find_since(entry, starts)
        share = _find_share(pods.total, total) if pods is not None and total else None
        used.append(
            UsedRevision(entry.name, entry.suffix, found, entry.created, since, pods, share)
        )
    return sorted(
        used, key=lambda found: (_ORDER.index(found.uses[0]), -(found.created or 0.0), found.name)
    )


def _find_uses(one: SetHistory, entry: RevisionHistory) -> set[Use]:
    if entry.fate is Retention.MISSING:  # for an old ReplicaSet too, whose pods would not start
        return {Use.MISSING} if any(referrer.is_in_use for referrer in entry.referrers) else set()
    if entry.fate is Retention.NOT_APPLIED:
        return {Use.NOT_APPLIED}
    # What a workload makes of it says more than that objects reference it.
    if uses := {_USES[referrer.role] for referrer in entry.referrers if referrer.role in _USES}:
        return uses
    current = [str(referrer) for referrer in entry.referrers if referrer.is_current]
    with_templates = {str(workload) for workload in one.workloads if workload.templates}
    if current and {*current} <= with_templates:
        return {Use.NOT_STARTED}
    if any(referrer.is_in_use for referrer in entry.referrers) or (entry.pods and entry.pods.total):
        return {Use.IN_USE}
    return {Use.RENDERED} if entry.is_rendered else set()


def _find_pods(entry: RevisionHistory) -> Pods | None:
    """Return the pods that run a revision.

    Where nobody may list pods, ReplicaSets say how many they have.
    """
    if entry.pods is not None:
        return entry.pods
    found = [referrer.pods for referrer in entry.referrers if referrer.role is not None]
    known = [pods.total for pods in found if pods is not None]
    return Pods(sum(known)) if known and len(known) == len(found) else None


def _find_share(pods: int, total: int) -> int:
    """Return per cent. Some are never 0 %, and not all are never 100 %."""
    rounded = round(100 * pods / total)
    return min(99, max(1, rounded)) if 0 < pods < total else rounded


def _find_since(entry: RevisionHistory, starts: Mapping[str, float]) -> float | None:
    """Return when the use of a revision began, as far as objects tell."""
    if entry.name in starts:
        return starts[entry.name]
    # An object may be older than the reference in it.
    using = (
        referrer for referrer in entry.referrers if referrer.is_in_use or referrer.role in _USES
    )
    return min((max(referrer.created, entry.created or 0.0) for referrer in using), default=None)


def _find_starts(one: SetHistory) -> dict[str, float]:
    """Return when the first workload began with each revision that its pods run.

    A template that is used again keeps its time, and gets a new number: that was after the template
    that has the number before was created.
    """
    created: dict[tuple[str, str], float] = {}
    for entry in one.entries:
        created |= {(found.of, found.name): found.created for found in entry.referrers if found.of}
    starts: dict[str, float] = {}
    for workload in one.workloads:
        templates = workload.templates  # the newest first
        times = [created.get((str(workload), template.name)) for template in templates]
        # By revision: the first template before which something else than the revision has changed,
        # or the end.
        ends: dict[str, int] = {}
        for position, template in reversed([*enumerate(templates)]):
            ends = {name: ends.get(name, position + 1) for name in template.revisions}
            for name, end in ends.items() if template.role in _USES else ():
                if known := [time for time in times[end - 1 : end + 1] if time is not None]:
                    starts[name] = min(max(known), starts.get(name, inf))
    return starts


def build_fleet(columns: Sequence[FleetColumn], name: str | None = None) -> Fleet:
    """Put columns side by side, and find what differs.

    No name with a hash of a Secret's content is left.

    `name`: only rows of this base name, or with this revision or hash. Raises NoAnswer if all have
    answered, and there is no row.
    """
    keys = sorted(frozenset[ConfigKey]().union(*(column.used for column in columns)))
    chosen = [key for key in keys if name is None or _is_meant(key, columns, name)]
    if not chosen and not any(column.silence for column in columns):
        raise NoAnswer(_explain_absence(keys, columns, name))
    masks = _find_masks(columns)
    masked = tuple(_mask(column, masks) for column in columns)
    return Fleet(masked, tuple(_build_row(key, masked) for key in chosen))


def _is_meant(key: ConfigKey, columns: Sequence[FleetColumn], name: str) -> bool:
    """Tell whether a name is the base name, that of a revision in any column, or its hash."""
    if name == key.base:
        return True
    used = chain.from_iterable(column.used.get(key, ()) for column in columns)
    return any(name in (one.name, one.hash) for one in used)


def _explain_absence(
    keys: Sequence[ConfigKey], columns: Sequence[FleetColumn], name: str | None
) -> str:
    if keys and name is not None:
        bases = sorted({key.base for key in keys})
        hint = did_you_mean(nearest(name, bases))
        return f"no base name or revision {name} is in use{hint or f'; found: {listing(bases, _MOST_NAMES)}'}"
    notes = [*chain.from_iterable(column.notes for column in columns)]
    if not notes:
        return "no revision is in use"
    return notes[0] + (f" (and {len(notes) - 1} more)" if notes[1:] else "")


def _find_masks(columns: Sequence[FleetColumn]) -> dict[str, str]:
    """Return what is shown of Secrets.

    Names are numbered over the whole fleet, as equal ones have to look equal.
    """
    names: list[tuple[str, str]] = []
    for column in columns:
        for key, revisions in sorted(column.used.items()):
            if key.kind == "Secret":
                names += ((key.base, one.name) for one in revisions if one.hash)
    return number_names(names)


def _mask(column: FleetColumn, masks: Mapping[str, str]) -> FleetColumn:
    used = dict(column.used)
    for key, revisions in column.used.items():
        if key.kind == "Secret":
            used[key] = tuple(_mask_name(key, one, masks) for one in revisions)
    return column._replace(used=used)


def _mask_name(key: ConfigKey, one: UsedRevision, masks: Mapping[str, str]) -> UsedRevision:
    if not one.hash:
        return one
    name = masks[one.name]
    return one._replace(name=name, hash=name.removeprefix(f"{key.base}-"))


def _build_row(key: ConfigKey, columns: Sequence[FleetColumn]) -> FleetRow:
    states = [_find_state(key, column) for column in columns]
    used = [column.used.get(key, ()) for column in columns]
    looks = [*map(_find_look, used)]
    # Where the set is not, or nobody has answered, there is nothing to compare.
    told = [state in (CellState.USED, CellState.NONE) for state in states]
    usual = _find_usual([look for look, is_told in zip(looks, told, strict=True) if is_told])
    cells = (
        FleetCell(state, is_told and look != usual, revisions)
        for state, is_told, look, revisions in zip(states, told, looks, used, strict=True)
    )
    return FleetRow(key, tuple(cells))


def _find_look(revisions: Iterable[UsedRevision]) -> Hashable:
    """Return what differs from other cells, or not."""
    # Not by age, which differs everywhere, as clusters are released one after the other (decision
    # 62).
    return frozenset((one.hash, one.uses) for one in revisions)


def _find_usual(looks: Sequence[Hashable]) -> Hashable | None:
    """Return what most cells have. No side of a tie is usual: the reader has to decide."""
    # There may be one look, or none at all.
    (first, most), (_, next_most) = [*Counter(looks).most_common(2), (None, 0), (None, 0)][:2]
    return first if most > next_most else None


def _find_state(key: ConfigKey, column: FleetColumn) -> CellState:
    if column.silence:
        return CellState.UNKNOWN
    if key.set not in column.sets:
        return CellState.NO_SET
    return CellState.USED if key in column.used else CellState.NONE
