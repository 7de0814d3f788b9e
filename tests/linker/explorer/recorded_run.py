"""The real linker as a function: from what it was answered so far to the call that it makes next.

A search comes back to the same moment of a run thousands of times, and goes on with another answer.
A run in a thread would have to make all calls before again. Here a run goes on to its end at once,
each moment is kept, and the linker runs again only for an answer that a moment has never had.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import LinkPlan
from krm_fn.linker.cluster import Configs, Listed
from krm_fn.linker.link import link
from krm_fn.linker.link_all_sets import AllSets
from krm_fn.linker.link_set import LinkOptions
from krm_fn.linker.objects import Inventory, LiveRevision
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.read import OfSet
from krm_fn.linker.report import Report
from krm_fn.linker.retry import OutOfTime
from tests.linker.explorer.shared_store import SharedStore, State
from tests.linker.fake_cluster import FakeCluster
from tests.linker.object_store import NAMESPACE, Key

_T = TypeVar("_T")


class Answer(NamedTuple):
    """What the cluster answered, and when by its clock."""

    value: Any
    clock: float


@dataclass(frozen=True, slots=True)
class End:
    """The end of a run. `is_done`: it came to its end in time, and reported no failure.

    `problems`: what it reported.
    """

    is_done: bool
    problems: tuple[str, ...] = ()


class Way(NamedTuple):
    """What follows on an answer: the next pause or the end, after so many seconds of sleep."""

    answer: Answer
    to: "Pause | End"
    seconds: float


Ways: TypeAlias = dict[State, Way]
"""What follows on a call, by the state of what it touches."""


@dataclass(frozen=True, slots=True, eq=False)
class Pause:
    """The moment before a call, at which others may act.

    `touched`: kind and name of what the call reads or writes; no name for all objects of the kind.
    `run`: the first that came here, after so many `answers`.
    """

    touched: Key
    is_write: bool
    call: Callable[[], Any]
    run: "RecordedRun"
    answers: int
    ways: Ways = field(default_factory=dict)

    @property
    def is_look(self) -> bool:
        """Whether it begins to observe: ConfigMaps first, and then who references them."""
        return self.touched == ("ConfigMap", "")

    def advance(self, store: SharedStore) -> "Pause | End":
        """Make the call, and all that the run does before its next pause."""
        state = store.state(*self.touched)
        if self.is_write or state not in self.ways:
            self.run.store = store
            answer = Answer(self.call(), store.clock)
            if state not in self.ways:
                self._find_way(state, answer, store)
        way = self.ways[state]
        store.clock += way.seconds
        return way.to

    def _find_way(self, state: State, answer: Answer, store: SharedStore) -> None:
        """Go on as after an equal answer. If there was none, let the linker run."""
        for way in self.ways.values():
            if way.answer == answer:
                self.ways[state] = way
                return
        before = self.run.answers[: self.answers]
        self.run.linker.run(self.run.began, [*before, answer], store, self.ways, state)

    def __str__(self) -> str:
        kind, name = self.touched
        verb = "write" if self.is_write else "read"
        return f"{verb} {kind}/{name}" if name else f"{verb} {kind}s"


class Linker:
    """All runs with one plan. They pause before calls that touch objects of the `watched` kinds."""

    def __init__(self, plan: LinkPlan, timeout: float, watched: frozenset[str]) -> None:
        self.plan = plan
        self.timeout = timeout
        self.watched = watched
        self._beginnings: Ways = {}

    def begin(self, store: SharedStore) -> Pause | End:
        """Return the first pause. A run knows nothing but the time there."""
        state: State = (store.clock,)
        if state not in self._beginnings:
            self.run(store.clock, [], store, self._beginnings, state)
        return self._beginnings[state].to

    def run(
        self, began: float, answers: list[Answer], store: SharedStore, ways: Ways, state: State
    ) -> None:
        """Give a run these answers, and after them those of the store, as if nobody else acted.

        Keep its pauses.

        The first of them is kept in `ways`.
        """
        recorded = RecordedRun(self, began, answers, store.clone())
        recorded.leads(ways, state)
        try:
            recorded.arrive(self.link(recorded))
        except OutOfTime:
            recorded.arrive(End(is_done=False))

    def link(self, cluster: "RecordedRun") -> End:
        report = Report(NAMESPACE, lambda _: None)
        link(self.plan, cluster, report)
        problems = tuple(problem.sentence for problem in report.problems)
        return End(is_done=not report.failures, problems=problems)


class LinkerForAllSets(Linker):
    """All runs of the one linker of the namespace. Its plan is what all sets have in common."""

    def link(self, cluster: "RecordedRun") -> End:
        sets = AllSets(self.plan, LinkOptions(), lambda: 0, lambda _: None)
        sets.link(cluster)
        is_done = not sets.failures
        return End(is_done=is_done, problems=(*sets.failures, *sets.warnings))


class RecordedRun(FakeCluster):
    """A cluster that repeats the answers that it is given, and then keeps each of its own and each pause."""

    store: SharedStore

    def __init__(
        self, linker: Linker, began: float, answers: list[Answer], store: SharedStore
    ) -> None:
        now, store.clock = store.clock, began
        super().__init__(store, timeout=linker.timeout)
        self.linker = linker
        self.began = began
        self.answers = answers
        self._given = 0
        # The answer since which it has not paused, and where the next pause is kept.
        self._last = answers[-1] if answers else Answer(None, now)
        self._ways: Ways = {}
        self._state: State = ()

    def leads(self, ways: Ways, state: State) -> None:
        self._ways, self._state = ways, state

    def arrive(self, to: Pause | End) -> None:
        self._ways[self._state] = Way(self._last, to, self.store.clock - self._last.clock)

    def list_set(self, plan: LinkPlan) -> Configs:
        return self._ask(("ConfigMap", ""), partial(super().list_set, plan))

    def configs_of_all(self) -> Listed[OfSet]:
        return self._ask(("ConfigMap", ""), super().configs_of_all)

    def revision(self, name: str) -> LiveRevision | None:
        return self._ask(("ConfigMap", name), partial(super().revision, name))

    def inventories(self) -> list[Inventory]:
        return self._ask(("ConfigMap", ""), super().inventories)

    def has_config_map(self, name: str) -> bool:
        return self._ask(("ConfigMap", name), partial(super().has_config_map, name))

    def read(
        self,
        kind: Kind,
        read: Callable[[Any], _T | None],
        *,
        metadata_only: bool = False,
        **selectors: str,
    ) -> Listed[_T]:
        name = selectors.get("fieldSelector", "").removeprefix("metadata.name=")
        call = partial(super().read, kind, read, metadata_only=metadata_only, **selectors)
        return self._ask((kind.kind, name), call)

    def patch(self, patch: RevisionPatch) -> str | None:
        return self._ask(
            ("ConfigMap", patch.revision.name), partial(super().patch, patch), is_write=True
        )

    def delete(self, revision: LiveRevision) -> bool:
        return self._ask(
            ("ConfigMap", revision.name), partial(super().delete, revision), is_write=True
        )

    def secret(self, name: str, plan: LinkPlan) -> LiveRevision | None:
        return self._ask(("Secret", name), partial(super().secret, name, plan))

    def patch_secret(self, patch: RevisionPatch) -> bool:
        return self._ask(
            ("Secret", patch.revision.name), partial(super().patch_secret, patch), is_write=True
        )

    def _ask(self, touched: Key, call: Callable[[], _T], *, is_write: bool = False) -> _T:
        self.deadline.check()
        if self._given == len(self.answers):
            self._keep(touched, call, is_write=is_write)
        answer = self.answers[self._given]
        self._given += 1
        self.store.clock = answer.clock
        value: _T = answer.value
        return value

    def _call(self, what: str) -> None:
        """Let the call pass: a request that is on its way when the time is over is still made."""

    def _keep(self, touched: Key, call: Callable[[], Any], *, is_write: bool) -> None:
        """Ask the store. Nobody in the scene writes what is not watched: nothing can happen before such a call."""
        if touched[0] not in self.linker.watched:
            self.answers.append(Answer(call(), self.store.clock))
            return
        pause = Pause(touched, is_write, call, self, self._given)
        self.arrive(pause)
        self.leads(pause.ways, self.store.state(*touched))
        self._last = Answer(call(), self.store.clock)
        self.answers.append(self._last)
