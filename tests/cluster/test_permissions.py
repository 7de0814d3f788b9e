"""The emitted Role has every right that the linker needs, and no other."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from krm_fn.base.kind import CONSUMER_KINDS
from tests.cluster.api import Api, Object
from tests.cluster.deployers import ArgoLike
from tests.cluster.fault_proxy import Answer, Call, PassOn
from tests.cluster.linker_harness import LinkerHarness
from tests.cluster.linker_job import run_linker
from tests.cluster.manifests import config_map, secret
from tests.cluster.release import SET, Release
from tests.cluster.server import METADATA_ONLY, ApiError
from tests.cluster.tokens import may
from tests.cluster.unlinked_release import UNUSED, shop
from tests.wait import until

HARNESS_NAMESPACE = "rights"
HERE = f"/api/v1/namespaces/{HARNESS_NAMESPACE}"
ACCOUNT = f"{SET}-linker"


@pytest.fixture
def planned(harness: LinkerHarness) -> str:
    """Return the Secret of the current rendering."""
    (name,) = {
        word
        for one in harness.release.arguments
        for word in one.replace(",", "/").split("/")
        if "web-secret" in word
    }
    return name


# Without one of its rights


@pytest.fixture
def without(
    harness: LinkerHarness, group: str, resource: str, verb: str
) -> Iterator[LinkerHarness]:
    """Remove one right from the Role for the test."""
    api = harness.release.api
    role = api.get("Role", ACCOUNT)
    patch_rules(
        api, [less for rule in role["rules"] for less in take_away(rule, group, resource, verb)]
    )
    until(
        "the right is removed",
        lambda: is_permitted(harness, group, resource, verb),
        lambda allowed: not allowed,
    )
    yield harness
    patch_rules(api, role["rules"])
    until("the right is back", lambda: is_permitted(harness, group, resource, verb))


def patch_rules(api: Api, rules: list[Object]) -> None:
    api.patch("Role", ACCOUNT, {"rules": rules})


def take_away(rule: Object, group: str, resource: str, verb: str) -> Iterator[Object]:
    """Split a rule into the same rights without this one."""
    if (
        rule["apiGroups"] != [group]
        or resource not in rule["resources"]
        or verb not in rule["verbs"]
    ):
        yield rule
        return
    for resources, verbs in (
        ([resource], {*rule["verbs"]} - {verb}),
        ({*rule["resources"]} - {resource}, rule["verbs"]),
    ):
        if resources and verbs:
            yield {**rule, "resources": sorted(resources), "verbs": sorted(verbs)}


def is_permitted(harness: LinkerHarness, group: str, resource: str, verb: str) -> bool:
    api = harness.release.api
    names = [
        name for rule in api.get("Role", ACCOUNT)["rules"] for name in rule.get("resourceNames", [])
    ]
    name = names[0] if resource == "secrets" and names else ""
    return may(api, ACCOUNT, verb, resource, group=group, name=name)


LISTS = [
    pytest.param(kind.group, kind.plural, "list", id=f"list {kind.plural}")
    for kind in CONSUMER_KINDS
]


@pytest.mark.parametrize(
    ("group", "resource", "verb"),
    [*LISTS, pytest.param("", "configmaps", "list", id="list configmaps")],
)
def test_a_run_that_may_not_list_deletes_nothing(
    without: LinkerHarness, group: str, resource: str, planned: str
) -> None:
    """The package holds no kind of Argo, so that the Role need not have a rule for them."""
    rule = f'{{apiGroups: ["{group}"], resources: [{resource}], verbs: [list]}}'
    sentence = f"{resource} in rights: not permitted to list; the Role of this ServiceAccount needs the rule {rule}"
    run = without.run()
    is_optional, is_all = group == "argoproj.io", resource == "configmaps"
    if is_all:
        left = f"run the Job again, as no later one may link Secret rights/{planned}"
        unlinked = f"error: the run has ended before it was linked; {left}\n"
        assert (run.exit_code, run.stderr) == (1, f"error: {sentence}\n{unlinked}")
    else:
        said = "" if is_optional else f"warning: {sentence}; until then nothing is deleted\n"
        assert (run.exit_code, run.stderr) == (0, said)
    methods = {call.partition(" ")[0] for call in without.proxy.writes}
    assert methods == (set() if is_all else {"PATCH", "DELETE"} if is_optional else {"PATCH"})


@pytest.mark.parametrize(
    ("group", "resource", "verb", "said_of"),
    [
        pytest.param("", "configmaps", "patch", (1, 3), id="patch configmaps"),
        pytest.param("", "configmaps", "delete", (0, 1), id="delete configmaps"),
        pytest.param("", "secrets", "get", (1, 0), id="get secrets"),
        pytest.param("", "secrets", "patch", (1, 0), id="patch secrets"),
    ],
)
def test_a_run_does_what_it_may_and_reports_the_rest(
    without: LinkerHarness, resource: str, verb: str, said_of: tuple[int, int], planned: str
) -> None:
    """It fails where no later run could mend it: the Secret of this rendering, and the mark of its tracker."""
    run = without.run()
    failures, warnings = said_of
    said = run.stderr.splitlines()
    assert (run.exit_code, len(said)) == (failures, warnings + failures), run.stderr
    name = {"delete": UNUSED}.get(verb, planned)
    kind, only = (
        ("Secret", f", resourceNames: [{name}]") if resource == "secrets" else ("ConfigMap", "")
    )
    rule = f'{{apiGroups: [""], resources: [{resource}], verbs: [{verb}]{only}}}'
    what = f"{kind} rights/{name}: not permitted to {verb}"
    why = f"{what}; the Role of this ServiceAccount needs the rule {rule}"
    left = f"; run the Job again, as no later one may link Secret rights/{planned}"
    assert f"warning: {why}" in said or f"error: {why}{left}" in said
    counted = [f"{failures} failed"] * failures
    counted += [f"{warnings} warning{'s' * (warnings != 1)}"] * bool(warnings)
    assert f", {', '.join(counted)}; " in run.stdout


@pytest.mark.parametrize(("group", "resource", "verb"), [("", "events", "create")])
def test_a_run_that_may_not_create_events_succeeds(without: LinkerHarness) -> None:
    run = without.run()
    assert (run.exit_code, run.stderr) == (0, "")
    assert [call.method for call in without.proxy.calls if call.target.endswith("/events")] != []


# With all of its rights

OTHERS = "/api/v1/namespaces/default"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "own"},
    "spec": {"containers": [{"name": "a", "image": "a"}]},
}
TOKEN = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
APPS, RBAC = (
    "/apis/apps/v1/namespaces/rights",
    "/apis/rbac.authorization.k8s.io/v1/namespaces/rights",
)
REFUSED = [
    pytest.param("GET", f"{HERE}/secrets", None, id="list Secrets"),
    pytest.param("GET", f"{HERE}/secrets?watch=true", None, id="watch Secrets"),
    pytest.param("GET", f"{HERE}/secrets/other", None, id="get a Secret that is not planned"),
    pytest.param("PATCH", f"{HERE}/secrets/other", {}, id="patch a Secret that is not planned"),
    pytest.param("DELETE", f"{HERE}/secrets/other", None, id="delete a Secret that is not planned"),
    pytest.param("GET", f"{HERE}/secrets/OLD", None, id="get a Secret of an earlier rendering"),
    pytest.param("DELETE", f"{HERE}/secrets/PLANNED", None, id="delete a planned Secret"),
    pytest.param("DELETE", f"{HERE}/secrets", None, id="delete all Secrets"),
    pytest.param(
        "POST", f"{HERE}/secrets", {"apiVersion": "v1", **secret("own")}, id="create a Secret"
    ),
    pytest.param(
        "POST",
        f"{HERE}/configmaps",
        {"apiVersion": "v1", **config_map("own")},
        id="create a ConfigMap",
    ),
    pytest.param("DELETE", f"{HERE}/configmaps", None, id="delete all ConfigMaps"),
    pytest.param("POST", f"{HERE}/pods", POD, id="create a Pod"),
    pytest.param(
        "POST", f"{HERE}/serviceaccounts/{ACCOUNT}/token", TOKEN, id="create another token"
    ),
    pytest.param("PATCH", f"{APPS}/deployments/web", {}, id="patch a workload"),
    pytest.param("DELETE", f"{APPS}/deployments/web", None, id="delete a workload"),
    pytest.param("PATCH", f"{RBAC}/roles/{ACCOUNT}", {}, id="patch its own Role"),
    pytest.param("GET", f"{OTHERS}/configmaps", None, id="list ConfigMaps elsewhere"),
    pytest.param(
        "PATCH", f"{OTHERS}/configmaps/kube-root-ca.crt", {}, id="patch a ConfigMap elsewhere"
    ),
    pytest.param(
        "DELETE", f"{OTHERS}/configmaps/kube-root-ca.crt", None, id="delete a ConfigMap elsewhere"
    ),
    pytest.param(
        "GET", f"{OTHERS}/secrets/PLANNED", None, id="get a Secret of this name elsewhere"
    ),
    pytest.param("GET", "/api/v1/configmaps", None, id="list ConfigMaps of all namespaces"),
    pytest.param("GET", "/api/v1/namespaces", None, id="list namespaces"),
]


@pytest.fixture(scope="module")
def other(module_harness: LinkerHarness) -> None:
    module_harness.release.api.create(secret("other"))


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize(("method", "path", "body"), REFUSED)
def test_the_role_does_not_permit(
    harness: LinkerHarness, planned: str, method: str, path: str, body: Any
) -> None:
    (old,) = harness.release.api.names("Secret", labels=f"revisions.krm-fn.io/set={SET}") - {
        planned
    }
    linker = harness.release.api.as_token(harness.release.token())
    content_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
    with pytest.raises(ApiError, match="403 Forbidden"):
        linker.call(
            method,
            path.replace("OLD", old).replace("PLANNED", planned),
            body,
            content_type=content_type,
        )


def test_the_linker_reads_no_secret_data_although_it_could(
    harness: LinkerHarness, planned: str
) -> None:
    """The right to read a Secret's metadata is also the right to read its data."""
    content = base64.b64encode(b"new").decode()
    assert harness.release.api.as_token(harness.release.token()).get("Secret", planned)["data"] == {
        "content": content
    }
    heard: list[tuple[Call, bytes]] = []

    def listen(call: Call, pass_on: PassOn) -> Answer:
        answer = pass_on(call)
        heard.append((call, answer.body))
        return answer

    assert harness.run(listen).exit_code == 0
    asked = [call.headers["accept"] for call, _ in heard if f"/secrets/{planned}" in call.target]
    assert asked == [METADATA_ONLY, METADATA_ONLY]
    assert not [call.target for call, body in heard if content.encode() in body]


def test_the_pod_satisfies_the_restricted_pod_security_standard(namespace: Api) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    namespace.patch("Namespace", namespace.namespace, {"metadata": {"labels": labels}})
    release = Release(api=namespace, deployer=ArgoLike(api=namespace, app=SET))
    release.sync(*shop("new"))
    assert run_linker(namespace, SET).exit_code == 0
    with pytest.raises(ApiError, match='violates PodSecurity "restricted:latest"'):
        namespace.create({**POD, "metadata": {"name": "another"}})
