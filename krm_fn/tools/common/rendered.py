"""Read what is about to be applied, as it is: where it goes, what its references name, what its pods lack.

Whoever checks a rendering, and whoever compares two, has to read it in the same way.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain

from krm_fn.base import keys
from krm_fn.base.item import Item, is_emitted
from krm_fn.base.keys import DECLARES_FUNCTION
from krm_fn.base.kind import TOOL_GROUPS
from krm_fn.base.link_plan import Unreadable, read_plan
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import descend, elements, get, read_path, scalars, text
from krm_fn.base.problem import Problem
from krm_fn.base.reference import Reference, ResolvedReference, is_read
from krm_fn.base.settings import FieldSpec, Settings
from krm_fn.core.decide.decide import Package, Run
from krm_fn.core.names.names import without_hash
from krm_fn.core.references.generated import find_generated, known_names
from krm_fn.lint.lint import report_missing_keys
from krm_fn.tools.common.files import KUSTOMIZATIONS


def find_default_namespace(items: Collection[Item], configured: Iterable[Settings]) -> str:
    """Find the namespace of objects that set none, as far as the function has left a trace of it."""
    emitted = [item for item in items if is_emitted(item)]
    # From what somebody has said to what is only a sign of it.
    possible = chain(
        (settings.linker.namespace or "" for settings in configured),
        (item.annotations.get(keys.DEFAULT_NAMESPACE, "") for item in emitted),
        _subject_namespaces(emitted),
        _planned_namespaces(items, emitted),
    )
    return next(filter(None, possible), "")


def _subject_namespaces(emitted: Iterable[Item]) -> Iterator[str]:
    """Yield what RoleBindings without a namespace say about that of their ServiceAccount."""
    for item in emitted:
        if item.id.kind == "RoleBinding" and not item.id.namespace:
            yield from (
                text(get(subject, "namespace")) for subject in elements(get(item.node, "subjects"))
            )


def _planned_namespaces(items: Iterable[Item], emitted: Iterable[Item]) -> Iterator[str]:
    """Yield the namespaces of Jobs whose plan speaks of objects that set none."""
    namespaces: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        namespaces[item.id.kind, item.id.name].add(item.id.namespace)
    for job in emitted:
        try:
            plan = read_plan(job)
        except Unreadable:
            continue
        planned = {(one.kind, one.name) for one in plan.workloads} | {
            (one.kind, one.name) for one in plan.rendered
        }
        found = [namespaces[one] for one in planned]
        own = job.id.namespace
        if own and any("" in of_name and own not in of_name for of_name in found):
            yield own


def find_unknown_specs(run: Run) -> Iterator[FieldSpec]:
    """Find fields of `spec.references` without a configuration.

    A Job says who references a revision, and a revision of which kinds that is. Where no rule finds
    the reference, the field says the whole name.
    """
    said: dict[tuple[str, str], set[str]] = defaultdict(set)
    for job in run.package.emitted:
        with suppress(Unreadable):
            for workload in read_plan(job).workloads:
                for name in workload.revisions:
                    said[name.kind, name.name].add(str(workload).partition("=")[0])
    wanted: dict[str, dict[str, str]] = defaultdict(dict)
    for revision in run.revisions.rendered:
        kinds = filter(None, revision.item.annotations.get(keys.KINDS, "").split(","))
        known: set[str] = set()
        for found in run.consumers.get(revision.item, ()):
            known.update(_names_of(found.referrer))
        for who in {*kinds, *said[revision.id.kind, revision.name]} - known:
            wanted[who][revision.name] = revision.id.kind
    for item in run.package.authored if wanted else ():
        for who in _names_of(item):
            yield from _find_specs(item, wanted.get(who, {}))


def _find_specs(item: Item, wanted: Mapping[str, str]) -> Iterator[FieldSpec]:
    """Find the fields that say one of these names. `wanted`: the kinds by the names."""
    version = item.id.api_version.rpartition("/")[2]
    for scalar, path, _ in scalars(item.node) if wanted else ():
        if scalar.value in wanted:
            names = (step.replace("/", r"\/") for step in path if isinstance(step, str))
            target = wanted[scalar.value]
            yield FieldSpec(target, "/".join(names), item.id.group, version, item.id.kind)


def _names_of(item: Item) -> tuple[str, str]:
    """Return the kind of an object as annotations say it, and the object as plans say it."""
    kind = f"{item.id.api_version}/{item.id.kind}"
    return kind, f"{kind}/{item.id.name}"


class ObjectName(NamedTuple):
    """An object, as a reference names it."""

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
        name of an earlier revision meant it. For any other referrer it is a pin, whose object may be in the cluster.
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

    written = {mean(one) for one in references if one.reference.is_output}
    unmet = [
        Unmet(mean(one), one)
        for one in references
        if is_required(one.reference) and not _is_met(one)
    ]
    return [one for one in unmet if one.meant not in written]


def find_lost_keys(
    package: Package,
    references: Iterable[ResolvedReference],
    item: Item,
    gone: Collection[str],
) -> Iterator[Problem]:
    """Find pods that do not start without a key that an object had. `gone`: the keys that it has no more."""
    if not gone:
        return
    to_item = [one for one in references if item in one.targets]
    for found in report_missing_keys(package, to_item):
        key = text(descend(found.node, read_path(found.field)))
        # A subPath without its key is an empty folder, with which pods start.
        if found.field.endswith(".key") and key in gone:
            yield found.as_error()


def _is_met(one: ResolvedReference) -> bool:
    """Tell whether it has the very name of an object: nothing follows a base name in a cluster."""
    return any(
        not target.is_config or target.id.name == one.reference.target for target in one.targets
    )


def is_required(reference: Reference) -> bool:
    """Tell whether a pod does not start without what the reference means."""
    is_of_pod = is_read(reference) and ".annotations[" not in reference.field
    return is_of_pod and not reference.is_optional and reference.installed_in is None


# Kinds of the tools' groups that are applied all the same: kpt's inventory.
_APPLIED_KINDS = frozenset({"ResourceGroup"})


_INTERNAL = re.compile(
    r"internal\.(?:config\.kubernetes\.io|kpt\.dev)/.+"
    r"|config\.kubernetes\.io/(?:index|path)"
    r"|(?:kustomize\.)?config\.k8s\.io/id"
)


def is_deployed(item: Item) -> bool:
    """Tell whether the object is for a cluster, and not for the tools that render manifests."""
    # kustomize and kpt leave these out as well, but Argo CD applies whatever a plugin prints.
    if item.is_local or any(name in item.annotations for name in DECLARES_FUNCTION):
        return False
    if not item.id.kind:  # a kustomization may come without a kind; its file name tells what it is
        return item.file.rpartition("/")[2] not in KUSTOMIZATIONS
    return item.id.group not in TOOL_GROUPS or item.id.kind in _APPLIED_KINDS


def is_internal(name: str) -> bool:
    return _INTERNAL.fullmatch(name) is not None
