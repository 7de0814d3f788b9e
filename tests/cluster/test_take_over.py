"""A set that gets another name: what the former one has left goes when nothing references it, and not before."""

import pytest
import yaml

from tests.cluster.api import Api, Object
from tests.cluster.linker_job import LinkerRun, run_linker
from tests.cluster.manifests import workload
from tests.cluster.release import SET as SHOP
from tests.cluster.release import render
from tests.cluster.test_shared_linker import app, install_linker, release, revisions, run_for_all
from tests.wait import until

FORMER = "former"


def release_renamed(api: Api, objects: list[Object], *, is_shared: bool) -> None:
    """Apply the set under its new name, and prune the former inventory, as a deployer does."""
    linker = {"run": "shared"} if is_shared else {"minimumAgeSeconds": 0}
    text = render(objects, api.namespace, linker=linker, takeOver=[FORMER])
    for item in yaml.safe_load_all(text):
        api.apply({**item, "metadata": {**item["metadata"], "namespace": api.namespace}})
    api.delete("ConfigMap", f"{FORMER}-linker")


@pytest.mark.usefixtures("rollouts")
@pytest.mark.parametrize("is_shared", [False, True], ids=["its own Job", "the one linker"])
def test_what_a_former_set_has_left_goes_with_its_last_reference(
    namespace: Api, *, is_shared: bool
) -> None:
    def run(of_set: str) -> LinkerRun:
        done = run_for_all(namespace) if is_shared else run_linker(namespace, of_set)
        assert (done.exit_code, done.stderr) == (0, "")
        return done

    if is_shared:
        install_linker(namespace)
    for content in ("old", "read elsewhere"):
        release(namespace, FORMER, app("web", content), is_shared=is_shared)
        namespace.ready("Deployment", "web")
    run(FORMER)
    left = revisions(namespace, FORMER)
    name = left["read elsewhere"]["metadata"]["name"]
    namespace.apply(workload("Deployment", "reader", config=name))
    release_renamed(namespace, app("web", "new"), is_shared=is_shared)
    namespace.ready("Deployment", "web")
    until(
        "the old ReplicaSets are gone",
        lambda: namespace.names("ReplicaSet", labels="app=web"),
        lambda found: len(found) == 1,
    )
    run(SHOP)
    assert set(revisions(namespace, FORMER)) == {"read elsewhere"}
    assert set(revisions(namespace, SHOP)) == {"new"}

    namespace.delete("Deployment", "reader")
    until(
        "its ReplicaSet is gone",
        lambda: namespace.names("ReplicaSet", labels="app=reader"),
        lambda found: not found,
    )
    run(SHOP)
    assert revisions(namespace, FORMER) == {}
    assert set(revisions(namespace, SHOP)) == {"new"}
