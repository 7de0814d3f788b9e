"""Prepare a namespace in which the linker has every kind of work to do, and restore it after a run."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane, new_namespace
from tests.cluster.deployers import ArgoLike
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.linker_job import linker_arguments, linker_environment, linker_pod
from tests.cluster.manifests import secret, workload
from tests.cluster.release import IN_SET, REVISIONS, SET, Release, config, owners
from tests.cluster.server import Server
from tests.cluster.tokens import token_of

UNUSED = "web-config-2222222222"
BY_LINKER = ("revisions.krm-fn.io/wanted", "revisions.krm-fn.io/owns-secret")
"""The annotations that the linker changes."""

OPTIONS = {"kinds": ["ConfigMap", "Secret"]}
LINKER = {"minimumAgeSeconds": 0, "timeoutSeconds": 60}


def shop(content: str) -> list[Object]:
    deployment = workload("Deployment", "web", config="web-config", secret="web-secret")  # noqa: S106  # its name
    return [
        config(content),
        {**secret("web-secret"), "stringData": {"content": content}},
        deployment,
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class UnlinkedRelease:
    """A release that was linked, a second one that was not, and a revision that nothing references.

    `pod` is the pod of the second release's Job; `before` are all revisions in the initial state.
    """

    api: Api
    pod: Object
    before: list[Object]

    @property
    def arguments(self) -> list[str]:
        """The arguments of `krm-fn` in the pod."""
        return linker_arguments(self.pod)

    def token(self) -> str:
        return token_of(self.api, self.pod["spec"]["serviceAccountName"], pod=self.pod)

    def environment(self, folder: Path, server: Server) -> dict[str, str]:
        """Create the environment of a linker that connects to this server."""
        environment = linker_environment(self.api, self.pod, folder)
        self.log_in(folder, server, self.token())
        return environment

    def log_in(self, folder: Path, server: Server, token: str) -> None:
        """Write the kubeconfig of the linker, with this server and token."""
        write_kubeconfig(folder / "kubeconfig", server, token=token, namespace=self.api.namespace)

    def restore(self) -> None:
        """Restore the initial state."""
        for found in self.before:
            metadata = found["metadata"]
            if self.api.find(found["kind"], metadata["name"]):
                annotations = {name: metadata["annotations"].get(name) for name in BY_LINKER}
                given = {
                    "ownerReferences": metadata.get("ownerReferences"),
                    "annotations": annotations,
                }
                self.api.patch(found["kind"], metadata["name"], {"metadata": given})
            else:
                again = {key: metadata[key] for key in ("name", "labels", "annotations")}
                self.api.create({**found, "metadata": again})

    def state(self) -> dict[str, set[str]]:
        """Return every revision with its owners: `{"Secret/web-secret-…": {"ConfigMap/web-secret-…"}}`."""
        return {
            f"{found['kind']}/{found['metadata']['name']}": owners(found)
            for found in revisions(self.api)
        }


@contextlib.contextmanager
def unlinked_release(
    cluster: ControlPlane, name: str, **linker: object
) -> Iterator[UnlinkedRelease]:
    """Create the releases in a new namespace of this name, with these settings of the linker."""
    api = new_namespace(cluster, name)
    release = Release(
        api=api,
        deployer=ArgoLike(api=api, app=SET),
        settings={**OPTIONS, "linker": {**LINKER, **linker}},
    )
    release.release(*shop("old"))
    release.sync(*shop("new"))
    api.ready("Deployment", "web")
    labels, annotations = (
        {"revisions.krm-fn.io/set": SET},
        {"revisions.krm-fn.io/base-name": "web-config"},
    )
    api.create(
        {
            **config("unused"),
            "metadata": {"name": UNUSED, "labels": labels, "annotations": annotations},
        }
    )
    yield UnlinkedRelease(api=api, pod=linker_pod(api, SET), before=revisions(api))
    cluster.api.delete("Namespace", name)


def revisions(api: Api) -> list[Object]:
    return [*api.list("ConfigMap", labels=REVISIONS), *api.list("Secret", labels=IN_SET)]
