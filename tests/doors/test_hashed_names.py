"""kustomize's generators put a hash behind a name, and kustomize follows it only in kinds that it knows.

What the references should say, kustomize says itself: in a second build it is told about these kinds
(`configurations:`). Every door gives that name, or says that nothing has the other one.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base.item import CONFIG_KINDS
from krm_fn.base.kind import ROLES
from krm_fn.facts.annotations import FOLLOWED_BY_KUSTOMIZE
from krm_fn.tools.verify.verify import VerifyOptions
from tests.doors.doors import Answer, Settings
from tests.doors.test_affixes import DOORS_WITH_TREE, build, run
from tests.doors.test_same_answer import SHOP
from tests.verify.judge import verify

RELEASE = {
    "apiVersion": "helm.toolkit.fluxcd.io/v2",
    "kind": "HelmRelease",
    "metadata": {"name": "web"},
    "spec": {"valuesFrom": [{"kind": "ConfigMap", "name": "values"}]},
}
TRIGGER = {
    "apiVersion": "keda.sh/v1alpha1",
    "kind": "TriggerAuthentication",
    "metadata": {"name": "web"},
    "spec": {"secretTargetRef": [{"parameter": "host", "name": "token", "key": "host"}]},
}
READERS: dict[str, tuple[dict[str, Any], str, str]] = {
    "HelmRelease": (RELEASE, "ConfigMap", "spec/valuesFrom/name"),
    "TriggerAuthentication": (TRIGGER, "Secret", "spec/secretTargetRef/name"),
}
GENERATORS = {
    "configMapGenerator": [{"name": "values", "literals": ["a=b"]}],
    "secretGenerator": [{"name": "token", "literals": ["host=b"]}],
}
SETTINGS: Settings = {**SHOP, "kinds": ["ConfigMap", "Secret"]}
KUSTOMIZE = json.loads(
    (Path(__file__).parents[1] / "data" / "kustomize_namereference.json").read_text()
)
IN_PODS = re.compile("template|^spec/(volumes|containers|initContainers|imagePullSecrets)")
STREAMS = ("function", "exec plugin", "Helm's post-renderer", "render")


def tree(reader: dict[str, Any], **more: Any) -> dict[str, str]:
    top = {"namespace": "shop", **GENERATORS, "resources": ["app.yaml"], **more}
    return {"kustomization.yaml": json.dumps(top), "app.yaml": json.dumps(reader)}


def spec_of(manifests: str, kind: str) -> Any:
    objects = filter(None, yaml.load_all(manifests, yaml.CSafeLoader))
    return next(one["spec"] for one in objects if one["kind"] == kind)


@cache
def followed(kind: str) -> Any:
    """Let kustomize say what the reader means."""
    reader, target, path = READERS[kind]
    spec = {"kind": target, "version": "v1", "fieldSpecs": [{"kind": kind, "path": path}]}
    files = tree(reader, configurations=["follow.yaml"])
    return spec_of(build({**files, "follow.yaml": json.dumps({"nameReference": [spec]})}), kind)


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("door", [*DOORS_WITH_TREE, *STREAMS])
def test_each_door_follows_what_kustomize_has_named(door: str, kind: str) -> None:
    files = tree(READERS[kind][0])
    assert spec_of(build(files), kind) == READERS[kind][0]["spec"]  # kustomize alone does not
    answer = run_at(door, files)
    assert answer.exit_code == 0, answer.problems
    assert spec_of(answer.manifests, kind) == followed(kind)
    verified = verify("-", answer.manifests.encode(), VerifyOptions())
    assert verified.exit_code == 0, verified.stderr


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("door", [*DOORS_WITH_TREE, *STREAMS])
def test_each_door_says_what_it_cannot_follow(door: str) -> None:
    """A replacement takes the name before the hash, as kustomize 4475 tells, and no rule knows the field."""
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "web"}}
    source = {"kind": "ConfigMap", "name": "web-config", "fieldPath": "metadata.name"}
    target = {"select": {"kind": "Widget"}, "fieldPaths": ["spec.configName"]}
    generator = [{"name": "web-config", "literals": ["a=b"]}]
    more = {"replacements": [{"source": source, "targets": [target]}]}
    files = tree({**widget, "spec": {"configName": "x"}}, configMapGenerator=generator, **more)
    answer = run_at(door, files)
    assert spec_of(answer.manifests, "Widget") == {"configName": "web-config"}
    assert "which is nowhere in the rendering" in answer.problems
    verified = verify("-", answer.manifests.encode(), VerifyOptions())
    assert "which is nowhere in the rendering" in verified.stderr


INGRESS = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "Ingress",
    "metadata": {
        "name": "web",
        "annotations": {"nginx.ingress.kubernetes.io/proxy-ssl-secret": "shop/token"},
    },
    "spec": {"rules": []},
}
PLAIN = {"nginx.ingress.kubernetes.io/auth-tls-secret": "token"}
FOLLOWED_INGRESS = {**INGRESS, "metadata": {"name": "web", "annotations": PLAIN}}


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize(
    ("reader", "is_said"),
    [
        pytest.param(INGRESS, True, id="an annotation that kustomize does not know"),
        pytest.param(FOLLOWED_INGRESS, False, id="an annotation that kustomize follows"),
        pytest.param(TRIGGER, True, id="a custom resource"),
    ],
)
@pytest.mark.parametrize("door", ["transformers", "listed", *STREAMS])
def test_each_door_says_what_it_leaves_behind(
    reader: dict[str, Any], door: str, *, is_said: bool
) -> None:
    """No Secret is chosen, so that nothing but kustomize follows."""
    answer = run_at(door, tree(reader), SHOP)
    assert answer.exit_code == 0, answer.problems
    assert ("names Secret token, which is nowhere in the rendering" in answer.problems) is is_said


@pytest.mark.needs("kustomize")
def test_a_function_of_kustomize_knows_nothing_of_its_configurations() -> None:
    reader, target, path = READERS["TriggerAuthentication"]
    spec = {"kind": target, "version": "v1", "fieldSpecs": [{"kind": reader["kind"], "path": path}]}
    files = tree(reader, configurations=["follow.yaml"])
    files["follow.yaml"] = json.dumps({"nameReference": [spec]})
    answer = run_at("transformers", files, SHOP)
    assert "nowhere in the rendering unless a nameReference follows this field" in answer.problems
    assert "nowhere in the rendering" not in run_at("render", files, SHOP).problems


def test_followed_fields_are_those_of_kustomize() -> None:
    rows = [
        (one["kind"], one["path"])
        for row in KUSTOMIZE["nameReference"]
        if row["kind"] in CONFIG_KINDS
        for one in row["fieldSpecs"]
    ]
    outside = {path for kind, path in rows if kind not in ROLES and not IN_PODS.search(path)}
    assert {_field(path) for path in outside} == set(FOLLOWED_BY_KUSTOMIZE)


def _field(path: str) -> str:
    """Return a path of kustomize as our references say it."""
    above, _, annotation = path.partition("metadata/annotations/")
    if annotation:
        return f"metadata.annotations[{annotation.replace(chr(92), '')}]"
    return above.replace("/", ".")


def run_at(door: str, files: dict[str, str], settings: Settings = SETTINGS) -> Answer:
    if door in STREAMS:
        files = {"built.yaml": build(files)}
    return run(door, files, settings)


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize(
    ("name", "is_said"),
    [
        pytest.param("web-config", True, id="the name before the hash"),
        pytest.param("my-config", False, id="another name"),
        pytest.param("web-config.yaml", False, id="a longer one"),
    ],
)
def test_a_variable_that_is_the_name_is_said(name: str, *, is_said: bool) -> None:
    """A replacement writes it so, as kustomize 4475 tells."""
    container = {"name": "a", "image": "a:1", "env": [{"name": "SOURCE", "value": name}]}
    spec = {"template": {"spec": {"containers": [container]}}}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"}, "spec": spec}
    generator = [{"name": "web-config", "literals": ["a=b"]}]
    answer = run_at(STREAMS[0], tree(web, configMapGenerator=generator))
    assert ("containers[0].env[0].value" in answer.problems) is is_said
    assert ("which is nowhere in the rendering" in answer.problems) is is_said


TAKES = {"source": {"kind": "ConfigMap", "name": "blue"}}
TAKES_DATA = {"source": {"kind": "ConfigMap", "name": "blue", "fieldPath": "data.a"}}


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize(
    ("taken", "name", "value", "is_said"),
    [
        pytest.param(TAKES, "web", "blue", True, id="a replacement takes it"),
        pytest.param(TAKES_DATA, "web", "blue", False, id="a replacement takes its content"),
        pytest.param(TAKES, "blue", "blue", False, id="a workload has the name too"),
        pytest.param(TAKES, "web", "green", False, id="another word"),
    ],
)
@pytest.mark.parametrize("place", ["in the kustomization", "in a file"])
def test_a_variable_of_one_plain_word_is_said_where_a_replacement_takes_the_name(
    taken: dict[str, Any], name: str, value: str, place: str, *, is_said: bool
) -> None:
    """Of other variables such a word may be a colour, or a level of a log."""
    container = {"name": "a", "image": "a:1", "env": [{"name": "SOURCE", "value": value}]}
    spec = {"template": {"spec": {"containers": [container]}}}
    metadata = {"name": name, "annotations": {"note": "x"}}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    target = {"select": {"kind": "Deployment"}, "fieldPaths": ["metadata.annotations.note"]}
    replacement = {**taken, "targets": [target]}
    entry = replacement if place == "in the kustomization" else {"path": "replacement.json"}
    generator = [{"name": "blue", "literals": ["a=b"]}]
    files = tree(web, configMapGenerator=generator, replacements=[entry])
    files["replacement.json"] = json.dumps([replacement])
    answer = run_at("beside", files)
    assert answer.exit_code == 0, answer.problems
    assert ("which is nowhere in the rendering" in answer.problems) is is_said


@pytest.mark.needs("kustomize")
def test_an_annotation_that_is_the_name_is_said() -> None:
    annotations = {"example.com/tls-config-name": "web-config"}
    metadata = {"name": "web", "annotations": annotations}
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata, "spec": {}}
    generator = [{"name": "web-config", "literals": ["a=b"]}]
    answer = run_at(STREAMS[0], tree(widget, configMapGenerator=generator))
    assert "[example.com/tls-config-name]" in answer.problems
    assert "which is nowhere in the rendering" in answer.problems
