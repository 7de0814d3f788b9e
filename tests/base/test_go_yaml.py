"""Each value is the one that go-yaml v3 reads."""

import re

import pytest

from krm_fn.base.go_yaml import ScalarValue, is_text, read_number, read_scalar, read_timestamp
from krm_fn.base.node import Scalar, is_scalar
from krm_fn.core.yaml.reader import read_yaml


def scalar(source: str) -> Scalar:
    node = read_yaml(f"a: {source}\n".encode()).roots[0].value[0][1]
    assert is_scalar(node)
    return node


TEXTS = [
    *(
        pytest.param(word, id=f"{word} is a boolean of YAML 1.1")
        for word in ("yes", "No", "on", "OFF", "y", "N")
    ),
    *(pytest.param(word, id=f"{word} is no boolean") for word in ("tRUE", "truE", "falsehood")),
    *(pytest.param(word, id=f"{word} is no null") for word in ("nULL", "~x", "none", "nil")),
    *(
        pytest.param(word, id=f"{word} is no float")
        for word in ("inf", "nan", ".iNF", "+.nan", "Infinity")
    ),
    *(pytest.param(word, id=f"{word} is a sign of YAML") for word in ("<<", "=")),
    pytest.param("12:30:45", id="a time of day"),
    pytest.param("v1.2", id="a version"),
    pytest.param("2020-01-02 at noon", id="a sentence that begins with a date"),
    pytest.param("\N{FULLWIDTH DIGIT ONE}", id="a digit of another script"),
]

VALUES = [
    *(
        pytest.param(word, None, id=f"{word or 'nothing'} is null")
        for word in ("", "~", "null", "Null", "NULL")
    ),
    *(pytest.param(word, True, id=f"{word} is true") for word in ("true", "True", "TRUE")),
    *(pytest.param(word, False, id=f"{word} is false") for word in ("false", "False", "FALSE")),
    pytest.param("0x10", 16.0, id="a number"),
    pytest.param(
        "9007199254740993", 9007199254740992.0, id="a number beyond the precision of a float"
    ),
    pytest.param("2020-01-02", "2020-01-02T00:00:00Z", id="a date"),
    pytest.param("''", "", id="an empty quoted text"),
    pytest.param("'5'", "5", id="a number in single quotes"),
    pytest.param('"null"', "null", id="null in double quotes"),
    pytest.param("|-\n  true", "true", id="true as a block"),
    pytest.param(">-\n  2020-01-02", "2020-01-02", id="a date as a folded block"),
]

TAGGED = [
    pytest.param("!!str 5", "5", id="a number tagged as text"),
    pytest.param("!!str", "", id="nothing tagged as text"),
    pytest.param("!!int '5'", 5.0, id="a quoted number tagged as one"),
    pytest.param("!!float 5", 5.0, id="an integer tagged as a float"),
    pytest.param("!!bool 'true'", True, id="a quoted boolean tagged as one"),
    pytest.param("!!null ''", None, id="a quoted null tagged as one"),
    pytest.param(
        "!!timestamp '2020-01-02'", "2020-01-02T00:00:00Z", id="a quoted date tagged as one"
    ),
    pytest.param("!secret 5", "5", id="a number under an unknown tag is text"),
    pytest.param("! 5", 5.0, id="a tag that says nothing"),
    pytest.param("!!binary aGVsbG8=", "hello", id="binary is decoded"),
    pytest.param('!!binary "aGVs\\nbG8=\\r\\n"', "hello", id="line ends in binary are skipped"),
    pytest.param(
        "!!binary /+KCQQ==", "\ufffd\ufffd\ufffdA", id="each byte that is not UTF-8 is replaced"
    ),
]

REFUSED = [
    *(
        pytest.param(
            word, "infinity and NaN cannot be hashed; quote the value", id=f"{word} has no JSON"
        )
        for word in (".inf", "-.Inf", "+.INF", ".nan", ".NaN")
    ),
    pytest.param(
        "2020-01-02T03:04:05+24:00",
        "a time zone offset must be less than 24 hours",
        id="a zone of a day",
    ),
    pytest.param("!!int secret", "does not match its tag !!int", id="text tagged as a number"),
    pytest.param("!!int 5.5", "does not match its tag !!int", id="a float tagged as an integer"),
    pytest.param("!!bool yes", "does not match its tag !!bool", id="yes tagged as a boolean"),
    pytest.param("!!null secret", "does not match its tag !!null", id="text tagged as null"),
    pytest.param(
        "!!timestamp 5", "does not match its tag !!timestamp", id="a number tagged as a date"
    ),
    pytest.param(
        "!!binary secret",
        "does not match its tag !!binary: not base64",
        id="base64 of a wrong length",
    ),
    pytest.param(
        "!!binary YQ=YQ===",
        "does not match its tag !!binary: not base64",
        id="base64 padded inside",
    ),
]


@pytest.mark.parametrize("source", TEXTS)
def test_text_stays_text(source: str) -> None:
    assert read_scalar(scalar(source)) == source


@pytest.mark.parametrize(("source", "value"), VALUES + TAGGED)
def test_a_scalar_is_read_as_go_yaml_does(source: str, value: ScalarValue) -> None:
    found = read_scalar(scalar(source))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("source", "sentence"), REFUSED)
def test_an_error_does_not_contain_the_text(source: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        read_scalar(scalar(source))


@pytest.mark.parametrize("source", ["a", "'5'", "yes", "1.2.3", "!!str 5"])
def test_text_is_known_as_text(source: str) -> None:
    assert is_text(scalar(source))


@pytest.mark.parametrize("source", ["5", "true", "~", "2020-01-02", "!!int '5'", "!other a"])
def test_what_only_json_has_as_text_is_not_text(source: str) -> None:
    assert not is_text(scalar(source))


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

NOT_NUMBERS = [
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


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_text_is_not_mistaken_for_a_number(text: str) -> None:
    assert read_number(text) is None


DATES = [
    pytest.param("2020-01-02", "2020-01-02T00:00:00Z", id="a date alone is midnight"),
    pytest.param("2020-1-2", "2020-01-02T00:00:00Z", id="month and day in one digit"),
    pytest.param("0000-02-29", "0000-02-29T00:00:00Z", id="the year 0 leaps"),
    pytest.param("2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z", id="RFC 3339"),
    pytest.param("2020-01-02t3:4:5Z", "2020-01-02T03:04:05Z", id="a small t, and single digits"),
    pytest.param(
        "2020-01-02   03:04:05", "2020-01-02T03:04:05Z", id="blanks for a T, and then no zone"
    ),
    pytest.param(
        "2020-01-02 03:04:05.120", "2020-01-02T03:04:05.12Z", id="a fraction loses its zeros"
    ),
    pytest.param("2020-01-02 03:04:05.000", "2020-01-02T03:04:05Z", id="or vanishes"),
    pytest.param("2020-01-02 03:04:05,5", "2020-01-02T03:04:05.5Z", id="a comma for a point"),
    pytest.param(
        "2020-01-02 03:04:05.1234567899",
        "2020-01-02T03:04:05.123456789Z",
        id="nanoseconds are enough",
    ),
    pytest.param("2020-01-02T03:04:05+02:30", "2020-01-02T03:04:05+02:30", id="a zone"),
    pytest.param("2020-01-02T03:04:05-00:00", "2020-01-02T03:04:05Z", id="a zone of nothing"),
    pytest.param(
        "2020-01-02T03:04:05-01:60", "2020-01-02T03:04:05-02:00", id="sixty minutes are an hour"
    ),
]

NOT_DATES = [
    pytest.param("20-01-02", id="a year of two digits"),
    pytest.param("2020-13-02", id="a thirteenth month"),
    pytest.param("2020-02-30", id="a day that month never has"),
    pytest.param("2021-02-29", id="a leap day of no leap year"),
    pytest.param("2020-00-00", id="no month and no day"),
    pytest.param("2020-01-02T03:04:05", id="a T but no zone"),
    pytest.param("2020-01-02 03:04:05Z", id="a blank and a zone"),
    pytest.param("2020-01-02T24:00:00Z", id="a twenty-fifth hour"),
    pytest.param("2020-01-02T03:60:00Z", id="a sixty-first minute"),
    pytest.param("2020-01-02T03:04:60Z", id="a leap second"),
    pytest.param("2020-01-02T03:04:05+0200", id="a zone without a colon"),
    pytest.param("2020-01-02T03:04:05+25:00", id="a zone of twenty-five hours"),
    pytest.param("2020-01-02-rc1", id="a version"),
    pytest.param("2020-01-02\n", id="a line"),
]


@pytest.mark.parametrize(("text", "date"), DATES)
def test_a_date_is_read(text: str, date: str) -> None:
    assert read_timestamp(text) == date


@pytest.mark.parametrize("text", NOT_DATES)
def test_text_is_not_mistaken_for_a_date(text: str) -> None:
    assert read_timestamp(text) is None


def test_go_reads_but_cannot_write_an_offset_of_a_day() -> None:
    with pytest.raises(ValueError, match=r"^a time zone offset must be less than 24 hours$"):
        read_timestamp("2020-01-02T03:04:05+24:00")
