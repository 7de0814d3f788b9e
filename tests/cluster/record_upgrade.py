"""`python -m tests.cluster.record_upgrade`: record what version 0.1.0 leaves in a cluster. See `upgrade`.

It needs the history of the repository and the programs of `make tools`. Nobody needs to run it again.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import control_plane, new_namespace
from tests.cluster.deployers import ArgoLike
from tests.cluster.kinds import complete
from tests.cluster.linker_job import ROOT, finish, linker_environment, linker_pod
from tests.cluster.release import SET
from tests.cluster.rollouts_controller import NAME, rollout_in_phase, start_rollouts_controller
from tests.cluster.upgrade import CONTENTS, LIVE, NAMESPACE, PHASES, SETTINGS, owners_in, shop_objects
from tests.tools.require import require_built

COMMIT = "b008daeea6519667667af353f0154a51fc0388b0"


def record() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="krm-fn-0.1.0-") as source,
        control_plane(require_built) as cluster,
    ):
        archive = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "--extract"], cwd=source, input=archive, check=True)
        start_rollouts_controller(cluster, require_built(NAME))
        api = new_namespace(cluster, NAMESPACE)
        deployer = ArgoLike(api=api, app=SET)
        LIVE.mkdir(parents=True, exist_ok=True)
        for content in CONTENTS:
            stream = _render(source, shop_objects(content))
            (LIVE / f"{content}.yaml").write_bytes(stream)
            deployer.sync(stream)
            rollout_in_phase(api, "web", PHASES[content])
            api.ready("Deployment", "deployment")
            _link(source, api)
        (LIVE / "owners.json").write_text(json.dumps(owners_in(api), indent=2, sort_keys=True) + "\n")


def _render(source: str, objects: list[Object]) -> bytes:
    configuration = {
        "apiVersion": "revisions.krm-fn.io/v1",
        "kind": "ConfigRevisions",
        "metadata": {"name": SET},
        "spec": SETTINGS,
    }
    with tempfile.TemporaryDirectory(prefix="krm-fn-0.1.0-package-") as folder:
        Path(folder, "objects.yaml").write_text(yaml.safe_dump_all(map(complete, objects)))
        Path(folder, "krm-fn.yaml").write_text(yaml.safe_dump(configuration))
        command = [sys.executable, "-m", "krm_fn", "render", "--namespace", NAMESPACE, folder]
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": source}
        return subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.PIPE, check=True).stdout


def _link(source: str, api: Api) -> None:
    pod = linker_pod(api, SET)
    (container,) = pod["spec"]["containers"]
    with tempfile.TemporaryDirectory(prefix="krm-fn-0.1.0-linker-") as folder:
        environment = {**linker_environment(api, pod, Path(folder)), "PYTHONPATH": source}
        command = [sys.executable, "-m", "krm_fn", *container["args"]]
        subprocess.run(command, env=environment, cwd=folder, check=True)
    finish(api, pod, 0)


if __name__ == "__main__":
    record()
