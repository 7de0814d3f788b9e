"""A name is right when it is the one kustomize gives; `tests/integration` asks kustomize itself."""

import pytest

from krm_fn.model.content_hash import content_hash
from krm_fn.model.hashed_value import Unhashable
from krm_fn.wire.yaml_text import read_yaml
from tests.hash_vectors import OBSERVED, RECORDED, Vector

CONFIG_MAP = "kind: ConfigMap\n"
SECRET = "kind: Secret\n"  # noqa: S105  # the kind, not one


def hash_of(source: str) -> str:
    return content_hash(read_yaml(source.encode()).roots[0])


@pytest.mark.parametrize("vector", RECORDED + OBSERVED, ids=lambda vector: vector.says)
def test_the_hash_is_the_one_kustomize_gave(vector: Vector) -> None:
    assert hash_of(vector.source) == vector.hash


def test_nothing_recorded_was_lost() -> None:
    assert len(RECORDED) == 49


EQUAL = [
    pytest.param(
        CONFIG_MAP + "data: {a: b}",
        CONFIG_MAP + "metadata: {name: x, namespace: y, labels: {a: b}, annotations: {c: d}}\ndata: {a: b}",
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
    pytest.param(SECRET + "data: {}", SECRET + "type: Opaque\ndata: {}", id="a missing type is not Opaque"),
    pytest.param(CONFIG_MAP + "data: {a: '5'}", CONFIG_MAP + "data: {a: 5}", id="text is no number"),
    pytest.param(CONFIG_MAP + "data: {}", CONFIG_MAP + "binaryData: {}", id="no data is not empty data"),
    pytest.param(SECRET + 'data: {a: "YQ==\\n"}', SECRET + "data: {a: YQ==}", id="base64 is not decoded"),
    pytest.param(CONFIG_MAP + 'data: {a: "b\\n"}', CONFIG_MAP + "data: {a: b}", id="a last line end counts"),
]

REFUSED = [
    pytest.param("kind: Deployment", "kind: expected ConfigMap or Secret", id="another kind"),
    pytest.param("data: {a: b}", "kind: expected ConfigMap or Secret", id="no kind"),
    pytest.param(
        SECRET + "stringData: {a: .inf}",
        "stringData.a: neither infinity nor NaN can be hashed; quote it",
        id="infinity",
    ),
    pytest.param(
        CONFIG_MAP + "data: {}\nbinaryData: [x, {y: .nan}]",
        "binaryData[1].y: neither infinity nor NaN can be hashed; quote it",
        id="NaN in a list that does not count",
    ),
    pytest.param(SECRET + "data: {a: !!int hunter2}", "data.a: not what its tag !!int says", id="a wrong tag"),
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
