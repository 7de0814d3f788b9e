"""The JSON of every namespace is as its schema says, and has no field that is not in it."""

import json
from pathlib import Path

import pytest

from krm_fn.report.table import Screen
from krm_fn.tools.history.history import HistoryFormat, write_history
from tests.history.cases import HISTORIES, read_history
from tests.report.closed_schema import validator

VALIDATOR = validator("history-v1.json")


@pytest.mark.parametrize("case", HISTORIES, ids=lambda case: case.name)
def test_the_json_is_valid(case: Path) -> None:
    document = json.loads(write_history(read_history(case), HistoryFormat.JSON, Screen()))
    assert [error.message for error in VALIDATOR.iter_errors(document)] == []
