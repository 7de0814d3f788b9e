"""What charts of others reach with the real helm, and what krm-fn refuses before."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import Limits
from krm_fn.tools.opened.sources import Inputs
from tests.builds.test_check_chart import pack
from tests.integration.http_server import Server, serving
from tests.integration.names import load
from tests.render.run import CONFIG_MAP, render, write

Tools = Callable[[str], Path]

CHART: dict[str, str | bytes] = {
    "shop/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "shop/templates/a.yaml": CONFIG_MAP,
    "outside": "secret",
}


def render_chart(
    template: str,
    require_tool: Tools,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    more: str = "",
) -> Outcome:
    write(folder, CHART)
    write(folder, {"shop/Chart.yaml": f"apiVersion: v2\nname: web\nversion: 1.0.0\n{more}"})
    write(folder, {"shop/templates/a.yaml": CONFIG_MAP.replace("{A: b}", f"{{A: '{template}'}}")})
    only_helm(require_tool, folder, monkeypatch)
    return render(Inputs(("shop",)), HelmOptions())


def only_helm(require_tool: Tools, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "bin").mkdir()
    (folder / "bin/helm").symlink_to(require_tool("helm"))
    monkeypatch.setenv("PATH", str(folder / "bin"))
    monkeypatch.chdir(folder)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


TEMPLATES: list[Any] = [
    pytest.param('{{ getHostByName "localhost" }}', "", id="DNS gives nothing"),
    pytest.param('{{ .Files.Get "../outside" }}', "", id="files beside the chart cannot be read"),
    pytest.param('{{ .Files.Get "/etc/hostname" }}', "", id="nor files of the machine"),
    pytest.param('{{ lookup "v1" "Secret" "" "" | len }}', "0", id="a lookup finds nothing"),
]


@pytest.mark.parametrize(("template", "value"), TEMPLATES)
def test_a_template_reaches_nothing(
    template: str, value: str, require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = render_chart(template, require_tool, tmp_path, monkeypatch)
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    (item,) = load(outcome.stdout)
    assert item["data"] == {"A": value}


@pytest.mark.parametrize("function", ["env", "expandenv"])
def test_a_template_cannot_read_the_environment(
    function: str, require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = render_chart(f'{{{{ {function} "HOME" }}}}', require_tool, tmp_path, monkeypatch)
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)
    assert f'function "{function}" not defined' in outcome.stderr


def test_helm_fetches_no_dependencies(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    dependency = f"dependencies: [{{name: a, version: 1.0.0, repository: '{server.url}'}}]\n"
    outcome = render_chart("", require_tool, tmp_path, monkeypatch, dependency)
    assert (outcome.stdout, outcome.exit_code, server.requests) == (b"", 1, [])
    assert "found in Chart.yaml, but missing in charts/ directory: a" in outcome.stderr


def test_values_from_elsewhere(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    write(tmp_path, CHART)
    only_helm(require_tool, tmp_path, monkeypatch)
    values = HelmOptions(values=(server.url,))
    assert render(Inputs(("shop",)), values).exit_code == 0
    assert server.requests
    server.requests.clear()
    sentence = (
        f"error: --helm-values {server.url}: is remote, which --no-remote refuses; pass a file\n"
    )
    assert render(Inputs(("shop",)), values, limits=Limits(no_remote=True)) == Outcome(
        b"", sentence, 1
    )
    assert not server.requests


@pytest.mark.parametrize("name", ["files/.link", "values/values.yaml", "charts/Chart.lock"])
@pytest.mark.parametrize("target", ["/etc/hostname", "../../outside", "/etc"])
def test_helm_follows_links_and_we_refuse_them(
    target: str, name: str, require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, CHART)
    (tmp_path / "shop" / name).parent.mkdir()
    (tmp_path / "shop" / name).symlink_to(target)
    only_helm(require_tool, tmp_path, monkeypatch)
    done = subprocess.run(
        ["helm", "template", tmp_path / "shop"], capture_output=True, text=True, check=False
    )
    assert "found symbolic link in path" in done.stderr
    outcome = render(Inputs(("shop",)), HelmOptions())
    real = (tmp_path / "shop" / name).resolve()
    sentence = (
        f"leads to {real}, outside of the root shop; --root sets the directory that may be read\n"
    )
    assert outcome == Outcome(b"", f"error: shop/{name}: {sentence}", 1)


PROGRAM = "--post-renderer=./run"
ARGUMENTS: list[Any] = [
    pytest.param(PROGRAM, HelmOptions(), id="the name of the chart"),
    pytest.param("web", HelmOptions(release=PROGRAM), id="the name of the release"),
    pytest.param("web", HelmOptions(namespace=PROGRAM), id="the namespace"),
    pytest.param("web", HelmOptions(values=(PROGRAM,)), id="a file of values"),
    pytest.param("web", HelmOptions(values=("-",)), id="values from stdin"),
    pytest.param("web", HelmOptions(kube_version=PROGRAM), id="the version of Kubernetes"),
]


@pytest.mark.parametrize(("name", "options"), ARGUMENTS)
def test_no_name_is_an_option_of_helm(
    name: str,
    options: HelmOptions,
    require_tool: Tools,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As helmCharts in a kustomization is for kustomize: kubernetes-sigs/kustomize#6241."""
    write(tmp_path, CHART)
    write(
        tmp_path,
        {
            "shop/Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n",
            "run": "#!/bin/sh\ntouch ran\n",
        },
    )
    (tmp_path / "run").chmod(0o755)
    only_helm(require_tool, tmp_path, monkeypatch)
    outcome = render(Inputs(("shop",)), options)
    assert options.namespace or outcome.exit_code == 1
    assert not (tmp_path / "ran").exists()


def test_helm_would_run_what_a_post_renderer_names(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above would find an option that is not kept apart."""
    write(tmp_path, CHART)
    write(tmp_path, {"run": "#!/bin/sh\ntouch ran\ncat\n"})
    (tmp_path / "run").chmod(0o755)
    only_helm(require_tool, tmp_path, monkeypatch)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    subprocess.run(["helm", "template", PROGRAM, "web", "shop"], capture_output=True, check=False)
    assert (tmp_path / "ran").exists()


REFERENCES: list[Any] = [
    pytest.param({"$ref": "{url}"}, True, id="an address"),
    pytest.param({"$ref": "file://{folder}/outside"}, False, id="a file"),
    pytest.param({"$schema": "{url}"}, True, id="a schema of the schema"),
    pytest.param(
        {"properties": {"a": {"allOf": [{"$ref": "{url}#/x"}]}}}, True, id="deep in the schema"
    ),
]


@pytest.mark.parametrize("place", ["shop", "shop/charts/b", "packed"])
@pytest.mark.parametrize(("schema", "is_fetched"), REFERENCES)
def test_helm_reads_what_a_schema_refers_to_and_we_refuse_it(  # noqa: PLR0913, PLR0917  # fixtures
    schema: dict[str, Any],
    is_fetched: bool,
    place: str,
    require_tool: Tools,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    server: Server,
) -> None:
    text = json.dumps(schema).replace("{url}", server.url).replace("{folder}", str(tmp_path))
    subchart: dict[str, str | bytes] = {"b/Chart.yaml": "apiVersion: v2\nname: b\nversion: 1.0.0\n"}
    write(tmp_path, CHART)
    if place == "packed":
        write(tmp_path, {"shop/charts/b.tgz": pack({**subchart, "b/values.schema.json": text})})
    else:
        write(tmp_path / "shop/charts", {} if place == "shop" else subchart)
        write(tmp_path, {f"{place}/values.schema.json": text})
    only_helm(require_tool, tmp_path, monkeypatch)
    done = subprocess.run(
        ["helm", "template", tmp_path / "shop"], capture_output=True, text=True, check=False
    )
    assert bool(server.requests) == is_fetched
    assert done.returncode == 1, "neither answer is a schema"
    server.requests.clear()
    outcome = render(Inputs(("shop",)), HelmOptions())
    assert "leads out of the file" in outcome.stderr
    assert (outcome.stdout, outcome.exit_code, server.requests) == (b"", 1, [])


def test_an_id_of_a_schema_is_not_fetched(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    inner = {"$id": f"{server.url}/inner", "$ref": "#/$defs/b", "$defs": {"b": {}}}
    schema = {"$id": server.url, "$ref": "#/$defs/a", "$defs": {"a": {"properties": {"x": inner}}}}
    write(
        tmp_path,
        {**CHART, "shop/values.schema.json": json.dumps(schema), "shop/values.yaml": "x: 1\n"},
    )
    only_helm(require_tool, tmp_path, monkeypatch)
    outcome = render(Inputs(("shop",)), HelmOptions())
    assert (outcome.stderr, outcome.exit_code, server.requests) == ("", 0, [])
