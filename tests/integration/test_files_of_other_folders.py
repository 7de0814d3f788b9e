"""Files that are not in the folder of their kustomization, and plugins, with the real kustomize."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.process import krm_fn
from tests.git.repository import commit
from tests.integration.test_listed_charts import FUNCTION, READER
from tests.render.run import WITHOUT_LINKER, write

Files = dict[str, str | bytes]

ANYWHERE = "--load-restrictor LoadRestrictionsNone"
OPTIONS = ("--root=repo", f"--kustomize-options={ANYWHERE}")
GENERATED = "configMapGenerator: [{name: web, envs: [../shared/app.env]}]\n"
TREE: Files = {
    "repo/shared/app.env": "LOG=info\n",
    "repo/shop/web.yaml": READER,
    "repo/shop/kustomization.yaml": f"resources: [web.yaml]\n{GENERATED}",
    "krm-fn.yaml": WITHOUT_LINKER,
}
SHOP = "repo/shop/kustomization.yaml"
CHART: Files = {
    "repo/shop/charts/db/values.yaml": "",
    "repo/shop/charts/db/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n",
    "repo/shop/charts/db/templates/db.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: db}\n",
}
BUILT: list[object] = [
    pytest.param({}, id="a file of variables"),
    pytest.param(
        {SHOP: f"namePrefix: dev-\n{TREE[SHOP]!s}"}, id="with a prefix, which is followed in a copy"
    ),
    pytest.param(
        {
            SHOP: f"{TREE[SHOP]!s}patches: [{{path: ../shared/patch.yaml}}]\n",
            "repo/shared/patch.yaml": READER,
        },
        id="a patch",
    ),
    pytest.param(
        {
            "repo/base/kustomization.yaml": TREE[SHOP],
            "repo/base/web.yaml": READER,
            SHOP: "resources: [../base]\nnameSuffix: -a\n",
        },
        id="in a base",
    ),
    pytest.param(
        {**CHART, SHOP: f"{TREE[SHOP]!s}helmCharts: [{{name: db, releaseName: db}}]\n"},
        id="beside a chart",
    ),
]


@pytest.fixture
def path(require_tool: Callable[[str], Path]) -> str:
    """Return the PATH with kustomize and helm."""
    tools = (str(require_tool(tool).parent) for tool in ("kustomize", "helm"))
    return os.pathsep.join([*tools, os.environ["PATH"]])


def build(folder: Path, path: str, *options: str) -> str:
    """Return what kustomize builds of the shop."""
    command = ["kustomize", "build", *options, "repo/shop"]
    environment = {**os.environ, "PATH": path}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("files", BUILT)
def test_what_kustomize_builds_is_rendered_as_through_a_pipe(
    files: Files, path: str, tmp_path: Path
) -> None:
    write(tmp_path, {**TREE, **files})
    options = f"{ANYWHERE} --enable-helm"
    built = build(tmp_path, path, *options.split())
    config = ("--quiet", "--config=krm-fn.yaml")
    piped = krm_fn("render", *config, "-", cwd=tmp_path, stdin=built)
    variables = {"PATH": path, "KUSTOMIZE_BUILD_OPTIONS": options}
    # Without a root, so that the configuration may be beside it.
    rendered = krm_fn("render", *config, "--root=.", "repo/shop", cwd=tmp_path, **variables)
    assert (rendered.stdout, rendered.stderr) == (piped.stdout, piped.stderr)
    assert "revisions.krm-fn.io/base-name" in rendered.stdout


LISTING: list[object] = [
    pytest.param(
        {SHOP: f"{TREE[SHOP]!s}transformers: [krm-fn.yaml]\n", "repo/shop/krm-fn.yaml": FUNCTION},
        id="a file",
    ),
    pytest.param(
        {
            SHOP: f"{TREE[SHOP]!s}transformers: [../krm]\n",
            "repo/krm/kustomization.yaml": "resources: [../shared/krm-fn.yaml]\n",
            "repo/shared/krm-fn.yaml": FUNCTION,
        },
        id="a folder, whose file is in another folder too",
    ),
]


@pytest.mark.parametrize("files", LISTING)
def test_every_command_builds_a_tree_that_lists_krm_fn(
    files: Files, path: str, tmp_path: Path
) -> None:
    commit(tmp_path, {**TREE, **files})
    for command, *more in (
        ("render",),
        ("verify",),
        ("diff", "--against=HEAD"),
        ("explain",),
        ("graph",),
    ):
        done = krm_fn(command, *more, *OPTIONS, "repo/shop", cwd=tmp_path, PATH=path)
        assert done.returncode == 0, (command, done.stderr)
        without = krm_fn(command, *more, "--root=repo", "repo/shop", cwd=tmp_path, PATH=path)
        assert "pass --kustomize-options=" in without.stderr, command


GENERATOR = """\
apiVersion: builtin
kind: ConfigMapGenerator
metadata: {name: stolen}
files: [FILE]
"""
REFUSED: list[object] = [
    pytest.param({SHOP: "crds: [../../secret]\n"}, id="with two dots"),
    pytest.param(
        {SHOP: "configMapGenerator: [{name: a, files: [k=/FOLDER/secret]}]\n"},
        id="an absolute path",
    ),
    pytest.param({SHOP: "generators: [a.yaml]\n", "repo/shop/a.yaml": GENERATOR}, id="in a plugin"),
    pytest.param(
        {
            SHOP: f"{GENERATED}generators: [../plugins]\n",
            "repo/plugins/kustomization.yaml": "resources: [a.yaml]\n",
            "repo/plugins/a.yaml": GENERATOR,
        },
        id="in a plugin that a folder builds",
    ),
    pytest.param(
        {
            SHOP: f"{GENERATED}transformers: [../outer]\n",
            "repo/outer/kustomization.yaml": f"generators: [../plugins]\n{GENERATED}",
            "repo/plugins/kustomization.yaml": "resources: [a.yaml]\n",
            "repo/plugins/a.yaml": GENERATOR,
        },
        id="in a folder in a folder",
    ),
]


@pytest.mark.parametrize("files", REFUSED)
def test_no_file_outside_of_the_root_is_read(files: Files, path: str, tmp_path: Path) -> None:
    write(tmp_path, {**TREE, "secret": "hunter2: 1\n"})
    folder = str(tmp_path).lstrip("/")
    for name, text in files.items():
        filled = str(text).replace("FILE", f"/{folder}/secret").replace("FOLDER", folder)
        write(tmp_path, {name: filled})
    done = krm_fn("render", "--verbose", *OPTIONS, "repo/shop", cwd=tmp_path, PATH=path)
    assert (done.stdout, done.returncode) == ("", 1)
    assert (
        "outside of the root repo" in done.stderr
        or "may hide charts and paths" in done.stderr
        or "is not in or below" in done.stderr
    )
    assert "hunter2" not in done.stderr


PLUGIN = """\
#!/bin/sh
cat >/dev/null
printf '%s\\n' 'kind: ResourceList' 'apiVersion: config.kubernetes.io/v1' 'items:'
printf '%s\\n' '- {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {LOG: info}}'
"""
KSOPS = """\
apiVersion: viaduct.ai/v1
kind: ksops
metadata:
  name: web
  annotations: {config.kubernetes.io/function: 'exec: {path: ./run}'}
"""


def test_what_a_plugin_generates_comes_through_a_pipe(path: str, tmp_path: Path) -> None:
    kustomization = "resources: [web.yaml]\ngenerators: [ksops.yaml]\n"
    plugin: Files = {SHOP: kustomization, "repo/shop/ksops.yaml": KSOPS, "repo/shop/run": PLUGIN}
    write(tmp_path, {**TREE, **plugin})
    (tmp_path / "repo/shop/run").chmod(0o755)
    refused = krm_fn("render", "repo/shop", cwd=tmp_path, PATH=path)
    advice = "kustomize build --enable-alpha-plugins --enable-exec repo/shop | krm-fn render -"
    assert refused.stderr == (
        "error: repo/shop: kustomize build exited with code 1: Error: loading generator plugins: failed to load "
        "generator: external plugins disabled; unable to load external plugin 'ksops'; plugins are off here: "
        f"{advice}\n"
    )
    built = build(tmp_path, path, "--enable-alpha-plugins", "--enable-exec")
    done = krm_fn("render", "--config=krm-fn.yaml", "-", cwd=tmp_path, stdin=built)
    assert (done.stderr, done.returncode) == ("1 renamed\n", 0)
