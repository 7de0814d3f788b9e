"""`krm-fn verify` as a process."""

from pathlib import Path

import pytest

from tests.cases import FIXTURES
from tests.cli.process import krm_fn

CONSISTENT = FIXTURES / "verifications/what-the-function-rendered-is-consistent/input.yaml"
VERIFIED = "verified: 2 revisions of set shop, 2 references, 1 linker Job; protected from pruning by argocd\n"


@pytest.mark.parametrize(
    "path", [[], ["-"], [str(CONSISTENT)]], ids=["nothing", "a dash", "a file"]
)
def test_paths(path: list[str], tmp_path: Path) -> None:
    done = krm_fn("verify", "--deployer=argocd", *path, cwd=tmp_path, stdin=CONSISTENT.read_text())
    assert (done.stdout, done.stderr, done.returncode) == ("", VERIFIED, 0)


def test_help(tmp_path: Path) -> None:
    done = krm_fn("verify", "--help", cwd=tmp_path)
    assert done.stdout.startswith("Usage: krm-fn verify [OPTIONS] [PATH]...\n")
    assert "  - a revision whose content does not fit its name\n" in done.stdout


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "changed.yaml").write_text(
        CONSISTENT.read_text().replace("LOG_LEVEL: info", "LOG_LEVEL: debug")
    )
    done = krm_fn("verify", "changed.yaml", cwd=tmp_path)
    assert done.stderr.startswith(
        "error: ConfigMap/shop/web-config-hf678c7m2b metadata.name (changed.yaml:5:3): "
    )
    assert done.returncode == 1


UNREADABLE = [
    pytest.param("", "no objects in the input", id="nothing, as from a program that failed"),
    pytest.param("# rendered\n---\n", "no objects in the input", id="only comments"),
    pytest.param(
        "a: [",
        "<stdin>:2:1: invalid YAML: did not find expected node content, while parsing a flow node",
        id="no YAML",
    ),
    pytest.param(
        "- a\n",
        "<stdin>: no objects in the input; expected a ResourceList, a List, or YAML documents",
        id="no objects",
    ),
]


@pytest.mark.parametrize(("stdin", "message"), UNREADABLE)
def test_what_cannot_be_read(stdin: str, message: str, tmp_path: Path) -> None:
    done = krm_fn("verify", cwd=tmp_path, stdin=stdin)
    assert (done.stdout, done.stderr, done.returncode) == ("", f"error: {message}\n", 1)


def test_a_directory_that_must_be_built(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: []\n")
    done = krm_fn("verify", ".", cwd=tmp_path)
    assert done.stderr == (
        "error: .: has a kustomization.yaml; build it, and verify what is built: krm-fn render . | krm-fn verify\n"
    )
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("found", "meant"),
    [
        ("argo", "argocd"),
        ("argo-cd", "argocd"),
        ("ArgoCD", "argocd"),
        ("fluxcd", "flux"),
        ("Flux", "flux"),
        ("Helm3", "helm"),
        ("pulumi", ""),
    ],
)
def test_an_unknown_deployer(found: str, meant: str, tmp_path: Path) -> None:
    done = krm_fn("verify", f"--deployer={found}", cwd=tmp_path)
    assert done.stderr.startswith(
        f"error: Invalid value for '--deployer': '{found}' is not one of 'argocd', 'flux', "
    )
    question = f"; did you mean {meant}?" if meant else ""
    assert done.stderr.endswith(f"'kluctl'{question}; see krm-fn verify --help\n")
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("options", "environment", "references"),
    [
        pytest.param(["--namespace=shop"], {}, 1, id="an option"),
        pytest.param([], {"ARGOCD_APP_NAMESPACE": "shop"}, 1, id="as Argo CD says it"),
        pytest.param(["--namespace=blog"], {}, 0, id="another one"),
        pytest.param([], {}, 0, id="not known"),
    ],
)
def test_the_namespace_of_objects_that_set_none(
    options: list[str], environment: dict[str, str], references: int, tmp_path: Path
) -> None:
    """It decides which references are to an object of the input."""
    manifests = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: web-config
  namespace: shop
  labels: {revisions.krm-fn.io/set: shop}
  annotations: {revisions.krm-fn.io/base-name: web-config}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: app, envFrom: [{configMapRef: {name: web-config}}]}]}}}
"""
    done = krm_fn("verify", *options, cwd=tmp_path, stdin=manifests, **environment)
    assert done.stderr.startswith(f"verified: 1 revision of set shop, {references} reference")
    assert done.returncode == 0
