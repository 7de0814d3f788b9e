"""The history of a namespace as values: which revision is where, and what becomes of it.

Nothing in it is content, but for the changes of ConfigMaps that somebody has asked for.
"""

from enum import StrEnum
from itertools import chain

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.linker.owners import Leak
from krm_fn.report.object_change import ObjectChange
from krm_fn.tools.common.kept import Kept


class NoAnswer(Exception):
    """There is nothing to show. The message says why, and what to do."""


class Role(StrEnum):
    """What a template is to its workload, by what the workload's controller says.

    `aborted` is a canary or preview that was; `past` has no pods any more.
    """

    CANARY = "canary"
    PREVIEW = "preview"
    ABORTED = "aborted"
    NEW = "rolling out"
    STABLE = "stable"
    OLD = "being replaced"
    PAST = "past"


class Retention(StrEnum):
    """The fate of a revision, by the rules of the linker."""

    IN_USE = "in use"
    RENDERED = "rendered"
    HISTORY = "history"
    """It goes when the last of the objects that reference it is gone."""

    NEXT_RUN = "next run"
    YOUNG = "young"
    """It is too young for a run now."""

    LEFT_TO_KPT = "left to kpt"
    RETAINED = "retained"
    FOREIGN_OWNER = "foreign owner"
    UNSEEN_KIND = "unseen kind"
    """An object of a kind that the linker does not look at may need it."""

    LEAK = "leak"
    """The linker may not delete its Secret any more."""

    NO_INVENTORY = "no inventory"
    UNKNOWN = "unknown"
    """Its referrers may be of a kind that could not be listed."""

    NOT_APPLIED = "not applied"
    MISSING = "missing"
    """It does not exist, and something needs it."""


class Pods(NamedTuple):
    """Pods that have not ended.

    `ready` is None if only their number is known. `problem`: why one does not start.
    """

    total: int
    ready: int | None = None
    problem: str = ""


class Referrer(NamedTuple):
    """An object that references a revision.

    `of` is the workload whose controller created it from a template, such as `Rollout/web`, and
    `role` what it is to that; `""` and None for all others. `number` is that of `--to-revision`.
    `is_current`: it says what is wanted now. `rollouts_left`: after about how many more rollouts
    the workload's controller deletes it. `created` is in Unix seconds.
    """

    kind: str
    name: str
    created: float
    of: str = ""
    role: Role | None = None
    number: int = 0
    is_current: bool = False
    pods: Pods | None = None
    rollouts_left: int | None = None

    @property
    def is_in_use(self) -> bool:
        """Tell whether somebody wants it now, or pods run with it, as far as that is known."""
        return self.is_current or (self.pods is not None and self.pods.total > 0)

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class RevisionHistory(NamedTuple):
    """A revision. `kind` is `Secret` for a tracker, or what else that stands for.

    Times are in Unix seconds.

    `created` is None if it does not exist.

    `is_awaited`: a workload references it, and its controller has not created anything for it yet.
    `last`: for fate `history`, the objects that keep it longest. `due`: for fate `young`, when it
    is old enough. `owners`: the objects that own it. `foreign`: those of them that no linker adds.
    `to_link`: the owners that the next run adds. `is_linked`: a run has seen it, or need not.
    `is_marked`: a run is about to delete it, or was. `is_incomplete`: objects that could not be
    listed may reference it too. `change`: what differs from the next older revision, if that was
    asked for. `made_by`: the object that makes it in the cluster, if one does. `unseen`: for fate
    `unseen kind`, these kinds.
    """

    kind: str
    name: str
    base: str
    created: float | None
    fate: Retention
    is_rendered: bool = False
    is_awaited: bool = False
    referrers: tuple[Referrer, ...] = ()
    pods: Pods | None = None
    last: tuple[Referrer, ...] = ()
    due: float | None = None
    owners: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    to_link: tuple[str, ...] = ()
    is_linked: bool = True
    is_marked: bool = False
    is_incomplete: bool = False
    change: ObjectChange | None = None
    made_by: str = ""
    unseen: tuple[str, ...] = ()

    @property
    def suffix(self) -> str:
        """The content hash; `""` for an adopted object, which has none."""
        return self.name.removeprefix(self.base).removeprefix("-")


class Template(NamedTuple):
    """An object that a controller created from a template: a ReplicaSet or ControllerRevision.

    `revisions`: the revisions that it references. `absent`: the ConfigMaps that it needs and that
    do not exist.
    """

    name: str
    number: int
    role: Role
    revisions: tuple[str, ...]
    pods: Pods | None = None
    absent: tuple[str, ...] = ()


class WayBack(NamedTuple):
    """How to return to an earlier configuration.

    `command` is empty if the workload has returned already.
    """

    to: Template
    command: str


class WorkloadHistory(NamedTuple):
    """A workload that references revisions. `templates` are in order, the newest first."""

    kind: str
    name: str
    is_done: bool
    situation: str
    reason: str
    templates: tuple[Template, ...]
    way_back: WayBack | None = None

    @property
    def is_settled(self) -> bool:
        return self.is_done and not self.situation

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class LinkerJob(NamedTuple):
    """The newest Job of a linker, with its plan as arguments.

    Times are in Unix seconds; `ended` is None while it runs.

    `failure`: why it failed, `""` if it did not.
    """

    name: str
    created: float
    ended: float | None
    failure: str
    set: str = ""
    arguments: tuple[str, ...] = ()


class SetHistory(NamedTuple):
    """One set. `entries` are in order of base name, the newest first.

    `has_inventory`: the ConfigMap that lists what is rendered exists. `job` is None if there is
    none. `leaks`: what a person may delete, as the linker may not, and nothing needs it.
    `abandoned`: the names of what the garbage collector is about to delete. `kept`: by base name,
    how many revisions there are at most. `is_shared`: the set has no Job, as its inventory leaves it
    to the linker of the namespace. `to_release`: of a set whose package leaves krm-fn, what a run
    has not taken its owners off; None for any other set.
    """

    name: str
    entries: tuple[RevisionHistory, ...]
    workloads: tuple[WorkloadHistory, ...]
    has_inventory: bool
    job: LinkerJob | None
    leaks: tuple[Leak, ...] = ()
    abandoned: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    is_shared: bool = False
    to_release: tuple[str, ...] | None = None


class Unseen(NamedTuple):
    """Objects that could not be listed.

    `rule`: the RBAC rule that is missing; `""` if it is something else.
    """

    plural: str
    reason: str
    rule: str

    def __str__(self) -> str:
        return f"{self.plural}; you need the rule {self.rule}" if self.rule else self.reason


class History(NamedTuple):
    """The sets of a namespace at one time, in Unix seconds by the API server's clock.

    `cluster`: the context of the kubeconfig, if somebody has named one.
    """

    namespace: str
    now: float
    sets: tuple[SetHistory, ...]
    unseen: tuple[Unseen, ...] = ()
    cluster: str = ""

    @property
    def entries(self) -> list[RevisionHistory]:
        """The revisions of all sets."""
        return [*chain.from_iterable(one.entries for one in self.sets)]
