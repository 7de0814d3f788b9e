"""Mistakes in a rendering, each with what verify says about it, and legal changes beside them.

The rendering is that of `examples/canary`, with Secrets, a second sync wave, and a Role for an
application.
"""

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pytest
import yaml

from krm_fn.base import keys
from krm_fn.function import run
from krm_fn.tools.verify.verify import VerifyOptions
from tests.verify.judge import verify
from tests.volume import in_turn

Objects: TypeAlias = list[dict[str, Any]]
Mutate: TypeAlias = Callable[[Objects], None]
Field: TypeAlias = tuple[str | int, ...]

FINDINGS = Path(__file__).parent / "findings.yaml"
CANARY = Path(__file__).parent.parent.parent / "examples/canary"
CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec:
  kinds: [ConfigMap, Secret]
  deployers: [argocd]
  linker: {image: "registry.example/krm-fn:0.2.0"}
"""
MORE = """\
apiVersion: v1
kind: Secret
metadata: {name: api-db, namespace: shop}
stringData: {PASSWORD: not-to-be-printed}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: page-config, namespace: shop, annotations: {argocd.argoproj.io/sync-wave: "2"}}
data: {TITLE: Shop}
---
apiVersion: v1
kind: Secret
metadata: {name: page-key, namespace: shop, annotations: {argocd.argoproj.io/sync-wave: "2"}}
stringData: {KEY: not-to-be-printed-either}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: page, namespace: shop, annotations: {argocd.argoproj.io/sync-wave: "3"}}
spec:
  selector: {matchLabels: {app: page}}
  template:
    metadata: {labels: {app: page}}
    spec:
      containers:
      - name: page
        image: registry.example/page:1.0
        envFrom:
        - configMapRef: {name: page-config}
        - secretRef: {name: page-key}
        - secretRef: {name: api-db}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: flags, namespace: shop, annotations: {revisions.krm-fn.io/strategy: rename}}
data: {SALE: "yes"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get], resourceNames: [flags]}
"""
AUTHORED = "---\n".join(
    [*((CANARY / f"{name}.yaml").read_text() for name in ("config", "web", "api", "report")), MORE]
)
RENDERED: Objects = [
    *yaml.load_all(run(AUTHORED.encode(), CONFIG.encode()).stdout, yaml.CSafeLoader)
]

WEB, API, PAGE, FLAGS = (
    "ConfigMap/web-config-mffg77kmb5",
    "ConfigMap/api-config-m57m2ddh75",
    "ConfigMap/page-config-hbm6t5g94c",
    "ConfigMap/flags-btcmhf98hh",
)
SECRET, TRACKER, LATE_TRACKER = (
    "Secret/api-db-kc4g25g54d",
    "ConfigMap/api-db-kc4g25g54d",
    "ConfigMap/page-key-dcm59kgc2f",
)
JOB, LATE_JOB, INVENTORY = (
    "Job/shop-link-5tt522dt45",
    "Job/shop-link-2ghc6bkh8c",
    "ConfigMap/shop-linker",
)
ROLE, BINDING, ACCOUNT = "Role/shop-linker", "RoleBinding/shop-linker", "ServiceAccount/shop-linker"
ANNOTATIONS = ("metadata", "annotations")
POD = ("spec", "template")
ENV_FROM = (*POD, "spec", "containers", 0, "envFrom", 0)
LINK = (*POD, "spec", "containers", 0)
OPTIONS = "argocd.argoproj.io/sync-options"
ROLLOUT = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Rollout",
    "metadata": {"name": "other", "namespace": "shop"},
}


RULE = {
    resource: place
    for place, rule in enumerate(
        next(one for one in RENDERED if f"{one['kind']}/{one['metadata']['name']}" == ROLE)["rules"]
    )
    for resource in rule["resources"]
}
"""Which rule of the Role is about a resource."""


def findings(objects: Objects, options: VerifyOptions) -> list[str]:
    """Return the lines about a ResourceList, which name no lines of the input, without the summary."""
    envelope = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": objects}
    outcome = verify("-", json.dumps(envelope).encode(), options)
    assert "not-to-be-printed" not in outcome.stderr
    assert outcome.exit_code == ("error: " in outcome.stderr)
    return [line for line in outcome.stderr.splitlines() if not line.startswith("verified: ")]


def changed(*mutations: Mutate) -> Objects:
    objects = deepcopy(RENDERED)
    for mutate in mutations:
        mutate(objects)
    return objects


def find(objects: Objects, who: str) -> dict[str, Any]:
    (found,) = [one for one in objects if f"{one['kind']}/{one['metadata']['name']}" == who]
    return found


def at(value: Any, field: Field) -> Any:
    for step in field:
        value = value.setdefault(step, {}) if isinstance(value, dict) else value[step]
    return value


def put(who: str, *field: str | int, value: Any) -> Mutate:
    """Give a field of an object another value, or a list another entry."""

    def mutate(objects: Objects) -> None:
        above, last = at(find(objects, who), field[:-1]), field[-1]
        if isinstance(above, list) and last == len(above):
            above.append(value)
        else:
            above[last] = value

    return mutate


def cut(who: str, *field: str | int) -> Mutate:
    """Remove a field or an entry of a list."""

    def mutate(objects: Objects) -> None:
        del at(find(objects, who), field[:-1])[field[-1]]

    return mutate


def annotate(who: str, **annotations: str) -> Mutate:
    """Add annotations of Argo CD: `sync_wave`, `hook`."""

    def mutate(objects: Objects) -> None:
        named = {
            f"argocd.argoproj.io/{name.replace('_', '-')}": value
            for name, value in annotations.items()
        }
        at(find(objects, who), ANNOTATIONS).update(named)

    return mutate


def remove(*names: str) -> Mutate:
    """Remove objects."""

    def mutate(objects: Objects) -> None:
        for who in names:
            objects.remove(find(objects, who))

    return mutate


def add(one: str | dict[str, Any]) -> Mutate:
    """Add an object, or a copy of one."""

    def mutate(objects: Objects) -> None:
        objects.append(deepcopy(find(objects, one) if isinstance(one, str) else one))

    return mutate


def left_over(name: str) -> dict[str, Any]:
    """Build a revision as an earlier rendering in place has left it, with the protection of Argo CD."""
    annotations = {
        keys.BASE_NAME: name.rpartition("-")[0],
        keys.WANTED: "true",
        "argocd.argoproj.io/sync-options": "Prune=false",
        "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
    }
    item = config_map(name, **annotations)
    return {
        **item,
        "metadata": {**item["metadata"], "labels": {keys.SET: "shop"}},
        "immutable": True,
    }


def replace(old: str, new: str) -> Mutate:
    """Replace a pattern everywhere."""

    def mutate(objects: Objects) -> None:
        text = json.dumps(objects)
        assert re.search(old, text)
        objects[:] = json.loads(re.sub(old, new, text))

    return mutate


def everywhere(name: str, values: dict[str, str], *, pods: bool = False) -> Mutate:
    """Add labels or annotations to all objects, and to their pod templates."""

    def mutate(objects: Objects) -> None:
        for one in objects:
            at(one, ("metadata", name)).update(values)
            if pods and "template" in one.get("spec", {}):
                at(one, (*POD, "metadata", name)).update(values)

    return mutate


def twice(objects: Objects) -> None:
    objects += deepcopy(objects)


def suffixed(objects: Objects) -> None:
    """Add a suffix as kustomize does: to all names, and to the references that it knows."""
    for old in {one["metadata"]["name"] for one in objects if one["kind"] != "Rollout"}:
        replace(f'"{re.escape(old)}"', f'"{old}-eu"')(objects)


def workload(name: str, config: str) -> dict[str, Any]:
    container = {"name": "app", "image": "app", "envFrom": [{"configMapRef": {"name": config}}]}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": spec,
    }


def config_map(name: str, **annotations: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop", "annotations": annotations}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"A": "b"}}


def key_ref(
    who: str, key: str, config: str = "ConfigMap/api-config-m57m2ddh75", **optional: bool
) -> Mutate:
    """Let the first container have a variable of a key."""
    kind, name = config.split("/")
    reference = {"name": name, "key": key, **optional}
    field = "configMapKeyRef" if kind == "ConfigMap" else "secretKeyRef"
    return put(who, *LINK, "env", value=[{"name": "ONE", "valueFrom": {field: reference}}])


def volume_of(who: str, key: str, **optional: bool) -> Mutate:
    """Let the pods have a volume with one key of a ConfigMap."""
    source = {"name": "api-config-m57m2ddh75", "items": [{"key": key, "path": "one"}], **optional}
    return put(who, *POD, "spec", "volumes", value=[{"name": "one", "configMap": source}])


OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "none", "uid": "0e0a4e2c-1111"}
SECRET_OF_WEB = {"name": "web", "secret": {"secretName": "web-config-mffg77kmb5"}}
VOLUME = {"name": "web", "configMap": {"name": "api-config-m57m2ddh75"}}
MISTAKES: list[tuple[str, list[Mutate]]] = [
    ("the content of a ConfigMap has changed", [put(WEB, "data", "LOG_LEVEL", value="debug")]),
    (
        "the content of a Secret has changed",
        [put(SECRET, "stringData", "PASSWORD", value="not-to-be-printed-2")],
    ),
    (
        "the name of a ConfigMap has another letter",
        [put(WEB, "metadata", "name", value="web-config-mffg77kmb6")],
    ),
    (
        "a reference has the base name",
        [put("Deployment/api", *ENV_FROM, "configMapRef", "name", value="api-config")],
    ),
    (
        "a reference is to another revision",
        [put("Deployment/api", *ENV_FROM, "configMapRef", "name", value="api-config-2222222222")],
    ),
    (
        "a reference lacks a letter of the hash",
        [put("Deployment/api", *ENV_FROM, "configMapRef", "name", value="api-config-m57m2ddh7")],
    ),
    (
        "a reference has a letter too many",
        [put("Deployment/api", *ENV_FROM, "configMapRef", "name", value="api-config-m57m2ddh755")],
    ),
    (
        "a reference has a letter that no hash has",
        [put("Deployment/api", *ENV_FROM, "configMapRef", "name", value="api-config-m57m2ddh7a")],
    ),
    (
        "a reference has another base name",
        [put("Deployment/api", *ENV_FROM, "configMapRef", "name", value="ap-config-m57m2ddh75")],
    ),
    ("a variable is of a key that the revision does not have", [key_ref("Deployment/api", "NONE")]),
    (
        "a variable is of a key that a Secret does not have",
        [key_ref("Deployment/api", "NONE", SECRET)],
    ),
    ("a volume has a key that the revision does not have", [volume_of("Deployment/api", "NONE")]),
    (
        "a revision has the label of the linker's objects",
        [put(WEB, "metadata", "labels", keys.COMPONENT, value="linker")],
    ),
    ("a revision is only for tools", [put(WEB, *ANNOTATIONS, keys.LOCAL_CONFIG, value="true")]),
    ("the Job is only for tools", [put(JOB, *ANNOTATIONS, keys.LOCAL_CONFIG, value="true")]),
    ("a tracker is only for tools", [put(TRACKER, *ANNOTATIONS, keys.LOCAL_CONFIG, value="")]),
    (
        "a revision that only a Role names is no longer retained",
        [cut(FLAGS, *ANNOTATIONS, keys.RETAIN)],
    ),
    ("retained is false", [put(FLAGS, *ANNOTATIONS, keys.RETAIN, value="false")]),
    ("a revision is retained that pods read", [put(WEB, *ANNOTATIONS, keys.RETAIN, value="true")]),
    ("a revision is not wanted", [cut(WEB, *ANNOTATIONS, keys.WANTED)]),
    ("wanted is false", [put(SECRET, *ANNOTATIONS, keys.WANTED, value="false")]),
    ("a revision lacks the label of its set", [cut(WEB, "metadata", "labels", keys.SET)]),
    (
        "a revision has the label of another set",
        [put(WEB, "metadata", "labels", keys.SET, value="shp")],
    ),
    (
        "a revision that only a Role names lacks the label of its set",
        [cut(FLAGS, "metadata", "labels", keys.SET)],
    ),
    ("a revision lacks its base name", [cut(WEB, *ANNOTATIONS, keys.BASE_NAME)]),
    (
        "a revision that only a Role names lacks its base name",
        [cut(FLAGS, *ANNOTATIONS, keys.BASE_NAME)],
    ),
    (
        "nothing reads a revision that is left over, which is said once",
        [add(left_over("old-config-b9t2424hkf"))],
    ),
    (
        "an earlier revision of what is rendered is left over",
        [add(left_over("web-config-b9t2424hkf"))],
    ),
    ("a base name lacks a letter", [put(WEB, *ANNOTATIONS, keys.BASE_NAME, value="web-confi")]),
    (
        "a base name has another letter",
        [put(WEB, *ANNOTATIONS, keys.BASE_NAME, value="web-xonfig")],
    ),
    ("a revision may be pruned", [cut(WEB, *ANNOTATIONS, "argocd.argoproj.io/sync-options")]),
    (
        "a revision is reported as obsolete",
        [cut(SECRET, *ANNOTATIONS, "argocd.argoproj.io/compare-options")],
    ),
    (
        "a revision has other options only",
        [put(WEB, *ANNOTATIONS, "argocd.argoproj.io/sync-options", value="ServerSideApply=true")],
    ),
    (
        "kustomize adds another hash",
        [put(WEB, *ANNOTATIONS, "internal.config.kubernetes.io/needsHashSuffix", value="enabled")],
    ),
    ("kapp adds a version", [put(WEB, *ANNOTATIONS, "kapp.k14s.io/versioned", value="")]),
    ("a revision has an owner", [put(WEB, "metadata", "ownerReferences", value=[OWNER])]),
    ("the inventory has an owner", [put(INVENTORY, "metadata", "ownerReferences", value=[OWNER])]),
    ("a Job has an owner", [put(JOB, "metadata", "ownerReferences", value=[OWNER])]),
    ("a Secret has a finalizer", [put(SECRET, "metadata", "finalizers", value=["example.com/a"])]),
    ("a tracker has the id of a live object", [put(TRACKER, "metadata", "uid", value="0e0a4e2c")]),
    ("a revision is immutable as text", [put(WEB, "immutable", value="true")]),
    ("a label is no text", [put(INVENTORY, "metadata", "labels", "team", value=1)]),
    ("the inventory is immutable", [put(INVENTORY, "immutable", value=True)]),
    ("a tracker has bytes", [put(TRACKER, "binaryData", value={"a": "AA=="})]),
    (
        "a volume is of a Secret with the name of a ConfigMap",
        [put("Deployment/api", *POD, "spec", "volumes", value=[SECRET_OF_WEB])],
    ),
    (
        "two volumes have one name",
        [put("Deployment/api", *POD, "spec", "volumes", value=[VOLUME, VOLUME])],
    ),
    ("the Role is about URLs", [put(ROLE, "rules", 0, "nonResourceURLs", value=["/healthz"])]),
    ("a ConfigMap is missing", [remove(WEB)]),
    ("a Secret is missing", [remove(SECRET)]),
    ("a revision that only a Role names is missing", [remove(FLAGS)]),
    (
        "two objects of one id have different data",
        [lambda objects: objects.append(find(objects, WEB) | {"data": {"LOG_LEVEL": "debug"}})],
    ),
    ("the same file is there twice", [twice]),
    ("a ConfigMap is in a later wave than its workload", [annotate(API, sync_wave="1")]),
    ("a ConfigMap is moved behind its workload", [annotate(PAGE, sync_wave="4")]),
    ("a Secret is in a later wave than its workload", [annotate(SECRET, sync_wave="4")]),
    ("a workload is moved before its ConfigMap", [annotate("Deployment/page", sync_wave="1")]),
    ("a ConfigMap is a hook", [annotate(API, hook="PreSync")]),
    ("a ConfigMap is a hook that runs afterwards", [annotate(API, hook="PostSync")]),
    (
        "a ConfigMap is a hook of Helm",
        [put(API, *ANNOTATIONS, "helm.sh/hook", value="pre-install")],
    ),
    ("a revision that only a Role names is a hook", [annotate(FLAGS, hook="Sync")]),
    ("a ConfigMap lacks its namespace", [cut(API, "metadata", "namespace")]),
    ("a workload lacks its namespace", [cut("Deployment/api", "metadata", "namespace")]),
    ("a ConfigMap is in another namespace", [put(API, "metadata", "namespace", value="other")]),
    ("a Secret is in another namespace", [put(SECRET, "metadata", "namespace", value="other")]),
    (
        "a workload is in another namespace",
        [put("Deployment/api", "metadata", "namespace", value="other")],
    ),
    (
        "the name of a revision has a suffix",
        [put(FLAGS, "metadata", "name", value="flags-btcmhf98hh-eu")],
    ),
    ("kustomize has added a suffix to all names", [suffixed]),
    ("a workload is missing", [remove("Deployment/api")]),
    ("a workload has another name", [put("Deployment/api", "metadata", "name", value="api-2")]),
    ("a new workload reads a revision", [add(workload("new", "api-config-m57m2ddh75"))]),
    ("a new workload reads a base name", [add(workload("new", "api-config"))]),
    (
        "a new workload reads a name that lacks a letter",
        [add(workload("new", "api-config-m57m2ddh7"))],
    ),
    (
        "a rule lacks the revision",
        [put("Role/reader", "rules", 0, "resourceNames", value=["flags"])],
    ),
    (
        "a name in a rule lacks a letter",
        [put("Role/reader", "rules", 0, "resourceNames", value=["flags", "flags-btcmhf98h"])],
    ),
    ("a Job is missing", [remove(JOB)]),
    ("both Jobs are missing", [remove(JOB, LATE_JOB)]),
    ("the Job is a PreSync hook", [annotate(JOB, hook="PreSync")]),
    ("the Job is a PostSync hook", [annotate(JOB, hook="PostSync")]),
    ("the Job is a hook of Helm", [put(JOB, *ANNOTATIONS, "helm.sh/hook", value="post-install")]),
    (
        "kustomize has changed the image of the Job",
        [put(JOB, *LINK, "image", value="registry.example/krm-fn:0.3.0")],
    ),
    ("the Job has no image", [put(JOB, *LINK, "image", value="")]),
    ("the image of the Job is none", [put(JOB, *LINK, "image", value="registry.example/krm fn")]),
    (
        "the Job has another ServiceAccount",
        [put(JOB, *POD, "spec", "serviceAccountName", value="default")],
    ),
    (
        "a patch has changed the pods of the Job",
        [put(JOB, *POD, "spec", "nodeSelector", value={"zone": "a"})],
    ),
    (
        "a patch has added a label to the pods of the Job alone",
        [put(JOB, *POD, "metadata", "labels", "team", value="a")],
    ),
    (
        "a patch lets the cluster delete the Job",
        [put(JOB, "spec", "ttlSecondsAfterFinished", value=60)],
    ),
    ("the Job does not wait for a workload", [cut(JOB, *LINK, "args", 2)]),
    ("the Job is of another set", [put(JOB, *LINK, "args", 1, value="--set=shp")]),
    ("the Job runs something else", [put(JOB, *LINK, "args", 0, value="render")]),
    ("the Job has another timeout", [put(JOB, *LINK, "args", 8, value="--timeout=60")]),
    ("the Job has another name", [put(JOB, "metadata", "name", value="shop-link-2222222222")]),
    ("the Job is in another namespace", [put(JOB, "metadata", "namespace", value="other")]),
    ("the Job lacks its namespace", [cut(JOB, "metadata", "namespace")]),
    ("the Job is of another version", [put(JOB, "apiVersion", value="batch/v1beta1")]),
    ("the Job is in another wave", [annotate(JOB, sync_wave="5")]),
    ("the Job is there twice", [add(JOB)]),
    (
        "the Job of another rendering is left",
        [
            lambda objects: objects.append(
                find(deepcopy(objects), JOB)
                | {"metadata": find(objects, JOB)["metadata"] | {"name": "shop-link-2222222222"}}
            )
        ],
    ),
    (
        "the Job has the label of another set",
        [put(JOB, "metadata", "labels", keys.SET, value="shp")],
    ),
    (
        "the Job is not known as that of the linker",
        [cut(JOB, "metadata", "labels", keys.COMPONENT)],
    ),
    ("the inventory is missing", [remove(INVENTORY)]),
    ("the inventory is in a later wave", [annotate(INVENTORY, sync_wave="5")]),
    ("a revision is moved before the inventory", [annotate(API, sync_wave="-1")]),
    ("the inventory is a hook", [annotate(INVENTORY, hook="PreSync")]),
    (
        "the inventory lists less",
        [put(INVENTORY, *ANNOTATIONS, keys.RENDERED, value="web-config-mffg77kmb5")],
    ),
    (
        "the inventory has another name",
        [put(INVENTORY, "metadata", "name", value="shop-linker-eu")],
    ),
    (
        "the inventory is in another namespace",
        [put(INVENTORY, "metadata", "namespace", value="other")],
    ),
    ("the inventory lacks its namespace", [cut(INVENTORY, "metadata", "namespace")]),
    ("a tracker is missing", [remove(TRACKER)]),
    ("a tracker is not wanted", [cut(TRACKER, *ANNOTATIONS, keys.WANTED)]),
    ("a tracker has another base name", [put(TRACKER, *ANNOTATIONS, keys.BASE_NAME, value="db")]),
    (
        "a tracker stands for something else",
        [put(TRACKER, *ANNOTATIONS, keys.STANDS_FOR, value="ExternalSecret")],
    ),
    ("a tracker may be pruned", [cut(TRACKER, *ANNOTATIONS, "argocd.argoproj.io/sync-options")]),
    ("a tracker is in a later wave than its Secret", [annotate(TRACKER, sync_wave="5")]),
    ("a tracker is in another namespace", [put(TRACKER, "metadata", "namespace", value="other")]),
    ("a tracker holds something", [put(TRACKER, "data", value={"A": "b"})]),
    (
        "a tracker has the label of another set",
        [put(TRACKER, "metadata", "labels", keys.SET, value="shp")],
    ),
    ("the ServiceAccount is missing", [remove(ACCOUNT)]),
    ("the ServiceAccount has another name", [put(ACCOUNT, "metadata", "name", value="shop")]),
    (
        "the ServiceAccount is in another namespace",
        [put(ACCOUNT, "metadata", "namespace", value="other")],
    ),
    ("the ServiceAccount is in a later wave than the Job", [annotate(ACCOUNT, sync_wave="5")]),
    ("the Role is missing", [remove(ROLE)]),
    ("the Role allows nothing", [put(ROLE, "rules", value=[])]),
    ("the Role does not know of Secrets", [cut(ROLE, "rules", RULE["secrets"])]),
    (
        "the Role does not name a Secret",
        [put(ROLE, "rules", RULE["secrets"], "resourceNames", value=["api-db-kc4g25g54d"])],
    ),
    (
        "the Role does not let the linker patch Secrets",
        [put(ROLE, "rules", RULE["secrets"], "verbs", value=["get"])],
    ),
    (
        "the Role is about Secrets of another group",
        [put(ROLE, "rules", RULE["secrets"], "apiGroups", value=["apps"])],
    ),
    (
        "the Role does not let the linker delete",
        [put(ROLE, "rules", RULE["configmaps"], "verbs", value=["list", "patch"])],
    ),
    (
        "the Role names the ConfigMaps of its rule",
        [put(ROLE, "rules", RULE["configmaps"], "resourceNames", value=["shop-linker"])],
    ),
    (
        "the Role does not let the linker list ReplicaSets",
        [put(ROLE, "rules", RULE["deployments"], "resources", value=["deployments"])],
    ),
    ("the Role does not let the linker list Rollouts", [cut(ROLE, "rules", RULE["rollouts"])]),
    ("the Role does not let the linker create Events", [cut(ROLE, "rules", RULE["events"])]),
    ("the Role is in a later wave than the Job", [annotate(ROLE, sync_wave="5")]),
    (
        "the Role is of another version",
        [put(ROLE, "apiVersion", value="rbac.authorization.k8s.io/v1beta1")],
    ),
    ("the RoleBinding is missing", [remove(BINDING)]),
    ("the RoleBinding is to another Role", [put(BINDING, "roleRef", "name", value="reader")]),
    ("the RoleBinding is to a ClusterRole", [put(BINDING, "roleRef", "kind", value="ClusterRole")]),
    (
        "the RoleBinding is for another ServiceAccount",
        [put(BINDING, "subjects", 0, "name", value="default")],
    ),
    (
        "the RoleBinding is for another namespace",
        [put(BINDING, "subjects", 0, "namespace", value="other")],
    ),
    ("the RoleBinding is for a user", [put(BINDING, "subjects", 0, "kind", value="User")]),
    ("the RoleBinding is for nobody", [put(BINDING, "subjects", value=[])]),
    (
        "the RoleBinding is in another namespace",
        [put(BINDING, "metadata", "namespace", value="other")],
    ),
]
"""Found without a configuration, if it is known who deploys."""

WITH_CONFIGURATION: list[tuple[str, list[Mutate]]] = [
    ("a revision may be edited", [cut(WEB, "immutable")]),
    (
        "a new workload reads a ConfigMap that is not rendered",
        [add(config_map("new-config")), add(workload("new", "new-config"))],
    ),
    (
        "a ConfigMap that is to be renamed is not rendered",
        [add(config_map("new-config", **{keys.STRATEGY: "rename"}))],
    ),
    (
        "a revision may be pruned by the configured deployer",
        [cut(WEB, *ANNOTATIONS, "argocd.argoproj.io/sync-options")],
    ),
    ("a revision is to be left alone", [put(FLAGS, *ANNOTATIONS, keys.STRATEGY, value="ignore")]),
]
"""Found with the configuration only."""

FLUX = "kustomize.toolkit.fluxcd.io"
PASSED_OVER: list[tuple[str, list[Mutate]]] = [
    (
        "Flux does not apply a revision",
        [put(WEB, *ANNOTATIONS, f"{FLUX}/reconcile", value="disabled")],
    ),
    (
        "Flux does not apply the Job, as a label says",
        [put(JOB, "metadata", "labels", f"{FLUX}/reconcile", value="Disabled")],
    ),
    ("Flux ignores a tracker", [put(TRACKER, *ANNOTATIONS, f"{FLUX}/ssa", value="Ignore")]),
    (
        "Flux applies the inventory once only",
        [put(INVENTORY, *ANNOTATIONS, f"{FLUX}/ssa", value="IfNotPresent")],
    ),
    ("kapp does not apply the Role", [put(ROLE, *ANNOTATIONS, "kapp.k14s.io/noop", value="")]),
    (
        "kapp expects that a revision exists",
        [put(WEB, *ANNOTATIONS, "kapp.k14s.io/exists", value="")],
    ),
    ("kluctl ignores the Job", [put(JOB, *ANNOTATIONS, "kluctl.io/ignore", value="true")]),
    ("kluctl deletes a tracker", [put(TRACKER, *ANNOTATIONS, "kluctl.io/delete", value="true")]),
]
"""Found where nobody says who deploys, or where that is this deployer."""

PASSED_OVER_BY_OTHERS: list[tuple[str, str, str, list[str]]] = [
    (
        "Config Sync does not manage a revision",
        "configmanagement.gke.io/managed",
        "disabled",
        ["Config Sync does not apply it, or not again"],
    ),
    ("Config Sync manages it", "configmanagement.gke.io/managed", "enabled", []),
    (
        "Config Sync does not change it",
        "client.lifecycle.config.k8s.io/mutation",
        "ignore",
        ["Config Sync does not apply it, or not again"],
    ),
    (
        "werf creates a revision again",
        "werf.io/delete-policy",
        "before-creation, failed",
        ["werf deletes it and creates it again, without its owners"],
    ),
    (
        "werf creates it again if it cannot change it",
        "werf.io/delete-policy",
        "before-creation-if-immutable",
        [],
    ),
    (
        "werf never creates it",
        "werf.io/resource-policy",
        "skip-create,skip-update",
        ["werf does not apply it, or not again"],
    ),
]
"""Found whoever is named as the deployer: these have no name in `spec.deployers`."""

EXPECTED: dict[str, list[str]] = (
    yaml.load(FINDINGS.read_text(), yaml.CSafeLoader) if FINDINGS.exists() else {}
)
DEPLOYER = VerifyOptions(deployers=("argocd",))


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> VerifyOptions:
    file = tmp_path_factory.mktemp("config") / "krm-fn.yaml"
    file.write_text(CONFIG)
    return VerifyOptions(str(file))


def test_the_rendering_verifies(configured: VerifyOptions) -> None:
    assert (
        findings(RENDERED, DEPLOYER)
        == findings(RENDERED, configured)
        == findings(RENDERED, VerifyOptions())
        == []
    )


TELLING = {"the content of a ConfigMap has changed", "the content of a Secret has changed"}
"""Those that notice a mistake of tests/mutants/telling.py."""


@pytest.mark.rows(test=20)
@pytest.mark.parametrize(
    ("name", "mutations"),
    [
        pytest.param(*row, id=row[0], marks=[pytest.mark.always] if row[0] in TELLING else [])
        for row in MISTAKES
    ],
)
def test_a_mistake_is_found(name: str, mutations: list[Mutate], configured: VerifyOptions) -> None:
    found = findings(changed(*mutations), DEPLOYER)
    assert found == EXPECTED[name]
    assert any(line.startswith("error: ") for line in found)
    assert any(line.startswith("error: ") for line in findings(changed(*mutations), configured))


@pytest.mark.parametrize(
    ("name", "mutations"), WITH_CONFIGURATION, ids=[name for name, _ in WITH_CONFIGURATION]
)
def test_the_configuration_finds(
    name: str, mutations: list[Mutate], configured: VerifyOptions
) -> None:
    found = findings(changed(*mutations), configured)
    assert found == EXPECTED[name]
    assert any(line.startswith("error: ") for line in found)


@pytest.mark.parametrize(("name", "mutations"), PASSED_OVER, ids=[name for name, _ in PASSED_OVER])
def test_what_a_deployer_passes_over_is_found(
    name: str, mutations: list[Mutate], configured: VerifyOptions
) -> None:
    objects = changed(*mutations)
    assert findings(objects, VerifyOptions()) == EXPECTED[name]
    assert all(line.startswith("error: ") for line in EXPECTED[name])
    other = name.split(maxsplit=1)[0].lower()
    assert set(EXPECTED[name]) <= set(findings(objects, VerifyOptions(deployers=("argocd", other))))
    assert findings(objects, DEPLOYER) == findings(objects, configured) == []


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [pytest.param(*row, id=name) for name, *row in PASSED_OVER_BY_OTHERS],
)
def test_what_a_program_without_a_name_passes_over_is_found(
    annotation: str, value: str, expected: list[str], configured: VerifyOptions
) -> None:
    objects = changed(put(WEB, *ANNOTATIONS, annotation, value=value))
    who = f"error: ConfigMap/shop/web-config-mffg77kmb5 metadata.annotations[{annotation}]: "
    said = [f"{who}{one}; remove this" for one in expected]
    assert findings(objects, DEPLOYER) == findings(objects, configured) == said


def test_every_finding_is_of_a_mistake() -> None:
    assert [*EXPECTED] == [name for name, _ in (*MISTAKES, *WITH_CONFIGURATION, *PASSED_OVER)]


@pytest.mark.parametrize(
    ("annotation", "severity"),
    [("internal.config.kubernetes.io/path", "warning"), ("argocd.argoproj.io/sync-wave", "error")],
)
def test_equal_revisions_may_be_of_two_files(annotation: str, severity: str) -> None:
    objects = changed()
    objects.append(deepcopy(find(objects, WEB)))
    at(objects[-1], ANNOTATIONS)[annotation] = "-1"
    line = next(one for one in findings(objects, DEPLOYER) if "is in the input twice" in one)
    assert line.startswith(f"{severity}: ConfigMap/shop/web-config-mffg77kmb5")


def test_equal_revisions_are_only_warned_about(configured: VerifyOptions) -> None:
    """As two subpackages of kpt have them, whose folders the output does not name any more."""
    objects = changed(add(WEB), add(SECRET))
    for options in (DEPLOYER, configured):
        first, second = findings(objects, options)
        assert first.startswith(
            "warning: ConfigMap/shop/web-config-mffg77kmb5: is in the input twice"
        )
        assert second.startswith("warning: Secret/shop/api-db-(hash): is in the input twice")


OF_CHART = config_map("chart")
OF_CHART["metadata"]["labels"] = {"helm.sh/chart": "shop-1.0"}
MADE_ANEW = deepcopy(OF_CHART)
MADE_ANEW["metadata"]["annotations"] = {"revisions.krm-fn.io/made-anew": "true"}
LEGAL: list[tuple[str, list[Mutate]]] = [
    ("another namespace everywhere", [replace('"namespace": "shop"', '"namespace": "store"')]),
    ("another label everywhere", [everywhere("labels", {"team": "a"})]),
    ("another label everywhere, pods included", [everywhere("labels", {"team": "a"}, pods=True)]),
    ("another annotation everywhere", [everywhere("annotations", {"example.com/owner": "a"})]),
    (
        "another annotation everywhere, pods included",
        [everywhere("annotations", {"example.com/owner": "a"}, pods=True)],
    ),
    ("the mark of Argo CD on an object", [annotate(JOB, tracking_id="shop:batch/Job:shop/x")]),
    ("another order", [lambda objects: objects.reverse()]),
    (
        "sorted keys",
        [
            lambda objects: objects.__setitem__(
                slice(None), json.loads(json.dumps(objects, sort_keys=True))
            )
        ],
    ),
    (
        "an unrelated ConfigMap and a workload",
        [add(config_map("other")), add(workload("other", "from-elsewhere"))],
    ),
    ("an unrelated Rollout", [add({**workload("other", "x"), **ROLLOUT})]),
    (
        "a ConfigMap that its Helm chart makes anew each time",
        [add(MADE_ANEW), add(workload("other", "chart"))],
    ),
    ("other replicas", [put("Deployment/api", "spec", "replicas", value=5)]),
    (
        "another image of the application",
        [put("Deployment/api", *LINK, "image", value="registry.example/api:2.0")],
    ),
    (
        "an image by digest",
        [put("Deployment/api", *LINK, "image", value=f"registry.example/api@sha256:{'a' * 64}")],
    ),
    (
        "a right more for the linker",
        [put(ROLE, "rules", RULE["events"], "verbs", value=["create", "patch"])],
    ),
    ("a variable that may be missing", [key_ref("Deployment/api", "NONE", optional=True)]),
    ("a volume whose key may be missing", [volume_of("Deployment/api", "NONE", optional=True)]),
    ("a key that the revision has", [key_ref("Deployment/api", "DB_POOL")]),
    (
        "another account that the Role is bound to",
        [
            put(
                BINDING,
                "subjects",
                1,
                value={"kind": "User", "name": "me", "apiGroup": "rbac.authorization.k8s.io"},
            )
        ],
    ),
    ("Flux merges what it applies", [put(WEB, *ANNOTATIONS, f"{FLUX}/ssa", value="Merge")]),
    ("not only for tools", [put(JOB, *ANNOTATIONS, keys.LOCAL_CONFIG, value="false")]),
    (
        "secrets to pull images of the ServiceAccount",
        [put(ACCOUNT, "imagePullSecrets", value=[{"name": "pull"}])],
    ),
    ("an earlier wave of the inventory", [annotate(INVENTORY, sync_wave="-1")]),
    (
        "a later wave of what starts no pods",
        [annotate("ConfigMap/report-config-df75df2bkd", sync_wave="5")],
    ),
    ("a status", [put("Deployment/api", "status", value={"replicas": 2})]),
    (
        "two further options of Argo CD",
        [put(WEB, *ANNOTATIONS, OPTIONS, value="Prune=false,ServerSideApply=true")],
    ),
]


@pytest.mark.parametrize(
    "mutations", [pytest.param(mutations, id=name) for name, mutations in LEGAL]
)
def test_a_legal_change_is_none(mutations: list[Mutate], configured: VerifyOptions) -> None:
    objects = changed(*mutations)
    assert json.dumps(objects) != json.dumps(RENDERED)
    assert findings(objects, DEPLOYER) == findings(objects, configured) == []


@pytest.mark.parametrize("who", [API, "Deployment/api"])
def test_an_object_may_lack_the_namespace_that_its_deployer_sets(who: str) -> None:
    objects = changed(cut(who, "metadata", "namespace"))
    assert findings(objects, DEPLOYER._replace(namespace="shop")) == []


def test_kustomize_may_format_it_again() -> None:
    stream = yaml.safe_dump_all(RENDERED, default_flow_style=True, width=60)
    outcome = verify("-", stream.encode(), DEPLOYER)
    assert (outcome.exit_code, outcome.stderr.partition(":")[0]) == (0, "verified")


HARMLESS = {
    r".* metadata\.labels\.app\.kubernetes\.io/managed-by": "nobody acts on it: it tells people who manages the object",
    r".* immutable": "only a configuration says that it must be there, and an author may have written it",
    r"(ConfigMap|Secret)/.* cut .*sync-options": "a value of the author, which is a warning",
    r"(Rollout|Deployment|CronJob)/.* remove .*[rR]ef\.name": "no reference any more, which the API server refuses",
    r"Rollout/web remove spec\.template\.spec\.volumes.*": "no reference any more, and another one is left",
    rf"{FLAGS} (cut|letter) .*/set": "a set without a linker, as another package may have",
    rf"{LATE_TRACKER} (cut|letter|remove) .*/sync-wave": "an earlier wave does no harm",
}
"""What may be missed of a field that the function has written, and why."""


def written(place: int) -> Iterator[Field]:
    """Yield the fields of an object that the function has written: it has others than the author's, or is new."""
    authored = [*yaml.load_all(AUTHORED, yaml.CSafeLoader)]
    before = dict(walk(authored[place])) if place < len(authored) else {}
    for field, value in walk(RENDERED[place]):
        if (
            field
            and before.get(field) != value
            and not (field in before and isinstance(value, dict | list))
        ):
            yield field


def walk(value: Any, field: Field = ()) -> Iterator[tuple[Field, Any]]:
    yield field, value
    for key, inner in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value if isinstance(value, list) else ())
    ):
        yield from walk(inner, (*field, key))


def spoiled(value: Any) -> dict[str, Any]:
    """Return what a mistake may make of a value."""
    if isinstance(value, bool):
        return {"flip": not value}
    if isinstance(value, int):
        return {"add": value + 1}
    if isinstance(value, str) and value:
        middle = len(value) // 2
        return {
            "cut": value[:-1],
            "letter": f"{value[:middle]}{'xy'[value[middle] == 'x']}{value[middle + 1 :]}",
        }
    return {}


@pytest.mark.rows(test=1, submission=6)
@pytest.mark.volume
@pytest.mark.parametrize(
    "place",
    range(len(RENDERED)),
    ids=[f"{one['kind']}/{one['metadata']['name']}" for one in RENDERED],
)
def test_nothing_that_the_function_wrote_may_change(place: int) -> None:
    one = RENDERED[place]
    who = f"{one['kind']}/{one['metadata']['name']}"
    missed = []
    tried = 0
    for field in written(place):
        objects = deepcopy(RENDERED)
        above, last = at(objects[place], field[:-1]), field[-1]
        ways = {**spoiled(above[last]), "remove": None}
        for how in in_turn([*ways], tried):
            above[last] = ways[how]
            if how == "remove":
                del above[last]
            missed += [] if is_found(objects) else [f"{who} {how} {'.'.join(map(str, field))}"]
        tried += 1
    assert tried or who == "Role/reader"
    assert [
        one for one in missed if not any(re.fullmatch(pattern, one) for pattern in HARMLESS)
    ] == []


@pytest.mark.parametrize("wrong", ["other", None])
def test_no_object_may_change_its_namespace(wrong: str | None) -> None:
    for place in range(len(RENDERED)):
        objects = deepcopy(RENDERED)
        metadata = objects[place]["metadata"]
        metadata.update(namespace=wrong) if wrong else metadata.pop("namespace")
        if metadata["name"] != "reader":  # the author's alone
            assert is_found(objects), metadata["name"]


def is_found(objects: Objects) -> bool:
    return any(line.startswith("error: ") for line in findings(objects, DEPLOYER))


def write() -> None:
    """Write the findings anew: `python -m tests.verify.test_mistakes`.

    Read them before you commit.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "krm-fn.yaml"
        file.write_text(CONFIG)
        found = {name: findings(changed(*mutations), DEPLOYER) for name, mutations in MISTAKES}
        found |= {
            name: findings(changed(*mutations), VerifyOptions(str(file)))
            for name, mutations in WITH_CONFIGURATION
        }
        found |= {
            name: findings(changed(*mutations), VerifyOptions()) for name, mutations in PASSED_OVER
        }
    FINDINGS.write_text(yaml.safe_dump(found, sort_keys=False, width=1000))


if __name__ == "__main__":
    write()
