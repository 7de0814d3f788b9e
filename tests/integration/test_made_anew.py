"""`krm-fn diff` of charts that make passwords and certificates anew on every rendering, with the real helm.

The oracle is what the template says of each value: fixed in one of two ways, made anew, or not there.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from krm_fn.cli.main import main
from tests.render.run import REVISIONS, write
from tests.tools.require import require
from tests.volume import part_of, seed_of

CHART = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
CERTIFICATE = """\
{{- $ca := genCA "web-ca" 365 }}
apiVersion: v1
kind: Secret
metadata: {name: web-ca}
data: {ca.crt: {{ $ca.Cert | b64enc }}, ca.key: {{ $ca.Key | b64enc }}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-ca}
data:
  level: LEVEL
  ca.crt: |
    {{- $ca.Cert | nindent 4 }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: web}
webhooks:
- {name: a, clientConfig: {caBundle: {{ $ca.Cert | b64enc }}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate-{{ randAlphaNum 5 | lower }}}
spec: {template: {spec: {containers: [{name: app, image: a}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata: {annotations: {checksum/ca: {{ $ca.Cert | sha256sum }}}}
    spec:
      containers:
      - {name: app, image: a, envFrom: [{configMapRef: {name: web-ca}}, {secretRef: {name: web-ca}}]}
"""
NOTES = [
    "ConfigMap web-ca: every rendering makes ca.crt anew, which is not compared",
    "Deployment web: every rendering makes spec.template.metadata.annotations[checksum/ca] anew, which is not compared",
    "Job migrate-HASH: every rendering gives it another name, which is not compared",
    "Secret web-ca: every rendering makes ca.crt, ca.key anew, which is not compared",
    (
        "ValidatingWebhookConfiguration web: every rendering makes webhooks[a].clientConfig.caBundle anew, "
        "which is not compared"
    ),
]


@pytest.fixture(autouse=True)
def _helm_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(require("helm").parent), os.environ["PATH"]]))
    monkeypatch.chdir(tmp_path)


def chart(level: str) -> dict[str, str | bytes]:
    return {"Chart.yaml": CHART, "templates/all.yaml": CERTIFICATE.replace("LEVEL", level)}


def diff(*arguments: str) -> str:
    outcome = main(["diff", *arguments])
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    return outcome.stdout.decode()


@pytest.mark.parametrize(
    "configuration", ["", REVISIONS], ids=["without a configuration", "with one"]
)
def test_a_chart_does_not_differ_from_itself(configuration: str, tmp_path: Path) -> None:
    write(
        tmp_path / "web",
        {**chart("low"), **({"krm-fn.yaml": configuration} if configuration else {})},
    )
    document = json.loads(diff("-ojson", "web", "web"))
    assert document["summary"] == "no difference"
    assert [
        re.sub("migrate-[a-z0-9]{5}", "migrate-HASH", note) for note in document["notes"]
    ] == NOTES
    assert "note: Secret web-ca: every rendering makes ca.crt, " in diff("web", "web")
    assert "<p>Note: <code>Secret web-ca: every rendering makes " in diff(
        "-omarkdown", "web", "web"
    )


def test_what_its_author_changes_still_counts(tmp_path: Path) -> None:
    write(tmp_path / "old", chart("low"))
    write(tmp_path / "new", chart("high"))
    lines = [line for line in diff("old", "new").splitlines() if not line.startswith("note: ")]
    assert lines == [
        "ConfigMap web-ca",
        "  - level: low",
        "  + level: high",
        "  no pod restarts; Deployment/web reads it at its next start",
        "1 other object changed",
    ]


def test_no_certificate_fills_the_screen(tmp_path: Path) -> None:
    write(tmp_path / "new", chart("low"))
    stored = main(["render", "new"]).stdout
    (tmp_path / "old.yaml").write_bytes(stored)
    (tmp_path / "new.yaml").write_bytes(main(["render", "new"]).stdout)
    # The chart tells what was made anew in a rendering of it, but not which object had another
    # name.
    told = [line for line in diff("old.yaml", "new").splitlines() if not line.startswith("note: ")]
    shown = sorted(re.sub("migrate-[a-z0-9]{5}", "migrate", line) for line in told)
    assert shown == ["+ Job migrate", "- Job migrate", "1 other object added, 1 removed"]
    text = diff("old.yaml", "new.yaml")
    assert re.search(
        r"^  ca\.crt: (changed, )?([\d,]+ -> )?[\d,]+ bytes$",
        text.replace("    ca", "  ca"),
        re.MULTILINE,
    )
    assert re.search(r"\.caBundle: (changed )?\([\d,]+ bytes\)", text)
    write(tmp_path, {"none.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"})
    for form in (text, diff("-omarkdown", "old.yaml", "new.yaml"), diff("none.yaml", "new.yaml")):
        assert not re.search("[A-Za-z0-9+/=]{65}", form)
        assert "CERTIFICATE" not in form


class Slot(NamedTuple):
    """A value of a chart: in which object it is, and how that object writes it."""

    owner: str
    field: str


SLOTS = [
    *(Slot("ConfigMap", f"data.{key}") for key in "abc"),
    *(Slot("Secret", f"stringData.{key}") for key in "ab"),
    *(Slot("Service", f"metadata.annotations.{key}") for key in "ab"),
    *(
        Slot("Deployment", f"spec.template.spec.containers.0.env.{number}.value")
        for number in range(2)
    ),
    Slot("Widget", "spec.list.0"),
]
API_VERSIONS = {"Deployment": "apps/v1", "Widget": "example.com/v1"}
WAYS = {
    "one": "one",
    "two": "two",
    "password": "{{ randAlphaNum 12 }}",
    "id": "{{ uuidv4 }}",
    "base64": "{{ randBytes 300 }}",
    "none": None,
}
ANEW = {"password", "id", "base64"}


def _template(ways: Mapping[Slot, str]) -> str:
    """Write the objects of a chart as JSON, which is YAML."""
    objects = []
    for kind in dict.fromkeys(slot.owner for slot in SLOTS):
        written: dict[str, object] = {
            "apiVersion": API_VERSIONS.get(kind, "v1"),
            "kind": kind,
            "metadata": {"name": "a"},
        }
        if kind == "Deployment":
            env = [{"name": f"N{number}"} for number in range(2)]
            written["spec"] = {
                "template": {"spec": {"containers": [{"name": "app", "image": "a", "env": env}]}}
            }
        if kind == "Widget":
            written["spec"] = {"list": [None]}
        for slot, way in ways.items():
            if slot.owner == kind and WAYS[way] is not None:
                _put(written, slot.field.split("."), WAYS[way])
        objects.append(json.dumps(written))
    return "\n---\n".join(objects)


def _put(node: object, path: list[str], value: object) -> None:
    first, *rest = path
    if isinstance(node, list):
        if rest:
            _put(node[int(first)], rest, value)
        else:
            node[int(first)] = value
    elif isinstance(node, dict) and rest:
        _put(node.setdefault(first, {}), rest, value)
    elif isinstance(node, dict):
        node[first] = value


def _choose(random: Random) -> Iterator[tuple[Slot, str, str]]:
    for slot in SLOTS:
        old = random.choice([*WAYS])
        yield slot, old, old if random.random() < 0.6 else random.choice([*WAYS])


def _is_same(old: str, new: str) -> bool:
    return old == new or {old, new} <= ANEW


@pytest.mark.parametrize("number", range(part_of(300)))
def test_only_what_two_charts_say_in_different_ways_counts(number: int, tmp_path: Path) -> None:
    random = Random(seed_of(number))
    chosen = [*_choose(random)]
    for side, name in enumerate(("old", "new")):
        template = _template({slot: ways[side] for slot, *ways in chosen})
        write(tmp_path / name, {"Chart.yaml": CHART, "templates/all.yaml": template})
    document = json.loads(diff("-ojson", "old", "new"))
    listed = {change["kind"] for change in (*document["revisions"], *document["objects"])}
    assert listed == {slot.owner for slot, old, new in chosen if not _is_same(old, new)}
    said = {note.partition(" ")[0] for note in document["notes"]}
    assert said == {slot.owner for slot, old, new in chosen if {old, new} <= ANEW}
