"""The folders in fixtures/verifications, and their inputs."""

from pathlib import Path

from tests.cases import FIXTURES
from tests.patched import read_patched

VERIFICATIONS = sorted((FIXTURES / "verifications").iterdir())


def read_input(case: Path) -> bytes:
    return read_patched(case / "input.yaml").encode()
