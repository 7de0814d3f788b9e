"""A linker that has everything to do, and a proxy on its way to the API server."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.control_plane import ControlPlane
from tests.cluster.fault_proxy import Call, Fault, Proxy, no_fault, proxy_before
from tests.cluster.faults import both, clock_ahead
from tests.cluster.linker_forge import Forge
from tests.cluster.linker_job import LinkerRun
from tests.cluster.unlinked import UNUSED, Unlinked, unlinked
from tests.cluster.watcher import Watcher

# An unused revision that a test has just put back is old enough to go at once.
SOON = clock_ahead(60)

State = dict[str, set[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkerBench:
    """`folder` is where the linker looks for its kubeconfig."""

    scene: Unlinked
    proxy: Proxy
    forge: Forge
    folder: Path
    watcher: Watcher

    def run(self, fault: Fault = no_fault, *more: str) -> LinkerRun:
        """The Job's command, with more arguments."""
        self.proxy.begin(both(SOON, fault))
        return self.forge.run([*self.scene.arguments, *more])

    @contextlib.contextmanager
    def fresh(self) -> Iterator["LinkerBench"]:
        """With everything to do once more, and judged in the end."""
        self.scene.undo()
        yield self
        self.watcher.check()

    def undisturbed(self) -> State:
        """The state after a run that nothing happens to, which is then undone."""
        run = self.run()
        assert (run.exit_code, run.stderr) == (0, "")
        state = self.scene.state()
        assert f"ConfigMap/{UNUSED}" not in state
        assert all(state.values())
        self.scene.undo()
        assert self.scene.state() != state
        return state


@contextlib.contextmanager
def linker_bench(cluster: ControlPlane, name: str, folder: Path) -> Iterator[LinkerBench]:
    """In a namespace of this name."""
    with (
        unlinked(cluster, name) as scene,
        proxy_before(cluster.server) as proxy,
        Forge(scene.environment(folder, proxy.server), folder) as forge,
        Watcher(scene.api) as watcher,
    ):
        yield LinkerBench(scene=scene, proxy=proxy, forge=forge, folder=folder, watcher=watcher)


def is_patch(call: Call) -> bool:
    return call.method == "PATCH"


def is_continued(call: Call) -> bool:
    return "continue=" in call.target


def is_event(call: Call) -> bool:
    return call.target.endswith("/events")
