"""`krm-fn diff --live` as a command, before an API server that holds what an earlier rendering has made."""

import copy
import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from krm_fn.base.kind import CONSUMER_KINDS
from tests.cli.process import fork
from tests.linker.hostile_server import Handler, answer, hostile_server
from tests.linker.object_store import Object

CONFIGURATION = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop, annotations: {config.kubernetes.io/local-config: "true"}}
spec:
  deployers: [argocd]
  linker: {image: "registry.example/krm-fn:1"}
"""
PACKAGE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: web-config}
data: {color: red}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1", envFrom: [{configMapRef: {name: web-config}}]}]}
"""
PLURALS = {kind.kind: kind.plural for kind in CONSUMER_KINDS} | {
    "ConfigMap": "configmaps",
    "Secret": "secrets",
    "ServiceAccount": "serviceaccounts",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}


def krm_fn(*arguments: str, folder: Path) -> str:
    done = fork(arguments, folder, {"PATH": os.environ["PATH"], "HOME": str(folder)})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> list[Object]:
    """Return what an API server has after the package was applied in namespace `shop`, without defaults."""
    folder = tmp_path_factory.mktemp("applied")
    write(folder)
    objects = list(yaml.safe_load_all(krm_fn("render", "--namespace", "shop", ".", folder=folder)))
    for number, one in enumerate(objects):
        created = "2026-06-01T12:00:00Z"
        one["metadata"] |= {"namespace": "shop", "uid": f"uid-{number}", "resourceVersion": "1"}
        one["metadata"] |= {"creationTimestamp": created}
    return objects


@pytest.fixture
def cluster(applied: list[Object]) -> list[Object]:
    return copy.deepcopy(applied)


def write(folder: Path, package: str = PACKAGE) -> None:
    (folder / "krm-fn.yaml").write_text(CONFIGURATION)
    (folder / "shop.yaml").write_text(package)


def diff_live(
    cluster: list[Object], folder: Path, package: str, *arguments: str, forbidden: str = ""
) -> str:
    """Return what the command says of a package before these objects."""

    def behave(handler: Handler) -> None:
        url = urlsplit(handler.path)
        *_, namespaces, namespace, plural = url.path.split("/")
        if plural == forbidden or (namespaces, namespace) != ("namespaces", "shop"):
            answer(handler, {"message": "no"}, 403)
            return
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        found = [
            one for one in cluster if PLURALS[one["kind"]] == plural and is_selected(one, query)
        ]
        answer(handler, {"items": found, "metadata": {}})

    shop = folder / "shop"
    shop.mkdir()
    write(shop, package)
    with hostile_server(behave, folder) as kubeconfig:
        return krm_fn(
            "diff", "--live", "--kubeconfig", str(kubeconfig), *arguments, "shop", folder=folder
        )


def is_selected(one: Object, query: dict[str, str]) -> bool:
    name = query.get("fieldSelector", "").removeprefix("metadata.name=")
    labels = one["metadata"].get("labels", {})
    pairs = [pair.partition("=") for pair in query.get("labelSelector", "").split(",") if pair]
    has_labels = all(
        key in labels and (not sign or labels[key] == value) for key, sign, value in pairs
    )
    return has_labels and name in {"", one["metadata"]["name"]}


def find(cluster: list[Object], kind: str) -> Any:
    return next(one for one in cluster if one["kind"] == kind)


BLUE = PACKAGE.replace("red", "blue")
SAME = "no difference: 1 revision unchanged\n"


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([], id="it is that of the context"),
        pytest.param(["--namespace", "shop"], id="the command line says which"),
    ],
)
def test_what_was_applied_is_equal_in_a_namespace_that_the_package_leaves_open(
    cluster: list[Object], tmp_path: Path, arguments: list[str]
) -> None:
    assert diff_live(cluster, tmp_path, PACKAGE, *arguments) == SAME


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        pytest.param({}, ", and for 10 more rollouts", id="the default of the API server"),
        pytest.param({"revisionHistoryLimit": 3}, ", and for 3 more rollouts", id="a limit"),
        pytest.param({"revisionHistoryLimit": 0}, "", id="no history"),
    ],
)
def test_a_superseded_revision_is_kept_until_the_history_has_lost_it(
    cluster: list[Object], tmp_path: Path, limit: dict[str, int], expected: str
) -> None:
    find(cluster, "Deployment")["spec"] |= limit
    kept = f"kept until no pod of Deployment/web uses it{expected} 1 revision changed"
    assert kept in " ".join(diff_live(cluster, tmp_path, BLUE).split())


@pytest.mark.parametrize(
    ("content", "title"),
    [
        pytest.param("other: other", "web-config", id="another object is rendered"),
        pytest.param("color: red", "other", id="its content is rendered under another name"),
    ],
)
def test_what_pods_need_and_the_cluster_alone_has_is_said_first(
    cluster: list[Object], tmp_path: Path, content: str, title: str
) -> None:
    other = PACKAGE.partition("---\n")[0].replace("web-config", "other")
    other = other.replace("color: red", content)
    text = diff_live(cluster, tmp_path, f"{other}---\n{PACKAGE.partition('---')[2]}")
    error = f"error: ConfigMap shop/{title}: nothing has the name web-config any more: new pods of "
    assert " ".join(text.split()).startswith(f"{error}Deployment/web do not start ")


def test_what_another_package_makes_is_not_missed(cluster: list[Object], tmp_path: Path) -> None:
    tls = {"name": "other", "namespace": "shop", "uid": "other", "resourceVersion": "1"}
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": tls}
    package = PACKAGE.replace(
        "{name: web-config}}]", "{name: web-config}}, {configMapRef: {name: other}}]"
    )
    assert "error: " not in diff_live([*cluster, made], tmp_path, package)


IMMUTABLE = [
    pytest.param(False, "", "", id="it is written to be mutable"),
    pytest.param(False, "immutable: false\n", "", id="and is in both renderings"),
    pytest.param(
        True,
        "",
        "error: ConfigMap shop/kept: the API server refuses this: kept is immutable, and gets other content; give it "
        "another name, or delete it first\n",
        id="somebody has made it immutable",
    ),
]


@pytest.mark.parametrize(("is_immutable", "written", "said"), IMMUTABLE)
def test_only_a_content_that_is_immutable_is_refused(
    is_immutable: bool, written: str, said: str, cluster: list[Object], tmp_path: Path
) -> None:
    kept = (
        "---\napiVersion: v1\nkind: ConfigMap\n"
        "metadata: {name: kept, annotations: {revisions.krm-fn.io/strategy: ignore}}\n"
    )
    owner = {
        "manager": "kubectl",
        "operation": "Apply",
        "fieldsV1": {"f:data": {"f:a": {}}, "f:immutable": {}},
    }
    annotations = {"revisions.krm-fn.io/strategy": "ignore"}
    cluster.append(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": "kept",
                "namespace": "shop",
                "uid": "kept",
                "annotations": annotations,
                "managedFields": [owner],
            },
            "data": {"a": "1"},
            "immutable": is_immutable,
        }
    )
    shown = diff_live(cluster, tmp_path, f"{PACKAGE}{kept}{written}data: {{a: '2'}}\n")
    assert "  - a: 1\n  + a: 2\n" in shown
    assert ("the API server refuses" in shown) is is_immutable
    assert shown.startswith(said)


def test_what_was_set_by_hand_is_named_as_far_as_there_is_room(
    cluster: list[Object], tmp_path: Path
) -> None:
    web = find(cluster, "Deployment")
    labels = {f"label-{number:02}": "x" for number in range(22)}
    web["metadata"]["labels"] = {**web["metadata"].get("labels", {}), **labels}
    web["metadata"]["managedFields"] = [
        {
            "manager": "kubectl-label",
            "operation": "Update",
            "time": "2026-06-01T12:00:00Z",
            "fieldsV1": {"f:metadata": {"f:labels": {f"f:{name}": {} for name in labels}}},
        }
    ]
    said = "note: Deployment web: metadata.labels.label-{} was set by kubectl-label at 2026-06-01T12:00:00Z, and stays"
    notes = [
        line
        for line in diff_live(cluster, tmp_path, PACKAGE).splitlines()
        if "by hand" in line or "set by" in line
    ]
    assert notes == [
        *(said.format(f"{number:02}") for number in range(20)),
        "note: 2 more fields set by hand",
    ]


def test_what_the_linker_deletes_is_said(cluster: list[Object], tmp_path: Path) -> None:
    unused = copy.deepcopy(find(cluster, "ConfigMap"))
    unused["metadata"] |= {
        "name": "web-config-2222222222",
        "uid": "old",
        "creationTimestamp": "2026-01-01T00:00:00Z",
    }
    lines = diff_live([*cluster, unused], tmp_path, BLUE).splitlines()
    title = lines.index("- ConfigMap shop/web-config: web-config-2222222222")
    assert lines[title + 1] == "  nothing uses it: the linker deletes it"


@pytest.mark.parametrize(
    ("owner", "is_told"),
    [("gone", True), ("of the inventory", False), ("of another live object", False)],
)
def test_what_the_garbage_collector_is_about_to_delete_is_said(
    cluster: list[Object], tmp_path: Path, owner: str, *, is_told: bool
) -> None:
    """As after an uninstall and an install: nothing differs."""
    revision, *_ = (one for one in cluster if one["metadata"]["name"].startswith("web-config-"))
    inventory, *_ = (one for one in cluster if one["metadata"]["name"] == "shop-linker")
    kind = "ConfigMap" if owner == "of the inventory" else "ReplicaSet"
    uid = inventory["metadata"]["uid"] if owner == "of the inventory" else "other"
    name = "shop-linker" if owner == "of the inventory" else "web-1"
    version = "v1" if kind == "ConfigMap" else "apps/v1"
    revision["metadata"]["ownerReferences"] = [
        {"apiVersion": version, "kind": kind, "name": name, "uid": uid}
    ]
    if owner == "of another live object":
        made = {"name": "web-1", "namespace": "shop", "uid": "other"}
        cluster.append({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": made})
    name = revision["metadata"]["name"]
    said = (
        f"{name} in shop: all its owners are gone: about to be collected; apply the manifests again"
    )
    lines = diff_live(cluster, tmp_path, PACKAGE).splitlines()
    assert (f"note: {said}" in lines) is is_told
    assert SAME.strip() in lines


def test_what_may_not_be_listed_is_said_where_the_linker_looks(
    cluster: list[Object], tmp_path: Path
) -> None:
    rule = '{apiGroups: [""], resources: [pods], verbs: [list]}'
    note = f"note: not seen, and so it is not known what the linker deletes: pods in shop; you need the rule {rule}"
    assert note in diff_live(cluster, tmp_path, BLUE, forbidden="pods").splitlines()


def test_what_may_not_be_listed_is_not_taken_for_new(cluster: list[Object], tmp_path: Path) -> None:
    lines = diff_live(cluster, tmp_path, BLUE, forbidden="deployments").splitlines()
    assert [line for line in lines if line.startswith("+ Deployment")] == []
    assert "1 revision changed" in lines[-1]


def test_another_set_of_the_namespace_is_not_compared(
    cluster: list[Object], tmp_path: Path
) -> None:
    text = yaml.safe_dump_all([one for one in cluster if "labels" in one["metadata"]])
    for ours, theirs in (
        ("shop-link", "mall-link"),
        ("/set: shop", "/set: mall"),
        ("web-config", "mall-config"),
    ):
        text = text.replace(ours, theirs)
    others = yaml.safe_load_all(text)
    assert diff_live([*cluster, *others], tmp_path, PACKAGE) == SAME


def test_several_packages_are_compared_each_by_itself(
    cluster: list[Object], tmp_path: Path
) -> None:
    """What is equal is counted, and a change is under the package that has it."""
    blog = tmp_path / "blog"
    blog.mkdir()
    (blog / "blog.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-config, namespace: shop}\ndata: {a: '1'}\n"
    )
    shown = diff_live(cluster, tmp_path, BLUE, "bl*")
    assert shown.startswith(("the same", "blog\n"))
    assert "\nshop\n" in shown
    assert "color" in shown
    assert shown.endswith("2 packages: 2 changed\n")


def test_a_pattern_that_matches_what_was_applied(cluster: list[Object], tmp_path: Path) -> None:
    shown = diff_live(cluster, tmp_path, PACKAGE, "sh*")
    assert shown == "1 package: 1 with no difference\n"
