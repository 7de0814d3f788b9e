"""A generator that runs before the function, in a package that is rendered in place."""

import pytest

from krm_fn.function import run

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: web-config, namespace: shop}
data: {LOG_LEVEL: %s}
"""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
        image: registry.example/web:1
        envFrom: [{configMapRef: {name: web-config}}]
"""
SAID = (
    "warning: ConfigMap/shop/web-config: is beside ConfigMap/shop/web-config-hf678c7m2b, a "
    "revision of it that references still name; remove the revision, and do not render generated files in place"
)
CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {linker: {enabled: false}}
"""


def render(*documents: str) -> tuple[str, list[str]]:
    outcome = run("---\n".join(documents).encode(), CONFIG)
    return outcome.stdout.decode(), outcome.stderr.splitlines()


@pytest.mark.parametrize("level", ["info", "debug"], ids=["the same again", "other content"])
def test_what_is_written_again_beside_its_revision_is_said(level: str) -> None:
    once, said = render(CONFIG_MAP % "info", WEB)
    assert "beside" not in "".join(said)
    _, said = render(once, CONFIG_MAP % level)
    assert [line for line in said if " is beside " in line] == [SAID]


def test_a_revision_that_nothing_names_is_in_nobodys_way() -> None:
    once, _ = render(CONFIG_MAP % "info", WEB)
    back = once.replace(
        "configMapRef: {name: web-config-hf678c7m2b}", "configMapRef: {name: web-config}"
    )
    _, said = render(back, CONFIG_MAP % "debug")
    assert [line for line in said if " is beside " in line] == []
