"""Keys that pods read, and that the ConfigMap or Secret of the package does not have."""

import re

import pytest

from krm_fn.function import run

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {linker: {enabled: false}, mounts: %s}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-config}\ndata: {log.level: x, port: x, name: x}\n"
OPAQUE = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: web-keys}\nstringData: {password: hidden}\n"
)
POD = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {%s}}}\n"
)

KEYS = "keys: log.level, port, name"
NEAR = f'ConfigMap/web-config has no key "log.levle"; did you mean "log.level"? {KEYS}'
NO_KEY = f'ConfigMap/web-config has no key "other"; {KEYS}'


def env(reference: str) -> str:
    return f"containers: [{{name: app, env: [{{name: A, valueFrom: {{{reference}}}}}]}}]"


def volume(source: str, mount: str = "", containers: str = "containers") -> str:
    rest = "" if containers == "containers" else ", containers: []"
    mounts = (
        f"volumeMounts: [{{name: other, subPath: x}}, {{name: config, mountPath: /a, {mount}}}]"
    )
    return f"volumes: [{{name: config, {source}}}], {containers}: [{{name: app, {mounts}}}]{rest}"


SPEC = "spec.template.spec"
ITEMS = "configMap: {name: web-config, items: [{key: log.level, path: conf.d/log}]}"
MISSING = [
    pytest.param(
        env("configMapKeyRef: {name: web-config, key: log.levle}"),
        f"{SPEC}.containers[0].env[0].valueFrom.configMapKeyRef.key: {NEAR}",
        id="a variable",
    ),
    pytest.param(
        env("secretKeyRef: {name: web-keys, key: pasword}"),
        f"{SPEC}.containers[0].env[0].valueFrom.secretKeyRef.key: "
        'Secret/web-keys has no key "pasword"; did you mean "password"? keys: password',
        id="a variable from a Secret, of which only keys are said",
    ),
    pytest.param(
        volume("configMap: {name: web-config}")
        + ", initContainers: [{name: app, envFrom: [{configMapRef: {name: web-config}}], "
        "env: [{name: A, valueFrom: {configMapKeyRef: {name: web-config, key: other}}}]}]",
        f"{SPEC}.initContainers[0].env[0].valueFrom.configMapKeyRef.key: {NO_KEY}",
        id="a key of an object that the pod reads as a whole, too",
    ),
    pytest.param(
        env("configMapKeyRef: {name: web-config, key: other, optional: false}"),
        f"{SPEC}.containers[0].env[0].valueFrom.configMapKeyRef.key: {NO_KEY}",
        id="a key that is like no other",
    ),
    pytest.param(
        volume(
            "configMap: {name: web-config, items: [{key: port, path: a}, {key: log.levle, path: b}]}"
        ),
        f"{SPEC}.volumes[0].configMap.items[1].key: {NEAR}",
        id="an item of a volume",
    ),
    pytest.param(
        volume("secret: {secretName: web-keys, items: [{key: other, path: a}]}"),
        f'{SPEC}.volumes[0].secret.items[0].key: Secret/web-keys has no key "other"; keys: password',
        id="an item of a volume from a Secret",
    ),
    pytest.param(
        volume(
            "projected: {sources: [{configMap: {name: web-config, items: [{key: other, path: a}]}}]}"
        ),
        f"{SPEC}.volumes[0].projected.sources[0].configMap.items[0].key: {NO_KEY}",
        id="an item of a projected volume",
    ),
    pytest.param(
        volume("configMap: {name: web-config}", "subPath: log.levle"),
        f"{SPEC}.containers[0].volumeMounts[1].subPath: {NEAR}",
        id="a subPath",
    ),
    pytest.param(
        volume("configMap: {name: web-config}", "subPath: other/below", "initContainers"),
        f"{SPEC}.initContainers[0].volumeMounts[1].subPath: {NO_KEY}",
        id="a subPath below a key, in an init container",
    ),
    pytest.param(
        volume(ITEMS, "subPath: log.level"),
        f'{SPEC}.containers[0].volumeMounts[1].subPath: the items of this volume have no path "log.level"; '
        "paths: conf.d/log",
        id="a key as subPath of a volume with items",
    ),
    pytest.param(
        volume(ITEMS, "subPath: conf.d/lgo"),
        f'{SPEC}.containers[0].volumeMounts[1].subPath: the items of this volume have no path "conf.d/lgo"; '
        'did you mean "conf.d/log"? paths: conf.d/log',
        id="a path that no item has",
    ),
]

FINE = [
    pytest.param(env("configMapKeyRef: {name: web-config, key: port}"), id="a key that is there"),
    pytest.param(
        env("configMapKeyRef: {name: web-config, key: x, optional: true}"), id="an optional key"
    ),
    pytest.param(
        env("configMapKeyRef: {name: web-config, key: x, optional: '${IT}'}"),
        id="one that may be optional",
    ),
    pytest.param(
        env("configMapKeyRef: {name: outside, key: x}"), id="an object that is not in the package"
    ),
    pytest.param(
        env("configMapKeyRef: {name: web-config, key: '${KEY}'}"), id="a key with a variable"
    ),
    pytest.param(volume("configMap: {name: web-config}"), id="a volume without subPath"),
    pytest.param(
        volume("configMap: {name: web-config}", "subPath: port/"), id="a subPath that is a key"
    ),
    pytest.param(
        volume("configMap: {name: web-config}", "subPath: ./x"), id="a subPath that is not plain"
    ),
    pytest.param(
        volume("configMap: {name: web-config}", "subPath: //"), id="a subPath that is the whole"
    ),
    pytest.param(
        volume("configMap: {name: web-config}", "subPathExpr: $(X)"), id="a subPath of variables"
    ),
    pytest.param(
        volume("configMap: {name: web-config, optional: true}", "subPath: x"),
        id="an optional volume",
    ),
    pytest.param(
        volume("projected: {sources: [{configMap: {name: web-config}}]}", "subPath: x"),
        id="several sources",
    ),
    pytest.param(volume(ITEMS, "subPath: conf.d"), id="the folder of an item"),
    pytest.param(volume(ITEMS, "subPath: conf.d/log/below"), id="a path below an item"),
    pytest.param(volume("emptyDir: {}", "subPath: x"), id="another volume"),
]

UNKNOWN = [
    pytest.param(
        CONFIG_MAP + "---\n" + CONFIG_MAP.replace("port", "x"), id="two objects that may be meant"
    ),
    pytest.param(
        CONFIG_MAP.replace("{log.level: x, port: x, name: x}", "{log.level: '', port: }"),
        id="empty values",
    ),
    pytest.param(CONFIG_MAP.replace("data: {log.level: x, port: x, name: x}", ""), id="no data"),
    pytest.param(CONFIG_MAP.replace("log.level:", "'${KEY}':"), id="a key with a variable"),
    pytest.param(
        CONFIG_MAP.replace("log.level:", "yes:"), id="a key that may be read as a boolean"
    ),
    pytest.param(CONFIG_MAP.replace("log.level:", "1.50:"), id="a key that is a number"),
    pytest.param(
        CONFIG_MAP.replace(
            "web-config}",
            "web-config, annotations: {replicator.v1.mittwald.de/replicate-from: a/b}}",
        ),
        id="a program that copies into it",
    ),
    pytest.param(
        CONFIG_MAP.replace("web-config}", "web-config, ownerReferences: [{uid: x}]}"),
        id="a controller that owns it",
    ),
    pytest.param(
        CONFIG_MAP
        + "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n"
        "rules: [{apiGroups: [''], resources: [configmaps], resourceNames: [web-config], verbs: [get, update]}]\n",
        id="a role that lets a program change it",
    ),
]


def missing(*documents: str, mounts: str = "[]") -> list[str]:
    outcome = run("---\n".join(documents).encode(), (CONFIG % mounts).encode())
    said = [
        line
        for line in outcome.stderr.splitlines()
        if "have no path" in line or "has no key" in line
    ]
    assert "hidden" not in outcome.stderr
    assert outcome.exit_code == 0 or not said
    return said


@pytest.mark.parametrize(("pod", "expected"), MISSING)
def test_a_missing_key_is_warned_about(pod: str, expected: str) -> None:
    assert missing(CONFIG_MAP, OPAQUE, POD % pod) == [f"warning: Deployment/web {expected}"]


@pytest.mark.parametrize("pod", FINE)
def test_what_is_there_or_may_be_missing_is_not_warned_about(pod: str) -> None:
    assert missing(CONFIG_MAP, OPAQUE, POD % pod) == []


@pytest.mark.parametrize("objects", UNKNOWN)
def test_nothing_is_said_of_an_object_whose_keys_are_not_all_known(objects: str) -> None:
    assert missing(objects, POD % env("configMapKeyRef: {name: web-config, key: other}")) == []


@pytest.mark.parametrize("strategy", ["rename", "checksum", "ignore"])
def test_the_strategy_does_not_matter(strategy: str) -> None:
    annotated = f"web-config, annotations: {{revisions.krm-fn.io/strategy: {strategy}}}}}"
    pod = POD % env("configMapKeyRef: {name: web-config, key: other}")
    assert len(missing(CONFIG_MAP.replace("web-config}", annotated), pod)) == 1


def test_many_keys_are_counted() -> None:
    config = CONFIG_MAP.replace("name: x}", "a: x, b: x, c: x, d: x}")
    (said,) = missing(config, POD % env("configMapKeyRef: {name: web-config, key: other}"))
    assert said.endswith("; keys: log.level, port, a, b, c and 1 more")


ENTRY = "kind: Deployment, path: /a"
MOUNTS = [
    pytest.param(
        f"{{{ENTRY}, configMap: web-config, items: [{{key: port, path: a}}, {{key: log.levle, path: b}}]}}",
        f"items[1].key: {NEAR}",
        id="an item",
    ),
    pytest.param(
        f"{{{ENTRY}, projected: [web-config, {{secret: web-keys, items: [{{key: other, path: a}}]}}]}}",
        'projected[1].items[0].key: Secret/web-keys has no key "other"; keys: password',
        id="an item of a projected source",
    ),
    pytest.param(
        f"{{{ENTRY}, configMap: web-config, subPath: other}}", f"subPath: {NO_KEY}", id="a subPath"
    ),
]


@pytest.mark.parametrize(("entry", "expected"), MOUNTS)
def test_a_missing_key_of_a_configured_mount_is_warned_about_once(
    entry: str, expected: str
) -> None:
    pod = POD % "containers: [{name: app}]"
    documents = [CONFIG_MAP, OPAQUE, pod, pod.replace("{name: web}", "{name: web-2}")]
    (said,) = missing(*documents, mounts=f"[{entry}]")
    assert (
        re.sub(r" \(line 4, column \d+\)", "", said)
        == f"warning: ConfigRevisions/web spec.mounts[0].{expected}"
    )


@pytest.mark.parametrize(
    "entry",
    [
        f"{{{ENTRY}, configMap: web-config, optional: true, items: [{{key: x, path: a}}]}}",
        f"{{{ENTRY}, configMap: web-config, items: [{{key: port, path: a}}], subPath: a}}",
        f"{{{ENTRY}, configMap: web-config, subPath: port}}",
        "{kind: Deployment, configMap: web-config, envFrom: true}",
    ],
)
def test_a_configured_mount_that_is_right_is_not_warned_about(entry: str) -> None:
    assert missing(CONFIG_MAP, POD % "containers: [{name: app}]", mounts=f"[{entry}]") == []
