"""The policies of examples/linker-policy permit what the linker does, and refuse what a thief of its token tries."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from krm_fn.base.producer import RENAMABLE
from tests.cluster.api import Api, Object, reference
from tests.cluster.control_plane import ControlPlane, new_namespace
from tests.cluster.kinds import KINDS
from tests.cluster.linker_job import ROOT, run_linker
from tests.cluster.manifests import config_map, secret
from tests.cluster.release import SET, owners
from tests.cluster.sealed_secrets import SealedSecrets
from tests.cluster.server import MERGE, ApiError
from tests.cluster.tokens import token_of
from tests.cluster.unlinked_release import UNUSED, UnlinkedRelease, unlinked_release
from tests.wait import until

POLICY = ROOT / "examples" / "linker-policy" / "policy.yaml"
NAMESPACE = "guarded"
EMPTY = "guarded-empty"
"""A namespace with the policies, and without an inventory or a tracker."""

OTHER, LOST, FORMER = "other", "lost", "former"
"""More sets in the namespace. The second has lost its inventory, and the set may take over the third."""

LABEL, COMPONENT = "revisions.krm-fn.io/set", "revisions.krm-fn.io/component"
MARK, RETAIN = "revisions.krm-fn.io/wanted", "revisions.krm-fn.io/retain"
LEAVING = "revisions.krm-fn.io/leaving"
NOBODY = "00000000-0000-0000-0000-000000000000"
BOGUS = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "gone", "uid": NOBODY}


def tracker_like(name: str, uid: str = NOBODY) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid}


@pytest.fixture(scope="module")
def release(cluster: ControlPlane, sealed_secrets: SealedSecrets) -> Iterator[UnlinkedRelease]:
    """Prepare a release with the policies in its namespace only: other tests run in the same cluster."""
    documents = list(yaml.safe_load_all(POLICY.read_text()))
    for document in documents:
        if document["kind"].endswith("Binding"):
            guarded = {
                "key": "kubernetes.io/metadata.name",
                "operator": "In",
                "values": [NAMESPACE, EMPTY],
            }
            document["spec"]["matchResources"] = {
                "namespaceSelector": {"matchExpressions": [guarded]}
            }
    empty = new_namespace(cluster, EMPTY)
    with unlinked_release(cluster, NAMESPACE) as made:
        account = made.pod["spec"]["serviceAccountName"]
        made.api.create(config_map("unrelated"))
        made.api.create(config_map("changeable", labels={LABEL: SET}))
        made.api.create(secret("mutable", labels={LABEL: SET}))
        owners = {"ownerReferences": [reference(made.api.create(config_map("owner")))]}
        for name, marks in (("leaving", {LEAVING: "true"}), ("staying", {})):
            made.api.create(config_map(name, labels={LABEL: SET}, annotations=marks, **owners))
        tracker = {"ownerReferences": [reference(made.api.get("ConfigMap", "leaving"))]}
        made.api.create(
            secret("leaving", labels={LABEL: SET}, annotations={LEAVING: "true"}, **tracker)
        )
        made.api.create(secret("staying", labels={LABEL: SET}, **tracker))
        made.api.apply_all(producer_with_role(sealed_secrets, account))
        made.api.apply_all([*other_sets(account), *namesake()])
        for name in ("plain", "owned", "wanted", "retained"):
            marks = {"wanted": {MARK: "true"}, "retained": {RETAIN: "true"}}.get(name, {})
            left = config_map(f"{FORMER}-{name}", labels={LABEL: FORMER}, annotations=marks)
            made.api.create(left)
        made.api.apply_all(right_to_take_over(account))
        cluster.api.apply_all(documents)
        linker = thief(made)
        for what, who, *patch in (
            ("the policy for ConfigMaps is enforced", linker, "ConfigMap", "unrelated"),
            ("the policy for Secrets is enforced", linker, "Secret", secret_of(made)),
            ("the policy for makers is enforced", linker, "SealedSecret", "maker"),
            ("the policy with inventories is enforced", linker, *own(f"{SET}-linker")),
            ("the policy with trackers is enforced", linker, *own("maker", "SealedSecret")),
            # Without its Role, a linker would be refused by no policy.
            ("the linker may patch all Secrets", linker, "Secret", f"{OTHER}-secret"),
            ("the lost set has rights", thief(made, of=LOST), "ConfigMap", f"{LOST}-plain"),
            ("the namesake has rights", namesakes(made), "ConfigMap", "changeable"),
        ):
            until(what, lambda who=who, patch=patch: is_refused(who, *patch))  # type: ignore[misc]
        yield made
        for document in documents:
            cluster.api.delete(document["kind"], document["metadata"]["name"])
        cluster.api.delete("Namespace", empty.namespace)


def producer_with_role(sealed_secrets: SealedSecrets, account: str) -> list[Object]:
    """Build what makes a Secret, its tracker, and the right that the linker's Role would have on it."""
    producer = sealed_secrets.seal(secret("maker"), NAMESPACE)
    producer["metadata"]["labels"] = {LABEL: SET}
    return [
        producer,
        config_map(
            "made-by-maker",
            labels={LABEL: SET, COMPONENT: "secret-tracker"},
            annotations={"revisions.krm-fn.io/made-by": "SealedSecret/maker", MARK: "true"},
        ),
        *role("maker", account, {"apiGroups": ["bitnami.com"], "resources": ["sealedsecrets"]}),
    ]


def other_sets(account: str) -> list[Object]:
    """Build a set with an inventory and a set without one, with ServiceAccounts that have the rights of a linker."""
    objects = [config_map(f"{OTHER}-linker", labels={LABEL: OTHER, COMPONENT: "linker"})]
    for name in (OTHER, LOST):
        labels = {LABEL: name}
        objects += [
            {"kind": "ServiceAccount", "metadata": {"name": f"{name}-linker"}},
            *role(
                f"{name}-linker",
                f"{name}-linker",
                {"apiGroups": [""], "resources": ["configmaps", "secrets"]},
            ),
            config_map(f"{name}-retained", labels=labels, annotations={RETAIN: "true"}),
            config_map(f"{name}-wanted", labels=labels, annotations={MARK: "true"}),
            config_map(f"{name}-plain", labels=labels),
            secret(f"{name}-secret", labels=labels),
        ]
    return [*objects, *role("all-secrets", account, {"apiGroups": [""], "resources": ["secrets"]})]


def namesake() -> list[Object]:
    """Build a ServiceAccount of the linker's name in another namespace, with its rights in this one."""
    account = {"kind": "ServiceAccount", "metadata": {"name": f"{SET}-linker", "namespace": EMPTY}}
    return [
        account,
        *role("namesake", f"{SET}-linker", {"apiGroups": [""], "resources": ["configmaps"]}, EMPTY),
    ]


def right_to_take_over(account: str) -> list[Object]:
    made, binding = role("takeover", account, {})
    rule = {"apiGroups": ["revisions.krm-fn.io"], "resources": ["sets"]}
    made["rules"] = [{**rule, "resourceNames": [FORMER], "verbs": ["takeover"]}]
    return [made, binding]


def role(name: str, account: str, rule: Object, namespace: str = NAMESPACE) -> list[Object]:
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    subject = {"kind": "ServiceAccount", "name": account, "namespace": namespace}
    return [
        {
            "kind": "Role",
            "metadata": {"name": name},
            "rules": [{**rule, "verbs": ["get", "patch", "delete"]}],
        },
        {
            "kind": "RoleBinding",
            "metadata": {"name": name},
            "roleRef": reference,
            "subjects": [subject],
        },
    ]


def own(owner: str, kind: str = "ConfigMap") -> tuple[str, str, Object]:
    """Return a patch that only a policy with a parameter refuses: an owner of the right name with a wrong uid."""
    name = "changeable" if kind == "ConfigMap" else "maker"
    return kind, name, {"metadata": {"ownerReferences": [tracker_like(owner)]}}


def is_refused(linker: Api, kind: str, name: str, body: Object | None = None) -> bool:
    """Try a patch without doing it, and tell whether a policy refuses it."""
    path = KINDS[kind].path(NAMESPACE, name)
    patch = body or {"metadata": {"labels": {"a": "b"}}}
    try:
        linker.call("PATCH", path, patch, query={"dryRun": "All"}, content_type=MERGE)
    except ApiError as error:
        return "ValidatingAdmissionPolicy" in str(error)
    return False


def thief(release: UnlinkedRelease, of: str = SET) -> Api:
    """Return a client with the token of a set's linker."""
    return release.api.as_token(token_of(release.api, f"{of}-linker"))


def namesakes(release: UnlinkedRelease) -> Api:
    """Return a client with the token of the linker of a set of this name in another namespace."""
    return release.api.as_token(token_of(release.api.within(EMPTY), f"{SET}-linker"))


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
    pytest.param(
        "ConfigMap",
        "unrelated",
        {"data": {"name": "other"}},
        "its own set",
        id="rewrite another ConfigMap",
    ),
    pytest.param(
        "ConfigMap",
        "unrelated",
        {"metadata": {"ownerReferences": [BOGUS]}},
        "its own set",
        id="own it",
    ),
    pytest.param(
        "ConfigMap",
        "changeable",
        {"data": {"name": "other"}},
        "only changes owners",
        id="rewrite a revision",
    ),
    pytest.param(
        "ConfigMap",
        "changeable",
        {"metadata": {"labels": {"a": "b"}}},
        "only changes owners",
        id="label it",
    ),
    pytest.param(
        "ConfigMap",
        "changeable",
        {"metadata": {"annotations": {"revisions.krm-fn.io/retain": "true"}}},
        "own annotations",
        id="annotate it",
    ),
    pytest.param(
        "ConfigMap",
        "changeable",
        {"metadata": {"ownerReferences": [BOGUS]}},
        r"the (live )?inventory must",
        id="a bogus owner",
    ),
    pytest.param(
        *own(f"{SET}-linker"), "the live inventory must", id="another uid than the inventory's"
    ),
    pytest.param(
        "ConfigMap",
        "changeable",
        {"metadata": {"ownerReferences": [tracker_like("gone", "INVENTORY")]}},
        r"the (live )?inventory must",
        id="the inventory's uid with another name",
    ),
    pytest.param(
        "ConfigMap",
        "changeable",
        {
            "metadata": {
                "ownerReferences": [
                    tracker_like(f"{SET}-linker"),
                    tracker_like("gone", "INVENTORY"),
                ]
            }
        },
        "the live inventory must",
        id="its name and its uid in two owners",
    ),
    *(
        pytest.param(
            kind,
            name,
            {"metadata": {"ownerReferences": owners, "annotations": annotations}},
            message,
            id=what,
        )
        for kind, name, owners, annotations, message, what in (
            # Two policies refuse some: which of them the API server names is chance.
            ("ConfigMap", "staying", [], {}, "no owner away|inventory must", "take its owners off"),
            ("ConfigMap", "leaving", [BOGUS], {}, "inventory must", "put another in their place"),
            (
                "ConfigMap",
                "staying",
                [],
                {LEAVING: "true"},
                "own annotations|inventory must",
                "mark it before",
            ),
            ("Secret", "staying", [], {}, "adds only the tracker", "take the tracker off a Secret"),
            ("Secret", "leaving", [BOGUS], {}, "adds only the tracker", "put another in its place"),
        )
    ),
    pytest.param(
        "ConfigMap",
        f"{SET}-linker",
        {"data": {"a": "b"}},
        "its own set",
        id="rewrite the inventory",
    ),
    pytest.param(
        "Secret",
        "SECRET",
        {"metadata": {"annotations": {"a": "b"}}},
        "owners of Secrets",
        id="annotate a Secret",
    ),
    pytest.param(
        "Secret",
        "SECRET",
        {"metadata": {"ownerReferences": [BOGUS]}},
        r"the (live )?tracker",
        id="own a Secret",
    ),
    pytest.param(
        "Secret",
        "SECRET",
        {"metadata": {"ownerReferences": [tracker_like("SECRET")]}},
        "the live tracker must",
        id="another uid than the tracker's",
    ),
    pytest.param(
        "Secret", "mutable", {"stringData": {"a": "b"}}, "owners of Secrets", id="add to a Secret"
    ),
    pytest.param(
        "Secret",
        "SECRET",
        {"metadata": {"finalizers": ["a/b"]}},
        "owners of Secrets",
        id="hold a Secret",
    ),
    pytest.param(
        "Secret",
        f"{OTHER}-secret",
        {"metadata": {"ownerReferences": []}},
        "its own set",
        id="of another set",
    ),
    pytest.param(
        "SealedSecret",
        "maker",
        {"spec": {"encryptedData": {"a": "Bg"}}},
        "owners of what makes",
        id="change a maker",
    ),
    pytest.param(
        "SealedSecret",
        "maker",
        {"metadata": {"annotations": {"a": "b"}}},
        "owners of what makes",
        id="annotate it",
    ),
    pytest.param(
        "SealedSecret",
        "maker",
        {"metadata": {"ownerReferences": [BOGUS]}},
        "only trackers|the live tracker",
        id="own a maker",
    ),
    pytest.param(
        *own("made-by-maker", "SealedSecret"),
        "the live tracker must",
        id="another uid than its tracker's",
    ),
    pytest.param(
        *own("gone", "SealedSecret"), "the live tracker must", id="a tracker that does not exist"
    ),
    *(
        pytest.param(
            "ConfigMap",
            f"{OTHER}-{name}",
            {"metadata": {"annotations": {MARK: "changed"}}},
            "its own set" if name == "linker" else "its own annotations",
            id=name,
        )
        for name in ("retained", "wanted", "linker")
    ),
    pytest.param(
        "ConfigMap",
        f"{OTHER}-plain",
        {"metadata": {"ownerReferences": [BOGUS]}},
        r"the (live )?inventory must",
        id="own a revision of another set",
    ),
]


@pytest.mark.parametrize(("kind", "name", "body", "message"), REFUSED)
def test_a_thief_may_not_patch(
    release: UnlinkedRelease, kind: str, name: str, body: Any, message: str
) -> None:
    real = {"SECRET": secret_of(release), "INVENTORY": inventory(release)["uid"]}
    text = re.sub("SECRET|INVENTORY", lambda found: real[found[0]], json.dumps(body))
    with pytest.raises(
        ApiError, match=f"ValidatingAdmissionPolicy .* denied request: .*({message})"
    ):
        thief(release).patch(kind, name.replace("SECRET", secret_of(release)), json.loads(text))


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("ConfigMap", "unrelated"),
        ("ConfigMap", "CURRENT"),
        ("ConfigMap", f"{SET}-linker"),
        ("ConfigMap", f"{OTHER}-linker"),
        ("ConfigMap", f"{OTHER}-retained"),
        ("ConfigMap", f"{OTHER}-wanted"),
        ("ConfigMap", f"{OTHER}-plain"),
        ("SealedSecret", "maker"),
        ("Secret", "SECRET"),
        ("Secret", f"{OTHER}-secret"),
    ],
)
def test_a_thief_may_not_delete(release: UnlinkedRelease, kind: str, name: str) -> None:
    real = name.replace("CURRENT", current(release)).replace("SECRET", secret_of(release))
    with pytest.raises(ApiError, match=r"ValidatingAdmissionPolicy .* denied request: the linker "):
        thief(release).delete(kind, real)


def test_a_rendered_revision_that_is_not_wanted_any_more_may_not_be_deleted(
    release: UnlinkedRelease,
) -> None:
    """Not by the token that has taken the mark away itself."""
    linker, name = thief(release), current(release)
    linker.patch("ConfigMap", name, {"metadata": {"annotations": {MARK: None}}})
    patch_owners(release, "ConfigMap", name, inventory(release))
    with pytest.raises(ApiError, match="deletes no revision that is rendered"):
        linker.delete("ConfigMap", name)
    linker.patch("ConfigMap", name, {"metadata": {"annotations": {MARK: "true"}}})


def test_a_thief_of_a_namesakes_token_may_not_write(release: UnlinkedRelease) -> None:
    with pytest.raises(ApiError, match="its own set and namespace"):
        namesakes(release).patch(
            "ConfigMap", "changeable", {"metadata": {"annotations": {MARK: "true"}}}
        )


@pytest.mark.parametrize("name", ["retained", "wanted"])
def test_another_sets_inventory_permits_nothing(release: UnlinkedRelease, name: str) -> None:
    """The inventory of the set is gone: that of another set is the only one that the API server could look at."""
    linker = thief(release, of=LOST)
    with pytest.raises(ApiError, match="the linker deletes no revision that is retained or wanted"):
        linker.delete("ConfigMap", f"{LOST}-{name}")
    with pytest.raises(
        ApiError, match=r"the inventory must be one of the owners|no owner to what is retained"
    ):
        linker.patch("ConfigMap", f"{LOST}-{name}", {"metadata": {"ownerReferences": [BOGUS]}})


def test_what_is_retained_stays_without_an_inventory(release: UnlinkedRelease) -> None:
    linker, name = thief(release, of=LOST), f"{LOST}-retained"
    with pytest.raises(ApiError, match="own annotations"):
        linker.patch("ConfigMap", name, {"metadata": {"annotations": {RETAIN: None}}})
    with pytest.raises(ApiError, match="no owner to what is retained"):
        linker.patch(
            "ConfigMap", name, {"metadata": {"ownerReferences": [tracker_like(f"{LOST}-linker")]}}
        )


def test_what_remains_while_a_set_has_no_inventory(release: UnlinkedRelease) -> None:
    """Which README.md says: an admission policy cannot ask for an object that is not there."""
    linker = thief(release, of=LOST)
    wrong = {"metadata": {"ownerReferences": [tracker_like(f"{LOST}-linker")]}}
    linker.patch("ConfigMap", f"{LOST}-plain", wrong)
    release.api.gone("ConfigMap", f"{LOST}-plain")
    linker.patch("ConfigMap", f"{LOST}-wanted", {"metadata": {"annotations": {MARK: None}}})
    linker.delete("ConfigMap", f"{LOST}-wanted")
    release.api.gone("ConfigMap", f"{LOST}-wanted")


def test_everybody_else_may_write_where_there_is_no_inventory(release: UnlinkedRelease) -> None:
    """Before a set is there for the first time, nobody could apply its inventory otherwise."""
    there = release.api.within(EMPTY)
    there.create(config_map("first"))
    there.patch("ConfigMap", "first", {"data": {"a": "b"}})
    there.delete("ConfigMap", "first")
    there.create(secret("first"))
    there.patch("Secret", "first", {"metadata": {"labels": {"a": "b"}}})


def test_the_policy_is_for_all_that_is_named_by_its_spec() -> None:
    policies = {
        one["metadata"]["name"]: one["spec"]
        for one in yaml.safe_load_all(POLICY.read_text())
        if "matchConstraints" in one["spec"]
    }
    (rule,) = policies["krm-fn-linker-makers"]["matchConstraints"]["resourceRules"]
    _, with_tracker = policies["krm-fn-linker-trackers"]["matchConstraints"]["resourceRules"]
    groups = sorted({one.group for one in RENAMABLE.values() if not one.never})
    assert (rule["apiGroups"], with_tracker["apiGroups"]) == (groups, groups)


def test_a_tracker_may_own_a_producer(release: UnlinkedRelease) -> None:
    patch_owners(
        release, "SealedSecret", "maker", reference(release.api.get("ConfigMap", "made-by-maker"))
    )
    assert owners(release.api.get("SealedSecret", "maker")) == {"ConfigMap/made-by-maker"}
    with pytest.raises(ApiError, match=r"only trackers|the live tracker"):
        thief(release).patch("SealedSecret", "maker", {"metadata": {"ownerReferences": []}})


def test_a_bogus_owner_beside_the_inventory_deletes_nothing(release: UnlinkedRelease) -> None:
    patch_owners(release, "ConfigMap", "changeable", inventory(release), BOGUS)
    release.api.wait(
        "ConfigMap",
        "changeable",
        "has lost the bogus owner",
        lambda one: owners(one) == {f"ConfigMap/{SET}-linker"},
    )
    with pytest.raises(ApiError, match=r"takes no owner away|the live inventory must"):
        thief(release).patch("ConfigMap", "changeable", {"metadata": {"ownerReferences": []}})


def test_a_revision_of_another_set_may_only_get_owners(release: UnlinkedRelease) -> None:
    """Two packages may render one object."""
    linker, name = thief(release), f"{OTHER}-plain"
    lender = reference(release.api.get("ConfigMap", f"{OTHER}-linker"))
    owned = {"metadata": {"ownerReferences": [lender, inventory(release)]}}
    linker.patch("ConfigMap", name, owned)
    both = {f"ConfigMap/{OTHER}-linker", f"ConfigMap/{SET}-linker"}
    assert owners(release.api.get("ConfigMap", name)) == both
    less = {"metadata": {"ownerReferences": [lender]}}
    with pytest.raises(ApiError, match="takes no owner away"):
        linker.patch("ConfigMap", name, less)


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_in_the_last_release_owners_may_go(release: UnlinkedRelease, kind: str) -> None:
    patched = thief(release).patch(kind, "leaving", {"metadata": {"ownerReferences": []}})
    assert "ownerReferences" not in patched["metadata"]


def test_what_a_former_set_has_left_may_be_owned_and_deleted(release: UnlinkedRelease) -> None:
    linker, name = thief(release), f"{FORMER}-owned"
    patch_owners(release, "ConfigMap", name, inventory(release))
    assert owners(release.api.get("ConfigMap", name)) == {f"ConfigMap/{SET}-linker"}
    linker.delete("ConfigMap", name)
    release.api.gone("ConfigMap", name)
    for name, body, message in (
        (f"{FORMER}-plain", {"metadata": {"ownerReferences": [BOGUS]}}, "inventory must"),
        (f"{FORMER}-plain", {"data": {"a": "b"}}, "only changes owners"),
        (f"{LOST}-retained", {"metadata": {"annotations": {MARK: "true"}}}, "its own annotations"),
    ):
        with pytest.raises(ApiError, match=message):
            linker.patch("ConfigMap", name, body)
    for name in ("wanted", "retained"):
        with pytest.raises(ApiError, match="retained or wanted"):
            linker.delete("ConfigMap", f"{FORMER}-{name}")


def test_the_kinds_that_a_run_has_seen_may_be_noted(release: UnlinkedRelease) -> None:
    kinds = {"revisions.krm-fn.io/seen-kinds": "example.com/v1/Widget"}
    thief(release).patch("ConfigMap", "changeable", {"metadata": {"annotations": kinds}})


def test_the_linker_may_do_its_work(release: UnlinkedRelease) -> None:
    linker = thief(release)
    linker.patch("ConfigMap", UNUSED, {"metadata": {"annotations": {MARK: "true"}}})
    with pytest.raises(ApiError, match="retained or wanted"):
        linker.delete("ConfigMap", UNUSED)
    linker.patch("ConfigMap", UNUSED, {"metadata": {"annotations": {MARK: None}}})
    run = run_linker(release.api, SET)
    assert (run.exit_code, run.stderr) == (0, "")
    release.api.gone("ConfigMap", UNUSED)
    revision = release.api.get("ConfigMap", current(release))
    assert {f"ConfigMap/{SET}-linker", "Deployment/web"} < owners(revision)
    secret = secret_of(release)
    assert owners(release.api.get("Secret", secret)) == {f"ConfigMap/{secret}"}
