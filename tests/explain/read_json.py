"""JSON back to an explanation: whatever a text says must be in it."""

from typing import Any

from krm_fn.base.problem import ResourceId
from krm_fn.core.decide.reason import Reason, ReasonCode
from krm_fn.core.references.reference import By, Rule
from krm_fn.tools.explain.explanation import Because, Explained, ExplainedReference, Explanation, Restart, Unfollowed
from krm_fn.tools.render.places import SourceLine


def read_json(read: Any) -> Explanation:
    return Explanation(tuple(map(_explained, read["objects"])))


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
    )


def _who(one: Any) -> ResourceId:
    return ResourceId(one["apiVersion"], one["kind"], one["namespace"], one["name"])


def _place(one: Any) -> SourceLine:
    return SourceLine(one["file"], one["line"])


def _because(one: Any) -> Because:
    reason = Reason(ReasonCode(one["ground"]), one["text"], source=one["source"], remedy=one["remedy"])
    return Because(reason, _place(one))


def _reference(one: Any) -> ExplainedReference:
    found = one["foundBy"]
    rule = Rule(By(found["by"]), found["text"], source=found["source"])
    return ExplainedReference(
        _who(one), _place(one), one["field"], one["text"], rule, one["isChanged"], tuple(one["notes"])
    )


def _unfollowed(one: Any) -> Unfollowed:
    return Unfollowed(_who(one), _place(one), one["field"], one["reason"], one["text"])


def _restart(one: Any) -> Restart:
    keys = one["keys"]
    read = None if keys is None else tuple(keys)
    return Restart(_who(one), _place(one), one["field"], read, one["askedBy"], one["isSet"])
