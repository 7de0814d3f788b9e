"""JSON back to a difference: whatever a text says must be in it."""

from typing import Any

from krm_fn.report.object_change import (
    Cause,
    ComparedObject,
    Effect,
    FieldChange,
    HandEdit,
    ObjectChange,
    Removal,
    RemovalOutcome,
    Roll,
)
from krm_fn.report.secrets import KeyChange, Shown
from krm_fn.tools.diff.difference import Difference, LinkerChange


def read_json(read: Any) -> Difference:
    return Difference(
        read["old"],
        read["new"],
        tuple(map(_read_change, read["revisions"])),
        tuple(map(_read_change, read["objects"])),
        LinkerChange(
            read["linker"]["runs"], tuple(read["linker"]["added"]), tuple(read["linker"]["removed"])
        ),
        read["unchangedRevisions"],
        tuple(read["notes"]),
    )


def _read_change(read: Any) -> ObjectChange:
    old, new = (
        one
        and ComparedObject(
            one["apiVersion"],
            read["kind"],
            read["namespace"],
            one["name"],
            one["baseName"],
            one["set"],
        )
        for one in (read["old"], read["new"])
    )
    return ObjectChange(
        old,
        new,
        has_new_name=read["hasNewName"],
        keys=tuple(
            KeyChange(one["key"], _read_shown(one["old"]), _read_shown(one["new"]))
            for one in read["keys"]
        ),
        fields=tuple(FieldChange(**one) for one in read["fields"]),
        rolls=tuple(_read_roll(one) for one in read["rolls"]),
        fate=_read_fate(read["fate"]),
        hazards=tuple(read["hazards"]),
        missing=tuple(read["missing"]),
        refusal=read["refusal"],
        edits=tuple(HandEdit(**one) for one in read["edits"]),
    )


def _read_shown(read: Any) -> Shown | None:
    return read and Shown(read["bytes"], read["text"])


def _read_roll(read: Any) -> Roll:
    return Roll(**{**read, "effect": Effect(read["effect"]), "by": tuple(map(Cause, read["by"]))})


def _read_fate(read: Any) -> Removal | None:
    return read and Removal(
        RemovalOutcome(read["outcome"]),
        tuple(read["users"]),
        tuple(read["deployers"]),
        read["rollouts"],
    )
