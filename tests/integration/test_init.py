"""After `krm-fn init`, the command that it names runs the function: real kustomize, kpt and helm."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import krm_fn

EXAMPLES = Path(__file__).parents[2] / "examples"
MANIFESTS = ("web.yaml", "api.yaml", "report.yaml", "config.yaml")
IMAGE = ("--linker-image", "registry.example/krm-fn:1")
FLUX = "; run it in CI and push the result: Flux runs no functions"
DOORS = {
    "kustomize": (
        "kustomization.yaml",
        (),
        "kustomize build --enable-alpha-plugins --enable-exec 'my shop'",
        "",
    ),
    "kpt": ("Kptfile", (), "kpt fn render 'my shop' --allow-exec", ""),
    "folder": ("", ("--deployer", "kapp"), "krm-fn render 'my shop'", ""),
    "flux": ("kustomization.yaml", ("--deployer", "flux"), "krm-fn render 'my shop'", FLUX),
}


@pytest.fixture
def on_path(require_tool: Callable[[str], Path]) -> dict[str, str]:
    tools = [str(require_tool(name).parent) for name in ("kustomize", "kpt", "helm")]
    return {"PATH": os.pathsep.join([str(Path(sys.executable).parent), *tools, os.environ["PATH"]])}


def run(command: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("door", [*DOORS])
def test_the_next_command_renders_the_package(
    door: str, tmp_path: Path, on_path: dict[str, str]
) -> None:
    built_from, options, command, more = DOORS[door]
    shop = tmp_path / "my shop"
    shop.mkdir()
    for name in MANIFESTS:
        shutil.copy(EXAMPLES / "canary" / name, shop)
    if built_from == "kustomization.yaml":
        shutil.copy(EXAMPLES / "canary" / built_from, shop)
    elif built_from:
        (shop / built_from).write_text(
            "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"
        )
    done = krm_fn("init", "my shop", "--set", "shop", *IMAGE, *options, cwd=tmp_path, **on_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"next: {command}{more}\n" in done.stdout
    printed = run(command, tmp_path, on_path)
    # Kpt renders in place.
    rendered = printed or "\n---\n".join(path.read_text() for path in shop.glob("*.yaml"))
    verified = krm_fn("verify", "-", "--set", "shop", "--strict", cwd=tmp_path, stdin=rendered)
    assert verified.stderr.startswith("verified: 3 revisions of set shop, "), verified.stderr


def test_the_page_shows_what_is_printed(tmp_path: Path, on_path: dict[str, str]) -> None:
    (tmp_path / "shop").mkdir()
    image = "        image: registry.example/api:1.0\n"
    for name in (*MANIFESTS, "kustomization.yaml"):
        text = (EXAMPLES / "canary" / name).read_text()
        (tmp_path / "shop" / name).write_text(
            text.replace(image, f"{image}        args: [--config-map=web-config]\n")
        )
    done = krm_fn("init", "shop", cwd=tmp_path, COLUMNS="80", **on_path)
    page = (EXAMPLES.parent / "docs/commands/init.md").read_text()
    assert f"```console\n$ krm-fn init shop\n{done.stdout}```\n" in page
    assert "warning: ConfigMap/shop/web-config " in done.stderr


def test_helm_runs_it_as_a_post_renderer(tmp_path: Path, on_path: dict[str, str]) -> None:
    shutil.copytree(EXAMPLES / "helm/chart", tmp_path / "chart")
    done = krm_fn("init", "chart", "--set", "shop", "-n", "shop", *IMAGE, cwd=tmp_path, **on_path)
    assert (done.returncode, done.stderr) == (0, "")
    writes, upgrades = [
        line.removeprefix("next: ")
        for line in done.stdout.splitlines()
        if line.startswith(("next: echo ", "next: helm upgrade --install RELEASE "))
    ]
    run(writes, tmp_path, on_path)
    command = upgrades.replace("helm upgrade --install RELEASE", "helm template shop")
    rendered = run(command, tmp_path, on_path)
    verified = krm_fn(
        "verify", "-", "--set", "shop", "--deployer", "helm", cwd=tmp_path, stdin=rendered
    )
    assert verified.stderr.startswith("verified: "), verified.stderr


def test_the_plugin_of_argo_cd_takes_the_directory(tmp_path: Path, on_path: dict[str, str]) -> None:
    for name in (*MANIFESTS, "kustomization.yaml"):
        shutil.copy(EXAMPLES / "canary" / name, tmp_path)
    done = krm_fn("init", "--deployer", "argocd", *IMAGE, cwd=tmp_path, **on_path)
    assert done.returncode == 0, done.stderr
    assert "next: write `plugin: {}` into the source of the Application" in done.stdout
    assert krm_fn("discover", cwd=tmp_path).stdout == "krm-fn.yaml\n"
    rendered = krm_fn("render", "--no-remote", ".", cwd=tmp_path, **on_path)
    assert rendered.stderr == "3 renamed\n"
