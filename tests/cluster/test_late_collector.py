"""The garbage collector is behind: an install takes over what it has yet to delete (decision 76).

The controller-manager stands still. So no controller makes a pod of a Job either: the linker runs as a person does.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.linker_job import ROOT, python_path
from tests.cluster.release import DEPLOYERS, SET, Release
from tests.cluster.unlinked_release import OPTIONS, revisions, shop
from tests.wait import until

LINKER = {"minimumAgeSeconds": 0, "timeoutSeconds": 60}


def start_linker(api: Api, folder: Path, arguments: Sequence[str]) -> subprocess.Popen[str]:
    kubeconfig = write_kubeconfig(
        folder / "kubeconfig", api.server, token=api.token, namespace=api.namespace
    )
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "krm_fn", *arguments],
        env={"KUBECONFIG": str(kubeconfig), "PATH": os.environ["PATH"], **python_path(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def read_until(run: subprocess.Popen[str], word: str) -> list[str]:
    """Return the lines up to one with this word, and all of them if there is none."""
    assert run.stdout is not None
    lines: list[str] = []
    for line in run.stdout:
        lines.append(line)
        if word in line:
            break
    return lines


def uids(api: Api) -> dict[str, str]:
    return {
        f"{item['kind']}/{item['metadata']['name']}": item["metadata"]["uid"]
        for item in revisions(api)
    }


def uninstall(api: Api) -> None:
    """Delete as Flux does: neither revisions, as they say, nor Secrets and trackers."""
    for job in api.list("Job"):
        api.delete("Job", job["metadata"]["name"])
    api.delete("Deployment", "web")
    api.delete("ConfigMap", f"{SET}-linker")


def test_what_an_install_takes_over_outlives_the_collector_once_a_run_has_looked(
    cluster: ControlPlane, namespace: Api, tmp_path: Path
) -> None:
    """The collector goes on as soon as the run waits for a ReplicaSet, before it writes all owners."""
    app = Release(
        api=namespace,
        deployer=DEPLOYERS["Flux"](namespace),
        settings={**OPTIONS, "linker": LINKER},
    )
    app.release(*shop("one"))
    namespace.ready("Deployment", "web")
    (job,) = namespace.list("Job")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    before = uids(namespace)
    old = {one["metadata"]["uid"] for one in namespace.list("ReplicaSet")}
    with cluster.paused("controller-manager"):
        uninstall(namespace)
        app.sync(*shop("one"))
        run = start_linker(namespace, tmp_path, container["args"])
        said = read_until(run, "waiting for")
    with run:
        said += read_until(run, "no line has this word")
    assert run.returncode == 0, said
    assert "the former inventory is gone" in "".join(said)
    until(
        "the collector has deleted what the uninstall has left",
        lambda: {one["metadata"]["uid"] for one in namespace.list("ReplicaSet")},
        lambda found: not found & old,
    )
    namespace.ready("Deployment", "web")
    assert uids(namespace) == before
