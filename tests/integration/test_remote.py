"""What the real kustomize fetches and runs, and that it does not for krm-fn."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from krm_fn.tools.common.files import Limits
from tests.builds.remote_paths import LOCAL, LOCAL_FILES, REMOTE_FILES, REPOSITORIES
from tests.integration.http_server import Server, serving
from tests.render.run import CONFIG_MAP, render_in, write

Tools = Callable[[str], Path]

NO_REMOTE = Limits(no_remote=True)
PLUGIN = "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\n"
GIT = '#!/bin/sh\necho "$@" >> {log}\nexit 1\n'


@pytest.fixture(params=["kustomize", "kubectl"])
def kustomize(
    request: pytest.FixtureRequest,
    require_tool: Tools,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Make this the only program on PATH, beside a git that only notes that it was called; return the note."""
    tool = require_tool(request.param)
    log = tmp_path / "git.log"
    write(tmp_path, {"bin/git": GIT.format(log=log)})
    (tmp_path / "bin/git").chmod(0o755)
    (tmp_path / "bin" / tool.name).symlink_to(tool)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "bin"), "/usr/bin", "/bin"]))
    return log


@pytest.mark.rows(submission=40)
@pytest.mark.parametrize("path", [*REPOSITORIES, *LOCAL])
def test_kustomize_clones_what_counts_as_a_repository(
    path: str, kustomize: Path, tmp_path: Path
) -> None:
    write(tmp_path, {"shop/kustomization.yaml": f"components: ['{path}']\n"})
    ask_kustomize(kustomize, tmp_path)
    assert kustomize.exists() is (path in REPOSITORIES)


def ask_kustomize(log: Path, folder: Path) -> str:
    program, verb = (
        ("kustomize", "build")
        if (log.parent / "bin/kustomize").exists()
        else ("kubectl", "kustomize")
    )
    offline = {
        **os.environ,
        "http_proxy": "http://127.0.0.1:0",
        "https_proxy": "http://127.0.0.1:0",
    }
    command = [program, verb, str(folder / "shop")]
    return subprocess.run(command, env=offline, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize("path", [*REMOTE_FILES, *LOCAL_FILES])
def test_kustomize_gets_what_counts_as_a_remote_file(
    path: str, kustomize: Path, tmp_path: Path
) -> None:
    write(tmp_path, {"shop/kustomization.yaml": f"crds: [{yaml_text(path)}]\n"})
    is_fetched = "Get " in ask_kustomize(kustomize, tmp_path)
    assert is_fetched is (path in REMOTE_FILES)


def yaml_text(text: str) -> str:
    return '"' + text.replace("\n", "\\n") + '"'


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


FETCHING: list[Any] = [
    pytest.param(
        {"kustomization.yaml": "resources: [a.yaml]\npatches: [{path: URL}]\n"}, id="a patch"
    ),
    pytest.param(
        {
            "kustomization.yaml": "resources: [a.yaml]\ntransformers: [plugins]\n",
            "plugins/kustomization.yaml": "resources: [plugin.yaml]\npatches: [{path: patch.yaml}]\n",
            "plugins/plugin.yaml": PLUGIN + "path: no.yaml\n",
            "plugins/patch.yaml": PLUGIN + "path: URL\n",
        },
        id="an address that only the build puts in its place",
    ),
]


@pytest.mark.parametrize("files", FETCHING)
@pytest.mark.usefixtures("kustomize")
def test_nothing_is_fetched(
    files: dict[str, str], server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path / "shop", {name: text.replace("URL", server.url) for name, text in files.items()}
    )
    write(tmp_path / "shop", {"a.yaml": CONFIG_MAP})
    assert b"fetched" in render_in(tmp_path, monkeypatch, "shop").stdout
    assert server.requests == ["/a.yaml"]
    outcome = render_in(tmp_path, monkeypatch, "shop", limits=NO_REMOTE)
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)
    assert server.requests == ["/a.yaml"]


RUN: list[Any] = [
    pytest.param(
        "transformers: ['{apiVersion: a/v1, kind: A, metadata: {name: a, annotations: "
        '{config.kubernetes.io/function: "exec: {path: touch, args: [ran]}"}}}\']\n',
        "external plugins disabled; unable to load external plugin 'A'",
        id="an exec function",
    ),
    pytest.param(
        "transformers: ['{apiVersion: a/v1, kind: A, metadata: {name: a, annotations: "
        '{config.kubernetes.io/function: "container: {image: a}"}}}\']\n',
        "external plugins disabled; unable to load external plugin 'A'",
        id="a container function",
    ),
    pytest.param("helmCharts: [{name: a, repo: 'https://host'}]\n", "lists a chart", id="a chart"),
    pytest.param(
        "helmCharts: [{name: a, releaseName: --post-renderer=./run}]\n",
        "lists a chart",
        id="a chart whose release is an option of helm",
    ),
]


@pytest.mark.parametrize(("kustomization", "told"), RUN)
@pytest.mark.usefixtures("kustomize")
def test_kustomize_runs_nothing(
    kustomization: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path,
        {
            "shop/kustomization.yaml": "resources: [a.yaml]\n" + kustomization,
            "shop/a.yaml": CONFIG_MAP,
        },
    )
    outcome = render_in(tmp_path, monkeypatch, "shop")
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)
    assert told in outcome.stderr


@pytest.mark.usefixtures("kustomize")
def test_a_folder_with_the_name_of_a_repository_is_built(
    kustomize: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path,
        {
            "github.com/a/b/kustomization.yaml": "resources: [a.yaml]\n",
            "github.com/a/b/a.yaml": CONFIG_MAP,
        },
    )
    assert render_in(tmp_path, monkeypatch, "github.com/a/b").exit_code == 0
    assert not kustomize.exists()
