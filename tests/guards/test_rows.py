"""What is said of guards elsewhere is what their rows say."""

import json
import re

import pytest

from krm_fn.core.decide.run import ReasonCode
from krm_fn.function import run
from krm_fn.guards import guards
from krm_fn.guards.guards import GUARDS, GuardRow
from tests.pages import guard_codes

ROOT = guard_codes.SCHEMA.parents[1]
PACKAGE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {level: debug}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: web, image: web, envFrom: [{configMapRef: {name: settings}}]}]
"""
TABLE = (ROOT / "docs/references.md").read_text().partition("\n### ")[0]


def test_the_schema_of_explain_has_the_codes_of_all_guards() -> None:
    assert guard_codes.SCHEMA.read_text() == guard_codes.schema()
    ground = json.loads(guard_codes.schema())["$defs"]["because"]["properties"]["ground"]
    codes = [row.code for row in GUARDS]
    assert sorted(ground["enum"]) == sorted([*ReasonCode, *codes])


@pytest.mark.parametrize("row", GUARDS, ids=lambda row: row.code)
def test_the_page_of_references_says_what_each_guard_leaves_alone(row: GuardRow) -> None:
    assert re.search(rf"^\| {re.escape(row.words)}[^|]*\| [^|]+", TABLE, re.MULTILINE)


def test_no_code_has_two_meanings() -> None:
    codes = [*ReasonCode, *(row.code for row in GUARDS)]
    assert len({*codes}) == len(codes)


@pytest.mark.parametrize("row", GUARDS, ids=lambda row: row.code)
def test_the_function_runs_without_any_one_of_them(
    row: GuardRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "GUARDS", tuple(one for one in GUARDS if one is not row))
    outcome = run(PACKAGE.encode())
    assert (outcome.exit_code, outcome.stdout.count(b"settings-")) == (0, 2), outcome.stderr
