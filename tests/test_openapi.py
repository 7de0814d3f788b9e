"""Validate every recorded output with the schemas of the API server."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases import MIGRATION_STEPS, TRANSFORMS, is_emitted
from tests.openapi import NEWEST, OLDEST, find_errors, load, objects_in

CASES = TRANSFORMS + MIGRATION_STEPS
EMITTED_KINDS = {"ServiceAccount", "Role", "RoleBinding", "Job", "ConfigMap"}


def read(file: Path) -> list[dict[str, Any]]:
    return list(objects_in(load(file.read_text(encoding="utf-8-sig"))))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name} {case.name}")
def test_valid_objects_stay_valid(case: Path) -> None:
    """The function adds no error. Inputs are short and may be incomplete: a Deployment may lack its selector."""
    before = [item for item in read(case / "input.yaml") if not is_emitted(item)]
    after = [item for item in read(case / "output.yaml") if not is_emitted(item)]
    for old, new in zip(before, after, strict=True):
        assert set(find_errors(new) or []) <= set(find_errors(old) or [])


EMITTED = [
    pytest.param(item, id=f"{case.name}: {item['kind']} {item['metadata']['name']}")
    for case in CASES
    for item in read(case / "output.yaml")
    if is_emitted(item)
]


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("item", EMITTED)
def test_emitted_objects_are_valid(item: dict[str, Any], version: str) -> None:
    assert find_errors(item, version) == []


def test_every_emitted_kind_is_covered() -> None:
    assert {parameter.values[0]["kind"] for parameter in EMITTED} == EMITTED_KINDS  # type: ignore[index]


WRONG = [
    pytest.param({"immutable": "yes"}, ["immutable: type"], id="another type"),
    pytest.param(
        {"labels": {}}, [": Additional properties are not allowed ('labels' was unexpected)"], id="unknown field"
    ),
    pytest.param({"metadata": {"labels": {"a": 1}}}, ["metadata.labels.a: type"], id="a nested field"),
    pytest.param({"kind": "Widget"}, None, id="a kind that is not built in"),
]


@pytest.mark.parametrize(("fields", "errors"), WRONG)
def test_the_schemas_find_errors(fields: dict[str, Any], errors: list[str] | None) -> None:
    assert find_errors({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **fields}) == errors
