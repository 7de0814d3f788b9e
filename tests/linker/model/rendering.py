"""What lies in Git, and what the function makes of it."""

import zlib
from functools import cache
from typing import NamedTuple

from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from tests.linker.manifests import linker_job, pods, revision, roster, workload
from tests.linker.world import Object

TRACKED = {"app": "shop"}
"""On what a deployer applies, for it to find again."""

MINIMUM_AGE = 600
TIMEOUT = 3
"""Seconds a run waits at most. By the model's clock, which others set forward as well."""


class Rendering(NamedTuple):
    """Versions of two ConfigMaps, a Secret and two images, and whether there is a second workload.

    Both workloads name the first ConfigMap, only the second one the other and the Secret. Nobody names the third
    ConfigMap that there is.
    """

    kind: str
    shared: int = 0
    config: int = 0
    password: int = 0
    image: int = 0
    has_api: bool = True

    @property
    def names(self) -> list[RevisionName]:
        """Of the revisions that workloads name."""
        shared = RevisionName("ConfigMap", _name("shared-config", self.shared))
        own = (RevisionName("ConfigMap", _name("api-config", self.config)), RevisionName("Secret", self._password))
        return [shared, *(own if self.has_api else ())]

    @property
    def plan(self) -> LinkPlan:
        shared, *_ = self.names
        workloads = [Workload("apps/v1", self.kind, "web", (shared,))]
        if self.has_api:
            workloads.append(Workload("argoproj.io/v1alpha1", "Rollout", "api", tuple(self.names)))
        return LinkPlan(set="web", workloads=tuple(workloads), timeout=TIMEOUT, minimum_age=MINIMUM_AGE)

    @property
    def _password(self) -> str:
        return _name("api-password", self.password)


@cache
def render(rendering: Rendering) -> tuple[Object, ...]:
    """Everything to apply, in the order of deployers: configuration, workloads, Jobs, custom resources."""
    arguments = rendering.plan.to_arguments()
    job = linker_job(f"web-link-{zlib.crc32(repr(arguments).encode()):08x}", arguments)
    shared, *own = [name.name for name in rendering.names]
    items = [
        roster(shared, *own),
        revision(shared),
        revision(_name("kept-config", rendering.shared), retain=True),
        workload(rendering.kind, "web", pods(shared, image=f"web:{rendering.image}")),
        job,
    ]
    if rendering.has_api:
        config, password = own
        secret = [revision(password, tag=True), revision(password, kind="Secret")]
        template = pods(shared, config, secrets=[password], image=f"api:{rendering.image}")
        items = [*secret, revision(config), *items, workload("Rollout", "api", template)]
    return tuple(_tracked(item) for item in items)


def _tracked(item: Object) -> Object:
    metadata = item["metadata"]
    return {**item, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), **TRACKED}}}


def _name(base: str, version: int) -> str:
    return f"{base}-{'bcdfghkmt'[version] * 10}"
