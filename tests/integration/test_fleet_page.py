"""The page of a fleet, in a real browser: at two widths, light and dark, by keyboard alone, and with a filter."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from krm_fn.report.table import Screen
from krm_fn.tools.fleet.build_fleet import FleetColumn, Silence, build_fleet, find_column
from krm_fn.tools.fleet.fleet import FleetFormat, write_fleet
from tests.cases import FIXTURES
from tests.history.cases import read_history
from tests.tools.require import require, require_node_packages
from tests.wait import PATIENCE

SIZES = ("wide-light", "wide-dark", "narrow-light", "narrow-dark")
SPEED = Path(__file__).with_name("fleet_speed.mjs")
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
    """Return what the browser saw of more columns than fit.

    Its pictures stay in the folder of the test run.
    """
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
    silent = FleetColumn(
        f"prod-{COLUMNS - 1}", "", silence=Silence.NO_ANSWER, reason="no response " * 20
    )
    folder = tmp_path_factory.mktemp("fleet")
    path = folder / "fleet.html"
    path.write_text(write_fleet(build_fleet([*columns, silent]), FleetFormat.HTML, Screen()))
    command = [
        "node",
        *map(str, (readers / "fleet.mjs", chromium, path, folder, json.dumps([*WORDS]))),
    ]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=PATIENCE)
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
    both, counts = (
        ["api-config", "web-config"],
        {what: look["output"] for what, look in found.items()},
    )
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


LARGE, PART = 400, 14
"""Columns of a large page, beside 20 rows; and how many of them are shown at a time."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what the browser saw of a table of 8,000 cells, word by word."""
    chromium, readers = require("chromium"), require_node_packages("diagrams")
    column = find_column(read_history(FIXTURES / "histories" / "a-paused-canary"), "prod")
    ((key, used),) = column.used.items()
    sets = [f"shop-{number}" for number in range(20)]
    of_all = {key._replace(set=name): used for name in sets}
    columns = [
        column._replace(cluster=f"prod-{one}", used=of_all, sets=frozenset(sets))
        for one in range(LARGE)
    ]
    path = tmp_path_factory.mktemp("large") / "fleet.html"
    path.write_text(write_fleet(build_fleet(columns), FleetFormat.HTML, Screen()))
    words = ["", ">#columns", "shop-3", "prod-39", "shop-3 prod-399", "canary", "b2nothing"]
    command = ["node", *map(str, (SPEED, readers, chromium, path, json.dumps(words)))]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=300)
    return json.loads(ran.stdout)


def test_a_part_of_a_large_table_is_shown_and_all_of_it_is_searched(large: Any) -> None:
    assert large["complaints"] == []
    look = {
        word: (one["cells"], one["parts"], one["output"].split(",")[0])
        for word, one in large["words"].items()
    }
    assert look == {
        "": (20 * PART, [f"columns 1 to {PART}"], "20 of 20 base names"),
        ">#columns": (20 * PART, [f"columns {PART + 1} to {2 * PART}"], "20 of 20 base names"),
        "shop-3": (50, ["columns 1 to 50"], "1 of 20 base names"),
        "prod-39": (20 * 11, [], "20 of 20 base names"),
        "shop-3 prod-399": (1, [], "1 of 20 base names"),
        "canary": (20 * PART, [f"columns 1 to {PART}"], "20 of 20 base names"),
        "b2nothing": (0, ["columns 1 to 50"], "0 of 20 base names"),
    }
    assert large["words"][">#columns"]["first"] == f"prod-{PART}"


def test_a_large_table_is_filtered_while_one_types(large: Any) -> None:
    """100 ms on a quiet machine.

    Ten seconds a letter, which is what all cells would take, are found on any.
    """
    assert max(one["cpu"] for one in large["words"].values()) < 1000


def test_light_and_dark_differ(seen: Any) -> None:
    assert len({tuple(seen["sizes"][size]["colours"]) for size in SIZES}) == 2
