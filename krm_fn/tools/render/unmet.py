"""What pods of a rendering need to start, and the rendering does not have."""

from collections.abc import Collection
from typing import NamedTuple

from krm_fn.base.item import Item
from krm_fn.core.decide.run import Package
from krm_fn.core.names.names import without_hash
from krm_fn.core.references.generated import find_generated, known_names
from krm_fn.core.references.reference import Reference, ResolvedReference, is_read


class ObjectName(NamedTuple):
    """What a reference says of an object."""

    kind: str
    namespace: str
    name: str


class Unmet(NamedTuple):
    """A reference without which a pod does not start, and what it means: nothing in the rendering is or writes that."""

    meant: ObjectName
    resolved: ResolvedReference

    def is_about(self, item: Item, *, is_kept: bool, was_met: bool = False) -> bool:
        """Tell whether it means an object that is rendered no more, by a name that nothing has any more.

        `is_kept`: the object stays under its present name. `was_met`: its referrer has read the object, so that the
        name of an earlier revision meant it. Of any other, that is a pin, and what it means may be in the cluster.
        """
        names = known_names(item)
        own = {(item.id.kind, item.id.name)}
        own |= {(one.kind, one.reference.target) for one in find_generated(item)}
        kind, _, name = self.meant
        if is_kept and (kind, name) in own:
            return False
        return (kind, name) in names or (was_met and (kind, without_hash(name)) in names)


def find_unmet_needs(package: Package, references: Collection[ResolvedReference]) -> list[Unmet]:
    """Find what pods need, and nothing here is or writes."""

    def mean(one: ResolvedReference) -> ObjectName:
        namespace = one.reference.target_namespace or package.namespace_of(one.referrer)
        return ObjectName(one.reference.kind, namespace, one.reference.target)

    written = {mean(one) for one in references if one.reference.written}
    unmet = [
        Unmet(mean(one), one)
        for one in references
        if is_required(one.reference) and not one.targets
    ]
    return [one for one in unmet if one.meant not in written]


def is_required(reference: Reference) -> bool:
    """Tell whether a pod does not start without what the reference means."""
    is_of_pod = is_read(reference) and ".annotations[" not in reference.field
    return is_of_pod and not reference.is_optional and reference.installed_in is None
