"""Namespaces that people, controllers and earlier runs leave behind: releases, undone and aborted rollouts."""

import functools
from email.utils import formatdate
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import unquote

import yaml

from krm_fn.base.item import read_item
from krm_fn.base.link_plan import LinkPlan, read_arguments
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.linker.credentials import Access
from krm_fn.linker.link import link
from krm_fn.linker.report import Report
from krm_fn.linker.retry import Deadline, Response
from krm_fn.tools.diff.difference import Difference
from krm_fn.tools.diff.pair import read_release
from krm_fn.tools.diff.sides import LoneRendering
from krm_fn.tools.live.live import LiveInput, compare_live
from krm_fn.tools.opened.sources import Inputs
from tests.linker.controllers import history, reconcile, template_of, trim
from tests.linker.fake_cluster import FakeCluster
from tests.linker.object_store import NAMESPACE, Object, ObjectStore
from tests.live.test_diff_live import CONFIGURATION, PLURALS, is_selected, krm_fn

DAY = 86_400.0
WORKLOADS = {"web": "Deployment", "api": "Rollout", "db": "StatefulSet"}
COLORS = ("red", "green", "blue")
JSON = {"Content-Type": "application/json"}


class ShopRelease(NamedTuple):
    """A package: the color of each ConfigMap, and whether the Deployment reads the second one too."""

    web: str
    api: str
    reads_both: bool

    @property
    def package(self) -> str:
        read = {"web": ["web-config"], "api": ["api-config"], "db": ["web-config"]}
        read["web"] += ["api-config"] if self.reads_both else []
        objects: list[Object] = [
            _config("web-config", self.web),
            _config("api-config", self.api),
            *(_workload(kind, name, read[name]) for name, kind in WORKLOADS.items()),
        ]
        return yaml.safe_dump_all(objects)


def _config(name: str, color: str) -> Object:
    metadata = {"name": name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"color": color}}


def _workload(kind: str, name: str, read: list[str]) -> Object:
    sources = [{"configMapRef": {"name": one}} for one in read]
    containers = [{"name": name, "image": f"{name}:1", "envFrom": sources}]
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers}}
    return {
        "apiVersion": "argoproj.io/v1alpha1" if kind == "Rollout" else "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template},
    }


class Renderings:
    """What each release renders to with a configuration, rendered once."""

    def __init__(self, folder: Path, configuration: str = CONFIGURATION) -> None:
        self._folder = folder
        self._configuration = configuration
        self.text = functools.cache(self._render)

    def _render(self, release: ShopRelease) -> str:
        folder = self._folder / "-".join(map(str, release))
        folder.mkdir()
        (folder / "krm-fn.yaml").write_text(self._configuration)
        (folder / "shop.yaml").write_text(release.package)
        return krm_fn("render", "--namespace", NAMESPACE, ".", folder=folder)

    def objects(self, release: ShopRelease) -> list[Object]:
        return list(yaml.safe_load_all(self.text(release)))


class StoredApi:
    """An API server that lists what a store has."""

    deadline: Deadline

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def request(
        self, _method: str, path: str, *, query: dict[str, str] | None = None, **_: object
    ) -> Response:
        plural = unquote(path).rpartition("/")[2]
        kinds = [kind for kind, name in PLURALS.items() if name == plural]
        items = [one for one in self._store.of_kind(*kinds) if is_selected(one, query or {})]
        headers = {**JSON, "date": formatdate(self._store.clock, usegmt=True)}
        return Response(200, headers, {"items": items, "metadata": {}}, 1)


class Shop:
    """A namespace, and who acts in it."""

    def __init__(self, renderings: Renderings) -> None:
        self.store = ObjectStore()
        self._renderings = renderings

    def apply(self, release: ShopRelease) -> None:
        """Apply a release, as `kubectl apply` does. A day goes by, and nothing is young any more."""
        self.store.clock += DAY
        for one in self._renderings.objects(release):
            there = self.store.find(one["kind"], one["metadata"]["name"])
            if there is None:
                self.store.create(one)
            else:
                metadata = {**there["metadata"], **one["metadata"]}
                # Of the owners, and of what the linker notes, another rendering says nothing.
                annotations = {
                    **there["metadata"].get("annotations", {}),
                    **one["metadata"].get("annotations", {}),
                }
                # An update ends an abort.
                is_same = "spec" not in one or there["spec"] == one["spec"]
                status = there.get("status", {}) if is_same else {}
                applied = {**one, "metadata": metadata | {"annotations": annotations}}
                self.store.update(one, **applied, status=status)
        self.store.clock += DAY

    def settle(self) -> None:
        """Let the controllers create what belongs to the live templates."""
        for name in WORKLOADS:
            reconcile(self.store, self.workload(name))

    def workload(self, name: str) -> Object:
        return self.store.get(WORKLOADS[name], name)

    def go_back(self, name: str, which: int) -> None:
        """Go back to an earlier template, as `kubectl rollout undo` does."""
        made = history(self.store, self.workload(name))
        spec = {**self.workload(name)["spec"], "template": template_of(made[which % len(made)])}
        if spec != self.workload(name)["spec"]:
            self.store.update(self.workload(name), spec=spec, status={})  # an update ends an abort
        self.settle()

    def abort(self) -> bool:
        """Abort the update of the Rollout: its pods go back to the template before."""
        made = history(self.store, self.workload("api"))
        others = [one for one in made if template_of(one) != template_of(self.workload("api"))]
        if not others:
            return False
        stable = others[-1]["metadata"]["name"].rpartition("-")[2]
        self.store.update(self.workload("api"), status={"abort": True, "stableRS": stable})
        return True

    def template(self, name: str) -> Object:
        return template_of(self.workload(name))

    def names(self) -> set[str]:
        return {one["metadata"]["name"] for one in self.store.of_kind("ConfigMap")}

    def running_template(self, name: str) -> Object:
        """Return the template that the pods of a workload run."""
        workload = self.workload(name)
        status = workload.get("status", {})
        if not status.get("abort"):
            return template_of(workload)
        stable = f"{name}-{status['stableRS']}"
        return template_of(self.store.get("ReplicaSet", stable))

    def trim(self, name: str, limit: int) -> None:
        """Trim a history. No controller deletes what pods run."""
        if not self.workload(name).get("status", {}).get("abort"):
            trim(self.store, self.workload(name), limit)

    def link(self, release: ShopRelease) -> set[str]:
        """Run the linker that a release has, or that of the namespace; return what it has deleted."""
        plan = LinkPlan(set="shop", timeout=300, minimum_age=600, waits=False)
        for one in self._renderings.objects(release):
            if one["kind"] == "Job":
                arguments = one["spec"]["template"]["spec"]["containers"][0]["args"][1:]
                plan = read_arguments(arguments)
        report = Report(NAMESPACE, lambda _: None)
        link(plan, FakeCluster(self.store), report)
        return {change.name for change in report.changes if change.deleted}

    def forget_jobs(self) -> None:
        for job in self.store.of_kind("Job"):
            self.store.remove(job)

    def compare(self, release: ShopRelease) -> Difference:
        """Compare a release with what is live."""
        text = self._renderings.text(release).encode()
        items = [read_item(root) for root in read_yaml(text).roots]  # type: ignore[arg-type]
        compared = LiveInput(Inputs(("shop",)), Access(), lambda _: None)
        rendering = LoneRendering(read_release(items, None, NAMESPACE), None)
        return compare_live(rendering, StoredApi(self.store), NAMESPACE, compared)  # type: ignore[arg-type]


def generate_release(random: Random) -> ShopRelease:
    return ShopRelease(random.choice(COLORS), random.choice(COLORS), random.random() < 0.3)


def generate(random: Random, renderings: Renderings) -> Shop:
    """Release several times; in between, go back, lose history, and run the linker or not."""
    shop = Shop(renderings)
    for _ in range(random.randint(1, 4)):
        release = generate_release(random)
        shop.apply(release)
        shop.settle()
        if random.random() < 0.6:
            shop.link(release)
        for name in WORKLOADS:
            if random.random() < 0.3:
                shop.go_back(name, random.randint(0, 3))
            if random.random() < 0.4:
                shop.trim(name, random.randint(0, 2))
        if random.random() < 0.3:
            shop.abort()
    if random.random() < 0.7:
        shop.forget_jobs()
    return shop
