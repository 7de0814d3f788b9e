"""Every row of the tables has its effect, and none says what the shape of a field says already."""

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_snapshot.plugin import Snapshot

from krm_fn.base.kind import KINDS, Kind
from krm_fn.base.problem import ResourceId
from krm_fn.base.producer import PRODUCERS, Producer
from krm_fn.base.reference import Reference, split_path
from krm_fn.core.references.field_rows import (
    KEY_SELECTORS,
    AnnotationRow,
    ExcludedField,
    FieldRow,
    KeySelectors,
    read_annotations,
    read_chart_values,
    read_exclusions,
    read_fields,
)
from krm_fn.core.references.find import Found, find_references
from krm_fn.core.references.shapes import find_by_shape
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.facts.annotations import VOLUMES_IN_JSON
from krm_fn.facts.chart_values import SUBCHARTS
from krm_fn.guards.well_known import read_well_known

FIELDS = tuple(read_fields())
ANNOTATIONS = tuple(read_annotations())
NOT_REFERENCES = tuple(read_exclusions())


def nest(steps: tuple[str, ...], content: Any) -> Any:
    for step in reversed(steps):
        content = {step: content}
    return content


def find_all(who: ResourceId, content: dict[str, Any]) -> Found:
    return find_references(read_yaml(json.dumps(content).encode()).roots[0], who, ())


def find(who: ResourceId, content: dict[str, Any]) -> list[Reference]:
    return find_all(who, content).references


def who_is(group: str, kind: str) -> ResourceId:
    return ResourceId(f"{group}/v1", kind, "", "")


def list_rows() -> list[str]:
    """Return each row of the tables as a line of JSON."""
    tables: dict[str, tuple[tuple[Any, ...], ...]] = {
        "FIELDS": FIELDS,
        "SELECTORS": KEY_SELECTORS,
        "ANNOTATIONS": ANNOTATIONS,
        "VOLUMES_IN_JSON": tuple(VOLUMES_IN_JSON.items()),
        "PRODUCERS": PRODUCERS,
        "NOT_REFERENCES": NOT_REFERENCES,
        "WELL_KNOWN": read_well_known(),
        "CHART_VALUES": tuple(read_chart_values()),
        "SUBCHARTS": tuple((charts.split(), alias, name) for charts, alias, name in SUBCHARTS),
        "KINDS": tuple(kind[: Kind._fields.index("on_change")] for kind in KINDS.values()),
    }
    return [json.dumps([name, *row]) for name, table in tables.items() for row in table]


def test_the_tables_are_those_of_the_list(snapshot: Snapshot) -> None:
    """Only what a row says is tested below.

    A letter that is lost from a row is found here, and so is a lost row.
    """
    snapshot.snapshot_dir = Path(__file__).parents[1] / "data"
    snapshot.assert_match("\n".join([*list_rows(), ""]).encode(), "rows_of_fields.jsonl")


@pytest.mark.parametrize("row", FIELDS, ids=lambda row: f"{'|'.join(row.kinds)} {row.path}")
def test_text_that_is_a_name(row: FieldRow) -> None:
    path = tuple(name if name == "*" else name.replace("*", "any") for name in split_path(row.path))
    content = nest(path, "a/key" if row.text else "a")
    if row.beside_kind:
        merge(content, nest((*path[:-2], "kind"), row.target))
    for group in row.groups or ("any.group",):
        for kind in row.kinds:
            who = who_is(group, kind)
            assert find_by_shape(read_yaml(json.dumps(content).encode()).roots[0], who) == []
            (found,) = find(who, content)
            assert (found.kind, found.target, found.in_pod, found.is_output) == (
                row.target,
                "a",
                row.in_pod,
                False,
            )
            assert found.rule.reason == (f"{row.copied_by} copies it" if row.copied_by else "")


@pytest.mark.parametrize(
    "row", [row for row in FIELDS if row.beside_kind], ids=lambda row: f"{row.path} {row.target}"
)
def test_names_of_other_kinds(row: FieldRow) -> None:
    path = split_path(row.path)
    content = nest(path, "a")
    merge(content, nest((*path[:-2], "kind"), "NetworkPolicy"))
    for kind in row.kinds:
        assert find(who_is(row.groups[0], kind), content) == []


@pytest.mark.parametrize("row", KEY_SELECTORS, ids=lambda row: row.group)
def test_keys_of_secrets(row: KeySelectors) -> None:
    for kind in row.kinds or ("Any",):
        (found,) = find(who_is(row.group, kind), {"spec": {"password": {"name": "a", "key": "k"}}})
        assert found.kind == "Secret"
        for field in row.config_maps:
            for content in ({"name": "a", "key": "k"}, [{"name": "a", "key": "k"}]):
                (found,) = find(who_is(row.group, kind), {"spec": {field: content}})
                assert found.kind == "ConfigMap"


@pytest.mark.parametrize("row", ANNOTATIONS, ids=lambda row: f"{row.kind} {row.annotation}")
def test_annotations(row: AnnotationRow) -> None:
    text = '{"secretName": "a", "issuer": "b"}' if row.inside else "a"
    (found,) = find(
        who_is("any.group", row.kind), {"metadata": {"annotations": {row.annotation: text}}}
    )
    assert (found.kind, found.target, found.in_pod, found.is_output) == (
        row.target,
        "a",
        row.in_pod,
        row.written,
    )


@pytest.mark.parametrize(
    "row", PRODUCERS, ids=lambda row: f"{'|'.join(row.kinds)} {row.path} {row.target}"
)
def test_names_for_controllers(row: Producer) -> None:
    *steps, last = split_path(row.path)
    name = "a" if last.lower().endswith("name") or last == "users" else {"name": "a"}
    content = nest((*steps, last), name)
    content.setdefault("metadata", {})["annotations"] = dict.fromkeys(row.annotated, "yes")
    for path in row.needs:
        merge(content, nest(split_path(path), {"key": "k"}))
    for kind in row.kinds:
        found = find(who_is(row.group, kind), content)
        assert [(one.target, one.is_output) for one in found if one.kind == row.target] == [
            ("a", True)
        ]
        assert {one.rule.reason for one in found if one.kind == row.target} == {row.reason}
        assert not any(one.is_output for one in find(who_is("other.group", kind), content))
    assert row.reason
    assert row.source


@pytest.mark.parametrize(
    ("row", "other"),
    [(row, other) for row in PRODUCERS for other in row.unless],
    ids=lambda value: (
        value if isinstance(value, str) else f"{'|'.join(value.kinds)} {value.path} {value.target}"
    ),
)
def test_names_for_controllers_that_another_field_replaces(row: Producer, other: str) -> None:
    content = nest(split_path(row.path), "a")
    for path in row.needs:
        merge(content, nest(split_path(path), {"key": "k"}))
    merge(content, nest(split_path(other), "b"))
    for kind in row.kinds:
        assert {one.target for one in find(who_is(row.group, kind), content) if one.is_output} == {
            "b"
        }


def merge(content: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and key in content:
            merge(content[key], value)
        else:
            content[key] = value


@pytest.mark.parametrize("row", NOT_REFERENCES, ids=lambda row: f"{'|'.join(row.kinds)} {row.path}")
def test_lookalikes(row: ExcludedField) -> None:
    holder = row.only[0] if row.only else "secretRef"
    content = nest(tuple(row.path.replace("*", ".list").split(".")), {holder: {"name": "a"}})
    for kind in row.kinds:
        references, lookalikes = find_all(who_is(row.group, kind), content)
        assert references == []
        assert [one.row for one in lookalikes] == [row]
        assert len(find(who_is("other.group", kind), content)) == 1
    assert row.reason
