"""The Markdown of a history says what the recorded text says.

No text of others is more than text in it.
"""

import re
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from krm_fn.report.table import Screen
from krm_fn.tools.common.revision_history import (
    History,
    LinkerJob,
    SetHistory,
    Unseen,
    WorkloadHistory,
)
from krm_fn.tools.history.history import (
    TITLES,
    HistoryFormat,
    write_history,
    write_history_markdown,
)
from tests.history.cases import HISTORIES as RECORDED
from tests.history.cases import read_history
from tests.linker.object_store import NOON

ACTIVE = "@team *bold* [link](https://example.com) | cell <b> `code` #1 ~~x~~ _y_"
SET = SetHistory("shop", (), (), has_inventory=True, job=None)
ROLLOUT = WorkloadHistory(
    "Rollout", "web", is_done=False, situation="paused", reason=ACTIVE, templates=()
)
JOB = LinkerJob("link", NOON, NOON, ACTIVE)

HISTORIES = [
    pytest.param(
        History("shop", NOON, (SET._replace(workloads=(ROLLOUT,)),)),
        id="the reason of a controller",
    ),
    pytest.param(History("shop", NOON, (SET._replace(job=JOB),)), id="the failure of a Job"),
    pytest.param(
        History("shop", NOON, (), (Unseen("widgets", ACTIVE, ""),)), id="an error of the API server"
    ),
    pytest.param(History("shop", NOON, (), (Unseen("widgets", "", ACTIVE),)), id="a rule"),
]


@pytest.mark.parametrize("history", HISTORIES)
def test_text_of_others_is_only_text(history: History) -> None:
    (note,) = (
        line for line in write_history_markdown(history).splitlines() if line.startswith("- ")
    )
    sentence = note.removeprefix("- ").partition(": `kubectl")[0]
    assert "<span>&#64;</span>team" in sentence
    assert not re.search(r"[@*\[|<`~_]", re.sub("&#[0-9]+;|</?span>", "", sentence))


class Said(NamedTuple):
    """The rows of the tables, what differs between neighbours, and the notes with their commands."""

    rows: list[list[str]]
    changes: list[str]
    notes: list[str]


def read_markdown(text: str) -> Said:
    """Read what GitHub shows."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    rows: list[list[str]] = []
    changes: list[str] = []
    notes, is_in_list = [], False
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("bullet_list_open", "bullet_list_close"):
            is_in_list = token.type == "bullet_list_open"
        elif token.type == "inline" and is_in_list:
            notes.append(_shown(token))
        elif token.type == "inline" and token.level > 1:
            rows[-1].append(_shown(token))
        elif token.type == "fence":
            changes += token.content.splitlines()
        elif heading := re.match(
            "<details><summary><code>(.*)</code></summary>$", token.content.strip()
        ):
            changes.append(unescape(heading[1]))
    return Said(rows, changes, notes)


def _shown(inline: Token) -> str:
    """Return the text. A tag around a character keeps a forge from a link, and shows nothing."""
    return "".join(one.content for one in inline.children or () if one.type != "html_inline")


def read_text(text: str) -> Said:
    """Read a text in which no line is folded.

    A base name that is the one above is left out there.
    """
    rows: list[list[str]] = []
    said = Said(rows, [], [])
    columns: list[int] = []
    above = ""
    for line in text.splitlines():
        if line.startswith(TITLES[0]):
            columns = [line.index(title) for title in TITLES]
            rows.append([title.capitalize() for title in TITLES])
        elif not line or (line.startswith("Set ") and line.count(" ") == 1):
            columns = []
        elif columns:
            cells = [
                line[start:end].strip()
                for start, end in zip(columns, [*columns[1:], None], strict=True)
            ]
            above = cells[0] or above
            rows.append([above, *cells[1:]])
        elif re.match(r"\w+ \S+: .* -> ", line):
            said.changes.append(line)
        elif re.match(r"  (?!kubectl|krm-fn)", line):
            said.changes.append(line[2:])
        elif line.startswith("  "):
            said.notes[-1] += line[1:]
        else:
            said.notes.append(line)
    return said


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case.name)
def test_it_says_what_the_text_says(case: Path) -> None:
    history = read_history(case)
    text = write_history(history, HistoryFormat.TEXT, Screen(width=10_000))
    assert read_markdown(write_history_markdown(history)) == read_text(text)
