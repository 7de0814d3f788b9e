"""Argo CD on loopback: its controllers, its repo-server, and the server of our plugin with the example's file."""

import os
import shutil
import socket
from pathlib import Path

import yaml

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.linker_job import ROOT
from tests.cluster.process import Process
from tests.cluster.tokens import grant_all, token_of
from tests.gitops.command import search_path
from tests.tools.build import module_folder
from tests.tools.require import require_built
from tests.wait import until

MODULE = "github.com/argoproj/argo-cd/v3"
NAMESPACE = "argocd"
ACCOUNT = "argocd-application-controller"
PLUGIN = ROOT / "examples" / "argocd-plugin" / "plugin.yaml"
# What kustomize needs to run krm-fn itself. The sidecar gets it too: it must leave such
# applications alone.
OPTIONS = "--enable-alpha-plugins --enable-exec"
CONFIG_MAPS = (
    "argocd-cm",
    "argocd-rbac-cm",
    "argocd-gpg-keys-cm",
    "argocd-ssh-known-hosts-cm",
    "argocd-tls-certs-cm",
)
VERIFY = "git-verify-wrapper.sh"
"""A script that the image has on PATH.

From 3.6 on, each commit goes through it, also if nobody asks for signatures.
"""
PART = {"app.kubernetes.io/part-of": "argocd"}
# Everything is allowed, and what belongs to no application is warned about, as the strictest users
# have it.
PROJECT = {
    "sourceRepos": ["*"],
    "destinations": [{"server": "*", "namespace": "*"}],
    "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
    "orphanedResources": {
        "warn": True,
        "ignore": [
            {"kind": "ConfigMap", "name": "kube-root-ca.crt"},
            {"kind": "ServiceAccount", "name": "default"},
            # The platform's, in the namespace of an application.
            {"group": "external-secrets.io", "kind": "SecretStore"},
        ],
    },
}


class ArgoCd:
    """The programs, and the address of the Git repositories in `repositories`.

    Unless it `may_run_functions`, it is as it comes: no plugin, and a kustomize that runs nothing.
    """

    def __init__(self, cluster: ControlPlane, *, may_run_functions: bool = True) -> None:
        self._may_run_functions = may_run_functions
        options = OPTIONS if may_run_functions else ""
        self.api: Api = cluster.api.within(NAMESPACE)
        self._folder = cluster.folder / "argo"
        for name in ("repositories", "plugin", "sockets", "tls", "ssh", "tmp", "gnupg", "bin"):
            (self._folder / name).mkdir(parents=True, mode=0o700)
        (self._folder / "ssh" / "ssh_known_hosts").touch()
        shutil.copy(PLUGIN, self._folder / "plugin" / "plugin.yaml")
        shutil.copyfile(module_folder(MODULE) / "hack" / VERIFY, self._folder / "bin" / VERIFY)
        # No file of a downloaded module may be executed.
        (self._folder / "bin" / VERIFY).chmod(0o700)
        self.repositories = self._folder / "repositories"
        _install(self.api, options)
        self._start(cluster, options)

    def _start(self, cluster: ControlPlane, options: str) -> None:
        redis, repo, repo_metrics, metrics, git, *sets = cluster.hold_ports(8)
        self.url = f"git://127.0.0.1:{git}"
        kubeconfig = cluster.kubeconfig(
            self._folder / "kubeconfig", token=token_of(self.api, ACCOUNT, seconds=7200)
        )
        environment = {
            "ARGOCD_PLUGINSOCKFILEPATH": f"{self._folder}/sockets",
            "ARGOCD_GPG_ENABLED": "false",
            "ARGOCD_GNUPGHOME": f"{self._folder}/gnupg",
            "ARGOCD_TLS_DATA_PATH": f"{self._folder}/tls",
            "ARGOCD_SSH_DATA_PATH": f"{self._folder}/ssh",
            "ARGOCD_FAKE_IN_CLUSTER": "true",
            "KUSTOMIZE_BUILD_OPTIONS": options,
            "TMPDIR": str(self._folder / "tmp"),
            "KUBECONFIG": str(kubeconfig),
            "PATH": f"{self._folder}/bin{os.pathsep}{search_path()}",
        }
        argocd = require_built("argocd")

        def run(name: str, *options: str | Path, program: Path | None = argocd) -> None:
            # The program is one file. It looks at the name under which it was started.
            cluster.add(
                Process(
                    name,
                    [name, *options],
                    self._folder,
                    environment=environment,
                    executable=program,
                )
            )

        run("miniredis", f"127.0.0.1:{redis}", program=require_built("miniredis"))
        run(
            *(
                "git",
                "daemon",
                "--listen=127.0.0.1",
                f"--port={git}",
                "--export-all",
                "--reuseaddr",
            ),
            f"--base-path={self.repositories}",
            program=None,
        )
        if self._may_run_functions:
            run("argocd-cmp-server", "--config-dir-path", self._folder / "plugin")
        run(
            *("argocd-repo-server", "--address=127.0.0.1", f"--port={repo}"),
            *(
                "--metrics-address=127.0.0.1",
                f"--metrics-port={repo_metrics}",
                f"--redis=127.0.0.1:{redis}",
            ),
            # A refresh then sees a new commit. By default, only a webhook or three minutes do that.
            "--revision-cache-expiration=1s",
        )
        until("the repo-server listens", lambda: _listens(repo))
        run(
            *(
                "argocd-application-controller",
                "--kubeconfig",
                kubeconfig,
                f"--namespace={NAMESPACE}",
            ),
            *(f"--repo-server=127.0.0.1:{repo}", f"--redis=127.0.0.1:{redis}"),
            *(f"--metrics-port={metrics}", "--persist-resource-health"),
        )
        addresses = zip(("metrics", "probe", "webhook"), sets, strict=True)
        run(
            *(
                "argocd-applicationset-controller",
                "--kubeconfig",
                kubeconfig,
                f"--namespace={NAMESPACE}",
            ),
            f"--argocd-repo-server=127.0.0.1:{repo}",
            *(f"--{name}-addr=127.0.0.1:{port}" for name, port in addresses),
        )


def _install(api: Api, options: str) -> None:
    manifests = module_folder(MODULE) / "manifests" / "crds"
    for name in ("application", "applicationset", "appproject"):
        definition = yaml.load(
            (manifests / f"{name}-crd.yaml").read_text(), Loader=yaml.CSafeLoader
        )
        api.apply(definition)
        api.ready("CustomResourceDefinition", definition["metadata"]["name"])
    api.apply({"kind": "Namespace", "metadata": {"name": NAMESPACE}})
    for name in CONFIG_MAPS:
        data = {"kustomize.buildOptions": options} if name == "argocd-cm" else {}
        api.apply({"kind": "ConfigMap", "metadata": {"name": name, "labels": PART}, "data": data})
    key = {"server.secretkey": "x" * 32}
    api.apply(
        {"kind": "Secret", "metadata": {"name": "argocd-secret", "labels": PART}, "stringData": key}
    )
    grant_all(api, ACCOUNT)
    # Argo CD's API server, which does not run here, would create it.
    api.apply({"kind": "AppProject", "metadata": {"name": "default"}, "spec": PROJECT})


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 0.5):
            return True
    except OSError:
        return False
