"""A namespace of a real cluster: each operation as requests to the API server."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from krm_fn.linker.api import Api
from krm_fn.linker.api_errors import ApiError, check_response, is_uid_mismatch
from krm_fn.linker.cluster import Configs
from krm_fn.linker.objects import Consumer, Owner, Revision
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.read import read_config, read_consumer, read_metadata
from krm_fn.linker.retry import Deadline, Response
from krm_fn.model import keys
from krm_fn.model.kinds import CONSUMER_KINDS, Kind

FIELD_MANAGER = "krm-fn-linker"
"""Must not begin with `kubectl`: Flux takes over the fields of such managers, and would remove the owners."""

_PAGE = "500"
_METADATA = "application/json;as={};g=meta.k8s.io;v=v1"
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

    def configs(self, set_name: str) -> Configs:
        accept = _METADATA.format("PartialObjectMetadataList")
        selector = f"{keys.SET}={set_name}"
        items, response = self._list(_CONFIG_MAPS, read_config, labelSelector=selector, accept=accept)
        return Configs(
            revisions=[item for item in items if isinstance(item, Revision)],
            inventories=[item for item in items if isinstance(item, Consumer)],
            now=parsedate_to_datetime(response.headers["date"]).timestamp(),
        )

    def consumers(self, kind: Kind, names: frozenset[str]) -> list[Consumer]:
        items, _ = self._list(kind, lambda item: read_consumer(kind, item, names))
        return items

    def patch_owners(self, patch: OwnerPatch) -> bool:
        return self._patch(_CONFIG_MAPS, patch.revision.name, patch.body)

    def delete(self, revision: Revision) -> bool:
        body: dict[str, object] = {
            "propagationPolicy": "Background",
            "preconditions": {"uid": revision.uid, "resourceVersion": revision.resource_version},
        }
        response = self._api.request("DELETE", self._path(_CONFIG_MAPS, revision.name), body=body)
        return self._is_done(response, "delete", _CONFIG_MAPS, revision.name)

    def secret(self, name: str) -> Revision | None:
        path = self._path(_SECRETS, name)
        response = self._api.request("GET", path, accept=_METADATA.format("PartialObjectMetadata"))
        if response.status == _NOT_FOUND:
            return None
        check_response(response, "get", _SECRETS, self._namespace, name)
        return read_metadata(json.loads(response.body))

    def add_secret_owner(self, secret: Revision, tracker: Owner) -> bool:
        return self._patch(_SECRETS, secret.name, OwnerPatch(secret, (tracker,), ()).body)

    def record_event(self, owner: Owner, reason: str, message: str, now: float) -> None:
        involved = {"apiVersion": owner.api_version, "kind": owner.kind, "name": owner.name, "uid": owner.uid}
        timestamp = _rfc3339(now)
        body: dict[str, object] = {
            "metadata": {"generateName": f"{owner.name[:200]}."},
            "involvedObject": {**involved, "namespace": self.namespace},
            "type": "Normal",
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

    def _patch(self, kind: Kind, name: str, body: dict[str, object]) -> bool:
        response = self._api.request(
            "PATCH",
            self._path(kind, name),
            query={"fieldManager": FIELD_MANAGER},
            body=body,
            content_type=_MERGE,
            accept=_METADATA.format("PartialObjectMetadata"),
        )
        return self._is_done(response, "patch", kind, name)

    def _is_done(self, response: Response, verb: str, kind: Kind, name: str) -> bool:
        """Tell whether a write was done. False if the object is gone, or has another uid or version by now.

        Raises ApiError if the write was refused for another reason.
        """
        if response.status in (_NOT_FOUND, _CONFLICT) or (response.status == _INVALID and is_uid_mismatch(response)):
            return False
        check_response(response, verb, kind, self._namespace, name)
        return True

    def _list(self, kind: Kind, read: Callable[[Any], _T | None], **options: str) -> tuple[list[_T], Response]:
        """List all objects of a kind. Returns what `read` takes from them, and the last response.

        It reads page by page, so that only one page of objects is in memory.
        """
        accept = options.pop("accept", "application/json")
        found: list[_T] = []
        following = ""
        while True:
            query = {"limit": _PAGE, **options, **({"continue": following} if following else {})}
            response = self._api.request("GET", self._path(kind), query=query, accept=accept)
            if response.status == _NOT_FOUND and kind in CONSUMER_KINDS:
                return [], response  # the kind is not installed
            if response.status == _GONE and following:  # the continue token has expired: start again
                found, following = [], ""
                continue
            check_response(response, "list", kind, self._namespace)
            content = json.loads(response.body)
            # An empty page of a metadata-only list has null.
            found += [one for item in content["items"] or [] if (one := read(item)) is not None]
            following = content["metadata"].get("continue", "")
            if not following:
                return found, response

    def _path(self, kind: Kind, name: str = "") -> str:
        prefix = "apis" if kind.group else "api"
        return "/".join(filter(None, [f"/{prefix}", kind.api_version, "namespaces", self.namespace, kind.plural, name]))


def _rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
