"""`krm-fn render` with the real kustomize, kubectl and helm."""

import base64
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.opened.sources import Inputs
from tests.cases import ENVIRONMENT
from tests.integration.names import assert_names_hold, defined, load
from tests.render.run import REVISIONS, WITHOUT_LINKER, render, write

Tools = Callable[[str], Path]

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: a, image: b, envFrom: [{configMapRef: {name: web}}]}]}}}
"""
KUSTOMIZATION: dict[str, str | bytes] = {
    "shop/kustomization.yaml": "namePrefix: a-\nnamespace: live\nresources: [web.yaml, plain.yaml]\n"
    "configMapGenerator: [{name: web, literals: [a=b]}]\n",
    "shop/web.yaml": WEB,
    "shop/plain.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {a: b}\n",
}
CHART: dict[str, str | bytes] = {
    "shop/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "shop/values.yaml": "level: low\n",
    "shop/crds/w.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: w}\n",
    "shop/templates/web.yaml": WEB.replace("web", "{{ .Release.Name }}"),
    "shop/templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\ndata:\n"
    "  level: {{ .Values.level }}\n  namespace: {{ .Release.Namespace }}\n  kube: {{ .Capabilities.KubeVersion }}\n"
    "  widgets: '{{ .Capabilities.APIVersions.Has \"example.com/v1/Widget\" }}'\n",
    "shop/templates/test.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: test}}\n",
    "b.yaml": "level: high\n",
}


def render_shop(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: HelmOptions | None = None
) -> Outcome:
    monkeypatch.chdir(folder)
    return render(Inputs(("shop",)), options or HelmOptions(), ENVIRONMENT)


@pytest.mark.parametrize("builder", ["kustomize", "kubectl"])
def test_a_kustomization(
    builder: str, require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, KUSTOMIZATION | {"shop/krm-fn.yaml": REVISIONS})
    only(require_tool(builder), tmp_path, monkeypatch)
    outcome = render_shop(tmp_path, monkeypatch)
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    objects = load(outcome.stdout)
    assert_names_hold(objects)
    # Generated, and not read by any pod.
    assert set(defined(objects)) == {
        "a-web-4h2mbtbbt6",
        "a-plain",
    }


def test_an_invalid_kustomization(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"shop/kustomization.yaml": "resources: [no.yaml]\n"})
    only(require_tool("kustomize"), tmp_path, monkeypatch)
    outcome = render_shop(tmp_path, monkeypatch)
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)
    assert outcome.stderr.startswith(
        "error: shop: kustomize build exited with code 1: Error: accumulating resources"
    )
    assert outcome.stderr.count("\n") == 1


def test_secret_values_in_kustomize_errors_are_not_shown(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a name matches two objects, kustomize prints both in its error."""
    role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\n"
    generator = "namespace: %s\nsecretGenerator: [{name: s, literals: [p=hunter2%s]}]\n"
    write(
        tmp_path,
        {
            "shop/kustomization.yaml": "resources: [a, b, role.yaml]\n",
            "shop/role.yaml": role + "rules: [{resources: [secrets], resourceNames: [s]}]\n",
            **{f"shop/{name}/kustomization.yaml": generator % (name, name) for name in "ab"},
        },
    )
    only(require_tool("kustomize"), tmp_path, monkeypatch)
    told = subprocess.run(
        ["kustomize", "build", "shop"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    secret = base64.b64encode(b"hunter2a").decode()
    assert secret in told.stderr
    outcome = render_shop(tmp_path, monkeypatch)
    assert "found multiple possible referrals: Secret" in outcome.stderr
    assert secret not in outcome.stderr
    assert outcome.stdout == b""


RELEASES = [
    pytest.param(HelmOptions(), ("web", "low", "default", "", "false"), id="the chart's name"),
    pytest.param(
        HelmOptions(release="shop"), ("shop", "low", "default", "", "false"), id="a release"
    ),
    pytest.param(
        HelmOptions(namespace="live"), ("web", "low", "live", "", "false"), id="a namespace"
    ),
    pytest.param(
        HelmOptions(values=("b.yaml",)), ("web", "high", "default", "", "false"), id="values"
    ),
    pytest.param(
        HelmOptions(kube_version="1.20.3"),
        ("web", "low", "default", "v1.20.3", "false"),
        id="a version",
    ),
    pytest.param(
        HelmOptions(api_versions="a/v1,example.com/v1/Widget"),
        ("web", "low", "default", "", "true"),
        id="APIs",
    ),
]


@pytest.mark.parametrize(("options", "expected"), RELEASES)
def test_a_chart(
    options: HelmOptions,
    expected: tuple[str, ...],
    require_tool: Tools,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, CHART | {"shop/krm-fn.yaml": WITHOUT_LINKER})
    only(require_tool("helm"), tmp_path, monkeypatch)
    outcome = render_shop(tmp_path, monkeypatch, options)
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    objects = load(outcome.stdout)
    assert_names_hold(objects)
    assert {item["kind"] for item in objects} == {
        "ConfigMap",
        "CustomResourceDefinition",
        "Deployment",
    }
    ((name, config),) = defined(objects).items()
    release, level, namespace, version, widgets = expected
    assert name.rpartition("-")[0] == release
    assert (
        config["data"].items()
        >= {"level": level, "namespace": namespace, "widgets": widgets}.items()
    )
    assert config["data"]["kube"].startswith(version or "v1.")


GENERATED = """\
apiVersion: v1
kind: Secret
metadata: {name: %s, labels: {helm.sh/chart: web-1.0.0}}
data: {password: %s}
---
"""
READER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: app
        image: registry.example/web:1.0
        envFrom: [{secretRef: {name: random}}, {secretRef: {name: stable}}]
"""


def test_what_a_chart_generates_anew_keeps_its_name(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both Secrets look alike; only a second rendering tells them apart."""
    secrets = GENERATED % ("random", "{{ randAlphaNum 20 | b64enc }}") + GENERATED % (
        "stable",
        "aHVudGVyMg==",
    )
    config = REVISIONS + "spec: {kinds: [Secret], linker: {enabled: false}}\n"
    chart = {
        "shop/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
        "shop/krm-fn.yaml": config,
    }
    write(tmp_path, chart | {"shop/templates/web.yaml": secrets + READER})
    only(require_tool("helm"), tmp_path, monkeypatch)
    outcome = render_shop(tmp_path, monkeypatch)
    names = [item["metadata"]["name"] for item in load(outcome.stdout) if item["kind"] == "Secret"]
    assert (names[0], names[1].rpartition("-")[0]) == ("random", "stable")
    assert outcome.stderr.startswith(
        "warning: Secret/random (helm template shop:3:1): left unchanged: its chart makes it anew on every rendering; "
    )


FIXED: dict[str, str | bytes] = {
    "base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator:\n"
    "- {name: web, literals: [a=b], options: {disableNameSuffixHash: true}}\n- {name: other, literals: [a=b]}\n",
    "base/web.yaml": WEB.replace("}]}]}}}", "}, {configMapRef: {name: other}}]}]}}}"),
    "shop/kustomization.yaml": "namePrefix: a-\nnamespace: live\nresources: [../base]\n",
}


def test_a_name_that_a_generator_keeps_is_left_alone(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, FIXED)
    only(require_tool("kustomize"), tmp_path, monkeypatch)
    outcome = render_shop(tmp_path, monkeypatch)
    names = {
        item["metadata"]["name"] for item in load(outcome.stdout) if item["kind"] == "ConfigMap"
    }
    assert {"a-web", "a-other-4h2mbtbbt6"} <= names
    assert (
        "warning: ConfigMap/live/a-web (kustomize build shop:9:1): left unchanged: its generator in "
        "base/kustomization.yaml asks for a fixed name (disableNameSuffixHash); annotate it with "
    ) in outcome.stderr
    assert "internal.config" not in outcome.stdout.decode()


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(
            {"shop/krm-fn.yaml": f"{REVISIONS}spec: {{select: [{{name: '*'}}]}}\n"},
            id="an entry of select",
        ),
        pytest.param(
            {
                "base/kustomization.yaml": str(FIXED["base/kustomization.yaml"]).replace(
                    "true}", "true, annotations: {revisions.krm-fn.io/strategy: rename}}"
                )
            },
            id="an annotation",
        ),
    ],
)
def test_a_name_that_a_generator_keeps_is_renamed(
    more: dict[str, str | bytes],
    require_tool: Tools,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, FIXED | more)
    only(require_tool("kustomize"), tmp_path, monkeypatch)
    outcome = render_shop(tmp_path, monkeypatch)
    assert "disableNameSuffixHash" not in outcome.stderr
    names = {
        item["metadata"]["name"] for item in load(outcome.stdout) if item["kind"] == "ConfigMap"
    }
    assert {name.rpartition("-")[0] for name in names} >= {"a-web", "a-other"}


def test_an_invalid_chart(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, CHART | {"shop/templates/web.yaml": '{{ fail "no" }}'})
    only(require_tool("helm"), tmp_path, monkeypatch)
    outcome = render_shop(tmp_path, monkeypatch)
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)
    assert outcome.stderr.startswith(
        "error: shop: helm template exited with code 1: Error: execution error at (web/"
    )


def test_kubectl_reads_every_document(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joins files with JSON, a directive, a byte order mark, and no line break at the end."""
    text = "apiVersion: v1\nkind: A\nmetadata: {name: %s}"
    write(
        tmp_path,
        {
            "shop/a.json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}',
            "shop/b.yaml": "%YAML 1.2\n---\n" + text.replace("A", "ConfigMap") % "b",
            "shop/c.yaml": b"\xef\xbb\xbf" + (text.replace("A", "ConfigMap") % "c").encode(),
            "shop/d.yaml": "# d\r\n" + (text.replace("A", "ConfigMap") % "d").replace("\n", "\r\n"),
            "shop/e.yaml": text.replace("A", "ConfigMap") % "e" + "\ndata:\n  e: |\n    no end",
            "shop/f.yaml": text.replace("A", "ConfigMap") % "f",
        },
    )
    stream = render_shop(tmp_path, monkeypatch).stdout
    done = subprocess.run(
        [require_tool("kubectl"), "annotate", "--local", "-f", "-", "a=b", "-o", "name"],
        input=stream,
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().split() == [f"configmap/{name}" for name in "abcdef"]
    assert load(stream)[4]["data"] == {"e": "no end"}


def only(tool: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set PATH so that it contains only this program."""
    (folder / "bin").mkdir()
    (folder / "bin" / tool.name).symlink_to(tool)
    monkeypatch.setenv("PATH", str(folder / "bin"))
