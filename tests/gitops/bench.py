"""A cluster with deployers, and the stories that run on it at once."""

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane, control_plane, new_namespace
from tests.cluster.external_secrets import NAME as EXTERNAL_SECRETS
from tests.cluster.external_secrets import start_external_secrets
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.mounting_kubelet import MountingKubelet
from tests.cluster.rollouts_controller import NAME, start_rollouts_controller
from tests.cluster.sealed_secrets import CONTROLLER, KUBESEAL, start_sealed_secrets
from tests.cluster.secret_producers import External, Producer, Sealed
from tests.gitops.argo_cd import ArgoCd
from tests.gitops.deployer import Deployer
from tests.gitops.flux import Flux
from tests.gitops.kubelet import Kubelet
from tests.gitops.package import Commit
from tests.gitops.shop import Shop
from tests.tools.require import require_built

ARGO_CD = "argocd"
FLUX = "kustomize-controller"
HELM = "helm"
HELM4 = "helm4"
KPT = "kpt"
KUBECTL = "kubectl"


class Bench:
    """A control plane with Argo Rollouts and a kubelet for the linker's pods.

    Argo CD and Flux start when needed.
    """

    def __init__(self, cluster: ControlPlane, kubelet: Kubelet) -> None:
        self.cluster = cluster
        self.kubelet = kubelet
        # Stories begin at once, each in a thread.
        self._starting = threading.Lock()
        self._argo_cd: ArgoCd | None = None
        self._flux: Flux | None = None
        self._sealed: Sealed | None = None
        self._external: External | None = None

    @property
    def argo_cd(self) -> ArgoCd:
        with self._starting:
            self._argo_cd = self._argo_cd or ArgoCd(self.cluster)
        return self._argo_cd

    @property
    def flux(self) -> Flux:
        with self._starting:
            self._flux = self._flux or Flux(self.cluster)
        return self._flux

    @property
    def sealed(self) -> Sealed:
        with self._starting:
            self._sealed = self._sealed or Sealed(
                start_sealed_secrets(
                    self.cluster, require_built(CONTROLLER), require_built(KUBESEAL)
                )
            )
        return self._sealed

    @property
    def external(self) -> External:
        with self._starting:
            if self._external is None:
                start_external_secrets(self.cluster, require_built(EXTERNAL_SECRETS))
                self._external = External()
        return self._external


class Story(NamedTuple):
    """A story with one deployer. `program` must have been built; `name` says what holds."""

    name: str
    program: str
    deployer: Callable[[Bench, Api], Deployer]
    play: Callable[[Shop], None]
    commit: Commit = Commit()
    end: Callable[[Shop], None] = Shop.uninstall
    """How it ends: as a rule, everything must go. From here on, nobody minds what goes first."""
    producer: tuple[str, Callable[[Bench], Producer]] | None = None
    """What makes the Rollout's Secret, with the program that must have been built for it."""
    harm: str = ""
    """What must go wrong, where a page warns of it: part of a sentence of the watcher."""

    @property
    def namespace(self) -> str:
        return "".join(letter if letter.isalnum() else "-" for letter in self.name.lower())[
            :50
        ].strip("-")


@contextlib.contextmanager
def bench() -> Iterator[Bench]:
    """Run all this for the duration of the context."""
    with control_plane(require_built) as cluster:
        start_rollouts_controller(cluster, require_built(NAME))
        with Kubelet(cluster.api) as kubelet:
            yield Bench(cluster, kubelet)


def play(bench: Bench, story: Story) -> None:
    """Play the story in a namespace of its own. Nothing named may ever be missing."""
    api = new_namespace(bench.cluster, story.namespace)
    commit, mounting = story.commit, MountingKubelet(api)
    with InvariantWatcher(api) as watcher, contextlib.ExitStack() as running:
        if story.producer:
            producer = story.producer[1](bench)
            producer.prepare(api)
            commit = commit.but(make_secret=functools.partial(producer.make, api))
            running.enter_context(mounting)
        deployer = story.deployer(bench, api)
        shop = Shop(
            api=api,
            deployer=deployer,
            kubelet=bench.kubelet,
            mounting=mounting,
            watcher=watcher,
            commit=commit,
        )
        story.play(shop)
        if story.harm:
            assert any(story.harm in sentence for sentence in watcher.violations()), (
                f"nothing was harmed, so a page warns of too much: {story.harm}"
            )
        else:
            watcher.check()
    story.end(shop)
    # What does not run any more costs nothing.
    bench.cluster.api.delete("Namespace", story.namespace)
