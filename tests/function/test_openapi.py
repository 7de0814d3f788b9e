"""Validate every object that the function emits with the schemas of the API server."""

import json
from functools import cache
from typing import Any

import pytest

from krm_fn.function import run
from tests.cases import ENVIRONMENT, MIGRATION_STEPS, TRANSFORMS, is_emitted
from tests.function.openapi import NEWEST, OLDEST, find_errors, load, objects_in

EMITTED_KINDS = {"ServiceAccount", "Role", "RoleBinding", "Job", "CronJob", "ConfigMap"}


@cache
def read_emitted() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return each distinct object that the function emits, by its content, with a fixture that leads to it.

    Most fixtures turn the linker off, as they are about something else. Here all of them have one.
    """
    emitted = {}
    for case in TRANSFORMS + MIGRATION_STEPS:
        source = (case / "input.yaml").read_bytes().replace(b"enabled: false", b"enabled: true")
        outcome = run(source, environment=ENVIRONMENT)
        assert outcome.exit_code == 0, outcome.stderr
        for item in objects_in(load(outcome.stdout.decode("utf-8-sig"))):
            if is_emitted(item):
                emitted[json.dumps(item, sort_keys=True)] = f"{case.parent.name}/{case.name}", item
    return emitted


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_emitted_objects_are_valid(version: str) -> None:
    wrong = {
        f"{case}: {item['kind']} {item['metadata']['name']}": errors
        for case, item in read_emitted().values()
        if (errors := find_errors(item, version)) != []
    }
    assert wrong == {}


def test_every_emitted_kind_is_covered() -> None:
    assert {item["kind"] for _, item in read_emitted().values()} == EMITTED_KINDS
    assert len(read_emitted()) > 400


WRONG = [
    pytest.param({"immutable": "yes"}, ["immutable: type"], id="another type"),
    pytest.param(
        {"labels": {}},
        [": Additional properties are not allowed ('labels' was unexpected)"],
        id="unknown field",
    ),
    pytest.param(
        {"metadata": {"labels": {"a": 1}}}, ["metadata.labels.a: type"], id="a nested field"
    ),
    pytest.param({"kind": "Widget"}, None, id="a kind that is not built in"),
]


@pytest.mark.parametrize(("fields", "errors"), WRONG)
def test_the_schemas_find_errors(fields: dict[str, Any], errors: list[str] | None) -> None:
    assert (
        find_errors({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **fields})
        == errors
    )
