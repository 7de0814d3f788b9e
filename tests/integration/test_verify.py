"""`krm-fn verify` behind the real kustomize, and as a validator of the real kpt."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn.base.item import HASH
from tests.integration.test_kpt import CONFIG, WEB
from tests.integration.test_kustomize import write

Tools = Callable[[str], Path]

EXAMPLE = Path(__file__).parent.parent.parent / "examples/kustomize-exec"
CANARY = EXAMPLE.parent / "canary"
KRM_FN = str(Path(sys.executable).parent / "krm-fn")
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: shop}
pipeline:
  mutators:
  - exec: %s
    configMap: {name: shop, deployers: kpt}
  - exec: %s
  validators:
  - exec: %s verify --set=shop --deployer=kpt
"""


@pytest.mark.parametrize(
    ("options", "stderr"),
    [
        pytest.param(
            ["--enable-alpha-plugins", "--enable-exec"],
            "verified: 4 revisions of set shop, 5 references, 1 linker Job; protected from pruning by argocd\n",
            id="with --enable-exec",
        ),
        pytest.param(
            ["--enable-alpha-plugins"],
            "error: no revision of set shop: krm-fn has not run over these objects (kustomize skips exec functions "
            "unless it has --enable-exec)\n",
            id="without --enable-exec",
        ),
    ],
)
def test_kustomize_may_skip_the_function(
    require_tool: Tools, options: list[str], stderr: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(KRM_FN).parent), prepend=":")
    built = subprocess.run(
        [str(require_tool("kustomize")), "build", *options, str(EXAMPLE)],
        capture_output=True,
        check=True,
    )
    command = [KRM_FN, "verify", "--set=shop", "--deployer=argocd"]
    done = subprocess.run(command, input=built.stdout, capture_output=True, check=False)
    assert (done.stderr.decode(), done.returncode) == (stderr, int(stderr.startswith("error: ")))
    assert done.stdout == b""


@pytest.mark.parametrize(
    ("later", "finding"),
    [
        pytest.param("namespace: store", "", id="another namespace"),
        pytest.param(
            "labels: [{pairs: {team: a}, includeTemplates: true}]",
            "",
            id="another label, pods included",
        ),
        pytest.param("commonAnnotations: {owner: a}", "", id="another annotation, pods included"),
        pytest.param("replicas: [{name: api, count: 5}]", "", id="other replicas"),
        pytest.param(
            "images: [{name: registry.example/krm-fn, newTag: 0.3.0}]",
            f"the spec belongs to shop-link-{HASH}: something has changed it after krm-fn, which must run last",
            id="another image of the linker",
        ),
        pytest.param(
            "nameSuffix: -eu",
            "expected the hash at the end: something has added a suffix after krm-fn",
            id="a suffix",
        ),
        pytest.param(
            "namePrefix: eu-",
            f"found 'web-config-{HASH}', which has been renamed: expected eu-web-config-{HASH}",
            id="a prefix, which a Rollout does not get",
        ),
        pytest.param(
            "patches:\n- patch: |\n    - {op: add, path: /data/MORE, value: a}\n"
            "  target: {kind: ConfigMap, name: web-config-.*}",
            f"the content belongs to web-config-{HASH}: something has changed it after krm-fn, which must run last",
            id="a patch of a revision",
        ),
        pytest.param(
            "patches:\n- patch: |\n    - {op: add, path: /spec/suspend, value: false}\n  target: {kind: Job}",
            f"the spec belongs to shop-link-{HASH}: something has changed it after krm-fn, which must run last",
            id="a patch of the linker's Job",
        ),
    ],
)
def test_kustomize_changes_a_rendering(
    require_tool: Tools, tmp_path: Path, later: str, finding: str
) -> None:
    rendered = subprocess.run(
        [KRM_FN, "render", str(CANARY)], capture_output=True, text=True, check=True
    ).stdout
    write(
        tmp_path,
        {"shop.yaml": rendered, "kustomization.yaml": f"resources: [shop.yaml]\n{later}\n"},
    )
    kustomize = str(require_tool("kustomize"))
    built = subprocess.run(
        [kustomize, "build", str(tmp_path)], capture_output=True, text=True, check=True
    ).stdout
    (tmp_path / "out.yaml").write_text(built)
    command = [KRM_FN, "verify", "--set=shop", "--deployer=argocd", "out.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == bool(finding), done.stderr
    assert re.search(finding, done.stderr)


@pytest.mark.parametrize("later", ["cat", "sed s/info/debug/"])
def test_a_kpt_validator(require_tool: Tools, tmp_path: Path, later: str) -> None:
    files = {"Kptfile": KPTFILE % (KRM_FN, later, KRM_FN), "web.yaml": WEB, "config.yaml": CONFIG}
    package = write(tmp_path / "shop", files)
    command = [str(require_tool("kpt")), "fn", "render", str(package), "--allow-exec"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if later == "cat":
        assert done.returncode == 0, done.stderr
        assert (
            "verified: 1 revision of set shop, 1 reference, 0 linker Jobs; protected from pruning by kpt"
            in done.stderr
        )
    else:
        assert done.returncode == 1
        assert "[error] v1/ConfigMap/app-" in done.stderr
        assert "metadata.name: the content belongs to app-" in done.stderr
        assert (package / "config.yaml").read_text() == CONFIG


def test_the_kpt_package_is_not_changed_by_the_validator(
    require_tool: Tools, tmp_path: Path
) -> None:
    package = write(tmp_path / "shop", {"web.yaml": WEB, "config.yaml": CONFIG})
    command = [str(require_tool("kpt")), "fn", "eval", str(package), "--exec", f"{KRM_FN} verify"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no revision of any set: krm-fn has not run" in done.stderr
    assert (package / "config.yaml").read_text() == CONFIG
