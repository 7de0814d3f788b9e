"""A history as JSON, in the form of schemas/history-v1.json."""

import json

from krm_fn.diff.diff import change_as_json
from krm_fn.diff.difference import ObjectChange
from krm_fn.history.history import (
    History,
    LinkerJob,
    Pods,
    Referrer,
    RevisionHistory,
    SetHistory,
    Template,
    WorkloadHistory,
)
from krm_fn.history.text import find_notes, write_state
from krm_fn.linker.read import write_time

VERSION = 1
"""A later version 1 may add fields. What is there keeps its name and meaning."""


def write_json(history: History, *, in_one_line: bool = False) -> str:
    """Write everything that the text says, and more."""
    return json.dumps(_history(history), indent=None if in_one_line else 2) + "\n"


def _history(history: History) -> dict[str, object]:
    return {
        "version": VERSION,
        "namespace": history.namespace,
        "time": write_time(history.now),
        "sets": [_set(one, history.now) for one in history.sets],
        "notes": [" ".join(filter(None, [note.sentence, note.command])) for note in find_notes(history)],
        "unseen": [one._asdict() for one in history.unseen],
    }


def _set(one: SetHistory, now: float) -> dict[str, object]:
    return {
        "set": one.name,
        "hasInventory": one.has_inventory,
        "job": one.job and _job(one.job),
        "revisions": [_entry(entry, now) for entry in one.entries],
        "workloads": [_workload(workload) for workload in one.workloads],
    }


def _job(job: LinkerJob) -> dict[str, object]:
    return {
        "name": job.name,
        "created": write_time(job.created),
        "ended": _maybe_time(job.ended),
        "failure": job.failure,
    }


def _entry(entry: RevisionHistory, now: float) -> dict[str, object]:
    return {
        "kind": entry.kind,
        "name": entry.name,
        "baseName": entry.base,
        "created": _maybe_time(entry.created),
        "state": ", ".join(write_state(entry, now)),
        "fate": entry.fate,
        "isRendered": entry.is_rendered,
        "isLinked": entry.is_linked,
        "isMarkedForDeletion": entry.is_marked,
        "pods": _pods(entry.pods),
        "referencedBy": [_referrer(one) for one in entry.referrers],
        "lastReferencedBy": [str(one) for one in entry.last],
        "due": _maybe_time(entry.due),
        "owners": entry.owners,
        "foreignOwners": entry.foreign,
        "nextRunAdds": entry.to_link,
        "change": entry.change and _change(entry.change),
        **({"madeBy": entry.made_by} if entry.made_by else {}),
    }


def _change(change: ObjectChange) -> dict[str, object]:
    """Write what differs from the next older revision, in the form of `krm-fn diff`."""
    return {"from": change.old and change.old.name, "keys": change_as_json(change)["keys"]}


def _referrer(one: Referrer) -> dict[str, object]:
    return {
        "kind": one.kind,
        "name": one.name,
        "created": write_time(one.created),
        "isCurrent": one.is_current,
        "workload": one.of or None,
        "role": one.role,
        "number": one.number or None,
        "rolloutsLeft": one.rollouts_left,
        "pods": _pods(one.pods),
    }


def _workload(workload: WorkloadHistory) -> dict[str, object]:
    back = workload.way_back
    return {
        "kind": workload.kind,
        "name": workload.name,
        "isDone": workload.is_done,
        "situation": workload.situation,
        "reason": workload.reason,
        "templates": [_template(one) for one in workload.templates],
        "wayBack": back and {"to": back.to.name, "revisions": back.to.revisions, "command": back.command},
    }


def _template(one: Template) -> dict[str, object]:
    return {
        "name": one.name,
        "number": one.number or None,
        "role": one.role,
        "revisions": one.revisions,
        "absent": one.absent,
        "pods": _pods(one.pods),
    }


def _pods(pods: Pods | None) -> dict[str, object] | None:
    return pods and {"total": pods.total, "ready": pods.ready, "problem": pods.problem}


def _maybe_time(seconds: float | None) -> str | None:
    return None if seconds is None else write_time(seconds)
