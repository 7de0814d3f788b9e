"""Which ConfigMaps and Secrets get the label of a set: docs/ownership.md says how to delete those."""

import re
from typing import Any

import pytest
import yaml

from krm_fn.base import keys
from krm_fn.function import run
from tests.cases import ENVIRONMENT

CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec:
  kinds: [ConfigMap, Secret]
  exclude: [{name: excluded}]
  linker: {namespace: shop}
"""
INVENTORY = "ConfigMap/shop-linker"


def config(kind: str, name: str, strategy: str = "") -> dict[str, Any]:
    metadata = {"name": name, "annotations": {keys.STRATEGY: strategy} if strategy else {}}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": {"key": "dmFsdWU="}}


def pod(source: str, name: str) -> dict[str, Any]:
    container = {"name": "web", "image": "web", "envFrom": [{source: {"name": name}}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web"},
        "spec": {"containers": [container]},
    }


@pytest.mark.parametrize(
    ("item", "selected"),
    [
        pytest.param(
            config("ConfigMap", "web"), {"ConfigMap/web-hash", INVENTORY}, id="a revision"
        ),
        pytest.param(
            config("Secret", "web"),
            {"ConfigMap/web-hash", "Secret/web-hash", INVENTORY},
            id="a Secret and its tracker",
        ),
        pytest.param(
            config("ConfigMap", "web", "adopt"),
            {"ConfigMap/web", INVENTORY},
            id="an adopted object, under the name that others may know",
        ),
        pytest.param(config("ConfigMap", "web", "ignore"), set(), id="no ignored object"),
        pytest.param(config("Secret", "web", "checksum"), set(), id="no object with a checksum"),
        pytest.param(config("ConfigMap", "excluded"), set(), id="no excluded object"),
        pytest.param(config("ConfigMap", "unread"), set(), id="no object that no pod reads"),
    ],
)
def test_the_label_of_a_set_selects(item: dict[str, Any], selected: set[str]) -> None:
    name = item["metadata"]["name"].replace("unread", "another")
    reader = pod("configMapRef" if item["kind"] == "ConfigMap" else "secretRef", name)
    package = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": [item, reader],
    }
    outcome = run(yaml.safe_dump(package).encode(), CONFIG, environment=ENVIRONMENT)
    assert outcome.exit_code == 0, outcome.stderr
    assert {
        re.sub("-[a-z0-9]{10}$", "-hash", f"{one['kind']}/{one['metadata']['name']}")
        for one in yaml.load(outcome.stdout, yaml.CSafeLoader)["items"]
        if one["kind"] in ("ConfigMap", "Secret")
        and one["metadata"].get("labels", {}).get(keys.SET) == "shop"
    } == selected
