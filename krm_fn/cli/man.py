"""Write the help of all commands as a page for man (man(7): https://man7.org/linux/man-pages/man7/man.7.html)."""

import inspect
from collections.abc import Iterator

import click

_AS_WRITTEN = "\b"
"""How click marks a paragraph whose lines it must not join."""


def write_man_page(group: click.Group, version: str) -> str:
    """Return the page of the program: its help, and that of each command."""
    about = inspect.cleandoc(group.help or "")
    lines = [
        f'.TH KRM-FN 1 "" "krm-fn {version}" "krm-fn"',
        ".SH NAME",
        f"krm-fn \\- {_escape(about.partition(chr(10))[0])}",
        ".SH SYNOPSIS",
        ".B krm-fn",
        "[COMMAND] [OPTION]... [ARGUMENT]...",
        ".SH DESCRIPTION",
        *_paragraphs(about),
        ".SH COMMANDS",
    ]
    for command in group.commands.values():
        lines += _command(command)
    return "\n".join([*lines, ""])


def _command(command: click.Command) -> Iterator[str]:
    context = click.Context(command, info_name=f"krm-fn {command.name}")
    yield f".SS {_escape(command.get_usage(context).removeprefix('Usage: '))}"
    yield from _paragraphs(inspect.cleandoc(command.help or ""))
    for option in command.params:
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record:
            names, text = record
            yield from (".TP", f".B {_escape(names)}", _escape(text))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield ".PP"
        if paragraph.startswith(_AS_WRITTEN):
            lines = paragraph.removeprefix(_AS_WRITTEN).strip("\n").split("\n")
            yield from (".nf", *map(_escape, lines), ".fi")
        else:
            yield _escape(" ".join(paragraph.split()))


def _escape(text: str) -> str:
    """Return the text as it must be written: man reads a backslash, and a dot or a quote that begins a line."""
    escaped = " ".join(text.split("\n")).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
