"""README.md is short, in the order that a reader in a hurry needs, and true."""

import re
import shutil
from pathlib import Path

import pytest

from krm_fn.cli.main import krm_fn as group
from krm_fn.cli.main import main
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.opened.sources import Inputs
from tests.render.run import render

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
SECTIONS = [
    "For whom",
    "Install",
    "With kustomize",
    "The settings that matter",
    "What you see",
    "Limits",
    "More",
]


def test_it_is_short_and_in_order() -> None:
    assert len(README.splitlines()) <= 120
    assert len(README.split()) <= 800
    assert re.findall(r"^## (.+)$", README, re.MULTILINE) == SECTIONS


def test_the_first_screen_has_the_picture_and_what_to_type() -> None:
    first = README.partition("\n```")[0].splitlines()
    assert len(first) <= 20
    assert "![" in "".join(first[:12])
    commands = [line.split("#")[0].split() for line in first if line.startswith("    ")]
    assert [command[0] for command in commands] == ["pipx", "krm-fn", "krm-fn"]
    for _, name, *words in commands[1:]:
        options = {one for parameter in group.commands[name].params for one in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options


def test_it_says_how_to_see_an_example_and_how_to_run_all_tests() -> None:
    for target in re.findall(r"^    make (\S+)", README, re.MULTILINE):
        assert re.search(f"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"demo", "test"} <= {*re.findall(r"^    make (\S+)", README, re.MULTILINE)}


def test_the_example_is_what_is_rendered() -> None:
    example = README.partition("```diff\n")[2].partition("```")[0]
    told = [
        line[1:].strip().replace("comments stay", "the whole of it")
        for line in example.splitlines()
        if line[0] == "+"
    ]
    assert len(told) == 3
    files = [str(ROOT / "examples/canary" / name) for name in ("web.yaml", "config.yaml")]
    text = rendered(*files, config=str(ROOT / "examples/canary/krm-fn.yaml"))
    for line in told:
        assert line in text


def test_what_commands_show_is_what_they_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = dict(re.findall(r"^```console\n\$ krm-fn (.+)\n((?:.+\n)+)```$", README, re.MULTILINE))
    assert [*shown] == ["diff main.yaml examples/kpt", "history -n shop"]
    shutil.copytree(ROOT / "examples/kpt", tmp_path / "examples/kpt")
    monkeypatch.chdir(tmp_path)
    config = Path("examples/kpt/config.yaml")
    Path("main.yaml").write_text(rendered("examples/kpt"))
    config.write_text(config.read_text().replace("LOG_LEVEL: info", "LOG_LEVEL: debug"))
    assert printed("diff main.yaml examples/kpt") == shown["diff main.yaml examples/kpt"]
    # The tutorial's commands are run on a cluster.
    assert shown["history -n shop"] in (ROOT / "docs/tutorial.md").read_text()


def rendered(*paths: str, config: str = "") -> str:
    return render(Inputs(paths, config), HelmOptions()).stdout.decode()


def printed(words: str) -> str:
    return main(words.split()).stdout.decode()
