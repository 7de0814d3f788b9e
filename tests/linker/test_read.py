"""API objects as what the linker knows of them."""

from typing import Any

import pytest

from krm_fn.linker.objects import Owner, Revision, User
from krm_fn.linker.read import read_config, read_revision, read_user
from krm_fn.model import keys
from krm_fn.model.kinds import CONSUMER_KINDS, Kind

NAME = "web-config-bbbbbbbbbb"
KINDS = {kind.kind: kind for kind in CONSUMER_KINDS}
WIDGET = Kind("example.com/v1", "Widget", "widgets")
WANTED = frozenset({NAME, "web-config-cccccccccc"})
NAMING = {"template": {"spec": {"volumes": [{"configMap": {"name": NAME}}]}}}


def config_map(name: str = NAME, base: str | None = "web-config", **metadata: Any) -> dict[str, Any]:
    annotations = metadata.pop("annotations", {}) | ({} if base is None else {keys.BASE_NAME: base})
    written = {"uid": "u1", "resourceVersion": "7", "creationTimestamp": "2026-06-01T12:00:00Z"}
    return {"metadata": {"name": name, **written, "annotations": annotations, **metadata}}


def user(kind: str, spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": "web", "uid": "u2", **metadata}, "spec": spec or {}}


def controlled_by(api_version: str, kind: str, *, controller: bool = True) -> list[dict[str, Any]]:
    return [{"apiVersion": api_version, "kind": kind, "name": "web-1", "uid": "u3", "controller": controller}]


def test_a_revision() -> None:
    assert read_revision(config_map()) == Revision(NAME, "u1", "7", 1780315200.0)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(config_map("web-config"), "web-config", id="an adopted name"),
        pytest.param(config_map("v1.web-config-bbbbbbbbbb", "v1.web-config"), "v1.web-config-bbbbbbbbbb", id="dots"),
        pytest.param(config_map("copy"), None, id="a copy under another name"),
        pytest.param(config_map("web-config-2"), None, id="a copy under a longer name"),
        pytest.param(config_map("v1xweb-config-bbbbbbbbbb", "v1.web-config"), None, id="a dot is no wildcard"),
        pytest.param(config_map(base=None), None, id="no base name"),
        pytest.param({"metadata": {"name": "x", "annotations": None}}, None, id="no annotations"),
    ],
)
def test_what_is_a_revision(item: dict[str, Any], expected: str | None) -> None:
    found = read_revision(item)
    assert (found.name if found else None) == expected


ROSTER = {keys.COMPONENT: keys.LINKER}
RENDERED = {keys.RENDERED: "a-config-bbbbbbbbbb,b-config-bbbbbbbbbb"}


def test_the_roster_names_what_is_rendered() -> None:
    found = read_config(config_map("web-linker", None, labels=ROSTER, annotations=RENDERED))
    owner = Owner("v1", "ConfigMap", "web-linker", "u1")
    assert found == User(owner, current=True, names=frozenset({"a-config-bbbbbbbbbb", "b-config-bbbbbbbbbb"}))


@pytest.mark.parametrize(
    "item",
    [
        pytest.param(config_map("web-linker", None, labels=ROSTER), id="without names"),
        pytest.param(config_map("copy", None, annotations=RENDERED), id="without the label"),
        pytest.param(config_map("tag", None, labels={keys.COMPONENT: keys.TAG}, annotations=RENDERED), id="a tag"),
    ],
)
def test_what_is_no_roster(item: dict[str, Any]) -> None:
    assert read_config(item) is None


@pytest.mark.parametrize(
    ("item", "fields"),
    [
        pytest.param(config_map(annotations={keys.RETAIN: "true"}), {"is_retained": True}, id="retained"),
        pytest.param(config_map(annotations={keys.RETAIN: "false"}), {}, id="not retained"),
        pytest.param(config_map(labels={keys.COMPONENT: keys.TAG}), {"is_tag": True}, id="a Secret's tag"),
        pytest.param(config_map(labels=None, ownerReferences=None), {}, id="null is none"),
        pytest.param(
            config_map(ownerReferences=controlled_by("apps/v1", "ReplicaSet")),
            {"owners": (Owner("apps/v1", "ReplicaSet", "web-1", "u3"),)},
            id="owners",
        ),
        pytest.param(
            config_map(creationTimestamp="2026-06-01T12:00:01+00:00"), {"created": 1780315201.0}, id="the time"
        ),
    ],
)
def test_what_a_revision_says(item: dict[str, Any], fields: dict[str, Any]) -> None:
    assert read_revision(item) == Revision(NAME, "u1", "7", 1780315200.0)._replace(**fields)


def test_the_kind_of_a_tag_is_that_of_what_it_keeps() -> None:
    plain = Revision(NAME, "u1", "7", 0.0)
    assert (plain.kind, plain._replace(is_tag=True).kind) == ("ConfigMap", "Secret")


def named(kind: Kind, **fields: Any) -> User:
    """What is read of an object that names the one revision."""
    owner = Owner(kind.api_version, kind.kind, "web", "u2")
    return User(owner, current=kind.is_current, names=frozenset({NAME}))._replace(**fields)


@pytest.mark.parametrize(
    ("kind", "item", "expected"),
    [
        pytest.param("Deployment", user("Deployment", NAMING), {}, id="a workload"),
        pytest.param("Deployment", user("Deployment"), {"names": frozenset()}, id="one that names nothing"),
        pytest.param(
            "Deployment",
            user("Deployment", NAMING, deletionTimestamp="2026-06-01T12:00:00Z"),
            {"is_leaving": True},
            id="one that is on its way out",
        ),
        pytest.param(
            "ReplicaSet",
            user("ReplicaSet", NAMING, ownerReferences=controlled_by("apps/v1", "Deployment")),
            {"controller": "u3"},
            id="a ReplicaSet knows what made it",
        ),
        pytest.param(
            "ReplicaSet",
            user("ReplicaSet", NAMING, ownerReferences=controlled_by("apps/v1", "Deployment", controller=False)),
            {},
            id="an owner that does not control it has not made it",
        ),
        pytest.param(
            "Rollout",
            user("Rollout", {"workloadRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "api"}}),
            {"names": frozenset(), "template": ("Deployment", "api")},
            id="a Rollout says whose template it takes",
        ),
        pytest.param(
            "Job", user("Job", NAMING, labels={keys.COMPONENT: keys.LINKER}), {"is_linker": True}, id="a linker's Job"
        ),
        pytest.param(
            "ReplicaSet", user("ReplicaSet", NAMING, labels={keys.COMPONENT: keys.LINKER}), {}, id="a copied label"
        ),
        pytest.param("Pod", user("Pod", NAMING), {}, id="a pod of its own"),
        pytest.param(
            "Pod",
            user("Pod", NAMING, ownerReferences=controlled_by("example.com/v1", "ReplicaSet")),
            {"controller": "u3"},
            id="a pod of a controller that nobody looks at",
        ),
    ],
)
def test_a_user(kind: str, item: dict[str, Any], expected: dict[str, Any]) -> None:
    assert read_user(KINDS[kind], item, WANTED) == named(KINDS[kind], **expected)


def test_an_object_without_a_spec() -> None:
    assert read_user(WIDGET, {"metadata": {"name": "web", "uid": "u2"}, "spec": None}, WANTED) == named(
        WIDGET, names=frozenset()
    )


@pytest.mark.parametrize("made_by", [("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet"), ("batch/v1", "Job")])
def test_a_pod_is_left_to_its_controller(made_by: tuple[str, str]) -> None:
    pod = user("Pod", NAMING, ownerReferences=controlled_by(*made_by))
    assert read_user(KINDS["Pod"], pod, WANTED) is None


def test_in_a_kind_we_do_not_know_every_word_counts() -> None:
    assert read_user(WIDGET, user("Widget", {"image": NAME}), WANTED) == named(WIDGET)
    deployment = read_user(KINDS["Deployment"], user("Deployment", {"image": NAME}), WANTED)
    assert deployment == named(KINDS["Deployment"], names=frozenset())
