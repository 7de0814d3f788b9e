"""Which pods may read ConfigMaps and Secrets through the API, by the RBAC objects of the package."""

import pytest

from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.function import run
from krm_fn.guards.api_readers import READING, Permissions

RBAC = "apiVersion: rbac.authorization.k8s.io/v1"
READ = '{apiGroups: [""], resources: [configmaps], verbs: [get]}'


def role(rule: str = READ, kind: str = "Role", name: str = "reader", **metadata: str) -> str:
    place = ", namespace: shop" if kind == "Role" else ""
    labels = f", labels: {metadata['labels']}" if "labels" in metadata else ""
    return f"{{{RBAC}, kind: {kind}, metadata: {{name: {name}{place}{labels}}}, rules: [{rule}]}}"


def binding(
    subject: str = "{kind: ServiceAccount, name: web}",
    kind: str = "RoleBinding",
    ref: str = "Role/reader",
) -> str:
    place = ", namespace: shop" if kind == "RoleBinding" else ""
    ref_kind, _, ref_name = ref.partition("/")
    return (
        f"{{{RBAC}, kind: {kind}, metadata: {{name: b{place}}}, "
        f"roleRef: {{kind: {ref_kind}, name: {ref_name}}}, subjects: [{subject}]}}"
    )


ALL = '{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}'
AGGREGATE = (
    f"{{{RBAC}, kind: ClusterRole, metadata: {{name: reader}}, "
    "aggregationRule: {clusterRoleSelectors: [{matchLabels: {to: reader}}]}, rules: []}"
)
CHANGE = "verbs: [get, list, watch, create, update, patch, delete]"
LOCKS = (
    f'{{apiGroups: [""], resources: [configmaps], {CHANGE}}}, '
    f"{{apiGroups: [coordination.k8s.io], resources: [leases], {CHANGE}}}, "
    '{apiGroups: [""], resources: [events], verbs: [create, patch]}'
)
"""The rules of kubebuilder's Role for leader election."""

OLD_LOCKS = LOCKS.replace("coordination.k8s.io", "").replace("leases", "configmaps/status")
"""Those of its version 2."""

ALLOWED = [
    pytest.param([role(), binding()], "Role/shop/reader", id="get by a Role"),
    pytest.param([role(READ.replace("get", "watch")), binding()], "Role/shop/reader", id="watch"),
    pytest.param([role(ALL), binding()], "Role/shop/reader", id="everything"),
    pytest.param(
        [role(kind="ClusterRole"), binding(ref="ClusterRole/reader")],
        "ClusterRole/reader",
        id="a ClusterRole here",
    ),
    pytest.param(
        [
            role(kind="ClusterRole"),
            binding(
                "{kind: ServiceAccount, name: web, namespace: shop}",
                "ClusterRoleBinding",
                "ClusterRole/reader",
            ),
        ],
        "ClusterRole/reader",
        id="a ClusterRole everywhere",
    ),
    pytest.param(
        [
            AGGREGATE,
            role(kind="ClusterRole", name="part", labels="{to: reader}"),
            binding(ref="ClusterRole/reader"),
        ],
        "ClusterRole/reader",
        id="an aggregated ClusterRole",
    ),
    pytest.param(
        [
            AGGREGATE,
            AGGREGATE.replace("name: reader", "name: part, labels: {to: reader}").replace(
                "{to: reader}}]", "{to: part}}]"
            ),
            role(kind="ClusterRole", name="inner", labels="{to: part}"),
            binding(ref="ClusterRole/reader"),
        ],
        "ClusterRole/reader",
        id="an aggregated ClusterRole that aggregates",
    ),
    pytest.param(
        [
            AGGREGATE.replace(
                "matchLabels: {to: reader}",
                "matchExpressions: [{key: to, operator: In, values: [reader]}]",
            ),
            role(kind="ClusterRole", name="part", labels="{to: reader}"),
            binding(ref="ClusterRole/reader"),
        ],
        "ClusterRole/reader",
        id="an aggregated ClusterRole, by an expression",
    ),
    pytest.param(
        [binding(ref="ClusterRole/view")], "ClusterRole/view", id="a ClusterRole of every cluster"
    ),
    pytest.param(
        [role(READ.replace("verbs", "resourceNames: [], verbs")), binding()],
        "Role/shop/reader",
        id="an empty list of names",
    ),
    pytest.param(
        [role(), binding("{kind: User, name: 'system:serviceaccount:shop:web'}")],
        "Role/shop/reader",
        id="the ServiceAccount as a user",
    ),
    pytest.param(
        [role(), binding("{kind: Group, name: 'system:serviceaccounts:shop'}")],
        "Role/shop/reader",
        id="all ServiceAccounts of the namespace",
    ),
    pytest.param(
        [role(), binding("{kind: Group, name: 'system:serviceaccounts'}")],
        "Role/shop/reader",
        id="all ServiceAccounts of the cluster",
    ),
    pytest.param(
        [role(f'{LOCKS}, {{apiGroups: [""], resources: [pods], verbs: [get]}}'), binding()],
        "Role/shop/reader",
        id="a Role for leader election and for something else",
    ),
    pytest.param(
        [role(LOCKS.replace(CHANGE, "verbs: [get]")), binding()],
        "Role/shop/reader",
        id="reading ConfigMaps and leases",
    ),
    pytest.param(
        [role(OLD_LOCKS.replace("configmaps/status", "pods")), binding()],
        "Role/shop/reader",
        id="writing ConfigMaps, and no status of them",
    ),
    pytest.param(
        [role(LOCKS, "ClusterRole"), binding(ref="ClusterRole/reader")],
        "ClusterRole/reader",
        id="locks everywhere, which no leader election needs",
    ),
]

NOT_ALLOWED = [
    pytest.param([], id="no RBAC"),
    pytest.param([role()], id="a Role that nothing binds"),
    pytest.param(
        [role(), binding("{kind: ServiceAccount, name: api}")], id="another ServiceAccount"
    ),
    pytest.param(
        [role(), binding("{kind: ServiceAccount, name: web, namespace: other}")],
        id="one of another namespace",
    ),
    pytest.param([role(READ.replace("get", "create")), binding()], id="writing alone"),
    pytest.param([role(LOCKS), binding()], id="leader election"),
    pytest.param([role(OLD_LOCKS), binding()], id="leader election before there were leases"),
    pytest.param([role(READ.replace("configmaps", "secrets")), binding()], id="Secrets"),
    pytest.param([role(READ.replace('""', "example.com")), binding()], id="another group"),
    pytest.param(
        [role(READ.replace("verbs", "resourceNames: [web], verbs")), binding()],
        id="names, a rule of its own",
    ),
    pytest.param(
        [
            AGGREGATE,
            role(kind="ClusterRole", name="part", labels="{to: writer}"),
            binding(ref="ClusterRole/reader"),
        ],
        id="a ClusterRole that is not aggregated",
    ),
    pytest.param(
        [role().replace("rbac.authorization.k8s.io", "example.com"), binding()],
        id="a Role of another group",
    ),
    pytest.param(
        [role(), binding().replace("rbac.authorization.k8s.io", "example.com")],
        id="a RoleBinding of another group",
    ),
    pytest.param(
        [binding(ref="ClusterRole/somebody-elses")], id="a role that the package does not have"
    ),
]

WEB = (
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, "
    "spec: {template: {spec: {serviceAccountName: web, containers: []}}}}"
)


def allowed_by(documents: list[str], kind: str = "ConfigMap", namespace: str = "shop") -> str:
    workload = WEB if namespace else WEB.replace(IN_SHOP, "")
    web, *others = open_envelope(read_yaml("\n---\n".join([workload, *documents]).encode())).items
    return Permissions([web, *others], lambda item: item.id.namespace, READING).role_of(
        web, kind, namespace
    )


@pytest.mark.parametrize(("documents", "expected"), ALLOWED)
def test_the_role_that_allows_it(documents: list[str], expected: str) -> None:
    assert allowed_by(documents) == expected


@pytest.mark.parametrize("documents", NOT_ALLOWED)
def test_nothing_allows_it(documents: list[str]) -> None:
    assert allowed_by(documents) == ""


def test_view_does_not_show_secrets() -> None:
    assert allowed_by([binding(ref="ClusterRole/view")], "Secret") == ""
    assert allowed_by([binding(ref="ClusterRole/edit")], "Secret") == "ClusterRole/edit"


IN_SHOP = ", namespace: shop"
OF_SHOP = "{kind: ServiceAccount, name: web, namespace: shop}"
EVERYWHERE = [
    role(kind="ClusterRole"),
    binding(OF_SHOP, "ClusterRoleBinding", "ClusterRole/reader"),
]

WITHOUT_NAMESPACE = [
    pytest.param(
        EVERYWHERE, "ClusterRole/reader", id="its account is bound with a namespace, everywhere"
    ),
    pytest.param(
        [role(), binding(OF_SHOP)], "Role/shop/reader", id="in the namespace of the account"
    ),
    pytest.param(
        [role().replace(IN_SHOP, ""), binding(OF_SHOP).replace(f"name: b{IN_SHOP}", "name: b")],
        "Role/reader",
        id="by a binding that sets none itself, as charts write it",
    ),
    pytest.param(
        [role(), binding("{kind: User, name: 'system:serviceaccount:shop:web'}")],
        "Role/shop/reader",
        id="as a user",
    ),
    pytest.param([role(), binding(OF_SHOP.replace("web", "api"))], "", id="another account"),
    pytest.param(
        [role(), binding(OF_SHOP.replace("shop", "other"))], "", id="a binding in another namespace"
    ),
]


@pytest.mark.parametrize(("documents", "expected"), WITHOUT_NAMESPACE)
def test_a_workload_without_a_namespace_has_the_account_of_its_name(
    documents: list[str], expected: str
) -> None:
    assert allowed_by(documents, namespace="") == expected


TOLD = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: revisions.krm-fn.io/v1
  kind: ConfigRevisions
  metadata: {name: web}
  spec: {linker: {enabled: false}}
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: web-config, namespace: shop}, data: {a: b}}
- {apiVersion: v1, kind: Pod, metadata: {name: reader, namespace: shop}, spec: {serviceAccountName: other,
   containers: [{name: c, image: a:1, envFrom: [{configMapRef: {name: web-config}}]}]}}
"""
POD = (
    "- {{apiVersion: v1, kind: Pod, metadata: {{name: told, namespace: shop{}}}, "
    "spec: {{serviceAccountName: web, containers: [{{name: c, image: b:1, {}}}]}}}}"
)
MOUNTED = "- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: notes, namespace: shop}}, data: {{{}}}}}"
READS_NOTES = POD.format("", "envFrom: [{configMapRef: {name: notes}}]")
RIGHTS = [role(), binding()]
CHANGES = [role(READ.replace("get", "patch")), binding()]
GETS = POD.format("", "env: [{name: TARGET, value: web-config}]")

KEPT = [
    pytest.param([GETS], RIGHTS, True, id="a variable, and the right to read"),
    pytest.param([GETS], CHANGES, True, id="a variable, and the right to change"),
    pytest.param([GETS], [], False, id="a variable, and no right"),
    pytest.param([POD.format("", "args: ['--target=web-config']")], RIGHTS, True, id="an argument"),
    pytest.param([POD.format("", "args: [--target=web-config-2]")], RIGHTS, False, id="another"),
    pytest.param(
        [MOUNTED.format("annotations.txt: the web-config"), READS_NOTES], RIGHTS, True, id="data"
    ),
    pytest.param(
        [POD.format(", annotations: {a: web-config}", "args: [a]")],
        RIGHTS,
        False,
        id="an annotation, which the program does not get",
    ),
]


@pytest.mark.parametrize(("told", "rights", "is_kept"), KEPT)
def test_who_gets_a_name_may_look_it_up(
    told: list[str], rights: list[str], *, is_kept: bool
) -> None:
    items = [*told, *(f"- {one}" for one in rights)]
    rendered = run((TOLD + "\n".join(items)).encode()).stdout
    assert (b"name: web-config-" not in rendered) is is_kept
