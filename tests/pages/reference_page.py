"""Write the options of all commands into docs/commands, from the help: `python -m tests.pages.reference_page --write`.

What is above the marker of a page is written by hand.
"""

import re
import sys
from collections.abc import Iterator

import click

from krm_fn.cli.main import krm_fn as group
from krm_fn.cli.options import RenderingOptions, RendersFirst
from tests.pages.messages import ROOT

FOLDER = ROOT / "docs/commands"
INDEX = ROOT / "docs/commands.md"
MARK = "<!-- made by tests.pages.reference_page -->\n"

_SHARED_PAGES = {
    **dict.fromkeys(("link", "discover"), "link-and-discover"),
    **dict.fromkeys(("completion", "schema", "version", "help", "man"), "completion-help-version"),
}
"""The pages of several commands. All others have one of their own."""

_COLOURS = "[Show colours](../commands.md#colours-and-environment-variables)."
"""In place of what each help says of them."""

_SCHEMA = re.compile(r"(?:schemas/)?([a-z-]+-v1)\.json")
_LEFT_OUT = {"-h, --help", "--help"}
_CODE = re.compile(r"(?<![\w-])--?[a-z][a-z-]*|[A-Z]+_[A-Z_]+|'[^' ]+/?\*[^' ]*'|\*\.\w+")
_CODES = re.compile(r"Exit codes: ((?:.+\n?)+)")


def pages() -> dict[str, str]:
    """Return the text of each page, by its path in the repository: by hand, then a section for each command."""
    sections = {INDEX: [_section("krm-fn", group)]}
    for name, command in group.commands.items():
        file = FOLDER / f"{_SHARED_PAGES.get(name, name)}.md"
        sections.setdefault(file, []).append(_section(f"krm-fn {name}", command))
    return {
        file.relative_to(ROOT).as_posix(): "\n".join(
            [file.read_text().partition(MARK)[0] + MARK, *("\n".join(one) for one in its)]
        )
        for file, its in sections.items()
    }


def _section(name: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=name)
    yield f"## Options of {name}\n"
    if command.params:
        yield f"```text\n{_usage(command, context)}\n```\n"
    yield from _options(command, context)
    yield from _codes(command.help or "")


def _usage(command: click.Command, context: click.Context) -> str:
    return f"{context.info_name} {' '.join(command.collect_usage_pieces(context))}"


def _codes(text: str) -> Iterator[str]:
    """Yield the paragraph of the exit codes, each code in bold."""
    found = _CODES.search(text)
    assert found
    yield re.sub(r"(?<=[:;] )(\d+)", r"**\1**", f"Exit codes: {_prose(found[1])}") + "\n"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    shared = isinstance(command, RendersFirst) and command.name != "render"
    own = [one for one in options if not (shared and one.name in RenderingOptions._fields)]
    records = filter(None, (one.get_help_record(context) for one in own))
    rows = [(names, text) for names, text in records if names not in _LEFT_OUT]
    for names, text in rows:
        described = _COLOURS if names.startswith("--color ") else _prose(_plain(text))
        described = _SCHEMA.sub(r"[\1](../../schemas/\1.json)", described)
        yield f"- {_code(names)}: {described}"
    if shared:
        yield "- and [those that say how a package is read](render.md#options-of-krm-fn-render)"
    if rows or shared:
        yield ""


def _plain(text: str) -> str:
    """Return what click adds in brackets as a sentence: `[default: 300; x>=1]`."""
    text = re.sub(r"\s*\[env var: (\w+)\]", r" Variable: `\1`.", text)
    text = re.sub(r"\s+\[required\]", " Required.", text)
    return re.sub(r"\s*\[(?:default: ([^;\]]+))?(?:; )?(?:x>=(\d+))?\]", _limits, text)


def _limits(found: re.Match[str]) -> str:
    default, least = found.groups()
    said = (
        [f"Default: {default}."] if default and default not in found.string[: found.start()] else []
    )
    said += [f"At least {least}."] if least and least != "0" else []
    return "".join(f" {one}" for one in said)


def _prose(text: str) -> str:
    """Return one line of Markdown that shows these words, with options, variables and patterns as code."""
    parts = re.split(r"(`[^`]+`)", " ".join(text.split()))
    shown: list[str] = []
    for part in parts:
        if part.startswith("`"):
            shown.append(part)
        else:
            shown += [_code(one) if _CODE.fullmatch(one) else _escape(one) for one in _split(part)]
    return "".join(shown)


def _split(text: str) -> list[str]:
    return re.split(f"({_CODE.pattern})", text)


def _escape(text: str) -> str:
    return re.sub(r"([\\*_<>\[\]])", r"\\\1", text)


def _code(text: str) -> str:
    return f"`{text}`"


if __name__ == "__main__":
    for name, text in pages().items():
        if sys.argv[1:] == ["--write"]:
            (ROOT / name).write_text(text)
        else:
            print(text, end="")
