"""What pods of a change need, and nothing has any more: each object of each fixture is deleted once.

The judge reads the two renderings as a kubelet would, by a table of its own: a pod that lacks what the same pod had
does not start.
"""

import copy
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base import keys
from krm_fn.base.problem import Outcome
from krm_fn.function import run
from krm_fn.tools.diff.compare import compare
from krm_fn.tools.diff.pair import read_release
from krm_fn.tools.render.check import check
from tests.cases import ENVIRONMENT, TRANSFORMS, is_emitted
from tests.diff.test_properties import items_of, release_of
from tests.volume import one_of

Object = dict[str, Any]

TEMPLATES = {
    "Pod": (),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    **dict.fromkeys(
        ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "Rollout"),
        ("spec", "template"),
    ),
}
CONFIGS = ("ConfigMap", "Secret")
CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
MAKERS = ("Certificate", "ExternalSecret", "SealedSecret")
GONE = "is no longer rendered, and "


KEEPERS = {
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
    "helm.sh/resource-policy": "keep",
    "client.lifecycle.config.k8s.io/deletion": "detach",
    "kapp.k14s.io/delete-strategy": "orphan",
}
LOCAL = "config.kubernetes.io/local-config"


def objects_of(data: bytes) -> list[Object]:
    """Return what is applied."""
    (listed,) = yaml.load_all(data, yaml.CBaseLoader)
    objects = [one for one in listed["items"] if isinstance(one, dict)]
    return [
        one
        for one in objects
        if one.get("kind")
        and isinstance(one.get("metadata"), dict)
        and one["metadata"].get("name")
        and _annotations(one).get(LOCAL, "false").lower() == "false"
        and one["kind"] not in {"ConfigRevisions", "Kptfile", "Kustomization"}
    ]


def _annotations(one: Object) -> Object:
    found = (one.get("metadata") or {}).get("annotations")
    return found if isinstance(found, dict) else {}


def is_kept(one: Object) -> bool:
    """Tell whether a deployer leaves an object in the cluster that is rendered no more."""
    return any(value in str(_annotations(one).get(key)) for key, value in KEEPERS.items())


def find_needed(workload: Object) -> Iterator[tuple[str, str]]:
    """Yield kind and name of what a kubelet waits for before it starts a pod."""
    found: Any = workload
    for name in TEMPLATES[workload["kind"]]:
        found = (found or {}).get(name)
    spec = (found or {}).get("spec") or {}
    if not isinstance(spec, dict):
        return
    lists = [spec.get(name) or [] for name in CONTAINERS]
    sources: list[tuple[str, str, Any]] = []
    for container in filter(_is_mapping, chain.from_iterable(lists)):
        for one in filter(_is_mapping, container.get("envFrom") or []):
            sources += [("ConfigMap", "name", one.get("configMapRef"))]
            sources += [("Secret", "name", one.get("secretRef"))]
        for one in filter(_is_mapping, container.get("env") or []):
            value = one.get("valueFrom") or {}
            sources += [("ConfigMap", "name", value.get("configMapKeyRef"))]
            sources += [("Secret", "name", value.get("secretKeyRef"))]
    for volume in filter(_is_mapping, spec.get("volumes") or []):
        sources += [("ConfigMap", "name", volume.get("configMap"))]
        sources += [("Secret", "secretName", volume.get("secret"))]
        for one in (volume.get("projected") or {}).get("sources") or []:
            sources += [("ConfigMap", "name", one.get("configMap"))]
            sources += [("Secret", "name", one.get("secret"))]
    for kind, field, source in sources:
        if isinstance(source, dict) and source.get("optional") != "true" and source.get(field):
            yield kind, str(source[field])


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def find_absent(
    objects: list[Object], namespace: str, left: Iterable[Object] = ()
) -> dict[str, set[tuple[str, str]]]:
    """Return what each workload needs and nothing in the cluster is: `Deployment/shop/web`. `left`: of before."""

    def place(one: Object) -> str:
        return str(one["metadata"].get("namespace") or namespace)

    there = {(place(one), one["kind"], str(one["metadata"]["name"])) for one in (*objects, *left)}
    absent: dict[str, set[tuple[str, str]]] = {}
    made = _find_words([one for one in objects if one["kind"] in MAKERS])
    for one in objects:
        metadata = one["metadata"]
        if one["kind"] in TEMPLATES and not is_emitted(one):
            who = f"{one['kind']}/{place(one)}/{metadata.get('name')}"
            needed = {name for name in find_needed(one) if (place(one), *name) not in there}
            needed = {name for name in needed if name[1] not in made}
            absent[who] = absent.get(who, set()) | needed
    return absent


def _find_words(value: Any) -> set[str]:
    """Return what objects say of which a controller makes others: it may be a name of these."""
    if isinstance(value, dict | list):
        below = value.values() if isinstance(value, dict) else value
        return set().union(*map(_find_words, below))
    return {str(value)}


class Deleted:
    """A fixture without one of its ConfigMaps or Secrets: both renderings, and which workloads then wait in vain."""

    def __init__(self, package: Object, before: bytes, place: int) -> None:
        self.package = copy.deepcopy(package)
        self.gone = self.package["items"].pop(place)
        self.before = before
        self.after = run(_dump(self.package), environment=ENVIRONMENT).stdout
        old, new = objects_of(before), objects_of(self.after)
        spec = (package.get("functionConfig") or {}).get("spec")
        linker = (spec.get("linker") or {}) if isinstance(spec, dict) else {}
        namespace = str(linker.get("namespace") or release_of(before).package.namespace)
        self.namespace = namespace
        was, becomes = (
            find_absent(old, namespace),
            find_absent(new, namespace, filter(is_kept, old)),
        )
        # Some write the name of an earlier revision, as nobody does who reads what is deployed.
        name = self.gone["metadata"]["name"]
        self.is_named = any(name == word for one in becomes.values() for _, word in one)
        self.waiting = {who for who, absent in becomes.items() if absent - was.get(who, set())}


def _dump(value: Object) -> bytes:
    return yaml.dump(value, Dumper=yaml.CSafeDumper, sort_keys=False).encode()


def _dump_all(objects: list[Object]) -> bytes:
    return yaml.dump_all(objects, Dumper=yaml.CSafeDumper, sort_keys=False).encode()


def find_deleted(case: Path) -> Iterator[Deleted]:
    """Yield the fixture without each of its objects. What is refused then is no change that somebody applies."""
    try:
        package = yaml.load((case / "input.yaml").read_bytes(), yaml.CSafeLoader)
    except yaml.YAMLError:  # what only a reader that is not PyYAML takes
        return
    before = run(_dump(package), environment=ENVIRONMENT)
    places = [
        place
        for place, one in enumerate(package.get("items") or [])
        if isinstance(one, dict)
        and one.get("kind") in CONFIGS
        and one.get("apiVersion") == "v1"
        and LOCAL not in _annotations(one)
    ]
    if before.exit_code or keys.BASE_NAME in str(package):
        return
    for place in one_of(places, case.name):
        if package["items"][place].get("metadata", {}).get("name"):
            try:
                deleted = Deleted(package, before.stdout, place)
            except yaml.YAMLError:
                continue
            if b"severity: error" not in deleted.after:
                yield deleted


def judge(deleted: Deleted) -> None:
    """Compare what is announced with what a kubelet does."""
    old, new = (
        read_release(items_of(data), None, deleted.namespace)
        for data in (deleted.before, deleted.after)
    )
    difference = compare(old, new)
    announced = {one for change in difference.changes for one in change.missing}
    waiting = {_short(who) for who in deleted.waiting}
    of_kubelets = {
        one for one in announced if one.partition("/")[0] in TEMPLATES and one[-1] != "/"
    }
    assert of_kubelets == waiting, deleted.gone["metadata"]["name"]
    before, after = (_dump_all(objects_of(one)) for one in (deleted.before, deleted.after))
    outcome = check(Outcome(after, "", 0), "-", before, "")
    said = GONE in outcome.stderr
    assert said or not announced or not deleted.is_named, outcome.stderr
    # Where one side has no namespace, it may be the same.
    namespaces = {one["metadata"].get("namespace") for one in objects_of(deleted.before)}
    assert announced or not said or len(namespaces) > 1, outcome.stderr
    assert bool(outcome.exit_code) or not said
    same = check(Outcome(before, "", 0), "-", before, "")
    assert GONE not in same.stderr, "nothing is gone"


def _short(who: str) -> str:
    kind, _, name = who.split("/")
    return f"{kind}/{name}"


@pytest.mark.rows(test=8, submission=40)
@pytest.mark.volume
@pytest.mark.parametrize("case", TRANSFORMS, ids=lambda case: case.name)
def test_what_is_said_to_be_missing_is_what_a_pod_waits_for(case: Path) -> None:
    for deleted in find_deleted(case):
        judge(deleted)


RELEASED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: banner-9ht66f42tf
  namespace: shop
  labels: {revisions.krm-fn.io/set: shop}
  annotations: {revisions.krm-fn.io/base-name: banner, argocd.argoproj.io/sync-options: Prune=false}
data: {banner: hello}
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web, namespace: shop}
spec:
  template:
    spec: {containers: [{name: web, image: web, envFrom: [{configMapRef: {name: banner-9ht66f42tf}}]}]}
"""
LEAVING = [
    pytest.param(
        "banner", {"Rollout/web"}, id="a name that kustomize does not follow into a Rollout"
    ),
    pytest.param("banner-9ht66f42tf", set(), id="a name that follows"),
    pytest.param(
        "banner-ftdk29b96m", set(), id="a pin to an earlier revision, which may be in the cluster"
    ),
    pytest.param("other", set(), id="a name that was never rendered, as somebody else's"),
]


@pytest.mark.parametrize(("name", "missing"), LEAVING)
def test_a_package_that_leaves_and_one_name_stays_behind(name: str, missing: set[str]) -> None:
    """Kustomize's generators give the object its hash, and take the marks of krm-fn away."""
    objects = [*yaml.load_all(RELEASED, yaml.CSafeLoader)]
    before = copy.deepcopy(objects)
    del objects[0]["metadata"]["labels"], objects[0]["metadata"]["annotations"]
    container = objects[1]["spec"]["template"]["spec"]["containers"][0]
    container["envFrom"][0]["configMapRef"]["name"] = name
    old, new = (release_of(_dump_all(one)) for one in (before, objects))
    assert {one for change in compare(old, new).changes for one in change.missing} == missing
