"""The linker's Job: its plan, and whether it is still the one that its name says."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from krm_fn.config.plain import plain_value
from krm_fn.model import keys
from krm_fn.model.item import Item, about
from krm_fn.model.link_plan import LinkPlan, Unreadable, read_arguments
from krm_fn.model.node import Node, elements, fields, get, text, texts
from krm_fn.model.problem import Problem
from krm_fn.naming.names import content_name

_CONTAINERS = "spec.template.spec.containers"
_IMAGE = re.compile(
    r"[A-Za-z0-9][\w.-]*(:[0-9]+)?(/[a-z0-9][a-z0-9._-]*)*(:\w[\w.-]{0,127})?(@[\w+.-]+:[0-9a-fA-F]{32,})?"
)


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


def check_job(job: Item, set_name: str, shared: Iterable[Item]) -> Iterator[Problem]:
    """Find a spec that something has changed under its name, which the API server refuses, and an image that is none.

    `shared`: others of the linker's objects. What they have in their metadata, something has added to all objects.
    """
    for index, container in enumerate(elements(get(job.node, *_CONTAINERS.split(".")))):
        image = text(get(container, "image"))
        if not _IMAGE.fullmatch(image) and "$" not in image:  # something may still substitute it
            message = f"found {image!r}, expected the name of an image"
            yield about(job, message, f"{_CONTAINERS}[{index}].image")
    if job.id.api_version != "batch/v1":
        yield about(job, f"found {job.id.api_version!r}, expected 'batch/v1'", "apiVersion")
    spec = get(job.node, "spec")
    names = [_name(set_name, spec, {})]
    names += [_name(set_name, spec, {"labels": _theirs(one.labels), "annotations": one.annotations}) for one in shared]
    if job.id.name not in names:
        message = (
            f"the spec belongs to {names[0]}: something has changed it after krm-fn, which must run last, "
            "because the spec of a Job cannot change"
        )
        yield about(job, message, "metadata.name")


def _theirs(labels: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in labels.items() if not name.startswith(keys.PREFIX)}


def _name(set_name: str, spec: Node | None, added: Mapping[str, Mapping[str, str]]) -> str:
    """Return the name of the Job with this spec, less what has been added to the metadata of its pods."""
    plain: Any = {} if spec is None else plain_value(spec)
    metadata = fields(get(spec, "template", "metadata"))
    if added and metadata:
        plain["template"]["metadata"] = {
            name: {key: value for key, value in texts(metadata[name]).items() if added.get(name, {}).get(key) != value}
            for name in metadata
        }
    return content_name(set_name, "-link", plain)
