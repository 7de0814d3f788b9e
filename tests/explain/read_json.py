"""JSON back to an explanation: whatever a text says must be in it."""

from typing import Any

from krm_fn.base.problem import ResourceId
from krm_fn.base.reference import By, Rule
from krm_fn.core.decide.run import Reason
from krm_fn.report.object_change import Effect
from krm_fn.tools.common.kept import Holder, Kept
from krm_fn.tools.explain.explanation import (
    Because,
    Explained,
    ExplainedReference,
    ExplainedWorkload,
    Explanation,
    How,
    ReadField,
    ReadObject,
    Restart,
    Unfollowed,
    WorkloadChange,
)
from krm_fn.tools.explain.places import SourceLine


def read_json(read: Any) -> Explanation:
    objects, workloads = map(_explained, read["objects"]), map(_workload, read["workloads"])
    note = "" if read["workloads"] else read["summary"].partition("; ")[2]  # behind the counts
    return Explanation(tuple(objects), tuple(workloads), note)


def _workload(one: Any) -> ExplainedWorkload:
    return ExplainedWorkload(
        _who(one), _place(one), tuple(map(_read_object, one["reads"])), one["missingTemplate"]
    )


def _read_object(one: Any) -> ReadObject:
    because = _because(one["reason"])
    config = Explained(
        _who(one),
        one["presentName"],
        _place(one),
        one["strategy"],
        because,
        new_name=one["newName"],
    )
    fields, changes = map(_read_field, one["fields"]), map(_change, one["changes"])
    return ReadObject(config, tuple(fields), tuple(changes), one["optOut"])


def _read_field(one: Any) -> ReadField:
    return ReadField(
        _place(one),
        one["field"],
        one["kind"],
        one["text"],
        one["newText"],
        _rule(one["foundBy"]),
        one["isOptional"],
        one["isPin"],
    )


def _change(one: Any) -> WorkloadChange:
    keys, through = one["keys"], one["through"]
    read = None if keys is None else tuple(keys)
    holder = None if through is None else _who(through)
    return WorkloadChange(How(one["how"]), Effect(one["effect"]), read, one["askedBy"], holder)


def _explained(one: Any) -> Explained:
    hashed = one["hashed"]
    return Explained(
        _who(one),
        one["presentName"],
        _place(one),
        one["strategy"],
        _because(one["reason"]),
        tuple(map(_because, one["hints"])),
        one["newName"],
        None if hashed is None else tuple((name, tuple(keys)) for name, keys in hashed.items()),
        tuple(map(_reference, one["references"])),
        tuple(map(_unfollowed, one["notFollowed"])),
        tuple(map(_restart, one["restarts"])),
        tuple(one["warnings"]),
        _kept(one["kept"]) if "kept" in one else None,
    )


def _kept(one: Any) -> Kept:
    holders = (Holder(holder["name"], holder["keeps"]) for holder in one["holders"])
    return Kept("", "", tuple(holders))


def _who(one: Any) -> ResourceId:
    return ResourceId(one["apiVersion"], one["kind"], one["namespace"], one["name"])


def _place(one: Any) -> SourceLine:
    return SourceLine(one["file"], one["line"])


def _because(one: Any) -> Because:
    reason = Reason(one["ground"], one["text"], source=one["source"], remedy=one["remedy"])
    return Because(reason, _place(one))


def _reference(one: Any) -> ExplainedReference:
    return ExplainedReference(
        _who(one),
        _place(one),
        one["field"],
        one["text"],
        _rule(one["foundBy"]),
        one["isChanged"],
        tuple(one["notes"]),
    )


def _rule(found: Any) -> Rule:
    return Rule(By(found["by"]), found["text"], source=found["source"])


def _unfollowed(one: Any) -> Unfollowed:
    return Unfollowed(_who(one), _place(one), one["field"], one["reason"], one["text"])


def _restart(one: Any) -> Restart:
    keys = one["keys"]
    read = None if keys is None else tuple(keys)
    return Restart(_who(one), _place(one), one["field"], read, one["askedBy"], one["isSet"])
