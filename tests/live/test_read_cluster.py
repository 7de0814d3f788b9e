"""What `krm-fn diff --live` asks an API server for, and what it says of the answers that it does not get."""

from typing import Any

import pytest
import yaml

from krm_fn.base.item import read_item
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.linker.credentials import Access
from krm_fn.linker.retry import Deadline, Response
from krm_fn.tools.common.revision_history import NoAnswer
from krm_fn.tools.diff.pair import read_release
from krm_fn.tools.diff.sides import LoneRendering
from krm_fn.tools.live.live import LiveInput, compare_live
from krm_fn.tools.opened.sources import Inputs

SET, BASE = "revisions.krm-fn.io/set", "revisions.krm-fn.io/base-name"
REVISION = f"labels: {{{SET}: shop}}, annotations: {{{BASE}: NAME}}"
LISTS = {
    "configmaps": "/api/v1/namespaces/shop/configmaps",
    "secrets": "/api/v1/namespaces/shop/secrets",
    "services": "/api/v1/namespaces/shop/services",
}


class RecordedApi:
    """An API server of few words: lists by path.

    Any other path is not found, or what `others` says.
    """

    deadline: Deadline

    def __init__(
        self,
        lists: dict[str, list[dict[str, Any]]],
        others: dict[str, tuple[int, Any]] | None = None,
    ) -> None:
        self._lists = lists
        self._others = others or {}
        self.asked: list[tuple[str, str, str, bool]] = []

    def request(
        self, method: str, path: str, *, query: Any = None, accept: str = "", **_: object
    ) -> Response:
        selector = (query or {}).get("fieldSelector", "")
        self.asked.append((method, path, selector, "PartialObjectMetadata" in accept))
        if path == "/api/v1":
            return Response(
                200,
                {},
                {"resources": [{"name": "services", "kind": "Service", "namespaced": True}]},
                1,
            )
        if path not in self._lists:
            status, content = self._others.get(path, (404, {}))
            return Response(status, {}, content, 1)
        items = [
            one
            for one in self._lists[path]
            if selector in {"", f"metadata.name={one['metadata']['name']}"}
        ]
        where = {"namespace": "shop"} if "/namespaces/" in path else {}
        items = [{**one, "metadata": {"uid": "u", **one["metadata"], **where}} for one in items]
        return Response(200, {}, {"items": items, "metadata": {}}, 1)


def compare(rendered: str, api: RecordedApi) -> tuple[list[str], tuple[str, ...]]:
    """Return what changes, as `+ Service/web`, and the notes."""
    items = [read_item(root) for root in read_yaml(rendered.encode()).roots]  # type: ignore[arg-type]
    compared = LiveInput(Inputs(("shop",)), Access(), lambda _: None)
    rendering = LoneRendering(read_release(items, None, "shop"), None)
    difference = compare_live(rendering, api, "shop", compared)  # type: ignore[arg-type]
    signs = (
        ("+" if one.old is None else "-" if one.new is None else "~", one.who)
        for one in difference.changes
    )
    return [f"{sign} {who.kind}/{who.name or who.base}" for sign, who in signs], difference.notes


SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {type: ClusterIP}\n"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: b}\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {a: not-to-be-printed}\n"  # noqa: S105  # of a test
WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: web}\nspec: {a: b}\n"


def test_content_is_requested_of_the_config_maps_that_are_compared_alone() -> None:
    others = [{"metadata": {"name": name}, "data": {"a": "b"}} for name in ("web", "other")]
    api = RecordedApi(
        {LISTS["configmaps"]: others, LISTS["secrets"]: [{"metadata": {"name": "db"}}]}
    )
    assert compare(f"{CONFIG}---\n{SECRET}", api)[0] == []
    assert api.asked == [
        ("GET", LISTS["configmaps"], "", True),
        ("GET", LISTS["secrets"], "", True),
        ("GET", LISTS["configmaps"], "metadata.name=web", False),
    ]


def test_a_kind_that_may_not_be_listed_is_not_compared() -> None:
    api = RecordedApi({LISTS["configmaps"]: []}, {LISTS["services"]: (403, {"message": "no"})})
    rule = '{apiGroups: [""], resources: [services], verbs: [list]}'
    note = f"not seen, and so not compared: services in shop; you need the rule {rule}"
    assert compare(f"{SERVICE}---\n{CONFIG}", api) == (["+ ConfigMap/web"], (note,))


def test_config_maps_that_may_not_be_listed_are_an_error() -> None:
    with pytest.raises(
        NoAnswer, match="you may not list ConfigMaps in namespace shop: you need the rule"
    ):
        compare(CONFIG, RecordedApi({}, {LISTS["configmaps"]: (403, {"message": "no"})}))


def test_a_kind_that_the_server_does_not_have_is_new() -> None:
    note = "the API server has no Widget of example.com/v1, so each is shown as new"
    assert compare(WIDGET, RecordedApi({})) == (["+ Widget/web"], (note,))


def test_plural_and_scope_of_a_custom_kind_are_the_servers() -> None:
    """A cluster may have many objects without a namespace: each is asked for by its name."""
    kinds = {
        "resources": [
            {"name": "widgetry", "kind": "Widget", "namespaced": False},
            {"name": "widgetry/status"},
        ]
    }
    found = [{"metadata": {"name": "web"}, "spec": {"a": "b"}}]
    api = RecordedApi(
        {"/apis/example.com/v1/widgetry": found}, {"/apis/example.com/v1": (200, kinds)}
    )
    assert compare(WIDGET, api) == ([], ())
    assert api.asked[-1] == ("GET", "/apis/example.com/v1/widgetry", "metadata.name=web", False)


def revision(name: str, created: str, **more: str) -> dict[str, Any]:
    marks = {"labels": {SET: "shop"}, "annotations": {BASE: "web", **more}}
    return {"metadata": {"name": name, "creationTimestamp": created, **marks}, "data": {"a": name}}


RENDERED = CONFIG.replace(
    "name: web", f"name: web-2222222222, labels: {{{SET}: shop}}, annotations: {{{BASE}: web}}"
)
OLD = [
    revision("web-5555555555", "2026-01-01T00:00:00Z"),
    revision("web-4444444444", "2026-01-02T00:00:00Z"),
]
INVENTORY = {
    "metadata": {
        "name": "shop-linker",
        "labels": {SET: "shop", "revisions.krm-fn.io/component": "linker"},
        "annotations": {"revisions.krm-fn.io/rendered": "web-5555555555"},
    }
}


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        pytest.param([*OLD, INVENTORY], "web-5555555555", id="the one that the inventory lists"),
        pytest.param(OLD, "web-4444444444", id="without an inventory, the newest"),
        pytest.param(
            [{"metadata": {"name": "web"}, "data": {"a": "x"}}],
            "web",
            id="before the first one, the object itself",
        ),
        pytest.param(
            [{"metadata": {"name": "web"}}, *OLD],
            "web-4444444444",
            id="later, that is another object",
        ),
    ],
)
def test_of_the_revisions_of_a_base_name_one_is_compared(
    live: list[dict[str, Any]], expected: str
) -> None:
    api = RecordedApi({LISTS["configmaps"]: live})
    assert compare(RENDERED, api)[0] == ["~ ConfigMap/web-2222222222"]
    assert [selector for _, _, selector, _ in api.asked if selector] == [
        f"metadata.name={expected}"
    ]


DEPLOYMENTS = "/apis/apps/v1/namespaces/shop/deployments"
OTHERS = {"metadata": {**OLD[0]["metadata"], "name": "web-2222222222", "labels": {SET: "other"}}}


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        pytest.param([], ["+ ConfigMap/web-2222222222"], id="somebody has deleted it"),
        pytest.param([OTHERS], ["~ ConfigMap/web-2222222222"], id="it is of another set"),
        pytest.param(OLD[:1], ["~ ConfigMap/web-2222222222"], id="another one is there"),
    ],
)
def test_who_references_a_revision_already_does_not_roll(
    live: list[dict[str, Any]], expected: list[str]
) -> None:
    """The name is equal, whatever there is of the object."""
    source = {"configMapRef": {"name": "web-2222222222"}}
    pods = {"spec": {"containers": [{"name": "web", "envFrom": [source]}]}}
    web = {"metadata": {"name": "web"}, "spec": {"template": pods}}
    rendered = f"{RENDERED}---\napiVersion: apps/v1\nkind: Deployment\n{yaml.safe_dump(web)}"
    assert (
        compare(rendered, RecordedApi({LISTS["configmaps"]: live, DEPLOYMENTS: [web]}))[0]
        == expected
    )
