"""Where cluster-scoped objects look, and what kustomize has named: packages judged by a model of who reads what where.

The model knows each kind's program by hand: it shares nothing with the table of facts. A reference must never be
rewritten into a namespace in which its reader does not look, and nothing may be renamed by default under a reader that
keeps the base name.
"""

import json
import re
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest

from krm_fn.base.item import Item
from krm_fn.base.kind import KINDS, Kinds
from krm_fn.core.references.lookups import Lookups
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.facts.scopes import SCOPES
from krm_fn.function import run
from tests.cases import ENVIRONMENT
from tests.volume import IS_QUICK, IS_WHOLE

HASH = re.compile("(.+)-[2456789bcdfghkmt]{10}")
CONTENT = {"a": "b"}
HASH_OF_CONTENT = "4h2mbtbbt6"


class Reader(NamedTuple):
    """A kind, how it names the object, and in which namespaces its program looks.

    `looks`: `own`, `each` (pods of any), `controller`, `unknown`, or a namespace. `image`, `option`: of the controller.
    """

    api_version: str
    kind: str
    spec: str
    looks: str
    image: str = ""
    option: str = ""
    home: str = ""
    names_namespace: bool = False


READERS = (
    Reader(
        "helm.toolkit.fluxcd.io/v2",
        "HelmRelease",
        '{"valuesFrom": [{"kind": "ConfigMap", %s}]}',
        "own",
    ),
    Reader(
        "keda.sh/v1alpha1",
        "TriggerAuthentication",
        '{"configMapTargetRef": [{"key": "a", %s}]}',
        "own",
    ),
    Reader(
        "apps.kruise.io/v1alpha1",
        "SidecarSet",
        '{"volumes": [{"name": "v", "configMap": {%s}}]}',
        "each",
    ),
    Reader(
        "argoproj.io/v1alpha1",
        "ClusterWorkflowTemplate",
        '{"templates": [{"container": {"envFrom": [{"configMapRef": {%s}}]}}]}',
        "each",
    ),
    Reader(
        "kyverno.io/v1",
        "ClusterPolicy",
        '{"rules": [{"mutate": {"patchStrategicMerge": {"spec": {"volumes": [{"configMap": {%s}}]}}}}]}',
        "each",
    ),
    Reader(
        "mutations.gatekeeper.sh/v1",
        "Assign",
        '{"parameters": {"assign": {"value": {"configMapRef": {%s}}}}}',
        "each",
    ),
    Reader(
        "external-secrets.io/v1",
        "ClusterSecretStore",
        '{"provider": {"vault": {"caProvider": {"type": "ConfigMap", "key": "a", %s}}}}',
        "each",
        names_namespace=True,
    ),
    Reader(
        "keda.sh/v1alpha1",
        "ClusterTriggerAuthentication",
        '{"configMapTargetRef": [{"key": "a", %s}]}',
        "controller",
        "ghcr.io/kedacore/keda:2.17.0",
        "",
        "keda",
    ),
    Reader(
        "trust.cert-manager.io/v1alpha1",
        "Bundle",
        '{"sources": [{"configMap": {"key": "a", %s}}]}',
        "controller",
        "quay.io/jetstack/trust-manager:v0.18.0",
        "--trust-namespace",
        "cert-manager",
    ),
    Reader(
        "pkg.crossplane.io/v1beta1",
        "DeploymentRuntimeConfig",
        '{"deploymentTemplate": {"spec": {"template": {"spec": {"volumes": [{"configMap": {%s}}]}}}}}',
        "controller",
        "xpkg.crossplane.io/crossplane/crossplane:v2.0.0",
        "",
        "crossplane-system",
    ),
    Reader(
        "config.openshift.io/v1",
        "OAuth",
        '{"identityProviders": [{"openID": {"ca": {%s}}}]}',
        "openshift-config",
        home="openshift-config",
    ),
    Reader("example.com/v1", "Widget", '{"configMapRef": {%s}}', "unknown", names_namespace=True),
)

FORMS = ("plain", "to hash", "hashed")


class Package(NamedTuple):
    reader: Reader
    places: tuple[str, ...]
    form: str
    is_selected: bool
    named: str | None
    written: str | None
    controller: str | None
    option: str

    def __str__(self) -> str:
        return json.dumps({**self._asdict(), "reader": self.reader.kind})

    @property
    def looked_into(self) -> set[str] | None:
        """The namespaces in which the reader may look; None for any, as nobody can know it."""
        reader = self.reader
        if self.named is not None:
            return {self.named}
        if reader.looks == "own":
            return {self.written or ""}
        if reader.looks == "controller":
            if self.controller is not None:
                return {self.option or self.controller}
            return {reader.home} if reader.home in self.places else None
        return None if reader.looks in ("each", "unknown") else {reader.looks}

    @property
    def is_known(self) -> bool:
        is_out_of_sight = self.reader.looks == "controller" and self.controller is None
        return self.looked_into is not None and (self.named is not None or not is_out_of_sight)


def packages() -> Iterator[Package]:
    for reader, form, is_selected in product(READERS, FORMS, (False, True)):
        home = reader.home or "other"
        places = ((home,), ("shop",), ("shop", home), ("shop", "extra"))
        names = (None, "shop") if reader.names_namespace else (None,)
        written = ("shop",) if reader.looks == "own" else (None, "shop")
        controllers: tuple[tuple[str | None, str], ...] = ((None, ""),)
        if reader.image:
            controllers += ((home, ""), ("shop", ""))
        if reader.option:
            # Without the option, this one looks in `cert-manager`.
            controllers = ((None, ""), (home, "shop"), ("shop", home))
        for one in product(places, names, written, controllers):
            yield Package(reader, one[0], form, is_selected, one[1], one[2], *one[3])


def write(package: Package) -> list[dict[str, Any]]:
    reader = package.reader
    marks = {"internal.config.kubernetes.io/needsHashSuffix": "enabled"}
    name = f"conf-{HASH_OF_CONTENT}" if package.form == "hashed" else "conf"
    items: list[dict[str, Any]] = []
    for place in package.places:
        metadata = {"name": name, "namespace": place}
        if package.form == "to hash":
            metadata |= {"annotations": marks}  # type: ignore[dict-item]
        items.append(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": CONTENT}
        )
        items.append(deployment("web", place, {"envFrom": [{"configMapRef": {"name": name}}]}))
    if reader.kind == "Widget":
        definition = {"group": "example.com", "scope": "Cluster", "names": {"kind": "Widget"}}
        kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        items.append({**kind, "metadata": {"name": "widgets"}, "spec": definition})
    if package.controller is not None:
        option = f"{reader.option}={package.option}"
        container = {"image": reader.image, **({"args": [option]} if package.option else {})}
        items.append(deployment("controller", package.controller, container))
    said = {"name": "conf", **({"namespace": package.named} if package.named else {})}
    spec = json.loads(reader.spec.replace("%s", json.dumps(said)[1:-1]))
    metadata = {"name": "reader", **({"namespace": package.written} if package.written else {})}
    head = {"apiVersion": reader.api_version, "kind": reader.kind}
    return [*items, {**head, "metadata": metadata, "spec": spec}]


def deployment(name: str, namespace: str, container: dict[str, Any]) -> dict[str, Any]:
    spec = {"template": {"spec": {"containers": [{"name": "a", **container}]}}}
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def judge(package: Package) -> str:
    """Return what is wrong with the answer to a package; `""` for nothing."""
    spec = {"linker": {"enabled": False}, **({"select": [{}]} if package.is_selected else {})}
    config = {"apiVersion": "revisions.krm-fn.io/v1", "kind": "ConfigRevisions"}
    config |= {"metadata": {"name": "web"}, "spec": spec}  # type: ignore[dict-item]
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
    listed |= {"functionConfig": config, "items": write(package)}  # type: ignore[dict-item]
    outcome = run(json.dumps(listed).encode(), environment=ENVIRONMENT)
    if outcome.exit_code:
        return f"an error: {outcome.stderr}"
    items = json.loads(outcome.stdout)["items"]
    names = {
        one["metadata"]["namespace"]: one["metadata"]["name"]
        for one in items
        if one["kind"] == "ConfigMap"
    }
    reader = next(one for one in items if one["metadata"]["name"] == "reader")
    (said,) = re.findall(r'"name": "(conf[^"]*)"', json.dumps(reader["spec"]))
    return compare(package, names, said, outcome.stderr)


def compare(package: Package, names: dict[str, str], said: str, stderr: str) -> str:
    looked_into = package.looked_into
    possible = [one for one in package.places if looked_into is None or one in looked_into]
    if said != "conf":
        if not package.is_known or not possible:
            return f"rewritten to {said}, and nobody knows where it looks, or nothing is there"
        return "" if [said] == [names[one] for one in possible] else f"rewritten to {said}"
    lost = [one for one in possible if HASH.fullmatch(names[one])]
    if package.form == "to hash":
        lost = [*possible]  # kustomize will hash whatever is left
    if not lost:
        return ""
    if package.is_known:
        return f"not followed into {lost}"
    if package.form == "plain" and not package.is_selected:
        return f"{lost} renamed under a reader that may look there"
    words = ("not rewritten: ", "which is nowhere in the rendering")
    return "" if any(one in stderr for one in words) else f"{lost} lost in silence"


CASES = [*packages()][:: 1 if IS_WHOLE else 5 if IS_QUICK else 2]


def test_references_follow_where_their_reader_looks_and_nowhere_else() -> None:
    wrong = [f"{package}: {what}" for package in CASES if (what := judge(package))]
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"args": ["--cluster-resource-namespace=certs"]}, "certs"),
        ({"args": ["--cluster-resource-namespace", "certs"]}, "certs"),
        ({"args": ["--cluster-resource-namespace=$(POD_NAMESPACE)"]}, None),
        ({}, "kube-system"),
        ({"args": ["--config=/etc/c.yaml"]}, None),
        (
            {
                "args": ["--cluster-resource-namespace=$(NS)"],
                "env": [
                    {"name": "NS", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}
                ],
            },
            "ops",
        ),
    ],
)
def test_a_controller_says_where_its_objects_look(
    container: dict[str, Any], expected: str | None
) -> None:
    image = {"image": "quay.io/jetstack/cert-manager-controller@sha256:00"}
    issuer = {"apiVersion": "cert-manager.io/v1", "kind": "ClusterIssuer"}
    items = read([deployment("c", "ops", {**image, **container}), issuer])
    found = Lookups(items, Kinds()).find(items[1])
    assert found is not None
    assert found.namespace == expected


def test_controllers_in_two_namespaces_leave_it_open() -> None:
    container = {"image": "kedacore/keda"}
    trigger = {"apiVersion": "keda.sh/v1alpha1", "kind": "ClusterTriggerAuthentication"}
    items = read([deployment("c", "one", container), deployment("c", "two", container), trigger])
    found = Lookups(items, Kinds()).find(items[2])
    assert found is not None
    assert found.namespace is None


def test_each_row_is_about_cluster_scoped_kinds_and_says_its_source() -> None:
    for groups, kinds, where, source, *_ in SCOPES:
        assert where
        assert re.match(r"[\w.-]+/[\w.-]+: \S", source)
        known = {(group, kind) for group in groups.split() or [""] for kind in kinds.split()}
        assert {kind for _, kind in known} == {
            kind
            for group, kind in known
            if (row := KINDS.get((group, kind))) and not row.is_namespaced
        }


def read(items: list[dict[str, Any]]) -> list[Item]:
    return open_envelope(read_yaml("\n---\n".join(map(json.dumps, items)).encode())).items
