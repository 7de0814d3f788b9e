"""What is said about revisions, workloads and linkers, in words. All forms of output use these."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.history.history import (
    History,
    LinkerJob,
    Pods,
    Referrer,
    Retention,
    RevisionHistory,
    Role,
    SetHistory,
    Unseen,
    WorkloadHistory,
)
from krm_fn.model.words import count, listing, printable
from krm_fn.report.table import cut

_MOST_NAMES = 2
"""Names in a sentence; the others are counted."""

_MOST_REFERRERS, _MOST_PAST = 6, 2
"""Objects that are listed for a revision, and those of them that have no pods any more."""

_UNITS = ((365 * 86_400, "y"), (86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))
_ENOUGH = 2
"""Of a unit of time: 100 seconds are not yet minutes."""

_LONGEST_REASON = 160
"""Columns of what a controller gives as its reason."""

_UNSETTLED = (Role.CANARY, Role.PREVIEW, Role.ABORTED, Role.NEW)
_SITUATIONS = {"": "is rolling out", "progressing": "is rolling out", "aborted": "was aborted"}


class Note(NamedTuple):
    """A sentence, and the command to type, if there is one."""

    sentence: str
    command: str = ""
    is_warning: bool = False


def write_state(entry: RevisionHistory, now: float) -> list[str]:
    """Return the parts of `rendered, canary` or `in history, goes when web-66d8 is trimmed`."""
    if entry.fate is Retention.MISSING:
        verb = "do" if any(one.is_current or has_pods(one) for one in entry.referrers) else "would"
        return ["missing", f"pods of {listed(map(str, entry.referrers))} {verb} not start"]
    if entry.fate is Retention.NOT_APPLIED:
        return ["rendered", "not there yet"]
    return [
        *(["rendered"] if entry.is_rendered else []),
        *_write_use(entry),
        *_write_fate(entry, now),
        *([] if entry.is_linked else ["unlinked"]),
        *(["marked for deletion"] if entry.is_marked else []),
    ]


def _write_use(entry: RevisionHistory) -> list[str]:
    """Say what the revision is to its workloads; to which, if it is not the same to all."""
    workloads: dict[Role, set[str]] = {}
    for one in entry.referrers:
        if one.role is not None and one.role is not Role.PAST:
            workloads.setdefault(one.role, set()).add(one.of)
    if workloads:
        ordered = sorted(workloads, key=list(Role).index)
        if all(workloads[role] == workloads[ordered[0]] for role in ordered):
            return [" and ".join(ordered)]
        return [f"{role} of {listed(sorted(workloads[role]))}" for role in ordered]
    if not entry.referrers:
        return [] if entry.fate is Retention.RETAINED else ["no reference seen" if entry.is_incomplete else "unused"]
    if entry.is_awaited:
        return ["not started"]
    return ["in use" if any(one.is_current or has_pods(one) for one in entry.referrers) else "in history"]


def _write_fate(entry: RevisionHistory, now: float) -> list[str]:
    return {
        Retention.HISTORY: lambda: [f"goes when {_write_end(entry.last)}"],
        Retention.NEXT_RUN: lambda: ["goes with the next run"],
        Retention.YOUNG: lambda: [f"goes with the next run in {duration((entry.due or now) - now)} or later"],
        Retention.LEFT_TO_KPT: lambda: ["goes when kpt has let go of it"],
        Retention.RETAINED: lambda: ["retained"],
        Retention.FOREIGN_OWNER: lambda: [f"stays with its owner {listed(entry.foreign)}"],
        Retention.LEAK: lambda: ["stays, as the linker may not delete its Secret"],
        Retention.NO_INVENTORY: lambda: ["stays, as nothing deletes it"],
        Retention.UNKNOWN: lambda: ["may be in use"],
    }.get(entry.fate, list)()


def _write_end(last: Iterable[Referrer]) -> str:
    """Write `web-66d8 is trimmed`, or `Job/migrate is deleted` for what no history limit deletes."""
    ends = [(one.name, "trimmed") if one.of else (str(one), "deleted") for one in last]
    ways = {way for _, way in ends}
    verb = "are" if len(ends) > 1 else "is"
    return f"{listed([name for name, _ in ends])} {verb} {ways.pop() if len(ways) == 1 else 'gone'}"


def write_referrers(entry: RevisionHistory, most: int | None = _MOST_REFERRERS) -> list[str]:
    """Return the objects that reference a revision, with their pods. If they are many, count them by kind.

    Old ReplicaSets without pods say little about a revision that is in use. `most` None lists everything.
    """
    if most is None:
        return [write_referrer(one) for one in entry.referrers]
    past = [one for one in entry.referrers if not one.is_current and not has_pods(one)]
    is_in_use = len(past) < len(entry.referrers)
    dropped = past[_MOST_PAST:] if is_in_use else []
    shown = [one for one in entry.referrers if one not in dropped]
    if len(shown) > most:
        return _count_by_kind(entry.referrers)
    return [*map(write_referrer, shown), *([f"and {len(dropped)} more"] if dropped else [])]


def _count_by_kind(referrers: Iterable[Referrer]) -> list[str]:
    """Write `12 Deployments`, `24 ReplicaSets (36 pods)`."""
    by_kind: dict[str, list[Referrer]] = {}
    for one in referrers:
        by_kind.setdefault(one.kind, []).append(one)
    return [_add_pods(count(len(ones), kind), _sum(ones)) for kind, ones in by_kind.items()]


def _sum(referrers: Iterable[Referrer]) -> Pods | None:
    known = [one.pods for one in referrers if one.pods is not None]
    readies = [pods.ready for pods in known]
    ready = None if None in readies else sum(filter(None, readies))
    problem = next((pods.problem for pods in known if pods.problem), "")
    return Pods(sum(pods.total for pods in known), ready, problem) if known else None


def _add_pods(name: str, pods: Pods | None) -> str:
    return name if pods is None else f"{name} ({write_pods(pods)})"


def write_referrer(referrer: Referrer) -> str:
    """Write `Rollout/web` or `web-5bb6 (1 pod)`."""
    return _add_pods(printable(referrer.name if referrer.of else str(referrer)), referrer.pods)


def write_pods(pods: Pods) -> str:
    """Write `3 pods`, `3 pods, 1 not ready: CrashLoopBackOff`."""
    waiting = 0 if pods.ready is None else pods.total - pods.ready
    problem = f": {printable(pods.problem)}" if pods.problem else ""
    return count(pods.total, "pod") + (f", {waiting} not ready{problem}" if waiting else "")


def find_notes(history: History) -> Iterator[Note]:
    """Yield what else one has to know: rollouts that are not done, and what is wrong."""
    for one in history.sets:
        for workload in one.workloads:
            yield from _write_rollout(workload)
    for one in history.sets:
        missing = [entry.name for entry in one.entries if entry.fate is Retention.MISSING]
        if missing:
            verb = "does" if len(missing) == 1 else "do"
            yield Note(f"{listed(missing)} {verb} not exist: apply the manifests that have it again", is_warning=True)
        yield from _write_linker(one, history)
        leaks = [entry.name for entry in one.entries if entry.fate is Retention.LEAK]
        if leaks:
            objects = " ".join(f"{kind}/{printable(name)}" for name in leaks for kind in ("secret", "configmap"))
            what = "its Secret" if len(leaks) == 1 else "their Secrets"
            command = f"kubectl delete {objects} -n {printable(history.namespace)}"
            yield Note(f"the linker may not delete {listed(leaks)}, as no run has linked {what} in time:", command)
    yield from map(_write_unseen, history.unseen)


def _write_rollout(workload: WorkloadHistory) -> Iterator[Note]:
    if workload.is_done and not workload.situation:
        return
    situation = _SITUATIONS.get(workload.situation, f"is {printable(workload.situation)}")
    reason = f" ({cut(printable(workload.reason), _LONGEST_REASON)})" if workload.reason else ""
    yield Note(
        f"{printable(str(workload))} {situation}{reason}", is_warning=workload.situation in ("stuck", "degraded")
    )
    yield from write_way_back(workload)


def write_way_back(workload: WorkloadHistory) -> Iterator[Note]:
    """Say how to return to an earlier configuration, if there is one."""
    back = workload.way_back
    if back is None:
        return
    newest = next((one for one in workload.templates if one.role in _UNSETTLED), None)
    names = [name for name in back.to.revisions if newest is None or name not in newest.revisions]
    what = listed(names) if names else f"{printable(back.to.name)}, which has the same configuration"
    if back.to.absent:
        yield Note(
            f"no way back to {printable(back.to.name)}: {listed(back.to.absent)} does not exist", is_warning=True
        )
    elif back.command:
        yield Note(f"back to {what}:", printable(back.command))
    else:
        yield Note(f"it is back on {what}; revert the change of the manifests too")


def _write_linker(one: SetHistory, history: History) -> Iterator[Note]:
    name = printable(one.name)
    if one.job is None and not one.has_inventory:
        yield Note(f"set {name} has no linker: nothing deletes its revisions")
    elif not one.has_inventory:
        yield Note(f"ConfigMap/{name}-linker does not exist: until then nothing is deleted", is_warning=True)
    if one.job is not None:
        yield from _write_job(one.job, history)


def _write_job(job: LinkerJob, history: History) -> Iterator[Note]:
    name = f"Job/{printable(job.name)}"
    if job.failure and job.ended is not None:
        logs = f"kubectl logs {name.lower()} -n {printable(history.namespace)}"
        ago = duration(history.now - job.ended)
        yield Note(f"{name} failed {ago} ago ({cut(printable(job.failure), _LONGEST_REASON)}):", logs, is_warning=True)
    elif job.ended is None:
        yield Note(f"{name} has not ended, after {duration(history.now - job.created)}")


def _write_unseen(unseen: Unseen) -> Note:
    if unseen.rule:
        return Note(
            f"not seen: {printable(unseen.plural)}; you need the rule {printable(unseen.rule)}", is_warning=True
        )
    return Note(f"not seen: {printable(unseen.reason)}", is_warning=True)


def has_pods(referrer: Referrer) -> bool:
    """Tell whether pods of the object run, as far as that is known."""
    return referrer.pods is not None and referrer.pods.total > 0


def listed(names: Iterable[str], most: int = _MOST_NAMES) -> str:
    """Join names, and count those that are too many: `a, b and 3 more`. They are safe to print then."""
    return listing(map(printable, names), most, is_sentence=True)


def duration(seconds: float) -> str:
    """Write a time in one unit: `4m`, `12d`."""
    whole = max(0, int(seconds))
    size, unit = next((unit for unit in _UNITS if whole >= _ENOUGH * unit[0]), _UNITS[-1])
    return f"{whole // size}{unit}"
