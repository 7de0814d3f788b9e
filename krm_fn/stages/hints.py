"""Why somebody may look an object up by the name that its author gave it.

A pod that reads a ConfigMap through a volume or a variable follows its new name. A program that asks the API for a
fixed name does not: it fails, or runs with defaults. So an object that nobody chose explicitly is only renamed where
nothing hints at such a reader.
"""

from functools import cached_property

from krm_fn.model.item import Item
from krm_fn.model.node import entries, get, is_scalar
from krm_fn.naming.names import authored_id, base_name
from krm_fn.references.api_readers import ApiReaders
from krm_fn.references.find import ROLES
from krm_fn.references.near_misses import NearMiss
from krm_fn.references.references import References
from krm_fn.references.well_known import looked_up_by
from krm_fn.stages.package import Package

_DATA = ("data", "stringData", "binaryData")


class Hints:
    """The hints of a package. Each is computed when the first object is asked about."""

    def __init__(self, package: Package, references: References) -> None:
        self._package = package
        self._references = references
        self._api_readers = ApiReaders(package.authored, package.namespace_of)

    def about(self, item: Item) -> str:
        """Say who may look this object up by its name; `""` where nothing hints at anybody."""
        hints = (
            *(self._role, self._program, _empty, self._data, self._option, self._reader),
            *(self._field, self._namespace, self._chart),
        )
        return next(filter(None, (hint(item) for hint in hints)), "")

    def _role(self, item: Item) -> str:
        role = self._listed_by_role.get(item)
        return f"{authored_id(role)} lists it in resourceNames, so a program reads it through the API" if role else ""

    @cached_property
    def _listed_by_role(self) -> dict[Item, Item]:
        listed: dict[Item, Item] = {}
        for referrer, _, targets in self._references.authored:
            if referrer.id.kind in ROLES:
                for target in targets:
                    listed.setdefault(target, referrer)
        return listed

    def _program(self, item: Item) -> str:
        known = looked_up_by(item, base_name(item), self._package.namespace_of(item))
        return f"{known.program} looks it up by this name" if known else ""

    def _data(self, item: Item) -> str:
        holder = self._holders.get(item)
        return f"the data of {authored_id(holder)} references it" if holder else ""

    @cached_property
    def _holders(self) -> dict[Item, Item]:
        return {target: one.item for one in self._references.embedded for target in one.targets}

    def _option(self, item: Item) -> str:
        for name in dict.fromkeys((item.id.name, base_name(item))):
            for referrer, found in self._references.options.passing(item.id.kind, name):
                if self._package.may_share_namespace(found.namespace or referrer.id.namespace, item.id.namespace):
                    return f"{authored_id(referrer)} passes its name in {found.option} ({found.field})"
        return ""

    def _reader(self, item: Item) -> str:
        """Name a program that reads the object from a file, and may read it through the API as well."""
        for referrer in self._references.pod_referrers.get(item, ()):
            role = self._api_readers.role_of(referrer, item.id.kind, self._package.namespace_of(item))
            if role:
                return f"{authored_id(referrer)} may read {item.id.kind}s through the API, by {role}"
        return ""

    def _field(self, item: Item) -> str:
        miss = self._misses.get(item)
        return f"{authored_id(miss.referrer)} names it in {miss.field}, which no rule follows" if miss else ""

    @cached_property
    def _misses(self) -> dict[Item, NearMiss]:
        return {miss.target: miss for miss in self._references.unfollowed}

    def _namespace(self, item: Item) -> str:
        referrer = self._nearly_matched.get(item)
        return f"{authored_id(referrer)} may mean it, but only one of the two sets a namespace" if referrer else ""

    @cached_property
    def _nearly_matched(self) -> dict[Item, Item]:
        nearly: dict[Item, Item] = {}
        for referrer, reference, targets in self._references.authored:
            if reference.in_pod and not targets:
                namespace = reference.target_namespace
                for item in self._references.index.find_elsewhere(
                    referrer, reference.kind, reference.target, namespace
                ):
                    nearly.setdefault(item, referrer)
        return nearly

    def _chart(self, item: Item) -> str:
        """Say that a Helm chart makes the object anew on every rendering, as charts make passwords."""
        is_generated = self._package.generated.get(item)
        if is_generated is not None:
            return "its chart makes it anew on every rendering" if is_generated else ""
        is_of_chart = "helm.sh/chart" in item.labels or "Helm" in (
            item.labels.get("app.kubernetes.io/managed-by"),
            item.labels.get("heritage"),
        )
        if item.id.kind == "Secret" and is_of_chart:
            return "its Helm chart may make it anew on every rendering, or look it up"
        return ""


def _empty(item: Item) -> str:
    """Say that there is no content, or only empty values."""
    for field in _DATA:
        for _, value in entries(get(item.node, field)):
            if not is_scalar(value) or value.value.strip():
                return ""
    return "it has no content, so a controller may fill it"
