"""An object into whose content a program writes keeps its name; one that only looks like it does not."""

import json
from base64 import b64encode
from typing import Any

import pytest

from krm_fn.function import run

CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {kinds: [ConfigMap, Secret], linker: {enabled: false}}
"""
VAULT = "Bank-Vaults' webhook replaces"
BY_NAME = "a controller writes to it under this name"
SKIPPED = {"vault.security.banzaicloud.io/mutate": "skip"}


def config(
    kind: str = "Secret", field: str = "stringData", value: str = "a", **metadata: Any
) -> dict[str, Any]:
    named = {"name": "login", "namespace": "shop", **metadata}
    return {"apiVersion": "v1", "kind": kind, "metadata": named, field: {"key": value}}


def config_map(value: str = "a") -> dict[str, Any]:
    return config("ConfigMap", "data", value)


def encoded(value: str) -> dict[str, Any]:
    return config(field="data", value=b64encode(value.encode()).decode())


def policy(**target: str) -> dict[str, Any]:
    mutate = {"targets": [target], "patchStrategicMerge": {"data": {"b": "c"}}}
    return {
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "change"},
        "spec": {"rules": [{"name": "change", "mutate": mutate}]},
    }


def what_is_said(one: dict[str, Any], *others: dict[str, Any]) -> str:
    field = "configMapRef" if one["kind"] == "ConfigMap" else "secretRef"
    container = {"name": "web", "image": "web", "envFrom": [{field: {"name": "login"}}]}
    web = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"containers": [container]},
    }
    package = "\n---\n".join(json.dumps(item) for item in (one, web, *others))
    outcome = run(package.encode(), CONFIG)
    assert outcome.exit_code == 0, outcome.stderr
    is_renamed = b"immutable: true" in outcome.stdout or b'"immutable": true' in outcome.stdout
    return "renamed" if is_renamed else outcome.stderr


WRITTEN = [
    pytest.param(
        config(annotations={"secret-generator.v1.mittwald.de/autogenerate": "key"}),
        "kubernetes-secret-generator writes its content",
        id="a password that is generated into a key",
    ),
    pytest.param(
        config(annotations={"secret-generator.v1.mittwald.de/type": "ssh-keypair"}),
        "kubernetes-secret-generator writes its content",
        id="a pair of keys of SSH",
    ),
    pytest.param(
        config(annotations={"secretgen.carvel.dev/image-pull-secret": ""}),
        "secretgen-controller writes its content",
        id="a placeholder for all pull secrets",
    ),
    pytest.param(
        config(
            "ConfigMap", "data", annotations={"service.alpha.openshift.io/inject-cabundle": "true"}
        ),
        "OpenShift writes its content",
        id="the former annotation of OpenShift",
    ),
    pytest.param(config(value="vault:secret/data/db#password"), VAULT, id="a key in Vault"),
    pytest.param(
        config(value=">>vault:secret/data/db#password"), VAULT, id="one that is written first"
    ),
    pytest.param(
        config(value="postgres://${vault:secret/data/db#user}@db"), VAULT, id="a key within a text"
    ),
    pytest.param(config_map("vault:secret/data/db#password"), VAULT, id="a key in a ConfigMap"),
    pytest.param(encoded("vault:secret/data/db#password"), VAULT, id="a key in base64"),
    pytest.param(encoded(">>vault:secret/data/db#password"), VAULT, id="a first key in base64"),
    pytest.param(
        config(value="<path:secret/data/db#password>"),
        "Argo CD's Vault plugin replaces",
        id="a key for Argo CD's Vault plugin",
    ),
    pytest.param(
        config(value="<path:secret/data/db#password>", annotations=SKIPPED),
        "Argo CD's Vault plugin replaces",
        id="a key for one program, and an annotation of the other",
    ),
]
NOT_WRITTEN = [
    pytest.param(config(), id="an object like all others"),
    pytest.param(
        config(value="vault:\n  address: https://vault # ours"), id="a setting vault in YAML"
    ),
    pytest.param(
        encoded("vault:\n  address: https://vault"), id="a setting vault in YAML, in base64"
    ),
    pytest.param(encoded("vault: https://vault"), id="a setting vault of one line, in base64"),
    pytest.param(config(value="vault:8200"), id="the address of Vault"),
    pytest.param(config(value="vault:v1:8SDd3WHDOjf7mq69"), id="a text that Vault has encrypted"),
    pytest.param(config(value="see vault:secret/data/db#password"), id="a text about a key"),
    pytest.param(
        config(value="vault:secret/data/db#password", annotations=SKIPPED),
        id="an object that Bank-Vaults skips",
    ),
]
OTHER_TARGETS = [
    pytest.param({"kind": "Deployment", "name": "login", "namespace": "shop"}, id="another kind"),
    pytest.param({"kind": "ConfigMap", "name": "login", "namespace": "shop"}, id="the other kind"),
    pytest.param({"kind": "Secret", "name": "other", "namespace": "shop"}, id="another name"),
    pytest.param({"kind": "Secret", "name": "login", "namespace": "dev"}, id="another namespace"),
]


@pytest.mark.parametrize(("item", "why"), WRITTEN)
def test_a_program_writes_into_the_object(item: dict[str, Any], why: str) -> None:
    assert why in what_is_said(item)


@pytest.mark.parametrize("item", NOT_WRITTEN)
def test_nobody_writes_into_the_object(item: dict[str, Any]) -> None:
    assert what_is_said(item) == "renamed"


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_a_policy_changes_an_existing_object(kind: str) -> None:
    field = "data" if kind == "ConfigMap" else "stringData"
    target = policy(apiVersion="v1", kind=kind, name="login", namespace="shop")
    assert BY_NAME in what_is_said(config(kind, field), target)


@pytest.mark.parametrize("target", OTHER_TARGETS)
def test_a_policy_changes_another_object(target: dict[str, str]) -> None:
    assert what_is_said(config(), policy(apiVersion="v1", **target)) == "renamed"
