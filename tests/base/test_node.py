"""Paths of fields, and where fields are in the text."""

import pytest

from krm_fn.base.node import FieldPath, descend, fields, get, mark_of, read_path, spell
from krm_fn.core.yaml.reader import read_yaml

TEXT = """\
spec:
  select:
  - name: web
  - {name: api}
  linker: &linker
    image: a
  merged:
    <<: *linker
    own: b
  flow: {a: 1, b: [2, 3]}
"""
(ROOT,) = read_yaml(TEXT.encode()).roots

PLACES = [
    pytest.param("spec.select", (2, 3), id="a field, at its name"),
    pytest.param("spec.select[0]", (3, 5), id="an element"),
    pytest.param("spec.select[0].name", (3, 5), id="the first field of an element"),
    pytest.param("spec.select[1].name", (4, 6), id="a field in a flow mapping"),
    pytest.param("spec.flow.b[1]", (10, 23), id="an element in a flow list"),
    pytest.param("spec.linker.timeout", (5, 3), id="a missing field, at the one above it"),
    pytest.param("spec.select[2].name", (2, 3), id="a missing element, at its list"),
    pytest.param("spec.linker.image.x", (6, 5), id="a field of a text, at the text's name"),
    pytest.param("spec.merged.own", (9, 5), id="beside a merge key"),
    pytest.param("spec.merged.image", (6, 12), id="a merged field, at its value"),
    pytest.param("kind", (1, 1), id="nothing of it, at the beginning"),
    pytest.param("", (1, 1), id="the whole object"),
]


@pytest.mark.parametrize(("field", "expected"), PLACES)
def test_where_a_field_begins(field: str, expected: tuple[int, int]) -> None:
    mark = mark_of(ROOT, read_path(field))
    assert (mark.line + 1, mark.column + 1) == expected


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(("spec", "select", 1, "name"), id="names and positions"),
        pytest.param(
            ("metadata", "annotations", "example.com/a.b"), id="a name with dots and a slash"
        ),
        pytest.param(("data", "linker.image"), id="a name with a dot"),
        pytest.param((), id="nothing"),
    ],
)
def test_a_path_is_read_as_it_is_written(path: FieldPath) -> None:
    assert read_path(spell(path)) == path


def test_descend() -> None:
    found = descend(ROOT, ("spec", "select", 1, "name"))
    assert found is not None
    assert found.value == "api"
    assert descend(ROOT, ("spec", "select", 2)) is None
    assert descend(ROOT, ("spec", 0)) is None
    assert descend(None, ("spec",)) is None


@pytest.mark.parametrize(
    ("key", "is_merged"),
    [
        ("<<", True),
        ("!!merge <<", True),
        ("!!merge '<<'", True),
        ("'<<'", False),
        ("!!str <<", False),
    ],
)
def test_a_merge_key(key: str, is_merged: bool) -> None:
    (node,) = read_yaml(f"{key}: {{a: b}}\n".encode()).roots
    assert (get(node, "a") is not None) is is_merged


@pytest.mark.parametrize("key", ["[a]", "{a: b}", "[]", "{}", "? - a\n"])
def test_a_key_that_is_no_scalar_is_no_field(key: str) -> None:
    (node,) = read_yaml(f"b: c\n{key}: d\n".encode()).roots
    assert [*fields(node)] == ["b"]
