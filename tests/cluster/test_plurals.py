"""A custom kind whose plural was guessed wrong: the Role and the plan name what the API server does not have."""

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.custom_kinds import until_served
from tests.cluster.deployers import ArgoLike
from tests.cluster.linker_job import run_linker
from tests.cluster.manifests import workload
from tests.cluster.release import SET, Release, config
from tests.wait import grow_older

GROUP = "logs.example.com"


@pytest.fixture
def definition(cluster: ControlPlane) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "VLogs", "plural": "vlogs", "singular": "vlogs", "listKind": "VLogsList"}
    spec = {"group": GROUP, "names": names, "scope": "Namespaced", "versions": [version]}
    metadata = {"name": f"vlogs.{GROUP}"}
    until_served(
        cluster.api,
        cluster.api.create(
            {"kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec}
        ),
    )


@pytest.mark.usefixtures("definition")
def test_the_others_are_linked_and_nothing_is_deleted(namespace: Api) -> None:
    settings: dict[str, object] = {
        "linker": {"minimumAgeSeconds": 0, "kinds": [f"{GROUP}/v1/VLogs"]}
    }
    release = Release(api=namespace, deployer=ArgoLike(api=namespace, app=SET), settings=settings)
    release.sync(
        config("old"),
        workload("Deployment", "web", config="web-config", spec={"revisionHistoryLimit": 0}),
    )
    namespace.ready("Deployment", "web")
    release.sync(
        config("new"),
        workload("Deployment", "web", config="web-config", spec={"revisionHistoryLimit": 0}),
    )
    namespace.ready("Deployment", "web")
    grow_older()
    run = run_linker(namespace, SET)
    rule = f'{{apiGroups: ["{GROUP}"], resources: [vlogs], verbs: [list]}}'
    why = f"the plural is vlogs; the Role of this ServiceAccount needs the rule {rule}"
    assert run.stderr.splitlines()[-1] == (
        f"warning: vlogses in {namespace.namespace}: {why}; until then nothing is deleted"
    )
    assert run.exit_code == 0
    assert len(release.revisions()) == 2
    assert "Deployment/web" in release.revisions()[release.revision_of("new")]
