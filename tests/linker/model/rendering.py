"""Render versions of a small application, with the plan and the objects that the function would emit."""

import zlib
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from krm_fn.base import keys
from krm_fn.base.kind import Kind, find_made, kind_named
from krm_fn.base.link_plan import JobPlan, LinkPlan, RevisionName, Workload, merge_plans
from tests.linker.manifests import (
    inventory,
    linker_cron_job,
    linker_job,
    of_set,
    pods,
    revision,
    workload,
)
from tests.linker.object_store import Object, without

TRACKED = {"app": "shop"}
"""The label by which a deployer finds the objects that it has applied."""

MINIMUM_AGE = 600
TIMEOUT = 25
"""Seconds a run waits at most, by the model's clock. Other steps advance that clock too."""

SCHEDULED_TIMEOUT = 150
"""The same of a scheduled run, which only waits before it deletes, for a minute."""


NIGHTLY = kind_named("argoproj.io/v1alpha1/CronWorkflow")
KINDS_OF_NIGHTLY = ",".join(
    sorted(f"{kind.api_version}/{kind.kind}" for kind in find_made([NIGHTLY]))
)


class Rendering(NamedTuple):
    """The versions of two ConfigMaps, a Secret and the images; whether there are a second workload, and linker's Jobs.

    Both workloads reference the shared ConfigMap. Only the second one, `api`, references the other ConfigMap and the
    Secret. A third ConfigMap is retained, and nothing references it. If it `is_shared`, the one linker of the
    namespace links the set. If it `has_nightly`, a CronWorkflow reads a ConfigMap and a Secret of its own: the one
    linker of the namespace is not told its kind. If it `is_leaving`, the next rendering has no krm-fn, and `has_left`.
    A `set` that was renamed has `former_sets`.
    """

    kind: str
    shared: int = 0
    config: int = 0
    password: int = 0
    image: int = 0
    has_api: bool = True
    has_jobs: bool = True
    is_shared: bool = False
    nightly: int = 0
    has_nightly: bool = False
    is_leaving: bool = False
    has_left: bool = False
    set: str = "web"
    former_sets: tuple[str, ...] = ()

    @property
    def names(self) -> list[RevisionName]:
        """The revisions that workloads reference."""
        shared = RevisionName("ConfigMap", _name("shared-config", self.shared))
        own = (
            RevisionName("ConfigMap", _name("api-config", self.config)),
            RevisionName("Secret", self._password),
        )
        return [shared, *(own if self.has_api else ())]

    @property
    def of_nightly(self) -> tuple[RevisionName, ...]:
        """The revisions that the CronWorkflow references."""
        if not self.has_nightly:
            return ()
        config, key = _name("nightly-config", self.nightly), _name("nightly-key", self.nightly)
        return RevisionName("ConfigMap", config), RevisionName("Secret", key)

    @property
    def plan(self) -> LinkPlan:
        shared, *_ = self.names
        workloads = [
            Workload(workload(self.kind, "web", {})["apiVersion"], self.kind, "web", (shared,))
        ]
        if self.has_api:
            workloads.append(Workload("argoproj.io/v1alpha1", "Rollout", "api", tuple(self.names)))
        kinds: tuple[Kind, ...] = ()
        if self.has_nightly and not self.is_shared:
            kinds = tuple(sorted(find_made([NIGHTLY])))
            workloads.append(Workload(*NIGHTLY[:2], "nightly", self.of_nightly))
        return LinkPlan(
            set=self.set,
            workloads=tuple(workloads),
            kinds=kinds,
            timeout=TIMEOUT,
            minimum_age=MINIMUM_AGE,
        )

    @property
    def scheduled_plan(self) -> LinkPlan:
        """The plan of the CronJob."""
        return merge_plans([JobPlan("", "", self.plan, (), "")]).plan

    @property
    def _password(self) -> str:
        return _name("api-password", self.password)


@cache
def render(rendering: Rendering) -> tuple[Object, ...]:
    """Render everything to apply, in the order of deployers: configuration, workloads, Jobs, custom resources."""
    arguments = rendering.plan.to_arguments()
    listed = [one.name for one in rendering.of_nightly]
    job = linker_job(f"web-link-{zlib.crc32(repr(arguments).encode()):08x}", arguments)
    shared, *own = [name.name for name in rendering.names]
    jobs = [job, linker_cron_job("web-linker", rendering.scheduled_plan.to_arguments())]
    items = [
        revision(shared),
        inventory(
            *(shared, *own, *listed),
            is_shared=rendering.is_shared,
            is_leaving=rendering.is_leaving,
            former_sets=rendering.former_sets,
        ),
        revision(_name("kept-config", rendering.shared), retain=True),
        workload(rendering.kind, "web", pods(shared, image=f"web:{rendering.image}")),
        *(jobs if rendering.has_jobs and not rendering.is_shared else ()),
    ]
    if rendering.has_api:
        config, password = own
        secret = [revision(password, kind="Secret"), revision(password, tracker=True)]
        template = pods(shared, config, secrets=[password], image=f"api:{rendering.image}")
        items = [*secret, revision(config), *items, workload("Rollout", "api", template)]
    items = [*_render_nightly(rendering), *items]
    if rendering.has_left:
        items = [_without_marks(item) for item in items if not _is_emitted(item)]
    if rendering.set != "web":
        items = [_of_set(rendering.set, item) for item in items]
    return tuple(_tracked(item) for item in items)


def _of_set(name: str, item: Object) -> Object:
    """Put an object into another set, if it is of one."""
    if keys.SET not in item["metadata"].get("labels", {}):
        return item
    own = item["metadata"]["name"]
    return of_set(name, item, name=f"{name}-linker" if own == "web-linker" else own)


def _render_nightly(rendering: Rendering) -> Iterator[Object]:
    if not rendering.has_nightly:
        return
    config, key = [one.name for one in rendering.of_nightly]
    # A kind that the linker is not told is out of its sight.
    is_retained = rendering.is_shared
    marks = {} if is_retained else {keys.KINDS: KINDS_OF_NIGHTLY}
    yield revision(key, kind="Secret", retain=is_retained)
    yield revision(key, tracker=True, retain=is_retained, annotations=marks)
    yield revision(config, retain=is_retained, annotations=marks)
    yield workload("CronWorkflow", "nightly", pods(config, secrets=[key]))


def _is_emitted(item: Object) -> bool:
    labels = item["metadata"].get("labels", {})
    return keys.COMPONENT in labels


def _without_marks(item: Object) -> Object:
    return without(item, "labels", "annotations")


def _tracked(item: Object) -> Object:
    metadata = item["metadata"]
    return {**item, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), **TRACKED}}}


def _name(base: str, version: int) -> str:
    return f"{base}-{'bcdfghkmt'[version] * 10}"
