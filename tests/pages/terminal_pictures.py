"""Pictures of what krm-fn prints at a light and at a dark terminal.

`python -m tests.pages.terminal_pictures --write` writes them.
"""

import json
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from krm_fn.report.colour import Style
from krm_fn.report.table import Screen
from krm_fn.tools.diff.write_difference import write_text
from krm_fn.tools.history.history import HistoryFormat, write_history
from tests.cases import FIXTURES
from tests.diff.read_json import read_json
from tests.history.cases import read_history

FOLDER = Path(__file__).parents[2] / "docs/images"
DIFF = FIXTURES / "diffs/a-changed-key-rolls-its-rollout"
HISTORY = FIXTURES / "histories/a-missing-revision"

WIDTH, HEIGHT, MARGIN = 8.4, 20, 14
"""Of a character, of a line, and around a terminal."""

COLUMNS = 80

_FONT = "14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


class Theme(NamedTuple):
    """The colours of a terminal."""

    background: str
    text: str
    colours: dict[str, str]


THEMES = {
    "light": Theme("#ffffff", "#333333", {"31": "#cd3131", "32": "#107c10", "33": "#7a5c00"}),
    "dark": Theme("#1e1e1e", "#cccccc", {"31": "#f14c4c", "32": "#23d18b", "33": "#e5e510"}),
}


class Run(NamedTuple):
    """Neighbours in one style. `codes` are those that are in force."""

    column: int
    text: str
    codes: frozenset[str]


def read_runs(line: str) -> Iterator[Run]:
    """Read a line as a terminal does."""
    ends = {style.value[1]: style.value[0] for style in Style}
    codes: set[str] = set()
    column = 0
    for part in re.split("(\x1b\\[[0-9;]*m)", line):
        if not part.startswith("\x1b"):
            yield Run(column, part, frozenset(codes))
            column += len(part)
        elif part[2:-1] == "39":
            codes -= {"31", "32", "33"}
        elif part[2:-1] in ends:
            codes.discard(ends[part[2:-1]])
        else:
            codes.add(part[2:-1])


def draw(title: str, printed: str) -> str:
    """Draw a terminal of each theme, one below the other."""
    lines = printed.splitlines()
    width = round(COLUMNS * WIDTH) + 2 * MARGIN
    height = len(lines) * HEIGHT + 2 * MARGIN
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {2 * height}" role="img">',
        f"  <title>{escape(title)}</title>",
        f"  <style>text {{ font: {_FONT}; white-space: pre; }}</style>",
    ]
    for number, theme in enumerate(THEMES.values()):
        top = number * height
        drawn.append(
            f'  <rect y="{top}" width="{width}" height="{height}" fill="{theme.background}"/>'
        )
        for row, line in enumerate(lines):
            baseline = top + MARGIN + row * HEIGHT + 15
            drawn += (
                f"  {shape}" for run in read_runs(line) for shape in _draw_run(run, baseline, theme)
            )
    return "\n".join([*drawn, "</svg>", ""])


def _draw_run(run: Run, baseline: int, theme: Theme) -> Iterator[str]:
    if not run.text.strip():
        return
    x, length = round(MARGIN + run.column * WIDTH, 1), round(len(run.text) * WIDTH, 1)
    colour = next((theme.colours[code] for code in run.codes if code in theme.colours), theme.text)
    if "7" in run.codes:
        yield f'<rect x="{x}" y="{baseline - 15}" width="{length}" height="{HEIGHT}" fill="{colour}"/>'
        colour = theme.background
    bold = ' style="font-weight: bold"' if "1" in run.codes else ""
    yield f'<text x="{x}" y="{baseline}" textLength="{length}" fill="{colour}"{bold}>{escape(run.text)}</text>'


def find_pictures() -> Iterator[tuple[Path, str]]:
    """Yield each picture with the file that it is in."""
    screen = Screen(COLUMNS, has_colour=True)
    difference = read_json(json.loads((DIFF / "diff.json").read_text()))
    printed = {
        "diff": write_text(difference, screen),
        "history": write_history(read_history(HISTORY), HistoryFormat.TEXT, screen),
    }
    for command, text in printed.items():
        yield (
            FOLDER / f"{command}-at-a-terminal.svg",
            draw(f"krm-fn {command} at a light and at a dark terminal", text),
        )


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    for file, picture in find_pictures():
        file.write_text(picture)
