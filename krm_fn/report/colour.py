"""How a text is emphasised on a terminal, and when.

Only the basic colours: the user's theme says how they look on light and on dark. Without them, the
words say the same.
"""

import re
from collections.abc import Mapping
from enum import Enum

SEQUENCE = re.compile("\x1b\\[[0-9;]*m")
"""What begins or ends a style. It takes no room on the screen."""

_LABEL = re.compile("^(error|warning|verified)(?=:(?: |$))", re.MULTILINE)


class Style(Enum):
    """The meaning of a text, and the codes (SGR) that begin and end it.

    One style may be within another.
    """

    ADDED = ("32", "39")
    REMOVED = ("31", "39")
    WARNING = ("33", "39")
    ERROR = ("1;31", "22;39")
    HEADING = ("1", "22")
    DIFFERENT = ("7", "27")


_LABELS = {"error": Style.ERROR, "warning": Style.WARNING, "verified": Style.ADDED}


def paint(text: str, style: Style) -> str:
    begin, end = style.value
    return f"\x1b[{begin}m{text}\x1b[{end}m" if text else text


def paint_labels(text: str) -> str:
    """Emphasise the word that begins a line and says how severe it is."""
    return _LABEL.sub(lambda found: paint(found[1], _LABELS[found[1]]), text)


def has_colour(
    environment: Mapping[str, str], *, is_terminal: bool, is_wanted: bool = False
) -> bool:
    """Tell whether to emphasise what is printed.

    `is_wanted`: somebody has said so, whatever the variables say.

    NO_COLOR is that of https://no-color.org, CLICOLOR_FORCE of https://bixense.com/clicolors, and
    FORCE_COLOR of https://force-color.org.
    Empty, they say nothing.
    """
    if is_wanted:
        return True
    if environment.get("NO_COLOR"):
        return False
    if {environment.get(name, "") for name in ("CLICOLOR_FORCE", "FORCE_COLOR")} - {"", "0"}:
        return True
    return is_terminal and environment.get("TERM", "dumb") != "dumb"
