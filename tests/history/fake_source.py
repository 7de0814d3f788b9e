"""The lists of a namespace without an API server."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.linker.api import Forbidden, Refused
from krm_fn.linker.cluster import Listed
from tests.linker.object_store import NAMESPACE, NOON, Object

_T = TypeVar("_T")


class FakeSource:
    """Objects as the API server lists them, at noon on 1 June 2026.

    Plurals in `forbidden` may not be listed. `lists` records what was listed: the plural, and the
    selector; `metadata_lists` those of them without content.
    """

    def __init__(
        self, items: Iterable[Object], forbidden: Iterable[str] = (), now: float = NOON
    ) -> None:
        self.items = list(items)
        self.forbidden = frozenset(forbidden)
        self.now = now
        self.lists: list[str] = []
        self.metadata_lists: list[str] = []

    @property
    def namespace(self) -> str:
        return NAMESPACE

    def read(
        self,
        kind: Kind,
        read: Callable[[Any], _T | None],
        *,
        metadata_only: bool = False,
        **selectors: str,
    ) -> Listed[_T]:
        self.lists.append(" ".join([kind.plural, *selectors.values()]))
        self.metadata_lists += self.lists[-1:] if metadata_only else []
        if kind.plural in self.forbidden:
            rule = f'{{apiGroups: ["{kind.group}"], resources: [{kind.plural}], verbs: [list]}}'
            what = f"{kind.plural} in {NAMESPACE}"
            raise Forbidden(
                what,
                f"not permitted to list; the Role of this ServiceAccount needs the rule {rule}",
                rule,
            )
        found = [
            one
            for one in self.items
            if (one["apiVersion"], one["kind"]) == (kind.api_version, kind.kind)
        ]
        if not found and kind not in CONSUMER_KINDS and kind.kind != "ConfigMap":
            what = f"{kind.plural} in {NAMESPACE}"
            raise Refused(what, "cannot list: 404 the server could not find it")
        chosen = [one for one in found if _matches(one, **selectors)]
        shown = [{"metadata": one["metadata"]} if metadata_only else one for one in chosen]
        return Listed([made for one in shown if (made := read(one)) is not None], self.now)


def _matches(item: Object, labelSelector: str = "", fieldSelector: str = "") -> bool:  # noqa: N803  # as the API has it
    labels = item["metadata"].get("labels", {})
    for requirement in filter(None, labelSelector.split(",")):
        key, equals, value = requirement.partition("=")
        if key not in labels or (equals and labels[key] != value):
            return False
    return not fieldSelector or fieldSelector == f"metadata.name={item['metadata'].get('name')}"
