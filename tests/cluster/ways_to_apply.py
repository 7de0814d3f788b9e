"""What applies a rendering, each with its own requests: kubectl in two ways, Helm, `kpt live`, reduced deployers."""

import json
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.cluster.api import Api
from tests.cluster.deployers import ArgoLike, FluxLike
from tests.cluster.kubeconfig import write_kubeconfig
from tests.tools.require import require

PART, AT_ONCE = 16, 6
"""Objects of a kubectl, and how many run at the same time."""


@dataclass(frozen=True, kw_only=True)
class Applier:
    """A program that applies whole renderings to the namespace of `api`, with an administrator's token."""

    api: Api
    folder: Path

    def run(
        self, program: str, *arguments: str | Path, stdin: bytes = b"", done: tuple[int, ...] = (0,)
    ) -> str:
        place = str(self._log_in())
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "KUBECONFIG": place}
        command = [str(require(program)), *map(str, arguments)]
        ended = subprocess.run(
            command,
            input=stdin,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        text = ended.stdout.decode()
        assert ended.returncode in done, text
        return text

    def _log_in(self) -> Path:
        place = self.folder / "kubeconfig"
        if not place.exists():
            self.folder.mkdir(exist_ok=True)
            api = self.api
            write_kubeconfig(place, api.server, token=api.token, namespace=api.namespace)
        return place


class ClientSide(Applier):
    flags: tuple[str, ...] = ()

    def apply(self, rendered: bytes) -> None:
        """Apply with several kubectl: after ten requests, each sends only five a second."""
        documents = rendered.split(b"\n---\n")
        parts = [documents[start : start + PART] for start in range(0, len(documents), PART)]
        self._log_in()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._apply, map(b"\n---\n".join, parts)))

    def _apply(self, part: bytes) -> None:
        self.run("kubectl", "apply", *self.flags, "-f", "-", stdin=part)


class ServerSide(ClientSide):
    flags = ("--server-side", "--force-conflicts")


class Helm(Applier):
    program = "helm"

    def apply(self, rendered: bytes) -> None:
        """Upgrade to a chart that holds the rendering as it is."""
        chart = self.folder / "chart"
        (chart / "templates").mkdir(parents=True, exist_ok=True)
        (chart / "files").mkdir(exist_ok=True)
        (chart / "Chart.yaml").write_text("{apiVersion: v2, name: shop, version: 0.1.0}")
        (chart / "files/all.yaml").write_bytes(rendered)
        (chart / "templates/all.yaml").write_text('{{ .Files.Get "files/all.yaml" }}')
        self.run(self.program, "upgrade", "--install", "shop", chart)


class Kpt(Applier):
    def apply(self, rendered: bytes) -> None:
        package = self.folder / "package"
        is_first = not package.exists()
        package.mkdir(parents=True, exist_ok=True)
        documents = [one for one in yaml.load_all(rendered, yaml.CSafeLoader) if one]
        for document in documents:
            document["metadata"]["namespace"] = self.api.namespace
        (package / "all.yaml").write_text(yaml.dump_all(documents, Dumper=yaml.CSafeDumper))
        if is_first:
            kptfile = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "shop"}}
            (package / "Kptfile").write_text(json.dumps(kptfile))
            self.run("kpt", "live", "install-resource-group")
            named = ("--namespace", self.api.namespace, "--name", "inventory")
            self.run("kpt", "live", "init", package, *named)
        # With 3, something is not ready in time.
        flags = ("--reconcile-timeout=1s", "--prune-timeout=10s", "--inventory-policy=adopt")
        self.run("kpt", "live", "apply", package, *flags, done=(0, 3))


class ArgoCd(Applier):
    def apply(self, rendered: bytes) -> None:
        ArgoLike(api=self.api, app="shop").sync(rendered)


class Flux(Applier):
    def apply(self, rendered: bytes) -> None:
        FluxLike(api=self.api, name="shop").sync(rendered)


WAYS: dict[str, Callable[..., ClientSide | ServerSide | Helm | Kpt | ArgoCd | Flux]] = {
    "client-side kubectl": ClientSide,
    "server-side kubectl": ServerSide,
    "Helm 3": Helm,
    "kpt live": Kpt,
    "Argo CD, reduced": ArgoCd,
    "Flux, reduced": Flux,
}
AT_NIGHT = ("Argo CD, reduced", "Flux, reduced")
"""They send what `--server-side` of kubectl sends, under names of their own and with their marks."""
