"""Run the programs of deployers and platform engineers with an administrator's kubeconfig."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.tools.require import require

PROGRAMS = ("kustomize", "helm")


class Done(NamedTuple):
    """The exit code of a command, and what it printed to stdout and stderr."""

    code: int
    text: str


class Workplace:
    """A folder with a kubeconfig.

    `PATH` begins with this checkout's `krm-fn` and the built kustomize and helm.
    """

    def __init__(self, cluster: ControlPlane, api: Api) -> None:
        self.namespace = api.namespace
        self.folder = cluster.folder / "work" / api.namespace
        self.folder.mkdir(parents=True)
        kubeconfig = cluster.kubeconfig(
            self.folder / "kubeconfig", token=api.token, namespace=api.namespace
        )
        self.environment = {
            "PATH": search_path(),
            "HOME": str(self.folder),
            "KUBECONFIG": str(kubeconfig),
        }

    def run(self, *command: str | Path, stdin: str | None = None, check: bool = True) -> Done:
        """Run a command in the folder. With `check` it must succeed."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, (
            f"{command} ended with {done.returncode}:\n{done.stdout}"
        )
        return Done(done.returncode, done.stdout)

    def follow(self, command: str) -> None:
        """Run a command of a page, which is about the namespace `shop`, in the namespace of the application."""
        self.run(*command.replace("\\\n", "").replace(" shop ", f" {self.namespace} ").split())


def search_path() -> str:
    """Return a PATH with `krm-fn` of this checkout, and the programs that it may run."""
    built = [str(require(name).parent) for name in PROGRAMS]
    return os.pathsep.join([str(Path(sys.executable).parent), *built, os.environ["PATH"]])
