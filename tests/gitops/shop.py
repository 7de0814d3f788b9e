"""The application of a test: release it, replace its pods, and check what must hold at every station."""

import base64
from dataclasses import dataclass
from typing import Any

from tests.cluster.api import Object
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_job import COMPONENT
from tests.cluster.mounting_kubelet import MountingKubelet
from tests.cluster.readiness import has_condition, has_ended, is_ready
from tests.cluster.release import IN_SET, LiveSet
from tests.cluster.rollouts_controller import promote, rollout_in_phase
from tests.cluster.workloads import consumers_by_revision
from tests.gitops.deployer import Deployer
from tests.gitops.kubelet import Kubelet, PodRun
from tests.gitops.package import NAMES, REPLICAS, Commit
from tests.gitops.written import Snapshot, snapshot, written
from tests.wait import linger, until

REFRESHES = 2
# How long a deployer may take to write after a refresh.
SETTLED = 2.0
HISTORY = ("ReplicaSet/", "ControllerRevision/")


@dataclass(kw_only=True)
class Shop(LiveSet):
    """An application, its deployer, and its last commit."""

    deployer: Deployer
    kubelet: Kubelet
    mounting: MountingKubelet
    watcher: InvariantWatcher
    commit: Commit

    # Stations

    def release(self, phase: str = "Healthy", **changes: Any) -> None:
        """Deploy the next commit, wait for the workloads and the linker, and check everything."""
        self.deploy(**changes)
        self.until_running(phase)
        self.until_linked()
        self.check(phase)

    def promote(self, *, check: bool = False) -> None:
        """End the pause of the canary."""
        promote(self.api, NAMES["Rollout"])
        self.until_running("Healthy")
        if check:
            self.check("Healthy")

    def replace_pods(self) -> None:
        """Delete all pods, as if nodes were removed. Each must come back on its own revision."""
        before = self.pods()
        for name in before:
            self.api.delete("Pod", name)
        # The pod of a StatefulSet comes back under its name.
        old = {name for name in before if not name.startswith(f"{NAMES['StatefulSet']}-")}
        until(
            f"new pods run with {sorted(before.values())}",
            self.pods,
            lambda found: (
                not old & found.keys() and sorted(found.values()) == sorted(before.values())
            ),
        )
        self.watcher.check()

    def uninstall(self) -> None:
        """Uninstall with the deployer. Everything must go."""
        self.deployer.uninstall()
        self.until_left(set())

    # Their parts

    def deploy(self, **changes: Any) -> None:
        self.commit = self.commit.but(**changes)
        self.deployer.deploy(self.commit)

    def until_running(self, phase: str = "Healthy") -> None:
        """Wait for all pods, and for the Rollout to be in this phase."""
        for kind in self.commit.kinds:
            if kind == "Rollout":
                rollout_in_phase(self.api, NAMES[kind], phase)
            else:
                self.api.ready(kind, NAMES[kind])
        wanted = sum(REPLICAS[kind] for kind in self.commit.kinds)
        until(f"{wanted} pods run", self.pods, lambda found: len(found) == wanted)

    def until_linked(self) -> None:
        """Wait for the end of all Jobs. None may have failed."""
        jobs = until(
            "the linker's Jobs have ended",
            lambda: self.api.list("Job", labels=COMPONENT),
            lambda found: all(has_ended(job) for job in found),
        )
        assert all(is_ready(job) for job in jobs), self.runs()
        names = tuple(job["metadata"]["name"] for job in jobs)
        assert not [run for run in self.runs() if run.exit_code and run.pod.startswith(names)]

    def check(self, phase: str) -> None:
        """Check the invariants and the owners, and that the deployer is content and writes nothing more."""
        self.watcher.check()
        if self.commit.strategy != "ignore":
            self._check_owners()
        until(
            f"{self.deployer.annotation} is content while the Rollout is {phase}",
            lambda: self.deployer.complaint(phase),
            lambda complaint: not complaint,
        )
        self.until_collected()
        before = self.snapshot()
        for _ in range(REFRESHES):
            self.deployer.again()
            assert not self.deployer.complaint(phase)
        linger(SETTLED)
        assert not self.deployer.complaint(phase)
        assert written(before, self.snapshot()) == []

    def until_collected(self) -> None:
        """Wait for the garbage collector: a run deletes the tracker of an old Secret as the last thing that it does.

        On a busy machine the collector may take the Secret seconds later, after the Job has ended.
        """

        def abandoned() -> list[str]:
            trackers = {item["metadata"]["uid"] for item in self.api.list("ConfigMap")}
            return [
                item["metadata"]["name"]
                for item in self.api.list("Secret", labels=IN_SET)
                if trackers.isdisjoint(_config_maps_that_own(item)) and _config_maps_that_own(item)
            ]

        until("no Secret is left whose tracker is gone", abandoned, lambda found: not found)

    def until_left(self, names: set[str]) -> None:
        """Wait until only these objects are left, such as `ConfigMap/web-config-mffg77kmb5`."""
        until(
            f"only {names or 'nothing'} is left",
            lambda: {*self.snapshot()},
            lambda left: left == names,
        )

    def _check_owners(self) -> None:
        """Check the owners that every rendering has brought.

        Those of history come with the next run.
        """
        owners = self.revisions()
        for name, consumers in consumers_by_revision(self).items():
            rendered = {one for one in consumers if not one.startswith(HISTORY)}
            assert rendered <= owners[name], (
                f"{name} is owned by {owners[name]}, but used by {consumers}"
            )

    def until_scheduled(self) -> None:
        """Wait until a Job of the CronJob that is created from now on has succeeded."""
        before = self.scheduled()
        until(
            "a scheduled run has succeeded",
            lambda: [job for name, job in self.scheduled().items() if name not in before],
            lambda found: any(map(is_ready, found)),
        )

    # What there is

    def scheduled(self) -> dict[str, Object]:
        """Return the Jobs of the CronJob by name."""
        jobs = [
            job
            for job in self.api.list("Job", labels=COMPONENT)
            if "ownerReferences" in job["metadata"]
        ]
        return {job["metadata"]["name"]: job for job in jobs}

    def pods(self) -> dict[str, str]:
        """Return the running pods with their ConfigMaps."""
        names = ",".join(NAMES[kind] for kind in self.commit.kinds)
        found = [pod for pod in self.api.list("Pod", labels=f"app in ({names})") if is_ready(pod)]
        return {
            pod["metadata"]["name"]: pod["spec"]["volumes"][0]["configMap"]["name"]
            for pod in found
            if "deletionTimestamp" not in pod["metadata"]
        }

    def secret_of(self, content: str) -> str:
        """Return the name of the live Secret revision with this content."""
        (name,) = (
            item["metadata"]["name"]
            for item in self.api.list("Secret", labels=IN_SET)
            if base64.b64decode(item["data"]["token"]).decode() == content
        )
        return str(name)

    def jobs(self) -> dict[str, str]:
        """Return the linker's Jobs with their state: Complete, Failed or "" if they have not ended."""
        return {
            job["metadata"]["name"]: next(
                (state for state in ("Complete", "Failed") if has_condition(job, state)), ""
            )
            for job in self.api.list("Job", labels=COMPONENT)
        }

    def unfinished_job(self) -> str:
        """Return the name of the linker's Job that has not ended, "" if there is none."""
        return self.job_in("")

    def job_in(self, state: str) -> str:
        """Return the name of the linker's Job in a state of `jobs`, "" if there is none."""
        return next((name for name, found in self.jobs().items() if found == state), "")

    def events(self, kind: str, name: str) -> list[str]:
        """Return the messages of the object's Events."""
        return [
            event["message"]
            for event in self.api.list("Event")
            if (event["involvedObject"]["kind"], event["involvedObject"]["name"]) == (kind, name)
        ]

    def runs(self) -> list[PodRun]:
        """Return the runs of the linker that have ended."""
        return self.kubelet.runs(self.api.namespace)

    def snapshot(self) -> Snapshot:
        return snapshot(self.api)


def _config_maps_that_own(item: Object) -> set[str]:
    owners = item["metadata"].get("ownerReferences", [])
    return {owner["uid"] for owner in owners if owner["kind"] == "ConfigMap"}
