"""What kustomize would fetch. tests/integration/test_remote.py asks kustomize itself about the same paths."""

import pytest

from krm_fn.tools.builds.kustomization import is_remote_file, is_repository
from tests.builds.remote_paths import LOCAL, LOCAL_FILES, REMOTE_FILES, REPOSITORIES


@pytest.mark.parametrize("path", REPOSITORIES)
def test_a_repository(path: str) -> None:
    assert is_repository(path)


@pytest.mark.parametrize("path", LOCAL)
def test_no_repository(path: str) -> None:
    assert not is_repository(path)


@pytest.mark.parametrize("path", REMOTE_FILES)
def test_a_remote_file(path: str) -> None:
    assert is_remote_file(path)


@pytest.mark.parametrize("path", LOCAL_FILES)
def test_no_remote_file(path: str) -> None:
    assert not is_remote_file(path)
