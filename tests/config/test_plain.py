"""Scalars of a functionConfig have the types of YAML 1.2, and octal numbers as Kubernetes' tools read them."""

import math

import pytest

from krm_fn.base.node import Plain, plain_value
from krm_fn.core.yaml.reader import read_yaml

VALUES = [
    pytest.param("a", "a", id="text"),
    pytest.param("'1'", "1", id="a number in quotes"),
    pytest.param("!!str 1", "1", id="a number tagged as text"),
    pytest.param("yes", "yes", id="a boolean of YAML 1.1 is text"),
    pytest.param("1_000", "1_000", id="a number of YAML 1.1 is text"),
    pytest.param("2020-01-02", "2020-01-02", id="a date is text"),
    pytest.param("True", True, id="a boolean"),
    pytest.param("-7", -7, id="a number"),
    pytest.param("0o17", 15, id="octal of YAML 1.2"),
    pytest.param("0444", 292, id="octal of YAML 1.1, as in the mode of a file"),
    pytest.param("0888", 888, id="a zero in front of a decimal number"),
    pytest.param("0x1F", 31, id="hexadecimal"),
    pytest.param("1.0", 1.0, id="a float"),
    pytest.param("-.inf", -math.inf, id="infinity"),
    pytest.param("~", None, id="null"),
    pytest.param("{a: ~, b: [~]}", {"b": [None]}, id="a null field is left out"),
]


@pytest.mark.parametrize(("source", "value"), VALUES)
def test_plain_value(source: str, value: Plain) -> None:
    found = plain_value(read_yaml(source.encode()).roots[0])
    assert found == value
    assert type(found) is type(value)
