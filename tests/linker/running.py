"""Runs of the linker that stand still before every call, for as long as it takes."""

from threading import Lock, Thread

from krm_fn.linker.link import link
from krm_fn.linker.report import Report
from krm_fn.linker.retry import Stopped
from krm_fn.model.link_plan import LinkPlan
from tests.linker.fake_cluster import FakeCluster
from tests.linker.world import NAMESPACE, World

_ALL = 10**9


class Killed(BaseException):
    """The process has ended. Nothing in the linker may catch this."""


class Running:
    """A run in a thread of its own, of which only one at a time is awake.

    It stands before a call that has been sent and has not arrived: told to stop, it still makes that one.
    """

    def __init__(self, plan: LinkPlan, world: World, timeout: float) -> None:
        self.report = Report(NAMESPACE, lambda _: None)
        self.cluster = FakeCluster(world, self._stand, timeout)
        self.is_over = False
        self.is_done = False
        self.plan = plan
        self._left = 0
        self._stands_before_writes = False
        self._is_killed = False
        self._error: BaseException | None = None
        self._awake, self._asleep = Lock(), Lock()
        self._awake.acquire()
        self._asleep.acquire()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def advance(self, calls: int) -> None:
        """Let it make so many calls, unless it ends before."""
        self._wake(calls)

    def finish(self) -> None:
        self._wake(_ALL)

    def advance_to_write(self) -> None:
        """Until it stands before what others could make wrong by now."""
        self._wake(_ALL, stands_before_writes=True)

    def stop(self) -> None:
        """SIGTERM."""
        self.cluster.stop.set()

    def kill(self) -> None:
        """SIGKILL: the call it stands before is not made."""
        self._is_killed = True
        self._wake(0)

    def _wake(self, calls: int, *, stands_before_writes: bool = False) -> None:
        if self.is_over:
            return
        self._left = calls
        self._stands_before_writes = stands_before_writes
        self._awake.release()
        self._asleep.acquire()
        if self._error:
            raise self._error

    def _stand(self, what: str) -> None:
        stands = self._left == 0 or (self._stands_before_writes and what.startswith(("patch", "delete")))
        if stands and not self._is_killed:
            self._asleep.release()
            self._awake.acquire()
        if self._is_killed:
            raise Killed
        self._left -= 1

    def _run(self) -> None:
        self._awake.acquire()
        try:
            if not self._is_killed:
                link(self.plan, self.cluster, self.report)
                self.is_done = not self.report.failures
        except (Killed, Stopped):
            pass
        except BaseException as error:  # noqa: BLE001  # raised again where the test can see it
            self._error = error
        self.is_over = True
        self._asleep.release()
