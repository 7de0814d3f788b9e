"""Plain server-side apply. Nothing is pruned, so each Job of the linker stays."""

import re
from collections.abc import Sequence

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.linker_job import ROOT
from tests.gitops.command import Workplace
from tests.gitops.package import Commit, render_commit

DOCS = ROOT / "docs"
(DELETE_JOBS,) = re.findall(
    r"^ *\$ (kubectl delete jobs .*\\\n.*)$",
    (DOCS / "deployers" / "kubectl.md").read_text(),
    re.MULTILINE,
)
(WAIT_FOR_DELETION,) = re.findall(
    r"^ *\$ (kubectl wait --for=delete .*)$", (DOCS / "deployers.md").read_text(), re.MULTILINE
)


class Kubectl:
    """`kubectl apply --server-side`, as a pipeline runs it."""

    annotation = "argocd"

    def __init__(self, cluster: ControlPlane, api: Api) -> None:
        self.api = api
        self.options: Sequence[str] = ()
        """More options of `kubectl apply`."""
        self.place = Workplace(cluster, api)
        self._manifests = ""

    def deploy(self, commit: Commit) -> None:
        self._manifests = render_commit(commit, self.annotation, self.api.namespace).decode()
        self.again()

    def again(self) -> None:
        command = ("kubectl", "apply", "--server-side", *self.options, "-f", "-")
        self.place.run(*command, stdin=self._manifests)

    def complaint(self, phase: str) -> str:
        """Return nothing: it shows nothing after its end."""
        del phase
        return ""

    def uninstall(self) -> None:
        """Delete the Jobs of earlier manifests by the command of its page, and what is in the manifests."""
        self.place.follow(DELETE_JOBS)
        self.place.run("kubectl", "delete", "--ignore-not-found", "-f", "-", stdin=self._manifests)
