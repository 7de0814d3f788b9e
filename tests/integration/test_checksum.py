"""Checksums with the real kpt and kustomize: in place, after an edit, and switched off again."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

KRM_FN = str(Path(sys.executable).parent / "krm-fn")
EXAMPLES = Path(__file__).parent.parent.parent / "examples"

Tools = Callable[[str], Path]


def evaluate(kpt: Path, folder: Path, *settings: str) -> str:
    """Run the function in place, and return the text of the Deployment's file."""
    command = [str(kpt), "fn", "eval", str(folder), "--exec", KRM_FN, "--", "name=shop", *settings]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "web.yaml").read_text()


def test_in_place_a_checksum_follows_edits_and_is_removed_without_a_trace(
    require_tool: Tools, tmp_path: Path
) -> None:
    kpt = require_tool("kpt")
    shop = tmp_path / "shop"
    shop.mkdir()
    for name in ("web.yaml", "config.yaml"):
        shutil.copy(EXAMPLES / "from-wave" / name, shop)
    (shop / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"
    )
    off = ("strategy=ignore", "checksums.controllers=")
    untouched = evaluate(kpt, shop, *off)
    on = evaluate(kpt, shop, "strategy=ignore")
    assert "checksum/config: " in on
    assert evaluate(kpt, shop, "strategy=ignore") == on
    config = shop / "config.yaml"
    config.write_text(config.read_text().replace("info", "debug"))
    edited = evaluate(kpt, shop, "strategy=ignore")
    assert [line for line in edited.splitlines() if "checksum/config: " not in line] == [
        line for line in on.splitlines() if "checksum/config: " not in line
    ]
    assert edited != on
    assert evaluate(kpt, shop, *off) == untouched


def test_kustomize_adds_the_checksums_that_replace_a_controller(
    require_tool: Tools, tmp_path: Path
) -> None:
    kustomize = require_tool("kustomize")
    for example in ("from-wave", "from-reloader"):
        folder = tmp_path / example
        shutil.copytree(EXAMPLES / example, folder)
        function = (folder / "krm-fn.yaml").read_text()
        annotated = f"  annotations:\n    config.kubernetes.io/function: |\n      exec: {{path: {KRM_FN}}}\nspec:"
        (folder / "krm-fn.yaml").write_text(function.replace("spec:", annotated))
        with (folder / "kustomization.yaml").open("a") as kustomization:
            kustomization.write("transformers:\n- krm-fn.yaml\n")
        command = [str(kustomize), "build", "--enable-alpha-plugins", "--enable-exec", str(folder)]
        built = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        (told,) = {line.strip() for line in built.splitlines() if "checksum/config: " in line}
        assert told.split()[-1].strip('"') in (folder / "README.md").read_text()
