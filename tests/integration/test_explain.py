"""`krm-fn explain` of what the real kustomize and helm build."""

from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn.cli.main import main
from tests.integration.test_render import CHART, KUSTOMIZATION
from tests.render.run import REVISIONS, write

Tools = Callable[[str], Path]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("builder", ["kustomize", "kubectl"])
def test_a_kustomization(
    builder: str, require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, KUSTOMIZATION | {"shop/krm-fn.yaml": REVISIONS})
    monkeypatch.setenv("PATH", str(require_tool(builder).parent))
    outcome = main(["explain", "shop", "a-web"])
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    title, *lines = outcome.stdout.decode().splitlines()
    assert title.startswith("ConfigMap live/a-web (a-web-4h2mbtbbt6)")
    assert "      it has the name already" in lines


def test_the_files_of_a_kustomization(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noting = "buildMetadata: [originAnnotations]\n" + str(KUSTOMIZATION["shop/kustomization.yaml"])
    write(
        tmp_path, KUSTOMIZATION | {"shop/krm-fn.yaml": REVISIONS, "shop/kustomization.yaml": noting}
    )
    monkeypatch.setenv("PATH", str(require_tool("kustomize").parent))
    text = main(["explain", "shop"]).stdout.decode()
    assert "ConfigMap live/a-plain  plain.yaml\n" in text
    assert "ConfigMap live/a-web (a-web-4h2mbtbbt6)  kustomization.yaml\n" in text
    assert "    Deployment live/a-web  web.yaml\n" in text


def test_a_chart(require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, CHART)
    monkeypatch.setenv("PATH", str(require_tool("helm").parent))
    outcome = main(["explain", "shop", "blue", "--helm-release", "blue", "--namespace", "live"])
    assert outcome.exit_code == 0, outcome.stderr
    assert (
        "      spec.template.spec.containers[0].envFrom[0].configMapRef.name\n"
        in outcome.stdout.decode()
    )
