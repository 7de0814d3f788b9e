"""The page of a graph, in a real browser: at two widths, light and dark, by keyboard alone."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import krm_fn
from tests.graph.cases import GRAPHS, draw
from tests.graph.read_forms import read_html
from tests.integration.site import ROOT
from tests.tools.require import require, require_node_packages
from tests.wait import PATIENCE

SIZES = ("wide-light", "wide-dark", "narrow-light", "narrow-dark")

each_size = pytest.mark.parametrize("size", SIZES)


@pytest.fixture(scope="module", params=GRAPHS, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Path:
    assert isinstance(request.param, Path)
    return request.param


@pytest.fixture(scope="module")
def page(case: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(case)
        return draw(case, "html").stdout.decode()


@pytest.fixture(scope="module")
def seen(case: Path, page: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what the browser saw. Its pictures stay in the folder of the test run."""
    return look(page, tmp_path_factory.mktemp(case.name))


def look(page: str, folder: Path) -> Any:
    chromium, readers = require("chromium"), require_node_packages("diagrams")
    path = folder / "graph.html"
    path.write_text(page)
    command = ["node", *map(str, (readers / "browse.mjs", chromium, path, folder))]
    ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=PATIENCE)
    assert len([*folder.glob("*.png")]) == 2 * len(SIZES)
    return json.loads(ran.stdout)


def test_nothing_is_complained_about_or_fetched(seen: Any) -> None:
    assert seen["complaints"] == []
    assert all(url.startswith("file:") and "graph.html" in url for url in seen["requests"])


@each_size
def test_everything_is_in_view(seen: Any, page: str, size: str) -> None:
    nodes, edges = read_html(page)
    for look in (seen["sizes"][size], seen["sizes"][size]["opened"]):
        assert look["overflow"] <= 0
        assert look["clipped"] == []
        assert len(look["cards"]) == len(nodes)
        assert look["arrows"] == (len(edges) if size.startswith("wide") else 0)
        assert look["scripts"] == 1


@each_size
def test_the_keyboard_reaches_and_opens_every_object(seen: Any, page: str, size: str) -> None:
    keyboard = seen["sizes"][size]["keyboard"]
    ids = [f"n{position}" for position, _, _ in read_html(page).nodes]
    assert [one["id"] for one in keyboard["visited"]] == ids
    assert all(one["tag"] == "SUMMARY" and one["outline"] == "solid" for one in keyboard["visited"])
    assert keyboard["open"] == ids[-1:]


@each_size
def test_a_link_opens_a_neighbour(seen: Any, page: str, size: str) -> None:
    keyboard = seen["sizes"][size]["keyboard"]
    last = len(read_html(page).nodes) - 1
    neighbours = {
        f"#n{one + other - last}" for one, other, _ in read_html(page).edges if last in {one, other}
    }
    if neighbours:
        assert keyboard["link"] in neighbours
        assert keyboard["followed"] == keyboard["link"].removeprefix("#")
        assert {*keyboard["opened"]} == {f"n{last}", keyboard["followed"]}


def test_light_and_dark_differ_and_have_contrast(seen: Any) -> None:
    colours = {size: seen["sizes"][size]["colours"] for size in SIZES}
    assert colours["wide-light"] != colours["wide-dark"]
    for text, ground in colours.values():
        lights = sorted(map(_luminance, (text, ground)))
        assert (lights[1] + 0.05) / (lights[0] + 0.05) >= 7


def _luminance(colour: str) -> float:
    """Return the relative luminance, as WCAG 2.2 defines it."""
    values = [int(value) / 255 for value in re.findall(r"\d+", colour)]
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_package_of_an_object_has_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    for name in ("api", "web"):
        shutil.copytree(ROOT / "examples/canary", tmp_path / "apps" / name)
    done = krm_fn("graph", "apps/*", "-ohtml", cwd=tmp_path)
    assert done.returncode == 0
    lines = look(done.stdout, tmp_path / "pictures")["sizes"]["wide-light"]["lines"]
    assert len(lines) > 10
    assert {card[-1] for card in lines} == {"apps/api", "apps/web"}
