"""The sets of a namespace share the ServiceAccount of examples/linker-rbac, also where nobody may create Roles."""

import pytest

from tests.cluster.api import Api
from tests.cluster.linker_job import run_linker
from tests.cluster.platform_account import ACCOUNT, EXAMPLE, account_in, documents
from tests.cluster.release import SET, owners, render
from tests.cluster.server import ApiError
from tests.cluster.tokens import token_of
from tests.cluster.unlinked_release import shop
from tests.wait import until

COMPONENT = "revisions.krm-fn.io/component"


@pytest.fixture
def tenant(namespace: Api) -> Api:
    """Return a client of a ServiceAccount with the ClusterRole `edit` in the namespace."""
    name = "tenant"
    namespace.apply({"kind": "ServiceAccount", "metadata": {"name": name}})
    namespace.apply(
        {
            "kind": "RoleBinding",
            "metadata": {"name": name},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "edit",
            },
            "subjects": [
                {"kind": "ServiceAccount", "name": name, "namespace": namespace.namespace}
            ],
        }
    )
    client = namespace.as_token(token_of(namespace, name))
    until("the tenant may list ConfigMaps", lambda: may_list(client))
    return client


def may_list(client: Api) -> bool:
    try:
        client.list("ConfigMap")
    except ApiError as error:
        if error.status != 403:
            raise
        return False
    return True


def test_the_linker_runs_for_a_tenant_who_may_not_create_roles(namespace: Api, tenant: Api) -> None:
    platform = account_in(namespace.namespace)
    with pytest.raises(ApiError, match=r'cannot (patch|create) resource "roles"'):
        tenant.apply(next(one for one in platform if one["kind"] == "Role"))
    namespace.apply_all(platform)

    (configuration,) = documents((EXAMPLE / "krm-fn.yaml").read_text())
    assert configuration["metadata"]["name"] == SET
    rendered = documents(render(shop("new"), namespace.namespace, **configuration["spec"]))
    assert {one["kind"] for one in rendered} == {"ConfigMap", "Secret", "Deployment", "Job"}
    tenant.apply_all(
        {**one, "metadata": {**one["metadata"], "namespace": namespace.namespace}}
        for one in rendered
    )
    tenant.ready("Deployment", "web")

    run = run_linker(namespace, SET)
    assert (run.exit_code, run.stderr) == (0, "")
    (revision,) = (
        one for one in tenant.list("ConfigMap") if one["metadata"]["name"].startswith("web-config-")
    )
    assert {f"ConfigMap/{SET}-linker", "Deployment/web"} < owners(revision)
    (secret,) = tenant.list("Secret", labels=f"revisions.krm-fn.io/set={SET}")
    assert secret["metadata"]["annotations"]["revisions.krm-fn.io/retain"] == "true"
    assert owners(secret) == set()


def test_sets_with_secrets_share_an_account(namespace: Api) -> None:
    """Each has a Role with the names of its Secrets, and so no Secret of anybody else can be read."""
    namespace.apply_all(account_in(namespace.namespace))
    linker = {"serviceAccountName": ACCOUNT, "secretsRole": True, "minimumAgeSeconds": 0}
    settings = {"kinds": ["ConfigMap", "Secret"], "linker": linker}
    rendered = documents(render(shop("new"), namespace.namespace, **settings))
    emitted = [one for one in rendered if COMPONENT in one["metadata"].get("labels", {})]
    own = [one["kind"] for one in emitted if one["metadata"]["labels"][COMPONENT] == "linker"]
    assert sorted(own) == ["ConfigMap", "Job", "Role", "RoleBinding"]
    namespace.apply_all(
        {**one, "metadata": {**one["metadata"], "namespace": namespace.namespace}}
        for one in rendered
    )
    other = {"kind": "Secret", "metadata": {"name": "of-somebody-else"}, "stringData": {"a": "b"}}
    namespace.apply(other)
    namespace.ready("Deployment", "web")

    run = run_linker(namespace, SET)
    assert (run.exit_code, run.stderr) == (0, "")
    (secret,) = namespace.list("Secret", labels=f"revisions.krm-fn.io/set={SET}")
    name = secret["metadata"]["name"]
    assert owners(secret) == {f"ConfigMap/{name}"}

    client = namespace.as_token(token_of(namespace, ACCOUNT))
    assert client.get("Secret", name)["metadata"]["name"] == name
    with pytest.raises(ApiError, match="forbidden"):
        client.get("Secret", "of-somebody-else")
    with pytest.raises(ApiError, match="forbidden"):
        client.list("Secret")
