"""A small client of the API server, for one namespace and one token."""

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.cluster.kinds import KINDS, Kind, complete
from tests.cluster.readiness import is_ready
from tests.cluster.server import (
    APPLY,
    JSON,
    MERGE,
    METADATA_ONLY,
    METADATA_ONLY_LIST,
    ApiError,
    Server,
)
from tests.wait import PATIENCE, throughout, until

Object = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Api:
    """A client with one token.

    Objects are in `namespace`, unless their metadata names another one.
    """

    server: Server
    token: str = field(repr=False)
    namespace: str = "default"

    def within(self, namespace: str) -> "Api":
        return dataclasses.replace(self, namespace=namespace)

    def as_token(self, token: str) -> "Api":
        """Return a client of the same namespace with another token."""
        return dataclasses.replace(self, token=token)

    # One object

    def get(self, kind: str, name: str, *, metadata_only: bool = False) -> Object:
        return _of_kind(
            kind, self._call("GET", kind, name, accept=METADATA_ONLY if metadata_only else JSON)
        )

    def find(self, kind: str, name: str) -> Object | None:
        """Get an object; None if it does not exist."""
        try:
            return self.get(kind, name)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def create(self, body: Object) -> Object:
        created: Object = self._call(
            "POST", body["kind"], body=complete(body), namespace=_namespace(body)
        )
        return created

    def apply(self, body: Object, *, manager: str = "test") -> Object:
        """Apply server-side with force, as every deployer does."""
        applied: Object = self._call(
            *("PATCH", body["kind"], body["metadata"]["name"]),
            body=complete(body),
            namespace=_namespace(body),
            query={"fieldManager": manager, "force": "true"},
            content_type=APPLY,
        )
        return applied

    def patch(  # noqa: PLR0913  # the parts of a patch request
        self,
        kind: str,
        name: str,
        body: Any,
        *,
        patch_type: str = MERGE,
        subresource: str = "",
        manager: str = "test",
    ) -> Object:
        patched: Object = self._call(
            *("PATCH", kind, name),
            body=body,
            subresource=subresource,
            query={"fieldManager": manager},
            content_type=patch_type,
        )
        return patched

    def delete(
        self, kind: str, name: str, *, propagation: str = "Background", uid: str | None = None
    ) -> None:
        """Request a deletion; `gone` waits for it.

        With a uid, a new object of the same name is not deleted.
        """
        options: Object = {"propagationPolicy": propagation}
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        self._call("DELETE", kind, name, body=options)

    # Several

    def list(self, kind: str, *, labels: str = "", metadata_only: bool = False) -> list[Object]:
        """List a kind in the namespace; `labels` is a selector such as `a=b,!c`."""
        accept = METADATA_ONLY_LIST if metadata_only else JSON
        answer = self._call(
            "GET", kind, query={"labelSelector": labels} if labels else None, accept=accept
        )
        return [_of_kind(kind, item) for item in answer["items"] or []]

    def list_if_served(self, kind: str) -> Iterable[Object]:
        """List a kind, or nothing if its CustomResourceDefinition is not installed, as that of Argo Rollouts."""
        try:
            return self.list(kind)
        except ApiError as error:
            if error.status != 404:
                raise
            return []

    def names(self, kind: str, *, labels: str = "") -> set[str]:
        return {
            item["metadata"]["name"] for item in self.list(kind, labels=labels, metadata_only=True)
        }

    def apply_all(self, bodies: Iterable[Object], *, manager: str = "test") -> None:
        for body in bodies:
            self.apply(body, manager=manager)

    # Waiting

    def wait(
        self,
        kind: str,
        name: str,
        what: str,
        holds: Callable[[Object], object],
        *,
        within: float = PATIENCE,
    ) -> Object:
        """Wait until `holds` is true of the object.

        `what` completes the sentence that starts with its name.
        """
        found = until(
            f"{kind} {self.namespace}/{name} {what}",
            lambda: self.find(kind, name),
            lambda state: state is not None and holds(state),
            within=within,
        )
        assert found is not None
        return found

    def ready(self, kind: str, name: str, *, within: float = PATIENCE) -> Object:
        """Wait until all pods of a workload are ready and up to date, or a Job is Complete."""
        return self.wait(kind, name, "is ready", is_ready, within=within)

    def gone(self, kind: str, name: str, *, within: float = PATIENCE) -> None:
        until(
            f"{kind} {self.namespace}/{name} is gone",
            lambda: self.find(kind, name),
            lambda state: state is None,
            within=within,
        )

    def stays(self, kind: str, name: str, *, seconds: float) -> None:
        throughout(
            f"{kind} {self.namespace}/{name} is there",
            lambda: self.find(kind, name),
            lambda state: state is not None,
            seconds=seconds,
        )

    def call(self, method: str, path: str, body: Any = None, **details: Any) -> Any:
        """Send any other request; `details` are those of `Server.request`."""
        return self.server.request(method, path, body, token=self.token, **details)

    def _call(
        self,
        method: str,
        kind: str,
        name: str = "",
        *,
        namespace: str = "",
        subresource: str = "",
        **details: Any,
    ) -> Any:
        path = KINDS[kind].path(namespace or self.namespace, name) + (
            f"/{subresource}" if subresource else ""
        )
        return self.call(method, path, **details)


def reference(owner: Object, **more: Any) -> Object:
    """Build an ownerReference to the object."""
    metadata = owner["metadata"]
    kind: Kind = KINDS[owner["kind"]]
    return {
        "apiVersion": kind.api_version,
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        **more,
    }


def _of_kind(kind: str, found: Object) -> Object:
    """Add kind and apiVersion: items of a list have none, metadata-only objects have another kind."""
    return {**found, "apiVersion": KINDS[kind].api_version, "kind": kind}


def _namespace(body: Object) -> str:
    return str(body["metadata"].get("namespace", ""))
