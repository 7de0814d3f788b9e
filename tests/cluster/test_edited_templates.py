"""Templates that are edited while pods of the old ones live: nobody replaces the pods of a bare ReplicaSet."""

import pytest

from tests.cluster.api import Object
from tests.cluster.manifests import workload
from tests.cluster.release import SET, Release, config
from tests.cluster.workloads import on_each_deployer
from tests.wait import grow_older

pytestmark = [pytest.mark.usefixtures("invariants"), on_each_deployer]


SELECTORS: dict[str, Object] = {
    "ReplicaSet": {},
    "ReplicationController": {"selector": {"app": "web"}},
}


def bare(kind: str, content: str) -> list[Object]:
    return [config(content), workload(kind, "web", config="web-config", spec=SELECTORS[kind])]


@pytest.mark.parametrize("kind", SELECTORS)
def test_an_old_pod_keeps_its_revision_until_it_is_gone(shop: Release, kind: str) -> None:
    shop.sync(*bare(kind, "old"))
    shop.api.ready(kind, "web")
    shop.sync(*bare(kind, "new"))
    old, new = shop.revision_of("old"), shop.revision_of("new")
    grow_older()
    shop.link()
    assert shop.revisions() == {
        name: {f"{kind}/web", f"ConfigMap/{SET}-linker"} for name in (old, new)
    }

    (pod,) = [
        one
        for one in shop.api.list("Pod")
        if one["metadata"]["name"].startswith("web-") and reads(one, old)
    ]
    shop.api.delete("Pod", pod["metadata"]["name"])
    shop.api.gone("Pod", pod["metadata"]["name"])
    shop.link()
    assert set(shop.revisions()) == {new}


def reads(pod: Object, revision: str) -> bool:
    return any(one.get("configMap", {}).get("name") == revision for one in pod["spec"]["volumes"])
