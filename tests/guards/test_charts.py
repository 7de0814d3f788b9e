"""What tells that a Secret without labels is from a Helm chart, which may make it anew on every rendering."""

import pytest

from krm_fn.function import run

CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {kinds: [ConfigMap, Secret], linker: {enabled: false}}
"""
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: key%s}\nstringData: {a: b}\n"  # noqa: S105  # a manifest
READER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web%s}
spec: {template: {spec: {containers: [{name: app, envFrom: [{secretRef: {name: key}}]}]}}}
"""
SOURCE = "# Source: drone/templates/secret.yaml\n"


def labelled(labels: str) -> str:
    return f"{READER % f', labels: {{{labels}}}'}---\n{SECRET % ''}"


def in_list(*items: str) -> str:
    """Write a ResourceList as kpt does: with the comments of the files."""
    texts = ["- " + item.strip().replace("\n", "\n  ") for item in items]
    config = CONFIG.decode().replace("\n", "\n  ").rstrip()
    return "\n".join(
        (
            "apiVersion: config.kubernetes.io/v1",
            "kind: ResourceList",
            "items:",
            *texts,
            "functionConfig:",
            f"  {config}\n",
        )
    )


FILE = ", annotations: {config.kubernetes.io/path: %s.yaml}"
BESIDE = "it is beside Deployment/web, and a Helm chart may make it anew on every rendering"
OWN = "its Helm chart may make it anew on every rendering, or look it up"

OF_CHARTS = [
    pytest.param(
        labelled("helm.sh/chart: drone-0.6.4"), BESIDE, id="the label of a chart on another object"
    ),
    pytest.param(labelled("app.kubernetes.io/managed-by: Helm"), BESIDE, id="managed by Helm"),
    pytest.param(labelled("heritage: Tiller, release: a"), BESIDE, id="Helm 2"),
    pytest.param(labelled("chart: drone-0.6.4"), BESIDE, id="the label of older charts"),
    pytest.param(
        f"---\n{SOURCE}{SECRET % ''}---\n{READER % ''}", OWN, id="a comment of Helm in front of it"
    ),
    pytest.param(
        f"{SECRET % ''}---\n{SOURCE}{READER % ''}",
        BESIDE,
        id="a comment of Helm elsewhere in the stream",
    ),
    pytest.param(
        in_list(SOURCE + SECRET % "", READER % ""),
        OWN,
        id="a comment of Helm in a ResourceList of kpt",
    ),
    pytest.param(
        in_list(SECRET % (FILE % "chart"), SOURCE + READER % (FILE % "chart")),
        BESIDE,
        id="a comment of Helm in the same file of kpt",
    ),
]


@pytest.mark.parametrize(("package", "reason"), OF_CHARTS)
def test_a_secret_of_a_chart_is_left_alone(package: str, reason: str) -> None:
    outcome = run(package.encode(), None if "ResourceList" in package else CONFIG)
    assert f": left unchanged: {reason}; " in outcome.stderr
    assert outcome.exit_code == 0


OF_OTHERS = [
    pytest.param(f"{READER % ''}---\n{SECRET % ''}", id="no sign of a chart"),
    pytest.param(labelled("release: prometheus"), id="a label that selects for Prometheus"),
    pytest.param(labelled("chart: bar"), id="a label that only looks like one"),
    pytest.param(
        labelled("helm.sh/chart: drone-0.6.4").replace(
            "{name: key}\ns", "{name: key, labels: {app.kubernetes.io/managed-by: me}}\ns"
        ),
        id="a Secret that says who manages it",
    ),
    pytest.param(
        labelled("helm.sh/chart: drone-0.6.4").replace(
            "{name: key}\ns",
            "{name: key, annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}}\ns",
        ),
        id="a Secret of a generator of kustomize",
    ),
    pytest.param(
        in_list(SECRET % (FILE % "own"), SOURCE + READER % (FILE % "chart")),
        id="another file of the package has a chart",
    ),
    pytest.param(
        f"{READER % ''}---\n{SECRET % ''}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\n"
        "data:\n  a: |\n    # Source: drone/templates/secret.yaml\n    b\n",
        id="a comment in data",
    ),
]


@pytest.mark.parametrize("package", OF_OTHERS)
def test_any_other_secret_is_renamed(package: str) -> None:
    outcome = run(package.encode(), None if "ResourceList" in package else CONFIG)
    assert "left unchanged" not in outcome.stderr
    assert b"name: key-" in outcome.stdout
