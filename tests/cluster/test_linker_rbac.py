"""A tenant who may not create Roles uses the ServiceAccount of examples/linker-rbac."""

import pytest
import yaml

from tests.cluster.api import Api, Object
from tests.cluster.linker_job import ROOT, run_linker
from tests.cluster.release import SET, owners, render
from tests.cluster.server import ApiError
from tests.cluster.tokens import token_of
from tests.cluster.unlinked_release import shop
from tests.cluster.wait import until

EXAMPLE = ROOT / "examples" / "linker-rbac"


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


def documents(stream: bytes | str) -> list[Object]:
    return [one for one in yaml.safe_load_all(stream) if one]


def test_the_linker_runs_for_a_tenant_who_may_not_create_roles(namespace: Api, tenant: Api) -> None:
    platform = documents(
        (EXAMPLE / "platform.yaml").read_text().replace(": shop\n", f": {namespace.namespace}\n")
    )
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
