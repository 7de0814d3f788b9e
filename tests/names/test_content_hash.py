"""The hash is the one that kustomize computes.

`tests/integration` compares with kustomize itself.
"""

import pytest

from krm_fn.base.node import Mapping, is_mapping
from krm_fn.base.problem import UNRENDERED
from krm_fn.core.names.content_hash import (
    JsonValue,
    Unhashable,
    content_hash,
    hashed_keys,
    read_data,
    read_value,
)
from krm_fn.core.yaml.reader import read_yaml
from tests.names.hash_vectors import OBSERVED, RECORDED, Vector

CONFIG_MAP = "kind: ConfigMap\n"
SECRET = "kind: Secret\n"  # noqa: S105  # the kind, not one


def hash_of(source: str) -> str:
    return content_hash(read_yaml(source.encode()).roots[0])


@pytest.mark.parametrize("vector", RECORDED + OBSERVED, ids=lambda vector: vector.says)
def test_the_hash_is_the_one_kustomize_gave(vector: Vector) -> None:
    assert hash_of(vector.source) == vector.hash


def test_all_recorded_hashes_are_compared() -> None:
    assert len(RECORDED) == 49


EQUAL = [
    pytest.param(
        CONFIG_MAP + "data: {a: b}",
        CONFIG_MAP
        + "metadata: {name: x, namespace: y, labels: {a: b}, annotations: {c: d}}\ndata: {a: b}",
        id="metadata does not count",
    ),
    pytest.param(
        CONFIG_MAP + "data: {a: b}",
        CONFIG_MAP + "data: {a: b}\nimmutable: true\nstringData: {c: d}\nother: .nan",
        id="nor does any field but data and binaryData of a ConfigMap",
    ),
    pytest.param(
        SECRET + "type: Opaque\ndata: {a: b}",
        SECRET + "type: Opaque\ndata: {a: b}\nimmutable: true\nbinaryData: {c: d}",
        id="nor does any field but type, data and stringData of a Secret",
    ),
    pytest.param(
        CONFIG_MAP + "data: {a: x, b: y}",
        CONFIG_MAP + "data:\n  b: y\n  # a comment\n  a: 'x'",
        id="order, quotes and comments do not count",
    ),
    pytest.param(
        CONFIG_MAP + "data:\n  a: |\n    x\n    y\n",
        CONFIG_MAP + 'data: {a: "x\\ny\\n"}',
        id="a block and its text in quotes are equal",
    ),
    pytest.param(
        CONFIG_MAP + "data:\n  a: >\n    x\n      y\n\n    z\n",
        CONFIG_MAP + 'data: {a: "x\\n  y\\n\\nz\\n"}',
        id="folded text is what its author wrote, though kustomize adds a line to it",
    ),
    pytest.param(
        CONFIG_MAP + "x: &x {data: {a: b}}\n<<: *x",
        CONFIG_MAP + "data: {a: b}",
        id="data may come with a merge",
    ),
    pytest.param(
        '{"kind": "ConfigMap", "data": {"a": "b"}}',
        CONFIG_MAP + "data: {a: b}",
        id="JSON is YAML",
    ),
]

DIFFERENT = [
    pytest.param(CONFIG_MAP + "data: {a: b}", SECRET + "data: {a: b}", id="the kind counts"),
    pytest.param(
        SECRET + "data: {}", SECRET + "type: Opaque\ndata: {}", id="a missing type is not Opaque"
    ),
    pytest.param(
        CONFIG_MAP + "data: {a: '5'}", CONFIG_MAP + "data: {a: 5}", id="text is no number"
    ),
    pytest.param(
        CONFIG_MAP + "data: {}", CONFIG_MAP + "binaryData: {}", id="no data is not empty data"
    ),
    pytest.param(
        SECRET + 'data: {a: "YQ==\\n"}', SECRET + "data: {a: YQ==}", id="base64 is not decoded"
    ),
    pytest.param(
        CONFIG_MAP + 'data: {a: "b\\n"}', CONFIG_MAP + "data: {a: b}", id="a last line end counts"
    ),
]

REFUSED = [
    pytest.param("kind: Deployment", "kind: expected ConfigMap or Secret", id="another kind"),
    pytest.param("data: {a: b}", "kind: expected ConfigMap or Secret", id="no kind"),
    pytest.param(
        SECRET + "stringData: {a: .inf}",
        "stringData.a: infinity and NaN cannot be hashed; quote the value",
        id="infinity",
    ),
    pytest.param(
        CONFIG_MAP + "data: {}\nbinaryData: [x, {y: .nan}]",
        "binaryData[1].y: infinity and NaN cannot be hashed; quote the value",
        id="NaN in a list that does not count",
    ),
    pytest.param(
        SECRET + "data: {a: !!int hunter2}",
        "data.a: does not match its tag !!int",
        id="a wrong tag",
    ),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_what_is_not_content_leaves_the_hash_alone(one: str, other: str) -> None:
    assert hash_of(one) == hash_of(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_is_content_changes_the_hash(one: str, other: str) -> None:
    assert hash_of(one) != hash_of(other)


@pytest.mark.parametrize(("source", "sentence"), REFUSED)
def test_what_cannot_be_hashed_is_refused(source: str, sentence: str) -> None:
    with pytest.raises(Unhashable) as caught:
        hash_of(source)
    assert str(caught.value) == sentence


def mapping(source: str) -> Mapping:
    node = read_yaml(source.encode()).roots[0]
    assert is_mapping(node)
    return node


READ = [
    pytest.param("{}", {}, id="nothing"),
    pytest.param("{a: b, c: 'd'}", {"a": "b", "c": "d"}, id="text"),
    pytest.param(
        "{1: x, true: y, 2020-01-02: z}",
        {"1": "x", "true": "y", "2020-01-02": "z"},
        id="keys as they stand",
    ),
    pytest.param(
        "{? : x, 'null': y}", {"": "x", "null": "y"}, id="an empty key, and one that looks null"
    ),
    pytest.param("{!!str 1: x}", {"1": "x"}, id="a key tagged as text"),
    pytest.param(
        "{a: {b: [x, 1, {c: ~}]}}", {"a": {"b": ["x", 1.0, {"c": None}]}}, id="collections inside"
    ),
    pytest.param(
        "{a: {yes: x, '1': y, ? : z}}",
        {"a": {"yes": "x", "1": "y", "": "z"}},
        id="text as keys inside",
    ),
    pytest.param("a:\nb: ~\n", {"a": None, "b": None}, id="a blank is null"),
    pytest.param("{a: , b: ~}", {"a": "", "b": None}, id="but empty text in braces"),
    pytest.param("a: [{b: }]\n", {"a": [{"b": ""}]}, id="or in brackets"),
    pytest.param("a: 2020-01-02 3:4:5\n", {"a": "2020-01-02T03:04:05Z"}, id="a time is normalised"),
    pytest.param("{a: 2020-01-02 3:4:5}", {"a": "2020-01-02 3:4:5"}, id="but not in braces"),
    pytest.param(
        "{a: !!null '', b: !!timestamp 2020-01-02 3:4:5}",
        {"a": None, "b": "2020-01-02T03:04:05Z"},
        id="unless tagged",
    ),
    pytest.param("{a: &x [b], c: *x}", {"a": ["b"], "c": ["b"]}, id="an alias"),
    pytest.param(
        "{<<: {a: x, b: y}, b: own}", {"a": "x", "b": "own"}, id="own fields win over merged ones"
    ),
    pytest.param(
        "{<<: [{a: x}, {a: y, b: z}]}",
        {"a": "x", "b": "z"},
        id="earlier merges win over later ones",
    ),
    pytest.param("{<<: []}", {}, id="a merge of nothing"),
    pytest.param("{'<<': {a: x}, b: y}", {"b": "y"}, id="a quoted merge key is dropped"),
    pytest.param("{a: <<}", {"a": "<<"}, id="a merge key that is a value"),
]

REFUSED_VALUES = [
    pytest.param(
        "{a: .nan}", "data.a: infinity and NaN cannot be hashed; quote the value", id="NaN"
    ),
    pytest.param(
        "{a: {b: [x, .inf]}}",
        "data.a.b[1]: infinity and NaN cannot be hashed; quote the value",
        id="infinity",
    ),
    pytest.param(
        "{a: {1: x}}", "data.a: key 1 is not text; quote it", id="a number as a key inside"
    ),
    pytest.param(
        "{a: {2020-01-02: x}}",
        "data.a: key 2020-01-02 is not text; quote it",
        id="a date as a key inside",
    ),
    pytest.param("{~: x}", "data: key ~ is null; quote it", id="null as a key"),
    pytest.param("{a: {null: x}}", "data.a: key null is null; quote it", id="null as a key inside"),
    pytest.param("{[a]: x}", "data: a key is a list, expected text", id="a list as a key"),
    pytest.param("{a: {{b: c}: x}}", f"data.a: {UNRENDERED}", id="a mapping as a key"),
    pytest.param(
        "{!!int 1: x}", "data: key 1 has a tag, expected plain text", id="a key with a tag"
    ),
    pytest.param(
        "{<<: 5}", "data: `<<` expects a mapping or a list of mappings", id="a number merged"
    ),
    pytest.param(
        "{<<: [[{a: b}]]}",
        "data: `<<` expects a mapping or a list of mappings",
        id="a list in a list merged",
    ),
]


@pytest.mark.parametrize(("source", "values"), READ)
def test_fields_are_read_as_the_hasher_does(source: str, values: dict[str, JsonValue]) -> None:
    assert read_data(mapping(source), "data") == values


@pytest.mark.parametrize(("source", "sentence"), REFUSED_VALUES)
def test_the_error_has_the_field_and_the_reason(source: str, sentence: str) -> None:
    with pytest.raises(Unhashable) as caught:
        read_data(mapping(source), "data")
    assert str(caught.value) == sentence
    assert f"{caught.value.field}: {caught.value.message}" == sentence


def test_a_duplicate_key_is_refused_even_without_the_reader() -> None:
    once = mapping("{a: x}")
    once.value = once.value * 2
    with pytest.raises(Unhashable, match=r"^data: duplicate key a$"):
        read_data(once, "data")


def test_nesting_as_deep_as_the_reader_allows_is_read() -> None:
    depth = 399
    value = read_value(read_yaml(b"[" * depth + b"]" * depth).roots[0], "data")
    for _ in range(depth - 1):
        assert isinstance(value, list)
        (value,) = value
    assert value == []


COVERED = [
    pytest.param(CONFIG_MAP + "data: {a: b, c: d}", {"data": ("a", "c")}, id="data"),
    pytest.param(
        CONFIG_MAP + "binaryData: {b: YQ==}\ndata: {a: b}\nimmutable: true",
        {"data": ("a",), "binaryData": ("b",)},
        id="binary data, and no other field",
    ),
    pytest.param(
        SECRET + "type: Opaque\ndata: {a: YQ==}\nstringData: {b: c}\nbinaryData: {d: YQ==}",
        {"type": (), "data": ("a",), "stringData": ("b",)},
        id="a Secret's type, data and text",
    ),
    pytest.param(CONFIG_MAP + "stringData: {a: b}", {}, id="a ConfigMap has no text of its own"),
    pytest.param(CONFIG_MAP + "data:", {}, id="nothing"),
    pytest.param(CONFIG_MAP + "data: {}", {"data": ()}, id="no keys"),
    pytest.param(CONFIG_MAP + "data: text", {"data": ()}, id="text"),
    pytest.param(CONFIG_MAP + "data: [a]", {"data": ()}, id="a list"),
    pytest.param(
        CONFIG_MAP + "x: &x {data: {a: b}}\n<<: *x", {"data": ("a",)}, id="what is merged in"
    ),
]


@pytest.mark.parametrize(("source", "expected"), COVERED)
def test_the_keys_that_are_covered(source: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert hashed_keys(read_yaml(source.encode()).roots[0]) == expected


@pytest.mark.parametrize(
    "field", ["data", "binaryData", "stringData", "type", "immutable", "other"]
)
@pytest.mark.parametrize("kind", [CONFIG_MAP, SECRET])
def test_a_field_is_covered_if_it_changes_the_hash(kind: str, field: str) -> None:
    source, changed = (f"{kind}{field}: {value}" for value in ("{a: b}", "{a: c}"))
    assert (field in hashed_keys(read_yaml(source.encode()).roots[0])) == (
        hash_of(source) != hash_of(changed)
    )
