"""JSON holds a whole difference, in the form of its schema."""

import json

from hypothesis import given

from krm_fn.tools.diff.difference import Difference
from krm_fn.tools.diff.write_difference import write_json
from tests.diff.generated import differences
from tests.diff.read_json import read_json
from tests.report.closed_schema import validator

VALIDATOR = validator("diff-v1.json")


@given(differences())
def test_a_difference_comes_back(difference: Difference) -> None:
    written = write_json(difference)
    assert written.isascii()
    read = json.loads(written)
    VALIDATOR.validate(read)
    assert read_json(read) == difference
