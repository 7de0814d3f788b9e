"""Check three invariants over all changes, in their order.

1. No pod starts without a ConfigMap or Secret that it requires.
2. No pod waits for one that was deleted since its controller references it. It may wait for one that is still to come.
3. No revision is deleted while an object references it that may still start pods.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from tests.cluster.object_state import Name, ObjectState


class Violation(NamedTuple):
    version: int
    sentence: str


def violations(
    before: Iterable[ObjectState], after: Iterable[ObjectState], forgiven: Collection[Name] = ()
) -> list[Violation]:
    """Find violations in the changes `after`; the states `before` are the initial ones.

    The test itself deletes the objects in `forgiven`, as a person does who makes a mistake.
    """
    live = {state.uid: state for state in before}
    begun = dict.fromkeys(live, 0)
    deleted: dict[Name, int] = {}
    found: list[Violation] = []
    for state in sorted(after, key=lambda state: state.version):
        previous = live.pop(state.uid, None)
        if state.exists:
            live[state.uid] = state
            begun.setdefault(state.uid, state.version)
        else:
            deleted[state.key] = state.version
        if state.exists and state.is_started and not (previous and previous.is_started):
            found += _missing(state, _absent(state, live), "was started without")
        elif state.exists and state.is_bound and not (previous and previous.is_bound):
            since = begun.get(state.controller or state.uid, state.version)
            late = {name for name in _absent(state, live) if deleted.get(name, 0) > since}
            found += _missing(state, late, "waits for deleted")
        if not state.exists and state.is_protected and state.key not in forgiven:
            found += _deleted_in_use(state, live)
    return found


def _absent(pod: ObjectState, live: dict[str, ObjectState]) -> frozenset[Name]:
    return pod.required - {other.key for other in live.values()}


def _missing(pod: ObjectState, names: Collection[Name], what: str) -> Iterable[Violation]:
    if names:
        yield Violation(pod.version, f"Pod {pod.name} {what} {_list(sorted(names))}")


def _deleted_in_use(revision: ObjectState, live: dict[str, ObjectState]) -> Iterable[Violation]:
    consumers = sorted(
        consumer.key
        for consumer in live.values()
        if revision.key in consumer.references and _may_start_pods(consumer, live)
    )
    if consumers:
        yield Violation(
            revision.version,
            f"{_list([revision.key])} was deleted while referenced by {_list(consumers)}",
        )


def _may_start_pods(consumer: ObjectState, live: dict[str, ObjectState]) -> bool:
    """Tell whether the object may start pods: not if it, its controller or the namespace is being deleted.

    A pod with a controller does not count: another one is created from the template.
    """
    if consumer.kind == "Pod" and consumer.controller:
        return False
    return not any(
        state.kind == "Namespace" and state.is_ending for state in live.values()
    ) and _stays(consumer, live)


def _stays(state: ObjectState, live: dict[str, ObjectState]) -> bool:
    if state.is_ending:
        return False
    if not state.controller:
        return True
    controller = live.get(state.controller)
    return controller is not None and _stays(controller, live)


def _list(names: Iterable[Name]) -> str:
    return ", ".join(f"{kind} {name}" for kind, name in names)
