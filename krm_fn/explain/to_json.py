"""An explanation as JSON, in the form of schemas/explain-v1.json."""

from krm_fn.explain.explanation import (
    Because,
    Explained,
    ExplainedReference,
    Explanation,
    Restart,
    Unfollowed,
    summarize,
)
from krm_fn.report import to_json
from krm_fn.report.to_json import Forms

_FORMS: Forms = {
    Explanation: (("summary", summarize), "objects"),
    Explained: (
        *("*who", "present_name", "*place", "strategy", "new_name", "reason", "hints"),
        ("hashed", lambda one: None if one.hashed is None else dict(one.hashed)),
        *("references", "notFollowed=unfollowed", "restarts", "warnings"),
    ),
    Because: ("ground", "text", "*place", "source", "remedy"),
    ExplainedReference: ("*who", "*place", "field", "text", "foundBy=rule", "is_changed", "notes"),
    Unfollowed: ("*who", "*place", "field", "reason", "text"),
    Restart: ("*who", "*place", "field", "keys", "asked_by", "is_set"),
}


def write_json(explanation: Explanation) -> str:
    """Write everything that the text says, and all mere texts."""
    return to_json.write_json(explanation, _FORMS)
