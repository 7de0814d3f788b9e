"""An explanation as JSON, in the form of schemas/explain-v1.json."""

import json

from krm_fn.explain.explanation import (
    Because,
    Explained,
    ExplainedReference,
    Explanation,
    Restart,
    SourceLine,
    Unfollowed,
    summarize,
)
from krm_fn.model.problem import ResourceId

VERSION = 1
"""A later version 1 may add fields. What is there keeps its name and meaning."""


def write_json(explanation: Explanation) -> str:
    """Write everything that the text says, and all mere texts."""
    objects = list(map(_explained, explanation.objects))
    return json.dumps({"version": VERSION, "summary": summarize(explanation), "objects": objects}, indent=2) + "\n"


def _explained(one: Explained) -> dict[str, object]:
    return {
        **_who(one.who),
        "presentName": one.present_name,
        **_place(one.place),
        "strategy": one.strategy,
        "newName": one.new_name,
        "reason": _because(one.because),
        "hints": list(map(_because, one.hints)),
        "hashed": None if one.hashed is None else dict(one.hashed),
        "references": list(map(_reference, one.references)),
        "notFollowed": list(map(_unfollowed, one.unfollowed)),
        "restarts": list(map(_restart, one.restarts)),
        "warnings": one.warnings,
    }


def _who(who: ResourceId) -> dict[str, object]:
    return {"apiVersion": who.api_version, "kind": who.kind, "namespace": who.namespace, "name": who.name}


def _place(place: SourceLine) -> dict[str, object]:
    return {"file": place.file, "line": place.line}


def _because(one: Because) -> dict[str, object]:
    reason, place = one
    return {
        "ground": reason.ground,
        "text": reason.text,
        **_place(place),
        "source": reason.source,
        "remedy": reason.remedy,
    }


def _reference(one: ExplainedReference) -> dict[str, object]:
    return {
        **_who(one.who),
        **_place(one.place),
        "field": one.field,
        "text": one.text,
        "foundBy": {"by": one.rule.by, "text": one.rule.text, "source": one.rule.source},
        "isChanged": one.is_changed,
        "notes": one.notes,
    }


def _unfollowed(one: Unfollowed) -> dict[str, object]:
    return {**_who(one.who), **_place(one.place), "field": one.field, "reason": one.reason, "text": one.text}


def _restart(one: Restart) -> dict[str, object]:
    return {
        **_who(one.who),
        **_place(one.place),
        "field": one.field,
        "keys": one.keys,
        "askedBy": one.asked_by,
        "isSet": one.is_set,
    }
