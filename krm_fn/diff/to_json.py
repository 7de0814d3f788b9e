"""A difference as JSON, in the form of schemas/diff-v1.json."""

import json

from krm_fn.diff.difference import Change, Difference, Who
from krm_fn.diff.titles import summarize
from krm_fn.look.secrets import Shown

VERSION = 1
"""A later version 1 may add fields. What is there keeps its name and meaning."""


def write_json(difference: Difference) -> str:
    """Write everything that the text says, and whole values."""
    return json.dumps(_difference(difference), indent=2) + "\n"


def _difference(difference: Difference) -> dict[str, object]:
    return {
        "version": VERSION,
        "old": difference.old,
        "new": difference.new,
        "summary": summarize(difference),
        "unchangedRevisions": difference.unchanged,
        "revisions": [write_change(change) for change in difference.revisions],
        "objects": [write_change(change) for change in difference.objects],
        "linker": difference.linker._asdict(),
    }


def write_change(change: Change) -> dict[str, object]:
    """Write one object that differs."""
    return {
        "kind": change.who.kind,
        "namespace": change.who.namespace,
        "old": change.old and _who(change.old),
        "new": change.new and _who(change.new),
        "hasNewName": change.has_new_name,
        "keys": [{"key": one.key, "old": _shown(one.old), "new": _shown(one.new)} for one in change.keys],
        "fields": [one._asdict() for one in change.fields],
        "rolls": [one._asdict() for one in change.rolls],
        "fate": change.fate and change.fate._asdict(),
        "hazards": change.hazards,
    }


def _who(who: Who) -> dict[str, object]:
    return {"apiVersion": who.api_version, "name": who.name, "baseName": who.base, "set": who.set}


def _shown(shown: Shown | None) -> dict[str, object] | None:
    return shown and {"bytes": shown.size, "text": shown.text}
