"""Run linkers with all kinds of work, through a proxy that can cause faults."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.control_plane import ControlPlane
from tests.cluster.fault_proxy import Call, Fault, Proxy, no_fault, proxy_before
from tests.cluster.faults import both, clock_ahead
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_job import Linker, LinkerRun
from tests.cluster.unlinked_release import UNUSED, UnlinkedRelease, unlinked_release

# By this clock an unreferenced revision that a test has just created is old enough to be deleted.
OLD_ENOUGH = clock_ahead(60)

State = dict[str, set[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkerHarness:
    """A release to link, and all that runs the linker on it. `folder` contains its kubeconfig."""

    release: UnlinkedRelease
    proxy: Proxy
    linker: Linker
    folder: Path
    watcher: InvariantWatcher

    def run(self, fault: Fault = no_fault, *more: str) -> LinkerRun:
        """Run the command of the Job, with more arguments."""
        self.proxy.begin(both(OLD_ENOUGH, fault))
        return self.linker.run([*self.release.arguments, *more])

    @contextlib.contextmanager
    def restored(self) -> Iterator["LinkerHarness"]:
        """Restore the initial state, and check the invariants at the end."""
        self.release.restore()
        yield self
        self.watcher.check()

    def undisturbed(self) -> State:
        """Return the state after a run that nothing disturbs, and restore the initial state."""
        run = self.run()
        assert (run.exit_code, run.stderr) == (0, "")
        state = self.release.state()
        assert f"ConfigMap/{UNUSED}" not in state
        assert all(state.values())
        self.release.restore()
        assert self.release.state() != state
        return state


@contextlib.contextmanager
def linker_harness(cluster: ControlPlane, name: str, folder: Path) -> Iterator[LinkerHarness]:
    """Create a harness in a new namespace of this name."""
    with (
        _lasting_release(cluster, name) as release,
        proxy_before(cluster.server) as proxy,
        InvariantWatcher(release.api) as watcher,
    ):
        linker = Linker(release.environment(folder, proxy.server))
        yield LinkerHarness(
            release=release, proxy=proxy, linker=linker, folder=folder, watcher=watcher
        )


@contextlib.contextmanager
def _lasting_release(cluster: ControlPlane, name: str) -> Iterator[UnlinkedRelease]:
    """Let the Job have no deadline: all runs have the token of its pod, which ends with it, and are many."""
    with unlinked_release(cluster, name) as release:
        job = release.pod["metadata"]["labels"]["job-name"]
        release.api.patch("Job", job, {"spec": {"activeDeadlineSeconds": None}})
        yield release


def is_patch(call: Call) -> bool:
    return call.method == "PATCH"


def is_continued(call: Call) -> bool:
    return "continue=" in call.target


def is_event(call: Call) -> bool:
    return call.target.endswith("/events")
