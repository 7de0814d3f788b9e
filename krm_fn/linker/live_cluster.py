"""A namespace of a real cluster: each operation as requests to the API server."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from krm_fn.base import keys
from krm_fn.base.kind import ADD_ON_KINDS, BUILT_IN_KINDS, CONSUMER_KINDS, Kind, made_kinds
from krm_fn.base.link_plan import LinkPlan, ProducerName
from krm_fn.base.node import Json
from krm_fn.linker.api import (
    MOST_BYTES,
    Api,
    ApiError,
    Forbidden,
    Misnamed,
    NoList,
    NotTold,
    TooLarge,
    check_response,
    is_uid_mismatch,
    read_object,
    read_page,
    why_not_served,
)
from krm_fn.linker.cluster import Configs, ConsumerLists, Listed, ObjectLists
from krm_fn.linker.objects import Consumer, Inventory, LiveRevision, Names, Owner
from krm_fn.linker.owners import RevisionPatch
from krm_fn.linker.read import (
    OfSet,
    list_of,
    mapping,
    read_any_revision,
    read_inventory,
    read_live_revision,
    read_of_any_set,
    read_of_set,
    text_in,
    write_time,
)
from krm_fn.linker.retry import Response, pauses

FIELD_MANAGER = "krm-fn-linker"
"""Must not begin with `kubectl`: Flux takes over the fields of such managers, and would remove the owners."""

_ONE_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_LIST_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
# Owners are merged by uid, on the API server: nobody else's are lost. A JSON merge patch would
# replace the list.
_MERGE = "application/strategic-merge-patch+json"
_APPLY = "application/apply-patch+yaml"
"""The body is JSON, which is YAML too."""

CONFIG_MAPS = Kind("v1", "ConfigMap", "configmaps")
SECRETS = Kind("v1", "Secret", "secrets")
_EVENTS = Kind("v1", "Event", "events")

_RESOURCES = "APIResourceList"

_OK, _FORBIDDEN, _NOT_FOUND, _CONFLICT, _GONE, _INVALID = 200, 403, 404, 409, 410, 422

_FIRST_PAGE, _LARGEST_PAGE = 50, 500
"""Objects to ask for in one page."""

_PAGE_BYTES, _MAX_PAGE_BYTES = 1_500_000, 4_000_000
"""The size of a page to aim at, and the size at which it is asked for again with fewer objects.

Parsed, a page may need twenty times its bytes.
"""

_MOST = 100_000
"""Objects of one kind in a namespace. Kubernetes is tested with fewer in a whole cluster."""

_T = TypeVar("_T")


class LiveCluster:
    """A `Cluster` behind an API server."""

    def __init__(self, api: Api, namespace: str) -> None:
        self.namespace = namespace
        self.deadline = api.deadline
        self._api = api
        self._lists = Lists(api, namespace)
        self._consumers = ConsumerLists(self._lists)

    def configs(self, plan: LinkPlan) -> Configs:
        return Configs.with_former(plan.set, lambda name: self._list_set(plan._replace(set=name)))

    def _list_set(self, plan: LinkPlan) -> Configs:
        selector = f"{keys.SET}={plan.set}"
        # Metadata alone: what a revision is, whose, and since when. Its content may be a megabyte,
        # and no run needs it.
        found: Listed[LiveRevision | Inventory] = self._lists.read(
            CONFIG_MAPS,
            lambda item: read_of_set(item, plan),
            metadata_only=True,
            labelSelector=selector,
        )
        return Configs.of(found.items, found.now)

    def configs_of_all(self) -> Listed[OfSet]:
        return self._lists.read(
            CONFIG_MAPS, read_of_any_set, metadata_only=True, labelSelector=keys.SET
        )

    def revision(self, name: str) -> LiveRevision | None:
        selector = f"metadata.name={name}"
        found = self._lists.read(
            CONFIG_MAPS, read_any_revision, metadata_only=True, fieldSelector=selector
        )
        return next(iter(found.items), None)

    def inventories(self) -> list[Inventory]:
        selector = f"{keys.SET},{keys.COMPONENT}={keys.LINKER}"
        found = self._lists.read(
            CONFIG_MAPS, read_inventory, metadata_only=True, labelSelector=selector
        )
        return found.items

    def has_config_map(self, name: str) -> bool:
        return has_config_map(self._lists, name)

    def consumers(self, kind: Kind, names: Names) -> list[Consumer]:
        return self._consumers.read(kind, names)

    def let_grace_pass(
        self,
        grace: float,
        seen: Mapping[str, str],  # noqa: ARG002  # all of it was seen right now
        awaited: Sequence[str],
    ) -> bool:
        self.deadline.sleep(grace, awaited, grace)
        return True

    def patch(self, patch: RevisionPatch) -> str | None:
        response = self._patch(CONFIG_MAPS, patch.revision.name, patch.body)
        if response is None:
            return None
        # Without a version, none will be equal to it, so that nothing is deleted.
        return str(mapping(response.content.get("metadata")).get("resourceVersion", "unknown"))

    def delete(self, revision: LiveRevision) -> bool:
        body: dict[str, object] = {
            "propagationPolicy": "Background",
            # A deployer that goes back to it has written the mark again, and so another version
            # (decision 9).
            "preconditions": {"uid": revision.uid, "resourceVersion": revision.resource_version},
        }
        response = self._api.request(
            "DELETE", self._lists.path(CONFIG_MAPS, revision.name), body=body
        )
        return self._is_done(response, "delete", CONFIG_MAPS, revision.name)

    def secret(self, name: str, plan: LinkPlan) -> LiveRevision | None:
        return self._read_metadata(SECRETS, name, plan)

    def patch_secret(self, patch: RevisionPatch) -> bool:
        return self._patch(SECRETS, patch.revision.name, patch.body) is not None

    def producer(self, producer: ProducerName, plan: LinkPlan) -> LiveRevision | None:
        return self._read_metadata(producer.kind, producer.name, plan)

    def own_producer(
        self, producer: ProducerName, revision: LiveRevision, owners: tuple[Owner, ...]
    ) -> bool:
        # A custom resource takes no strategic merge patch, and another merge patch would replace
        # the list of owners. An apply creates what does not exist, but never under a uid.
        metadata = {
            "name": producer.name,
            "namespace": self.namespace,
            "uid": revision.uid,
            "ownerReferences": [owner.reference for owner in owners],
        }
        body: dict[str, object] = {
            "apiVersion": producer.kind.api_version,
            "kind": producer.kind.kind,
            "metadata": metadata,
        }
        return self._patch(producer.kind, producer.name, body, _APPLY) is not None

    def record_event(
        self, owner: Owner, reason: str, message: str, now: float, *, is_warning: bool = False
    ) -> None:
        timestamp = write_time(now or time.time())
        body: dict[str, object] = {
            "metadata": {"generateName": f"{owner.name[:200]}."},
            "involvedObject": {**owner.reference, "namespace": self.namespace},
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

    def _read_metadata(self, kind: Kind, name: str, plan: LinkPlan) -> LiveRevision | None:
        response = self._api.request("GET", self._lists.path(kind, name), accept=_ONE_METADATA)
        if response.status == _NOT_FOUND:
            return None
        check_response(response, "get", kind, self.namespace, name)
        return read_live_revision(read_object(response, kind, self.namespace, name), plan)

    def _patch(
        self, kind: Kind, name: str, body: dict[str, object], content_type: str = _MERGE
    ) -> Response | None:
        """Send a patch. None if the object is gone, or has another uid by now."""
        response = self._api.request(
            "PATCH",
            self._lists.path(kind, name),
            query={"fieldManager": FIELD_MANAGER},
            body=body,
            content_type=content_type,
            accept=_ONE_METADATA,
        )
        return response if self._is_done(response, "patch", kind, name) else None

    def _is_done(self, response: Response, verb: str, kind: Kind, name: str) -> bool:
        """Tell whether a write was done.

        False if the object is gone, or has another uid or version by now.

        Raises ApiError if the write was refused for another reason.
        """
        if response.status in (_NOT_FOUND, _CONFLICT):
            return False
        if response.status == _INVALID and is_uid_mismatch(response):
            return False
        check_response(response, verb, kind, self.namespace, name)
        return True


def has_config_map(lists: ObjectLists, name: str) -> bool:
    """Tell whether there is one. A list of one object: the Role grants no `get`."""
    selector = f"metadata.name={name}"
    return bool(
        lists.read(CONFIG_MAPS, lambda item: item, metadata_only=True, fieldSelector=selector).items
    )


class Lists:
    """The lists of one namespace; of all of them, without a name."""

    def __init__(self, api: Api, namespace: str) -> None:
        self.namespace = namespace
        self._api = api
        self._served: dict[Kind, Kind] = {}
        self._resources: dict[str, list[Json] | None] = {}

    def path(self, kind: Kind, name: str = "") -> str:
        """Return the path of a list, or of one object in it."""
        prefix = "apis" if kind.group else "api"
        scope = f"namespaces/{self.namespace}" if self.namespace and kind.is_namespaced else ""
        return "/".join(filter(None, [f"/{prefix}", kind.api_version, scope, kind.plural, name]))

    def read(
        self,
        kind: Kind,
        read: Callable[[Any], _T | None],
        *,
        metadata_only: bool = False,
        **selectors: str,
    ) -> Listed[_T]:
        """List all objects of a kind, and return what `read` takes from them.

        It reads page by page, so that only one page of objects is in memory. Where a custom kind
        cannot be listed, its plural may be a guess: then it asks the API server for it. Raises
        Forbidden without the right to list, NotServed if the API server has no such kind, NoList
        for what is no whole list of it, and ApiError.
        """
        asked, kind = kind, self._served.get(kind, kind)
        found: list[_T] = []
        number = 0
        following = ""
        page, back_off = _FIRST_PAGE, pauses()
        accept = _LIST_METADATA if metadata_only else "application/json"
        while True:
            # Without `resourceVersion`, the API server answers with what is stored now. With "0" it
            # may answer from a cache that is behind: the pod that has just started would not be
            # listed, and its revision be deleted. All pages are of one version, by the token
            # `continue`.
            query = {
                "limit": str(page),
                **selectors,
                **({"continue": following} if following else {}),
            }
            max_bytes = _MAX_PAGE_BYTES if page > 1 else MOST_BYTES
            try:
                response = self._api.request(
                    "GET", self.path(kind), query=query, accept=accept, max_bytes=max_bytes
                )
            except TooLarge as error:
                if page == 1:
                    what = f"{kind.plural} in {self.namespace}"
                    raise TooLarge(what, MOST_BYTES) from error
                page = max(1, page // 10)
                continue
            is_refused = response.status in (_FORBIDDEN, _NOT_FOUND)
            if is_refused and (served := self._ask_for(kind)) != kind:
                kind, found, following, number = served, [], "", 0
                continue
            self._check_absence(response, kind)
            if response.status == _GONE and following and self._api.deadline.left() > 0:
                # The continue token has expired: start again.
                found, following, number = [], "", 0
                self._api.deadline.sleep(
                    next(back_off), [f"the API server to list {kind.plural} to the end"]
                )
                continue
            self._check_list(response, kind, asked)
            items, following = read_page(
                response, kind, self.namespace, metadata_only=metadata_only
            )
            found += [one for item in items if (one := read(item)) is not None]
            number += max(1, len(items))  # a proxy may answer with empty pages, one after the other
            if number > _MOST:
                why = f"cannot list: more than {_MOST} objects; is there a proxy before the API server?"
                what = f"{kind.plural} in {self.namespace}"
                raise NoList(what, why)
            if not following:
                return Listed(found, _time(response))
            page = _next_page(len(items), response.size)

    def _check_list(self, response: Response, kind: Kind, asked: Kind) -> None:
        """Raise for an answer that is no list. `asked`: the kind before the API server said its plural."""
        try:
            check_response(response, "list", kind, self.namespace)
        except Forbidden as error:
            if kind == asked:
                raise
            what = f"{asked.plural} in {self.namespace}"
            why = f"the plural is {kind.plural}; the Role of this ServiceAccount needs the rule {error.rule}"
            raise Misnamed(what, why, error.rule) from error

    def _ask_for(self, kind: Kind) -> Kind:
        """Return a custom kind with the API server's plural; as it is if nothing tells another one.

        Every user may read which resources an API version has.
        """
        if kind not in self._served:
            self._served[kind] = (
                kind if kind in CONSUMER_KINDS or not kind.group else self._discover(kind)
            )
            self._served[self._served[kind]] = self._served[kind]
        return self._served[kind]

    def _check_absence(self, response: Response, kind: Kind) -> None:
        """Raise NoList if an add-on's list is not found, though the API server has the kind.

        Raise NotTold for another kind if the API server does not say that it has no such kind.
        """
        if response.status != _NOT_FOUND or kind in BUILT_IN_KINDS:
            return
        if kind not in ADD_ON_KINDS:
            if not self._is_denied(kind):
                what = f"{kind.plural} in {self.namespace}"
                raise NotTold(what, why_not_served(kind))
            return
        for resource in self._find_resources(kind.api_version) or ():
            if (resource.get("kind"), resource.get("name")) == (kind.kind, kind.plural):
                what = f"{kind.plural} in {self.namespace}"
                raise NoList(
                    what,
                    "404, though the API server has the kind; is there a proxy before the API server?",
                )

    def _discover(self, kind: Kind) -> Kind:
        """Return the kind with the plural and the version that the API server has it under."""
        for api_version in self._list_versions(kind):
            for resource in self._find_resources(api_version) or ():
                plural = str(resource.get("name"))
                served = kind._replace(api_version=api_version, plural=plural)
                # A subresource is not listable.
                if resource.get("kind") == kind.kind and served.is_listable:
                    return served
        return kind

    def _is_denied(self, kind: Kind) -> bool:
        """Tell whether the API server says that it has no such kind. A 404 alone may be that of a proxy."""
        told = [self._find_resources(one) for one in self._list_versions(kind)]
        return all(
            resources is not None and kind.kind not in [one.get("kind") for one in resources]
            for resources in told
        )

    def _list_versions(self, kind: Kind) -> list[str]:
        """Return the version of a kind, and those that the API server has if no package says which one it is."""
        versions = [kind.api_version]
        if kind.group_kind in made_kinds():
            response = self._api.request("GET", f"/apis/{kind.group}", max_bytes=_MAX_PAGE_BYTES)
            for one in list_of(mapping(response.content).get("versions")):
                versions.append(text_in(mapping(one), "groupVersion"))
        return [*filter(None, dict.fromkeys(versions))]

    def _find_resources(self, api_version: str) -> list[Json] | None:
        if api_version not in self._resources:
            found = None
            with suppress(TooLarge):
                found = find_resources(self._api, api_version)
            self._resources[api_version] = found
        return self._resources[api_version]


def find_resources(api: Api, api_version: str) -> list[Json] | None:
    """Return the resources that the API server has of a version; None if it does not tell.

    Raises ApiError.
    """
    prefix = "apis" if "/" in api_version else "api"
    response = api.request("GET", f"/{prefix}/{api_version}", max_bytes=_MAX_PAGE_BYTES)
    if response.status == _NOT_FOUND:
        return []
    content = mapping(response.content)
    is_answer = response.status == _OK and content.get("kind", _RESOURCES) == _RESOURCES
    resources = content.get("resources")
    return (
        [mapping(one) for one in resources] if is_answer and isinstance(resources, list) else None
    )


def _next_page(items: int, size: int) -> int:
    """Return how many objects to ask for after a page of this many objects and bytes."""
    return max(1, min(_LARGEST_PAGE, _PAGE_BYTES * max(1, items) // max(1, size)))


def _time(response: Response) -> float:
    try:
        return parsedate_to_datetime(response.headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        return 0.0
