"""Read the locks, which `make lock` writes."""

import re
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = Path(__file__).parents[2] / "locks"


class Pin(NamedTuple):
    """One package of a lock."""

    requirement: Requirement
    hashes: list[str]
    is_direct: bool

    @property
    def version(self) -> str:
        """Return the one version that the pin allows."""
        (specifier,) = self.requirement.specifier
        assert specifier.operator == "=="
        return specifier.version


def read_lock(name: str) -> dict[str, Pin]:
    """Return the packages of a lock by their names."""
    text = (LOCKS / name).read_text()
    # A package is a line that is not indented, and what follows it: its hashes, and comments that
    # say who needs it.
    entries = re.findall(r"^([a-z0-9].*?) \\\n((?:[ ].*\n)+)", text, re.MULTILINE)
    assert len(entries) == len(re.findall("^[^ #\n]", text, re.MULTILINE))
    pins = [
        Pin(
            Requirement(what),
            re.findall(r"--hash=sha256:[0-9a-f]{64}\b", rest),
            "(pyproject.toml" in rest,
        )
        for what, rest in entries
    ]
    return {canonicalize_name(pin.requirement.name): pin for pin in pins}
