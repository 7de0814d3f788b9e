"""The recipes of docs/secrets.md do what they say, with the Deployment that they leave out."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base.settings import Environment
from krm_fn.function import run

PAGE = Path(__file__).parents[2] / "docs" / "secrets.md"
BLOCKS = dict(
    re.findall(
        r"^<!-- ([\w-]+) -->\n```yaml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
)
READER = """
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: web, envFrom: [{secretRef: {name: web-secret}}]}
"""
CONFIGURATION = b"""
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {kinds: [ExternalSecret], linker: {enabled: false}}
"""


def rendered(recipe: str) -> tuple[str, str, dict[str, Any]]:
    """Return the name of the ExternalSecret, the name that the Deployment reads, and the labels of the first."""
    outcome = run((recipe + READER).encode(), CONFIGURATION, Environment())
    assert outcome.exit_code == 0
    producer, deployment = yaml.safe_load_all(outcome.stdout)
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    return (
        producer["metadata"]["name"],
        container["envFrom"][0]["secretRef"]["name"],
        producer["metadata"].get("labels", {}),
    )


def test_another_version_is_another_name() -> None:
    recipe = BLOCKS["pinned"]
    first, read, _ = rendered(recipe)
    second, read_then, _ = rendered(recipe.replace("version: v1", "version: v2"))
    assert first.startswith("web-secret-")
    assert second.startswith("web-secret-")
    assert first != second
    assert (read, read_then) == (first, second)


@pytest.mark.parametrize(("name", "is_labelled"), [("for-all", False), ("from-reloader", True)])
def test_the_name_stays(name: str, is_labelled: bool) -> None:
    producer, read, labels = rendered(BLOCKS[name])
    assert (producer, read) == ("web-secret", "web-secret")
    assert bool(labels) == is_labelled


def test_after_reloader_the_same_object_is_renamed() -> None:
    recipe = BLOCKS["from-reloader"].replace(
        "    revisions.krm-fn.io/strategy: adopt\n", "    team: web\n"
    )
    name, read, _ = rendered(recipe)
    assert name.startswith("web-secret-")
    assert read == name
