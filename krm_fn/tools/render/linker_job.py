"""The containers of a linker's Job or CronJob, and the plan in their arguments."""

from krm_fn.base.item import Item
from krm_fn.base.link_plan import LinkPlan, Unreadable, read_arguments
from krm_fn.base.node import Node, elements, get, text

_CONTAINERS = "spec.template.spec.containers"
OF_CRON_JOB = "spec.jobTemplate.spec.template.spec.containers"


def read_plan(job: Item) -> tuple[LinkPlan, str]:
    """Return the plan of a Job or CronJob, and the field that it is in. Raises Unreadable.

    The container need not be the first: a service mesh may have added its own.
    """
    containers = find_containers(job)
    for field, container in containers.items():
        if runs_linker(container):
            return read_arguments([*map(text, elements(get(container, "args")))][1:]), f"{field}.args"
    names = ", ".join(text(get(container, "name")) for container in containers.values())
    raise Unreadable(names, "a container whose first argument is `link`")


def runs_linker(container: Node) -> bool:
    """Tell whether the arguments of a container are those of the linker."""
    return [*map(text, elements(get(container, "args")))][:1] == ["link"]


def find_containers(job: Item) -> dict[str, Node]:
    """Return the containers by their fields."""
    path = OF_CRON_JOB if job.id.kind == "CronJob" else _CONTAINERS
    return {f"{path}[{index}]": one for index, one in enumerate(elements(get(job.node, *path.split("."))))}
