"""Model a namespace and everything that acts in it step by step, and check after every step that nothing is lost."""

from collections.abc import Iterator
from typing import Any, Self

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan, read_arguments
from krm_fn.linker.read import linker_arguments, possible_names
from tests.linker import controllers, garbage_collector
from tests.linker.manifests import inventory, of_set, pods, revision, workload
from tests.linker.model.deployers import Deployer, Sync, key_of, replace_next
from tests.linker.model.rendering import MINIMUM_AGE, SCHEDULED_TIMEOUT, TIMEOUT, Rendering, render
from tests.linker.object_store import Key, Object, ObjectStore, without
from tests.linker.stepwise_run import StepwiseRun, StepwiseRunForAllSets

WORKLOADS = ("Rollout", "Deployment", *controllers.WITH_OLD_PODS)
HISTORY = ("ReplicaSet", "ControllerRevision", "Pod")
OF_WORKFLOWS = ("CronWorkflow", "Workflow")
CONFIGS = ("ConfigMap", "Secret")
LONGEST_STANDSTILL = 10.0
"""Seconds from a deployer's first to its last ConfigMap or Secret of a wave."""

SECRETS_WITH_TRACKERS = True
"""Whether a deployer applies a Secret and its tracker at once."""

_RESTORED = (
    "CronJob",
    "Secret",
    "ConfigMap",
    "Pod",
    "ReplicaSet",
    "ControllerRevision",
    *WORKLOADS,
    *OF_WORKFLOWS,
    "Job",
)
_TRIES = 3


class RevisionLost(AssertionError):
    """A revision is gone although a live object references it."""


class AnnotationLost(AssertionError):
    """A run has ended, and a revision that is referenced or rendered lacks the annotation `wanted`."""


class NamespaceModel:
    """A namespace in which every step raises `RevisionLost` if a live object references a revision that is gone.

    This holds from the first step on, whatever runs of the linker there have been. The model assumes of others that

    * a deployer applies the ConfigMaps and Secrets of a wave within ten seconds. Otherwise it may stand still anywhere;
    * nobody stands still between a Secret and its tracker: the deployer applies both at once, and the garbage collector
      deletes the Secret at once when the tracker is deleted;
    * nobody deletes the inventory before the linker has seen all references.

    `test_assumptions` shows what happens otherwise.
    """

    seconds_per_step = 1.0

    def __init__(
        self,
        rendering: Rendering,
        deployer: Deployer,
        limits: tuple[int, int] = (2, 2),
        store: ObjectStore | None = None,
    ) -> None:
        self.store = ObjectStore() if store is None else store
        self.rendering = rendering
        self.runs: list[StepwiseRun] = []
        self._deploy = deployer
        self.limits = dict(zip(("web", "api"), limits, strict=True))
        # The sync that is under way, how many ConfigMaps and Secrets it still applies, and since
        # when.
        self._sync = Sync(deployer, rendering)
        self._configs_left = 0
        self._configs_since: float | None = None
        # Every revision that was ever rendered, and the plan of every Job.
        self._revisions: frozenset[Key] = frozenset()
        self._plans: dict[str, LinkPlan] = {}
        # Attempts of each Job, the Jobs that are done, and the uid of the Job of each run, `""` for
        # none.
        self._tries: dict[str, int] = {}
        self._done: set[str] = set()
        self._jobs: dict[StepwiseRun, str] = {}
        self._owned_secrets: set[str] = set()
        # The words of objects, by identity: a uid and a version say less where models are cloned.
        self._words: dict[int, tuple[Object, frozenset[str]]] = {}
        self.of_others: frozenset[str] = frozenset()
        self.commit(rendering)

    def clone(self) -> Self:
        """Return a model of the same namespace, in which other things can happen.

        No run may be under way.
        """
        assert not self.runs
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        made.store = self.store.clone()
        made.runs, made._jobs = [], {}
        made._tries, made._done, made._owned_secrets = (
            {**self._tries},
            {*self._done},
            {*self._owned_secrets},
        )
        return made

    # Git and the deployer

    def commit(self, rendering: Rendering) -> None:
        """Start a new sync. One that is under way ends where it is, like a sync that fails."""
        self.rendering = rendering
        items = render(rendering)
        self._revisions |= frozenset(key_of(item) for item in items if item["kind"] in CONFIGS)
        self._plans = {
            **self._plans,
            **{item["metadata"]["name"]: rendering.plan for item in items if item["kind"] == "Job"},
        }
        self._configs_left = sum(item["kind"] in CONFIGS for item in items)
        self._configs_since = None
        self._sync = Sync(self._deploy, rendering)

    def sync(self, steps: int = 1000) -> None:
        for _ in range(steps):
            if self.sync_step() is None:
                break
            self.check()

    def sync_step(self) -> Key | None:
        """Let the deployer write one object, or a Secret and its tracker.

        None if it has finished.
        """
        key, self._sync = self._sync.step(self.store)
        if key is not None and key[0] in CONFIGS:
            self._configs_left -= 1
            self._configs_since = self._configs_since or self.store.clock
        if key is not None and key[0] == "Secret" and SECRETS_WITH_TRACKERS:
            return self.sync_step()
        return key

    @property
    def sync_state(self) -> tuple[Sync, int, float | None]:
        """How far the deployer is, and what it has to apply in time."""
        return self._sync, self._configs_left, self._configs_since

    @property
    def applies_more(self) -> bool:
        """Whether the sync that is under way still has an object to apply."""
        return self._sync.applies_more

    def apply_configs_in_time(self) -> None:
        """Let a deployer that has begun to apply ConfigMaps and Secrets apply the others, if its time is over."""
        while self._configs_since and self._configs_left > 0:
            if self.store.clock < self._configs_since + LONGEST_STANDSTILL:
                break
            self.sync_step()

    def add_other_set(self, name: str) -> None:
        """Add a set in which nothing references one of two revisions, and which nobody changes."""
        new, old = (f"{name}-config-{letter * 10}" for letter in "bc")
        owner = of_set(name, inventory(new, is_shared=True), name=f"{name}-linker")
        owner = self.store.create(owner)
        self.store.create(of_set(name, revision(old, owner)))
        self.store.create(of_set(name, revision(new, owner)))
        self.store.create(workload("Deployment", name, pods(new)))
        self._revisions |= {("ConfigMap", new), ("ConfigMap", old)}
        self.of_others |= {new, old, f"{name}-linker"}

    # Linkers

    def waiting_jobs(self) -> list[Object]:
        busy = {*self._jobs.values()} | self._done
        jobs = [job for job in self.store.of_kind("Job") if job["metadata"]["uid"] not in busy]
        return [job for job in jobs if "deletionTimestamp" not in job["metadata"]]

    def start(self, job: Object) -> StepwiseRun:
        return self._start(self._plans[job["metadata"]["name"]], job["metadata"]["uid"])

    @property
    def is_scheduled_run_due(self) -> bool:
        """Whether there is a CronJob, of which no Job runs: another one has to wait for its end."""
        cron_jobs = self.store.of_kind("CronJob")
        return bool(cron_jobs) and cron_jobs[0]["metadata"]["uid"] not in self._jobs.values()

    def run_on_schedule(self) -> StepwiseRun:
        """Start a run of the live CronJob, with the plan that was applied last."""
        (cron_job,) = self.store.of_kind("CronJob")
        arguments = linker_arguments(cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"])
        return self._start(read_arguments(arguments), cron_job["metadata"]["uid"])

    def link_by_hand(self) -> StepwiseRun:
        return self.link_by_hand_of(self.rendering)

    def link_by_hand_of(self, rendering: Rendering) -> StepwiseRun:
        """Start a run with the plan of a rendering, which may be an earlier one."""
        return self._start(rendering.plan, "")

    def run_for_all_sets(self) -> StepwiseRun:
        """Start a run of the one linker of the namespace."""
        plan = LinkPlan(set="", timeout=SCHEDULED_TIMEOUT, minimum_age=MINIMUM_AGE, waits=False)
        run = StepwiseRunForAllSets(plan, self.store, plan.timeout, self.apply_configs_in_time)
        return self._add(run, "")

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
        timeout = TIMEOUT if plan.waits else SCHEDULED_TIMEOUT
        return self._add(StepwiseRun(plan, self.store, timeout, self.apply_configs_in_time), uid)

    def _add(self, run: StepwiseRun, uid: str) -> StepwiseRun:
        self.runs.append(run)
        self._jobs[run] = uid
        return run

    def _after_step(self, run: StepwiseRun) -> None:
        self.check()
        if not run.is_over:
            return
        self.runs.remove(run)
        job = self._jobs.pop(run)
        self._tries[job] = self._tries.get(job, 0) + 1
        self._owned_secrets |= {
            write["metadata"]["uid"]
            for write in run.cluster.writes
            if write.get("patch", "").startswith("Secret/")
        }
        if run.is_done:
            self.check_annotations()
        if run.is_done or self._tries[job] == _TRIES:
            self._done.add(job)

    # Controllers and users

    def workload(self, name: str) -> Object | None:
        return next(
            (item for item in self.store.of_kind(*WORKLOADS) if item["metadata"]["name"] == name),
            None,
        )

    def reconcile(self, name: str) -> None:
        if workload := self.workload(name):
            controllers.reconcile(self.store, workload)
            self.check()

    def trim(self, name: str) -> None:
        if workload := self.workload(name):
            controllers.trim(self.store, workload, self.limits[name])
            self.check()

    def trim_all(self) -> None:
        """Delete all history that is not current, as with a limit of 0."""
        for name in self.limits:
            if workload := self.workload(name):
                controllers.trim(self.store, workload, 0)
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
        if (workload := self.workload(name)) and (
            made := controllers.history(self.store, workload)
        ):
            self._set(workload, template=controllers.template_of(made[which % len(made)]))

    def stop_pod(self, which: int) -> None:
        """Let a pod end, as when its node is drained."""
        if pods := self.store.of_kind("Pod"):
            self.store.remove(pods[which % len(pods)])
            self.check()

    def begin_workflow(self) -> None:
        """Let the CronWorkflow begin a Workflow with what it says now, which has no pod between its steps."""
        for item in self.store.of_kind("CronWorkflow"):
            begun = len(self.store.of_kind("Workflow"))
            made = workload("Workflow", f"nightly-{begun}", item["spec"]["template"])
            if self.store.find("Workflow", made["metadata"]["name"]) is None:
                self.store.create(made)
            self.check()

    def end_workflow(self, which: int) -> None:
        if found := self.store.of_kind("Workflow"):
            self.store.remove(found[which % len(found)])
            self.check()

    def tidy_up(self) -> None:
        """Delete the trackers, as a person does who leaves: those of what is rendered, and of what nothing uses."""
        rendered = {name.name for name in (*self.rendering.names, *self.rendering.of_nightly)}
        used = {name for consumer in self._consumers() for name in self._names_in(consumer)}
        for item in self.store.of_kind("ConfigMap"):
            labels = item["metadata"].get("labels", {})
            is_tracker = labels.get(keys.COMPONENT) == keys.TRACKER
            if is_tracker and item["metadata"]["name"] not in used - rendered:
                self._revisions -= {key_of(item)}  # the Secret is what somebody needs
                garbage_collector.delete(self.store, item)
        self.check()

    def pause(self, name: str) -> None:
        """Pause the workload, or resume it."""
        if workload := self.workload(name):
            self._set(workload, paused=not workload["spec"].get("paused", False))

    def delete(self, name: str, propagation: str) -> None:
        workload = self.workload(name) or self.store.find("CronWorkflow", name)
        if workload:
            garbage_collector.delete(self.store, workload, propagation)
            self.check()

    def delete_inventory(self) -> None:
        if inventory := self.store.find("ConfigMap", self.rendering.plan.inventory):
            garbage_collector.delete(self.store, inventory)

    def recreate_inventory(self) -> None:
        """Delete the inventory, as people do, and apply it again, once a run has seen every reference."""
        self.sync()
        self.settle()
        self.advance(self.link_by_hand())
        self.delete_inventory()
        self.collect_all()
        self.commit(self.rendering)
        self.sync()
        self.advance(self.link_by_hand())

    def _set(self, workload: Object, **spec: Any) -> None:
        self.store.update(workload, spec={**workload["spec"], **spec})
        self.check()

    def restore(self) -> Iterator[None]:
        """Create all objects anew, as from a backup: without their owners. Yields after each.

        Velero restores CronJobs last. Here the CronJob is there from the first object on.
        """
        backup = sorted(self.store, key=lambda item: _RESTORED.index(item["kind"]))
        for item in backup:
            self.store.remove(item)
        for item in backup:
            self.store.create(
                without(item, "ownerReferences", "uid", "resourceVersion", "creationTimestamp")
            )
            self.check()
            yield

    # The checks

    def check(self) -> None:
        """Check the guarantee after a step. Raises RevisionLost."""
        self.store.clock += self.seconds_per_step
        self._stop_runs_without_job()
        self._collect_secrets()
        live = {key_of(item) for item in self.store.of_kind(*CONFIGS)}
        for consumer in self._consumers():
            for name in self._names_in(consumer):
                for kind in CONFIGS:
                    if (kind, name) in self._revisions and (kind, name) not in live:
                        message = f"{kind}/{name}, which {'/'.join(key_of(consumer))} references"
                        raise RevisionLost(message)

    def check_annotations(self) -> None:
        """Check that whatever is referenced or rendered has its annotation, unless a run is about to look again."""
        if self.runs:
            return
        wanted = {name for consumer in self._consumers() for name in self._names_in(consumer)}
        inventory = self.store.find("ConfigMap", self.rendering.plan.inventory)
        wanted |= (
            {*inventory["metadata"]["annotations"][keys.RENDERED].split(",")}
            if inventory
            else set()
        )
        for item in self.store.of_kind("ConfigMap"):
            annotations = item["metadata"].get("annotations", {})
            if item["metadata"]["name"] in wanted and keys.WANTED not in annotations:
                message = (
                    f"ConfigMap/{item['metadata']['name']} is wanted, and still marked for deletion"
                )
                raise AnnotationLost(message)

    def _collect_secrets(self) -> None:
        """Let the garbage collector delete the Secrets whose trackers are gone, before anybody else acts."""
        for secret in self.store.of_kind("Secret"):
            owners = secret["metadata"].get("ownerReferences", [])
            if owners and not any(
                garbage_collector.is_solid(self.store, owner) for owner in owners
            ):
                self.store.remove(secret)

    def _stop_runs_without_job(self) -> None:
        jobs = [job["metadata"] for job in self.store.of_kind("Job", "CronJob")]
        live = {metadata["uid"] for metadata in jobs if "deletionTimestamp" not in metadata} | {""}
        for run in self.runs:
            if self._jobs[run] not in live:
                run.stop()

    def _consumers(self) -> Iterator[Object]:
        """Yield the workloads, their history and their pods, except what is being deleted."""
        for item in self.store.of_kind(*WORKLOADS, *HISTORY, *OF_WORKFLOWS):
            metadata = item["metadata"]
            owners = metadata.get("ownerReferences", [])
            if "deletionTimestamp" in metadata or not all(
                garbage_collector.is_solid(self.store, o) for o in owners
            ):
                continue
            yield item

    def _names_in(self, item: Object) -> frozenset[str]:
        """Return the names of revisions that an object references.

        No object is ever changed in place.
        """
        if id(item) not in self._words:
            self._words[id(item)] = item, frozenset(possible_names(item, has_pod_spec=True))
        _, words = self._words[id(item)]
        return words.intersection(name for _, name in self._revisions)

    def finish(self) -> None:
        """Let everything finish; then check that exactly the referenced and the retained revisions exist.

        A Secret that no run has linked in time is left too, and the run says so.
        """
        self.collect_all()
        self.commit(self.rendering)
        self.sync()
        for name in ("web", "api"):
            if (workload := self.workload(name)) and workload["spec"].get("paused"):
                self.pause(name)
        self.settle()
        self.grow_old()
        run = self.link_by_hand()
        self.advance(run)
        self.settle()
        named = {name for consumer in self._consumers() for name in self._names_in(consumer)}
        found = {name for kind, name in map(key_of, self.store) if kind == "ConfigMap"}
        inventory = self.rendering.plan.inventory
        left = {name for name in found if not name.startswith("kept-")} - {inventory}
        retained = {
            item["metadata"]["name"]
            for item in self.store.of_kind("ConfigMap")
            if keys.RETAIN in item["metadata"].get("annotations", {})
        }
        left, named = left - retained, named - retained
        left, named = left - self.of_others, named - self.of_others
        unlinked = {
            name
            for name in left
            if any(f"/{name}: the linker may no longer" in one for one in run.report.warnings)
        }
        assert left - unlinked == named, f"leaked {left - unlinked - named}, missing {named - left}"
        secrets = {
            secret["metadata"]["name"]: secret["metadata"]["uid"]
            for secret in self.store.of_kind("Secret")
        }
        leaked = {
            name
            for name, uid in secrets.items()
            if name not in named | retained and uid in self._owned_secrets
        }
        if (
            replace_next in self._deploy
        ):  # it may have taken the tracker away, which the run has named
            leaked -= unlinked
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

    def grow_old(self) -> None:
        """Let time pass until no revision is young: one of exactly the minimum age still is."""
        self.store.clock += MINIMUM_AGE + 1

    def close(self) -> None:
        for run in list(self.runs):
            run.kill()
