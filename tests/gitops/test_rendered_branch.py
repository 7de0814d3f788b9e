"""A monorepo whose branch CI renders, from the first sync to the last, under the real Argo CD and kustomize-controller.

The commands are those of docs/how-to/argo-cd-without-a-plugin.md, which examples/github/render.yaml
runs, too. Three services are enough on a cluster: one with a canary, one without, one that leaves.
The twelve of docs/how-to/a-monorepo.md are rendered by tests/integration/test_monorepo.py.
"""

import contextlib
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane, control_plane, new_namespace
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.linker_job import COMPONENT, ROOT
from tests.cluster.readiness import is_ready
from tests.cluster.rollouts_controller import (
    NAME,
    promote,
    rollout_in_phase,
    start_rollouts_controller,
)
from tests.gitops.bench import ARGO_CD, FLUX
from tests.gitops.branch import ArgoBranch, Branch, FluxBranch
from tests.gitops.kubelet import Kubelet
from tests.integration.test_how_to import environment, make_repository
from tests.pages.blocks import read_blocks, run_blocks
from tests.tools.require import require_built, require_on_demand
from tests.wait import until

SERVICES = ("billing", "cart", "tax")
PAGE = (ROOT / "docs/how-to/argo-cd-without-a-plugin.md").read_text()
ONCE, WORKFLOW = read_blocks(PAGE)
RENAME = read_blocks((ROOT / "docs/how-to/a-monorepo.md").read_text())[2]
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: cart}\nspec:\n"
ROLLOUT = """\
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: cart}
spec:
  replicas: 2
  strategy: {canary: {maxSurge: 0, maxUnavailable: 1, steps: [{setWeight: 50}, {pause: {}}]}}
"""
CHANGE = """\
base=services/cart/base/cart.yaml
sed 's/LOG_LEVEL: info/LOG_LEVEL: debug/' $base > changed && mv changed $base
git commit -qam 'Log more' && git push -q
"""
REMOVE = "git rm -rq services/tax && git commit -qm 'Remove tax' && git push -q\n"
LEAVE = """\
krm-fn init 'services/*/overlays/*' --share krm --remove > said.txt
git add --all krm services && git commit -qm 'Leave krm-fn' && git push -q
"""
NOTHING: Mapping[str, set[str]] = {
    "ConfigMap": {"kube-root-ca.crt"},
    **{kind: set() for kind in ("Job", "Deployment", "Pod", "Role", "RoleBinding")},
}
"""What Kubernetes itself keeps in a namespace."""

BRANCHES: dict[str, tuple[str, Callable[[ControlPlane], Branch]]] = {
    "Argo CD without a plugin": (ARGO_CD, ArgoBranch),
    "Flux": (FLUX, FluxBranch),
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[ControlPlane]:
    with control_plane(require_built) as running:
        start_rollouts_controller(running, require_built(NAME))
        yield running


@pytest.mark.parametrize("name", BRANCHES)
def test_a_rendered_branch_is_applied(name: str, cluster: ControlPlane, tmp_path: Path) -> None:
    program, start = BRANCHES[name]
    require_on_demand(program)
    branch = start(cluster)
    assert branch.says_missing in PAGE
    apis = {one: new_namespace(cluster, f"{one}-{branch.stage}") for one in SERVICES}
    repository = _make_repository(branch)

    def type_in(*blocks: str) -> None:
        deployer = f"--deployer {branch.deployer}"
        typed = [block.replace("--deployer argocd", deployer) for block in blocks]
        run_blocks(typed, environment(branch.folder), tmp_path, repository)

    with Kubelet(cluster.api), contextlib.ExitStack() as watching:
        watchers = [watching.enter_context(InvariantWatcher(api)) for api in apis.values()]
        branch.follow("main", SERVICES)
        branch.sync()
        before = _until_running(apis)

        type_in(ONCE, WORKFLOW)
        branch.sync()
        assert _until_running(apis) == before, "what follows main is applied as before"
        branch.follow("rendered", SERVICES)
        branch.sync()
        _until_linked(apis)
        assert _until_running(apis) == before, "no pod was restarted"

        type_in(RENAME, WORKFLOW)
        branch.sync()
        info = _pause(apis["cart"], "cart-config")
        _until_running(apis)
        type_in(CHANGE, WORKFLOW)
        branch.sync()
        debug = _pause(apis["cart"], info)

        type_in(REMOVE, WORKFLOW)
        branch.until_complains("tax", branch.says_missing)
        assert apis["tax"].get("Deployment", "tax"), "a folder that is gone removes nothing"
        branch.remove("tax")
        until(
            "nothing of tax is left",
            lambda: {kind: apis["tax"].names(kind) for kind in NOTHING},
            lambda found: found == NOTHING,
        )

        type_in(LEAVE)
        left = ("billing", "cart")
        branch.follow("main", left)
        branch.sync()
        assert _pause(apis["cart"], debug) == "cart-config"
        _until_running({one: apis[one] for one in left})
        for one in left:
            assert not apis[one].names("Job"), "the deployer has pruned the linker"
        for watcher in watchers:
            watcher.check()


def _make_repository(branch: Branch) -> Path:
    """Return the monorepo of these services and one stage, where `cart` has a canary."""
    repository = make_repository(branch.folder, SERVICES, (branch.stage,))
    base = repository / "services/cart/base/cart.yaml"
    text = base.read_text()
    assert DEPLOYMENT in text
    base.write_text(text.replace(DEPLOYMENT, ROLLOUT))
    commit = "git commit -qam 'Release cart as a canary' && git push -q\n"
    subprocess.run(
        ["sh", "-ec", commit], cwd=repository, env=environment(branch.folder), check=True
    )
    return repository


def _until_running(apis: Mapping[str, Api]) -> dict[str, str]:
    """Wait until each service runs, and return what their pods read."""
    for name, api in apis.items():
        if name == "cart":
            rollout_in_phase(api, name, "Healthy")
        else:
            api.ready("Deployment", name)
    return {pod: read for name, api in apis.items() for pod, read in _pods(api, name).items()}


def _until_linked(apis: Mapping[str, Api]) -> None:
    """Wait until the newest Job of each service is complete."""
    for api in apis.values():
        until(
            f"the Jobs of {api.namespace} are complete",
            partial(api.list, "Job", labels=COMPONENT),
            lambda found: found and all(map(is_ready, found)),
        )


def _pause(api: Api, old: str) -> str:
    """See both revisions live while the canary is paused, each in a pod; promote. Returns the new one."""
    rollout = rollout_in_phase(api, "cart", "Paused")
    new = _read_by(rollout["spec"]["template"]["spec"])
    pods = until(
        f"a pod reads {old}, and one {new}",
        lambda: _pods(api, "cart"),
        lambda found: sorted(found.values()) == sorted([old, new]),
    )
    assert {old, new} <= api.names("ConfigMap")
    for pod, read in pods.items():
        if read == old:
            api.delete("Pod", pod)
    until(
        f"a new pod has {old}",
        lambda: _pods(api, "cart"),
        lambda found: found != pods and sorted(found.values()) == sorted([old, new]),
    )
    promote(api, "cart")
    rollout_in_phase(api, "cart", "Healthy")
    return new


def _pods(api: Api, name: str) -> dict[str, str]:
    """Return the running pods of a service, with the ConfigMap that each reads."""
    return {
        pod["metadata"]["name"]: _read_by(pod["spec"])
        for pod in api.list("Pod", labels=f"app={name}")
        if is_ready(pod) and "deletionTimestamp" not in pod["metadata"]
    }


def _read_by(spec: Object) -> str:
    return str(spec["containers"][0]["envFrom"][0]["configMapRef"]["name"])
