"""What a run says in the end: how many objects are revisions, and how many keep their names."""

import json
from typing import Any

import pytest

from krm_fn.function import run

SET, STRATEGY = "revisions.krm-fn.io/set", "revisions.krm-fn.io/strategy"
WHY = "(krm-fn explain PATH says why)"


def config(name: str, kind: str = "ConfigMap", **metadata: object) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": name, **metadata},
        "data": {"a": "eA=="},
    }


def chosen(name: str, strategy: str, kind: str = "ConfigMap") -> dict[str, Any]:
    return config(name, kind, annotations={STRATEGY: strategy})


def reading(*names: str, **annotations: str) -> dict[str, Any]:
    env = [{"configMapRef": {"name": name}} for name in names]
    template = {"spec": {"containers": [{"name": "app", "envFrom": env}]}}
    metadata = {"name": "web", "annotations": annotations}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"template": template},
    }


OF_ANOTHER_SET = config(
    "d-hf678c7m2b", labels={SET: "other"}, annotations={"revisions.krm-fn.io/base-name": "d"}
) | {"data": {"LOG_LEVEL": "info"}}

PACKAGES = [
    pytest.param([config("a"), reading("a")], {}, "1 renamed", id="a revision"),
    pytest.param(
        [config("a"), config("b"), reading("a")],
        {},
        f"1 renamed, 1 left alone {WHY}",
        id="what nobody reads",
    ),
    pytest.param(
        [config("a"), config("b")], {}, f"nothing renamed, 2 left alone {WHY}", id="only those"
    ),
    pytest.param(
        [
            chosen("a", "rename"),
            chosen("b", "adopt"),
            chosen("c", "checksum"),
            chosen("d", "ignore"),
        ],
        {},
        f"1 renamed, 1 adopted, 1 with a checksum, 1 left alone {WHY}",
        id="each strategy",
    ),
    pytest.param(
        [config("a"), reading("a")], {"strategy": "adopt"}, "1 adopted", id="nothing but adopted"
    ),
    pytest.param(
        [
            config("a"),
            chosen("b", "ignore"),
            reading("b", **{"reloader.stakater.com/auto": "true"}),
        ],
        {"select": [{"name": "a"}]},
        "1 renamed, 1 with a checksum",
        id="a workload has asked a controller for it",
    ),
    pytest.param(
        [config("a"), config("s", "Secret"), reading("a")],
        {},
        "1 renamed",
        id="a kind that is not handled",
    ),
    pytest.param(
        [config("a"), config("s", "Secret"), reading("a")],
        {"kinds": ["ConfigMap", "Secret"]},
        f"1 renamed, 1 left alone {WHY}",
        id="a kind that is handled",
    ),
    pytest.param(
        [OF_ANOTHER_SET],
        {},
        f"nothing renamed, 1 of another set {WHY}",
        id="a revision of another set",
    ),
    pytest.param(
        [
            config("kube-root-ca.crt"),
            config("tool", annotations={"config.kubernetes.io/local-config": "true"}),
            config("s", "Secret"),
        ],
        {},
        "nothing renamed: the package has no ConfigMap to choose",
        id="nothing that anybody would expect to be a revision",
    ),
    pytest.param(
        [],
        {"kinds": ["Secret", "ConfigMap"]},
        "nothing renamed: the package has no ConfigMap or Secret to choose",
        id="an empty package",
    ),
]


LINKER = {"linker": {"enabled": True, "namespace": "shop", "image": "registry.example/k:1"}}
RETAINED = [
    pytest.param(
        [chosen("a", "rename"), config("b"), config("c"), reading("b")],
        {},
        f"2 renamed (the linker can never delete 1 of them), 1 left alone {WHY}",
        id="a ConfigMap that nobody reads",
    ),
    pytest.param(
        [chosen("s", "rename", "Secret")],
        {"kinds": ["Secret"], "linker": {**LINKER["linker"], "secrets": False}},
        f"1 renamed (the linker can never delete 1 of them) {WHY}",
        id="a Secret on which it has no right",
    ),
    pytest.param([config("a"), reading("a")], {}, "1 renamed", id="not what pods read"),
]


@pytest.mark.parametrize(("items", "spec", "expected"), RETAINED)
def test_a_run_counts_what_nothing_will_ever_delete(
    items: list[dict[str, Any]], spec: dict[str, Any], expected: str
) -> None:
    resource_list = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": configuration(LINKER | spec),
        "items": items,
    }
    outcome = run(json.dumps(resource_list).encode())
    assert (outcome.summary, outcome.exit_code) == (f"{expected}\n", 0), outcome.stderr
    assert run(outcome.stdout).summary == outcome.summary


def configuration(spec: dict[str, Any]) -> dict[str, Any]:
    spec = {"linker": {"enabled": False}} | spec
    api_version = "revisions.krm-fn.io/v1"
    return {
        "apiVersion": api_version,
        "kind": "ConfigRevisions",
        "metadata": {"name": "web"},
        "spec": spec,
    }


@pytest.mark.parametrize(("items", "spec", "expected"), PACKAGES)
def test_the_end_of_a_run(items: list[dict[str, Any]], spec: dict[str, Any], expected: str) -> None:
    resource_list = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": configuration(spec),
        "items": items,
    }
    outcome = run(json.dumps(resource_list).encode())
    assert (outcome.summary, outcome.exit_code) == (f"{expected}\n", 0), outcome.stderr
    assert json.loads(outcome.stdout)["results"][-1] == {"message": expected, "severity": "info"}
    assert run(outcome.stdout) == outcome
