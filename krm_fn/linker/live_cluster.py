"""A namespace of a real cluster."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from krm_fn.linker.api import Api
from krm_fn.linker.api_errors import check, is_another
from krm_fn.linker.cluster import Configs, Failed
from krm_fn.linker.objects import Owner, Revision, User
from krm_fn.linker.owners import OwnerPatch
from krm_fn.linker.read import read_config, read_metadata, read_user
from krm_fn.linker.retry import Deadline, Response
from krm_fn.model import keys
from krm_fn.model.kinds import CONSUMER_KINDS, Kind

FIELD_MANAGER = "krm-fn-linker"
"""Not one that begins with `kubectl`: Flux takes those over, and our owners with them."""

_PAGE = "500"
_METADATA = "application/json;as={};g=meta.k8s.io;v=v1"
_MERGE = "application/strategic-merge-patch+json"
_CONFIG_MAPS = Kind("v1", "ConfigMap", "configmaps")
_SECRETS = Kind("v1", "Secret", "secrets")
_EVENTS = Kind("v1", "Event", "events")

_NOT_FOUND, _CONFLICT, _GONE, _INVALID = 404, 409, 410, 422

_T = TypeVar("_T")


class LiveCluster:
    """The `Cluster` that is one."""

    def __init__(self, api: Api, namespace: str) -> None:
        self._namespace = namespace
        self._api = api
        self._now = 0.0

    @property
    def namespace(self) -> str:
        return self._namespace

    @property
    def deadline(self) -> Deadline:
        return self._api.deadline

    def configs(self, set_name: str) -> Configs:
        accept = _METADATA.format("PartialObjectMetadataList")
        items = self._list(_CONFIG_MAPS, read_config, labelSelector=f"{keys.SET}={set_name}", accept=accept)
        return Configs(
            [item for item in items if isinstance(item, Revision)], [item for item in items if isinstance(item, User)]
        )

    def users(self, kind: Kind, wanted: frozenset[str]) -> list[User]:
        return self._list(kind, lambda item: read_user(kind, item, wanted))

    def now(self) -> float:
        return self._now

    def patch_owners(self, patch: OwnerPatch) -> bool:
        return self._patch(_CONFIG_MAPS, patch.revision.name, patch.body)

    def delete(self, revision: Revision) -> bool:
        body: dict[str, object] = {
            "propagationPolicy": "Background",
            "preconditions": {"uid": revision.uid, "resourceVersion": revision.resource_version},
        }
        response = self._api.request("DELETE", self._path(_CONFIG_MAPS, revision.name), body=body)
        return self._done(response, "delete", _CONFIG_MAPS, revision.name)

    def secret(self, name: str) -> Revision | None:
        path = self._path(_SECRETS, name)
        response = self._api.request("GET", path, accept=_METADATA.format("PartialObjectMetadata"))
        if response.status == _NOT_FOUND:
            return None
        check(response, "get", _SECRETS, self._namespace, name)
        return read_metadata(json.loads(response.body))

    def own_secret(self, secret: Revision, tag: Owner) -> bool:
        return self._patch(_SECRETS, secret.name, OwnerPatch(secret, (tag,), ()).body)

    def record(self, owner: Owner, reason: str, message: str) -> None:
        about = {"apiVersion": owner.api_version, "kind": owner.kind, "name": owner.name, "uid": owner.uid}
        now = _rfc3339(self._now)
        body: dict[str, object] = {
            "metadata": {"generateName": f"{owner.name[:200]}."},
            "involvedObject": {**about, "namespace": self.namespace},
            "type": "Normal",
            "reason": reason,
            "message": message[:1024],
            "source": {"component": FIELD_MANAGER},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        # Some clusters limit Events to a few a minute, which is nothing to wait for.
        with suppress(Failed):
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
        return self._done(response, "patch", kind, name)

    def _done(self, response: Response, verb: str, kind: Kind, name: str) -> bool:
        """Whether it was done. An object that is gone, or has another uid or version by now, is for the next look."""
        if response.status in (_NOT_FOUND, _CONFLICT) or (response.status == _INVALID and is_another(response)):
            return False
        check(response, verb, kind, self._namespace, name)
        return True

    def _list(self, kind: Kind, read: Callable[[Any], _T | None], **options: str) -> list[_T]:
        """All objects of a kind, page by page, so that only what `read` takes from them stays in memory."""
        accept = options.pop("accept", "application/json")
        found: list[_T] = []
        following = ""
        while True:
            query = {"limit": _PAGE, **options, **({"continue": following} if following else {})}
            response = self._api.request("GET", self._path(kind), query=query, accept=accept)
            if response.status == _NOT_FOUND and kind in CONSUMER_KINDS:
                return []  # not installed
            if response.status == _GONE and following:  # the server no longer knows the list as it was: begin again
                found, following = [], ""
                continue
            check(response, "list", kind, self._namespace)
            self._now = parsedate_to_datetime(response.headers["date"]).timestamp()
            content = json.loads(response.body)
            # Null where metadata alone was asked for and there is none, be it on the last page.
            found += [one for item in content["items"] or [] if (one := read(item)) is not None]
            following = content["metadata"].get("continue", "")
            if not following:
                return found

    def _path(self, kind: Kind, name: str = "") -> str:
        prefix = "apis" if kind.group else "api"
        return "/".join(filter(None, [f"/{prefix}", kind.api_version, "namespaces", self.namespace, kind.plural, name]))


def _rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
