"""A namespace of an API server on loopback."""

from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from krm_fn.base.kind import CONSUMER_KINDS
from tests.linker.hostile_server import Handler, answer
from tests.linker.object_store import Object

PLURALS = {kind.plural: kind.kind for kind in CONSUMER_KINDS} | {"configmaps": "ConfigMap"}


class Cluster:
    """A namespace `shop` that answers lists.

    It records requests as `GET configmaps PartialObjectMetadataList`.
    """

    def __init__(self, items: Sequence[Object], statuses: dict[str, int] | None = None) -> None:
        self.items = items
        self.statuses = statuses or {}
        self.requests: list[str] = []

    def answer(self, handler: Handler) -> None:
        url = urlsplit(handler.path)
        *_, resource = url.path.split("/")
        accepted = handler.headers["Accept"].partition("as=")[2].partition(";")[0]
        self.requests.append(" ".join(filter(None, [handler.command, resource, accepted])))
        status = self.statuses.get(resource, 200 if resource in PLURALS else 404)
        selector = parse_qs(url.query).get("labelSelector", [""])[0]
        found = [
            item
            for item in self.items
            if item["kind"] == PLURALS.get(resource) and _is_selected(item, selector)
        ]
        answer(
            handler,
            {"items": found, "metadata": {}} if status == 200 else {"message": "no"},
            status,
        )


def _is_selected(item: Object, selector: str) -> bool:
    labels = item["metadata"].get("labels", {})
    pairs = [one.partition("=") for one in selector.split(",") if one]
    return all(
        key in labels and (not equals or labels[key] == value) for key, equals, value in pairs
    )
