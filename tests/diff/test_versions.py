"""Two renderings of one package, by different versions of krm-fn."""

from pathlib import Path

import pytest

from krm_fn import __version__
from krm_fn.cli.main import main

PACKAGE = b"""
apiVersion: v1
kind: ConfigMap
metadata: {name: web-config, namespace: shop}
data: {A: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: web-config}}]}]}}}
---
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {linker: {IMAGE}}
"""
EARLIER = "registry.example/krm-fn:0.1.7"


def render(path: Path, linker: str) -> bytes:
    path.write_bytes(PACKAGE.replace(b"IMAGE", linker.encode()))
    done = main(["render", str(path)])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def of_version(rendering: bytes, version: str) -> bytes:
    """Return a rendering as that version would have written it, which knew no such label and right."""
    text = rendering.replace(__version__.encode(), version.encode())
    text = text.replace(b"    app.kubernetes.io/managed-by: krm-fn\n", b"")
    return text.replace(b"  - replicationcontrollers\n", b"")


OURS, DIGEST = f'image: "krm-fn:{__version__}"', f'image: "krm-fn@sha256:{"a" * 64}"'


@pytest.mark.parametrize(
    ("linker", "version", "is_said"),
    [
        pytest.param(OURS, "0.1.7", True, id="by the tag of the image"),
        pytest.param(
            f'image: "{EARLIER}"', "0.1.5", True, id="by the variable, beside an image of another"
        ),
        pytest.param(OURS, __version__, False, id="the same version"),
        pytest.param(DIGEST, "0.1.7", False, id="an image by its digest says none"),
        pytest.param("run: shared", "0.1.7", False, id="without a Job, nothing says it"),
    ],
)
def test_another_version_is_said_once(
    linker: str, version: str, tmp_path: Path, *, is_said: bool
) -> None:
    new = render(tmp_path / "in.yaml", linker)
    (tmp_path / "old.yaml").write_bytes(of_version(new, version))
    (tmp_path / "new.yaml").write_bytes(new)
    said = main(["diff", str(tmp_path / "old.yaml"), str(tmp_path / "new.yaml")]).stdout.decode()
    lines = [line for line in said.splitlines() if line.startswith("note: rendered by krm-fn ")]
    assert [line.partition(":")[2].partition(":")[0] for line in lines] == (
        [f" rendered by krm-fn {version} before, and by {__version__} now"] if is_said else []
    )
    assert "ConfigMap shop/web-linker" in said
    assert "rolls" not in said.replace("no workload rolls", "")
