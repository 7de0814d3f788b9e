"""All tests of the folder need other programs."""

from pathlib import Path

import pytest

from tests.integration.site import build_site
from tests.once import once


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.needs("the programs of users"))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site of the documentation."""
    return once(tmp_path_factory, "site", build_site)
