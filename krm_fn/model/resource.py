"""Who an object is."""

from typing import NamedTuple


class ResourceId(NamedTuple):
    """Who an object is, independent of what it says."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @property
    def group(self) -> str:
        """`apps` of `apps/v1`, `""` of `v1`."""
        return self.api_version.rpartition("/")[0]

    def __str__(self) -> str:
        """`Deployment/shop/web`; the namespace is left out where the object has none."""
        return "/".join(filter(None, [self.kind, self.namespace, self.name]))
