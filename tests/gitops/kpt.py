"""`kpt live apply` of a rendered package."""

import json

import yaml

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.gitops.command import Done, Workplace
from tests.gitops.package import Commit, render_commit
from tests.tools.require import require

KPTFILE = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "shop"}}
# The flags that docs/deployers.md recommends: kpt does not count a paused canary as ready, and must
# take back what it has let go of when the content goes back to an earlier one.
APPLY = ("--reconcile-timeout=1s", "--prune-timeout=10s", "--inventory-policy=adopt")
# Kpt gives up what somebody else has changed between its read and its write. Running it again is
# the remedy.
TRIES = 3
# Exit codes of a command that has done its work. With 3, something did not become ready in time: a
# paused canary.
DONE = (0, 3)


class Kpt:
    """A package with an inventory in the cluster."""

    annotation = "kpt"

    def __init__(self, cluster: ControlPlane, api: Api, *, policy: str = "adopt") -> None:
        self.api = api
        self._place = Workplace(cluster, api)
        self._program = require("kpt")
        self._package = self._place.folder / "package"
        self._policy = f"--inventory-policy={policy}"
        self.last = Done(0, "")

    def deploy(self, commit: Commit) -> None:
        first = not self._package.exists()
        self._package.mkdir(exist_ok=True)
        manifests = render_commit(commit, self.annotation, self.api.namespace)
        documents = [one for one in yaml.safe_load_all(manifests) if one]
        for document in documents:
            # `kpt live` wants every object's namespace in its manifest.
            document["metadata"]["namespace"] = self.api.namespace
        (self._package / "all.yaml").write_text(yaml.safe_dump_all(documents))
        if first:
            (self._package / "Kptfile").write_text(json.dumps(KPTFILE))
            self._place.run(self._program, "live", "install-resource-group")
            initialized = self._live(
                "init", "--namespace", self.api.namespace, "--name", "inventory"
            )
            assert initialized.code == 0, initialized.text
        self.again()

    def again(self) -> None:
        self._until_done("apply", *APPLY, self._policy)

    def complaint(self, phase: str) -> str:
        """Return the lines of the last apply that say that something failed."""
        del phase
        return "\n".join(_failures(self.last.text))

    def uninstall(self) -> None:
        self._until_done("destroy", self._policy)

    def _until_done(self, *arguments: str) -> None:
        for _ in range(TRIES):
            self.last = self._live(*arguments)
            if self.last.code in DONE and not _failures(self.last.text):
                return
        raise AssertionError(self.last.text)

    def _live(self, command: str, *arguments: str) -> Done:
        return self._place.run(
            self._program, "live", command, str(self._package), *arguments, check=False
        )


def _failures(text: str) -> list[str]:
    return [line for line in text.splitlines() if "failed" in line and "0 failed" not in line]
