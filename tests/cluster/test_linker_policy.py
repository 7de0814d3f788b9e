"""The policies of examples/linker-policy permit what the linker does, and refuse what a thief of its token tries."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from krm_fn.model.makers import VERSIONED
from tests.cluster.api import Api, Object, reference
from tests.cluster.control_plane import ControlPlane
from tests.cluster.linker_job import ROOT, run_linker
from tests.cluster.manifests import config_map, secret
from tests.cluster.release import SET, owners
from tests.cluster.sealed_secrets import SealedSecrets
from tests.cluster.server import ApiError
from tests.cluster.unlinked_release import UNUSED, UnlinkedRelease, unlinked_release
from tests.cluster.wait import until

POLICY = ROOT / "examples" / "linker-policy" / "policy.yaml"
NAMESPACE = "guarded"
LABELS = {"revisions.krm-fn.io/set": SET}
MARK = "revisions.krm-fn.io/wanted"
BOGUS = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "gone", "uid": "00000000-0000-0000-0000-000000000000"}


@pytest.fixture(scope="module")
def release(cluster: ControlPlane, sealed_secrets: SealedSecrets) -> Iterator[UnlinkedRelease]:
    """Prepare a release with the policies in its namespace only: other tests run in the same cluster."""
    documents = list(yaml.safe_load_all(POLICY.read_text()))
    for document in documents:
        if document["kind"].endswith("Binding"):
            selector = {"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}}
            document["spec"]["matchResources"] = {"namespaceSelector": selector}
    with unlinked_release(cluster, NAMESPACE) as made:
        made.api.create(config_map("unrelated"))
        made.api.create({**config_map("changeable"), "metadata": {"name": "changeable", "labels": LABELS}})
        made.api.apply_all(maker_with_role(sealed_secrets, made.pod["spec"]["serviceAccountName"]))
        cluster.api.apply_all(documents)
        until("the policy for ConfigMaps is enforced", lambda: is_refused(made, "ConfigMap", "unrelated"), within=90)
        until("the policy for Secrets is enforced", lambda: is_refused(made, "Secret", secret_of(made)), within=90)
        until("the policy for makers is enforced", lambda: is_refused(made, "SealedSecret", "maker"), within=90)
        yield made
        for document in documents:
            cluster.api.delete(document["kind"], document["metadata"]["name"])


def maker_with_role(sealed_secrets: SealedSecrets, account: str) -> list[Object]:
    """Build what makes a Secret, and the right that the linker's Role would have on it."""
    rule = {"apiGroups": ["bitnami.com"], "resources": ["sealedsecrets"], "resourceNames": ["maker"]}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "maker"}
    return [
        sealed_secrets.seal(secret("maker"), NAMESPACE),
        {"kind": "Role", "metadata": {"name": "maker"}, "rules": [{**rule, "verbs": ["get", "patch", "delete"]}]},
        {
            "kind": "RoleBinding",
            "metadata": {"name": "maker"},
            "roleRef": role,
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": NAMESPACE}],
        },
    ]


def is_refused(release: UnlinkedRelease, kind: str, name: str) -> bool:
    try:
        thief(release).patch(kind, name, {"metadata": {"labels": {"a": "b"}}})
    except ApiError as error:
        return "ValidatingAdmissionPolicy" in str(error)
    return False


def thief(release: UnlinkedRelease) -> Api:
    return release.api.as_token(release.token())


def secret_of(release: UnlinkedRelease) -> str:
    return planned(release, "Secret")


def current(release: UnlinkedRelease) -> str:
    return planned(release, "ConfigMap")


def planned(release: UnlinkedRelease, kind: str) -> str:
    """Return the revision of this kind that the Job's plan names."""
    words = re.split("[,=]", " ".join(release.arguments).replace(" ", ","))
    (name,) = {word.partition("/")[2] for word in words if word.startswith(f"{kind}/")}
    return name


def inventory(release: UnlinkedRelease) -> Object:
    return reference(release.api.get("ConfigMap", f"{SET}-linker"))


def patch_owners(release: UnlinkedRelease, kind: str, name: str, *added: Object) -> None:
    present = release.api.get(kind, name)["metadata"].get("ownerReferences", [])
    thief(release).patch(kind, name, {"metadata": {"ownerReferences": [*present, *added]}})


REFUSED: list[Any] = [
    pytest.param("ConfigMap", "unrelated", {"data": {"name": "other"}}, "its own set", id="rewrite another ConfigMap"),
    pytest.param("ConfigMap", "unrelated", {"metadata": {"ownerReferences": [BOGUS]}}, "its own set", id="own it"),
    pytest.param(
        "ConfigMap", "changeable", {"data": {"name": "other"}}, "only changes owners", id="rewrite a revision"
    ),
    pytest.param("ConfigMap", "changeable", {"metadata": {"labels": {"a": "b"}}}, "only changes owners", id="label it"),
    pytest.param(
        "ConfigMap",
        "changeable",
        {"metadata": {"annotations": {"revisions.krm-fn.io/retain": "true"}}},
        "own annotations",
        id="annotate it",
    ),
    pytest.param(
        "ConfigMap", "changeable", {"metadata": {"ownerReferences": [BOGUS]}}, "the inventory must", id="a bogus owner"
    ),
    pytest.param("ConfigMap", f"{SET}-linker", {"data": {"a": "b"}}, "its own set", id="rewrite the inventory"),
    pytest.param(
        "Secret", "SECRET", {"metadata": {"annotations": {"a": "b"}}}, "owners of Secrets", id="annotate a Secret"
    ),
    pytest.param("Secret", "SECRET", {"metadata": {"ownerReferences": [BOGUS]}}, "the tracker", id="own a Secret"),
    pytest.param(
        "SealedSecret", "maker", {"spec": {"encryptedData": {"a": "Bg"}}}, "owners of what makes", id="change a maker"
    ),
    pytest.param(
        "SealedSecret", "maker", {"metadata": {"annotations": {"a": "b"}}}, "owners of what makes", id="annotate it"
    ),
    pytest.param(
        "SealedSecret", "maker", {"metadata": {"ownerReferences": [BOGUS]}}, "only trackers", id="own a maker"
    ),
]


@pytest.mark.parametrize(("kind", "name", "body", "message"), REFUSED)
def test_a_thief_may_not_patch(release: UnlinkedRelease, kind: str, name: str, body: Any, message: str) -> None:
    with pytest.raises(ApiError, match=f"ValidatingAdmissionPolicy .* denied request: .*{message}"):
        thief(release).patch(kind, name.replace("SECRET", secret_of(release)), body)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("ConfigMap", "unrelated"), ("ConfigMap", "CURRENT"), ("ConfigMap", f"{SET}-linker"), ("SealedSecret", "maker")],
)
def test_a_thief_may_not_delete(release: UnlinkedRelease, kind: str, name: str) -> None:
    with pytest.raises(ApiError, match=r"ValidatingAdmissionPolicy .* denied request: the linker "):
        thief(release).delete(kind, name.replace("CURRENT", current(release)))


def test_the_policy_is_for_all_that_is_named_by_its_spec() -> None:
    policies = {
        one["metadata"]["name"]: one["spec"]
        for one in yaml.safe_load_all(POLICY.read_text())
        if "matchConstraints" in one["spec"]
    }
    (rule,) = policies["krm-fn-linker-makers"]["matchConstraints"]["resourceRules"]
    assert rule["apiGroups"] == sorted({one.group for one in VERSIONED if not one.never})


def test_a_tracker_may_own_a_maker(release: UnlinkedRelease) -> None:
    patch_owners(release, "SealedSecret", "maker", reference(release.api.get("ConfigMap", secret_of(release))))
    assert owners(release.api.get("SealedSecret", "maker")) == {f"ConfigMap/{secret_of(release)}"}
    with pytest.raises(ApiError, match="only trackers"):
        thief(release).patch("SealedSecret", "maker", {"metadata": {"ownerReferences": []}})


def test_a_bogus_owner_beside_the_inventory_deletes_nothing(release: UnlinkedRelease) -> None:
    patch_owners(release, "ConfigMap", "changeable", inventory(release), BOGUS)
    release.api.wait(
        "ConfigMap", "changeable", "has lost the bogus owner", lambda one: owners(one) == {f"ConfigMap/{SET}-linker"}
    )
    with pytest.raises(ApiError, match="takes no owner away"):
        thief(release).patch("ConfigMap", "changeable", {"metadata": {"ownerReferences": []}})


def test_the_linker_may_do_its_work(release: UnlinkedRelease) -> None:
    linker = thief(release)
    linker.patch("ConfigMap", UNUSED, {"metadata": {"annotations": {MARK: "true"}}})
    with pytest.raises(ApiError, match="rendered, retained or wanted"):
        linker.delete("ConfigMap", UNUSED)
    linker.patch("ConfigMap", UNUSED, {"metadata": {"annotations": {MARK: None}}})
    linker.delete("ConfigMap", UNUSED)
    release.api.gone("ConfigMap", UNUSED)
    run = run_linker(release.api, SET)
    assert (run.exit_code, run.stderr) == (0, "")
    revision = release.api.get("ConfigMap", current(release))
    assert {f"ConfigMap/{SET}-linker", "Deployment/web"} < owners(revision)
    secret = secret_of(release)
    assert owners(release.api.get("Secret", secret)) == {f"ConfigMap/{secret}"}
