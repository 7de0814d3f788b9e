"""What a person reads: text that others wrote, safe to show, and numbers of things."""

import sys
from collections.abc import Collection, Iterable

_MOST_OTHERS = 5


def printable(text: str) -> str:
    r"""Return the text as one line in which nothing is hidden. What does not print is escaped: `\x1b`, `\n`, `\u202e`.

    Names of files and objects come from anybody. Printed as they are, they could clear a terminal, reverse its text, or
    add a line that looks like ours.
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def count(number: int, what: str) -> str:
    """Write `1 pod`, `3 pods`, `1,200 pods`."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def listing(
    items: Iterable[str], most: int = sys.maxsize, separator: str = ", ", mark: str = "", *, is_sentence: bool = False
) -> str:
    """Join the first items, and count the others behind a mark such as a comma: `a, b, c and 497 more`.

    `is_sentence`: where none is left out, `and` stands before the last one, as in `a, b and c`.
    """
    every = [*items]
    if len(every) > most:
        return f"{separator.join(every[:most])}{mark} and {len(every) - most} more"
    *others, last = every or [""]
    if not others:
        return last
    return f"{separator.join(others)}{' and ' if is_sentence else separator}{last}"


def read_list(text: str) -> list[str]:
    """Read a comma list. Blanks around an entry do not count, nor does an entry without anything else."""
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def with_commas(items: Iterable[str]) -> list[str]:
    """Add a comma to all but the last, so that a line may break behind each."""
    *others, last = items
    return [*(f"{one}," for one in others), last]


def camel_case(name: str) -> str:
    """Write `present_name` as a field of YAML or JSON: `presentName`."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def and_others(others: Collection[str]) -> str:
    """Say behind a message about one thing that it is true of others: `; the same holds for b, c and d`."""
    return f"; the same holds for {listing(others, _MOST_OTHERS, mark=',', is_sentence=True)}" if others else ""


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # Python's stand-in for a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
