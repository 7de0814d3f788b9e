"""The garbage collector is behind while a deployer uninstalls and installs again (decision 76).

The controller-manager stands still, so each has a control plane of its own, and the linker runs as a person does.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane, control_plane, new_namespace
from tests.cluster.test_late_collector import read_until, start_linker, uids
from tests.gitops.bench import HELM, HELM4, KPT
from tests.gitops.deployer import Deployer
from tests.gitops.helm import Helm
from tests.gitops.kpt import Kpt
from tests.gitops.package import NAMES, Commit
from tests.tools.require import require_built, require_on_demand
from tests.wait import until

DEPLOYERS: dict[str, Callable[[ControlPlane, Api], Deployer]] = {
    HELM: lambda cluster, api: Helm(cluster, api, require_built(HELM), rolls_back=False),
    HELM4: lambda cluster, api: Helm(cluster, api, require_on_demand(HELM4), rolls_back=False),
    KPT: Kpt,
}
COMMIT = Commit(kinds=("Deployment",))


@pytest.fixture(scope="module")
def cluster() -> Iterator[ControlPlane]:
    with control_plane(require_built) as started:
        yield started


@pytest.mark.parametrize("program", DEPLOYERS)
def test_what_an_install_takes_over_outlives_the_collector_once_a_run_has_looked(
    program: str, cluster: ControlPlane, tmp_path: Path
) -> None:
    api = new_namespace(cluster, f"late-{program}")
    deployer = DEPLOYERS[program](cluster, api)
    deployer.deploy(COMMIT)
    api.ready("Deployment", NAMES["Deployment"])
    (job,) = api.list("Job")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    with start_linker(api, tmp_path, container["args"]) as first:
        said = read_until(first, "no line has this word")
    assert first.returncode == 0, said
    before = uids(api)
    old = {one["metadata"]["uid"] for one in api.list("ReplicaSet")}
    with cluster.paused("controller-manager"):
        deployer.uninstall()
        deployer.deploy(COMMIT)
        assert uids(api) == before, "the install takes over what is left"
        run = start_linker(api, tmp_path, container["args"])
        said = read_until(run, "waiting for")
    with run:
        said += read_until(run, "no line has this word")
    assert run.returncode == 0, said
    assert "the former inventory is gone" in "".join(said)
    until(
        "the collector has deleted what the uninstall has left",
        lambda: {one["metadata"]["uid"] for one in api.list("ReplicaSet")},
        lambda found: not found & old,
    )
    api.ready("Deployment", NAMES["Deployment"])
    assert uids(api) == before
