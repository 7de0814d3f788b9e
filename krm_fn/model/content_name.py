"""Names that say what is in an object, for the objects this project makes."""

import json
from collections.abc import Mapping

from krm_fn.model.content_hash import short_digest
from krm_fn.model.edit import Value

MAX_JOB_NAME = 63
"""A Job's name becomes a label of its pods."""


def content_name(base: str, ending: str, content: Mapping[str, Value]) -> str:
    """`<base><ending>-<ten characters>`, the base cut short where it would not fit."""
    tail = f"{ending}-{short_digest(json.dumps(content, sort_keys=True))}"
    return base[: MAX_JOB_NAME - len(tail)].rstrip("-.") + tail
