"""What a reader copies from the site is what was written: the code on it is read as GitHub shows it, and then tried."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import click
import cmarkgfm
import pytest
import yaml
from cmarkgfm.cmark import Options

from krm_fn.cli.main import krm_fn as group
from tests.integration.site import ROOT

_REGEX = re.compile(r"--\S*regex (?:'([^']*)'|(\S+))")
_COMMAND = re.compile(r"krm-fn [a-z]")
_STANDS_FOR = re.compile(r"[|\[\]<>…*]|\.\.\.|\b[A-Z][A-Z_]+\b")
"""In what is no command, but tells how one is written."""


class Code(NamedTuple):
    """A text in the type of a program: within a sentence or a table, or a block, whose language GitHub tells."""

    text: str
    is_block: bool
    language: str


class _Reader(HTMLParser):
    """Collects the code of a page, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[Code] = []
        self._text: str | None = None
        self._language = ""
        self._is_block = False
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        said = dict(attributes)
        if tag == "pre":
            self._is_block, self._language = True, said.get("lang") or ""
        if tag == "code":
            self._text = ""

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "code":
            assert self._text is not None
            # As a browser shows it: a sentence goes on in the next line.
            text = self._text.strip("\n") if self._is_block else " ".join(self._text.split())
            self.found.append(Code(text, self._is_block, self._language))
            self._text = None
        if tag == "pre":
            self._is_block, self._language = False, ""


Site = dict[Path, list[Code]]
"""The code of each page, by the file that the page is made from."""


@pytest.fixture(scope="module")
def site(site: Path) -> Site:
    found = {}
    for page in sorted(site.rglob("index.html")):
        article = re.search(r"<article.*?</article>", page.read_text(), re.DOTALL)
        assert article, page
        found[_source_of(page.parent.relative_to(site))] = _Reader(article[0]).found
    return found


def _source_of(page: Path) -> Path:
    places = (ROOT / "docs" / page, ROOT / page)
    files = [place.with_suffix(".md") for place in places] + [
        place / "README.md" for place in places
    ]
    return next(file for file in files if file.is_file())


@pytest.fixture(scope="module")
def shown_by_github(site: Site) -> Site:
    shown = {}
    for file in site:
        html = cmarkgfm.github_flavored_markdown_to_html(
            file.read_text(), options=Options.CMARK_OPT_UNSAFE
        )
        shown[file] = _Reader(html).found
    return shown


def test_the_code_of_the_site_is_what_github_shows(site: Site, shown_by_github: Site) -> None:
    assert len(site) > 80
    for file, codes in site.items():
        assert [code.text for code in codes] == [code.text for code in shown_by_github[file]], file


def _blocks(site: Site, shown_by_github: Site, language: str) -> Iterator[tuple[Path, str]]:
    for file, codes in site.items():
        for code, shown in zip(codes, shown_by_github[file], strict=True):
            if shown.language == language:
                yield file, code.text


def test_each_regular_expression_compiles(site: Site) -> None:
    tried = 0
    for codes in site.values():
        for code in codes:
            for one in _REGEX.finditer(code.text):
                re.compile(one[1] or one[2])
                tried += 1
    assert tried


def test_the_expression_for_sops_takes_the_data_of_a_secret(site: Site) -> None:
    codes = [code.text for code in site[ROOT / "docs/secrets.md"]]
    (expression,) = {
        one[1] for text in codes for one in _REGEX.finditer(text) if "encrypted" in one[0]
    }
    fields = ("apiVersion", "kind", "metadata", "name", "data", "stringData", "type", "database")
    # sops asks Go's MatchString, which looks for the expression anywhere in the key.
    assert [field for field in fields if re.search(expression, field)] == ["data", "stringData"]


def test_each_block_of_yaml_is_yaml(site: Site, shown_by_github: Site) -> None:
    blocks = [*_blocks(site, shown_by_github, "yaml")]
    assert len(blocks) > 10
    for file, text in blocks:
        try:
            [*yaml.safe_load_all(text)]
        except yaml.YAMLError as error:
            pytest.fail(f"{file}: {error}\n{text}")


def test_a_shell_reads_each_block(site: Site, shown_by_github: Site) -> None:
    blocks = [*_blocks(site, shown_by_github, "sh")]
    assert len(blocks) > 30
    for file, text in blocks:
        done = subprocess.run(["sh", "-n"], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (file, done.stderr, text)


def test_the_command_line_takes_each_command_in_a_sentence_or_a_table(site: Site) -> None:
    tried = 0
    for file, codes in site.items():
        if file.parent.name == "decisions" or file.name == "CHANGELOG.md":  # of their day
            continue
        for code in codes:
            if code.is_block or not _COMMAND.match(code.text) or _STANDS_FOR.search(code.text):
                continue
            _, name, *arguments = shlex.split(code.text)
            command = group.get_command(click.Context(group), name)
            assert command, (file, code.text)
            known = {
                option
                for parameter in command.params
                for option in (*parameter.opts, *parameter.secondary_opts)
            }
            named = {
                one.partition("=")[0] for one in arguments if one.startswith("-") and one != "-"
            }
            assert named <= {*known, "--help"}, (file, code.text)
            tried += 1
    assert tried > 20
