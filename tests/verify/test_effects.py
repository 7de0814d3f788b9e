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
from krm_fn.tools.verify.verify import VerifyOptions
from tests.verify.effects import find_harm
from tests.verify.judge import verify
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
    r"Deployment/web \S+=('other'|True|1)": "as above: a value of another type",
}
"""What does harm and is not found."""

OWN = "only the function writes these marks"
REFUSED = {
    r"\S+ (without )?metadata\.(labels|annotations)(\.revisions\.krm-fn\.io/.*)?": OWN,
    r"\S+ (label|annotation) revisions\.krm-fn\.io/.*": OWN,
    r"\S+ annotation kapp\.k14s\.io/versioned=": "kapp is none of the deployers here, but would change the name",
    r"Secret/\S+ annotation \S+/sync-wave=-1": "its tracker comes later, and a run in between cannot link it",
    r"ConfigMap/(db-\w+|shop-linker) (data|binaryData|immutable) added as .*": "a ConfigMap without content of its own",
    r"CronJob/\S+ (without )?spec\.jobTemplate\..*": "it is as the Job, whose name says its spec",
    r"ServiceAccount/\S+ (without )?automountServiceAccountToken.*": "no pod but the linker's is to get the token",
    r"RoleBinding/\S+ metadata\.name=.*": "the next run finds its objects by their names",
    r"Job/\S+ metadata\.name=.*": "it says what the spec is, so that another one has another name",
    r"Job/\S+ annotation \S+/sync-options=Force=true,Replace=true": "it runs on each sync; on others it does harm",
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


@pytest.mark.rows(test=1)
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


UNSEEN = {
    r"\S+ metadata\.(generateName|deletionGracePeriodSeconds) added as .*": "the API server passes over it",
    r"\S+ (metadata\.annotations added as|label|annotation) .*": "a deployer's or an author's: harm is judged above",
    r"\S+ (without )?metadata\.labels\.app\.kubernetes\.io/managed-by.*": "it tells people something, and no program",
    r"(ConfigMap|Secret)/\S+ immutable=False": "an author may have written it, and the function leaves it",
    r"ServiceAccount/\S+ (imagePullSecrets|secrets) added as .*": "how images are pulled is the author's decision",
    r"Role/\S+ rules.* with another entry": "a right more",
    r"RoleBinding/\S+ subjects with .*": "another account with these rights",
}
"""Changes of what the function emits that verify does not see with the configuration, and why that may be."""


@pytest.mark.rows(test=2)
@pytest.mark.parametrize("place", range(len(NOW)), ids=NAMES)
def test_no_field_of_what_the_function_emits_changes_unseen(
    place: int, configured: VerifyOptions
) -> None:
    if NAMES[place].startswith("Deployment/"):
        return
    every = changes_of(place)
    tried = every if IS_WHOLE else every[place::10]
    unseen = [
        name
        for name, item in tried
        if not is_found([*NOW[:place], item, *NOW[place + 1 :]], configured)
    ]
    assert unexplained(unseen, UNSEEN) == []


OF_CRON_JOB = {
    "suspend added as True": "nothing runs",
    "parallelism added as 0": "no pod starts",
    "managedBy added as 'other'": "another controller is waited for",
    "timeZone added as 'other'": "no such time zone",
    "schedulerName added as 'other'": "nothing schedules the pod",
    "schedulingGates added as [{'name': 'other'}]": "the pod waits",
    "nodeName added as 'other'": "no such node",
    "affinity added as {}": "where pods run",
    "initContainers added as [{'name': 'other'}]": "it may fail",
    "containers.0.env added as [{'name': 'other'}]": "it may hide the API server",
    "dnsPolicy added as 'other'": "no name of the API server",
    "securityContext.runAsUser added as 0": "root, and the pod refuses it",
    "hostAliases added as [{'ip': 'other'}]": "another API server",
    "volumes with one entry twice": "refused",
    ".image='registry.example/krm-fn:0.2.'": "another program",
}


@pytest.mark.rows(test=3)
@pytest.mark.parametrize("what", OF_CRON_JOB)
@pytest.mark.parametrize("is_configured", [True, False])
def test_the_cron_job_is_compared_as_the_job_is(
    what: str, configured: VerifyOptions, *, is_configured: bool
) -> None:
    (place,) = (number for number, name in enumerate(NAMES) if name.startswith("CronJob/"))
    found = [item for name, item in changes_of(place) if name.endswith(what)]
    assert found
    if not is_configured and what.startswith(("suspend", "timeZone")):
        return  # only the configuration says when it runs
    for item in found:
        objects = [*NOW[:place], item, *NOW[place + 1 :]]
        assert is_found(objects, configured if is_configured else WITHOUT)


def test_the_changes_are_many_and_every_row_is_about_one() -> None:
    names = [change.name for place in range(len(NOW)) for change in changes_of(place)]
    assert len(names) == len(set(names)) > 1500
    for pattern in (*MISSED, *REFUSED, *UNSEEN):
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
    "a revision with an owner that is not there": (
        "ConfigMap/web-config",
        "metadata.ownerReferences added as [{'apiVersion': 'other', 'kind': 'other', 'name': 'other', 'uid': 'other'}]",
    ),
    "a Job with an owner that is not there": (
        "Job/",
        "metadata.ownerReferences added as [{'apiVersion': 'other', 'kind': 'other', 'name': 'other', 'uid': 'other'}]",
    ),
    "a Secret that stays for ever": ("Secret/", "metadata.finalizers added as ['other']"),
    "immutable as text": ("ConfigMap/web-config", "immutable='true'"),
    "an inventory that no release can change": ("ConfigMap/shop-linker", "immutable added as True"),
    "two volumes of one name": ("Deployment/", "volumes with one entry twice"),
    "a Secret with the name of a ConfigMap": ("Deployment/", "volumes.0.configMap as secret"),
    "an instruction to Flux": ("Job/", "annotation kustomize.toolkit.fluxcd.io/reconcile=disabled"),
    "an instruction to kpt": ("Job/", "annotation config.kubernetes.io/local-config=true"),
}


@pytest.mark.rows(test=4)
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
    ("CronJob/", "spec.timeZone added"),
    ("CronJob/", "linker label app.kubernetes.io"),
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
