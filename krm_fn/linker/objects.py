"""What the linker keeps of live objects: owners, consumers and revisions."""

from typing import NamedTuple


class Owner(NamedTuple):
    """An entry of `metadata.ownerReferences`."""

    api_version: str
    kind: str
    name: str
    uid: str

    @property
    def reference(self) -> dict[str, str]:
        """The entry as Kubernetes writes it.

        It sets neither `controller`, which the owner is not, nor `blockOwnerDeletion`, which would delay its deletion.
        """
        return {"apiVersion": self.api_version, "kind": self.kind, "name": self.name, "uid": self.uid}

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class Consumer(NamedTuple):
    """A live object that may reference revisions.

    `is_current`: it says what is wanted now, as a Deployment does; a ReplicaSet says what was wanted when it was made.
    `references`: the names of the revisions that it references. `controller`: the uid of its controller, `""` for none.
    `template_source`: kind and name of the object that holds its pod template, from a Rollout's `workloadRef`.
    `is_linker_job`: it is a Job that runs the linker. `is_being_deleted`: it has a deletion timestamp.
    """

    owner: Owner
    is_current: bool
    references: frozenset[str]
    controller: str = ""
    template_source: tuple[str, str] | None = None
    is_linker_job: bool = False
    is_being_deleted: bool = False


class Revision(NamedTuple):
    """A live ConfigMap of the set: a revision, or the tracker of a Secret revision. `created` is in Unix seconds."""

    name: str
    uid: str
    resource_version: str
    created: float
    owners: tuple[Owner, ...] = ()
    is_retained: bool = False
    is_tracker: bool = False

    @property
    def kind(self) -> str:
        """The kind of the revision: `Secret` for a tracker."""
        return "Secret" if self.is_tracker else "ConfigMap"
