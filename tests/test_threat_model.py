"""docs/threat-model.md names tests and variables that exist."""

import re
from pathlib import Path

import pytest

from krm_fn.config.pins import PINNABLE

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/threat-model.md").read_text()


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`((?:tests|examples)/[^`]+)`", PAGE))))
def test_what_it_names_is_there(named: str) -> None:
    assert (ROOT / named).exists()


def test_it_lists_every_pin() -> None:
    listed = re.findall(r"^\| `(KRM_FN_\w+)` \| `spec\.linker\.(\w+)`", PAGE, re.MULTILINE)
    assert dict(listed) == {name: field.name for name, field in PINNABLE.items() if name.startswith("KRM_FN_")}
