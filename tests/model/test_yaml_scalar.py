"""Each value is what go-yaml v3 made of the scalar."""

import re

import pytest

from krm_fn.model.node import Scalar, is_scalar
from krm_fn.model.yaml_scalar import ScalarValue, is_text, read_scalar
from krm_fn.wire.yaml_text import read_yaml


def scalar(source: str) -> Scalar:
    node = read_yaml(f"a: {source}\n".encode()).roots[0].value[0][1]
    assert is_scalar(node)
    return node


TEXTS = [
    *(pytest.param(word, id=f"{word} is a boolean of YAML 1.1") for word in ("yes", "No", "on", "OFF", "y", "N")),
    *(pytest.param(word, id=f"{word} is no boolean") for word in ("tRUE", "truE", "falsehood")),
    *(pytest.param(word, id=f"{word} is no null") for word in ("nULL", "~x", "none", "nil")),
    *(pytest.param(word, id=f"{word} is no float") for word in ("inf", "nan", ".iNF", "+.nan", "Infinity")),
    *(pytest.param(word, id=f"{word} is a sign of YAML") for word in ("<<", "=")),
    pytest.param("12:30:45", id="a time of day"),
    pytest.param("v1.2", id="a version"),
    pytest.param("2020-01-02 at noon", id="a sentence that begins with a date"),
    pytest.param("\N{FULLWIDTH DIGIT ONE}", id="a digit of another script"),
]

VALUES = [
    *(pytest.param(word, None, id=f"{word or 'nothing'} is null") for word in ("", "~", "null", "Null", "NULL")),
    *(pytest.param(word, True, id=f"{word} is true") for word in ("true", "True", "TRUE")),
    *(pytest.param(word, False, id=f"{word} is false") for word in ("false", "False", "FALSE")),
    pytest.param("0x10", 16.0, id="a number"),
    pytest.param("9007199254740993", 9007199254740992.0, id="a number beyond the precision of a float"),
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
    pytest.param("!!timestamp '2020-01-02'", "2020-01-02T00:00:00Z", id="a quoted date tagged as one"),
    pytest.param("!secret 5", "5", id="a number under an unknown tag is text"),
    pytest.param("! 5", 5.0, id="a tag that says nothing"),
    pytest.param("!!binary aGVsbG8=", "hello", id="binary is decoded"),
    pytest.param('!!binary "aGVs\\nbG8=\\r\\n"', "hello", id="line ends in binary are skipped"),
    pytest.param("!!binary /+KCQQ==", "\ufffd\ufffd\ufffdA", id="each byte that is not UTF-8 is replaced"),
]

REFUSED = [
    *(
        pytest.param(word, "neither infinity nor NaN can be hashed; quote it", id=f"{word} has no JSON")
        for word in (".inf", "-.Inf", "+.INF", ".nan", ".NaN")
    ),
    pytest.param("2020-01-02T03:04:05+24:00", "a time zone is less than a day away from UTC", id="a zone of a day"),
    pytest.param("!!int secret", "not what its tag !!int says", id="text tagged as a number"),
    pytest.param("!!int 5.5", "not what its tag !!int says", id="a float tagged as an integer"),
    pytest.param("!!bool yes", "not what its tag !!bool says", id="yes tagged as a boolean"),
    pytest.param("!!null secret", "not what its tag !!null says", id="text tagged as null"),
    pytest.param("!!timestamp 5", "not what its tag !!timestamp says", id="a number tagged as a date"),
    pytest.param("!!binary secret", "not the base64 that its tag !!binary says", id="base64 of a wrong length"),
    pytest.param("!!binary YQ=YQ===", "not the base64 that its tag !!binary says", id="base64 padded inside"),
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
def test_what_go_yaml_or_json_refuses_is_refused_without_quoting_it(source: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        read_scalar(scalar(source))


@pytest.mark.parametrize("source", ["a", "'5'", "yes", "1.2.3", "!!str 5"])
def test_text_is_known_as_text(source: str) -> None:
    assert is_text(scalar(source))


@pytest.mark.parametrize("source", ["5", "true", "~", "2020-01-02", "!!int '5'", "!other a"])
def test_what_only_json_has_as_text_is_not_text(source: str) -> None:
    assert not is_text(scalar(source))
