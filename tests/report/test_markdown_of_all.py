"""In all Markdown that the commands write, hostile names are text: as GitHub renders it and then reads it.

The names are those that an API server accepts, in the place of the names of every fixture.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from krm_fn.cli.main import main
from krm_fn.tools.history.history import write_history_markdown
from tests.cases import FIXTURES
from tests.history.cases import HISTORIES, read_history
from tests.patched import read_patched
from tests.report.test_markdown import OF_THE_FORGE, seen

TAGS = {
    *("p", "span", "strong", "code", "pre", "ul", "li", "h1", "h2", "h3", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td", "br"),
}
HOSTILE_NAMES = ("www.{}.example", "gh-12.{}", "0123456789abcdef.{}")
NAMED = re.compile(r"\bname\"?: [\"']?([a-z0-9][a-z0-9.-]+)|base-name\"?: [\"']?([a-z0-9.-]+)")
SOURCES = {
    "diff": sorted(path.parent for path in FIXTURES.glob("diffs/*/old.yaml")),
    "history": HISTORIES,
    "fleet": sorted(FIXTURES.glob("fleets/*")),
}


def rename(text: str, names: set[str], shape: str) -> str:
    """Put a hostile name in the place of each name, wherever it is a whole word."""
    words = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.sub(rf"(?<![\w.-])(?:{words})(?![\w.-])", lambda one: shape.format(one[0]), text)


def copy(case: Path, target: Path, shape: str) -> Path:
    """Write the folder of a fixture again, with other names."""
    files = [file for file in case.rglob("*") if file.suffix in {".yaml", ".json"}]
    files += [file.with_suffix(".yaml") for file in case.glob("*.patch")]
    texts = {file.relative_to(case): read_patched(file) for file in files}
    names = {name for text in texts.values() for found in NAMED.findall(text) for name in found}
    for file, text in texts.items():
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        (target / file).write_text(rename(text, names - {""}, shape))
    if (case / "diff").exists():
        (target / "diff").touch()
    return target


def write(command: str, folder: Path) -> str:
    if command == "history":
        return write_history_markdown(read_history(folder))
    arguments = {
        "diff": ["diff", "-o", "markdown", "old.yaml", "new.yaml"],
        "fleet": ["history", "--from", "reports/*.json", "-o", "markdown"],
    }[command]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return main(arguments).stdout.decode()


def cases() -> Iterator[object]:
    for command, folders in SOURCES.items():
        for folder in folders:
            yield pytest.param(command, folder, id=f"{command} {folder.name}")


@pytest.mark.rows(test=40)
@pytest.mark.parametrize("shape", HOSTILE_NAMES)
@pytest.mark.parametrize(("command", "case"), [*cases()])
def test_a_document_has_no_link_no_mention_and_no_markup_of_others(
    command: str, case: Path, shape: str, tmp_path: Path
) -> None:
    markdown = write(command, copy(case, tmp_path, shape))
    found = seen(markdown)
    assert found.tags <= TAGS
    for piece in found.pieces:
        assert not OF_THE_FORGE.search(piece), piece
