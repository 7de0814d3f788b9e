"""krm-fn as Helm's post-renderer: with the real Helm 3, and as Helm 4 runs its plugin."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn import __version__
from tests.integration.names import assert_names_hold, defined, load
from tests.integration.protected import assert_protected

Tools = Callable[[str], Path]
Helm = Callable[..., subprocess.CompletedProcess[str]]

EXAMPLE = Path(__file__).parent.parent.parent / "examples/helm"
POST_RENDER = [
    "--post-renderer",
    "krm-fn",
    "--post-renderer-args",
    "render",
    "--post-renderer-args",
    "-",
]
HOOK = """\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {helm.sh/hook: pre-upgrade}}
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "helm"))


@pytest.fixture
def path(require_tool: Tools) -> str:
    """Return a PATH with this checkout's krm-fn, and with helm."""
    helm = require_tool("helm").parent
    return os.pathsep.join([str(Path(sys.executable).parent), str(helm), os.environ["PATH"]])


@pytest.fixture
def helm(path: str, example: Path) -> Helm:
    """Return a function that runs helm in the folder of the example, with this checkout's krm-fn on PATH."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["helm", *arguments],
            cwd=example,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def block(section: str) -> list[str]:
    """Return the words of the README's command for one version of Helm."""
    text = (EXAMPLE / "README.md").read_text().partition(f"## {section}\n")[2]
    command = text.partition("```sh\n")[2].partition("```")[0]
    return command.replace("\\\n", " ").splitlines()[-1].split()


def test_helm_3_as_the_readme_says(helm: Helm) -> None:
    program, *arguments = block("Helm 3")
    assert program == "helm"
    done = helm(*arguments)
    assert (done.stderr, done.returncode) == ("", 0)  # Helm 3 keeps what a post-renderer says
    objects = load(done.stdout)
    assert_names_hold(objects)
    assert_protected(objects, ("helm",))
    (name,) = defined(objects)
    assert re.fullmatch(r"shop-config-[2456789bcdfghkmt]{10}", name)


def test_helm_3_output_is_otherwise_unchanged(helm: Helm) -> None:
    """Comments with the template's name, and the order of objects, stay as Helm writes them."""
    plain, rendered = (
        helm("template", "shop", "chart"),
        helm("template", "shop", "chart", *POST_RENDER),
    )
    added = re.sub(
        r"^immutable: true\n|^  labels:\n    revisions.*\n|^  annotations:\n(    .*\n)+",
        "",
        rendered.stdout,
        flags=re.MULTILINE,
    )
    assert re.sub(r"-config-\w{10}", "-config", added) == plain.stdout


def test_helm_3_runs_again_over_its_own_output(helm: Helm, example: Path) -> None:
    once = helm("template", "shop", "chart", *POST_RENDER).stdout
    done = subprocess.run(
        [sys.executable, "-m", "krm_fn", "render", "-"],
        input=once,
        cwd=example,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == once


def test_helm_3_shows_the_error(helm: Helm) -> None:
    done = helm(
        "template", "shop", "chart", *POST_RENDER, "--post-renderer-args", "--config=no.yaml"
    )
    assert (done.stdout, done.returncode) == ("", 1)
    assert "error: no.yaml: no such file or directory" in done.stderr


def test_helm_3_does_not_show_hooks(helm: Helm, example: Path) -> None:
    """The README warns about this."""
    (example / "chart/templates/hook.yaml").write_text(
        HOOK + "spec: {a: {configMapRef: {name: shop-config}}}\n"
    )
    hooks = [
        item
        for item in load(helm("template", "shop", "chart", *POST_RENDER).stdout)
        if item["kind"] == "Job"
    ]
    assert [hook["spec"]["a"]["configMapRef"]["name"] for hook in hooks] == ["shop-config"]


def test_a_copy_for_a_hook_is_refused_where_helm_3_would_lose_it(
    helm: Helm, path: str, example: Path
) -> None:
    """What Helm 3 would do with the hook is in the test before."""
    pods = "spec: {template: {spec: {containers: [{name: a, envFrom: [{configMapRef: {name: shop-config}}]}]}}}\n"
    (example / "chart/templates/hook.yaml").write_text(HOOK + pods)
    config = example / "krm-fn.yaml"
    config.write_text(
        "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
        "spec: {deployers: [helm], hooks: copy, linker: {image: registry.example/krm-fn:1}}\n"
    )
    assert helm("version", "--short").stdout.startswith("v3.")
    done = subprocess.run(
        [sys.executable, "-m", "krm_fn", "render", f"--config={config}", "chart"],
        cwd=example,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("", 1)
    assert "spec.hooks: copy cannot give this one its copy" in done.stderr


def plugin() -> dict[str, Any]:
    manifest: dict[str, Any] = yaml.safe_load((EXAMPLE / "krm-fn/plugin.yaml").read_text())
    return manifest


def test_the_plugin_is_what_helm_4_accepts() -> None:
    manifest = plugin()
    assert set(manifest) == {"apiVersion", "type", "name", "version", "runtime", "runtimeConfig"}
    assert (manifest["apiVersion"], manifest["type"], manifest["runtime"]) == (
        "v1",
        "postrenderer/v1",
        "subprocess",
    )
    assert re.fullmatch(r"[A-Za-z0-9_-]+", manifest["name"])
    assert manifest["version"] == __version__


def test_the_plugin_runs_as_helm_4_runs_it(helm: Helm, example: Path) -> None:
    """Helm splits `command` at spaces, then appends `args` and `--post-renderer-args`.

    It does not use a shell.
    """
    (command,) = plugin()["runtimeConfig"]["platformCommand"]
    extra = [
        argument
        for flag, argument in zip(block("Helm 4"), block("Helm 4")[1:], strict=False)
        if "args" in flag
    ]
    done = subprocess.run(
        [*command["command"].split(" "), *command["args"], *extra],
        input=helm("template", "shop", "chart").stdout,
        cwd=example,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("1 renamed\n", 0)
    assert extra == ["--config", "krm-fn.yaml"]
    assert done.stdout == helm(*block("Helm 3")[1:]).stdout
