"""Make the site one with the repository, as https://www.mkdocs.org/user-guide/configuration/#hooks allows.

Pages may link to any file of the repository, as they do on a forge. README.md is the first page. What pages link to
outside of docs/ becomes a page or a file of the site, under its path in the repository. The schemas are files of the
site under the path of their `$id`. `decisions/` in the navigation stands for all decisions.
"""

import posixpath
import re
from itertools import cycle
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from krm_fn import __version__

ROOT = Path(__file__).parent.parent.parent
HOME = {"README.md": "index.md"}
_EDIT = "https://github.com/krm-fn/krm-fn/edit/main/"

_BOOSTS = {
    0.1: ("CHANGELOG", "installs"),
    0.3: ("CONTRIBUTING", "architecture", "benchmarks/", "examples/", "guarantees", "tests/"),
    0.6: ("commands/", "threat-model", "versions"),
    1.5: ("deployers", "ownership", "troubleshooting"),
    2: ("ci.md", "faq", "glossary", "how-to/", "migration"),
}
"""How a search weighs pages, by how their paths begin. A person who searches wants to do something."""

_LINK = re.compile(r"(?<=\]\()(?!\w+:|#|/)([^)#\s]+)")
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_HEADER = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_CODE = re.compile(r"<pre.*?</pre>|<code>.*?</code>", re.DOTALL)
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the decisions in the navigation, and name the version that the pages are about."""
    config.copyright = f"krm-fn {__version__} · {config.copyright}"
    config.site_name = f"{config.site_name} {__version__}"
    decisions = [
        f"decisions/{file.name}" for file in sorted((ROOT / "docs/decisions").glob("*.md"))
    ]
    config.nav = _expand(config.nav, "decisions/", decisions)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is linked from outside of docs/, and the schemas."""
    for path in [
        *HOME,
        *(f"schemas/{file.name}" for file in sorted((ROOT / "schemas").glob("*.json"))),
    ]:
        files.append(_file(path, config))
    unread = list(files.documentation_pages())
    while unread:
        page = unread.pop()
        for path in _linked_by(page.content_string, _path(page)):
            if path.startswith("docs/") or files.get_file_from_path(_uri(path)):
                continue
            if not (ROOT / path).is_file():
                message = f"{_path(page)} links to {path}, which is no file of the repository"
                raise PluginError(message)
            added = _file(path, config)
            files.append(added)
            if added.is_documentation_page():
                unread.append(added)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between files of the site.

    Let the pencil of a page lead to its file, which no setting says where it is: not all are in docs/.
    """
    del config, files
    page.edit_url = f"{_EDIT}{_path(page.file)}"
    for boost, paths in _BOOSTS.items():
        if page.file.src_uri.startswith(paths):
            page.meta["search"] = {"boost": boost}
    if page.file.src_uri.startswith("decisions/"):
        page.meta["search"] = {"exclude": True}
    here = _path(page.file)

    def in_site(found: re.Match[str]) -> str:
        return posixpath.relpath(
            _uri(_target(here, found[1])), posixpath.dirname(page.file.src_uri) or "."
        )

    return _LINK.sub(in_site, markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Prepare what docs/extra.css shows: the cells of tables, and options in a line of text."""
    del page, config, files
    return _CODE.sub(_keep_options_whole, _TABLE.sub(_label_cells, html))


def _label_cells(table: re.Match[str]) -> str:
    r"""Let each cell say its column, as a phone shows cells below each other.

    Show `\|` as GitHub does, where it is a bar in code too: a backslash would be copied with the code.
    """
    headers = (_TAG.sub("", one).replace('"', "&quot;") for one in _HEADER.findall(table[0]))
    columns = cycle(f'<td data-label="{one}"' if one else "<td" for one in headers)
    return re.sub("<td", lambda _: next(columns), table[0].replace("\\|", "|"))


def _keep_options_whole(code: re.Match[str]) -> str:
    """Mark options, which a browser would break after their first hyphen."""
    if code[0].startswith("<pre"):
        return code[0]
    return _OPTION.sub(r'<span class="option">\g<0></span>', code[0])


def _linked_by(markdown: str, here: str) -> list[str]:
    return [_target(here, link) for link in _LINK.findall(_BLOCK.sub("", markdown))]


def _target(here: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(here), link))


def _path(file: File) -> str:
    """Return the path in the repository of a file of the site."""
    assert file.abs_src_path is not None
    return Path(file.abs_src_path).relative_to(ROOT).as_posix()


def _uri(path: str) -> str:
    """Return the path in the sources of the site of a file of the repository."""
    return HOME.get(path, path.removeprefix("docs/"))


def _file(path: str, config: MkDocsConfig) -> File:
    return File.generated(config, _uri(path), abs_src_path=str(ROOT / path))


def _expand(nav: Any, wanted: str, entries: list[str]) -> Any:
    if isinstance(nav, list):
        return [_expand(one, wanted, entries) for one in nav]
    if isinstance(nav, dict):
        return {title: _expand(one, wanted, entries) for title, one in nav.items()}
    return entries if nav == wanted else nav
