"""The site of the documentation: complete, without a dead link, and looked at in a real browser."""

import json
import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from krm_fn import __version__
from tests.integration.searches import MISSES, SEARCHES
from tests.integration.site import ROOT, serve
from tests.pages.messages import read_messages
from tests.tools.require import require, require_node_packages

HOME = "https://krm-fn.io/"


class _Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.add(value)
            if name in {"href", "src"} and value and tag != "link":
                self.links.add(value)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, _Page]:
    """Return the pages by the end of their URL."""
    files = sorted(site.rglob("index.html"))
    return {
        file.parent.relative_to(site).as_posix().removeprefix(".") + "/": _Page(file.read_text())
        for file in files
    }


def test_every_page_of_docs_is_there(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix("") / "index.html").exists(), (
            page
        )


def test_every_page_is_in_the_navigation(site: Path) -> None:
    listed = _Page((site / "index.html").read_text()).links
    for page in (ROOT / "docs").rglob("*.md"):
        assert f"{page.relative_to(ROOT / 'docs').with_suffix('').as_posix()}/" in listed


def test_every_schema_is_where_its_id_says(site: Path) -> None:
    schemas = sorted((ROOT / "schemas").glob("*.json"))
    assert schemas
    for schema in schemas:
        path = json.loads(schema.read_text())["$id"].removeprefix(HOME)
        assert (site / path).read_bytes() == schema.read_bytes()


def test_no_link_is_dead(site: Path, pages: dict[str, _Page]) -> None:
    assert sorted(_dead(site, pages)) == []


def _dead(site: Path, pages: dict[str, _Page]) -> Iterator[str]:
    for name, page in pages.items():
        for link in page.links:
            target, fragment = urldefrag(urljoin(f"{HOME}{name.lstrip('/')}", link))
            if not target.startswith(HOME):
                continue
            path = unquote(urlsplit(target).path).lstrip("/")
            found = site / path
            there = (found / "index.html" if found.is_dir() else found).exists()
            anchors = (
                pages[f"{path.rstrip('/')}/"].anchors if there and found.is_dir() else {fragment}
            )
            if not there or (fragment and fragment not in anchors):
                yield f"{name}: {link}"


def test_links_to_elsewhere_are_safe(pages: dict[str, _Page]) -> None:
    elsewhere = {link for page in pages.values() for link in page.links if re.match(r"\w+:", link)}
    assert not [link for link in elsewhere if not link.startswith(("https://", "mailto:"))]


@pytest.fixture(scope="module")
def seen(site: Path, pages: dict[str, _Page], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what the browser saw. Its pictures stay in the folder of the test run."""
    chromium, scripts = require("chromium"), require_node_packages("diagrams")
    folder = tmp_path_factory.mktemp("pictures")
    shown = [name.lstrip("/") for name in pages if not name.startswith("decisions/")]
    with serve(site) as url:
        lists = (json.dumps(shown), json.dumps([*SEARCHES]))
        command = ["node", str(scripts / "site.mjs"), str(chromium), url, str(folder), *lists]
        ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=600)
    assert len([*folder.glob("*.png")]) == 2 * len(shown)
    return json.loads(ran.stdout)


def test_nothing_is_complained_about_or_fetched_from_elsewhere(seen: Any) -> None:
    assert (seen["complaints"], seen["elsewhere"]) == ([], [])


def test_everything_is_in_view_and_nothing_is_raw_markdown(seen: Any) -> None:
    assert (seen["overflow"], seen["raw"]) == ({}, {})


def test_no_option_is_broken_after_a_hyphen(seen: Any) -> None:
    assert seen["broken"] == {}


def test_on_a_phone_each_cell_says_its_column(site: Path, seen: Any) -> None:
    assert '<td data-label="On prune">' in (site / "deployers/index.html").read_text()
    assert seen["unlabelled"] == {}


def test_nobody_scrolls_sideways_to_read_code(seen: Any) -> None:
    assert seen["sideways"] == {}


def test_a_page_says_its_version_and_leads_to_its_file(site: Path) -> None:
    for page, file in {
        "index.html": "README.md",
        "faq/index.html": "docs/faq.md",
        "SECURITY/index.html": "SECURITY.md",
    }.items():
        text = (site / page).read_text()
        assert f"krm-fn {__version__}" in text
        assert f'href="https://github.com/krm-fn/krm-fn/edit/main/{file}"' in text
        assert (ROOT / file).is_file()


def test_each_frequent_message_is_an_entry_of_the_search(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text())["docs"]
    found = [one for one in index if one["location"].startswith("troubleshooting/#")]
    assert len(found) >= len([one for one in read_messages() if one.is_frequent])


def test_a_search_finds_a_page_that_helps(seen: Any) -> None:
    """It is among the first three. The misses are named, so that their number only ever falls."""
    misses = {
        words
        for words, helpful in SEARCHES.items()
        if set(helpful.split()).isdisjoint(_pages(seen["found"][words])[:3])
    }
    assert misses == MISSES
    assert len(MISSES) <= 6


def _pages(links: list[str]) -> list[str]:
    """Return the last folder of each page, once."""
    return [*dict.fromkeys(PurePosixPath(urlsplit(link).path).name or "index" for link in links)]
