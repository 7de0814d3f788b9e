"""The page of a fleet, in a real browser: at two widths, light and dark, by keyboard alone, and with a filter."""

import json
import subprocess
from typing import Any

import pytest

from krm_fn.report.table import Screen
from krm_fn.tools.fleet.fleet import FleetColumn, Silence, build_fleet, find_column
from krm_fn.tools.fleet.write_fleet import FleetFormat, write_fleet
from tests.cases import FIXTURES
from tests.history.cases import read_history
from tests.tools.require import require, require_node_packages

SIZES = ("wide-light", "wide-dark", "narrow-light", "narrow-dark")
COLUMNS = 12
WORDS = {
    "config": "a base name",
    "prod-11": "a cluster",
    "config prod-1": "base names and clusters",
    "canary": "a state",
    "b2nothing": "nothing",
    " ": "what differs",
}

each_size = pytest.mark.parametrize("size", SIZES)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what the browser saw of more columns than fit. Its pictures stay in the folder of the test run."""
    chromium, readers = require("chromium"), require_node_packages("diagrams")
    cases = {3: "two-sets-share-a-namespace", 5: "a-deployment-that-is-done"}
    names = {0: "arn:aws:eks:eu-west-1:123456789012:cluster/prod-0"}
    columns = [
        find_column(
            read_history(FIXTURES / "histories" / cases.get(number, "a-paused-canary")),
            names.get(number, f"prod-{number}"),
        )
        for number in range(COLUMNS - 1)
    ]
    silent = FleetColumn(f"prod-{COLUMNS - 1}", "", silence=Silence.NO_ANSWER, reason="no response " * 20)
    folder = tmp_path_factory.mktemp("fleet")
    path = folder / "fleet.html"
    path.write_text(write_fleet(build_fleet([*columns, silent]), FleetFormat.HTML, Screen()))
    command = ["node", *map(str, (readers / "fleet.mjs", chromium, path, folder, json.dumps([*WORDS])))]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120)
    assert len([*folder.glob("*.png")]) == 2 * len(SIZES)
    return json.loads(ran.stdout)


def test_nothing_is_complained_about_or_fetched(seen: Any) -> None:
    assert seen["complaints"] == []
    assert all(url.startswith("file:") and url.endswith("fleet.html") for url in seen["requests"])


@each_size
def test_everything_is_in_view(seen: Any, size: str) -> None:
    """On a wide screen, the table scrolls in its place; on a narrow one, cells are below each other."""
    look = seen["sizes"][size]
    assert look["overflow"] <= 0
    assert look["clipped"] == []
    assert look["rows"] == ["api-config", "web-config"]
    if size.startswith("wide"):
        assert len(look["columns"]) == COLUMNS
        assert look["inside"] > 0
        assert look["labels"] == []
    else:
        assert look["columns"] == []
        assert look["inside"] <= 0
        assert len(look["labels"]) == look["cells"]


@each_size
def test_the_keyboard_reaches_the_filter_and_the_table(seen: Any, size: str) -> None:
    keyboard = seen["sizes"][size]["keyboard"]
    assert [one["id"] for one in keyboard["visited"]] == ["filter", "different", "fleet", "filter"]
    assert all(one["outline"] == "solid" for one in keyboard["visited"])
    assert (keyboard["scrolled"] > 0) is size.startswith("wide")


@each_size
def test_a_filter_leaves_what_its_words_mean(seen: Any, size: str) -> None:
    found = {WORDS[word]: look for word, look in seen["sizes"][size]["filtered"].items()}
    both, counts = ["api-config", "web-config"], {what: look["output"] for what, look in found.items()}
    assert {what: look["rows"] for what, look in found.items()} == {
        "a base name": both,
        "a cluster": both,
        "base names and clusters": both,
        "a state": ["web-config"],
        "nothing": [],
        "what differs": ["web-config"],
    }
    assert counts == {
        "a base name": "2 of 2 base names, 12 of 12 columns",
        "a cluster": "2 of 2 base names, 1 of 12 columns",
        "base names and clusters": "2 of 2 base names, 3 of 12 columns",
        "a state": "1 of 2 base names, 12 of 12 columns",
        "nothing": "0 of 2 base names, 12 of 12 columns",
        "what differs": "1 of 2 base names, 12 of 12 columns",
    }
    assert all(look["overflow"] <= 0 for look in found.values())


def test_light_and_dark_differ(seen: Any) -> None:
    assert len({tuple(seen["sizes"][size]["colours"]) for size in SIZES}) == 2
