"""README.md is short, in the order that a reader in a hurry needs, and true."""

import re
from pathlib import Path

from krm_fn.render.render import render
from krm_fn.render.sources import Inputs
from krm_fn.render.tools import HelmOptions

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
SECTIONS = [
    "Install",
    "One minute with your deployer",
    "Before the first sync",
    "The settings that matter",
    "What happens in the cluster",
    "Compared with others",
    "Limits",
    "More",
]


def test_it_is_short_and_in_order() -> None:
    assert len(README.splitlines()) <= 150
    assert re.findall(r"^## (.+)$", README, re.MULTILINE) == SECTIONS


def test_it_says_how_to_see_an_example_and_how_to_run_all_tests() -> None:
    for target in re.findall(r"^    make (\S+)", README, re.MULTILINE):
        assert re.search(f"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"demo", "test"} <= {*re.findall(r"^    make (\S+)", README, re.MULTILINE)}


def test_the_example_is_what_is_rendered() -> None:
    files = tuple(str(ROOT / "examples/canary" / name) for name in ("web.yaml", "config.yaml"))
    rendered = render(Inputs(files, str(ROOT / "examples/canary/krm-fn.yaml")), HelmOptions()).stdout.decode()
    after = [line[43:] for line in README.splitlines() if len(line) > 43 and line[:43].rstrip() != line.rstrip()]
    told = [line.strip() for line in after if re.match(r" *(name|revisions\S+|argocd\S+|immutable|LOG_LEVEL): ", line)]
    assert told
    for line in told:
        assert line.replace("all of it", "the whole of it") in rendered
