"""An API server in memory, as far as a linker asks one: it answers a call with a status and JSON, as a real one would.

It shares no code with the linker: what it knows of lists, patches and preconditions is that of Kubernetes.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from tests.linker.object_store import NAMESPACE, Object, ObjectStore

_PATH = re.compile(
    r"/apis?/(?P<version>v1|[^/]+/[^/]+)(/namespaces/(?P<namespace>[^/]+))?/(?P<plural>[^/]+)(/(?P<name>.+))?"
)
_DATE = {"date": "Mon, 01 Jun 2026 12:00:00 GMT"}


class Call(NamedTuple):
    """A request. Names of headers are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: Any = None

    @property
    def plural(self) -> str:
        """The resource of the path; `""` for another path, such as that of a discovery."""
        found = _PATH.fullmatch(urlsplit(self.target).path)
        return found["plural"] if found else ""

    @property
    def is_list(self) -> bool:
        found = _PATH.fullmatch(urlsplit(self.target).path)
        return self.method == "GET" and found is not None and not found["name"]


class Answer(NamedTuple):
    status: int
    content: Any
    headers: Mapping[str, str] = _DATE


class FakeApiServer:
    """The API server of a store, with the plural of each kind that it serves: `Deployment` by `deployments`."""

    def __init__(self, store: ObjectStore, kinds: Mapping[str, tuple[str, str]]) -> None:
        self.store = store
        self._kinds = kinds

    def answer(self, call: Call) -> Answer:
        url = urlsplit(call.target)
        found = _PATH.fullmatch(url.path)
        api_version, kind = self._kinds.get(found["plural"], ("", "")) if found else ("", "")
        if found is None or found["version"] != api_version or found["namespace"] != NAMESPACE:
            return self._discover(url.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        name = unquote(found["name"] or "")
        if call.method == "POST":
            return Answer(201, call.body)
        return (
            self._answer_one(kind, name, call)
            if name
            else self._list(api_version, kind, query, call.headers)
        )

    def _answer_one(self, kind: str, name: str, call: Call) -> Answer:
        item = self.store.find(kind, name)
        if item is None:
            return _failure(404, "NotFound")
        if call.method == "PATCH":
            return self._patch(item, call.body["metadata"])
        if call.method == "DELETE":
            return self._delete(item, call.body["preconditions"])
        return Answer(200, _partial(item))

    def _discover(self, path: str) -> Answer:
        version = path.removeprefix("/apis/")
        resources = [
            {"name": plural, "kind": kind, "namespaced": True}
            for plural, (api_version, kind) in self._kinds.items()
            if api_version == version
        ]
        if not resources:
            return _failure(404, "NotFound")
        return Answer(200, {"kind": "APIResourceList", "apiVersion": "v1", "resources": resources})

    def _list(
        self, api_version: str, kind: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> Answer:
        matching = [item for item in self.store.of_kind(kind) if _is_selected(item, query)]
        start, limit = int(query.get("continue", 0)), int(query["limit"])
        page, left = matching[start : start + limit], len(matching) - start - limit
        metadata: dict[str, Any] = {"resourceVersion": "1000000"}
        if left > 0:
            metadata |= {"continue": str(start + limit), "remainingItemCount": left}
        if "PartialObjectMetadataList" in headers["accept"]:
            # As Go writes an empty list of these.
            partial = [_partial(item) for item in page] or None
            named = {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1"}
            return Answer(200, {**named, "metadata": metadata, "items": partial})
        items = [
            {key: value for key, value in item.items() if key not in {"apiVersion", "kind"}}
            for item in page
        ]
        return Answer(
            200,
            {
                "kind": f"{kind}List",
                "apiVersion": api_version,
                "metadata": metadata,
                "items": items,
            },
        )

    def _patch(self, item: Object, changed: dict[str, Any]) -> Answer:
        """Merge owners by uid, as a strategic merge patch does."""
        metadata = item["metadata"]
        if metadata["uid"] != changed["uid"]:
            return _failure(422, "Invalid", causes=[{"field": "metadata.uid"}])
        owners = {owner["uid"]: owner for owner in metadata.get("ownerReferences", [])}
        for entry in changed.get("ownerReferences", []):
            if entry.get("$patch") == "delete":
                owners.pop(entry["uid"], None)
            else:
                owners[entry["uid"]] = entry
        annotations = {**metadata.get("annotations", {}), **changed.get("annotations", {})}
        kept = {key: value for key, value in annotations.items() if value is not None}
        return Answer(
            200,
            _partial(
                self.store.update_metadata(
                    item, annotations=kept, ownerReferences=[*owners.values()]
                )
            ),
        )

    def _delete(self, item: Object, preconditions: Mapping[str, str]) -> Answer:
        if any(item["metadata"][field] != value for field, value in preconditions.items()):
            return _failure(409, "Conflict")
        self.store.remove(item)
        return Answer(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})


def _partial(item: Object) -> Object:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": item["metadata"],
    }


def _failure(status: int, reason: str, **details: Any) -> Answer:
    content = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": status,
        "reason": reason,
    }
    return Answer(status, {**content, "message": f"test: {reason}", "details": details})


def _is_selected(item: Object, query: Mapping[str, str]) -> bool:
    labels = item["metadata"].get("labels", {})
    for one in filter(None, query.get("labelSelector", "").split(",")):
        key, equals, value = one.partition("=")
        if key not in labels or (equals and labels[key] != value):
            return False
    field, _, name = query.get("fieldSelector", "").partition("=")
    return not field or item["metadata"]["name"] == name


def names_in(value: Any) -> set[str]:
    """Return every text below a value."""
    return set(re.findall(r'"((?:[^"\\]|\\.)*)"', json.dumps(value)))


def find_lost(before: list[Object], store: ObjectStore) -> set[str]:
    """Return the ConfigMaps that are gone, though a live object has their name somewhere outside of its metadata."""
    gone = {
        one["metadata"]["name"]
        for one in before
        if store.find("ConfigMap", one["metadata"]["name"]) is None
    }
    referenced: set[str] = set()
    for item in store:
        referenced |= names_in({key: value for key, value in item.items() if key != "metadata"})
    return gone & referenced
