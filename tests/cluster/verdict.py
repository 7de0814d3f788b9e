"""The two invariants, judged over everything that happened, in the order in which it happened.

A pod never has to start without a ConfigMap or Secret that it names; and no revision is deleted while something
that may still start pods names it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from tests.cluster.sight import Name, Sight


class Violation(NamedTuple):
    version: int
    sentence: str


def violations(before: Iterable[Sight], after: Iterable[Sight]) -> list[Violation]:
    """Of what came `after`; what was there `before` is taken as it is."""
    live = {sight.uid: sight for sight in before}
    found: list[Violation] = []
    for sight in sorted(after, key=lambda sight: sight.version):
        previous = live.pop(sight.uid, None)
        if sight.present:
            live[sight.uid] = sight
        if sight.present and sight.bound and not (previous and previous.bound):
            found += _bound_too_early(sight, {other.key for other in live.values()})
        if not sight.present and sight.guarded:
            found += _deleted_in_use(sight, live)
    return found


def _bound_too_early(pod: Sight, there: set[Name]) -> Iterable[Violation]:
    missing = sorted(pod.needs - there)
    if missing:
        yield Violation(pod.version, f"Pod {pod.name} was to start without {_list(missing)}")


def _deleted_in_use(revision: Sight, live: dict[str, Sight]) -> Iterable[Violation]:
    users = sorted(user.key for user in live.values() if revision.key in user.names and _may_start_pods(user, live))
    if users:
        yield Violation(revision.version, f"{_list([revision.key])} was deleted while named by {_list(users)}")


def _may_start_pods(user: Sight, live: dict[str, Sight]) -> bool:
    """Not what is on its way out, itself or with its controller, or with all of the namespace.

    A pod that has a controller does not count, it is replaced from a template; but on its own it has only itself.
    """
    if user.kind == "Pod" and user.controller:
        return False
    return not any(sight.kind == "Namespace" and sight.going for sight in live.values()) and _stays(user, live)


def _stays(sight: Sight, live: dict[str, Sight]) -> bool:
    if sight.going:
        return False
    if not sight.controller:
        return True
    controller = live.get(sight.controller)
    return controller is not None and _stays(controller, live)


def _list(names: Iterable[Name]) -> str:
    return ", ".join(f"{kind} {name}" for kind, name in names)
