"""Helm 3 and 4 with krm-fn as post-renderer."""

from pathlib import Path

import yaml

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.linker_job import ROOT
from tests.cluster.release import SET
from tests.gitops.command import Workplace
from tests.gitops.package import Commit, function_config, objects

CHART = {"apiVersion": "v2", "name": SET, "version": "0.1.0"}
PLUGIN = ROOT / "examples" / "helm" / "krm-fn"


class Helm:
    """`helm upgrade --install` of a chart that contains the package.

    Going back to a commit is `helm rollback`, or an upgrade where `rolls_back` is false.
    """

    annotation = "helm"

    def __init__(
        self, cluster: ControlPlane, api: Api, program: Path, *, rolls_back: bool = True
    ) -> None:
        self.api = api
        self.rolls_back = rolls_back
        self._place = Workplace(cluster, api)
        self._program = program
        self._commits: list[Commit] = []
        configuration = ["--config", str(self._place.folder / "krm-fn.yaml")]
        if "v4" in self._run("version", "--short"):
            self._run("plugin", "install", str(PLUGIN))
            post_renderer, arguments = "krm-fn", configuration
        else:
            post_renderer, arguments = "krm-fn", ["render", "-", *configuration]
        self._post = ["--post-renderer", post_renderer]
        for argument in arguments:
            self._post += ["--post-renderer-args", argument]

    def deploy(self, commit: Commit) -> None:
        """Install or upgrade; where a commit was deployed before, roll back to its release."""
        if self.rolls_back and commit in self._commits:
            self._run("rollback", SET, str(self._commits.index(commit) + 1))
        else:
            self._upgrade(commit)
        self._commits.append(commit)

    def again(self) -> None:
        """Upgrade to what is installed."""
        commit = self._commits[-1]
        self._upgrade(commit)
        self._commits.append(commit)

    def complaint(self, phase: str) -> str:
        """Return the state of the release, unless it is `deployed`; workloads do not count."""
        del phase
        status = yaml.safe_load(self._run("status", SET, "--output", "json"))["info"]["status"]
        return "" if status == "deployed" else str(status)

    def uninstall(self) -> None:
        self._run("uninstall", SET)

    def _upgrade(self, commit: Commit) -> None:
        chart = self._place.folder / "chart"
        (chart / "templates").mkdir(parents=True, exist_ok=True)
        (chart / "Chart.yaml").write_text(yaml.safe_dump(CHART))
        (chart / "templates" / "all.yaml").write_text(
            yaml.safe_dump_all(objects(commit), sort_keys=False)
        )
        configuration = function_config(commit, self.annotation, self.api.namespace)
        # A post-renderer cannot see whether a chart makes its Secret anew, so a Secret of a chart
        # must be chosen.
        configuration["spec"]["select"] = [
            {"kind": kind} for kind in configuration["spec"]["kinds"]
        ]
        (self._place.folder / "krm-fn.yaml").write_text(yaml.safe_dump(configuration))
        self._run("upgrade", "--install", SET, str(chart), *self._post)

    def _run(self, *arguments: str) -> str:
        return self._place.run(self._program, *arguments).text
