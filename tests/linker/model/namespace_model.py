"""Model a namespace and everything that acts in it step by step, and check after every step that nothing is lost."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from krm_fn.linker.names import possible_names
from krm_fn.model.link_plan import LinkPlan
from tests.linker import controllers, garbage_collector
from tests.linker.model.deployers import apply, key_of
from tests.linker.model.rendering import MINIMUM_AGE, TIMEOUT, Rendering, render
from tests.linker.object_store import Key, Object, ObjectStore
from tests.linker.stepwise_run import StepwiseRun

Deployer = Callable[[ObjectStore, Rendering], Iterator[Key]]
Reference = tuple[str, str]  # uid of a consumer, name of a revision

WORKLOADS = ("Deployment", "StatefulSet", "Rollout")
HISTORY = ("ReplicaSet", "ControllerRevision")
_TRIES = 3


class RevisionLost(AssertionError):
    """A revision is gone although a live object references it."""


class Start(NamedTuple):
    """The uid of a run's Job, `""` for none, and the references that existed when the run started."""

    job: str
    references: set[Reference]


class Consumer(NamedTuple):
    """The uid of a live object, that of its controller (`""` for none), and the names that it references."""

    uid: str
    controller: str
    names: frozenset[str]


class NamespaceModel:
    """A namespace in which every step raises `RevisionLost` if the linker breaks its guarantee.

    The guarantee: a revision is kept while a live object references it. It begins with the end of the first run that
    started after this object, or the workload that created it, referenced the revision.

    Before that, a revision that is used again may still have only its old owners, and is deleted with the last of them.
    Applying the manifests again creates it again. The model does that at once, and counts it in `excused`.
    """

    def __init__(self, rendering: Rendering, deployer: Deployer, limits: tuple[int, int] = (2, 2)) -> None:
        self.store = ObjectStore()
        self.rendering = rendering
        self.runs: list[StepwiseRun] = []
        self.excused = 0
        self._deploy = deployer
        self.limits = dict(zip(("web", "api"), limits, strict=True))
        self._sync: Iterator[Key] = iter(())
        # Every object that was ever rendered, and the plan of every Job.
        self._manifests: dict[Key, Object] = {}
        self._plans: dict[str, LinkPlan] = {}
        # Attempts of each Job, the Jobs that are done, and the runs that are under way.
        self._tries: dict[str, int] = {}
        self._done: set[str] = set()
        self._starts: dict[StepwiseRun, Start] = {}
        # Runs during which another run has completed: what they read may be outdated.
        self._overtaken: set[StepwiseRun] = set()
        self._owned_secrets: set[str] = set()
        # The references that exist now, and those for which the guarantee has begun.
        self._references: set[Reference] = set()
        self._safe: set[Reference] = set()
        self._names: dict[tuple[str, str], frozenset[str]] = {}
        self.commit(rendering)

    # Git and the deployer

    def commit(self, rendering: Rendering) -> None:
        """Start a new sync. One that is under way ends where it is, like a sync that fails."""
        self.rendering = rendering
        self._manifests |= {key_of(item): item for item in render(rendering)}
        self._plans |= {item["metadata"]["name"]: rendering.plan for item in render(rendering) if item["kind"] == "Job"}
        self._sync = self._deploy(self.store, rendering)

    def sync(self, steps: int = 1000) -> None:
        for _ in range(steps):
            if next(self._sync, None) is None:
                break
            self.check()

    # Linkers

    def waiting_jobs(self) -> list[Object]:
        busy = {start.job for start in self._starts.values()} | self._done
        jobs = [job for job in self.store.of_kind("Job") if job["metadata"]["uid"] not in busy]
        return [job for job in jobs if "deletionTimestamp" not in job["metadata"]]

    def start(self, job: Object) -> StepwiseRun:
        return self._start(self._plans[job["metadata"]["name"]], job["metadata"]["uid"])

    def link_by_hand(self) -> StepwiseRun:
        return self._start(self.rendering.plan, "")

    def advance(self, run: StepwiseRun, calls: int = 10**9) -> None:
        run.advance(calls)
        self._after_step(run)

    def advance_to_write(self, run: StepwiseRun) -> None:
        run.advance_to_write()
        self._after_step(run)

    def kill(self, run: StepwiseRun) -> None:
        run.kill()
        self._after_step(run)

    def run_jobs(self) -> None:
        """Run each Job until it has succeeded, or has failed too often."""
        while jobs := self.waiting_jobs():
            for job in jobs:
                self.advance(self.start(job))

    def _start(self, plan: LinkPlan, uid: str) -> StepwiseRun:
        run = StepwiseRun(plan, self.store, TIMEOUT)
        self.runs.append(run)
        self._starts[run] = Start(uid, set(self._references))
        return run

    def _after_step(self, run: StepwiseRun) -> None:
        self.check()
        if not run.is_over:
            return
        self.runs.remove(run)
        start = self._starts.pop(run)
        self._tries[start.job] = self._tries.get(start.job, 0) + 1
        patches = [write for write in run.cluster.writes if "patch" in write]
        self._owned_secrets |= {patch["metadata"]["uid"] for patch in patches if patch["patch"].startswith("Secret/")}
        if run.is_done:
            self._safe |= start.references & self._references
            self._overtaken |= set(self.runs)
        elif run in self._overtaken:
            written = {patch["patch"].partition("/")[2] for patch in patches}
            self._safe = {(uid, name) for uid, name in self._safe if name not in written}
        if run.is_done or self._tries[start.job] == _TRIES:
            self._done.add(start.job)

    # Controllers and users

    def workload(self, name: str) -> Object | None:
        return next((item for item in self.store.of_kind(*WORKLOADS) if item["metadata"]["name"] == name), None)

    def reconcile(self, name: str) -> None:
        if workload := self.workload(name):
            controllers.reconcile(self.store, workload)
            self.check()

    def trim(self, name: str) -> None:
        if workload := self.workload(name):
            controllers.trim(self.store, workload, self.limits[name])
            self.check()

    def collect(self, which: int) -> None:
        """Let the garbage collector process one object."""
        if items := list(garbage_collector.to_process(self.store)):
            garbage_collector.process(self.store, items[which % len(items)])
        for item in self.store:
            garbage_collector.finish(self.store, item)
        self.check()

    def collect_all(self) -> None:
        self.collect(0)
        while any(garbage_collector.to_process(self.store)):
            self.collect(0)

    def restart(self, name: str) -> None:
        if workload := self.workload(name):
            annotations = {"metadata": {"annotations": {"restartedAt": str(self.store.clock)}}}
            self._set(workload, template={**workload["spec"]["template"], **annotations})

    def undo(self, name: str, which: int) -> None:
        """Undo, as `kubectl rollout undo` does."""
        if (workload := self.workload(name)) and (made := controllers.history(self.store, workload)):
            self._set(workload, template=controllers.template_of(made[which % len(made)]))

    def pause(self, name: str) -> None:
        """Pause the workload, or resume it."""
        if workload := self.workload(name):
            self._set(workload, paused=not workload["spec"].get("paused", False))

    def delete(self, name: str, propagation: str) -> None:
        if workload := self.workload(name):
            if propagation == "Orphan":
                self._safe -= set(self._unlinked(workload))
            garbage_collector.delete(self.store, workload, propagation)
            self.check()

    def _set(self, workload: Object, **spec: Any) -> None:
        self.store.update(workload, spec={**workload["spec"], **spec})
        self.check()

    # The checks

    def check(self) -> None:
        """Check the guarantee after a step. Raises RevisionLost."""
        self.store.clock += 1
        self._stop_runs_without_job()
        references: set[Reference] = set()
        inherited: set[Reference] = set()  # history is as safe as the workload that created it
        for consumer in self._consumers():
            for name in consumer.names:
                references.add((consumer.uid, name))
                if (consumer.controller, name) in self._safe:
                    inherited.add((consumer.uid, name))
        self._safe = (self._safe & references) | (inherited - self._references)
        self._references = references
        for name in {name for _, name in references}:
            for kind in ("ConfigMap", "Secret"):
                if (kind, name) in self._manifests and self.store.find(kind, name) is None:
                    self._apply_again(kind, name)

    def _apply_again(self, kind: str, name: str) -> None:
        """Create a lost revision again. Raises RevisionLost if a safe reference needs it."""
        for uid, safe_name in self._safe:
            if safe_name == name:
                message = f"{kind}/{name}, which {uid} references"
                raise RevisionLost(message)
        self.excused += 1
        apply(self.store, self._manifests[kind, name])

    def _stop_runs_without_job(self) -> None:
        jobs = [job["metadata"] for job in self.store.of_kind("Job")]
        live = {metadata["uid"] for metadata in jobs if "deletionTimestamp" not in metadata} | {""}
        for run in self.runs:
            if self._starts[run].job not in live:
                run.stop()

    def _unlinked(self, workload: Object) -> Iterator[Reference]:
        """Yield the references of history that is no owner yet, whose revision only the workload owns."""
        for item in controllers.history(self.store, workload):
            uid = item["metadata"]["uid"]
            for name in self._names_in(item):
                found = self.store.find("ConfigMap", name)
                owners = found["metadata"].get("ownerReferences", []) if found else []
                if uid not in {owner["uid"] for owner in owners}:
                    yield uid, name

    def _consumers(self) -> Iterator[Consumer]:
        """Yield the workloads and their history, except what is being deleted."""
        for item in self.store.of_kind(*WORKLOADS, *HISTORY):
            metadata = item["metadata"]
            owners = metadata.get("ownerReferences", [])
            if "deletionTimestamp" in metadata or not all(garbage_collector.is_solid(self.store, o) for o in owners):
                continue
            controller = owners[0]["uid"] if owners else ""
            yield Consumer(metadata["uid"], controller, self._names_in(item))

    def _names_in(self, item: Object) -> frozenset[str]:
        version = item["metadata"]["uid"], item["metadata"]["resourceVersion"]
        if version not in self._names:
            known = {name for _, name in self._manifests}
            self._names[version] = frozenset(known.intersection(possible_names(item, has_pod_spec=True)))
        return self._names[version]

    def finish(self) -> None:
        """Let everything finish; then check that exactly the referenced and the retained revisions exist."""
        self.collect_all()
        self.commit(self.rendering)
        self.sync()
        for name in ("web", "api"):
            if (workload := self.workload(name)) and workload["spec"].get("paused"):
                self.pause(name)
        self.settle()
        self.store.clock += MINIMUM_AGE
        self.advance(self.link_by_hand())
        self.settle()
        named = {name for _, name in self._references}
        found = {name for kind, name in map(key_of, self.store) if kind == "ConfigMap"}
        left = {name for name in found if not name.startswith("kept-")} - {"web-linker"}
        assert left == named, f"leaked {left - named}, missing {named - left}"
        secrets = {secret["metadata"]["name"]: secret["metadata"]["uid"] for secret in self.store.of_kind("Secret")}
        leaked = {name for name, uid in secrets.items() if name not in named and uid in self._owned_secrets}
        assert not leaked, f"leaked Secrets {leaked}"

    def settle(self) -> None:
        """Let controllers, Jobs and the garbage collector finish what is left to do."""
        for name in ("web", "api"):
            self.reconcile(name)
        for run in list(self.runs):
            self.advance(run)
        self.run_jobs()
        for name in ("web", "api"):
            self.trim(name)
        self.collect_all()

    def close(self) -> None:
        for run in list(self.runs):
            run.kill()
