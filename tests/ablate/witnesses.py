"""The witness of each rule: a package whose output or messages change when the rule is switched off."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.ablate.corpus import Answered, Case

WITNESSES = Path(__file__).parent / "witnesses.yaml"
OUTPUT, MESSAGES = "output", "messages"


class Witness(NamedTuple):
    """A case, and what changes in it: the output, or only what is said about an object."""

    case: str
    changes: str


def find_change(before: Answered, after: Answered) -> str:
    """Return what a rule that is off changes: the output counts more. Nothing: `""`."""
    if before.written != after.written:
        return OUTPUT
    return MESSAGES if before.said != after.said else ""


def find_witnesses(base: Mapping[str, Answered], cases: list[Case]) -> Iterator[Witness]:
    """Run the function over the cases again, and yield those in which something changes."""
    for case in cases:
        change = find_change(base[case.key], case.run())
        if change:
            yield Witness(case.key, change)


def read_witnesses() -> dict[str, Witness]:
    """Read the recorded witness of each rule."""
    recorded = yaml.load(WITNESSES.read_text(), yaml.CSafeLoader)
    return {name: Witness(**row) for name, row in recorded.items()}


def write_witnesses(table: Mapping[str, Witness]) -> None:
    """Record the witness of each rule."""
    rows = {name: one._asdict() for name, one in table.items()}
    WITNESSES.write_text(yaml.safe_dump(rows, sort_keys=False, width=200))
