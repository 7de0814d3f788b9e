"""Each number is what go-yaml v3 made of the text."""

import pytest

from krm_fn.model.yaml_number import read_number

NUMBERS = [
    pytest.param("8080", 8080, id="a whole number"),
    pytest.param("-7", -7, id="negative"),
    pytest.param("+7", 7, id="positive"),
    pytest.param("1_000", 1000, id="underscores between digits"),
    pytest.param("1__0_", 10, id="underscores anywhere"),
    pytest.param("0777", 0o777, id="octal of YAML 1.1"),
    pytest.param("0o17", 0o17, id="octal of YAML 1.2"),
    pytest.param("0O17", 0o17, id="octal in capitals"),
    pytest.param("0x1F", 0x1F, id="hexadecimal"),
    pytest.param("-0x_ff", -0xFF, id="negative hexadecimal with an underscore"),
    pytest.param("0b101", 0b101, id="binary"),
    pytest.param("0b-101", -0b101, id="binary with the sign behind the prefix"),
    pytest.param("0o+17", 0o17, id="octal with the sign behind the prefix"),
    pytest.param("089", 89.0, id="no octal, so a float"),
    pytest.param("18446744073709551615", 2**64 - 1, id="the largest integer"),
    pytest.param("18446744073709551616", 2.0**64, id="a larger one is a float"),
    pytest.param("+9223372036854775808", 2.0**63, id="a sign costs a bit"),
    pytest.param("-9223372036854775808", -(2**63), id="the smallest integer"),
    pytest.param("-01000000000000000000000", -(2**63), id="the smallest integer in octal"),
    pytest.param("-01000000000000000000001", -1e21, id="a smaller one is a decimal float"),
    pytest.param("1.50", 1.5, id="a float"),
    pytest.param("1.", 1.0, id="a float that ends in a point"),
    pytest.param(".5", 0.5, id="a float that begins with a point"),
    pytest.param(".1_0e1_0", 1e9, id="underscores behind the point, between digits"),
    pytest.param("-.5e+3", -500.0, id="sign, point and exponent"),
    pytest.param("1e-400", 0.0, id="a float too small is zero"),
]

TEXTS = [
    pytest.param("-", id="a sign alone"),
    pytest.param(".", id="a point alone"),
    pytest.param("1e400", id="a float too large"),
    pytest.param("9" * 5000, id="an integer too large even for a float, and for Python to read"),
    pytest.param(".5e400", id="a float too large that begins with a point"),
    pytest.param("0x10000000000000000", id="hexadecimal beyond 64 bits"),
    pytest.param("-0x8000000000000001", id="negative hexadecimal beyond 64 bits"),
    pytest.param("0x1p-2", id="a hexadecimal float"),
    pytest.param("0x", id="a prefix alone"),
    pytest.param("-0b-1", id="two signs"),
    pytest.param("0O+17", id="a sign behind a prefix in capitals"),
    pytest.param("._5", id="an underscore behind the point"),
    pytest.param(".5_", id="an underscore at the end"),
    pytest.param("1.2.3", id="two points"),
    pytest.param("12:30:45", id="a time, sixty-based in YAML 1.1"),
    pytest.param("10Gi", id="a quantity"),
    pytest.param("١٢", id="digits of another script"),
]


@pytest.mark.parametrize(("text", "number"), NUMBERS)
def test_a_number_is_read(text: str, number: float) -> None:
    found = read_number(text)
    assert found == number
    assert type(found) is type(number)


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_not_mistaken_for_a_number(text: str) -> None:
    assert read_number(text) is None
