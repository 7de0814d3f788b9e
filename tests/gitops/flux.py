"""Flux's kustomize-controller. The test plays source-controller: it serves what CI has rendered."""

import hashlib
import io
import re
import sys
import tarfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import yaml

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.process import Process
from tests.cluster.tokens import grant_all, token_of
from tests.gitops.deployer import Shown
from tests.gitops.package import Commit, render_commit
from tests.tools.build import module_folder
from tests.tools.require import require_built

MODULES = ("github.com/fluxcd/source-controller", "github.com/fluxcd/kustomize-controller")
NAMESPACE = "flux-system"
ACCOUNT = "kustomize-controller"
REQUESTED = "reconcile.fluxcd.io/requestedAt"
DONE = re.compile(r"(\w+)/[\w-]+/(\S+) (created|configured|deleted)$", re.MULTILINE)
"""A line of an Event: kind, namespace and name of an object, and what was done with it."""


class Flux:
    """The controller, and the folder of the artifacts that it downloads."""

    def __init__(self, cluster: ControlPlane) -> None:
        self.api: Api = cluster.api.within(NAMESPACE)
        self.folder = cluster.folder / "flux"
        self.store = self.folder / "store"
        for folder in (self.store, self.folder / "tmp"):
            folder.mkdir(parents=True)
        for module in MODULES:
            for path in sorted((module_folder(module) / "config" / "crd" / "bases").glob("*.yaml")):
                definition = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
                self.api.apply(definition)
                self.api.ready("CustomResourceDefinition", definition["metadata"]["name"])
        self.api.apply({"kind": "Namespace", "metadata": {"name": NAMESPACE}})
        grant_all(self.api, ACCOUNT)
        kubeconfig = cluster.kubeconfig(
            self.folder / "kubeconfig", token=token_of(self.api, ACCOUNT, seconds=7200)
        )
        port, metrics, health = cluster.hold_ports(3)
        self.url = f"http://127.0.0.1:{port}"
        serve = [
            sys.executable,
            "-m",
            "http.server",
            "--bind=127.0.0.1",
            f"--directory={self.store}",
            str(port),
        ]
        cluster.add(Process("artifacts", serve, self.folder))
        controller: Sequence[str] = [
            *(
                str(require_built("kustomize-controller")),
                "--enable-leader-election=false",
                "--events-addr=",
            ),
            *(f"--metrics-addr=127.0.0.1:{metrics}", f"--health-addr=127.0.0.1:{health}"),
        ]
        environment = {
            "KUBECONFIG": str(kubeconfig),
            "RUNTIME_NAMESPACE": NAMESPACE,
            "TMPDIR": str(self.folder / "tmp"),
        }
        cluster.add(
            Process("kustomize-controller", controller, self.folder, environment=environment)
        )


class FluxRepository:
    """A GitRepository, whose artifact the test publishes."""

    def __init__(self, flux: Flux, name: str) -> None:
        self._flux = flux
        self._name = name

    def publish(self, artifact: bytes) -> str:
        """Put what source-controller would have packed where Flux looks for it. Returns its revision."""
        digest = hashlib.sha256(artifact).hexdigest()
        revision = f"main@sha1:{hashlib.sha1(artifact).hexdigest()}"  # noqa: S324  # the form of Git's revisions
        file = f"{digest}.tar.gz"
        (self._flux.store / file).write_bytes(artifact)
        repository = {"interval": "1h", "url": "http://git.example.invalid/shop"}
        api = self._flux.api
        api.apply({"kind": "GitRepository", "metadata": {"name": self._name}, "spec": repository})
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        ready = {
            "type": "Ready",
            "status": "True",
            "reason": "Succeeded",
            "message": "stored artifact",
            "lastTransitionTime": now,
        }
        stored = {
            "path": file,
            "url": f"{self._flux.url}/{file}",
            "revision": revision,
            "digest": f"sha256:{digest}",
            "size": len(artifact),
            "lastUpdateTime": now,
        }
        status = {"observedGeneration": 1, "artifact": stored, "conditions": [ready]}
        api.patch("GitRepository", self._name, {"status": status}, subresource="status")
        return revision


def spec_of_kustomization(repository: str, path: str) -> Object:
    """Build the spec of a Kustomization that applies a folder of the repository."""
    return {
        "interval": "1h",
        "retryInterval": "5s",
        "timeout": "60s",
        "path": path,
        "prune": True,
        "sourceRef": {"kind": "GitRepository", "name": repository},
    }


class FluxKustomization:
    """A Kustomization of what CI has rendered. With `wait` it waits for all objects to be ready.

    `fields` are more fields of its spec, such as `namePrefix`.
    """

    annotation = "flux"

    def __init__(
        self, flux: Flux, api: Api, *, wait: bool = False, fields: Object | None = None
    ) -> None:
        self.api = api
        self._home = flux.api
        self._name = api.namespace
        self._repository = FluxRepository(flux, self._name)
        self._wait = wait
        self._fields = fields or {}
        self._created = False
        self._already_shown: set[str] = set()

    def deploy(self, commit: Commit) -> None:
        """Publish what CI renders, and wait until it is applied."""
        revision = self.publish(commit)
        self._home.wait(
            *("Kustomization", self._name, f"has applied {revision}"),
            lambda found: found.get("status", {}).get("lastAppliedRevision") == revision,
        )

    def again(self) -> None:
        """Reconcile, as `flux reconcile kustomization` does.

        An Event would name what has drifted.
        """
        before = self._events()
        now = str(time.time())
        self._home.patch(
            "Kustomization", self._name, {"metadata": {"annotations": {REQUESTED: now}}}
        )
        self._home.wait(
            *("Kustomization", self._name, "is reconciled"),
            lambda found: found["status"].get("lastHandledReconcileAt") == now,
        )
        assert sorted(self._events() - before) == []

    def complaint(self, phase: str) -> str:
        """Return the condition Ready, unless it is True.

        Flux does not read the state of Rollouts.
        """
        del phase
        ready = self.ready()
        return (
            ""
            if ready.get("status") == "True"
            else f"{ready.get('reason')}: {ready.get('message')}"
        )

    def ready(self) -> Object:
        """Return the condition Ready."""
        conditions = (
            self._home.get("Kustomization", self._name).get("status", {}).get("conditions", [])
        )
        return next((one for one in conditions if one["type"] == "Ready"), {})

    def set_fields(self, **fields: object) -> None:
        """Change fields of its spec."""
        self._home.patch("Kustomization", self._name, {"spec": fields})

    def uninstall(self) -> None:
        self._home.delete("Kustomization", self._name)
        self._home.gone("Kustomization", self._name)

    def shown(self) -> Shown:
        """Return what Events say, and the entries of the inventory."""
        new = self._events() - self._already_shown
        self._already_shown |= new
        done = {f"{kind}/{name}": what for event in new for kind, name, what in DONE.findall(event)}
        entries = self._home.get("Kustomization", self._name)["status"]["inventory"]["entries"]
        parts = (entry["id"].split("_") for entry in entries)
        return Shown(
            changed={name for name, what in done.items() if what != "deleted"},
            pruned={name for name, what in done.items() if what == "deleted"},
            parts={f"{kind}/{name}" for _, name, _, kind in parts},
        )

    def publish(self, commit: Commit) -> str:
        """Put the rendering where Flux looks for it. Returns its revision."""
        artifact = _archive(render_commit(commit, self.annotation, self.api.namespace))
        revision = self._repository.publish(artifact)
        if not self._created:
            self._create()
        return revision

    def _events(self) -> set[str]:
        """Return all Events but those that each reconciliation ends with."""
        return {
            f"{event['metadata']['name']}, {event.get('count')} times: {event['message']}"
            for event in self._home.list("Event")
            if event["involvedObject"]["name"] == self._name
            and "Reconciliation finished" not in event["message"]
        }

    def _create(self) -> None:
        self._created = True
        spec = {
            **spec_of_kustomization(self._name, "./app"),
            "wait": self._wait,
            "targetNamespace": self.api.namespace,
            **self._fields,
        }
        self._home.apply({"kind": "Kustomization", "metadata": {"name": self._name}, "spec": spec})


def _archive(content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("app/all.yaml")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
