"""A small picture of what rolls because of what, in the language of Mermaid.

Names and values may come from somebody whom nobody trusts. They are only in blocks of code, whose fence is longer than
any in them, and in `<code>` within HTML, where neither Markdown nor a mention of a person means anything.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape

from krm_fn.diff.difference import ROLLS, Difference, ObjectChange, Roll
from krm_fn.diff.lines import CHANGED, STATEMENT, WARNING, Line, write_lines
from krm_fn.diff.statements import find_statements, summarize, write_place, write_title
from krm_fn.model.words import count, listing, printable
from krm_fn.report.table import cut

_MOST_ARROWS = 12
_LABEL_WIDTH = 50
_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ./_-")


def draw(changes: Iterable[ObjectChange]) -> Iterator[str]:
    """Yield the lines of the picture: an arrow from each ConfigMap or Secret to what it rolls. None if nothing does."""
    arrows = [
        (f"{change.who.kind} {change.who.base}", f"{roll.kind} {roll.name}")
        for change in changes
        for roll in change.rolls
        if (roll.kind, roll.name) != (change.who.kind, change.who.base)
    ]
    if not arrows:
        return
    shown = arrows[:_MOST_ARROWS]
    ids = {name: f"n{place}" for place, name in enumerate(dict.fromkeys(name for arrow in shown for name in arrow))}
    yield "```mermaid"
    yield "graph LR"
    yield from (f'  {ids[name]}["{_label(name)}"]' for name in ids)
    yield from (f"  {ids[source]} --> {ids[target]}" for source, target in dict.fromkeys(shown))
    if len(arrows) > len(shown):
        yield f'  more["{len(arrows) - len(shown)} more"]'
    yield "```"
    yield ""


def _label(name: str) -> str:
    """Write any other character as Mermaid's code for it, so that no text is more than a label."""
    return "".join(one if one in _SAFE else f"#{ord(one)};" for one in cut(name, _LABEL_WIDTH))


MARK = "<!-- krm-fn diff"
"""The beginning of a comment by which a program finds its own."""

_MOST = 65_000
"""GitHub refuses a comment of more than 65,536 characters."""

_TAIL = 500
"""Room for what is said about the rest."""

_WIDTH = 300
_MOST_LINES = 150
"""Of one change."""

_MOST_ROLLS = 10
_MOST_WARNINGS = 5

_FEW = 3
"""Changes that are shown at once. More are folded."""

_UNSAFE = re.compile("[^A-Za-z0-9._/ ]")
_SIGNS = {CHANGED: "!", WARNING: "!", STATEMENT: " "}


def write_markdown(difference: Difference, key: str, context: int = 0) -> str:
    """Write a verdict, a picture of what rolls, and each change in a block of its own.

    `key` tells the comment about one comparison from those about others. It is hidden in the text.
    `context` is that of `write_lines`.
    """
    changes = (*difference.revisions, *difference.objects)
    head = [f"{MARK} {_hidden(key)} -->", *_verdict(difference), *draw(changes)]
    text = "\n".join(head)
    left_out = []
    is_open = len(changes) <= _FEW
    for change in changes:
        block = "\n".join(write_block(change, context, is_open=is_open))
        if _length(text) + _length(block) + _TAIL <= _MOST:
            text += block
        else:
            left_out.append(change)
    return text + _tell_rest(left_out)


def _hidden(key: str) -> str:
    """Encode a text for an HTML comment, which ends at the first `--`."""
    return _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), key)[:500]


def _verdict(difference: Difference) -> Iterator[str]:
    yield f"<p><strong>{summarize(difference, _code)}</strong></p>"
    yield f"<p>{_code(difference.new)} against {_code(difference.old)}{_list_rolls(difference)}</p>"
    warnings = [*_find_warnings(difference)]
    yield from (f"<p><strong>Warning:</strong> {warning}</p>" for warning in warnings[:_MOST_WARNINGS])
    if len(warnings) > _MOST_WARNINGS:
        yield f"<p>{count(len(warnings) - _MOST_WARNINGS, 'more warning')}</p>"
    yield ""


def _find_warnings(difference: Difference) -> Iterator[str]:
    for change in (*difference.revisions, *difference.objects):
        for statement in find_statements(change):
            if statement.is_warning:
                yield f"{_code(write_place(change))}: {_code(' '.join(statement.words))}"


def _list_rolls(difference: Difference) -> str:
    rolls = [roll for change in (*difference.revisions, *difference.objects) for roll in change.rolls]
    names = sorted({_spell(roll) for roll in rolls if roll.effect == ROLLS})
    if not names:
        return ""
    return f"; rolls {listing(map(_code, names), _MOST_ROLLS)}"


def _spell(roll: Roll) -> str:
    return "/".join(filter(None, [roll.kind, roll.namespace, roll.name]))


def write_block(change: ObjectChange, context: int = 0, *, is_open: bool) -> Iterator[str]:
    """Yield the lines about one object, in a block of its own."""
    title = _code(" ".join(write_title(change)))
    lines = [_write(line) for line in write_lines(change, _WIDTH, context)]
    if not lines:
        yield f"<p>{title}</p>"
        yield ""
        return
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"  ... {count(len(lines) - _MOST_LINES, 'more line')}"]
    fence = "`" * (max([2, *(len(run) for line in lines for run in re.findall("`+", line))]) + 1)
    yield f"<details{' open' * is_open}><summary>{title}</summary>"
    yield ""
    yield f"{fence}diff"
    yield from lines
    yield fence
    yield ""
    yield "</details>"
    yield ""


def _write(line: Line) -> str:
    return f"{_SIGNS.get(line.sign, line.sign)} {line.text}"


def _code(text: str) -> str:
    return f"<code>{escape(cut(printable(text), _WIDTH))}</code>"


def _length(text: str) -> int:
    """Count as JavaScript does, for which some characters are two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _tell_rest(left_out: list[ObjectChange]) -> str:
    if not left_out:
        return ""
    changes = count(len(left_out), "change")
    return f"<p>Left out, as there is no room in a comment: {changes}, which the first line counts too.</p>\n"
