"""Single mistakes in what the function has rendered, each of which verify must find."""

from collections import defaultdict
from collections.abc import Callable, Iterator

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Edit, SetItems, SetText
from krm_fn.base.item import Item
from krm_fn.base.kind import PROTECTIONS, ROLES
from krm_fn.base.link_plan import read_plan
from krm_fn.base.node import Node, elements, get, is_scalar, is_sequence
from krm_fn.base.reference import By
from krm_fn.core.names.names import hash_in_name
from krm_fn.tools.verify.check_names import check_protection
from krm_fn.tools.verify.rendering import Rendering

Mutate = Callable[[Rendering], Iterator[Changes]]


def names_changed(rendering: Rendering) -> Iterator[Changes]:
    for item in _renamed(rendering):
        if _is_linked(item, rendering):
            yield _set_text(
                item, ("metadata", "name"), item.id.name[:-1] + "42"[item.id.name.endswith("4")]
            )


def content_changed(rendering: Rendering) -> Iterator[Changes]:
    for item in _renamed(rendering):
        yield Changes(patches=((item, {"data" if item.is_config else "spec": {"added": "later"}}),))


def references_put_back(rendering: Rendering) -> Iterator[Changes]:
    # Several, where a YAML alias shares the name. In a comma list, each name is one.
    edits: dict[tuple[Node, str], list[Edit]] = defaultdict(list)
    for referrer, reference, targets in rendering.run.references.authored:
        renamed = rendering.revisions.renamed
        if reference.rule.by is By.REFERENCES:
            continue  # only the configuration knows the field
        if any(target in renamed for target in targets) and not reference.is_output:
            base = targets[0].annotations[keys.BASE_NAME]
            if targets[0] in renamed:  # a producer has another name than what it makes
                base = renamed[targets[0]].base_meant_by(reference)
            # A rule of a Role has the base name as well.
            if referrer.id.kind not in ROLES or reference.target != base:
                change = SetText(reference.name, reference.renamed(base))
                edits[reference.name, reference.before].append(
                    Edit(change, referrer, reference.field)
                )
    for same in edits.values():
        yield Changes(edits=tuple(same))


def protection_removed(rendering: Rendering) -> Iterator[Changes]:
    for item in [*(one.item for one in rendering.revisions.rendered), *_trackers(rendering)]:
        for deployer in protecting(rendering):
            for one in PROTECTIONS[deployer]:
                yield Changes(
                    patches=((item, {"metadata": {"annotations": {one.annotation: None}}}),)
                )


def protecting(rendering: Rendering) -> tuple[str, ...]:
    """Return the deployers from which everything is protected."""
    return tuple(
        deployer
        for deployer, protections in PROTECTIONS.items()
        if protections and not any(check_protection(rendering, (deployer,)))
    )


def arguments_dropped(rendering: Rendering) -> Iterator[Changes]:
    for job in _emitted(rendering, "Job"):
        (container,) = elements(get(job.node, "spec", "template", "spec", "containers"))
        arguments = get(container, "args")
        assert is_sequence(arguments)
        for place, argument in enumerate(arguments.value):
            if argument.value.startswith(("--workload=", "--revision=")):
                yield Changes(edits=(Edit(SetItems(arguments, drop=(place,)), job, ""),))


def inventory_entries_dropped(rendering: Rendering) -> Iterator[Changes]:
    for inventory in _emitted(rendering, "ConfigMap"):
        names = inventory.annotations.get(keys.RENDERED, "").split(",")
        for name in filter(None, names):
            rest = ",".join(one for one in names if one != name)
            yield Changes(
                patches=((inventory, {"metadata": {"annotations": {keys.RENDERED: rest}}}),)
            )


def linker_objects_dropped(rendering: Rendering) -> Iterator[Changes]:
    """Drop those that others miss. Of a CronJob, or of all of a linker, only the configuration tells."""
    emitted = rendering.package.emitted

    def place(item: Item) -> tuple[str, str]:
        return item.labels[keys.SET], rendering.package.namespace_of(item)

    for item in emitted:
        is_all = sum(place(one) == place(item) for one in emitted) == 1
        if item.id.kind != "CronJob" and not is_all:
            yield Changes(remove=(item,))


def revisions_dropped(rendering: Rendering) -> Iterator[Changes]:
    """Drop those that a plan lists, and the only one. Any other may be in the cluster."""
    for revision in rendering.revisions.rendered:
        if _is_linked(revision.item, rendering) or len(rendering.revisions.rendered) == 1:
            yield Changes(remove=(revision.item,))


def workloads_dropped(rendering: Rendering) -> Iterator[Changes]:
    for job in _emitted(rendering, "Job"):
        plan = read_plan(job)
        for workload in plan.workloads:
            for item in rendering.package.authored:
                who = (
                    item.id.api_version,
                    item.id.kind,
                    item.id.name,
                    rendering.package.namespace_of(item),
                )
                if who == (*workload[:3], rendering.package.namespace_of(job)):
                    yield Changes(remove=(item,))


MUTATIONS: tuple[Mutate, ...] = (
    names_changed,
    content_changed,
    references_put_back,
    protection_removed,
    arguments_dropped,
    inventory_entries_dropped,
    linker_objects_dropped,
    revisions_dropped,
    workloads_dropped,
)


def _renamed(rendering: Rendering) -> list[Item]:
    return [one.item for one in rendering.revisions.rendered if hash_in_name(one.item)]


def _is_linked(item: Item, rendering: Rendering) -> bool:
    """Tell whether a plan lists the revision."""
    return any(
        (item.id.kind, item.id.name) in read_plan(job).rendered
        and rendering.package.namespace_of(job) == rendering.package.namespace_of(item)
        for job in _emitted(rendering, "Job")
    )


def _emitted(rendering: Rendering, kind: str) -> list[Item]:
    return [
        item
        for item in rendering.package.emitted
        if item.id.kind == kind and item.labels[keys.COMPONENT] == keys.LINKER
    ]


def _trackers(rendering: Rendering) -> list[Item]:
    return [
        item for item in rendering.package.emitted if item.labels[keys.COMPONENT] == keys.TRACKER
    ]


def _set_text(item: Item, path: tuple[str, ...], text: str) -> Changes:
    node = get(item.node, *path)
    assert is_scalar(node)
    return Changes(edits=(Edit(SetText(node, text), item, ".".join(path)),))
