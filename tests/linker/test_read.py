"""How objects of the API server are read."""

from typing import Any

import pytest

from krm_fn.base import keys
from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.base.link_plan import LinkPlan
from krm_fn.linker.objects import Consumer, Inventory, LiveRevision, Names, Owner
from krm_fn.linker.read import read_consumer, read_live_revision, read_of_set

NAME = "web-config-bbbbbbbbbb"
KINDS = {kind.kind: kind for kind in CONSUMER_KINDS}
WIDGET = Kind("example.com/v1", "Widget", "widgets")
NAMES = Names.of({NAME, "web-config-cccccccccc"})
PLAN = LinkPlan(set="web", timeout=300, minimum_age=600)
REFERENCING = {"template": {"spec": {"volumes": [{"configMap": {"name": NAME}}]}}}


def config_map(
    name: str = NAME, base: str | None = "web-config", **metadata: Any
) -> dict[str, Any]:
    annotations = metadata.pop("annotations", {}) | ({} if base is None else {keys.BASE_NAME: base})
    written = {"uid": "u1", "resourceVersion": "7", "creationTimestamp": "2026-06-01T12:00:00Z"}
    labels = {keys.SET: "web"} | metadata.pop("labels", {})
    return {
        "metadata": {
            "name": name,
            **written,
            "annotations": annotations,
            "labels": labels,
            **metadata,
        }
    }


def consumer(kind: str, spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": "web", "uid": "u2", **metadata}, "spec": spec or {}}


def controlled_by(api_version: str, kind: str, *, controller: bool = True) -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": api_version,
            "kind": kind,
            "name": "web-1",
            "uid": "u3",
            "controller": controller,
        }
    ]


def test_a_revision_is_read_from_its_metadata() -> None:
    expected = LiveRevision(NAME, "u1", "7", 1780315200.0, set_name="web")
    assert read_live_revision(config_map(), PLAN) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(config_map("web-config"), "web-config", id="an adopted name"),
        pytest.param(
            config_map("v1.web-config-bbbbbbbbbb", "v1.web-config"),
            "v1.web-config-bbbbbbbbbb",
            id="a base name with dots",
        ),
        pytest.param(config_map("copy"), None, id="a copy under another name"),
        pytest.param(config_map("web-config-2"), None, id="a copy under a longer name"),
        pytest.param(
            config_map("v1xweb-config-bbbbbbbbbb", "v1.web-config"),
            None,
            id="a dot matches only a dot",
        ),
        pytest.param(config_map(base=None), None, id="no base name"),
        pytest.param({"metadata": {"name": "x", "annotations": None}}, None, id="null annotations"),
        pytest.param(config_map(labels={keys.SET: "other"}), None, id="another set"),
        pytest.param(
            config_map(labels={keys.COMPONENT: keys.LINKER}), None, id="an object of the linker"
        ),
        pytest.param(
            config_map(labels={keys.COMPONENT: "other"}), None, id="a component of somebody else"
        ),
        pytest.param(config_map(uid=None), None, id="no uid"),
        pytest.param(config_map(creationTimestamp="yesterday"), None, id="no time of creation"),
    ],
)
def test_only_what_the_function_has_emitted_is_a_revision(
    item: dict[str, Any], expected: str | None
) -> None:
    found = read_live_revision(item, PLAN)
    assert (found.name if found else None) == expected


INVENTORY = {keys.COMPONENT: keys.LINKER}
RENDERED = {keys.RENDERED: "a-config-bbbbbbbbbb,b-config-bbbbbbbbbb"}


def test_the_inventory_references_what_is_rendered() -> None:
    found = read_of_set(
        config_map("web-linker", None, labels=INVENTORY, annotations=RENDERED), PLAN
    )
    owner = Owner("v1", "ConfigMap", "web-linker", "u1")
    names = frozenset({"a-config-bbbbbbbbbb", "b-config-bbbbbbbbbb"})
    assert found == Inventory(owner, names, "web")


def test_what_is_no_name_of_a_set_is_no_former_set() -> None:
    """A name becomes a part of a selector, and of a path."""
    former = {keys.FORMER_SETS: "shop,a b,../web,,x=y,old.shop,!web"}
    item = config_map("web-linker", None, labels=INVENTORY, annotations={**RENDERED, **former})
    found = read_of_set(item, PLAN)
    assert isinstance(found, Inventory)
    assert found.former_sets == ("old.shop", "shop")


@pytest.mark.parametrize(
    "item",
    [
        pytest.param(config_map("web-linker", None, labels=INVENTORY), id="without names"),
        pytest.param(config_map("web-linker", None, annotations=RENDERED), id="without the label"),
        pytest.param(
            config_map("copy", None, labels=INVENTORY, annotations=RENDERED), id="a copy of it"
        ),
        pytest.param(
            config_map(
                "web-linker", None, labels={**INVENTORY, keys.SET: "other"}, annotations=RENDERED
            ),
            id="of another set",
        ),
        pytest.param(
            config_map(
                "tracker", None, labels={keys.COMPONENT: keys.TRACKER}, annotations=RENDERED
            ),
            id="a tracker",
        ),
    ],
)
def test_other_config_maps_are_no_inventory(item: dict[str, Any]) -> None:
    assert read_of_set(item, PLAN) is None


@pytest.mark.parametrize(
    ("item", "fields"),
    [
        pytest.param(
            config_map(annotations={keys.RETAIN: "true"}), {"is_retained": True}, id="retained"
        ),
        pytest.param(config_map(annotations={keys.RETAIN: "false"}), {}, id="not retained"),
        pytest.param(
            config_map(labels={keys.COMPONENT: keys.TRACKER}),
            {"is_tracker": True},
            id="a Secret's tracker",
        ),
        pytest.param(config_map(ownerReferences=None), {}, id="null owners"),
        pytest.param(
            config_map(annotations={keys.WANTED: "true"}), {"is_wanted": True}, id="wanted"
        ),
        pytest.param(
            config_map(annotations={keys.OWNS_SECRET: "true"}),
            {"owns_secret": True},
            id="owns its Secret",
        ),
        pytest.param(
            config_map(annotations={keys.KPT_INVENTORY: "8a1f"}),
            {"is_in_kpt_inventory": True},
            id="managed by kpt",
        ),
        pytest.param(
            config_map(ownerReferences=controlled_by("apps/v1", "ReplicaSet")),
            {"owners": (Owner("apps/v1", "ReplicaSet", "web-1", "u3"),)},
            id="owners",
        ),
        pytest.param(
            config_map(creationTimestamp="2026-06-01T12:00:01+00:00"),
            {"created": 1780315201.0},
            id="a time with an offset",
        ),
    ],
)
def test_fields_of_a_revision(item: dict[str, Any], fields: dict[str, Any]) -> None:
    plain = LiveRevision(NAME, "u1", "7", 1780315200.0, set_name="web")
    assert read_live_revision(item, PLAN) == plain._replace(**fields)


def test_a_tracker_has_the_kind_of_its_secret() -> None:
    plain = LiveRevision(NAME, "u1", "7", 0.0)
    assert (plain.kind, plain._replace(is_tracker=True).kind) == ("ConfigMap", "Secret")


def job_with(*arguments: str) -> dict[str, Any]:
    return {"template": {"spec": {"containers": [{"name": "link", "args": [*arguments]}]}}}


LINKER = job_with("link", "--set=web", f"--revision=ConfigMap/{NAME}")
OTHER_LINKER = job_with("link", NAME)


def expected_consumer(kind: Kind, **fields: Any) -> Consumer:
    """Build what is read from an object that references the one revision."""
    owner = Owner(kind.api_version, kind.kind, "web", "u2")
    names = frozenset({NAME})
    is_template = kind.is_current and bool(kind.pod_spec) and "references" not in fields
    required = names if is_template else frozenset()
    return Consumer(owner, kind.is_current, names, required)._replace(**fields)


@pytest.mark.parametrize(
    ("kind", "item", "expected"),
    [
        pytest.param("Deployment", consumer("Deployment", REFERENCING), {}, id="a workload"),
        pytest.param(
            "Deployment",
            consumer("Deployment"),
            {"references": frozenset()},
            id="a workload without references",
        ),
        pytest.param(
            "Deployment",
            consumer("Deployment", REFERENCING, deletionTimestamp="2026-06-01T12:00:00Z"),
            {"is_being_deleted": True},
            id="a workload that is being deleted",
        ),
        pytest.param(
            "ReplicaSet",
            consumer(
                "ReplicaSet", REFERENCING, ownerReferences=controlled_by("apps/v1", "Deployment")
            ),
            {"controller": "u3"},
            id="a ReplicaSet with its controller",
        ),
        pytest.param(
            "ReplicaSet",
            consumer(
                "ReplicaSet",
                REFERENCING,
                ownerReferences=controlled_by("apps/v1", "Deployment", controller=False),
            ),
            {},
            id="an owner that is not the controller",
        ),
        pytest.param(
            "Rollout",
            consumer(
                "Rollout",
                {"workloadRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "api"}},
            ),
            {"references": frozenset(), "template_source": ("Deployment", "api")},
            id="a Rollout that references its template's object",
        ),
        pytest.param(
            "Job",
            consumer("Job", LINKER),
            {"references": frozenset(), "arguments": ("--set=web", f"--revision=ConfigMap/{NAME}")},
            id="a linker's Job, whose arguments are no references",
        ),
        pytest.param(
            "Job",
            consumer("Job", OTHER_LINKER),
            {},
            id="a Job with other arguments",
        ),
        pytest.param("Pod", consumer("Pod", REFERENCING), {}, id="a bare pod"),
        pytest.param(
            "Pod",
            consumer(
                "Pod", REFERENCING, ownerReferences=controlled_by("example.com/v1", "ReplicaSet")
            ),
            {"controller": "u3"},
            id="a pod of a controller that the linker does not read",
        ),
    ],
)
def test_a_consumer(kind: str, item: dict[str, Any], expected: dict[str, Any]) -> None:
    assert read_consumer(KINDS[kind], item, NAMES) == expected_consumer(KINDS[kind], **expected)


def test_an_object_with_a_null_spec_references_nothing() -> None:
    assert read_consumer(
        WIDGET, {"metadata": {"name": "web", "uid": "u2"}, "spec": None}, NAMES
    ) == expected_consumer(WIDGET, references=frozenset())


CONTROLLERS = [
    ("v1", "ReplicationController"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("batch/v1", "Job"),
]


@pytest.mark.parametrize("controller_kind", CONTROLLERS)
def test_the_references_of_a_pod_count_whatever_controls_it(
    controller_kind: tuple[str, str],
) -> None:
    """Also its pull secrets: admission adds those of its ServiceAccount, which no template lists."""
    spec = {
        **REFERENCING["template"]["spec"],
        "imagePullSecrets": [{"name": "web-config-cccccccccc"}, {"name": "x"}],
    }
    pod = consumer("Pod", spec, ownerReferences=controlled_by(*controller_kind))
    assert read_consumer(KINDS["Pod"], pod, NAMES) == expected_consumer(
        KINDS["Pod"],
        references=frozenset({NAME, "web-config-cccccccccc"}),
        controller="u3",
        can_own=False,
    )


@pytest.mark.parametrize("controller_kind", CONTROLLERS)
def test_a_pod_of_a_known_controller_that_references_nothing_is_no_consumer(
    controller_kind: tuple[str, str],
) -> None:
    pod = consumer(
        "Pod", {"containers": [{"name": "a"}]}, ownerReferences=controlled_by(*controller_kind)
    )
    assert read_consumer(KINDS["Pod"], pod, NAMES) is None


def test_a_service_account_is_a_consumer_of_its_pull_secrets() -> None:
    kind = Kind("v1", "ServiceAccount", "serviceaccounts")
    item = {"metadata": {"name": "web", "uid": "u2"}, "imagePullSecrets": [{"name": NAME}]}
    assert read_consumer(kind, item, NAMES) == expected_consumer(kind)


def test_every_word_counts_in_unknown_kinds() -> None:
    assert read_consumer(WIDGET, consumer("Widget", {"image": NAME}), NAMES) == expected_consumer(
        WIDGET
    )
    deployment = read_consumer(KINDS["Deployment"], consumer("Deployment", {"image": NAME}), NAMES)
    assert deployment == expected_consumer(KINDS["Deployment"], references=frozenset())


def test_names_of_any_length_are_found_beside_each_other() -> None:
    """A text with fewer letters than the shortest name is not looked at."""
    template = {
        "spec": {"containers": [{"env": [{"value": NAME}, {"value": "web"}, {"value": "we"}]}]}
    }
    item = {"metadata": {"name": "x", "uid": "u"}, "spec": {"template": template}}
    (deployments,) = (kind for kind in CONSUMER_KINDS if kind.kind == "Deployment")
    for known in ({NAME}, {NAME, "web"}, {NAME, "web", "w"}):
        consumer = read_consumer(deployments, item, Names.of(known))
        assert consumer
        assert consumer.references == known - {"w"}
