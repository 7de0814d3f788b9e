"""`--enable-helm` with the real kustomize and helm: charts of kustomizations, and what krm-fn refuses before."""

import io
import os
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from tests.cli.process import krm_fn
from tests.git.repository import ENVIRONMENT, commit
from tests.integration.http_server import serving
from tests.render.run import REVISIONS, WITHOUT_LINKER, write

Files = dict[str, str | bytes]

READER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: a, envFrom: [{configMapRef: {name: web}}]}]}
"""
CONFIG = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {LEVEL: {{ .Values.level }}}\n"
)
CHART: Files = {
    "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "values.yaml": "level: low\n",
    "templates/config.yaml": CONFIG,
    "templates/web.yaml": READER,
}
IN_CHARTS: Files = {f"shop/charts/web/{name}": content for name, content in CHART.items()}
ENTRY = "helmCharts:\n- {name: web, releaseName: web, valuesInline: {level: high}}\n"
FUNCTION = WITHOUT_LINKER.replace(
    "{name: web}",
    "{name: web, annotations: {config.kubernetes.io/function: 'exec: {path: krm-fn}'}}",
)


@pytest.fixture
def path(require_tool: Callable[[str], Path]) -> str:
    """Return the PATH with kustomize and helm."""
    tools = (str(require_tool(tool).parent) for tool in ("kustomize", "helm"))
    return os.pathsep.join([*tools, os.environ["PATH"]])


def render(folder: Path, path: str, *options: str) -> str:
    done = krm_fn("render", "--quiet", *options, "shop", cwd=folder, PATH=path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(folder: Path, path: str, *options: str) -> str:
    done = krm_fn("render", "--quiet", "--enable-helm", *options, "shop", cwd=folder, PATH=path)
    assert (done.stdout, done.returncode) == ("", 1)
    return done.stderr.removeprefix("error: ").rstrip("\n")


def list_files(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*"))


SAME: list[object] = [
    pytest.param({"shop/kustomization.yaml": ENTRY}, id="a chart in its folder"),
    pytest.param({"shop/kustomization.yaml": f"namePrefix: dev-\n{ENTRY}"}, id="with a prefix"),
    pytest.param(
        {"shop/kustomization.yaml": f"helmGlobals: {{chartHome: ../shop/charts}}\n{ENTRY}"},
        id="in a folder by name",
    ),
    pytest.param(
        {
            "shop/kustomization.yaml": "helmCharts: [{name: web, releaseName: web, valuesFile: my.yaml}]\n",
            "shop/my.yaml": "level: mine\n",
        },
        id="with a file of values",
    ),
    pytest.param(
        {
            "shop/kustomization.yaml": "generators: [chart.yaml]\n",
            "shop/chart.yaml": "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: a}\n"
            "name: web\nreleaseName: web\n",
        },
        id="as a generator",
    ),
    pytest.param(
        {
            "shop/kustomization.yaml": "resources: [../base]\nnameSuffix: -a\n",
            "base/kustomization.yaml": "helmGlobals: {chartHome: ../shop/charts}\n"
            "helmCharts: [{name: web, releaseName: web, valuesFile: my.yaml}]\n",
            "base/my.yaml": "level: mine\n",
        },
        id="in a base",
    ),
]


@pytest.mark.parametrize("files", SAME)
def test_what_kustomize_inflates_is_rendered_as_through_a_pipe(
    files: Files, path: str, tmp_path: Path
) -> None:
    write(tmp_path, {**IN_CHARTS, **files, "krm-fn.yaml": WITHOUT_LINKER})
    command = ["kustomize", "build", "--enable-helm", "shop"]
    environment = {**os.environ, "PATH": path}
    built = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    options = ("--quiet", "--config=krm-fn.yaml")
    piped = krm_fn("render", *options, "-", cwd=tmp_path, stdin=built.stdout)
    before = list_files(tmp_path)
    rendered = krm_fn(
        "render", *options, "--enable-helm", "--no-remote", "shop", cwd=tmp_path, PATH=path
    )
    assert (rendered.stdout, rendered.stderr, rendered.returncode) == (
        piped.stdout,
        piped.stderr,
        0,
    )
    assert "revisions.krm-fn.io/base-name" in rendered.stdout
    assert list_files(tmp_path) == before


def test_a_kustomization_that_lists_krm_fn_may_list_charts(path: str, tmp_path: Path) -> None:
    """Its copy has them too. kustomize runs the function after its charts."""
    write(tmp_path, {**IN_CHARTS, "shop/kustomization.yaml": ENTRY, "shop/krm-fn.yaml": FUNCTION})
    expected = render(tmp_path, path, "--enable-helm")
    write(tmp_path, {"shop/kustomization.yaml": f"{ENTRY}transformers: [krm-fn.yaml]\n"})
    assert render(tmp_path, path, "--enable-helm") == expected


def test_what_a_chart_makes_anew_is_no_revision(path: str, tmp_path: Path) -> None:
    anew = CONFIG.replace("{{ .Values.level }}", "{{ randAlphaNum 9 }}")
    write(
        tmp_path,
        {
            **IN_CHARTS,
            "shop/kustomization.yaml": ENTRY,
            "shop/charts/web/templates/config.yaml": anew,
        },
    )
    done = krm_fn("explain", "--enable-helm", "shop", "web", cwd=tmp_path, PATH=path)
    assert "because its chart makes it anew on every rendering" in done.stdout


@pytest.fixture
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the chart, one whose schema refers to an address, and one that has the name of the folder above."""
    folder = tmp_path_factory.mktemp("repository")
    entries = ""
    for name, own_name, more in (
        ("web", "web", {}),
        ("bad", "bad", {"values.schema.json": '{"$ref": "http://example.com/a"}'}),
        ("astray", "..", {"kustomization.yaml": ENTRY}),
    ):
        content: Files = {
            **CHART,
            "Chart.yaml": f"apiVersion: v2\nname: {own_name}\nversion: 1.0.0\n",
            **more,
        }
        with tarfile.open(folder / f"{name}.tgz", "w:gz") as archive:
            for file, text in content.items():
                data = str(text).encode()
                member = tarfile.TarInfo(f"{name}/{file}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        entries += (
            f"  {name}: [{{apiVersion: v2, name: {name}, version: 1.0.0, urls: [{name}.tgz]}}]\n"
        )
    (folder / "index.yaml").write_text(f"apiVersion: v1\nentries:\n{entries}")
    handler = partial(_Silent, directory=str(folder))
    with HTTPServer(("localhost", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()
        thread.join()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


FETCHED = "helmCharts: [{{name: {}, releaseName: web, repo: '{}', version: 1.0.0, valuesInline: {{level: high}}}}]\n"


def test_a_chart_that_is_not_there_is_fetched_into_a_copy(
    path: str, repository: str, tmp_path: Path
) -> None:
    write(tmp_path, {**IN_CHARTS, "shop/kustomization.yaml": ENTRY})
    expected = render(tmp_path, path, "--enable-helm")
    for more in ("", "namePrefix: dev-\n"):
        write(
            tmp_path / str(bool(more)),
            {"shop/kustomization.yaml": more + FETCHED.format("web", repository)},
        )
        found = render(tmp_path / str(bool(more)), path, "--enable-helm")
        assert (found == expected) is not bool(more)
        assert list_files(tmp_path / str(bool(more))) == ["shop", "shop/kustomization.yaml"]


def test_what_is_fetched_is_checked_like_every_chart(
    path: str, repository: str, tmp_path: Path
) -> None:
    write(tmp_path, {"shop/kustomization.yaml": FETCHED.format("bad", repository)})
    assert refusal(tmp_path, path) == (
        "$ref (shop/charts/bad-1.0.0/bad/values.schema.json): leads out of the file; only references that "
        "begin with # and published drafts are allowed"
    )


def test_a_chart_that_calls_itself_otherwise_replaces_nothing(
    path: str, repository: str, tmp_path: Path
) -> None:
    write(tmp_path, {"shop/kustomization.yaml": FETCHED.format("astray", repository)})
    assert refusal(tmp_path, path).startswith("shop: helm pull ")


def test_nothing_is_fetched_that_is_refused(path: str, tmp_path: Path) -> None:
    with serving() as server:
        write(tmp_path, {"shop/kustomization.yaml": FETCHED.format("web", server.url)})
        assert refusal(tmp_path, path, "--no-remote") == (
            "shop/kustomization.yaml:1:14: the chart web is not in shop/charts/web-1.0.0, and to fetch it is what "
            "--no-remote refuses; get it with helm pull --untar --untardir shop/charts/web-1.0.0"
        )
        assert not server.requests


def test_a_chart_that_cannot_be_fetched_is_named(path: str, tmp_path: Path) -> None:
    write(tmp_path, {"shop/kustomization.yaml": FETCHED.format("web", "http://localhost:1")})
    assert refusal(tmp_path, path).startswith(
        'shop: helm pull exited with code 1: Error: looks like "..." is not a valid chart repository or cannot be '
        "reached"
    )


def test_a_schema_of_a_chart_in_the_folder_is_checked(path: str, tmp_path: Path) -> None:
    with serving() as server:
        schema = f'{{"$ref": "{server.url}"}}'
        write(
            tmp_path,
            {
                **IN_CHARTS,
                "shop/kustomization.yaml": ENTRY,
                "shop/charts/web/values.schema.json": schema,
            },
        )
        assert "leads out of the file" in refusal(tmp_path, path)
        assert not server.requests


HOSTILE = [
    pytest.param(
        ENTRY.replace("releaseName: web", "releaseName: --post-renderer=./run"),
        id="an option as a name",
    ),
    pytest.param(
        ENTRY.replace("releaseName: web", "Releasename: --post-renderer=./run"),
        id="in another case",
    ),
    pytest.param(
        "generators:\n- |\n  apiVersion: v1\n  kind: List\n  items:\n  - apiVersion: builtin\n"
        "    kind: HelmChartInflationGenerator\n    metadata: {name: a}\n    name: web\n"
        "    releaseName: --post-renderer=./run\n",
        id="in a list of generators",
    ),
    pytest.param(f"{ENTRY}generators: [plugins]\n", id="by a generator that a folder builds"),
    pytest.param(
        f"{ENTRY}helmGlobals: {{configHome: plugins}}\n", id="by the folder of the plugins"
    ),
]


@pytest.mark.parametrize("kustomization", HOSTILE)
def test_no_program_of_the_repository_runs(kustomization: str, path: str, tmp_path: Path) -> None:
    plugin = "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: a}\nname: web\nreleaseName: "
    write(
        tmp_path,
        {
            **IN_CHARTS,
            "shop/kustomization.yaml": kustomization,
            "shop/plugins/kustomization.yaml": "resources: [plugin.yaml]\n",
            "shop/plugins/plugin.yaml": f"{plugin}--post-renderer={tmp_path}/run\n",
            "run": "#!/bin/sh\ntouch ran\ncat\n",
        },
    )
    (tmp_path / "run").chmod(0o755)
    assert refusal(tmp_path, path).startswith("shop/kustomization.yaml:")
    assert not list(tmp_path.rglob("ran"))


def test_kustomize_would_run_what_a_release_name_says(path: str, tmp_path: Path) -> None:
    """The test above would find a name that is not refused."""
    hostile = ENTRY.replace("releaseName: web", f"releaseName: --post-renderer={tmp_path}/run")
    write(
        tmp_path,
        {
            **IN_CHARTS,
            "shop/kustomization.yaml": hostile,
            "run": f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n",
        },
    )
    (tmp_path / "run").chmod(0o755)
    command = ["kustomize", "build", "--enable-helm", "shop"]
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (tmp_path / "ran").exists() or "must not start with '-'" in done.stderr, (
        "kustomize 5.8.2 refuses it too"
    )


def test_the_base_of_a_comparison_has_its_own_chart(path: str, tmp_path: Path) -> None:
    config = REVISIONS + "spec: {linker: {enabled: false}}\n"
    commit(tmp_path, {**IN_CHARTS, "shop/kustomization.yaml": ENTRY, "shop/krm-fn.yaml": config})
    write(tmp_path, {"shop/charts/web/templates/config.yaml": CONFIG.replace("LEVEL", "MODE")})
    options = ("diff", "--against=HEAD", "--enable-helm", "--no-remote", "shop")
    done = krm_fn(*options, cwd=tmp_path, PATH=path, **ENVIRONMENT)
    _, *lines = done.stdout.splitlines()
    assert lines == [
        "  - LEVEL: high",
        "  + MODE: high",
        "  rolls Deployment/web",
        "1 revision changed",
    ]


@pytest.mark.parametrize("command", ["verify", "explain", "graph"])
def test_every_command_that_renders_takes_the_option(
    command: str, path: str, tmp_path: Path
) -> None:
    write(
        tmp_path,
        {**IN_CHARTS, "shop/kustomization.yaml": ENTRY, "shop/krm-fn.yaml": WITHOUT_LINKER},
    )
    refused = krm_fn(command, "shop", cwd=tmp_path, PATH=path)
    assert "; --enable-helm lets it, as with kustomize" in refused.stderr
    done = krm_fn(command, "--enable-helm", "shop", cwd=tmp_path, PATH=path)
    assert "web" in done.stdout + done.stderr
    assert "error" not in done.stderr
