"""Plain server-side apply. Nothing is pruned, so each Job of the linker stays."""

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.gitops.command import Workplace, rendered
from tests.gitops.package import Commit


class Kubectl:
    """`kubectl apply --server-side`, as a pipeline runs it."""

    annotation = "argocd"

    def __init__(self, cluster: ControlPlane, api: Api) -> None:
        self.api = api
        self._place = Workplace(cluster, api)
        self._manifests = ""

    def deploy(self, commit: Commit) -> None:
        self._manifests = rendered(commit, self._place.folder / "package", self.annotation, self.api.namespace)
        self.again()

    def again(self) -> None:
        self._place.run("kubectl", "apply", "--server-side", "-f", "-", stdin=self._manifests)

    def complaint(self, phase: str) -> str:
        """Return nothing: it shows nothing after its end."""
        del phase
        return ""

    def uninstall(self) -> None:
        """Delete what is in the manifests, and the Jobs of earlier manifests, by the command of docs/deployers.md."""
        self._place.run("kubectl", "delete", "--ignore-not-found", "-f", "-", stdin=self._manifests)
        self._place.run("kubectl", "delete", "jobs", "-l", "revisions.krm-fn.io/component=linker")

    def check_record(self) -> None:
        """Do nothing: nothing was recorded."""
