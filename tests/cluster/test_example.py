"""The example, from the first release to the garbage collection of its revision."""

import os
from pathlib import Path

import pytest

from tests.cluster.api import Api
from tests.cluster.deployers import ArgoLike
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_job import ROOT, run_krm_fn, run_linker
from tests.cluster.readiness import is_ready
from tests.cluster.rollouts_controller import promote, rollout_in_phase, until_noticed
from tests.wait import until

EXAMPLE = ROOT / "examples" / "canary"


class Shop:
    """The files of examples/canary in a namespace of the test, edited as their authors would."""

    def __init__(self, api: Api, folder: Path) -> None:
        self.api = api
        self.folder = folder
        self.deployer = ArgoLike(api=api, app="shop")
        for file in EXAMPLE.glob("*.yaml"):
            (folder / file.name).write_text(
                file.read_text().replace("namespace: shop", f"namespace: {api.namespace}")
            )

    def edit(self, file: str, before: str, after: str) -> None:
        text = (self.folder / file).read_text()
        assert before in text
        (self.folder / file).write_text(text.replace(before, after))

    def sync(self) -> None:
        done = run_krm_fn(["render", str(self.folder)], {"PATH": os.environ["PATH"]})
        assert done.returncode == 0, done.stderr
        self.deployer.sync(done.stdout.encode())

    def history(self) -> dict[str, set[str]]:
        """List the set's ConfigMaps as docs/ownership.md does, with the kinds of their owners."""
        found = self.api.list("ConfigMap", labels="revisions.krm-fn.io/set=shop")
        return {
            item["metadata"]["name"]: {
                owner["kind"] for owner in item["metadata"].get("ownerReferences", [])
            }
            for item in found
        }

    def read_by_pods(self) -> list[str]:
        """Return the revision that each Ready pod of `web` mounts."""
        pods = [pod for pod in self.api.list("Pod", labels="app=web") if is_ready(pod)]
        return sorted(pod["spec"]["volumes"][0]["configMap"]["name"] for pod in pods)


@pytest.mark.usefixtures("rollouts")
def test_a_canary_keeps_its_own_configuration(
    namespace: Api, tmp_path: Path, invariants: InvariantWatcher
) -> None:
    shop = Shop(namespace, tmp_path)

    # The first release. Each revision is owned by its workload, its ReplicaSet and the inventory.
    shop.sync()
    rollout_in_phase(namespace, "web", "Healthy")
    assert run_linker(namespace, "shop").exit_code == 0
    old = next(name for name in shop.history() if name.startswith("web-config-"))
    assert shop.history()[old] == {"Rollout", "ReplicaSet", "ConfigMap"}

    # A change of configuration: one pod of four is the canary, the others keep the old revision.
    shop.edit("config.yaml", "LOG_LEVEL: info", "LOG_LEVEL: debug")
    shop.sync()
    rollout_in_phase(namespace, "web", "Paused")
    assert run_linker(namespace, "shop").exit_code == 0
    (new,) = (name for name in shop.history() if name.startswith("web-config-") and name != old)
    assert shop.history()[old] == shop.history()[new] == {"Rollout", "ReplicaSet", "ConfigMap"}

    # All nodes are replaced, like spot instances. Each new pod mounts the revision of its
    # ReplicaSet.
    assert shop.read_by_pods() == sorted([new, old, old, old])
    for pod in namespace.names("Pod", labels="app=web"):
        namespace.delete("Pod", pod)
    until(
        "all four are back", shop.read_by_pods, lambda found: found == sorted([new, old, old, old])
    )

    # Promoted. The old revision is kept until the run after its ReplicaSet is gone:
    # revisionHistoryLimit is 3.
    promote(namespace, "web")
    rollout_in_phase(namespace, "web", "Healthy")
    for image in ("web:1.1", "web:1.2", "web:1.3"):
        assert old in shop.history()
        shop.edit("web.yaml", "image: registry.example/web:", f"image: registry.example/{image}-")
        shop.sync()
        rollout_in_phase(namespace, "web", "Paused")
        promote(namespace, "web")
        rollout_in_phase(namespace, "web", "Healthy")
    until_noticed(
        "the history is trimmed",
        namespace,
        lambda: namespace.names("ReplicaSet", labels="app=web"),
        lambda found: len(found) == 4,
    )
    shop.edit("krm-fn.yaml", "  linker:\n", "  linker:\n    minimumAgeSeconds: 0\n")
    shop.sync()
    assert run_linker(namespace, "shop").exit_code == 0
    assert old not in shop.history()
    assert "Rollout" in shop.history()[new]
    assert invariants.violations() == []
