"""Each date is what go-yaml v3 and Go's JSON made of the text."""

import pytest

from krm_fn.model.yaml_timestamp import read_timestamp

DATES = [
    pytest.param("2020-01-02", "2020-01-02T00:00:00Z", id="a date alone is midnight"),
    pytest.param("2020-1-2", "2020-01-02T00:00:00Z", id="month and day in one digit"),
    pytest.param("0000-02-29", "0000-02-29T00:00:00Z", id="the year 0 leaps"),
    pytest.param("2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z", id="RFC 3339"),
    pytest.param("2020-01-02t3:4:5Z", "2020-01-02T03:04:05Z", id="a small t, and single digits"),
    pytest.param("2020-01-02   03:04:05", "2020-01-02T03:04:05Z", id="blanks for a T, and then no zone"),
    pytest.param("2020-01-02 03:04:05.120", "2020-01-02T03:04:05.12Z", id="a fraction loses its zeros"),
    pytest.param("2020-01-02 03:04:05.000", "2020-01-02T03:04:05Z", id="or vanishes"),
    pytest.param("2020-01-02 03:04:05,5", "2020-01-02T03:04:05.5Z", id="a comma for a point"),
    pytest.param("2020-01-02 03:04:05.1234567899", "2020-01-02T03:04:05.123456789Z", id="nanoseconds are enough"),
    pytest.param("2020-01-02T03:04:05+02:30", "2020-01-02T03:04:05+02:30", id="a zone"),
    pytest.param("2020-01-02T03:04:05-00:00", "2020-01-02T03:04:05Z", id="a zone of nothing"),
    pytest.param("2020-01-02T03:04:05-01:60", "2020-01-02T03:04:05-02:00", id="sixty minutes are an hour"),
]

TEXTS = [
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


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_not_mistaken_for_a_date(text: str) -> None:
    assert read_timestamp(text) is None


def test_go_reads_but_cannot_write_an_offset_of_a_day() -> None:
    with pytest.raises(ValueError, match=r"^a time zone is less than a day away from UTC$"):
        read_timestamp("2020-01-02T03:04:05+24:00")
