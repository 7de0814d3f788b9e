"""Write the help of all commands into docs/reference.md: `python -m tests.pages.reference_page --write`."""

import inspect
import json
import re
import sys
from collections.abc import Iterator

import click

from krm_fn.cli.main import krm_fn as group
from krm_fn.cli.options import RenderingOptions, RendersFirst
from tests.pages.messages import ROOT

PAGE = ROOT / "docs/reference.md"
MARK = "<!-- made from the help and the schemas by `python -m tests.pages.reference_page --write` -->\n"

_AS_WRITTEN = "\b"
"""How click marks a paragraph whose lines it must not join."""

_LEFT_OUT = {"-h, --help", "--help"}
_CODE = re.compile(r"(?<![\w-])--?[a-z][a-z-]*|[A-Z]+_[A-Z_]+|'[^' ]+/?\*[^' ]*'|\*\.\w+")
_CODES = "Exit codes: "


def page() -> str:
    """Return the page: what is written by hand, a section for each command, and the forms of JSON."""
    written = PAGE.read_text().partition(MARK)[0]
    commands = [
        ("krm-fn", group),
        *((f"krm-fn {name}", one) for name, one in group.commands.items()),
    ]
    sections = ["\n".join(_section(name, command)) for name, command in commands]
    return "\n".join([f"{written}{MARK}", *sections, *_schemas()])


def _section(name: str, command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=name)
    yield f"## {name}\n"
    yield f"```text\n{_usage(command, context)}\n```\n"
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        yield from _paragraph(paragraph)
    if isinstance(command, click.Group):
        yield from _commands(command)
    yield from _options(command, context)


def _commands(commands: click.Group) -> Iterator[str]:
    yield "| Command | |\n|---|---|"
    for name, one in commands.commands.items():
        yield f"| [`krm-fn {name}`](#krm-fn-{name}) | {_prose(one.short_help or '')} |"
    yield ""


def _usage(command: click.Command, context: click.Context) -> str:
    return f"{context.info_name} {' '.join(command.collect_usage_pieces(context))}"


def _paragraph(paragraph: str) -> Iterator[str]:
    if paragraph.startswith(_AS_WRITTEN):
        text = paragraph.removeprefix(_AS_WRITTEN).strip("\n")
        yield f"```text\n{text}\n```\n"
    elif paragraph.startswith(_CODES):
        yield from _codes(" ".join(paragraph.split()).removeprefix(_CODES))
    else:
        yield f"{_prose(paragraph)}\n"


def _codes(text: str) -> Iterator[str]:
    """Yield a table of the exit codes, and what else the paragraph says of them."""
    listed, _, more = text.partition(". ")
    yield "| Exit code | |\n|---|---|"
    for one in re.split(r"; (?=\d+ )", listed.rstrip(".")):
        code, meaning = one.split(" ", 1)
        yield f"| {code} | {_prose(meaning)} |"
    yield ""
    if more:
        yield f"{_prose(more)}\n"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    shared = isinstance(command, RendersFirst) and command.name != "render"
    own = [one for one in options if not (shared and one.name in RenderingOptions._fields)]
    records = filter(None, (one.get_help_record(context) for one in own))
    rows = [(names, text) for names, text in records if names not in _LEFT_OUT]
    if rows:
        yield "| Option | |\n|---|---|"
        yield from (f"| {_code(names)} | {_prose(_plain(text))} |" for names, text in rows)
        yield ""
    if shared:
        others = (one.opts[0] for one in options if one.name in RenderingOptions._fields)
        listed = ", ".join(map(_code, others))
        yield f"And these [of `krm-fn render`](#krm-fn-render): {listed}.\n"


def _plain(text: str) -> str:
    """Return what click adds in brackets as a sentence: `[default: 300; x>=1]`."""
    text = re.sub(r"\s*\[env var: (\w+)\]", r" Variable: `\1`.", text)
    text = re.sub(r"\s+\[required\]", " Required.", text)
    return re.sub(r"\s+\[(?:default: ([^;\]]+))?(?:; )?(?:x>=(\d+))?\]", _limits, text)


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
            shown.append(part.replace("|", "\\|"))
        else:
            shown += [_code(one) if _CODE.fullmatch(one) else _escape(one) for one in _split(part)]
    return "".join(shown)


def _split(text: str) -> list[str]:
    return re.split(f"({_CODE.pattern})", text)


def _escape(text: str) -> str:
    return re.sub(r"([\\*_<>|\[\]])", r"\\\1", text)


def _code(text: str) -> str:
    shown = text.replace("|", "\\|")
    return f"`{shown}`"


def _schemas() -> Iterator[str]:
    yield "## Forms of JSON\n"
    yield "| Schema | |\n|---|---|"
    for file in sorted((ROOT / "schemas").glob("*.json")):
        schema = json.loads(file.read_text())
        yield f"| [{file.stem}](../schemas/{file.name}) | {_prose(schema['description'])} |"
    yield ""


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
