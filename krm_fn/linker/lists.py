"""Lists of the objects of one namespace, read page by page from an API server."""

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any, Generic, NamedTuple, TypeVar

from krm_fn.linker.api import Api, TooLarge
from krm_fn.linker.api_errors import check_response
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

_NOT_FOUND, _GONE = 404, 410

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

    def path(self, kind: Kind, name: str = "") -> str:
        """Return the path of a list, or of one object in it."""
        prefix = "apis" if kind.group else "api"
        return "/".join(filter(None, [f"/{prefix}", kind.api_version, "namespaces", self.namespace, kind.plural, name]))

    def read(
        self, kind: Kind, read: Callable[[Any], _T | None], *, metadata_only: bool = False, **selectors: str
    ) -> Listed[_T]:
        """List all objects of a kind, and return what `read` takes from them.

        It reads page by page, so that only one page of objects is in memory. A known kind that is not installed has no
        objects. Raises Forbidden without the right to list them, and ApiError.
        """
        found: list[_T] = []
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
            if response.status == _NOT_FOUND and kind in CONSUMER_KINDS:
                return Listed([], _time(response))
            if response.status == _GONE and following and self._api.deadline.left() > 0:
                # The continue token has expired: start again.
                found, following = [], ""
                self._api.deadline.sleep(next(back_off), [f"the API server to list {kind.plural} to the end"])
                continue
            check_response(response, "list", kind, self.namespace)
            items = entries(response.content.get("items"))
            found += [one for item in items if (one := read(item)) is not None]
            following = mapping(response.content.get("metadata")).get("continue") or ""
            if not isinstance(following, str) or not following:
                return Listed(found, _time(response))
            page = _next_page(len(items), response.size)


def _next_page(items: int, size: int) -> int:
    """Return how many objects to ask for after a page of this many objects and bytes."""
    return max(1, min(_LARGEST_PAGE, _PAGE_BYTES * max(1, items) // max(1, size)))


def _time(response: Response) -> float:
    try:
        return parsedate_to_datetime(response.headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        return 0.0
