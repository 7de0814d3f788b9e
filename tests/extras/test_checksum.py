"""A checksum changes with the content that pods read, and with nothing else."""

from hashlib import sha256
from typing import Any

import pytest
import yaml

from krm_fn.function import run

CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {kinds: [ConfigMap, Secret], strategy: checksum}
"""
IGNORE = CONFIG.replace(b"strategy: checksum", b"strategy: ignore")

MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data: {level: info, port: "80"}
"""
SECRET = """\
apiVersion: v1
kind: Secret
metadata: {name: config}
data: {password: c2VjcmV0}
"""  # noqa: S105  # a manifest
READS_ALL = "envFrom: [{configMapRef: {name: config}}, {secretRef: {name: config, optional: true}}]"
READS_LEVEL = "env: [{name: LEVEL, valueFrom: {configMapKeyRef: {name: config, key: level}}}]"


def workload(
    container: str = READS_ALL,
    *,
    annotations: str = "{}",
    pods: str = "{}",
    kind: str = "apps/v1 Deployment",
) -> str:
    version, _, name = kind.rpartition(" ")
    return (
        f"apiVersion: {version}\nkind: {name}\nmetadata:\n  name: web\n  annotations: {annotations}\n"
        f"spec:\n  template:\n    metadata: {{annotations: {pods}}}\n    spec:\n      containers:\n"
        f"      - name: app\n        {container}\n"
    )


def package(*objects: str) -> str:
    return "---\n".join(objects)


def render(package: str, config: bytes = CONFIG) -> list[Any]:
    outcome = run(package.encode(), config)
    assert outcome.exit_code == 0, outcome.stderr
    return list(yaml.load_all(outcome.stdout, yaml.CBaseLoader))


def checksum(package: str, config: bytes = CONFIG) -> str | None:
    """Of the one workload with a pod template."""
    (found,) = [item for item in render(package, config) if "template" in item.get("spec", {})]
    value: str | None = (found["spec"]["template"]["metadata"]["annotations"] or {}).get(
        "checksum/config"
    )
    return value


def edit(package: str, old: str, new: str) -> str:
    assert old in package
    return package.replace(old, new)


ALL = package(MAP, SECRET, workload())
LEVEL = package(MAP, workload(READS_LEVEL))


def test_the_checksum_is_a_promise() -> None:
    """Another one for the same content would roll every workload."""
    level = sha256(b"5:level5:=info").hexdigest()
    written_out = sha256(f'[["ConfigMap", "", "config", "{level}"]]'.encode()).hexdigest()
    assert (
        checksum(LEVEL)
        == written_out
        == "b6921462369dd566c8f59110e644f55beea39cd4a846f74ef424142696ad3115"
    )
    assert checksum(ALL) == "8b762289c33184983b99f249987d67da200779b0675638541d28e590e3332be3"


UNCHANGED = [
    pytest.param(ALL, 'level: info, port: "80"', 'port: "80", level: info', id="order of the keys"),
    pytest.param(ALL, "info", "'info'", id="quotes"),
    pytest.param(
        ALL,
        'data: {level: info, port: "80"}',
        "data:\n  level: info # why\n  port: |-\n    80",
        id="comments and style",
    ),
    pytest.param(ALL, "name: config}\ndata", "name: config, labels: {a: b}}\ndata", id="labels"),
    pytest.param(ALL, "kind: ConfigMap", "kind: ConfigMap\nimmutable: true", id="immutable"),
    pytest.param(
        ALL,
        MAP,
        f"{MAP}---\n{MAP}".replace("config}", "unread}", 1),
        id="an object that nobody reads",
    ),
    pytest.param(ALL, "- name: app", "- name: other", id="what else the workload says"),
    pytest.param(
        ALL,
        "data: {password: c2VjcmV0}",
        "stringData: {password: secret}",
        id="the same in stringData",
    ),
    pytest.param(ALL, "c2VjcmV0}", '"c2Vj\\ncmV0"}', id="line breaks in base64"),
    pytest.param(ALL, "kind: Secret", "kind: Secret\ntype: Opaque", id="the type of a Secret"),
    pytest.param(ALL, ', port: "80"}', "}\nbinaryData: {port: ODA=}", id="the same in binaryData"),
    pytest.param(LEVEL, "80", "81", id="a key that is not read"),
    pytest.param(LEVEL, MAP, f"{MAP}---\n{SECRET}", id="an object that is not read"),
]


@pytest.mark.parametrize(("before", "old", "new"), UNCHANGED)
def test_unchanged(before: str, old: str, new: str) -> None:
    assert checksum(before) == checksum(edit(before, old, new)) is not None


CHANGED = [
    pytest.param(ALL, "info", "debug", id="a value"),
    pytest.param(ALL, "level", "LEVEL", id="a key"),
    pytest.param(ALL, "info", '""', id="a value that becomes empty"),
    pytest.param(ALL, 'info, port: "80"', '"80", port: info', id="values that change places"),
    pytest.param(
        ALL, 'level: info, port: "80"', "levelinfo: port80", id="the same letters, parted otherwise"
    ),
    pytest.param(ALL, f"{SECRET}---\n", "", id="an optional object that is gone"),
    pytest.param(
        ALL, "c2VjcmV0}", "c2VjcmV0}\nstringData: {password: x}", id="stringData, which wins"
    ),
    pytest.param(ALL, "c2VjcmV0", "'${PASSWORD}'", id="what is no base64"),
    pytest.param(ALL, "info", "[a, b]", id="what is no text"),
    pytest.param(LEVEL, "info", "debug", id="a key that is read"),
    pytest.param(
        LEVEL.replace("info", '""'), 'level: "", ', "", id="a key that is gone, not empty"
    ),
]


@pytest.mark.parametrize(("before", "old", "new"), CHANGED)
def test_changed(before: str, old: str, new: str) -> None:
    assert checksum(before) != checksum(edit(before, old, new)) is not None


def test_what_pulls_images_rolls_nothing() -> None:
    assert checksum(
        package(SECRET, workload() + "      imagePullSecrets: [{name: config}]\n")
    ) == checksum(package(SECRET, workload()))
    only_pulls = workload("image: x") + "      imagePullSecrets: [{name: config}]\n"
    assert checksum(package(SECRET, only_pulls)) is None


NOT_ROLLED = [
    pytest.param(
        "monitoring.coreos.com/v1", "Prometheus", "configMaps: [config]", id="an operator's pods"
    ),
    pytest.param(
        "v1", "Pod", "containers: [{envFrom: [{configMapRef: {name: config}}]}]", id="a bare pod"
    ),
    pytest.param(
        "argoproj.io/v1alpha1",
        "Workflow",
        "templates: [{container: {envFrom: [{configMapRef: {name: config}}]}}]",
        id="a template without a pod's spec",
    ),
]


@pytest.mark.parametrize(("version", "kind", "spec"), NOT_ROLLED)
def test_what_has_no_pod_template_is_warned_about(version: str, kind: str, spec: str) -> None:
    text = package(
        MAP, f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\nspec:\n  {spec}\n"
    )
    outcome = run(text.encode(), CONFIG)
    assert outcome.stderr == (
        f"warning: {kind}/x: reads ConfigMap/config, but has no pod template for a checksum: "
        "nothing restarts its pods\n"
    )
    assert outcome.stdout == text.encode()
