"""Request tokens of ServiceAccounts, as the kubelet does."""

from tests.cluster.api import Api, Object
from tests.wait import until

DAY = 24 * 3600
"""Seconds: longer than the tests of a cluster on any machine, as its controllers get no other token."""


def token_of(
    api: Api, service_account: str, *, pod: Object | None = None, seconds: int = DAY
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
    """Create a ServiceAccount with these verbs on ConfigMaps, and wait until it may do so. Returns a token."""
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}
    subject = {"kind": "ServiceAccount", "name": "somebody", "namespace": api.namespace}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "somebody"}
    metadata = {"name": "somebody"}
    api.apply({"kind": "ServiceAccount", "metadata": metadata})
    api.apply({"kind": "Role", "metadata": metadata, "rules": [rule]})
    api.apply({"kind": "RoleBinding", "metadata": metadata, "roleRef": role, "subjects": [subject]})
    until(
        f"somebody may {', '.join(verbs)}",
        lambda: all(may(api, "somebody", verb, "configmaps") for verb in verbs),
    )
    return token_of(api, "somebody")


def may(api: Api, service_account: str, verb: str, resource: str, **more: str) -> bool:
    """Ask the API server, which learns of a Role a moment after it was written.

    `more`: the group of the resource, and the name of an object.
    """
    attributes = {"namespace": api.namespace, "verb": verb, "resource": resource, **more}
    spec = {
        "user": f"system:serviceaccount:{api.namespace}:{service_account}",
        "resourceAttributes": attributes,
    }
    answer = api.call(
        "POST",
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec},
    )
    return bool(answer["status"]["allowed"])


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
