"""Which plain texts are dates to go-yaml v3, and how Go writes them into JSON."""

import calendar
import re

_FORMAT = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"(?:(?:[Tt]|(?P<blank> +))"
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2}):(?P<second>[0-9]{1,2})(?:[.,](?P<fraction>[0-9]+))?"
    r"(?(blank)|(?:Z|(?P<sign>[-+])(?P<zone_hours>[0-9]{2}):(?P<zone_minutes>[0-9]{2}))))?"
)
_LIMITS = (
    ("month", range(1, 13)),
    ("hour", range(24)),
    ("minute", range(60)),
    ("second", range(60)),
    # One more than a clock shows: Go lets both through.
    ("zone_hours", range(25)),
    ("zone_minutes", range(61)),
)
_NANOSECONDS = 9
_DAY = 24 * 60
"""In minutes."""


def read_timestamp(text: str) -> str | None:
    """The date a text is, in RFC 3339 with no more of a fraction than it needs; None if it is no date.

    An offset of a whole day, which Go reads and then cannot write, is a ValueError.
    """
    found = _FORMAT.fullmatch(text)
    if found is None or not _exists(found):
        return None
    year, month, day, hour, minute, second = (
        int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")
    )
    fraction = (found["fraction"] or "")[:_NANOSECONDS].rstrip("0")
    date = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
    return f"{date}{fraction and '.' + fraction}{_offset(found)}"


def _exists(found: re.Match[str]) -> bool:
    """Whether the calendar and the clock have this day and time."""
    if any(int(found[name] or limit[0]) not in limit for name, limit in _LIMITS):
        return False
    _, last_day = calendar.monthrange(int(found["year"]), int(found["month"]))
    return 1 <= int(found["day"]) <= last_day


def _offset(found: re.Match[str]) -> str:
    minutes = int(found["zone_hours"] or 0) * 60 + int(found["zone_minutes"] or 0)
    if minutes >= _DAY:
        message = "a time zone is less than a day away from UTC"
        raise ValueError(message)
    return f"{found['sign']}{minutes // 60:02}:{minutes % 60:02}" if minutes else "Z"
