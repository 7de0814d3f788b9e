"""The READMEs of the examples show what krm-fn renders."""

import re
from pathlib import Path

import pytest

from krm_fn.render.render import render
from krm_fn.render.tools import HelmOptions

EXAMPLES = Path(__file__).parent.parent / "examples"


def rendered(example: str) -> str:
    files = tuple(str(EXAMPLES / example / name) for name in ("web.yaml", "config.yaml"))
    outcome = render(files, str(EXAMPLES / example / "krm-fn.yaml"), None, HelmOptions())
    assert not outcome.stderr
    return outcome.stdout.decode()


@pytest.mark.parametrize("example", ["from-wave", "from-reloader"])
def test_before_and_after(example: str) -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", (EXAMPLES / example / "README.md").read_text(), re.DOTALL)
    heading, *lines = block.splitlines()
    column = heading.index("# after")
    after = [line[column:].strip() for line in lines]
    assert len(after) > 8
    for line in after:
        assert line in rendered(example)


@pytest.mark.parametrize("example", ["from-wave", "from-reloader"])
def test_names_stay(example: str) -> None:
    for name in ("web-config", "web-db", "feature-flags"):
        assert re.search(f"^  name: {name}( |$)", rendered(example), re.MULTILINE)
    assert "immutable" not in rendered(example)
