"""What new pods lack after a change, told from what they start without: pairs of packages without krm-fn.

A kubelet is the judge of each row: without the object or the key, it does not start the container
(`CreateContainerConfigError`, `FailedMount`).
"""

from typing import Any

import pytest
import yaml

from krm_fn.base.problem import Outcome
from krm_fn.tools.diff.compare import compare
from krm_fn.tools.diff.difference import Difference, Risk
from krm_fn.tools.render.check import check
from tests.diff.test_properties import release_of

Object = dict[str, Any]
MOVED_TO = "jobs"
LEFT_BEHIND = f"is not in namespace {MOVED_TO}, where they are now"
LOST = "a key that they need is gone"


def an(kind: str, name: str, namespace: str = "shop", **fields: Any) -> Object:
    api_version = {"Deployment": "apps/v1"}.get(kind, "v1")
    metadata = {"name": name, "namespace": namespace, **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def config(namespace: str = "shop", *keys: str, metadata: Object | None = None) -> Object:
    data = dict.fromkeys(keys or ("A", "B"), "x")
    return an("ConfigMap", "web", namespace, data=data, metadata=metadata or {})


def reader(namespace: str = "shop", name: str = "app", **pod: Any) -> Object:
    own = {"envFrom": [{"configMapRef": {"name": "web"}}]} if not pod else {}
    container = {"name": "c", "image": "x", **own, **pod.pop("container", {})}
    spec = {"template": {"spec": {"containers": [container], **pod}}}
    return an("Deployment", name, namespace, spec=spec)


def keyed(field: str = "configMapKeyRef", **more: Any) -> Object:
    source = {field: {"name": "web", "key": "A", **more}}
    return reader(container={"env": [{"name": "A", "valueFrom": source}]})


def mounted(**volume: Any) -> Object:
    return reader(volumes=[{"name": "v", **volume}])


ITEMS = [{"key": "A", "path": "a"}]
OPTIONAL = {"envFrom": [{"configMapRef": {"name": "web", "optional": True}}]}
SECRET = an("Secret", "web", data={"A": "eA==", "B": "eA=="})
SUB_PATH = {"volumeMounts": [{"name": "v", "mountPath": "/a", "subPath": "A"}]}
NEEDS_PULL_SECRET = reader(imagePullSecrets=[{"name": "web"}])
POST_SYNC = {"annotations": {"argocd.argoproj.io/hook": "PostSync"}}
INJECTED = {"labels": {"config.openshift.io/inject-trusted-cabundle": "true"}}
COPIED = {"annotations": {"kubed.appscode.com/sync": "app=web"}}

ROWS: list[tuple[str, list[Object], list[Object], str | None]] = [
    ("an object is gone", [config(), reader()], [reader()], ""),
    (
        "an object of which pods need a key is gone",
        [config(), keyed()],
        [keyed()],
        "",
    ),
    (
        "a variable needs a key that is gone",
        [config(), keyed()],
        [config("shop", "B"), keyed()],
        LOST,
    ),
    (
        "a variable needs a key of a Secret that is gone",
        [SECRET, keyed("secretKeyRef")],
        [{**SECRET, "data": {"B": "eA=="}}, keyed("secretKeyRef")],
        LOST,
    ),
    (
        "the items of a volume need a key that is gone",
        [config(), mounted(configMap={"name": "web", "items": ITEMS})],
        [config("shop", "B"), mounted(configMap={"name": "web", "items": ITEMS})],
        LOST,
    ),
    (
        "the items of a projected volume need it",
        [
            config(),
            mounted(projected={"sources": [{"configMap": {"name": "web", "items": ITEMS}}]}),
        ],
        [
            config("shop", "B"),
            mounted(projected={"sources": [{"configMap": {"name": "web", "items": ITEMS}}]}),
        ],
        LOST,
    ),
    (
        "pods start without an optional key",
        [config(), keyed(optional=True)],
        [config("shop", "B"), keyed(optional=True)],
        None,
    ),
    (
        "all keys are variables, and pods start with those that are left",
        [config(), reader()],
        [config("shop", "B"), reader()],
        None,
    ),
    (
        "a subPath without its key is an empty folder",
        [
            config(),
            reader(volumes=[{"name": "v", "configMap": {"name": "web"}}], container=SUB_PATH),
        ],
        [
            config("shop", "B"),
            reader(volumes=[{"name": "v", "configMap": {"name": "web"}}], container=SUB_PATH),
        ],
        None,
    ),
    ("the reader goes with the key", [config(), keyed()], [config("shop", "B"), reader()], None),
    (
        "a key that was never there is no news",
        [config("shop", "B"), keyed()],
        [config("shop", "C"), keyed()],
        None,
    ),
    (
        "a program of the cluster adds keys to the object",
        [config(metadata=INJECTED), keyed()],
        [config("shop", "B", metadata=INJECTED), keyed()],
        None,
    ),
    (
        "a reader moves to another namespace, and what it reads stays behind",
        [config(), reader()],
        [config(), reader(MOVED_TO)],
        LEFT_BEHIND,
    ),
    (
        "a reader moves, and what it reads with it",
        [config(), reader()],
        [config(MOVED_TO), reader(MOVED_TO)],
        None,
    ),
    (
        "a reader moves, and another one stays with what both read",
        [config(), reader(), reader(name="other")],
        [config(), config(MOVED_TO), reader(MOVED_TO), reader(name="other")],
        None,
    ),
    (
        "a reader moves that starts without it",
        [config(), reader(container=OPTIONAL)],
        [
            config(),
            {**reader(container=OPTIONAL), "metadata": {"name": "app", "namespace": MOVED_TO}},
        ],
        None,
    ),
    (
        "a reader moves, and its package gives up the object, as somebody else may have it there",
        [config(), reader()],
        [reader(MOVED_TO)],
        None,
    ),
    (
        "somebody else has the name where another reader is already",
        [config(), reader(), reader(MOVED_TO, "other")],
        [config(), reader(MOVED_TO), reader(MOVED_TO, "other")],
        None,
    ),
    (
        "a program copies the object to other namespaces",
        [config(metadata=COPIED), reader()],
        [config(metadata=COPIED), reader(MOVED_TO)],
        None,
    ),
    (
        "a second reader elsewhere was never met by this object",
        [config(), reader()],
        [config(), reader(), reader(MOVED_TO)],
        None,
    ),
    (
        "a kubelet pulls without a secret that is not there, and the image may be on the node",
        [SECRET, NEEDS_PULL_SECRET],
        [NEEDS_PULL_SECRET],
        None,
    ),
    (
        "Argo CD makes the object anew when the sync ends",
        [config(), reader()],
        [config(metadata=POST_SYNC), reader()],
        None,
    ),
]


@pytest.mark.parametrize(
    ("before", "after", "lack"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_what_new_pods_lack(before: list[Object], after: list[Object], lack: str | None) -> None:
    found = _compare(before, after)
    said = [change.lack for change in found.changes if change.missing]
    assert said == ([] if lack is None else [lack])
    workloads = [one for change in found.changes for one in change.missing]
    assert workloads == ([] if lack is None else ["Deployment/app"])


@pytest.mark.parametrize(
    ("before", "after", "lack"),
    [row[1:] for row in ROWS if row[3] != LEFT_BEHIND],
    ids=[row[0] for row in ROWS if row[3] != LEFT_BEHIND],
)
def test_a_check_of_what_is_deployed_says_the_same(
    before: list[Object], after: list[Object], lack: str | None
) -> None:
    done = check(Outcome(_dump(after), "", 0), "-", _dump(before), "")
    assert bool(done.exit_code) == (lack is not None), done.stderr


NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
WIDGET = {"apiVersion": "x.example/v1", "kind": "Widget", "metadata": {"name": "w"}}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.x.example"},
    "spec": {"group": "x.example", "names": {"kind": "Widget"}, "scope": "Namespaced"},
}
KEPT = {"name": "shop", "annotations": {"argocd.argoproj.io/sync-options": "Prune=false"}}
RENAMED = [
    config("shop") | {"metadata": {"name": "web2", "namespace": "shop"}},
    reader(container={"envFrom": [{"configMapRef": {"name": "web2"}}]}),
]
PRUNED: list[tuple[str, list[Object], list[Object], bool]] = [
    ("a Namespace goes, and what is in it stays", [NAMESPACE, config()], [config()], True),
    ("a Namespace goes with all that is in it", [NAMESPACE, config()], [config(MOVED_TO)], False),
    ("its deployer leaves it", [{**NAMESPACE, "metadata": KEPT}, config()], [config()], False),
    ("a definition goes, and objects of it stay", [DEFINITION, WIDGET], [WIDGET], True),
    ("a definition goes with its objects", [DEFINITION, WIDGET, config()], [config()], False),
    ("nobody has named a deployer that prunes the old name", [config(), reader()], RENAMED, False),
]


@pytest.mark.parametrize(
    ("before", "after", "is_pruned"), [row[1:] for row in PRUNED], ids=[row[0] for row in PRUNED]
)
def test_what_goes_takes_along_what_is_in_it(
    before: list[Object], after: list[Object], is_pruned: bool
) -> None:
    assert (Risk.PRUNE in _compare(before, after).risks) == is_pruned


def test_a_key_that_only_the_cluster_has_may_be_from_somebody_else() -> None:
    tracked = {"uid": "1", "labels": {"kapp.k14s.io/app": "1"}}
    live = [{**one, "metadata": {**one["metadata"], **tracked}} for one in (config(), keyed())]
    done = check(Outcome(_dump([config("shop", "B"), keyed()]), "", 0), "-", _dump(live), "")
    assert not done.exit_code, done.stderr
    gone = check(Outcome(_dump([keyed()]), "", 0), "-", _dump(live), "")
    assert gone.exit_code, "it is known whose the object is"


def _compare(before: list[Object], after: list[Object]) -> Difference:
    return compare(release_of(_dump(before)), release_of(_dump(after)))


def _dump(objects: list[Object]) -> bytes:
    return yaml.dump_all(objects, Dumper=yaml.CSafeDumper, sort_keys=False).encode()
