"""A namespace of a real cluster: each operation as requests to the API server."""

import time
from contextlib import suppress
from datetime import UTC, datetime

from krm_fn.linker.api import Api
from krm_fn.linker.api_errors import ApiError, check_response, is_uid_mismatch
from krm_fn.linker.cluster import Configs
from krm_fn.linker.lists import Lists
from krm_fn.linker.names import mapping
from krm_fn.linker.objects import Consumer, Names, Owner, Revision
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.read import read_config, read_consumer, read_revision
from krm_fn.linker.retry import Deadline, Response
from krm_fn.model import keys
from krm_fn.model.kinds import Kind
from krm_fn.model.link_plan import LinkPlan, MakerName

FIELD_MANAGER = "krm-fn-linker"
"""Must not begin with `kubectl`: Flux takes over the fields of such managers, and would remove the owners."""

_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_MERGE = "application/strategic-merge-patch+json"
_APPLY = "application/apply-patch+yaml"
"""The body is JSON, which is YAML too."""

_CONFIG_MAPS = Kind("v1", "ConfigMap", "configmaps")
_SECRETS = Kind("v1", "Secret", "secrets")
_EVENTS = Kind("v1", "Event", "events")

_NOT_FOUND, _CONFLICT, _INVALID = 404, 409, 422


class LiveCluster:
    """A `Cluster` behind an API server."""

    def __init__(self, api: Api, namespace: str) -> None:
        self._namespace = namespace
        self._api = api
        self._lists = Lists(api, namespace)

    @property
    def namespace(self) -> str:
        return self._namespace

    @property
    def deadline(self) -> Deadline:
        return self._api.deadline

    def configs(self, plan: LinkPlan) -> Configs:
        selector = f"{keys.SET}={plan.set}"
        items, now = self._lists.read(
            _CONFIG_MAPS, lambda item: read_config(item, plan), metadata_only=True, labelSelector=selector
        )
        return Configs(
            revisions=[item for item in items if isinstance(item, Revision)],
            inventory=next((item for item in items if isinstance(item, Consumer)), None),
            now=now,
        )

    def has_config_map(self, name: str) -> bool:
        """Tell whether there is one. A list of one object: the Role grants no `get`."""
        selector = f"metadata.name={name}"
        return bool(self._lists.read(_CONFIG_MAPS, lambda item: item, metadata_only=True, fieldSelector=selector).items)

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        return self._lists.read(kind, lambda item: read_consumer(kind, item, names)).items

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
        response = self._api.request("DELETE", self._lists.path(_CONFIG_MAPS, revision.name), body=body)
        return self._is_done(response, "delete", _CONFIG_MAPS, revision.name)

    def secret(self, name: str, plan: LinkPlan) -> Revision | None:
        path = self._lists.path(_SECRETS, name)
        response = self._api.request("GET", path, accept=_METADATA)
        if response.status == _NOT_FOUND:
            return None
        check_response(response, "get", _SECRETS, self._namespace, name)
        return read_revision(response.content, plan)

    def patch_secret(self, patch: RevisionPatch) -> bool:
        return self._patch(_SECRETS, patch) is not None

    def maker(self, maker: MakerName, plan: LinkPlan) -> Revision | None:
        path = self._lists.path(maker.kind, maker.name)
        response = self._api.request("GET", path, accept=_METADATA)
        if response.status == _NOT_FOUND:
            return None
        check_response(response, "get", maker.kind, self._namespace, maker.name)
        return read_revision(response.content, plan)

    def own_maker(self, maker: MakerName, revision: Revision, owners: tuple[Owner, ...]) -> bool:
        """Apply the owners: a custom resource takes no strategic merge patch, and another one would replace the list.

        With a uid, this never creates the object.
        """
        body: dict[str, object] = {
            "apiVersion": maker.kind.api_version,
            "kind": maker.kind.kind,
            "metadata": {
                "name": maker.name,
                "namespace": self._namespace,
                "uid": revision.uid,
                "ownerReferences": [owner.reference for owner in owners],
            },
        }
        response = self._api.request(
            "PATCH",
            self._lists.path(maker.kind, maker.name),
            query={"fieldManager": FIELD_MANAGER},
            body=body,
            content_type=_APPLY,
            accept=_METADATA,
        )
        return self._is_done(response, "patch", maker.kind, maker.name)

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
            self._api.request("POST", self._lists.path(_EVENTS), body=body, once=True)

    def _patch(self, kind: Kind, patch: RevisionPatch) -> Response | None:
        """Send a patch. Returns the response, None if the object is gone."""
        response = self._api.request(
            "PATCH",
            self._lists.path(kind, patch.revision.name),
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


def _rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
