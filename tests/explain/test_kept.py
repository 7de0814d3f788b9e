"""How many revisions stay at most, by a package: the same as where its objects are live."""

import json
from typing import Any

import pytest
import yaml

from krm_fn.function import run
from krm_fn.report.markup import write_forms
from krm_fn.tools.explain.explain import FORMS
from krm_fn.tools.explain.explain_objects import explain_objects
from krm_fn.tools.history.find_history import find_history
from krm_fn.tools.history.snapshot import read_snapshot
from tests.cases import ENVIRONMENT
from tests.explain.test_properties import read
from tests.history.fake_source import FakeSource
from tests.linker.object_store import ObjectStore

CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "web-config"},
    "data": {"a": "1"},
}
FUNCTION = {
    "apiVersion": "revisions.krm-fn.io/v1",
    "kind": "ConfigRevisions",
    "metadata": {"name": "web"},
    "spec": {
        "select": [{"name": "web-config"}],
        "linker": {"image": "krm-fn:1", "namespace": "shop"},
    },
}
PODS = {"containers": [{"name": "web", "envFrom": [{"configMapRef": {"name": "web-config"}}]}]}


def workload(kind: str, name: str = "web", **spec: Any) -> dict[str, Any]:
    version = "argoproj.io/v1alpha1" if kind == "Rollout" else "apps/v1"
    template: dict[str, Any] = {"template": {"spec": PODS}}
    if kind == "CronJob":
        version, template = "batch/v1", {"jobTemplate": {"spec": template}}
    elif kind == "Job":
        version = "batch/v1"
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": {**spec, **template},
    }


PACKAGES = [
    pytest.param([workload("Deployment")], 11, id="the default of a Deployment"),
    pytest.param([workload("Rollout", revisionHistoryLimit=2)], 3, id="a limit that is written"),
    pytest.param(
        [workload("StatefulSet"), workload("DaemonSet", "agent")], 21, id="several add up"
    ),
    pytest.param([workload("CronJob", failedJobsHistoryLimit=0)], 4, id="both limits of a CronJob"),
]


def explain(objects: list[dict[str, Any]]) -> tuple[bytes, Any]:
    wrapped = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": [CONFIG, *objects],
        "functionConfig": FUNCTION,
    }
    data = yaml.safe_dump(wrapped).encode()
    package = read(data)
    configs = [item for item in package.found.package.configs if item.is_config]
    explanation = explain_objects(package.found, configs, package.places, package.masks)
    (one,) = json.loads(write_forms(explanation, FORMS))["objects"]
    return run(data, environment=ENVIRONMENT).stdout, one


@pytest.mark.parametrize(("objects", "most"), PACKAGES)
def test_a_package_says_what_its_live_objects_say(objects: list[dict[str, Any]], most: int) -> None:
    rendered, explained = explain(objects)
    assert explained["kept"]["atMost"] == most
    store = ObjectStore(yaml.safe_load(rendered)["items"])
    (found,) = find_history(read_snapshot(FakeSource(store), None)).sets
    assert [(one.base, one.most) for one in found.kept] == [("web-config", most)]


def test_a_job_keeps_the_one_that_the_next_one_replaces() -> None:
    _, explained = explain([workload("Job", "migrate")])
    assert explained["kept"] == {"atMost": 2, "holders": [{"name": "Job/migrate", "keeps": 1}]}


def test_a_rollout_keeps_templates_of_the_deployment_that_it_refers_to() -> None:
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    rollout = workload("Rollout", workloadRef=reference, revisionHistoryLimit=1)
    del rollout["spec"]["template"]
    _, explained = explain([workload("Deployment", replicas=0), rollout])
    assert [one["name"] for one in explained["kept"]["holders"]] == [
        "Deployment/web",
        "Rollout/web",
    ]
    assert explained["kept"]["atMost"] == 12
