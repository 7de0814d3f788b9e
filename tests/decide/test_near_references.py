"""References that nearly match an object: what the warning says, by the reason."""

import pytest

from krm_fn.function import run

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {select: [{}], linker: {enabled: false}}
"""
CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, %s}, data: {a: b}}"
POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, %s}
spec: {template: {spec: {containers: [{name: app, envFrom: [{configMapRef: {name: a}}]}]}}}
"""


def internal(prefix: str) -> str:
    """Return the annotations that kustomize passes to a function after it has added a prefix."""
    names = "internal.config.kubernetes.io/previousNames: a"
    return f"annotations: {{internal.config.kubernetes.io/prefixes: {prefix}, {names}}}"


REASONS = [
    pytest.param(
        [CONFIG_MAP % ("a", "namespace: shop")],
        "namespace: other",
        "is in namespace shop; this referrer is in namespace other",
        id="in another namespace",
    ),
    pytest.param(
        [CONFIG_MAP % ("x-a", internal("x-")), CONFIG_MAP % ("y-a", internal("y-"))],
        "annotations: {internal.config.kubernetes.io/prefixes: z-}",
        "",
        id="with other prefixes of kustomize, where the name is one that both had before",
    ),
    pytest.param(
        [CONFIG_MAP % ("a", internal("x-")), CONFIG_MAP % ("y-a", internal("y-"))],
        "annotations: {internal.config.kubernetes.io/prefixes: z-}",
        "has other prefixes or suffixes of kustomize than this referrer",
        id="with other prefixes of kustomize",
    ),
]


@pytest.mark.parametrize(("configs", "referrer", "expected"), REASONS)
def test_the_warning_says_why(configs: list[str], referrer: str, expected: str) -> None:
    documents = "\n---\n".join([*configs, POD % referrer])
    outcome = run(documents.encode(), CONFIG.encode())
    near = [
        line.partition("not rewritten: ConfigMap a ")[2] for line in outcome.stderr.splitlines()
    ]
    assert [line for line in near if line] == ([expected] if expected else [])
