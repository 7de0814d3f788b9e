"""Values as JSON: names by the table, and nothing in a manifest taken for one."""

import json
from typing import NamedTuple

import pytest

from krm_fn.report.markup import Forms, write_forms


class Place(NamedTuple):
    file: str
    line: int


class Found(NamedTuple):
    place: Place | None
    found_by: object


FORMS: Forms = {Found: ("*place", "foundBy=found_by", ("size", len))}

WRITTEN = [
    pytest.param(Place("a", 1), {"file": "a", "line": 1}, id="all fields under their own names"),
    pytest.param(
        Found(Place("a", 1), None),
        {"file": "a", "line": 1, "foundBy": None, "size": 2},
        id="by the table",
    ),
    pytest.param(
        Found(Place("a", 1), (Place("b", 2),)),
        {"file": "a", "line": 1, "foundBy": [{"file": "b", "line": 2}], "size": 2},
        id="values in values",
    ),
    pytest.param(
        Found(Place("a", 1), {"*": {"some_key": [1]}}),
        {"file": "a", "line": 1, "foundBy": {"*": {"some_key": [1]}}, "size": 2},
        id="keys of a manifest stay as they are",
    ),
]


@pytest.mark.parametrize(("value", "expected"), WRITTEN)
def test_write_json(value: object, expected: dict[str, object]) -> None:
    assert list(json.loads(write_forms(value, FORMS)).items()) == [
        ("version", 1),
        *expected.items(),
    ]
    assert write_forms(value, FORMS, in_one_line=True).count("\n") == 1
