"""The one linker of a namespace, as examples/linker-shared installs it, beside a set with a Job of its own."""

import re

import pytest
import yaml

from tests.cluster.api import Api, Object
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_job import ROOT, LinkerRun, run_linker
from tests.cluster.manifests import workload
from tests.cluster.release import SET as SHOP
from tests.cluster.release import config, owners, render
from tests.cluster.rollouts_controller import promote, rollout_in_phase, until_noticed
from tests.cluster.test_schedule import job_of_cron_job
from tests.cluster.workloads import web

EXAMPLE = ROOT / "examples" / "linker-shared" / "namespace"
LINKER = "krm-fn-linker"
COMPONENT = "revisions.krm-fn.io/component"
SET = "revisions.krm-fn.io/set"


def install_linker(api: Api) -> None:
    for file in ("account.yaml", "cron-job.yaml"):
        text = (EXAMPLE / file).read_text()
        objects = yaml.safe_load_all(
            text.replace("namespace: default", f"namespace: {api.namespace}")
        )
        api.apply_all(objects)


def release(api: Api, set_name: str, objects: list[Object], *, is_shared: bool) -> None:
    """Render and apply a set, without a deployer that prunes."""
    linker = {"run": "shared"} if is_shared else {"minimumAgeSeconds": 0}
    text = render(objects, api.namespace, linker=linker).decode()
    for item in yaml.safe_load_all(re.sub(rf"\b{SHOP}\b", set_name, text)):
        api.apply({**item, "metadata": {**item["metadata"], "namespace": api.namespace}})


def app(name: str, content: str) -> list[Object]:
    """Build a Deployment that keeps no history, and its ConfigMap."""
    spec = {"revisionHistoryLimit": 0}
    made = workload("Deployment", name, config=f"{name}-config", spec=spec)
    return [config(content, f"{name}-config"), made]


def revisions(api: Api, set_name: str) -> dict[str, Object]:
    """Return the revisions of a set by their content."""
    found = api.list("ConfigMap", labels=f"{SET}={set_name},{COMPONENT}!=linker")
    return {item["data"]["content"]: item for item in found}


def run_for_all(api: Api) -> LinkerRun:
    return run_linker(api, "", "--minimum-age=0", pod=job_of_cron_job(api, LINKER))


@pytest.mark.usefixtures("rollouts")
def test_a_run_deletes_only_what_nothing_references_and_leaves_a_set_with_a_job_alone(
    namespace: Api, invariants: InvariantWatcher
) -> None:
    install_linker(namespace)
    for content, phase in (("old", "Healthy"), ("new", "Paused")):
        release(namespace, "shop", web(content, revisionHistoryLimit=0), is_shared=True)
        rollout_in_phase(namespace, "web", phase)
        for name in ("pay", "own"):
            release(namespace, name, app(name, content), is_shared=name == "pay")
            namespace.ready("Deployment", name)
    until_noticed(
        "the old ReplicaSets are gone",
        namespace,
        lambda: [
            one
            for name in ("pay", "own")
            for one in namespace.names("ReplicaSet", labels=f"app={name}")
        ],
        lambda found: len(found) == 2,
    )
    own = revisions(namespace, "own")

    run = run_for_all(namespace)
    assert (run.exit_code, run.stderr) == (0, "")
    assert "2 sets in " in run.stdout
    assert ", 1 deleted, 1 left to its own Job; " in run.stdout
    assert set(revisions(namespace, "shop")) == {"old", "new"}
    assert set(revisions(namespace, "pay")) == {"new"}
    assert revisions(namespace, "own") == own
    assert {"ConfigMap/shop-linker", "Rollout/web"} <= owners(revisions(namespace, "shop")["new"])
    assert {"ConfigMap/pay-linker", "Deployment/pay"} <= owners(revisions(namespace, "pay")["new"])

    promote(namespace, "web")
    rollout_in_phase(namespace, "web", "Healthy")
    until_noticed(
        "the old ReplicaSet of the canary is gone",
        namespace,
        lambda: namespace.names("ReplicaSet", labels="app=web"),
        lambda found: len(found) == 1,
    )
    run = run_for_all(namespace)
    assert (run.exit_code, run.stderr) == (0, "")
    assert set(revisions(namespace, "shop")) == {"new"}
    assert revisions(namespace, "own") == own

    # The set with its own Job changes to the linker of the namespace.
    release(namespace, "own", app("own", "new"), is_shared=True)
    run = run_for_all(namespace)
    assert (run.exit_code, run.stderr) == (0, "")
    assert set(revisions(namespace, "own")) == {"new"}
    assert invariants.violations() == []
