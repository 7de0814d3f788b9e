"""The rows of a history, for a terminal and for Markdown."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from krm_fn.history.history import Entry
from krm_fn.history.statements import duration, write_referrers, write_state
from krm_fn.model.printable import printable

TITLES = ("BASE", "REVISION", "AGE", "REFERENCED BY", "STATE")


class Cells(NamedTuple):
    """One revision. The last two are in parts that stay together."""

    base: str
    revision: str
    age: str
    referrers: list[str]
    state: list[str]


def write_cells(entry: Entry, now: float) -> Cells:
    """Write what a row tells of a revision. An adopted object has no hash."""
    return Cells(
        write_base(entry),
        printable(entry.suffix) or "-",
        "" if entry.created is None else duration(now - entry.created),
        with_commas(write_referrers(entry)) or ["-"],
        with_commas(write_state(entry, now)),
    )


def by_base(entries: Iterable[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """Group entries, which are in order, by base name."""
    for base, group in groupby(entries, write_base):
        yield base, list(group)


def write_base(entry: Entry) -> str:
    """Write the base name; of a Secret, its kind too."""
    return printable(entry.base) + (f" ({entry.kind})" if entry.kind != "ConfigMap" else "")


def with_commas(parts: list[str]) -> list[str]:
    """Put a comma behind each part but the last, and before no `and`."""
    if not parts:
        return []
    following = [*parts[1:], "and "]
    pairs = zip(parts, following, strict=True)
    return [part if after.startswith("and ") else f"{part}," for part, after in pairs]
