"""Release an application as users do: render it, apply it with a deployer, run its Job."""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import yaml

from tests.cluster.api import Api, Object
from tests.cluster.deployers import ArgoLike, FluxLike, Hook, Step, no_hook
from tests.cluster.kinds import ROLLOUTS, complete
from tests.cluster.linker_job import ROOT, LinkerRun, run_krm_fn, run_linker
from tests.cluster.manifests import config_map
from tests.cluster.readiness import is_going
from tests.wait import until

SET = "shop"
IN_SET = f"revisions.krm-fn.io/set={SET}"
REVISIONS = f"{IN_SET},revisions.krm-fn.io/component!=linker"

DEPLOYERS: dict[str, Callable[[Api], ArgoLike | FluxLike]] = {
    "Argo CD": lambda api: ArgoLike(api=api, app=SET),
    "Flux": lambda api: FluxLike(api=api, name=SET),
}


def render(
    objects: Sequence[Object], namespace: str, program: Path = ROOT, /, **spec: object
) -> bytes:
    """Render the objects with `krm-fn render`; `spec` is the spec of its configuration, but for `set_name`.

    The linker may list the kinds of Argo Rollouts, which another test may have installed.
    """
    linker = {"kinds": [f"{ROLLOUTS}/Rollout"], **(spec.pop("linker", None) or {})}  # type: ignore[dict-item]
    configuration = {
        "apiVersion": "revisions.krm-fn.io/v1",
        "kind": "ConfigRevisions",
        "metadata": {"name": spec.pop("set_name", SET)},
        "spec": {**spec, "linker": linker},
    }
    with tempfile.TemporaryDirectory(prefix="krm-fn-release-") as folder:
        Path(folder, "objects.yaml").write_text(yaml.safe_dump_all(map(complete, objects)))
        Path(folder, "krm-fn.yaml").write_text(yaml.safe_dump(configuration))
        arguments = ["render", "--namespace", namespace, folder]
        done = run_krm_fn(arguments, {"PATH": os.environ["PATH"]}, program)
    assert done.returncode == 0, done.stderr
    return done.stdout.encode()


@dataclass(kw_only=True)
class LiveSet:
    """The revisions of an application in a namespace."""

    api: Api

    def revisions(self) -> dict[str, set[str]]:
        """Return the live revisions and trackers with their owners: `{"web-config-…": {"Deployment/web"}}`."""
        return {
            item["metadata"]["name"]: owners(item)
            for item in self.api.list("ConfigMap", labels=REVISIONS)
        }

    def revision_of(self, content: str, base: str = "web-config") -> str:
        """Return the name of the live revision with this content, as built by `config`."""
        (name,) = (
            item["metadata"]["name"]
            for item in self.api.list("ConfigMap", labels=REVISIONS)
            if item.get("data") == {"content": content}
            and item["metadata"]["name"].startswith(base)
        )
        return str(name)


@dataclass(kw_only=True)
class Release(LiveSet):
    """One application, rendered and deployed. `settings` is the `spec` of its configuration.

    `program` is the folder of the krm-fn that renders and links.
    """

    deployer: ArgoLike | FluxLike
    program: Path = ROOT
    settings: dict[str, object] = field(
        default_factory=lambda: {"linker": {"minimumAgeSeconds": 0}}
    )

    def sync(self, *objects: Object, before_each: Hook = no_hook) -> list[Step]:
        """Render and apply. The Job exists afterwards, but has not run."""
        rendered = render(objects, self.api.namespace, self.program, **self.settings)
        # Of two ReplicaSets of one second, Argo Rollouts takes the name for the age, and may keep the older.
        until("a new second has begun", self._is_of_this_second, lambda is_so: not is_so)
        # A Job that goes would take with it what is applied to it now.
        until("no Job is on its way out", self._going_jobs, lambda going: not going)
        return self.deployer.sync(rendered, before_each)

    def _is_of_this_second(self) -> bool:
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        items = self.api.list("ReplicaSet", metadata_only=True)
        return any(item["metadata"]["creationTimestamp"] >= now for item in items)

    def _going_jobs(self) -> list[Object]:
        return [*filter(is_going, self.api.list("Job"))]

    def link(self) -> LinkerRun:
        """Run the newest Job. It must succeed."""
        run = run_linker(self.api, SET, program=self.program)
        assert run.exit_code == 0, run.stdout + run.stderr
        return run

    def release(self, *objects: Object) -> LinkerRun:
        self.sync(*objects)
        return self.link()


def config(content: str, name: str = "web-config") -> Object:
    return {**config_map(name), "data": {"content": content}}


def owners(item: Object) -> set[str]:
    return {
        f"{owner['kind']}/{owner['name']}" for owner in item["metadata"].get("ownerReferences", [])
    }


def with_image(workload: Object, image: str) -> Object:
    """Copy the workload with another image: a change without a change of configuration."""
    changed: Object = yaml.safe_load(yaml.safe_dump(workload))
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return changed
