"""Changes of one object each, with what the API server says of them: see tests/data/refused_changes.yaml."""

import copy
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

FILE = Path(__file__).parents[1] / "data/refused_changes.yaml"

Object = dict[str, Any]


class Change(NamedTuple):
    """An object and another one of its name.

    `source`: who is known to refuse or to take it, if it is not the API server alone.
    """

    says: str
    old: Object
    new: Object
    is_refused: bool
    source: str = ""

    @property
    def name(self) -> tuple[str, str]:
        return self.old["kind"], self.old["metadata"]["name"]


@cache
def _read() -> Any:
    return yaml.load(FILE.read_text(), yaml.CSafeLoader)


def definition() -> Object:
    """Return the definition of the custom kind of some changes."""
    found: Object = _read()["definition"]
    return found


def read_changes() -> list[Change]:
    changes: list[Change] = []
    for row in _read()["changes"]:
        change = Change(**row)
        changes.append(change._replace(new=_merge(copy.deepcopy(change.old), change.new)))
    return changes


def _merge(into: Object, patch: Object) -> Object:
    for name, value in patch.items():
        if value is None:
            into.pop(name, None)
        elif isinstance(value, dict) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            into[name] = value
    return into
