"""How a cluster is read from the API server's responses."""

from threading import Event
from typing import Any

import pytest

from krm_fn.linker.api import TooLarge
from krm_fn.linker.api_errors import Forbidden
from krm_fn.linker.live_cluster import LiveCluster
from krm_fn.linker.objects import Names, Owner, Revision
from krm_fn.linker.retry import Deadline, Response
from krm_fn.model.kinds import CONSUMER_KINDS, Kind
from krm_fn.model.link_plan import LinkPlan, MakerName

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
    assert configs == ([], None, 1780315200.0)


def test_a_known_kind_that_is_not_installed_has_no_objects() -> None:
    (rollouts,) = (kind for kind in CONSUMER_KINDS if kind.kind == "Rollout")
    assert cluster(404, {}).consumers(rollouts, Names.of([])) == []


class PagedApi:
    """An API server that lists objects of these sizes, in bytes, page by page. It records the sizes asked for."""

    def __init__(self, *sizes: int) -> None:
        self.deadline = Deadline(300, Event())
        self.sizes = sizes
        self.limits: list[int] = []
        self.received: list[int] = []

    def request(self, *_: object, query: dict[str, str], max_bytes: int | None, **__: object) -> Response:
        start, limit = int(query.get("continue", 0)), int(query["limit"])
        page = self.sizes[start : start + limit]
        self.limits.append(limit)
        self.received.append(min(sum(page), max_bytes or sum(page)))
        if max_bytes is not None and sum(page) > max_bytes:
            raise TooLarge
        items = [{"metadata": {"name": f"x{start + number}", "uid": "u"}} for number in range(len(page))]
        following = str(start + limit) if start + limit < len(self.sizes) else ""
        return Response(200, {}, {"items": items, "metadata": {"continue": following}}, sum(page))


@pytest.mark.parametrize(
    ("sizes", "limits"),
    [
        pytest.param([2_000] * 2_000, [50, 500, 500, 500, 500], id="small objects"),
        pytest.param([1_000_000] * 7, [50, 5, 1, 1, 1, 1, 1, 1, 1], id="large objects"),
        pytest.param([250_000] * 20, [50, 5, 6, 6, 6], id="objects of a quarter of a megabyte"),
        pytest.param([2_000] * 50 + [1_000_000] * 6, [50, 500, 50, 5, *[1] * 6], id="large objects after small ones"),
        pytest.param([9_000_000, 10], [50, 5, 1, 1], id="an object larger than a page"),
    ],
)
def test_pages_have_as_many_objects_as_fit(sizes: list[int], limits: list[int]) -> None:
    api: Any = PagedApi(*sizes)
    (pods,) = (kind for kind in CONSUMER_KINDS if kind.kind == "Pod")
    found = LiveCluster(api, "shop").consumers(pods, Names.of([]))
    assert [consumer.owner.name for consumer in found] == [f"x{number}" for number in range(len(sizes))]
    assert api.limits == limits
    assert max(api.received) <= max(4_000_000, *sizes)


def test_a_secret_of_another_set_is_not_read() -> None:
    metadata = {"name": "a", "uid": "u", "creationTimestamp": "2026-06-01T12:00:00Z", "labels": {}, "annotations": {}}
    assert cluster(200, {"metadata": metadata}).secret("a", PLAN) is None


MAKER = MakerName(Kind("external-secrets.io/v1", "ExternalSecret", "externalsecrets"), "web", ())
LIVE = Revision("web", "uid-1", "1", 0.0)
TRACKER = Owner("v1", "ConfigMap", "web", "uid-2")


def test_trackers_are_applied_as_owners_of_a_maker() -> None:
    """A custom resource takes no strategic merge patch. The uid keeps the request from creating the object."""
    api: Any = FakeApi(Response(200, {}, {}))
    assert LiveCluster(api, "shop").own_maker(MAKER, LIVE, (TRACKER,))
    ((method, path, options),) = api.requests
    assert (method, path) == ("PATCH", "/apis/external-secrets.io/v1/namespaces/shop/externalsecrets/web")
    assert options["content_type"] == "application/apply-patch+yaml"
    assert options["query"] == {"fieldManager": "krm-fn-linker"}
    assert options["body"] == {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": "web", "namespace": "shop", "uid": "uid-1", "ownerReferences": [TRACKER.reference]},
    }


@pytest.mark.parametrize("status", [404, 409])
def test_a_maker_that_is_gone_or_another_one_gets_no_owner(status: int) -> None:
    assert not cluster(status, {}).own_maker(MAKER, LIVE, (TRACKER,))


def test_a_maker_that_does_not_exist() -> None:
    assert cluster(404, {}).maker(MAKER, PLAN) is None


def test_a_right_that_is_missing_on_a_maker_is_asked_for_by_its_name() -> None:
    with pytest.raises(Forbidden, match=r"resources: \[externalsecrets\], verbs: \[get\], resourceNames: \[web\]"):
        cluster(403, {"message": "no"}).maker(MAKER, PLAN)
