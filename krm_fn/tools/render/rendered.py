"""What is about to be applied, read as it is: where it goes, what its references name, and the plans of linkers.

Whoever checks a rendering, and whoever compares two, has to read it in the same way.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.link_plan import LinkPlan, Unreadable, read_arguments
from krm_fn.base.node import Node, elements, get, text
from krm_fn.base.settings import Settings
from krm_fn.core.decide.run import Package
from krm_fn.core.names.names import is_emitted
from krm_fn.core.references.references import Authored, find_authored
from krm_fn.core.references.resolve import Index

_CONTAINERS = "spec.template.spec.containers"
OF_CRON_JOB = "spec.jobTemplate.spec.template.spec.containers"


def read_written(package: Package, settings: Iterable[Settings]) -> tuple[Index, Authored]:
    """Read the references that are written in what is about to be applied.

    What an earlier run wrote for mounts counts too: it is applied as it is.
    """
    index = package.read_index()
    specs = tuple(chain.from_iterable(one.references for one in settings))
    return index, find_authored(package.authored, index, specs, but=())


def find_default_namespace(items: Collection[Item], configured: Iterable[Settings]) -> str:
    """Find the namespace of objects that set none, as far as the function has left a trace of it."""
    emitted = [item for item in items if is_emitted(item)]
    by_config = (settings.linker.namespace or "" for settings in configured)
    return next(
        filter(
            None,
            chain(
                by_config,
                (item.annotations.get(keys.DEFAULT_NAMESPACE, "") for item in emitted),
                _subject_namespaces(emitted),
                _planned_namespaces(items, emitted),
            ),
        ),
        "",
    )


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
            plan, _ = read_plan(job)
        except Unreadable:
            continue
        planned = {(one.kind, one.name) for one in plan.workloads} | {
            (one.kind, one.name) for one in plan.rendered
        }
        found = [namespaces[one] for one in planned]
        own = job.id.namespace
        if own and any("" in of_name and own not in of_name for of_name in found):
            yield own


def read_plan(job: Item) -> tuple[LinkPlan, str]:
    """Return the plan of a Job or CronJob, and the field that it is in. Raises Unreadable.

    The container need not be the first: a service mesh may have added its own.
    """
    containers = find_job_containers(job)
    for field, container in containers.items():
        if runs_linker(container):
            return read_arguments(
                [*map(text, elements(get(container, "args")))][1:]
            ), f"{field}.args"
    names = ", ".join(text(get(container, "name")) for container in containers.values())
    raise Unreadable(names, "a container whose first argument is `link`")


def runs_linker(container: Node) -> bool:
    """Tell whether the arguments of a container are those of the linker."""
    return [*map(text, elements(get(container, "args")))][:1] == ["link"]


def find_job_containers(job: Item) -> dict[str, Node]:
    """Return the containers by their fields."""
    path = OF_CRON_JOB if job.id.kind == "CronJob" else _CONTAINERS
    return {
        f"{path}[{index}]": one
        for index, one in enumerate(elements(get(job.node, *path.split("."))))
    }
