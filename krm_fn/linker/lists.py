"""Lists of the objects of one namespace, read page by page from an API server."""

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any, Generic, NamedTuple, TypeVar

from krm_fn.linker.api import Api, TooLarge
from krm_fn.linker.api_errors import Endless, Forbidden, Misnamed, check_response
from krm_fn.linker.names import entries, mapping
from krm_fn.linker.retry import Response, pauses
from krm_fn.model.kinds import CONSUMER_KINDS, Kind

_FIRST_PAGE, _LARGEST_PAGE = 50, 500
"""Objects to ask for in one page."""

_PAGE_BYTES, _MAX_PAGE_BYTES = 1_500_000, 4_000_000
"""The size of a page to aim at, and the size at which it is asked for again with fewer objects.

Parsed, a page may need twenty times its bytes.
"""

_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

_MOST = 100_000
"""Objects of one kind in a namespace. Kubernetes is tested with fewer in a whole cluster."""

_FORBIDDEN, _NOT_FOUND, _GONE = 403, 404, 410

_T = TypeVar("_T")


class Listed(NamedTuple, Generic[_T]):
    """What was read from a list. `now` is the API server's time, in Unix seconds; 0 if it does not tell."""

    items: list[_T]
    now: float


class Lists:
    """The lists of one namespace."""

    def __init__(self, api: Api, namespace: str) -> None:
        self.namespace = namespace
        self._api = api
        self._served: dict[Kind, Kind] = {}

    def path(self, kind: Kind, name: str = "") -> str:
        """Return the path of a list, or of one object in it."""
        prefix = "apis" if kind.group else "api"
        return "/".join(filter(None, [f"/{prefix}", kind.api_version, "namespaces", self.namespace, kind.plural, name]))

    def read(
        self, kind: Kind, read: Callable[[Any], _T | None], *, metadata_only: bool = False, **selectors: str
    ) -> Listed[_T]:
        """List all objects of a kind, and return what `read` takes from them.

        It reads page by page, so that only one page of objects is in memory. Where a custom kind cannot be listed, its
        plural may be a guess: then it asks the API server for it. Raises Forbidden without the right to list, NotServed
        if the API server has no such kind, Endless, and ApiError.
        """
        asked, kind = kind, self._served.get(kind, kind)
        found: list[_T] = []
        number = 0
        following = ""
        page, back_off = _FIRST_PAGE, pauses()
        accept = _METADATA if metadata_only else "application/json"
        while True:
            query = {"limit": str(page), **selectors, **({"continue": following} if following else {})}
            max_bytes = _MAX_PAGE_BYTES if page > 1 else None
            try:
                response = self._api.request("GET", self.path(kind), query=query, accept=accept, max_bytes=max_bytes)
            except TooLarge:
                page = max(1, page // 10)
                continue
            if response.status in (_FORBIDDEN, _NOT_FOUND) and (served := self._ask_for(kind)) != kind:
                kind, found, following, number = served, [], "", 0
                continue
            if response.status == _GONE and following and self._api.deadline.left() > 0:
                # The continue token has expired: start again.
                found, following, number = [], "", 0
                self._api.deadline.sleep(next(back_off), [f"the API server to list {kind.plural} to the end"])
                continue
            try:
                check_response(response, "list", kind, self.namespace)
            except Forbidden as error:
                if kind == asked:
                    raise
                what = f"{asked.plural} in {self.namespace}"
                why = f"the plural is {kind.plural}; the Role of this ServiceAccount needs the rule {error.rule}"
                raise Misnamed(what, why, error.rule) from error
            items = entries(response.content.get("items"))
            found += [one for item in items if (one := read(item)) is not None]
            number += max(1, len(items))
            if number > _MOST:
                what = f"{kind.plural} in {self.namespace}"
                raise Endless(what, f"cannot list: more than {_MOST} objects; is there a proxy before the API server?")
            following = mapping(response.content.get("metadata")).get("continue") or ""
            if not isinstance(following, str) or not following:
                return Listed(found, _time(response))
            page = _next_page(len(items), response.size)

    def _ask_for(self, kind: Kind) -> Kind:
        """Return a custom kind with the plural by which the API server has it; as it is if nothing tells another one.

        Every user may read which resources an API version has.
        """
        if kind not in self._served:
            self._served[kind] = kind if kind in CONSUMER_KINDS or not kind.group else self._discover(kind)
            self._served[self._served[kind]] = self._served[kind]
        return self._served[kind]

    def _discover(self, kind: Kind) -> Kind:
        try:
            response = self._api.request("GET", f"/apis/{kind.api_version}", max_bytes=_MAX_PAGE_BYTES)
        except TooLarge:
            return kind
        for resource in map(mapping, entries(mapping(response.content).get("resources"))):
            served = kind._replace(plural=str(resource.get("name")))
            if resource.get("kind") == kind.kind and served.is_listable:  # which subresources are not
                return served
        return kind


def _next_page(items: int, size: int) -> int:
    """Return how many objects to ask for after a page of this many objects and bytes."""
    return max(1, min(_LARGEST_PAGE, _PAGE_BYTES * max(1, items) // max(1, size)))


def _time(response: Response) -> float:
    try:
        return parsedate_to_datetime(response.headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        return 0.0
