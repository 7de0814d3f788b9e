"""What every deployer can do with the application under test."""

from typing import NamedTuple, Protocol

from tests.cluster.api import Api
from tests.gitops.package import Commit


class Shown(NamedTuple):
    """What a deployer has shown since it was last asked.

    Objects are as in `ConfigMap/web-config`.
    """

    changed: set[str]
    """What it created or changed."""
    pruned: set[str]
    parts: set[str]
    """What is a part of the application now."""


class Deployer(Protocol):
    """A deployer and one installation of the application, in the namespace of `api`."""

    api: Api
    annotation: str
    """The value of `spec.deployers`."""

    def deploy(self, commit: Commit) -> None:
        """Render, and let the deployer apply it.

        Workloads and Jobs need not be ready afterwards.
        """

    def again(self) -> None:
        """Let the deployer look at the cluster again, without a change."""

    def complaint(self, phase: str) -> str:
        """Return what the deployer shows that is not in order while the Rollout is in this phase; "" is content."""

    def uninstall(self) -> None:
        """Remove the application. What nobody keeps is gone soon afterwards."""
