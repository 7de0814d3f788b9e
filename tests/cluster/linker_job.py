"""Run the pod of a linker's Job, as the kubelet would: a local process with the token of the pod."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from tests.cli.process import Running, start
from tests.cluster.api import Api, Object
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.readiness import has_ended, is_going
from tests.cluster.rollouts_controller import MissedWrites
from tests.cluster.server import STRATEGIC
from tests.cluster.tokens import token_of
from tests.wait import PATIENCE, until

ROOT = Path(__file__).parent.parent.parent
COMPONENT = "revisions.krm-fn.io/component=linker"
SET = "revisions.krm-fn.io/set"
QUICK = dict.fromkeys(("krm_fn.linker.link.GRACE", "krm_fn.linker.link_all_sets.GRACE"), 0.1)
"""Seconds before a deletion instead of ten: no deployer of the tests applies something else meanwhile."""

SECONDS, LONGEST = 120, 600
"""Until a run counts as hanging, and one that a test holds up."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkerRun:
    """The exit code and the output of a run.

    `stderr` is without `waits`, which depend on how fast others are.
    """

    exit_code: int
    stdout: str
    stderr: str
    waits: tuple[str, ...]
    pod: str


def run_linker(
    api: Api, set_name: str, *more: str, program: Path = ROOT, pod: Object | None = None
) -> LinkerRun:
    """Run this pod, or that of the set's newest Job, and write the result to its status, which ends the Job.

    A Job that has completed runs once more, like a copy of it. `more`: further arguments. `program`:
    the folder of the krm-fn that links. A Rollout whose new spec its controller has missed is
    written to again meanwhile, as in `until_noticed`.
    """
    pod = pod or linker_pod(api, set_name)
    with tempfile.TemporaryDirectory(prefix="krm-fn-linker-") as folder, MissedWrites(api):
        environment = linker_environment(api, pod, Path(folder))
        done = run_krm_fn([*linker_arguments(pod), *more], environment, program)
    finish(api, pod, done.returncode)
    return ended(done, pod["metadata"]["name"])


def run_krm_fn(
    arguments: Sequence[str], environment: Mapping[str, str], program: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run krm-fn with exactly this environment. The exit code is negative for a signal. To hang is an error."""
    other = None if program == ROOT else program
    return start(arguments, ROOT, environment, constants=QUICK, program=other).wait(SECONDS)


class Linker:
    """A linker in this environment, from `linker_environment`: it runs again and again."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._running: Future[Running] = Future()

    def run(self, arguments: Sequence[str]) -> LinkerRun:
        """Run it to its end. The exit code is negative for a signal."""
        running = start(arguments, ROOT, self._environment, constants=QUICK)
        self._running.set_result(running)
        done = running.wait(LONGEST)
        self._running = Future()
        return ended(done)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to it, from another thread, while one of its calls is pending."""
        os.kill(self._running.result(timeout=PATIENCE).process_id, number)


def ended(done: subprocess.CompletedProcess[str], pod: str = "") -> LinkerRun:
    """Return the run of this process."""
    lines = done.stderr.splitlines(keepends=True)
    waits = tuple(line for line in lines if line.startswith("waiting for "))
    others = "".join(line for line in lines if line not in waits)
    return LinkerRun(
        exit_code=done.returncode, stdout=done.stdout, stderr=others, waits=waits, pod=pod
    )


def linker_pod(api: Api, set_name: str, *, within: float = PATIENCE) -> Object:
    """Wait for the newest pod of the newest Job to be bound to a node."""
    labels = f"{COMPONENT},{SET}={set_name}"

    def newest() -> Object | None:
        jobs = [job for job in api.list("Job", labels=labels) if not is_going(job)]
        by_job: dict[str, list[Object]] = {job["metadata"]["uid"]: [] for job in jobs}
        for pod in api.list("Pod", labels=labels):
            by_job.setdefault(_job(pod), []).append(pod)

        def newness(job: Object) -> tuple[str, bool, int]:
            # The Job learns a second later that its pod has ended.
            pods = by_job[job["metadata"]["uid"]]
            return _newness(job, has_ended(job) or (bool(pods) and all(map(has_ended, pods))))

        job = max(jobs, key=newness, default=None)
        # Not the pod of an older Job, which links what was rendered before: the newest may not have
        # its pod yet.
        pods = by_job[job["metadata"]["uid"]] if job else []
        bound = [pod for pod in pods if pod["spec"].get("nodeName") and not is_going(pod)]
        return max(bound, key=lambda pod: _newness(pod, has_ended(pod)), default=None)

    found = until(
        f"a pod with {labels} in {api.namespace} is bound to a node", newest, within=within
    )
    assert found is not None
    return found


def linker_command(pod: Object) -> Sequence[str]:
    """Return the command that starts this checkout, for who needs a process of his own. See `quick_linker`."""
    return [sys.executable, "-m", "tests.cluster.quick_linker", *linker_arguments(pod)]


def linker_arguments(pod: Object) -> list[str]:
    """Return the arguments of the pod's container."""
    (container,) = pod["spec"]["containers"]
    return [*container.get("args", [])]


def linker_environment(api: Api, pod: Object, folder: Path) -> dict[str, str]:
    """Create an environment whose only credential is a token of the pod's ServiceAccount, bound to the pod."""
    token = token_of(api, pod["spec"]["serviceAccountName"], pod=pod, seconds=_token_seconds(pod))
    kubeconfig = write_kubeconfig(
        folder / "kubeconfig", api.server, token=token, namespace=api.namespace
    )
    (container,) = pod["spec"]["containers"]
    # Only variables with a plain value. The linker needs no others.
    variables = {
        entry["name"]: entry["value"] for entry in container.get("env", []) if "value" in entry
    }
    return {
        **variables,
        "KUBECONFIG": str(kubeconfig),
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        **python_path(ROOT),
    }


def python_path(program: Path) -> dict[str, str]:
    """Return the variables with which Python imports this krm-fn, and the tests of this checkout."""
    # Without the second, Python would look into the folder of the tests' process first.
    return {"PYTHONPATH": os.pathsep.join([str(program), str(ROOT)]), "PYTHONSAFEPATH": "1"}


def _token_seconds(pod: Object) -> int:
    """Return how long the token that the pod mounts is valid."""
    projected = [
        volume["projected"]["sources"] for volume in pod["spec"]["volumes"] if "projected" in volume
    ]
    (token,) = (
        source["serviceAccountToken"]
        for sources in projected
        for source in sources
        if "serviceAccountToken" in source
    )
    return int(token["expirationSeconds"])


def finish(api: Api, pod: Object, exit_code: int) -> None:
    """Report the end of the container, as the kubelet does, unless the pod has ended already."""
    name = pod["metadata"]["name"]
    live = api.find("Pod", name)
    if live is None or has_ended(live):
        return
    (container,) = pod["spec"]["containers"]
    ended = {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": {
            "terminated": {"exitCode": exit_code, "reason": "Error" if exit_code else "Completed"}
        },
    }
    status = {"phase": "Failed" if exit_code else "Succeeded", "containerStatuses": [ended]}
    api.patch("Pod", name, {"status": status}, subresource="status", patch_type=STRATEGIC)


def _job(pod: Object) -> str:
    owners = pod["metadata"].get("ownerReferences", [])
    return next((str(owner["uid"]) for owner in owners if owner["kind"] == "Job"), "")


def _newness(found: Object, is_over: bool) -> tuple[str, bool, int]:
    """Order by creation time; in the same second one that has not ended is newer, else the one changed later."""
    metadata = found["metadata"]
    return metadata["creationTimestamp"], not is_over, int(metadata["resourceVersion"])
