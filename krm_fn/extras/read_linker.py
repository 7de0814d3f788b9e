"""Read the settings of a linker off its objects: where no configuration is known, nothing else says them.

What is read is what the function writes for some setting. What has changed since is written in
another way by a run with these settings, if only in the name of a Job, which its spec decides.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.link_plan import PLAN_VERSION, Unreadable, read_arguments
from krm_fn.base.node import Node, elements, get, plain_value, text, texts
from krm_fn.base.settings import (
    NO_SIDECAR_ANNOTATIONS,
    NO_SIDECAR_LABELS,
    LinkerRun,
    LinkerSettings,
    is_image,
)
from krm_fn.core.names.names import content_name


def read_linker(
    emitted: Sequence[Item], of_set: str, configured: LinkerSettings | None
) -> tuple[LinkerSettings, str]:
    """Return the settings with which a run writes these objects again, and the image that it runs in.

    Of pods the objects count, and not the configuration: a platform may have pinned their settings,
    and the image may be that of the function.
    """
    linker = configured or _read_access(emitted, of_set)
    jobs = _of_kind(emitted, "Job")
    proven = [one for one in jobs if one.id.name == name_of_spec(one, of_set)]
    for job in (proven or jobs)[:1]:
        added = () if proven else find_marks(emitted)
        linker = linker._replace(**_read_pods(job, added))
        return linker, text(get(find_container(job), "image"))
    return linker, ""


def find_marks(emitted: Iterable[Item]) -> frozenset[tuple[str, str]]:
    """Return the labels and annotations that all objects have.

    Something has added them to all objects, unless it is the configuration that asks for them.
    """
    marks = [{*item.labels.items(), *item.annotations.items()} for item in emitted]
    return frozenset(set.intersection(*marks)) if marks else frozenset()


def _read_access(emitted: Sequence[Item], of_set: str) -> LinkerSettings:
    """Read who runs the linker, and in whose name."""
    inventories = _of_kind(emitted, "ConfigMap")
    told = next(filter(None, (one.annotations.get(keys.TOLD_KINDS) for one in inventories)), "")
    runs = {one.annotations.get(keys.LINKER_RUN) for one in inventories}
    accounts = [text(get(_pod_spec(one), "serviceAccountName")) for one in _of_kind(emitted, "Job")]
    for binding in _of_kind(emitted, "RoleBinding"):
        accounts += [text(get(one, "name")) for one in elements(get(binding.node, "subjects"))]
    # The function binds another account only where it is asked to, and then it emits none.
    others = (one for one in accounts if one != f"{of_set}-linker")
    has_own = bool(_of_kind(emitted, "ServiceAccount"))
    return LinkerSettings(
        enabled=any(keys.COPY_OF not in one.annotations for one in emitted),
        run=LinkerRun.SHARED if keys.SHARED_LINKER in runs else LinkerRun.JOB,
        kinds=tuple(filter(None, told.split(","))),
        service_account_name=None if has_own else next(filter(None, others), None),
        schedule="" if _of_kind(emitted, "CronJob") else None,
        secrets_role=bool(_of_kind(emitted, "Role") or _of_kind(emitted, "RoleBinding")),
    )


def _read_pods(job: Item, added: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Read the settings of pods. `added`: marks that are none of them."""
    spec, pod = get(job.node, "spec"), _pod_spec(job)
    container, metadata = find_container(job), get(spec, "template", "metadata")
    variables = [text(get(one, "name")) for one in elements(get(container, "env"))]
    image = text(get(container, "image"))
    # The function says its version only beside an image of another one that is configured, and only
    # such an image may be one that something still substitutes.
    is_configured = PLAN_VERSION in variables or not is_image(image)

    def read_marks(name: str, ours: Iterable[str]) -> dict[str, str]:
        found = texts(get(metadata, name)).items()
        return {
            mark: value
            for mark, value in found
            if mark not in {keys.SET, keys.COMPONENT, keys.LEAVING, *ours}
            and (mark, value) not in added
        }

    settings = {
        "image": image if is_configured else None,
        "ttl_seconds_after_finished": _plain(get(spec, "ttlSecondsAfterFinished"), None),
        "resources": _plain(get(container, "resources"), {}),
        "node_selector": _plain(get(pod, "nodeSelector"), {}),
        "tolerations": _plain(get(pod, "tolerations"), ()),
        "image_pull_secrets": _plain(get(pod, "imagePullSecrets"), ()),
        "labels": read_marks("labels", NO_SIDECAR_LABELS),
        "annotations": read_marks("annotations", NO_SIDECAR_ANNOTATIONS),
    }
    try:
        plan = read_arguments([*map(text, elements(get(container, "args")))][1:])
    except Unreadable:
        return settings
    return {**settings, "timeout_seconds": plan.timeout, "minimum_age_seconds": plan.minimum_age}


def name_of_spec(job: Item, of_set: str) -> str:
    """Return the name that the function gives to a Job with this spec."""
    return content_name(of_set, "-link", _plain(get(job.node, "spec"), {}))


def _plain(node: Node | None, default: Any) -> Any:
    return default if node is None else plain_value(node)


def find_container(job: Item) -> Node | None:
    """Find the container of the linker in a Job or CronJob; None in any other object.

    It need not be the first: a service mesh may have added its own.
    """
    containers = elements(get(_pod_spec(job), "containers"))
    linking = [
        one for one in containers if [*map(text, elements(get(one, "args")))][:1] == ["link"]
    ]
    return next(iter([*linking, *containers]), None)


def _pod_spec(job: Item) -> Node | None:
    above = ("jobTemplate", "spec") if job.id.kind == "CronJob" else ()
    return get(job.node, "spec", *above, "template", "spec")


def _of_kind(emitted: Iterable[Item], kind: str) -> list[Item]:
    return [one for one in emitted if one.id.kind == kind]
