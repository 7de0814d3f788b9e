"""Where an object is in a file: the annotation may hold anything."""

import pytest

from krm_fn.base.item import read_item
from krm_fn.base.node import is_mapping
from krm_fn.core.yaml.reader import read_yaml


@pytest.mark.parametrize(
    ("index", "position"),
    [
        pytest.param("7", 7, id="a position"),
        pytest.param("", None, id="nothing"),
        pytest.param("first", None, id="a word"),
        pytest.param("-1", None, id="no position is below 0"),
        pytest.param("\u0661", None, id="a digit that YAML would not read as one"),
        pytest.param("9" * 5000, None, id="more digits than Python reads"),
    ],
)
def test_the_position_in_a_file(index: str, position: int | None) -> None:
    text = f"metadata: {{annotations: {{internal.config.kubernetes.io/index: '{index}'}}}}"
    root = read_yaml(text.encode()).roots[0]
    assert is_mapping(root)
    found = read_item(root)
    assert found.file_index == (position or 0)
    assert found.has_file_index is (position is not None)
