"""The plan of a linker's Job."""

from krm_fn.model.item import Item
from krm_fn.model.link_plan import LinkPlan, Unreadable, read_arguments
from krm_fn.model.node import elements, get, text

_CONTAINERS = "spec.template.spec.containers"


def read_plan(job: Item) -> tuple[LinkPlan, str]:
    """Return the plan and the field that it is in. Raises Unreadable.

    The container need not be the first: a service mesh may have added its own.
    """
    containers = elements(get(job.node, *_CONTAINERS.split(".")))
    for index, container in enumerate(containers):
        command, *arguments = [text(argument) for argument in elements(get(container, "args"))] or [""]
        if command == "link":
            return read_arguments(arguments), f"{_CONTAINERS}[{index}].args"
    names = ", ".join(text(get(container, "name")) for container in containers)
    raise Unreadable(names, "a container whose first argument is `link`")
