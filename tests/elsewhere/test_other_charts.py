"""A template of another chart that reads what a chart renames is found: its pods would wait for the old name."""

import os
from pathlib import Path

import pytest

from krm_fn.base.problem import ResourceId
from krm_fn.cli.main import main
from krm_fn.tools.common.files import DEFAULT_LIMITS
from krm_fn.tools.elsewhere.elsewhere import OtherCharts
from tests.render.run import write
from tests.tools.require import require

TOOLS = ResourceId("v1", "ConfigMap", "ledger", "ledger-tools")
KEYS = ResourceId("v1", "Secret", "ledger", "ledger-keys")
READS = "configMap: {name: ledger-tools}"


def chart(
    name: str, templates: str = "", more: str = "", place: str = ""
) -> dict[str, str | bytes]:
    place = place or f"charts/{name}"
    return {
        f"{place}/Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 0.1.0\n{more}",
        f"{place}/templates/all.yaml": templates,
    }


def find(repository: Path, *who: ResourceId) -> list[str]:
    """Return the places in other charts than `charts/ca` that read an object."""
    (repository / ".git").mkdir(exist_ok=True)
    write(repository, chart("ca"))
    charts = OtherCharts(repository / "charts/ca", DEFAULT_LIMITS)
    problems = charts.find(who or [TOOLS, KEYS])
    return [one.message.partition(", in ")[2].partition(": ")[0] for one in problems]


READS_IT = {
    "a volume, in one line": READS,
    "a volume": "configMap:\n          defaultMode: 0755\n          name: ledger-tools",
    "a volume with quotes": 'configMap: {name: "ledger-tools"}',
    "a value": "configMapKeyRef:\n    key: a\n    name: 'ledger-tools'  # of ca",
    "all values": "- configMapRef: {name: ledger-tools}",
    "a volume behind a condition": "configMap:\n{{- if .Values.tools }}\n    name: ledger-tools\n{{- end }}",
    "a Secret": "secret: {secretName: ledger-keys}",
    "a value of a Secret": "secretKeyRef: {key: a, name: ledger-keys}",
    "one in the namespace": f"metadata: {{namespace: ledger}}\n{READS}",
    "one where its release is": f"metadata: {{namespace: '{{{{ .Release.Namespace }}}}'}}\n{READS}",
}


@pytest.mark.parametrize("template", READS_IT.values(), ids=READS_IT)
def test_a_template_reads_it(template: str, tmp_path: Path) -> None:
    write(tmp_path, chart("peer", template))
    line = next(number for number, one in enumerate(template.splitlines(), 1) if "ledger-" in one)
    assert find(tmp_path) == [f"charts/peer/templates/all.yaml:{line}"]


READS_IT_NOT = {
    "a longer name": "configMap: {name: ledger-tools-2}",
    "a name that begins with a release": "configMap: {name: '{{ .Release.Name }}-ledger-tools'}",
    "another kind": "secretKeyRef: {name: ledger-tools}",
    "the name of a volume": "volumes:\n- configMap: {name: a}\n- name: ledger-tools",
    "the name of what comes behind": "configMap:\n  optional: true\nname: ledger-tools",
    "another namespace": f"metadata: {{namespace: elsewhere}}\n{READS}",
    "a chart that makes its own": f"kind: ConfigMap\nmetadata:\n  name: ledger-tools\n---\n{READS}",
}


@pytest.mark.parametrize("template", READS_IT_NOT.values(), ids=READS_IT_NOT)
def test_a_template_reads_it_not(template: str, tmp_path: Path) -> None:
    write(tmp_path, chart("peer", template))
    assert find(tmp_path) == []


PARTS = "dependencies: [{name: %s, version: 0.1.0}]\n"
ONE_RELEASE = {
    "a chart that consists of this one": chart("peer", READS, PARTS % "ca"),
    "a chart of which this one consists": {
        **chart("peer", READS),
        "charts/ca/requirements.yaml": PARTS % "peer",
    },
    "a part in its folder": chart("peer", READS, place="charts/ca/charts/peer"),
    "the chart around it": chart("all", READS, place="."),
    "templates of no chart": {"peer/templates/all.yaml": READS},
    "a chart that is copied from elsewhere": chart("peer", READS, place="vendor/peer"),
}


@pytest.mark.parametrize("files", ONE_RELEASE.values(), ids=ONE_RELEASE)
def test_what_is_no_other_release_counts_not(files: dict[str, str | bytes], tmp_path: Path) -> None:
    write(tmp_path, files)
    assert find(tmp_path) == []


def test_charts_of_one_maintainer_and_one_library_are_two_releases(tmp_path: Path) -> None:
    more = "maintainers: [{name: ca}]\n" + PARTS % "common"
    write(tmp_path, {**chart("peer", READS, more), "charts/ca/requirements.yaml": PARTS % "common"})
    assert find(tmp_path) == ["charts/peer/templates/all.yaml:1"]


@pytest.mark.parametrize(
    "template",
    [
        pytest.param("configMap: " * 80_000, id="fields without a name"),
        pytest.param(
            "".join(f"namespace: a{one}\n{READS}\n" for one in range(10_000)),
            id="fields and namespaces",
        ),
    ],
)
def test_a_hostile_template_takes_no_longer_than_its_length(template: str, tmp_path: Path) -> None:
    """With the square of it, each would take minutes."""
    write(tmp_path, chart("peer", f"{template}\n---\n{READS}\n"))
    line = template.count("\n") + 3
    assert find(tmp_path) == [f"charts/peer/templates/all.yaml:{line}"]


def test_a_root_limits_the_search(tmp_path: Path) -> None:
    write(tmp_path, {**chart("ca"), **chart("peer", READS)})
    (tmp_path / ".git").mkdir()
    limits = DEFAULT_LIMITS._replace(root=tmp_path / "charts/ca")
    assert [*OtherCharts(tmp_path / "charts/ca", limits).find([TOOLS])] == []


RENAMED = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: ledger-tools, namespace: ledger}
data: {tools.sh: a}
---
apiVersion: v1
kind: Pod
metadata: {name: ca, namespace: ledger}
spec:
  containers: [{name: ca, image: ca}]
  volumes: [{name: tools, configMap: {name: ledger-tools}}]
"""


@pytest.mark.needs("helm")
def test_init_and_explain_name_the_templates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{require('helm').parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    write(tmp_path, {**chart("ca", RENAMED), **chart("peer", READS)})
    said = "read by another chart, in charts/peer/templates/all.yaml:1: only this chart follows"
    explained = main(["explain", "charts/ca"]).stdout.decode()
    assert said in " ".join(explained.split())
    assert said in main(["init", "charts/ca", "--namespace", "ledger", "--dry-run"]).stderr
