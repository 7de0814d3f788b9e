"""Which configuration counts in the function; tests/doors has the rule at every door."""

import json
from itertools import permutations

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.base.settings import configures
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.function import run

CONFIG = {
    "apiVersion": "revisions.krm-fn.io/v1",
    "kind": "ConfigRevisions",
    "metadata": {"name": "shop"},
}
FOR_TOOLS = {"config.kubernetes.io/local-config": "true"}


def item(file: str, **spec: object) -> dict[str, object]:
    annotations = {**FOR_TOOLS, "internal.config.kubernetes.io/path": file}
    return {**CONFIG, "metadata": {"name": "shop", "annotations": annotations}, "spec": spec}


def evaluate(*items: object, config: bytes | None = None, **more: object) -> Outcome:
    wire = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items, **more}
    return run(json.dumps(wire).encode(), config)


def test_the_order_of_items_changes_no_word_of_a_contradiction() -> None:
    items = item("a.yaml", strategy="adopt"), item("b.yaml"), item("c/d.yaml", strict=True)
    (stderr,) = {evaluate(*order).stderr for order in permutations(items)}
    assert stderr == (
        "error: ConfigRevisions/shop in a.yaml and ConfigRevisions/shop in b.yaml contradict each other: spec.strategy "
        "(adopt and rename); configurations are not merged, so remove one of them, or make them equal\n"
        "error: ConfigRevisions/shop in a.yaml and ConfigRevisions/shop in c/d.yaml contradict each other: "
        "spec.strategy (adopt and rename), spec.strict (false and true); configurations are not merged, so remove one "
        "of them, or make them equal\n"
    )


def test_the_file_and_the_function_config_of_a_list_must_agree() -> None:
    other = {**CONFIG, "spec": {"strategy": "adopt"}}
    outcome = evaluate(functionConfig=other, config=json.dumps(CONFIG).encode())
    assert (
        "error: the configuration file and the functionConfig contradict each other: spec.strategy"
        in outcome.stderr
    )
    assert evaluate(functionConfig=CONFIG, config=json.dumps(CONFIG).encode()).exit_code == 0


def test_a_package_says_where_a_configuration_is() -> None:
    packages = {"/home/a/shop": "adopt", "/home/a/shop/db": "rename"}
    items = [item("krm-fn.yaml", strategy=strategy) for strategy in packages.values()]
    for one, package in zip(items, packages, strict=True):
        one["metadata"]["annotations"]["internal.config.kubernetes.io/package-path"] = package  # type: ignore[index]
    assert evaluate(*items).stderr.startswith(
        "error: ConfigRevisions/shop in krm-fn.yaml and ConfigRevisions/shop in db/krm-fn.yaml contradict each other: "
    )


def test_a_wrong_one_among_the_items_is_placed_in_its_file() -> None:
    assert evaluate(item("krm-fn.yaml", strategy="renam")).stderr.startswith(
        'error: ConfigRevisions/shop spec.strategy (krm-fn.yaml): found "renam"; '
    )


@pytest.mark.parametrize(
    ("config", "severity"),
    [
        pytest.param(CONFIG, "warning", id="a warning"),
        pytest.param({**CONFIG, "spec": {"strict": True}}, "error", id="with strict, an error"),
    ],
)
def test_a_configuration_that_would_be_applied(config: object, severity: str) -> None:
    outcome = evaluate(config, {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}})
    assert outcome.stderr == (
        f"{severity}: ConfigRevisions/shop metadata.annotations: no cluster knows this kind, so applying it fails; add "
        'the line `config.kubernetes.io/local-config: "true"` to its metadata.annotations\n'
    )
    assert outcome.exit_code == (severity == "error")


def test_a_config_map_in_the_file_of_the_configuration_is_no_revision() -> None:
    """Whatever is selected, and whatever the configuration is called that says the same."""
    annotations = {"internal.config.kubernetes.io/path": "krm-fn.yaml"}
    data = {"name": "shop", "select": "*", "linker.enabled": "false"}
    settings = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "annotations": annotations},
    }
    passed = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "function-input"},
        "data": data,
    }
    outcome = evaluate({**settings, "data": data}, functionConfig=passed)
    assert (outcome.exit_code, outcome.stderr.count("error")) == (0, 0)
    (item,) = json.loads(outcome.stdout)["items"]
    assert item["metadata"]["name"] == "a"


def test_packages_in_odd_places_are_no_crash() -> None:
    items = [item("krm-fn.yaml"), item("b.yaml", strict=True), item("../c.yaml")]
    for one, package in zip(items, ["/home/a", "a/../b", ""], strict=True):
        one["metadata"]["annotations"]["internal.config.kubernetes.io/package-path"] = package  # type: ignore[index]
    assert "contradict each other: " in evaluate(*items).stderr


@pytest.mark.parametrize(("api_version", "expected"), [("v1", True), ("example.com/v1", False)])
def test_only_a_config_map_of_the_core_is_settings(api_version: str, expected: bool) -> None:
    annotations = {**FOR_TOOLS, "internal.config.kubernetes.io/path": "shop/krm-fn.yaml"}
    settings = {
        "apiVersion": api_version,
        "kind": "ConfigMap",
        "metadata": {"name": "a", "annotations": annotations},
    }
    (read,) = open_envelope(read_yaml(json.dumps(settings).encode())).items
    assert configures(read) is expected
