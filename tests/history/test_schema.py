"""The JSON of every namespace is as its schema says, and has no field that is not in it."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from krm_fn.history.write import Form, write
from krm_fn.look.screen import Screen
from tests.closed_schema import SCHEMAS, close
from tests.history.cases import HISTORIES, read_history

SCHEMA, DIFF = SCHEMAS / "history-v1.json", SCHEMAS / "diff-v1.json"


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = json.loads(SCHEMA.read_text())
    Draft202012Validator.check_schema(schema)
    diff = Resource.from_contents(close(json.loads(DIFF.read_text())))
    return Draft202012Validator(close(schema), registry=Registry().with_resource(diff.id() or "", diff))


@pytest.mark.parametrize("case", HISTORIES, ids=lambda case: case.name)
def test_the_json_is_valid(case: Path, validator: Draft202012Validator) -> None:
    document = json.loads(write(read_history(case), Form.JSON, Screen()))
    assert [error.message for error in validator.iter_errors(document)] == []
