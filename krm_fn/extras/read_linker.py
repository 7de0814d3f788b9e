"""Read the settings of a linker off its objects: where no configuration is known, nothing else says them.

What is read is what the function writes for some setting. What has changed since is written in
another way by a run with these settings, if only in the name of a Job, which its spec decides.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.link_plan import PLAN_VERSION, Unreadable, find_container, read_plan
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, elements, get, plain_value, text, texts
from krm_fn.base.settings import (
    NO_SIDECAR_ANNOTATIONS,
    NO_SIDECAR_LABELS,
    LinkerRun,
    LinkerSettings,
    is_image,
)
from krm_fn.core.names.names import content_name
from krm_fn.extras.linker_objects import may_be_spread

_PODS = ("spec", "template", "spec")


class WrittenLinker(NamedTuple):
    """The linker that objects show. `image`: that in which its pods run.

    `added`: the labels and annotations that something has added to all objects, unless the
    configuration asks for them. `names`: those that the specs of the Jobs have. `spread`: the
    CronJobs whose schedule may be the configured one, with another minute in the place of `H`.
    """

    settings: LinkerSettings
    image: str
    added: frozenset[tuple[str, str]]
    names: Mapping[Item, str]
    spread: frozenset[Item]


def read_linker(
    emitted: Sequence[Item], of_set: str, configured: LinkerSettings | None
) -> WrittenLinker:
    """Read the settings with which a run writes these objects again.

    Of pods the objects count, and not the configuration: a platform may have pinned their settings,
    and the image may be that of the function.
    """
    settings, image, added = configured or _read_access(emitted, of_set), "", _find_marks(emitted)
    names = {
        job: content_name(of_set, "-link", _plain(get(job.node, "spec"), {}))
        for job in _of_kind(emitted, "Job")
    }
    proven = [job for job, name in names.items() if job.id.name == name]
    for job in (proven or [*names])[:1]:
        image = text(get(find_container(job), "image"))
        settings = settings._replace(**_read_pods(job, () if proven else added))
    spread = [
        one
        for one in _of_kind(emitted, "CronJob")
        if settings.schedule
        and may_be_spread(settings.schedule, text(get(one.node, "spec", "schedule")))
    ]
    return WrittenLinker(settings, image, added, names, frozenset(spread))


def _find_marks(emitted: Iterable[Item]) -> frozenset[tuple[str, str]]:
    """Return the labels and annotations that all objects have."""
    marks = [{*item.labels.items(), *item.annotations.items()} for item in emitted]
    return frozenset(set.intersection(*marks)) if marks else frozenset()


def _read_access(emitted: Sequence[Item], of_set: str) -> LinkerSettings:
    """Read who runs the linker, and in whose name."""
    inventories = _of_kind(emitted, "ConfigMap")
    told = [one.annotations.get(keys.TOLD_KINDS, "").split(",") for one in inventories]
    # In version 0.2.0, only Jobs say it, with the kinds that the workloads of a namespace need.
    planned: list[set[str]] = []
    for job in _of_kind(emitted, "Job"):
        with suppress(Unreadable):
            planned.append({f"{one.api_version}/{one.kind}" for one in read_plan(job).kinds})
    told.append(sorted(set.intersection(*planned)) if planned else [])
    runs = {one.annotations.get(keys.LINKER_RUN) for one in inventories}
    accounts = [
        text(get(one.node, *_PODS, "serviceAccountName")) for one in _of_kind(emitted, "Job")
    ]
    for binding in _of_kind(emitted, "RoleBinding"):
        accounts += [text(get(one, "name")) for one in elements(get(binding.node, "subjects"))]
    # The function binds another account only where it is asked to, and then it emits none.
    others = (one for one in accounts if one != f"{of_set}-linker")
    has_own = bool(_of_kind(emitted, "ServiceAccount"))
    return LinkerSettings(
        enabled=any(keys.COPY_OF not in one.annotations for one in emitted),
        run=LinkerRun.SHARED if keys.SHARED_LINKER in runs else LinkerRun.JOB,
        kinds=next((tuple(kinds) for kinds in told if any(kinds)), ()),
        service_account_name=None if has_own else next(filter(None, others), None),
        schedule="" if _of_kind(emitted, "CronJob") else None,
        secrets_role=bool(_of_kind(emitted, "Role") or _of_kind(emitted, "RoleBinding")),
    )


def _read_pods(job: Item, added: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Read the settings of pods. `added`: marks that are none of them."""
    spec, pod = get(job.node, "spec"), get(job.node, *_PODS)
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
        plan = read_plan(job)
    except Unreadable:
        return settings
    return {**settings, "timeout_seconds": plan.timeout, "minimum_age_seconds": plan.minimum_age}


def _plain(node: Node | None, default: Any) -> Any:
    return default if node is None else plain_value(node)


def _of_kind(emitted: Iterable[Item], kind: str) -> list[Item]:
    return [one for one in emitted if one.id.kind == kind]
