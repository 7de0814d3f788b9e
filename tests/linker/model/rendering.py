"""Render versions of a small application, with the plan and the objects that the function would emit."""

import zlib
from functools import cache
from typing import NamedTuple

from krm_fn.base.link_plan import JobPlan, LinkPlan, RevisionName, Workload, merge_plans
from tests.linker.manifests import inventory, linker_cron_job, linker_job, pods, revision, workload
from tests.linker.object_store import Object

TRACKED = {"app": "shop"}
"""The label by which a deployer finds the objects that it has applied."""

MINIMUM_AGE = 600
TIMEOUT = 25
"""Seconds a run waits at most, by the model's clock. Other steps advance that clock too."""

SCHEDULED_TIMEOUT = 150
"""The same of a scheduled run, which only waits before it deletes, for a minute."""


class Rendering(NamedTuple):
    """The versions of two ConfigMaps, a Secret and the images; whether there are a second workload, and linker's Jobs.

    Both workloads reference the shared ConfigMap. Only the second one, `api`, references the other ConfigMap and the
    Secret. A third ConfigMap is retained, and nothing references it. If it `is_shared`, the one linker of the
    namespace links the set.
    """

    kind: str
    shared: int = 0
    config: int = 0
    password: int = 0
    image: int = 0
    has_api: bool = True
    has_jobs: bool = True
    is_shared: bool = False

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
    def plan(self) -> LinkPlan:
        shared, *_ = self.names
        workloads = [
            Workload(workload(self.kind, "web", {})["apiVersion"], self.kind, "web", (shared,))
        ]
        if self.has_api:
            workloads.append(Workload("argoproj.io/v1alpha1", "Rollout", "api", tuple(self.names)))
        return LinkPlan(
            set="web", workloads=tuple(workloads), timeout=TIMEOUT, minimum_age=MINIMUM_AGE
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
    job = linker_job(f"web-link-{zlib.crc32(repr(arguments).encode()):08x}", arguments)
    shared, *own = [name.name for name in rendering.names]
    jobs = [job, linker_cron_job("web-linker", rendering.scheduled_plan.to_arguments())]
    items = [
        revision(shared),
        inventory(shared, *own, is_shared=rendering.is_shared),
        revision(_name("kept-config", rendering.shared), retain=True),
        workload(rendering.kind, "web", pods(shared, image=f"web:{rendering.image}")),
        *(jobs if rendering.has_jobs and not rendering.is_shared else ()),
    ]
    if rendering.has_api:
        config, password = own
        secret = [revision(password, kind="Secret"), revision(password, tracker=True)]
        template = pods(shared, config, secrets=[password], image=f"api:{rendering.image}")
        items = [*secret, revision(config), *items, workload("Rollout", "api", template)]
    return tuple(_tracked(item) for item in items)


def _tracked(item: Object) -> Object:
    metadata = item["metadata"]
    return {**item, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), **TRACKED}}}


def _name(base: str, version: int) -> str:
    return f"{base}-{'bcdfghkmt'[version] * 10}"
