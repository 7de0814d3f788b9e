"""A namespace of a real cluster: each operation as requests to the API server."""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from krm_fn.linker.api import Api, TooLarge
from krm_fn.linker.api_errors import ApiError, check_response, is_uid_mismatch
from krm_fn.linker.cluster import Configs
from krm_fn.linker.names import entries, mapping
from krm_fn.linker.objects import Consumer, Names, Owner, Revision
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.read import read_config, read_consumer, read_revision
from krm_fn.linker.retry import Deadline, Response, pauses
from krm_fn.model import keys
from krm_fn.model.kinds import CONSUMER_KINDS, Kind
from krm_fn.model.link_plan import LinkPlan

FIELD_MANAGER = "krm-fn-linker"
"""Must not begin with `kubectl`: Flux takes over the fields of such managers, and would remove the owners."""

_FIRST_PAGE, _LARGEST_PAGE = 50, 500
"""Objects to ask for in one page."""

_PAGE_BYTES, _MAX_PAGE_BYTES = 1_500_000, 4_000_000
"""The size of a page to aim at, and the size at which it is asked for again with fewer objects.

Parsed, a page may need twenty times its bytes.
"""

_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_MERGE = "application/strategic-merge-patch+json"
_CONFIG_MAPS = Kind("v1", "ConfigMap", "configmaps")
_SECRETS = Kind("v1", "Secret", "secrets")
_EVENTS = Kind("v1", "Event", "events")

_NOT_FOUND, _CONFLICT, _GONE, _INVALID = 404, 409, 410, 422

_T = TypeVar("_T")


class LiveCluster:
    """A `Cluster` behind an API server."""

    def __init__(self, api: Api, namespace: str) -> None:
        self._namespace = namespace
        self._api = api

    @property
    def namespace(self) -> str:
        return self._namespace

    @property
    def deadline(self) -> Deadline:
        return self._api.deadline

    def configs(self, plan: LinkPlan) -> Configs:
        items, response = self._list(
            _CONFIG_MAPS,
            lambda item: read_config(item, plan),
            accept=_METADATA_LIST,
            labelSelector=f"{keys.SET}={plan.set}",
        )
        return Configs(
            revisions=[item for item in items if isinstance(item, Revision)],
            inventory=next((item for item in items if isinstance(item, Consumer)), None),
            now=_time(response),
        )

    def has_config_map(self, name: str) -> bool:
        """Tell whether there is one. A list of one object: the Role grants no `get`."""
        selector = f"metadata.name={name}"
        items, _ = self._list(_CONFIG_MAPS, lambda item: item, accept=_METADATA_LIST, fieldSelector=selector)
        return bool(items)

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        items, _ = self._list(kind, lambda item: read_consumer(kind, item, names))
        return items

    def patch(self, patch: RevisionPatch) -> str | None:
        response = self._patch(_CONFIG_MAPS, patch)
        if response is None:
            return None
        # Without a version, none will be equal to it, so that nothing is deleted.
        return str(mapping(response.content.get("metadata")).get("resourceVersion", "unknown"))

    def delete(self, revision: Revision) -> bool:
        body: dict[str, object] = {
            "propagationPolicy": "Background",
            "preconditions": {"uid": revision.uid, "resourceVersion": revision.resource_version},
        }
        response = self._api.request("DELETE", self._path(_CONFIG_MAPS, revision.name), body=body)
        return self._is_done(response, "delete", _CONFIG_MAPS, revision.name)

    def secret(self, name: str, plan: LinkPlan) -> Revision | None:
        path = self._path(_SECRETS, name)
        response = self._api.request("GET", path, accept=_METADATA)
        if response.status == _NOT_FOUND:
            return None
        check_response(response, "get", _SECRETS, self._namespace, name)
        return read_revision(response.content, plan)

    def patch_secret(self, patch: RevisionPatch) -> bool:
        return self._patch(_SECRETS, patch) is not None

    def record_event(self, owner: Owner, reason: str, message: str, now: float, *, is_warning: bool = False) -> None:
        involved = {"apiVersion": owner.api_version, "kind": owner.kind, "name": owner.name, "uid": owner.uid}
        timestamp = _rfc3339(now or time.time())
        body: dict[str, object] = {
            "metadata": {"generateName": f"{owner.name[:200]}."},
            "involvedObject": {**involved, "namespace": self.namespace},
            "type": "Warning" if is_warning else "Normal",
            "reason": reason,
            "message": message[:1024],
            "source": {"component": FIELD_MANAGER},
            "firstTimestamp": timestamp,
            "lastTimestamp": timestamp,
            "count": 1,
        }
        # Some clusters accept only a few Events a minute. Do not wait for that.
        with suppress(ApiError):
            self._api.request("POST", self._path(_EVENTS), body=body, once=True)

    def _patch(self, kind: Kind, patch: RevisionPatch) -> Response | None:
        """Send a patch. Returns the response, None if the object is gone."""
        response = self._api.request(
            "PATCH",
            self._path(kind, patch.revision.name),
            query={"fieldManager": FIELD_MANAGER},
            body=patch.body,
            content_type=_MERGE,
            accept=_METADATA,
        )
        return response if self._is_done(response, "patch", kind, patch.revision.name) else None

    def _is_done(self, response: Response, verb: str, kind: Kind, name: str) -> bool:
        """Tell whether a write was done. False if the object is gone, or has another uid or version by now.

        Raises ApiError if the write was refused for another reason.
        """
        if response.status in (_NOT_FOUND, _CONFLICT) or (response.status == _INVALID and is_uid_mismatch(response)):
            return False
        check_response(response, verb, kind, self._namespace, name)
        return True

    def _list(
        self, kind: Kind, read: Callable[[Any], _T | None], *, accept: str = "application/json", **selectors: str
    ) -> tuple[list[_T], Response]:
        """List all objects of a kind. Returns what `read` takes from them, and the last response.

        It reads page by page, so that only one page of objects is in memory.
        """
        found: list[_T] = []
        following = ""
        page, back_off = _FIRST_PAGE, pauses()
        while True:
            query = {"limit": str(page), **selectors, **({"continue": following} if following else {})}
            max_bytes = _MAX_PAGE_BYTES if page > 1 else None
            try:
                response = self._api.request("GET", self._path(kind), query=query, accept=accept, max_bytes=max_bytes)
            except TooLarge:
                page = max(1, page // 10)
                continue
            if response.status == _NOT_FOUND and kind in CONSUMER_KINDS:
                return [], response  # the kind is not installed
            if response.status == _GONE and following and self.deadline.left() > 0:
                # The continue token has expired: start again.
                found, following = [], ""
                self.deadline.sleep(next(back_off), [f"the API server to list {kind.plural} to the end"])
                continue
            check_response(response, "list", kind, self._namespace)
            items = entries(response.content.get("items"))
            found += [one for item in items if (one := read(item)) is not None]
            following = mapping(response.content.get("metadata")).get("continue") or ""
            if not isinstance(following, str) or not following:
                return found, response
            page = _next_page(len(items), response.size)

    def _path(self, kind: Kind, name: str = "") -> str:
        prefix = "apis" if kind.group else "api"
        return "/".join(filter(None, [f"/{prefix}", kind.api_version, "namespaces", self.namespace, kind.plural, name]))


def _next_page(items: int, size: int) -> int:
    """Return how many objects to ask for after a page of this many objects and bytes."""
    return max(1, min(_LARGEST_PAGE, _PAGE_BYTES * max(1, items) // max(1, size)))


def _time(response: Response) -> float:
    """Return the time by the API server's clock, 0 if the response does not tell it."""
    try:
        return parsedate_to_datetime(response.headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
