"""Each right-hand side is what Go's `json.Marshal` printed."""

import pytest

from krm_fn.core.names.content_hash import JsonValue, go_json

WRITTEN = [
    pytest.param(None, "null", id="null"),
    pytest.param(True, "true", id="true is no number"),
    pytest.param(False, "false", id="false"),
    pytest.param({}, "{}", id="an empty mapping"),
    pytest.param([], "[]", id="an empty list"),
    pytest.param(
        {"b": ["x", None], "a": {"c": True}},
        '{"a":{"c":true},"b":["x",null]}',
        id="no blanks, sorted keys",
    ),
    pytest.param(
        dict.fromkeys(["\U0001f600", "\uffee", "é", "a", "B", "_", ""], "x"),
        '{"":"x","B":"x","_":"x","a":"x","é":"x","\uffee":"x","\U0001f600":"x"}',
        id="keys in the order of their UTF-8 bytes, not of UTF-16",
    ),
    pytest.param('"\\/', r'"\"\\/"', id="quotes and backslashes, but no slashes"),
    pytest.param("\b\f\n\r\t", r'"\b\f\n\r\t"', id="control characters with a short form"),
    pytest.param("\x00\x07\x1f", r'"\u0000\u0007\u001f"', id="control characters without"),
    pytest.param("\x7f\x80\x85\ufeff", '"\x7f\x80\x85\ufeff"', id="later control characters stay"),
    pytest.param("<a & b>", r'"\u003ca \u0026 b\u003e"', id="what HTML would stumble over"),
    pytest.param(
        {"<": "\u2028\u2029"}, r'{"\u003c":"\u2028\u2029"}', id="what JavaScript would stumble over"
    ),
    pytest.param("ä漢\U0001f600", '"ä漢\U0001f600"', id="all other text as it is"),
]

NUMBERS = [
    pytest.param(0.0, "0", id="zero"),
    pytest.param(-0.0, "-0", id="negative zero"),
    pytest.param(5432.0, "5432", id="a whole number has no point"),
    pytest.param(-1.5, "-1.5", id="a fraction"),
    pytest.param(0.1 + 0.2, "0.30000000000000004", id="the shortest digits that read back"),
    pytest.param(1e-6, "0.000001", id="the smallest without exponent"),
    pytest.param(9.5e-7, "9.5e-7", id="an exponent of one digit"),
    pytest.param(1e-10, "1e-10", id="an exponent of two digits"),
    pytest.param(5e-324, "5e-324", id="the smallest of all"),
    pytest.param(1e20, "100000000000000000000", id="many zeros before the point"),
    pytest.param(
        123456789012345678901.0,
        "123456789012345680000",
        id="zeros, not digits, where precision ends",
    ),
    pytest.param(1e21, "1e+21", id="the first large one with exponent"),
    pytest.param(-1.7976931348623157e308, "-1.7976931348623157e+308", id="the largest"),
]


@pytest.mark.parametrize(("value", "text"), WRITTEN + NUMBERS)
def test_a_value_is_written_as_go_does(value: JsonValue, text: str) -> None:
    assert go_json(value) == text
