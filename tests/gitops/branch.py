"""A branch that CI has rendered, and the deployers that apply it as it is: each service is a part of its own."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from tests.cluster.api import Object
from tests.cluster.control_plane import ControlPlane
from tests.gitops.argo_application import RETRY, refresh
from tests.gitops.argo_cd import ArgoCd
from tests.gitops.flux import Flux, FluxRepository, spec_of_kustomization
from tests.wait import until


class Branch(Protocol):
    """A deployer of the services of one stage."""

    deployer: str
    """The value of `spec.deployers`."""
    stage: str
    says_missing: str
    """A part of what it says where the branch has no more folder of a service. A page has it, too."""
    folder: Path
    """Where the test makes the repository, with a bare one beside it, `origin`."""

    def follow(self, branch: str, services: Iterable[str]) -> None:
        """Apply the folders of these services in this branch from now on."""

    def sync(self) -> None:
        """Show the head of the branch to the deployer, and wait until all of it is applied."""

    def until_complains(self, service: str, part: str) -> None:
        """Show the head of the branch to the deployer, and wait for a complaint with this part."""

    def remove(self, service: str) -> None:
        """Remove the service, and wait until the deployer has let go of it."""


class ArgoBranch:
    """An Application for each service, in an Argo CD without a plugin."""

    deployer = "argocd"
    stage = "prod"
    says_missing = "app path does not exist"

    def __init__(self, cluster: ControlPlane) -> None:
        self._argo = ArgoCd(cluster, may_run_functions=False)
        self.folder = self._argo.repositories
        self._branch = ""
        self._services: list[str] = []

    def follow(self, branch: str, services: Iterable[str]) -> None:
        self._branch = branch
        self._services = [*services]
        for service in self._services:
            self._argo.api.apply(self._application(service))

    def sync(self) -> None:
        head = _git("rev-parse", self._branch, folder=self.folder / "origin").decode().strip()

        def holds(found: Object) -> bool:
            status = found.get("status", {})
            sync, operation = status.get("sync", {}), status.get("operationState", {})
            is_over = operation.get("phase") == "Succeeded"
            return is_over and (sync.get("status"), sync.get("revision")) == ("Synced", head)

        for service in self._services:
            refresh(self._argo.api, service, "hard")
        for service in self._services:
            self._argo.api.wait("Application", service, f"has {head}", holds)

    def until_complains(self, service: str, part: str) -> None:
        refresh(self._argo.api, service, "hard")

        def look() -> str:
            status = self._argo.api.get("Application", service)["status"]
            return "\n".join(one["message"] for one in status.get("conditions", []))

        until(f"{service}: {part}", look, lambda said: part in said)

    def remove(self, service: str) -> None:
        self._services.remove(service)
        self._argo.api.delete("Application", service)
        self._argo.api.gone("Application", service)

    def _application(self, service: str) -> Object:
        finalizers = ["resources-finalizer.argocd.argoproj.io"]
        source = {
            "repoURL": f"{self._argo.url}/origin",
            "targetRevision": self._branch,
            "path": f"services/{service}/overlays/{self.stage}",
        }
        spec = {
            "project": "default",
            "source": source,
            "destination": {
                "server": "https://kubernetes.default.svc",
                "namespace": f"{service}-{self.stage}",
            },
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}, "retry": RETRY},
        }
        metadata = {"name": service, "finalizers": finalizers}
        return {"kind": "Application", "metadata": metadata, "spec": spec}


class FluxBranch:
    """A Kustomization for each service, of one GitRepository."""

    deployer = "flux"
    stage = "staging"
    says_missing = "kustomization path not found"

    def __init__(self, cluster: ControlPlane) -> None:
        flux = Flux(cluster)
        self.folder = flux.folder
        self._api = flux.api
        self._repository = FluxRepository(flux, "services")
        self._branch = ""
        self._services: list[str] = []

    def follow(self, branch: str, services: Iterable[str]) -> None:
        self._branch = branch
        self._services = [*services]
        self._publish()
        for service in self._services:
            path = f"./services/{service}/overlays/{self.stage}"
            spec = spec_of_kustomization("services", path)
            self._api.apply({"kind": "Kustomization", "metadata": {"name": service}, "spec": spec})

    def sync(self) -> None:
        revision = self._publish()

        def holds(found: Object) -> bool:
            return bool(found.get("status", {}).get("lastAppliedRevision") == revision)

        for service in self._services:
            self._api.wait("Kustomization", service, f"has {revision}", holds)

    def until_complains(self, service: str, part: str) -> None:
        self._publish()

        def look() -> str:
            status = self._api.get("Kustomization", service).get("status", {})
            return "\n".join(one["message"] for one in status.get("conditions", []))

        until(f"{service}: {part}", look, lambda said: part in said)

    def remove(self, service: str) -> None:
        self._services.remove(service)
        self._api.delete("Kustomization", service)
        self._api.gone("Kustomization", service)

    def _publish(self) -> str:
        # The tree: of a commit, an archive begins with an entry that is no file.
        tree = f"{self._branch}^{{tree}}"
        archive = _git("archive", "--format=tar.gz", tree, folder=self.folder / "origin")
        return self._repository.publish(archive)


def _git(*arguments: str, folder: Path) -> bytes:
    return subprocess.run(
        ["git", *arguments], cwd=folder, stdout=subprocess.PIPE, check=True
    ).stdout
