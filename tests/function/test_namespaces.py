"""The linker's account is where its Job will be applied, whoever says where that is.

The judge is what a deployer does: an object without a namespace is applied to the one that is passed, else to the one
that a person has in mind who wrote the configuration.
"""

import json
from itertools import product
from typing import Any

import pytest
import yaml

from krm_fn.base.settings import Environment
from krm_fn.function import run

PLACES = ("", "prod", "staging")
CASES = [*product(PLACES, PLACES, PLACES)]


def package(namespace: str) -> bytes:
    metadata = {"namespace": namespace} if namespace else {}
    pod = {"containers": [{"name": "a", "envFrom": [{"configMapRef": {"name": "app"}}]}]}
    objects: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"A": "b"}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": pod}}},
    ]
    for one, name in zip(objects, ("app", "web"), strict=True):
        one["metadata"] = {"name": name, **metadata}
    return "\n---\n".join(map(json.dumps, objects)).encode()


@pytest.mark.parametrize(("written", "passed", "own"), CASES)
def test_the_linker_is_bound_where_it_runs(written: str, passed: str, own: str) -> None:
    linker = {"image": "registry.example/k:1", **({"namespace": written} if written else {})}
    config = {"apiVersion": "revisions.krm-fn.io/v1", "kind": "ConfigRevisions"}
    config |= {"metadata": {"name": "shop"}, "spec": {"linker": linker}}  # type: ignore[dict-item]  # of a manifest
    outcome = run(package(own), json.dumps(config).encode(), Environment(namespace=passed))
    applied_to = own or passed or written
    bindings = [one for one in yaml.safe_load_all(outcome.stdout) if one["kind"] == "RoleBinding"]
    assert [one["subjects"][0]["namespace"] for one in bindings] == [applied_to][: bool(applied_to)]
    is_said = f"found {written}, and {passed} is passed as the namespace" in outcome.stderr
    assert is_said is bool(written and passed and written != passed)
