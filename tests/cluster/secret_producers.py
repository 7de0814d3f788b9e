"""The kinds that make Secrets, with their real controllers, and an application whose Secret one of them makes."""

import base64
from dataclasses import dataclass, field
from typing import Protocol

from tests.cluster.api import Api, Object
from tests.cluster.external_secrets import NAME as EXTERNAL_SECRETS
from tests.cluster.external_secrets import external_secret, fake_store
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.manifests import canary, secret
from tests.cluster.mounting_kubelet import STARTED_BY_TEST, MountingKubelet
from tests.cluster.release import Release
from tests.cluster.rollouts_controller import promote, rollout_in_phase
from tests.cluster.sealed_secrets import NAME as SEALED_SECRETS
from tests.cluster.sealed_secrets import SealedSecrets
from tests.cluster.workloads import delete_pods
from tests.wait import until

VALUES = ("old", "new", "newer", "newest", *"abcde")
SECRET = "web-secret"  # noqa: S105  # a name


class Producer(Protocol):
    """A kind that makes Secrets, and the name of its controller's process."""

    kind: str
    program: str

    def prepare(self, api: Api) -> None:
        """Create in the namespace what the author's objects need."""

    def make(self, api: Api, name: str, value: str) -> Object:
        """Build the object that makes a Secret with this value under the key `token`."""


class External:
    """An ExternalSecret that pins a version of the store's key."""

    kind = "ExternalSecret"
    program = EXTERNAL_SECRETS

    def prepare(self, api: Api) -> None:
        api.apply(fake_store(api, {value: value for value in VALUES}))

    def make(self, api: Api, name: str, value: str) -> Object:
        return external_secret(api, name, value)


class Sealed:
    """A SealedSecret. Sealing a value again gives another text, so the author seals each once."""

    kind = "SealedSecret"
    program = SEALED_SECRETS

    def __init__(self, sealed_secrets: SealedSecrets) -> None:
        self._sealed_secrets = sealed_secrets
        self._sealed: dict[tuple[str, str, str], Object] = {}

    def prepare(self, api: Api) -> None:
        """Do nothing: the value is in the object."""

    def make(self, api: Api, name: str, value: str) -> Object:
        key = (api.namespace, name, value)
        if key not in self._sealed:
            plain = {**secret(name), "stringData": {"token": value}}
            self._sealed[key] = self._sealed_secrets.seal(plain, api.namespace)
        return self._sealed[key]


def _rollout() -> Object:
    rollout = canary("web", secret=SECRET, labels=STARTED_BY_TEST)
    rollout["spec"]["revisionHistoryLimit"] = 1
    return rollout


@dataclass(frozen=True, kw_only=True)
class MadeSecretShop:
    """The Rollout `web` with two pods, which pauses at its canary.

    Its Secret comes from a producer.
    """

    api: Api
    producer: Producer
    kubelet: MountingKubelet
    watcher: InvariantWatcher
    application: Release
    rollout: Object = field(default_factory=_rollout)

    def release(self, value: str, phase: str = "Healthy") -> None:
        """Render, deploy and link the application with this value of its Secret."""
        self.application.release(*self.objects(value))
        rollout_in_phase(self.api, "web", phase)

    def objects(self, value: str) -> list[Object]:
        """Build what the author writes."""
        return [self.producer.make(self.api, SECRET, value), self.rollout]

    def promote(self) -> None:
        promote(self.api, "web")
        rollout_in_phase(self.api, "web", "Healthy")

    def replace_pods(self) -> None:
        """Delete all pods, as if nodes were removed.

        Each must come back with the value that it had.
        """
        values, before = self.values(), self.api.names("Pod", labels="app=web")
        delete_pods(self.api, "app=web")
        until(
            f"new pods run with {values}",
            lambda: (self.api.names("Pod", labels="app=web"), self.values()),
            lambda found: not before & found[0] and found[1] == values,
        )

    def values(self) -> list[str]:
        """Return the value that each running pod has read."""
        return self.kubelet.values("Secret", "token")

    def secret_of(self, value: str) -> str:
        """Return the name of the live Secret with this value."""
        (name,) = (found for found, content in self.secrets().items() if content == value)
        return name

    def secrets(self) -> dict[str, str]:
        """Return the live Secrets of the application with their values."""
        return {
            item["metadata"]["name"]: base64.b64decode(item["data"]["token"]).decode()
            for item in self.api.list("Secret")
            if item["metadata"]["name"].startswith(SECRET)
        }

    def until_gone(self, name: str) -> None:
        """Wait until nothing of this revision is left: no tracker, no producer, no Secret."""
        for kind in ("ConfigMap", self.producer.kind, "Secret"):
            self.api.gone(kind, name)
