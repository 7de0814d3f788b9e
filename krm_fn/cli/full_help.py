"""The help that no screen holds: the fields of the configuration, and all commands as a page for man."""

import inspect
from collections.abc import Iterator
from typing import Any

import click

from krm_fn.core.config.plain import list_settings

_EXAMPLE = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: shop                    # the set, unique in a namespace
spec:
  kinds: [ConfigMap, Secret]
  select:
  - {name: web-*, labels: {tier: web}}
"""

_AS_WRITTEN = "\b"
"""How click marks a paragraph whose lines it must not join."""


def describe_configuration() -> str:
    """Return an example of the functionConfig, and its fields as the schema describes them.

    A Kptfile may set the same fields as a map from paths to texts.
    """
    formatter = click.HelpFormatter()
    with formatter.section("Configuration of the function (functionConfig)"):
        for line in _EXAMPLE.splitlines():
            formatter.write(f"  {line}\n")
        formatter.write_paragraph()
        formatter.write_text(
            "All fields of spec are optional. In the configMap of a Kptfile and after `kpt fn eval ... --`, write "
            "name=shop, kinds=ConfigMap,Secret, linker.image=IMAGE and so on."
        )
    with formatter.section("Fields of spec"):
        formatter.write_dl([(path, _short(field)) for path, field in list_settings().items()])
    return formatter.getvalue()


def _short(field: dict[str, Any]) -> str:
    """Return the first sentence of the description, the values of an enumeration, and the default."""
    first, *others = field["description"].replace("`", "").rstrip(".").split(". ")
    values = [f"One of {', '.join(field['enum'])}"] if "enum" in field else []
    default = [sentence for sentence in others if sentence.startswith("Default: ")]
    return " ".join(f"{sentence}." for sentence in (first, *values, *default))


def write_man_page(group: click.Group, version: str) -> str:
    """Return the page of the program, as man(7) wants it: its help, and that of each command.

    https://man7.org/linux/man-pages/man7/man.7.html
    """
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
