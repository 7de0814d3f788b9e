"""A namespace and everybody who acts in it, one step at a time; and what must hold after every step."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from krm_fn.linker.names import words_of
from krm_fn.model.link_plan import LinkPlan
from tests.linker import controllers, garbage_collector
from tests.linker.model.deployers import apply, key_of
from tests.linker.model.rendering import MINIMUM_AGE, TIMEOUT, Rendering, render
from tests.linker.running import Running
from tests.linker.world import Key, Object, World

Deployer = Callable[[World, Rendering], Iterator[Key]]
Naming = tuple[str, str]  # uid of a user, name of a revision

WORKLOADS = ("Deployment", "StatefulSet", "Rollout")
HISTORY = ("ReplicaSet", "ControllerRevision")
_TRIES = 3


class Lost(AssertionError):
    """A revision is gone that something live names."""


class Begun(NamedTuple):
    """Whose run it is, by uid, and who named what when it began."""

    job: str
    namings: set[Naming]


class Town:
    """A namespace in which the linker keeps its promise, or `Lost` is raised.

    *A revision stays that a live object names: from the end of the first run that began after this object, or the
    workload that it was made by, had come to name it.* Until then somebody may have gone back to an old revision, whose
    owners are still those of its earlier days, and the last of them goes. Applying the rendering again brings it back;
    here that happens at once, and is counted.
    """

    def __init__(self, rendering: Rendering, deployer: Deployer, limits: tuple[int, int] = (2, 2)) -> None:
        self.world = World()
        self.rendering = rendering
        self.runs: list[Running] = []
        self.excused = 0
        self._deploy = deployer
        self.limits = dict(zip(("web", "api"), limits, strict=True))
        self._sync: Iterator[Key] = iter(())
        self._ever: dict[Key, Object] = {}
        self._plans: dict[str, LinkPlan] = {}
        self._tries: dict[str, int] = {}
        self._done: set[str] = set()
        self._begun: dict[Running, Begun] = {}
        self._overtaken: set[Running] = set()
        self._handed_over: set[str] = set()
        self._namings: set[Naming] = set()
        self._safe: set[Naming] = set()
        self._names: dict[tuple[str, str], frozenset[str]] = {}
        self.commit(rendering)

    # Git and the deployer

    def commit(self, rendering: Rendering) -> None:
        """A sync that is under way ends where it is, as one that fails does."""
        self.rendering = rendering
        self._ever |= {key_of(item): item for item in render(rendering)}
        self._plans |= {item["metadata"]["name"]: rendering.plan for item in render(rendering) if item["kind"] == "Job"}
        self._sync = self._deploy(self.world, rendering)

    def sync(self, steps: int = 1000) -> None:
        for _ in range(steps):
            if next(self._sync, None) is None:
                break
            self.look()

    # Linkers

    def waiting_jobs(self) -> list[Object]:
        busy = {begun.job for begun in self._begun.values()} | self._done
        jobs = [job for job in self.world.of_kind("Job") if job["metadata"]["uid"] not in busy]
        return [job for job in jobs if "deletionTimestamp" not in job["metadata"]]

    def start(self, job: Object) -> Running:
        return self._start(self._plans[job["metadata"]["name"]], job["metadata"]["uid"])

    def link_by_hand(self) -> Running:
        return self._start(self.rendering.plan, "")

    def advance(self, run: Running, calls: int = 10**9) -> None:
        run.advance(calls)
        self._settle(run)

    def advance_to_write(self, run: Running) -> None:
        run.advance_to_write()
        self._settle(run)

    def kill(self, run: Running) -> None:
        run.kill()
        self._settle(run)

    def run_jobs(self) -> None:
        """Each until it has succeeded, or been tried often enough."""
        while jobs := self.waiting_jobs():
            for job in jobs:
                self.advance(self.start(job))

    def _start(self, plan: LinkPlan, uid: str) -> Running:
        run = Running(plan, self.world, TIMEOUT)
        self.runs.append(run)
        self._begun[run] = Begun(uid, set(self._namings))
        return run

    def _settle(self, run: Running) -> None:
        self.look()
        if not run.is_over:
            return
        self.runs.remove(run)
        begun = self._begun.pop(run)
        self._tries[begun.job] = self._tries.get(begun.job, 0) + 1
        patches = [write for write in run.cluster.writes if "patch" in write]
        self._handed_over |= {patch["metadata"]["uid"] for patch in patches if patch["patch"].startswith("Secret/")}
        if run.is_done:
            self._safe |= begun.namings & self._namings
            self._overtaken |= set(self.runs)
        elif run in self._overtaken:
            written = {patch["patch"].partition("/")[2] for patch in patches}
            self._safe = {(uid, name) for uid, name in self._safe if name not in written}
        if run.is_done or self._tries[begun.job] == _TRIES:
            self._done.add(begun.job)

    # Controllers and people

    def workload(self, name: str) -> Object | None:
        return next((item for item in self.world.of_kind(*WORKLOADS) if item["metadata"]["name"] == name), None)

    def follow(self, name: str) -> None:
        if workload := self.workload(name):
            controllers.follow(self.world, workload)
            self.look()

    def trim(self, name: str) -> None:
        if workload := self.workload(name):
            controllers.trim(self.world, workload, self.limits[name])
            self.look()

    def collect(self, which: int) -> None:
        """One object, of those that have to be attended to."""
        if lost := list(garbage_collector.lost(self.world)):
            garbage_collector.attend(self.world, lost[which % len(lost)])
        for item in self.world:
            garbage_collector.finish(self.world, item)
        self.look()

    def collect_all(self) -> None:
        self.collect(0)
        while any(garbage_collector.lost(self.world)):
            self.collect(0)

    def restart(self, name: str) -> None:
        if workload := self.workload(name):
            annotations = {"metadata": {"annotations": {"restartedAt": str(self.world.clock)}}}
            self._set(workload, template={**workload["spec"]["template"], **annotations})

    def undo(self, name: str, which: int) -> None:
        """`kubectl rollout undo`."""
        if (workload := self.workload(name)) and (made := controllers.history(self.world, workload)):
            self._set(workload, template=controllers.template_of(made[which % len(made)]))

    def pause(self, name: str) -> None:
        """Or resume."""
        if workload := self.workload(name):
            self._set(workload, paused=not workload["spec"].get("paused", False))

    def delete(self, name: str, propagation: str) -> None:
        if workload := self.workload(name):
            if propagation == "Orphan":
                self._safe -= set(self._unlinked(workload))
            garbage_collector.delete(self.world, workload, propagation)
            self.look()

    def _set(self, workload: Object, **spec: Any) -> None:
        self.world.update(workload, spec={**workload["spec"], **spec})
        self.look()

    # What must hold

    def look(self) -> None:
        """After every step. Raises Lost."""
        self.world.clock += 1
        self._stop_runs_without_job()
        users = list(self._users())
        namings = {(uid, name) for uid, _, names in users for name in names}
        made = {(uid, name) for uid, maker, names in users for name in names if (maker, name) in self._safe}
        self._safe = (self._safe & namings) | (made - self._namings)
        self._namings = namings
        for name in {name for _, name in namings}:
            for kind in ("ConfigMap", "Secret"):
                if (kind, name) in self._ever and self.world.find(kind, name) is None:
                    self._miss(kind, name)

    def _miss(self, kind: str, name: str) -> None:
        for uid, missing in self._safe:
            if missing == name:
                message = f"{kind}/{name}, which {uid} names"
                raise Lost(message)
        self.excused += 1
        apply(self.world, self._ever[kind, name])

    def _stop_runs_without_job(self) -> None:
        jobs = [job["metadata"] for job in self.world.of_kind("Job")]
        live = {metadata["uid"] for metadata in jobs if "deletionTimestamp" not in metadata} | {""}
        for run in self.runs:
            if self._begun[run].job not in live:
                run.stop()

    def _unlinked(self, workload: Object) -> Iterator[Naming]:
        """What was made since the last run has relied on its maker's holding on."""
        for item in controllers.history(self.world, workload):
            uid = item["metadata"]["uid"]
            for name in self._names_of(item):
                found = self.world.find("ConfigMap", name)
                owners = found["metadata"].get("ownerReferences", []) if found else []
                if uid not in {owner["uid"] for owner in owners}:
                    yield uid, name

    def _users(self) -> Iterator[tuple[str, str, frozenset[str]]]:
        """uid, the maker's uid, and names of all that is live and not about to go."""
        for item in self.world.of_kind(*WORKLOADS, *HISTORY):
            metadata = item["metadata"]
            owners = metadata.get("ownerReferences", [])
            if "deletionTimestamp" in metadata or not all(garbage_collector.is_solid(self.world, o) for o in owners):
                continue
            yield metadata["uid"], owners[0]["uid"] if owners else "", self._names_of(item)

    def _names_of(self, item: Object) -> frozenset[str]:
        version = item["metadata"]["uid"], item["metadata"]["resourceVersion"]
        if version not in self._names:
            known = {name for _, name in self._ever}
            self._names[version] = frozenset(known.intersection(words_of(item, in_pods=True)))
        return self._names[version]

    def quiet(self) -> None:
        """Everybody does what is left to do; then exactly what is named is there, and what nobody may delete."""
        self.collect_all()
        self.commit(self.rendering)
        self.sync()
        for name in ("web", "api"):
            if (workload := self.workload(name)) and workload["spec"].get("paused"):
                self.pause(name)
        self.rest()
        self.world.clock += MINIMUM_AGE
        self.advance(self.link_by_hand())
        self.rest()
        named = {name for _, name in self._namings}
        found = {name for kind, name in map(key_of, self.world) if kind == "ConfigMap"}
        left = {name for name in found if not name.startswith("kept-")} - {"web-linker"}
        assert left == named, f"leaked {left - named}, missing {named - left}"
        secrets = {secret["metadata"]["name"]: secret["metadata"]["uid"] for secret in self.world.of_kind("Secret")}
        leaked = {name for name, uid in secrets.items() if name not in named and uid in self._handed_over}
        assert not leaked, f"leaked Secrets {leaked}"

    def rest(self) -> None:
        """All but the deployer and people do what is left to do."""
        for name in ("web", "api"):
            self.follow(name)
        for run in list(self.runs):
            self.advance(run)
        self.run_jobs()
        for name in ("web", "api"):
            self.trim(name)
        self.collect_all()

    def close(self) -> None:
        for run in list(self.runs):
            run.kill()
