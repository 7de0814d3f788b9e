"""Each small change of a rendering is found by verify if it does harm, and accepted if it does none.

Which is which, `effects` says, which shares no code with verify. A change that is refused without harm, or missed with
it, is a row of a table with its reason. Each run tries a tenth; the night tries all.
"""

import json
import re
from collections.abc import Mapping

import pytest
import yaml

from krm_fn.function import run
from krm_fn.tools.verify.verify import VerifyOptions, verify
from tests.verify.effects import find_harm
from tests.verify.mutate import Mutation, Object, mutations
from tests.volume import IS_WHOLE

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {kinds: [ConfigMap, Secret], linker: {image: "registry.example/krm-fn:0.2.0", schedule: "@hourly"}}
"""
PACKAGE = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: web-config, namespace: shop}}
data: {{LEVEL: info, app.yaml: "{content}"}}
---
apiVersion: v1
kind: Secret
metadata: {{name: db, namespace: shop}}
stringData: {{PASSWORD: "{content}"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1.0
        envFrom: [{{configMapRef: {{name: web-config}}}}]
        env: [{{name: DB, valueFrom: {{secretKeyRef: {{name: db, key: PASSWORD}}}}}}]
      volumes: [{{name: config, configMap: {{name: web-config, items: [{{key: app.yaml, path: app}}]}}}}]
"""
MISSED = {
    r"\S+ immutable=False": "an author may have written it, and the function leaves it",
    r"Deployment/web without \S+(name|key|path)": "no valid object: the API server refuses it, and pods stay",
    r"Deployment/web \S+configMapKeyRef added as .*": "as above: a reference without a name",
    r"CronJob/shop-linker \S+\.image='.*": "only a registry knows which images it has",
}
"""What does harm and is not found."""

OWN = "only the function writes these marks"
REFUSED = {
    r"\S+ (without )?metadata\.(labels|annotations)(\.revisions\.krm-fn\.io/.*)?": OWN,
    r"\S+ (label|annotation) revisions\.krm-fn\.io/.*": OWN,
    r"\S+ annotation kapp\.k14s\.io/versioned=": "kapp is none of the deployers here, but would change the name",
    r"Secret/\S+ annotation \S+/sync-wave=-1": "its tracker comes later, and a run in between cannot link it",
    r"ConfigMap/db-\w+ data added as .*": "a tracker is known by being empty",
    r"ServiceAccount/\S+ (without )?automountServiceAccountToken.*": "no pod but the linker's is to get the token",
    r"RoleBinding/\S+ metadata\.name=.*": "the next run finds its objects by their names",
    r"Job/\S+ metadata\.name=.*": "it says what the spec is, so that another one has another name",
    r"Job/\S+ annotation \S+/ssa=IfNotPresent": "it never changes, so once is enough; on all others it does harm",
}
"""What does no harm and is not accepted, also without a configuration."""


def rendered(content: str) -> list[Object]:
    stdout = run(PACKAGE.format(content=content).encode(), CONFIG.encode()).stdout
    return [*yaml.load_all(stdout, yaml.CSafeLoader)]


NOW, NEXT = rendered("1"), rendered("2")
WITHOUT = VerifyOptions(deployers=("argocd", "flux", "kpt"))
NAMES = [f"{one['kind']}/{one['metadata']['name']}" for one in NOW]


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> VerifyOptions:
    file = tmp_path_factory.mktemp("config") / "krm-fn.yaml"
    file.write_text(CONFIG)
    return VerifyOptions(str(file))


def is_found(objects: list[Object], options: VerifyOptions) -> bool:
    """Tell whether verify says anything, be it a warning: where an author may have wanted it."""
    envelope = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": objects}
    outcome = verify("-", json.dumps(envelope).encode(), options)
    return "error: " in outcome.stderr or "warning: " in outcome.stderr


def changes_of(place: int) -> list[Mutation]:
    return [*mutations(NOW[place], is_ours=not NAMES[place].startswith("Deployment/"))]


def unexplained(names: list[str], table: Mapping[str, str]) -> list[str]:
    return [name for name in names if not any(re.fullmatch(pattern, name) for pattern in table)]


def test_the_rendering_does_no_harm(configured: VerifyOptions) -> None:
    assert find_harm(NOW, NOW, NEXT) == []
    assert not is_found(NOW, configured)
    assert not is_found(NOW, WITHOUT)


@pytest.mark.volume
@pytest.mark.parametrize("place", range(len(NOW)), ids=NAMES)
def test_what_does_harm_is_found_and_all_else_accepted(
    place: int, configured: VerifyOptions
) -> None:
    missed: list[str] = []
    refused: list[str] = []
    harmful = 0
    every = changes_of(place)
    tried = every if IS_WHOLE else every[place::10]
    for name, item in tried:
        objects = [*NOW[:place], item, *NOW[place + 1 :]]
        is_harmful = bool(find_harm(NOW, objects, NEXT))
        harmful += is_harmful
        if is_harmful and not is_found(objects, configured):
            missed.append(name)
        elif not is_harmful and is_found(objects, WITHOUT):
            refused.append(name)
    assert unexplained(missed, MISSED) == []
    assert unexplained(refused, REFUSED) == []
    assert 0 < harmful < len(tried)


def test_the_changes_are_many_and_every_row_is_about_one() -> None:
    names = [change.name for place in range(len(NOW)) for change in changes_of(place)]
    assert len(names) == len(set(names)) > 1500
    for pattern in (*MISSED, *REFUSED):
        assert any(re.fullmatch(pattern, name) for name in names), pattern


FORGOTTEN: dict[str, tuple[str, str]] = {
    "data of a revision": ("ConfigMap/web-config", "data.LEVEL='inxo'"),
    "the label of a set": (
        "ConfigMap/web-config",
        "metadata.labels.revisions.krm-fn.io/set='shxp'",
    ),
    "the annotation wanted": (
        "ConfigMap/web-config",
        "without metadata.annotations.revisions.krm-fn.io/wanted",
    ),
    "an entry of the inventory": (
        "ConfigMap/shop-linker",
        "rendered='db-gmdctccc5g,web-config-6kt98dgcf'",
    ),
    "a tracker that is retained": ("ConfigMap/db-", "annotation revisions.krm-fn.io/retain=true"),
    "a tracker before the inventory": (
        "ConfigMap/db-",
        "annotation argocd.argoproj.io/sync-wave=-1",
    ),
    "a right of the linker": ("Role/", "without rules.0.verbs.0"),
    "the account of the linker": ("RoleBinding/", "without subjects.0"),
    "the plan of the Job": ("Job/", "without spec.template.spec.containers.0.args.1"),
    "a command in the CronJob": ("CronJob/", ".command added as ['other']"),
    "another key": ("Deployment/", "secretKeyRef.key='PASSxORD'"),
    "an instruction to Flux": ("Job/", "annotation kustomize.toolkit.fluxcd.io/reconcile=disabled"),
    "an instruction to kpt": ("Job/", "annotation config.kubernetes.io/local-config=true"),
}


@pytest.mark.parametrize("what", FORGOTTEN)
def test_each_run_tries_these(what: str, configured: VerifyOptions) -> None:
    who, how = FORGOTTEN[what]
    (place,) = (number for number, name in enumerate(NAMES) if name.startswith(who))
    objects = [
        [*NOW[:place], item, *NOW[place + 1 :]]
        for name, item in changes_of(place)
        if name.endswith(how)
    ]
    assert objects
    for one in objects:
        assert find_harm(NOW, one, NEXT)
        assert is_found(one, configured)


ACCEPTED = [
    ("CronJob/", "nodeSelector added"),
    ("CronJob/", "metadata.labels"),
    ("ServiceAccount/", "imagePullSecrets added"),
    ("RoleBinding/", "subjects with another entry"),
    ("Role/", "rules with another entry"),
    ("Job/", "annotation argocd.argoproj.io/sync-wave=0"),
    ("ConfigMap/web-config", "annotation example.com/team=a"),
]


@pytest.mark.parametrize(("who", "how"), ACCEPTED)
def test_each_run_accepts_these(who: str, how: str) -> None:
    (place,) = (number for number, name in enumerate(NAMES) if name.startswith(who))
    objects = [
        [*NOW[:place], item, *NOW[place + 1 :]]
        for name, item in changes_of(place)
        if how in name and "revisions.krm-fn.io" not in name
    ]
    harmless = [one for one in objects if not find_harm(NOW, one, NEXT)]
    assert harmless
    for one in harmless:
        assert not is_found(one, WITHOUT)
