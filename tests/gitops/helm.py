"""Helm 3 and 4 with krm-fn as post-renderer."""

from collections.abc import Sequence
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


ROLLS_BACK_FROM = {3: 22, 4: 2}
"""The minor version from which on `helm rollback` of Helm 3 and 4 takes back what is kept: docs/deployers/helm.md."""


class Helm:
    """`helm upgrade --install` of a chart that contains the package. `options` are those of each upgrade.

    Going back to a commit is `helm rollback` if this version can do it, else an upgrade to the
    former chart. `rolls_back` decides otherwise.
    """

    annotation = "helm"

    def __init__(
        self,
        cluster: ControlPlane,
        api: Api,
        program: Path,
        *,
        rolls_back: bool | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self.api = api
        self.place = Workplace(cluster, api)
        self._options = options
        self._commits: list[Commit] = []
        self.use(program)
        self.rolls_back = self.can_roll_back if rolls_back is None else rolls_back

    def use(self, program: Path) -> None:
        """Go on with another Helm."""
        self.program = program
        major, minor = map(int, self._run("version", "--short").removeprefix("v").split(".")[:2])
        self.can_roll_back = minor >= ROLLS_BACK_FROM[major]
        configuration = ["--config", str(self.place.folder / "krm-fn.yaml")]
        if major == 4:
            self._run("plugin", "install", str(PLUGIN))
            arguments = configuration
        else:
            arguments = ["render", "-", *configuration]
        self._post = ["--post-renderer", "krm-fn"]
        for argument in arguments:
            self._post += ["--post-renderer-args", argument]

    def deploy(self, commit: Commit) -> None:
        """Install or upgrade; where a commit was deployed before, go back to it."""
        if self.rolls_back and commit in self._commits:
            self.roll_back(commit)
        else:
            self.upgrade(commit)

    def again(self) -> None:
        """Upgrade to what is installed."""
        self.upgrade(self._commits[-1])

    def roll_back(self, commit: Commit) -> None:
        """Roll back to the first release of a commit."""
        release = self._commits.index(commit) + 1
        self._commits.append(commit)  # also of what fails, Helm makes a release
        self._run("rollback", SET, str(release))

    def upgrade(self, commit: Commit) -> None:
        self._commits.append(commit)
        chart = self.place.folder / "chart"
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
        (self.place.folder / "krm-fn.yaml").write_text(yaml.safe_dump(configuration))
        self._run("upgrade", "--install", SET, str(chart), *self._post, *self._options)

    def complaint(self, phase: str) -> str:
        """Return the state of the release, unless it is `deployed`; workloads do not count."""
        del phase
        status = yaml.safe_load(self._run("status", SET, "--output", "json"))["info"]["status"]
        return "" if status == "deployed" else str(status)

    def uninstall(self) -> None:
        self._run("uninstall", SET)

    def _run(self, *arguments: str) -> str:
        return self.place.run(self.program, *arguments).text
