"""Request tokens of ServiceAccounts, as the kubelet does."""

from tests.cluster.api import Api, Object

HOUR = 3600


def token_of(
    api: Api, service_account: str, *, pod: Object | None = None, seconds: int = HOUR
) -> str:
    """Request a token that is valid this long, and not longer than the pod that it is bound to."""
    spec: Object = {"expirationSeconds": seconds}
    if pod is not None:
        metadata = pod["metadata"]
        spec["boundObjectRef"] = {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": metadata["name"],
            "uid": metadata["uid"],
        }
    answer = api.call(
        "POST",
        f"/api/v1/namespaces/{api.namespace}/serviceaccounts/{service_account}/token",
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec},
    )
    return str(answer["status"]["token"])


def account(api: Api, verbs: list[str]) -> str:
    """Create a ServiceAccount with these verbs on ConfigMaps. Returns a token."""
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}
    subject = {"kind": "ServiceAccount", "name": "somebody", "namespace": api.namespace}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "somebody"}
    metadata = {"name": "somebody"}
    api.apply({"kind": "ServiceAccount", "metadata": metadata})
    api.apply({"kind": "Role", "metadata": metadata, "rules": [rule]})
    api.apply({"kind": "RoleBinding", "metadata": metadata, "roleRef": role, "subjects": [subject]})
    return token_of(api, "somebody")


def grant_all(api: Api, account: str) -> None:
    """Create a ServiceAccount that may do everything, as deployers install themselves."""
    subject: Object = {"kind": "ServiceAccount", "name": account, "namespace": api.namespace}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
    api.apply({"kind": "ServiceAccount", "metadata": {"name": account}})
    api.apply(
        {
            "kind": "ClusterRoleBinding",
            "metadata": {"name": account},
            "roleRef": role,
            "subjects": [subject],
        }
    )
