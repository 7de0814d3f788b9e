"""How a cluster is read from the API server's responses."""

from threading import Event
from typing import Any

import pytest

from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.base.link_plan import LinkPlan, ProducerName
from krm_fn.linker.api import Forbidden, Misnamed, NoList, NotServed, TooLarge
from krm_fn.linker.cluster import Configs
from krm_fn.linker.live_cluster import LiveCluster
from krm_fn.linker.objects import LiveRevision, Names, Owner
from krm_fn.linker.retry import Deadline, Response

PLAN = LinkPlan(set="web", timeout=300, minimum_age=600)
EMPTY: dict[str, Any] = {"items": None, "metadata": {}}


class FakeApi:
    """An API server with one response."""

    def __init__(self, response: Response) -> None:
        self.deadline = Deadline(300, Event())
        self.response = response
        self.requests: list[tuple[object, ...]] = []

    def request(self, *arguments: object, **options: object) -> Response:
        self.requests.append((*arguments, options))
        return self.response


def cluster(status: int, content: Any, **headers: str) -> LiveCluster:
    api: Any = FakeApi(Response(status, headers, content))
    return LiveCluster(api, "shop")


def test_the_time_of_the_api_server_comes_with_the_revisions() -> None:
    configs = cluster(200, EMPTY, date="Mon, 01 Jun 2026 12:00:00 GMT").configs(PLAN)
    assert configs == Configs([], None, 1780315200.0)


@pytest.mark.parametrize("kind", CONSUMER_KINDS, ids=lambda kind: kind.kind)
def test_a_404_never_means_that_there_are_no_objects(kind: Kind) -> None:
    advice = (
        "install its CustomResourceDefinition"
        if kind.group == "argoproj.io"
        else "is there a proxy"
    )
    with pytest.raises(NotServed, match=f"{kind.plural} in shop: .*{advice}"):
        cluster(404, {}).consumers(kind, Names.of([]))


GUESSED = Kind("operator.example.com/v1", "VLogs", "vlogses")
RESOURCES = {
    "resources": [
        {"name": "vlogs/status", "kind": "VLogs"},
        {"name": "widgets", "kind": "Widget"},
        {"name": "vlogs", "kind": "VLogs"},
    ]
}


class DiscoveringApi:
    """An API server with one custom kind, whose plural a Role names or not.

    `paths` are those asked for.
    """

    def __init__(self, resources: Any, refusal: int, *, is_listable: bool = True) -> None:
        self.deadline = Deadline(300, Event())
        self.paths: list[str] = []
        self._resources = resources
        self._refusal = refusal
        self._is_listable = is_listable

    def request(self, _: str, path: str, **__: object) -> Response:
        self.paths.append(path.rpartition("/")[2])
        if path == "/apis/operator.example.com/v1":
            return Response(200 if self._resources else 404, {}, self._resources)
        if path.endswith("/vlogs") and self._is_listable:
            return Response(200, {}, {"items": [{"metadata": {"name": "x", "uid": "u"}}]})
        return Response(403 if path.endswith("/vlogs") else self._refusal, {}, {"message": "no"})


@pytest.mark.parametrize("refusal", [403, 404])
def test_the_api_server_is_asked_once_for_a_plural_that_is_wrong(refusal: int) -> None:
    api: Any = DiscoveringApi(RESOURCES, refusal)
    live = LiveCluster(api, "shop")
    for _ in range(2):
        assert [one.owner.name for one in live.consumers(GUESSED, Names.of([]))] == ["x"]
    assert api.paths == ["vlogses", "v1", "vlogs", "vlogs"]


def test_a_role_for_a_wrong_plural_lacks_the_rule_for_the_right_one() -> None:
    api: Any = DiscoveringApi(RESOURCES, 404, is_listable=False)
    rule = r'\{apiGroups: \["operator.example.com"\], resources: \[vlogs\], verbs: \[list\]\}'
    live = LiveCluster(api, "shop")
    for _ in range(2):
        with pytest.raises(
            Misnamed, match=f"vlogses in shop: the plural is vlogs; .* needs the rule {rule}"
        ):
            live.consumers(GUESSED, Names.of([]))


@pytest.mark.parametrize(
    "resources",
    [
        pytest.param(None, id="no such version"),
        pytest.param({"resources": []}, id="no such kind"),
        pytest.param(
            {"resources": [{"name": "secrets", "kind": "VLogs"}]}, id="a kind that nobody may list"
        ),
        pytest.param(
            {"resources": [None, {"kind": "VLogs"}, {"name": "../x", "kind": "VLogs"}]},
            id="nonsense",
        ),
    ],
)
def test_a_kind_that_the_api_server_does_not_have(resources: Any) -> None:
    api: Any = DiscoveringApi(resources, 404)
    live = LiveCluster(api, "shop")
    for _ in range(2):
        with pytest.raises(
            NotServed, match=r"the API server has no VLogs of operator\.example\.com/v1"
        ):
            live.consumers(GUESSED, Names.of([]))
    assert api.paths == ["vlogses", "v1", "vlogses"]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("size", [0, 500])
def test_a_list_without_an_end_is_given_up(size: int) -> None:
    page = {
        "items": [{"metadata": {"name": "x", "uid": "u"}}] * size,
        "metadata": {"continue": "more"},
    }
    with pytest.raises(NoList, match="pods in shop: cannot list: more than 100000 objects"):
        cluster(200, page).consumers(CONSUMER_KINDS[0], Names.of([]))


class PagedApi:
    """An API server that lists objects of these sizes, in bytes, page by page.

    It records the sizes asked for.
    """

    def __init__(self, *sizes: int) -> None:
        self.deadline = Deadline(300, Event())
        self.sizes = sizes
        self.limits: list[int] = []
        self.received: list[int] = []

    def request(
        self, *_: object, query: dict[str, str], max_bytes: int | None, **__: object
    ) -> Response:
        start, limit = int(query.get("continue", 0)), int(query["limit"])
        page = self.sizes[start : start + limit]
        self.limits.append(limit)
        self.received.append(min(sum(page), max_bytes or sum(page)))
        if max_bytes is not None and sum(page) > max_bytes:
            path = "pods"
            raise TooLarge(path, max_bytes)
        items = [
            {"metadata": {"name": f"x{start + number}", "uid": "u"}} for number in range(len(page))
        ]
        following = str(start + limit) if start + limit < len(self.sizes) else ""
        return Response(200, {}, {"items": items, "metadata": {"continue": following}}, sum(page))


@pytest.mark.parametrize(
    ("sizes", "limits"),
    [
        pytest.param([2_000] * 2_000, [50, 500, 500, 500, 500], id="small objects"),
        pytest.param([1_000_000] * 7, [50, 5, 1, 1, 1, 1, 1, 1, 1], id="large objects"),
        pytest.param([250_000] * 20, [50, 5, 6, 6, 6], id="objects of a quarter of a megabyte"),
        pytest.param(
            [2_000] * 50 + [1_000_000] * 6,
            [50, 500, 50, 5, *[1] * 6],
            id="large objects after small ones",
        ),
        pytest.param([9_000_000, 10], [50, 5, 1, 1], id="an object larger than a page"),
    ],
)
def test_pages_have_as_many_objects_as_fit(sizes: list[int], limits: list[int]) -> None:
    api: Any = PagedApi(*sizes)
    (pods,) = (kind for kind in CONSUMER_KINDS if kind.kind == "Pod")
    found = LiveCluster(api, "shop").consumers(pods, Names.of([]))
    assert [consumer.owner.name for consumer in found] == [
        f"x{number}" for number in range(len(sizes))
    ]
    assert api.limits == limits
    assert max(api.received) <= max(4_000_000, *sizes)


def test_a_secret_of_another_set_is_not_read() -> None:
    metadata = {
        "name": "a",
        "uid": "u",
        "creationTimestamp": "2026-06-01T12:00:00Z",
        "labels": {},
        "annotations": {},
    }
    assert cluster(200, {"metadata": metadata}).secret("a", PLAN) is None


PRODUCER = ProducerName(
    Kind("external-secrets.io/v1", "ExternalSecret", "externalsecrets"), "web", ()
)
LIVE = LiveRevision("web", "uid-1", "1", 0.0)
TRACKER = Owner("v1", "ConfigMap", "web", "uid-2")


def test_trackers_are_applied_as_owners_of_a_producer() -> None:
    """A custom resource takes no strategic merge patch.

    The uid keeps the request from creating the object.
    """
    api: Any = FakeApi(Response(200, {}, {}))
    assert LiveCluster(api, "shop").own_producer(PRODUCER, LIVE, (TRACKER,))
    ((method, path, options),) = api.requests
    assert (method, path) == (
        "PATCH",
        "/apis/external-secrets.io/v1/namespaces/shop/externalsecrets/web",
    )
    assert options["content_type"] == "application/apply-patch+yaml"
    assert options["query"] == {"fieldManager": "krm-fn-linker"}
    assert options["body"] == {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {
            "name": "web",
            "namespace": "shop",
            "uid": "uid-1",
            "ownerReferences": [TRACKER.reference],
        },
    }


@pytest.mark.parametrize("status", [404, 409])
def test_a_producer_that_is_gone_or_another_one_gets_no_owner(status: int) -> None:
    assert not cluster(status, {}).own_producer(PRODUCER, LIVE, (TRACKER,))


def test_a_producer_that_does_not_exist() -> None:
    assert cluster(404, {}).producer(PRODUCER, PLAN) is None


def test_a_right_that_is_missing_on_a_producer_is_asked_for_by_its_name() -> None:
    with pytest.raises(
        Forbidden, match=r"resources: \[externalsecrets\], verbs: \[get\], resourceNames: \[web\]"
    ):
        cluster(403, {"message": "no"}).producer(PRODUCER, PLAN)


def test_a_revision_is_deleted_only_as_it_was_read() -> None:
    """Another object of this name has another uid, and who has come to need the revision has changed its version."""
    api: Any = FakeApi(Response(200, {}, {}))
    assert LiveCluster(api, "shop").delete(LIVE)
    ((method, path, options),) = api.requests
    assert (method, path) == ("DELETE", "/api/v1/namespaces/shop/configmaps/web")
    assert options["body"] == {
        "propagationPolicy": "Background",
        "preconditions": {"uid": "uid-1", "resourceVersion": "1"},
    }


@pytest.mark.parametrize("status", [404, 409])
def test_a_revision_that_is_gone_or_has_changed_is_not_deleted(status: int) -> None:
    assert not cluster(status, {}).delete(LIVE)
