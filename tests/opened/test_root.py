"""Where Argo CD's copy of a repository begins."""

from pathlib import Path

import pytest

from krm_fn.tools.common.files import find_root

ROOTS = [
    pytest.param("/copy/app", "app", "/copy", id="a folder of the repository"),
    pytest.param("/copy/apps/shop", "apps/shop", "/copy", id="a folder in a folder"),
    pytest.param("/copy/apps/shop", "./apps//shop/", "/copy", id="written in another way"),
    pytest.param("/copy/apps/shop", "apps/other/../shop", "/copy", id="with two dots"),
    pytest.param("/copy", ".", "/copy", id="the repository itself"),
    pytest.param("/copy", "", "/copy", id="no path"),
    pytest.param("/copy/app/below", "app", "/copy/app/below", id="a command that went elsewhere"),
    pytest.param("/copy/shop", "current", "/copy/shop", id="a path that is a link"),
    pytest.param("/copy/app", "../app", "/copy/app", id="a path that leads out"),
    pytest.param("/app", "/app", "/app", id="an absolute path"),
]


@pytest.mark.parametrize(("working", "source_path", "root"), ROOTS)
def test_the_root(working: str, source_path: str, root: str) -> None:
    assert find_root(Path(working), source_path) == Path(root)
