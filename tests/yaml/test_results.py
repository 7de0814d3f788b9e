"""New results take the place of `results` that are no list, and what follows stays on lines of its own."""

import json

import pytest
import yaml

from krm_fn.function import run

RESOURCE_LIST = """apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}, data: {a: b}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: shop}
  spec: {containers: [{name: web, envFrom: [{configMapRef: {name: web}}]}]}
"""
REPLACED = [
    pytest.param("results:\n  a: b\nother: c\n", "\nother: c\n", id="a mapping"),
    pytest.param(
        "results:\n  a: b\n# why\nother: c\n",
        "\n# why\nother: c\n",
        id="a mapping before a comment",
    ),
    pytest.param(
        "results:\n  a: |\n    b\nother: c\n",
        "\nother: c\n",
        id="a mapping that ends in a block scalar",
    ),
    pytest.param(
        "results: {a: b} # why\nother: c\n",
        " # why\nother: c\n",
        id="a flow mapping before a comment",
    ),
    pytest.param("results: |\n  a\nother: c\n", "\nother: c\n", id="a block scalar"),
    pytest.param(
        "results: a # why\nother: c\n", " # why\nother: c\n", id="a scalar before a comment"
    ),
    pytest.param("results:\n  a: b", "", id="a mapping without a last newline"),
]


@pytest.mark.parametrize(("results", "behind"), REPLACED)
def test_what_follows_results_stays(results: str, behind: str) -> None:
    outcome = run((RESOURCE_LIST + results).encode())
    assert outcome.exit_code == 0, outcome.stderr
    written = outcome.stdout.decode()
    assert "\nresults:" in written
    assert written.endswith("}]" + behind)


EMPTY = [
    pytest.param("{}results:\nother: c\n", id="nothing"),
    pytest.param("{}results: null # why\nother: c\n", id="null"),
    pytest.param("{}results: []\nother: c\n", id="an empty list"),
    pytest.param("{{{}, results}}\n", id="a name without a colon"),
    pytest.param('{{{}, "results", "other": c}}\n', id="a quoted name without a colon"),
    pytest.param("{{{}, results: , other: c}}\n", id="a colon without a value"),
]


@pytest.mark.parametrize("form", EMPTY)
def test_results_are_written_where_there_are_none(form: str) -> None:
    whole = yaml.safe_load(RESOURCE_LIST)
    written = ", ".join(f"{key}: {json.dumps(value)}" for key, value in whole.items())
    outcome = run(form.format(written if form.startswith("{{") else RESOURCE_LIST).encode())
    assert outcome.exit_code == 0, outcome.stderr
    found = yaml.safe_load(outcome.stdout)
    assert found["results"][-1] == {"message": "1 renamed", "severity": "info"}
    assert found.get("other", "c") == "c"
    assert [*found] == [*whole, "results", *(["other"] if "other" in form else [])]
