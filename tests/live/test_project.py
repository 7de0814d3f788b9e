"""What of a live object differs from its rendering: what applying would change, and nothing else."""

from typing import Any

import pytest
import yaml

from krm_fn.base.item import read_item
from krm_fn.base.kind import Kind
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.tools.diff.compare import compare
from krm_fn.tools.diff.difference import Difference
from krm_fn.tools.diff.pair import read_release
from krm_fn.tools.diff.sides import LoneRendering
from krm_fn.tools.live.live import project_all
from krm_fn.tools.live.live_object import find_appliers, read_live

DEPLOYMENT = Kind("apps/v1", "Deployment", "deployments")
INGRESS = Kind("networking.k8s.io/v1", "Ingress", "ingresses")
CONFIG_MAP = Kind("v1", "ConfigMap", "configmaps")
TIME = "2026-06-01T12:00:00Z"


def owner(manager: str, fields: str, operation: str = "Apply") -> dict[str, Any]:
    """Return what an API server says of a manager: `fields` are those in YAML, with `k:` and `f:` before each name."""
    return {
        "manager": manager,
        "operation": operation,
        "time": TIME,
        "fieldsV1": yaml.safe_load(fields),
    }


def compare_one(
    rendered: str, live: str, owners: list[dict[str, Any]], kind: Kind = DEPLOYMENT
) -> Difference:
    head = f"apiVersion: {kind.api_version}\nkind: {kind.kind}\n"
    items = [read_item(root) for root in read_yaml((head + rendered).encode()).roots]  # type: ignore[arg-type]
    release = read_release(items, None, "shop")
    found = yaml.safe_load(live)
    found["metadata"]["managedFields"] = owners
    return compare(
        project_all([read_live(kind, found)], LoneRendering(release, None), "shop").release, release
    )


def changes(
    rendered: str, live: str, *owners: dict[str, Any], kind: Kind = DEPLOYMENT
) -> list[tuple[str, Any, Any]]:
    before, after = (
        one if "metadata" in one[:8] else f"metadata: {{name: web}}\n{one}"
        for one in (live, rendered)
    )
    difference = compare_one(after, before, [*owners], kind)
    return [
        (field.path, field.old, field.new) for one in difference.changes for field in one.fields
    ]


EQUAL = {
    "a default of the API server": (
        "spec: {replicas: 1}",
        "spec: {replicas: 1, paused: false, strategy: {type: A}}",
    ),
    "a number in another spelling": (
        "spec: {mode: 0644, one: 0x10, two: 0o17}",
        "spec: {mode: 420, one: 16, two: 15}",
    ),
    "a boolean of YAML 1.1": (
        "spec: {paused: yes, other: off}",
        "spec: {paused: true, other: false}",
    ),
    "a quantity in another unit": (
        "spec: {limits: {a: 1000m, b: 0.5, c: 1024Mi}}",
        "spec: {limits: {a: '1', b: 500m, c: 1Gi}}",
    ),
    "what asks for a default": (
        "spec: {strategy: null}",
        "spec: {strategy: {type: RollingUpdate}}",
    ),
    "what is empty and not stored": (
        "spec: {a: {}, b: [], c: '', d: false, e: 0, f: null}",
        "spec: {}",
    ),
    "an empty mapping with defaults": (
        "spec: {strategy: {}}",
        "spec: {strategy: {type: RollingUpdate}}",
    ),
    "an element that somebody has added": (
        "spec: {containers: [{name: a}]}",
        "spec: {containers: [{name: a}, {name: mesh}]}",
    ),
    "defaults in elements without a name": (
        "spec: {rules: [{a: [x]}, {b: 1}]}",
        "spec: {rules: [{a: [x], s: '*'}, {b: 1, s: '*'}]}",
    ),
    "annotations for tools alone, beside those of a controller": (
        "metadata: {name: web, annotations: {internal.config.kubernetes.io/index: '1'}}",
        "metadata: {name: web, annotations: {deployment.kubernetes.io/revision: '1'}}",
    ),
    "the status": ("status: {replicas: 0}", "status: {replicas: 3}"),
    "text that looks like something else": (
        "spec: {a: '1', b: \"on\", c: 2020-01-01}",
        "spec: {a: '1', b: 'on', c: '2020-01-01'}",
    ),
}


@pytest.mark.parametrize(("rendered", "live"), EQUAL.values(), ids=EQUAL)
def test_these_are_no_differences(rendered: str, live: str) -> None:
    assert changes(rendered, live, kind=INGRESS) == []


DIFFERENT = {
    "a switch that says something if it is off": (
        "spec: {enableServiceLinks: false}",
        "spec: {a: 1}",
        ("spec.enableServiceLinks", None, "false"),
    ),
    "a mapping that is a choice even if it is empty": (
        "spec: {containers: [{name: a, securityContext: {}}]}",
        "spec: {containers: [{name: a}]}",
        ("spec.containers[a].securityContext", None, {}),
    ),
    "another value": ("spec: {replicas: 2}", "spec: {replicas: 1}", ("spec.replicas", "1", "2")),
    "a number is no text": ("spec: {port: 80}", "spec: {port: '80'}", ("spec.port", '"80"', "80")),
    "a text is no number": ("spec: {port: '80'}", "spec: {port: 80}", ("spec.port", "80", '"80"')),
    "a text that only looks like a quantity": (
        "spec: {args: [1000m]}",
        "spec: {args: ['1']}",
        ("spec.args[0]", '"1"', "1000m"),
    ),
    "a field that is not there": (
        "spec: {replicas: 2}",
        "spec: {a: 1}",
        ("spec.replicas", None, "2"),
    ),
    "an empty label": (
        "metadata: {name: web, labels: {a: '', b: c}}",
        "metadata: {name: web, labels: {b: c}}",
        ("metadata.labels.a", None, '""'),
    ),
    "a longer list": ("spec: {args: [a]}", "spec: {args: [a, b]}", ("spec.args[1]", "b", None)),
    "an element without a name before one that leaves out what is empty": (
        "spec: {rules: [{a: b, empty: []}]}",
        "spec: {rules: [{x: z}, {a: b}]}",
        ("spec.rules[0]", {"x": "z"}, None),
    ),
    "an element without a name that differs from the next one in a list of the same length": (
        "spec: {rules: [{a: [b], empty: []}]}",
        "spec: {rules: [{a: [z]}, {a: [b]}]}",
        ("spec.rules[0]", {"a": ["z"]}, None),
    ),
}


@pytest.mark.parametrize(("rendered", "live", "expected"), DIFFERENT.values(), ids=DIFFERENT)
def test_these_are_differences(rendered: str, live: str, expected: tuple[str, Any, Any]) -> None:
    assert changes(rendered, live) == [expected]


@pytest.mark.parametrize(
    ("rendered", "live", "gone"),
    [
        pytest.param(
            "args: [a]", "args: [a, b]", ("spec.args[1]", "b", None), id="elements without a name"
        ),
        pytest.param(
            "rules: [{name: a}]",
            "rules: [{name: a}, {name: b}]",
            ("spec.rules[b]", {"name": "b"}, None),
            id="a list that its owner has as a whole",
        ),
    ],
)
def test_a_list_that_is_replaced_as_a_whole_loses_what_the_rendering_does_not_have(
    rendered: str, live: str, gone: tuple[str, Any, Any]
) -> None:
    by = owner("argocd-controller", "{'f:spec': {'f:rules': {}}}")
    assert changes(f"spec: {{{rendered}}}", f"spec: {{{live}}}", by, kind=INGRESS) == [gone]


SPEC = "spec: {replicas: 1, minReadySeconds: 5}"
OWNED = "{'f:spec': {'f:replicas': {}, 'f:minReadySeconds': {}}}"
REMOVED = [("spec.minReadySeconds", "5", None)]
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def test_what_the_deployer_alone_has_applied_is_removed() -> None:
    assert changes("spec: {replicas: 1}", SPEC, owner("argocd-controller", OWNED)) == REMOVED


def test_what_somebody_else_owns_too_stays() -> None:
    other = owner("kube-controller-manager", "{'f:spec': {'f:minReadySeconds': {}}}", "Update")
    assert changes("spec: {replicas: 1}", SPEC, owner("argocd-controller", OWNED), other) == []
    assert changes("spec: {replicas: 1}", SPEC, owner("somebody", OWNED)) == []


def test_of_what_is_owned_as_a_whole_defaults_stay_and_labels_go() -> None:
    """As of an atomic mapping: who applies a part of it owns its defaults too."""
    fields = "{'f:spec': {'f:strategy': {}, 'f:selector': {}}}"
    live = "spec: {strategy: {type: A, new: 1}, selector: {labels: {a: b, c: d}}}"
    rendered = "spec: {strategy: {type: A}, selector: {labels: {a: b}}}"
    by = owner("flux", "{'f:a': {}}"), owner("kubectl", fields)
    assert changes(rendered, live, *by, kind=INGRESS) == [("spec.selector.labels.c", "d", None)]
    assert changes(
        "spec: {selector: {labels: {a: b, c: d}}}", live, owner("kubectl", fields), kind=INGRESS
    ) == [("spec.strategy", {"type": "A", "new": "1"}, None)]


def test_kubectl_removes_what_it_has_applied_before() -> None:
    live = f'metadata: {{name: web, annotations: {{{APPLIED}: \'{{"spec": {{"minReadySeconds": 5}}}}\'}}}}\n{SPEC}'
    by = owner("kubectl-client-side-apply", OWNED, "Update")
    rendered = "metadata: {name: web}\nspec: {}\n"
    (change,) = compare_one(rendered, live, [by]).objects
    assert [(one.path, one.old, one.new) for one in change.fields] == REMOVED, (
        "replicas may be a default"
    )


def test_of_what_helm_has_updated_only_what_has_no_default_is_removed() -> None:
    live = "spec: {replicas: 1, template: {metadata: {labels: {a: b}}, containers: [{name: a, tty: true}, {name: b}]}}"
    lists = "'f:containers': {'k:{\"name\":\"a\"}': {'f:tty': {}}, 'k:{\"name\":\"b\"}': {'.': {}, 'f:name': {}}}"
    template = f"'f:template': {{'f:metadata': {{'f:labels': {{'f:a': {{}}}}}}, {lists}}}"
    fields = f"{{'f:spec': {{'f:replicas': {{}}, {template}}}}}"
    rendered = "spec: {template: {metadata: {}, containers: [{name: a}]}}"
    gone = [
        ("spec.template.containers[b]", {"name": "b"}, None),
        ("spec.template.metadata.labels", {"a": "b"}, None),
    ]
    assert changes(rendered, live, owner("helm", fields, "Update"), kind=INGRESS) == gone
    # Of a Deployment all defaults are known: replicas are one, a terminal is none.
    tty = ("spec.template.containers[a].tty", "true", None)
    assert changes(rendered, live, owner("helm", fields, "Update")) == [tty, *gone]


def test_a_default_that_the_rendering_no_longer_has_comes_again() -> None:
    live = (
        "spec: {replicas: 1, template: {spec: {dnsPolicy: ClusterFirst, containers: "
        "[{name: a, image: 'a:1', IMAGE}]}}}"
    )
    pulls = "'f:containers': {'k:{\"name\":\"a\"}': {'f:imagePullPolicy': {}}}"
    fields = f"{{'f:spec': {{'f:replicas': {{}}, 'f:template': {{'f:spec': {{'f:dnsPolicy': {{}}, {pulls}}}}}}}}}"
    rendered = "spec: {template: {spec: {containers: [{name: a, image: 'a:1'}]}}}"
    by = owner("argocd-controller", fields)
    assert changes(rendered, live.replace("IMAGE", "imagePullPolicy: IfNotPresent"), by) == []
    path = "spec.template.spec.containers[a].imagePullPolicy"
    assert changes(rendered, live.replace("IMAGE", "imagePullPolicy: Always"), by) == [
        (path, "Always", None)
    ]


def test_of_a_custom_resource_what_is_empty_is_stored_and_no_default_comes() -> None:
    kind = Kind("example.com/v1", "Widget", "widgets")
    rendered = "spec: {a: {}, b: false, limits: {cpu: 1000m}}"
    assert changes(rendered, "spec: {limits: {cpu: '1'}}", kind=kind) == [
        ("spec.a", None, {}),
        ("spec.b", None, "false"),
        ("spec.limits.cpu", '"1"', "1000m"),
    ]
    by = owner("argocd-controller", "{'f:spec': {'f:dnsPolicy': {}}}")
    assert changes("spec: {a: 1}", "spec: {a: 1, dnsPolicy: ClusterFirst}", by, kind=kind) == [
        ("spec.dnsPolicy", "ClusterFirst", None)
    ]


KPT = owner("kubectl", "{'f:spec': {'f:strategy': {'f:type': {}}, 'f:replicas': {}}}", "Update")


@pytest.mark.parametrize(
    ("by", "subresource", "expected"),
    [
        pytest.param(
            "kubectl", "", [], id="kpt applies as kubectl does, and leaves no name of its own"
        ),
        pytest.param(
            "kubectl", "scale", ["spec.paused", "spec.replicas"], id="kubectl scale writes to scale"
        ),
        pytest.param(
            "kubectl-edit", "", ["spec.paused", "spec.replicas"], id="kubectl edit says its name"
        ),
    ],
)
def test_who_has_set_a_field_by_hand(by: str, subresource: str, expected: list[str]) -> None:
    manager = {**KPT, "manager": by, "subresource": subresource}
    manager["fieldsV1"] = {"f:spec": {"f:replicas": {}, "f:paused": {}}}
    found = {
        "metadata": {"name": "web", "managedFields": [manager]},
        "spec": {"replicas": 3, "paused": True},
    }
    live = read_live(DEPLOYMENT, found)
    rendered = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n"
    items = [read_item(root) for root in read_yaml(rendered.encode()).roots]  # type: ignore[arg-type]
    (projection,) = project_all(
        [live], LoneRendering(read_release(items, None, "shop"), None), "shop"
    ).projections
    assert sorted(edit.path for edit in (*projection.edits, *projection.kept)) == expected


def test_the_marks_of_deployers_are_none_of_the_rendering() -> None:
    marks = {"argocd.argoproj.io/tracking-id": "shop:apps/Deployment:shop/web", "mine": "x"}
    fields: dict[str, Any] = {"f:metadata": {"f:annotations": {f"f:{name}": {} for name in marks}}}
    live = f"metadata: {{name: web, annotations: {marks}}}"
    (change,) = compare_one(
        "metadata: {name: web}\n", live, [owner("argocd-controller", str(fields))]
    ).objects
    assert [(one.path, one.old) for one in change.fields] == [
        ("metadata", {"annotations": {"mine": "x"}})
    ]


def test_whoever_applies_the_revisions_is_the_deployer_of_the_rest() -> None:
    label = "{'f:metadata': {'f:labels': {'f:revisions.krm-fn.io/set': {}}}}"
    revision = {"metadata": {"name": "a", "managedFields": [owner("terraform", label)]}}
    by_hand = {
        "metadata": {"name": "b", "managedFields": [owner("kubectl-label", label, "Update")]}
    }
    objects = [read_live(CONFIG_MAP, one) for one in (revision, by_hand)]
    assert find_appliers(objects) == {"terraform"}


def test_text_of_an_api_server_is_read_whatever_characters_it_has() -> None:
    odd = "a\x7f\x85\u2028\ufeff\U0001f600\t\"\\u0041'\n"
    rendered = yaml.safe_dump(
        {"metadata": {"name": "web"}, "data": {"a": odd}}, allow_unicode=False
    )
    head = {"metadata": {"name": "web"}, "data": {"a": odd}}
    live = read_live(CONFIG_MAP, head)
    roots = read_yaml(f"apiVersion: v1\nkind: ConfigMap\n{rendered}".encode()).roots
    items = [read_item(root) for root in roots]  # type: ignore[arg-type]
    release = read_release(items, None, "shop")
    assert not compare(project_all([live], LoneRendering(release, None), "shop").release, release)
    read_live(CONFIG_MAP, {"metadata": {"name": "web"}, "data": {"a": "half \ud83d of a pair"}})
