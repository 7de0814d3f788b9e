"""What Argo CD shows of an Application, and how it changes."""

from collections.abc import Sequence
from typing import NamedTuple, Self

from tests.cluster.api import Object

# The health of the Application while its Rollout is in a phase.
HEALTH = {"Healthy": "Healthy", "Paused": "Suspended", "Degraded": "Degraded"}
# Argo CD compares again soon after its operation has ended. Until then it shows what it saw before.
LONGEST_FLIP = 15.0


class ArgoStatus(NamedTuple):
    """The status of an Application, without what changes all the time."""

    sync: str = ""
    health: str = ""
    operation: str = ""
    message: str = ""
    out_of_sync: tuple[str, ...] = ()
    unpruned: tuple[str, ...] = ()
    """What Argo CD would prune, but keeps: revisions that are not rendered any more and have no owners yet."""
    unhealthy: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()

    @classmethod
    def of(cls, application: Object) -> Self:
        status = application.get("status", {})
        operation = status.get("operationState") or {}
        resources = status.get("resources", [])
        out_of_sync = [one for one in resources if one.get("status") not in ("Synced", None)]
        return cls(
            sync=status.get("sync", {}).get("status", ""),
            health=status.get("health", {}).get("status", ""),
            operation=operation.get("phase", ""),
            message=operation.get("message", ""),
            out_of_sync=tuple(
                sorted(_name(one) for one in out_of_sync if not one.get("requiresPruning"))
            ),
            unpruned=tuple(sorted(_name(one) for one in out_of_sync if one.get("requiresPruning"))),
            unhealthy=tuple(
                sorted(
                    f"{_name(one)}: {one['health']['status']}"
                    for one in resources
                    if one.get("health", {}).get("status") not in ("Healthy", None)
                )
            ),
            conditions=tuple(
                f"{one['type']}: {one['message']}" for one in status.get("conditions", [])
            ),
        )

    def complaint(self, phase: str) -> str:
        """Return what is not in order: out of sync, a condition, or a health that does not fit the Rollout's phase."""
        found = [*self.out_of_sync, *self.unpruned, *self.conditions]
        if self.sync != "Synced":
            found.append(f"sync status {self.sync}")
        if self.health != HEALTH[phase]:
            found.append(f"health {self.health}, not {HEALTH[phase]}: {', '.join(self.unhealthy)}")
        return "; ".join(found)


class Seen(NamedTuple):
    """A status and the time at which it was first seen, in seconds."""

    at: float
    status: ArgoStatus


def long_flips(seen: Sequence[Seen], end: float) -> list[str]:
    """Return each time in which something was out of sync for long, though no operation ran."""
    found = []
    until = [later.at for later in seen[1:]] + [end]
    since: float | None = None
    for (at, status), next_at in zip(seen, until, strict=True):
        if status.out_of_sync and status.operation != "Running":
            since = at if since is None else since
            if next_at - since > LONGEST_FLIP:
                found.append(f"{next_at - since:.1f} s: {', '.join(status.out_of_sync)}")
        else:
            since = None
    return found


def _name(resource: Object) -> str:
    return f"{resource['kind']}/{resource['name']}"
