"""A door that does nothing, or not what was meant, says so and names the cause."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.cli.process import krm_fn
from tests.doors.doors import DOORS, KRM_FN, Settings, configuration
from tests.doors.test_configuration import NAME, PACKAGE
from tests.render.run import write
from tests.tools.require import require

SHOP: dict[str, Any] = {"name": "shop", "linker": {"image": "registry.example/krm-fn:stable"}}
KPT = "kpt fn eval, --fn-config"
KUSTOMIZE = "kustomize build, transformers"
ADOPT = configuration({**SHOP, "strategy": "adopt"})
WEB, CONFIG = PACKAGE["web.yaml"], PACKAGE["config.yaml"]
HOOK = "{name: web-config, namespace: shop, annotations: {helm.sh/hook: pre-install}}"
OWNED = "{name: web-config, namespace: shop, ownerReferences: [{apiVersion: v1, kind: Pod, name: web, uid: 1f0d2c}]}"
HELM_RELEASE = (
    "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\n"
    "spec: {valuesFrom: [{kind: ConfigMap, name: web-config}]}\n"
)
OF_THE_BASE = CONFIG.replace(
    "{name: web-config, namespace: shop}",
    "{name: web-config-hf678c7m2b, namespace: shop, labels: {revisions.krm-fn.io/set: base}, "
    "annotations: {revisions.krm-fn.io/base-name: web-config}}",
)
PRODUCER = (
    "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: web-db, namespace: shop}\n"
    "spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}, data: []}\n"
)


class Row(NamedTuple):
    """What is in the package, what is passed, and what is said; `at` a door, something else."""

    files: Mapping[str, str]
    says: str
    settings: Settings | None = SHOP
    at: Mapping[str, str] = MappingProxyType({})


def _misspelled(old: str, new: str, at: Mapping[str, str] = MappingProxyType({})) -> Row:
    """Return a package whose configuration says adopt, and would be passed over."""
    return Row(
        {**PACKAGE, "krm-fn.yaml": ADOPT.replace(old, new)}, "functionConfig: found ", None, at
    )


ROWS = {
    "nothing reads the ConfigMap": Row(
        {"config.yaml": CONFIG}, "no pod template of the package references it"
    ),
    "a hook is left alone": Row(
        {**PACKAGE, "config.yaml": CONFIG.replace("{name: web-config, namespace: shop}", HOOK)},
        "chooses no object: ConfigMap/shop/web-config: ",
    ),
    "what has an owner is left alone": Row(
        {**PACKAGE, "config.yaml": CONFIG.replace("{name: web-config, namespace: shop}", OWNED)},
        "chooses no object: ConfigMap/shop/web-config: ",
    ),
    "only a HelmRelease reads its values": Row(
        {"config.yaml": CONFIG, "web.yaml": HELM_RELEASE},
        "chooses no object: ConfigMap/shop/web-config: ",
    ),
    "the kind is misspelled": Row(
        {**PACKAGE, "config.yaml": CONFIG.replace("ConfigMap", "Configmap")},
        'found "Configmap", which is no kind',
    ),
    "the kinds are others": Row(
        PACKAGE, "chooses no object: ConfigMap/shop/web-config: ", {**SHOP, "kinds": ["Secret"]}
    ),
    "Secrets are chosen, and not what makes them": Row(
        {"db.yaml": PRODUCER},
        "no ConfigMap or Secret to choose; spec.kinds does not contain ExternalSecret",
        {**SHOP, "kinds": ["ConfigMap", "Secret"]},
    ),
    "a base has run krm-fn for another set": Row(
        {"web.yaml": WEB.replace("web-config", NAME), "config.yaml": OF_THE_BASE},
        "already of set base, so set shop ",
    ),
    "no entry of select matches": Row(
        PACKAGE, '"web-confg" matches no ', {**SHOP, "select": [{"name": "web-confg"}]}
    ),
    "the kind of the configuration lacks a letter": _misspelled(
        "ConfigRevisions", "ConfigRevision"
    ),
    "the kind of the configuration is in lower case": _misspelled(
        "ConfigRevisions", "configrevisions"
    ),
    "the configuration is for another version": _misspelled("krm-fn.io/v1", "krm-fn.io/v2"),
    "the group of the configuration is misspelled": _misspelled(
        "revisions.krm-fn.io", "revision.krm-fn.io"
    ),
    "the configuration has no apiVersion": _misspelled(
        '"apiVersion": "revisions.krm-fn.io/v1", ', "", {KPT: "`apiVersion`"}
    ),
    "two configurations are in one file": Row(
        {**PACKAGE, "settings.yaml": f"{ADOPT}\n---\n{configuration({**SHOP, 'name': 'store'})}"},
        "found 2 configurations; ",
        None,
    ),
    "the configuration is alone": Row(
        {"krm-fn.yaml": ADOPT},
        "nothing renamed: the package has no ConfigMap to choose",
        {**SHOP, "strategy": "adopt"},
        at={"render": "has no manifests", "render of a kustomization": "nothing to apply: "},
    ),
}
TRIED = ["function", "exec plugin", "render", "render of a kustomization"]
CASES = [
    pytest.param(row, name, id=f"{name}: {sentence}")
    for number, (sentence, row) in enumerate(ROWS.items())
    # These take half a second, so they take turns.
    for name in [
        *TRIED,
        KPT if row.at or number % 2 else KUSTOMIZE,
    ]
    if row.settings or not DOORS[name].must_pass
]


@pytest.mark.parametrize(("row", "name"), CASES)
def test_says(row: Row, name: str, tmp_path: Path) -> None:
    write(tmp_path / "shop", row.files)
    answer = DOORS[name].run(tmp_path / "shop", row.settings)
    assert row.at.get(name, row.says) in answer.problems.replace('\\"', '"')
    if answer.exit_code and row.settings is None:
        assert NAME not in answer.manifests


LISTED = configuration(
    SHOP, **{"config.kubernetes.io/function": json.dumps({"exec": {"path": str(KRM_FN)}})}
)


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize(
    ("field", "flags", "says"),
    [
        pytest.param("generators", ["--enable-exec"], "gets no objects: ", id="as a generator"),
        pytest.param(
            "validators", ["--enable-exec"], "validator shouldn't modify", id="as a validator"
        ),
        pytest.param("transformers", [], "", id="without --enable-exec, where kustomize is silent"),
    ],
)
def test_kustomize(field: str, flags: list[str], says: str, tmp_path: Path) -> None:
    """What kustomize is silent about, `krm-fn verify` finds."""
    kustomization = json.dumps({"resources": [*PACKAGE], field: ["krm-fn.yaml"]})
    write(tmp_path, {**PACKAGE, "krm-fn.yaml": LISTED, "kustomization.yaml": kustomization})
    command = [str(require("kustomize")), "build", "--enable-alpha-plugins", *flags, str(tmp_path)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert says in built.stderr
    assert NAME not in built.stdout
    verified = krm_fn("verify", "-", cwd=tmp_path, stdin=built.stdout)
    assert verified.returncode == 1
    assert verified.stderr.startswith("error: ")
