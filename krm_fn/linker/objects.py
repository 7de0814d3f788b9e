"""What the linker knows of live objects."""

from typing import NamedTuple


class Owner(NamedTuple):
    """An entry of `metadata.ownerReferences`."""

    api_version: str
    kind: str
    name: str
    uid: str

    @property
    def reference(self) -> dict[str, str]:
        """As Kubernetes writes it. Neither `controller` nor `blockOwnerDeletion`: we are not, and nobody need wait."""
        return {"apiVersion": self.api_version, "kind": self.kind, "name": self.name, "uid": self.uid}

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class User(NamedTuple):
    """A live object that names revisions.

    `current`: it says what is wanted now (a Deployment), not what was wanted once (a ReplicaSet). `names`: those of
    the names asked for that it holds. `controller` is the uid of what made it, `""` where nobody did; `template` the
    kind and name of another object that holds its template, as a Rollout's `workloadRef` says.
    """

    owner: Owner
    current: bool
    names: frozenset[str]
    controller: str = ""
    template: tuple[str, str] | None = None
    is_linker: bool = False
    is_leaving: bool = False


class Revision(NamedTuple):
    """A live ConfigMap of the set: a revision, or the tag of one that is a Secret. `created` is in Unix seconds."""

    name: str
    uid: str
    resource_version: str
    created: float
    owners: tuple[Owner, ...] = ()
    is_retained: bool = False
    is_tag: bool = False

    @property
    def kind(self) -> str:
        """Of what is kept alive by it."""
        return "Secret" if self.is_tag else "ConfigMap"
