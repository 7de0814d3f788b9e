"""docs/glossary.md has each word of ours that a reader meets in the first hour, and none that no page uses.

The words are not listed here: they are found where krm-fn and the first pages say them.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base.settings import Strategy
from krm_fn.tools.diff.difference import Risk

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs/glossary.md").read_text()
ENTRIES = [
    entry.split(", ") for entry in re.findall(r"^\| ([^|]+?) \|", GLOSSARY, re.MULTILINE)[1:]
]
_BLOCK = re.compile(r"^```(?:console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ENDING = re.compile(r"(?:ing|ed|es|s|e|d)$")


def _start(nav: list[Any]) -> Iterator[str]:
    """Yield the pages of the group `Start` among the how-tos."""
    (how_to,) = (one["How to"] for one in nav if "How to" in one)
    (start,) = (one["Start"] for one in how_to if "Start" in one)
    for page in start:
        yield from page.values()


NAV = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
FIRST_PAGES = [
    ROOT / "README.md",
    *(ROOT / "docs" / page for page in ("tutorial.md", "concepts.md", "migration.md", "how-to.md")),
    *(ROOT / "docs" / page for page in _start(NAV)),
]
FIRST_TEXT = "\n".join(page.read_text() for page in FIRST_PAGES)
SHOWN = "\n".join(_BLOCK.findall(FIRST_TEXT))
OTHER_PAGES = "\n".join(
    page.read_text()
    for page in (ROOT / "docs").rglob("*.md")
    if page.name != "glossary.md" and page.parent.name != "decisions"
)


def stem(term: str) -> str:
    """Return the term without the ending of its last word: `renamed` and `rename` are one."""
    return _ENDING.sub("", term.lower().replace("-", " "))


NAMES = {stem(name) for entry in ENTRIES for name in entry}


def is_explained(term: str) -> bool:
    """Return whether there is an entry for the term, or for its last word: `with a checksum`."""
    return bool({stem(term), stem(term.rsplit(maxsplit=1)[-1])} & NAMES)


def outcomes() -> Iterator[str]:
    """Yield what stands in the column OUTCOME, wherever a table of `init` or `explain` is recorded."""
    recorded = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "tests/pages/tasks").glob("*.md")]
    recorded += (ROOT / "fixtures/explanations").rglob("explanation.txt")
    for file in recorded:
        for table in re.findall(r"^OUTCOME .*\n((?:.+\n)+)", file.read_text(), re.MULTILINE):
            yield from re.findall(r"^(\S+(?: \S+)*)  ", table, re.MULTILINE)


def states() -> Iterator[str]:
    """Yield what `history` says of a revision: the words before the first one that is no state."""
    for table in re.findall(r"^BASE .*STATE\n((?:.+\n)+)", SHOWN, re.MULTILINE):
        for line in table.splitlines():
            *_, state = re.split(r"  +", line)
            yield from (one.removeprefix("in ") for one in state.split(", ") if " with " not in one)


SOURCES: dict[str, Callable[[], set[str]]] = {
    "a value of strategy": lambda: {*Strategy},
    "a risk of --fail-on": lambda: {*Risk},
    "an outcome of init and explain": lambda: {*outcomes()},
    "a state of a revision in history": lambda: {
        one for one in states() if not one.startswith("goes when ")
    },
    "what diff says of a workload": lambda: {
        *re.findall(r"^  ([a-z]+) [A-Z]\w+/", SHOWN, re.MULTILINE)
    },
    "a term where it is defined": lambda: {
        *re.findall(r"\b(?:[Aa]n?|[Tt]he) \*\*?([a-z][a-z ]+)\*\*?(?! [A-Z])", FIRST_TEXT)
    },
    "a label or an annotation, but where a table explains it": lambda: {
        one
        for line in FIRST_TEXT.splitlines()
        if not line.startswith("| `revisions.krm-fn.io/")
        for one in re.findall(r"revisions\.krm-fn\.io/([a-z][a-z-]+)", line)
    },
}


@pytest.mark.parametrize("source", SOURCES)
def test_each_word_of_the_first_hour_is_explained(source: str) -> None:
    words = SOURCES[source]()
    assert words, "nothing is found any more where it was said"
    assert {word for word in words if not is_explained(word)} == set()


@pytest.mark.parametrize("names", ENTRIES, ids=lambda names: names[0])
def test_each_entry_is_a_word_of_some_page(names: list[str]) -> None:
    words = "|".join(re.escape(_ENDING.sub("", name)) for name in names)
    assert re.search(rf"\b(?:{words})", OTHER_PAGES, re.IGNORECASE)


def test_the_entries_are_in_order() -> None:
    first = [names[0].lower() for names in ENTRIES]
    assert first == sorted(first)
    assert len(NAMES) == sum(map(len, ({*map(stem, names)} for names in ENTRIES)))


def test_a_word_without_an_entry_is_found() -> None:
    assert not is_explained("door")
    assert is_explained("with a checksum")
    assert is_explained("renamed")
