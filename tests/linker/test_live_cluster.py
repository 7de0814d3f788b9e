"""How a cluster is read from the API server's responses."""

from threading import Event
from typing import Any

from krm_fn.linker.live_cluster import LiveCluster
from krm_fn.linker.objects import Names
from krm_fn.linker.retry import Deadline, Response
from krm_fn.model.kinds import CONSUMER_KINDS
from krm_fn.model.link_plan import LinkPlan

PLAN = LinkPlan(set="web", timeout=300, minimum_age=600)
EMPTY: dict[str, Any] = {"items": None, "metadata": {}}


class FakeApi:
    """An API server with one response."""

    def __init__(self, response: Response) -> None:
        self.deadline = Deadline(300, Event())
        self.response = response

    def request(self, *_: object, **__: object) -> Response:
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
