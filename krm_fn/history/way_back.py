"""How to return to an earlier configuration of a workload, while what that needs still exists."""

from collections.abc import Sequence

from krm_fn.history.facts import Progress
from krm_fn.history.history import Role, Template, WayBack

_RESOURCES = {"Deployment": "deployment", "StatefulSet": "statefulset", "DaemonSet": "daemonset"}


def find_way_back(
    kind: str, name: str, namespace: str, progress: Progress, templates: Sequence[Template]
) -> WayBack | None:
    """Find the template to return to; None if there is none. `templates` are in order, the newest first.

    In the middle of a rollout that is the one that is being replaced; later the last one with another configuration.
    """
    if kind == "Rollout" and not progress.is_done:
        stable = next((one for one in templates if one.role is Role.STABLE), None)
        is_back = progress.situation == "aborted"
        command = "" if is_back else f"kubectl argo rollouts abort {name} -n {namespace}"
        return stable and WayBack(stable, command)
    to = _last_with_other_configuration(templates)
    if to is None or not to.number:
        return None
    undo = "argo rollouts undo" if kind == "Rollout" else f"rollout undo {_RESOURCES[kind]}"
    separator = " " if kind == "Rollout" else "/"
    return WayBack(to, f"kubectl {undo}{separator}{name} --to-revision={to.number} -n {namespace}")


def _last_with_other_configuration(templates: Sequence[Template]) -> Template | None:
    current = next((one for one in templates if one.role in (Role.NEW, Role.STABLE)), None)
    if current is None:
        return None
    others = [one for one in templates if one.revisions != current.revisions and not one.absent]
    return next((one for one in others if one.role is Role.OLD), next(iter(others), None))
