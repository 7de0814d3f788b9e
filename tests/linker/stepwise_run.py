"""Run the linker step by step: it pauses before every API call."""

from collections.abc import Callable
from threading import Lock, Thread

from krm_fn.base.link_plan import LinkPlan
from krm_fn.linker.link import link
from krm_fn.linker.link_all_sets import AllSets
from krm_fn.linker.link_set import LinkOptions
from krm_fn.linker.report import Report
from krm_fn.linker.retry import OutOfTime, Stopped
from tests.linker.fake_cluster import FakeCluster
from tests.linker.object_store import NAMESPACE, ObjectStore

_UNLIMITED = 10**9


class Killed(BaseException):
    """The process was killed. Nothing in the linker may catch this."""


class StepwiseRun:
    """A run of the linker in a thread of its own. Only one thread at a time is active.

    It pauses before a call that it has decided to make: after SIGTERM it still makes that call.
    `before_call` is called right before each call.
    """

    def __init__(
        self,
        plan: LinkPlan,
        store: ObjectStore,
        timeout: float,
        before_call: Callable[[], None] = lambda: None,
    ) -> None:
        self.report = Report(NAMESPACE, lambda _: None)
        self.cluster = FakeCluster(store, self._pause, timeout)
        self.is_over = False
        self.is_done = False
        self.plan = plan
        self._before_call = before_call
        self._calls_left = 0
        self._pauses_before_writes = False
        self._is_killed = False
        self._error: BaseException | None = None
        # Two locks, handed to and fro: one wakes the run, the other the test.
        self._awake, self._asleep = Lock(), Lock()
        self._awake.acquire()
        self._asleep.acquire()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def advance(self, calls: int) -> None:
        """Let it make this many calls, or fewer if it ends before."""
        self._resume(calls)

    def finish(self) -> None:
        self._resume(_UNLIMITED)

    def advance_to_write(self) -> None:
        """Let it run until it pauses before a write, which may be based on outdated reads."""
        self._resume(_UNLIMITED, pauses_before_writes=True)

    def stop(self) -> None:
        """Send SIGTERM."""
        self.cluster.stop.set()

    def kill(self) -> None:
        """Send SIGKILL: it does not make the call that it pauses before."""
        self._is_killed = True
        self._resume(0)

    def _link(self) -> bool:
        """Link. Returns whether nothing has failed."""
        link(self.plan, self.cluster, self.report)
        return not self.report.failures

    def _resume(self, calls: int, *, pauses_before_writes: bool = False) -> None:
        if self.is_over:
            return
        self._calls_left = calls
        self._pauses_before_writes = pauses_before_writes
        self._awake.release()
        self._asleep.acquire()
        if self._error:
            raise self._error

    def _pause(self, what: str) -> None:
        pauses = self._calls_left == 0 or (
            self._pauses_before_writes and what.startswith(("patch", "delete"))
        )
        if pauses and not self._is_killed:
            self._asleep.release()
            self._awake.acquire()
        if self._is_killed:
            raise Killed
        self._calls_left -= 1
        self._before_call()

    def _run(self) -> None:
        self._awake.acquire()
        try:
            if not self._is_killed:
                self.is_done = self._link()
        except (Killed, OutOfTime, Stopped):
            pass
        except BaseException as error:  # noqa: BLE001  # raised again in the thread of the test
            self._error = error
        self.is_over = True
        self._asleep.release()


class StepwiseRunForAllSets(StepwiseRun):
    """A run of the one linker of the namespace. Its plan is what all sets have in common."""

    def _link(self) -> bool:
        sets = AllSets(self.plan, LinkOptions(), lambda: self.cluster.calls, lambda _: None)
        sets.link(self.cluster)
        return not sets.failures
