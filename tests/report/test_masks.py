"""What is shown in the place of names that are made from the content of Secrets."""

import pytest

from krm_fn.core.names.names import CONTENT_NAME
from krm_fn.function import run
from krm_fn.report.secrets import hide_in_ids

HASH = "2222222222"

IDS = [
    pytest.param(f"Secret/db-{HASH}", "Secret/db-(hash)", id="an id"),
    pytest.param(
        f"lists Secret/shop/db-{HASH}, which",
        "lists Secret/shop/db-(hash), which",
        id="with a namespace",
    ),
    pytest.param(
        f"Secret.v1.[noGrp]/db-{HASH}.shop",
        "Secret.v1.[noGrp]/db-(hash).shop",
        id="as kustomize writes it",
    ),
    pytest.param(f"ConfigMap/db-{HASH}", f"ConfigMap/db-{HASH}", id="not of a ConfigMap"),
    pytest.param(
        f"ExternalSecret/db-{HASH}", f"ExternalSecret/db-{HASH}", id="not of what makes a Secret"
    ),
    pytest.param("Secret/shop/db", "Secret/shop/db", id="nor a name without a hash"),
]


@pytest.mark.parametrize(("line", "shown"), IDS)
def test_an_id_is_shown_without_the_hash(line: str, shown: str) -> None:
    assert hide_in_ids(line) == shown


PACKAGE = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: revisions.krm-fn.io/v1
  kind: ConfigRevisions
  metadata: {name: web}
  spec: {kinds: [Secret], linker: {enabled: false}}
items:
- apiVersion: v1
  kind: Secret
  metadata:
    name: db
    annotations: {revisions.krm-fn.io/strategy: rename}
  stringData: {password: a}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {template: {spec: {containers: [{name: a, image: b, args: [--secret=db], envFrom: [{secretRef: {name: db}}]}]}}}
"""


def test_results_and_stderr_show_no_hash_and_say_the_same_again() -> None:
    first = run(PACKAGE.encode())
    assert "Secret/db is renamed to db-(hash)" in first.stderr
    assert not CONTENT_NAME.search(first.stderr)
    items, results = first.stdout.decode().split("\nresults:\n")
    assert CONTENT_NAME.search(items)
    assert "is renamed to db-(hash)" in results
    messages = [line for line in results.splitlines() if "message:" in line]
    assert not any(map(CONTENT_NAME.search, messages))
    assert run(first.stdout).stdout == first.stdout
