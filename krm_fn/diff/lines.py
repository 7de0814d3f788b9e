"""What people read of one change, line by line. Text and Markdown show the same lines."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from krm_fn.diff.align import align
from krm_fn.diff.difference import FieldChange, ObjectChange, ShownValue
from krm_fn.diff.statements import find_statements
from krm_fn.model.words import count, printable
from krm_fn.report.secrets import KeyChange, Shown
from krm_fn.report.table import columns, cut, cut_both, fold

REMOVED, ADDED, CONTEXT, CHANGED, STATEMENT, WARNING = "-", "+", " ", "~", "", "!"
"""The sign of a line: of the old rendering, of the new one, of both; a field with both values; a sentence."""

_SHORT = 9
"""Lines of a value in which one finds a place without its number."""


_FARTHEST = 2_000
"""Lines between a line and its key, so that a thousand changes in a huge value take no huge time."""


class Line(NamedTuple):
    """One line, with nothing in it that a terminal obeys."""

    sign: str
    text: str


def write_lines(change: ObjectChange, width: int, context: int = 0) -> Iterator[Line]:
    """Yield the lines about a change, but for its title. No text has more columns than `width`.

    `context` is the number of equal lines around those that differ in a value of several lines.
    """
    is_secret = change.who.kind == "Secret"
    for one in change.keys:
        yield from _write_key(one, width, context, is_secret=is_secret)
    for field in change.fields:
        yield from _write_field(field, width, context)
    for statement in find_statements(change):
        sign = WARNING if statement.is_warning else STATEMENT
        yield from (Line(sign, line) for line in fold(statement.words, width))


def _write_key(change: KeyChange, width: int, context: int, *, is_secret: bool) -> Iterator[Line]:
    key, old, new = change
    label = printable(key)
    if old and new and old.text is None and new.text is None:
        sizes = f"changed, {_size(new)}" if old.size == new.size else f"{old.size:,} -> {_size(new)}"
        yield Line(CONTEXT, cut(f"{label}: {sizes}{'' if is_secret else ', binary'}", width))
        return
    before, after = (_text_of(one, is_secret=is_secret) for one in (old, new))
    yield from _write_texts(label, before, after, width, context)


def _text_of(shown: Shown | None, *, is_secret: bool) -> str | None:
    if shown is None or shown.text is not None:
        return shown and shown.text
    return _size(shown) + ("" if is_secret else ", binary")


def _size(shown: Shown) -> str:
    return count(shown.size, "byte")


def _write_texts(label: str, old: str | None, new: str | None, width: int, context: int) -> Iterator[Line]:
    """Write a key with its values: in one line each, or line by line."""
    if "\n" not in f"{old}{new}":
        before, after = cut_both(f"{label}: {printable(old or '')}", f"{label}: {printable(new or '')}", width)
        yield from [Line(REMOVED, before)] if old is not None else []
        yield from [Line(ADDED, after)] if new is not None else []
        return
    sign = CONTEXT if old is not None and new is not None else REMOVED if new is None else ADDED
    yield Line(sign, cut(f"{label}: |", width))
    yield from _write_hunks(old or "", new or "", width, context)


def _write_hunks(old: str, new: str, width: int, context: int) -> Iterator[Line]:
    """Write the lines that differ, each moved to the right like the value of a key, under the line they belong to."""
    ends_alike = not old or not new or old.endswith("\n") == new.endswith("\n")
    before, after = _split(old, ends_alike=ends_alike), _split(new, ends_alike=ends_alike)
    hunks = align(before, after)
    ends = [min(hunk.new_end + context, after_it.new_start) for hunk, after_it in pairwise(hunks)]
    ends += [min(hunk.new_end + context, len(after)) for hunk in hunks[-1:]]
    done = 0
    shown: set[int] = set()
    for hunk, end in zip(hunks, ends, strict=True):
        start = max(hunk.new_start - context, done)
        if before and len(after) > _SHORT and (start > done or not done):
            yield Line(CONTEXT, f"  @@ line {min(start + 1, len(after)):,} @@")
        removed, added = before[hunk.old_start : hunk.old_end], after[hunk.new_start : hunk.new_end]
        shown.update(range(start, end))
        parent = _find_parent(after, hunk.new_start, next(filter(str.strip, [*removed, *added]), ""))
        if parent is not None and parent not in shown:
            shown.add(parent)
            yield Line(CONTEXT, f"  {cut(after[parent], width - 2)}")
        yield from (Line(CONTEXT, f"  {cut(one, width - 2)}") for one in after[start : hunk.new_start])
        pairs = [cut_both(one, other, width - 2) for one, other in zip(removed, added, strict=False)]
        pairs_removed, pairs_added = [one for one, _ in pairs], [other for _, other in pairs]
        rest_removed, rest_added = (
            [cut(one, width - 2) for one in rest] for rest in (removed[len(pairs) :], added[len(pairs) :])
        )
        yield from (Line(REMOVED, f"  {one}") for one in [*pairs_removed, *rest_removed])
        yield from (Line(ADDED, f"  {one}") for one in [*pairs_added, *rest_added])
        yield from (Line(CONTEXT, f"  {cut(one, width - 2)}") for one in after[hunk.new_end : end])
        done = end


def _find_parent(lines: list[str], before: int, line: str) -> int | None:
    """Return which of the lines before has the key that a line belongs to: the last one that is indented less.

    YAML may indent the elements of a list as its key.
    """
    own, is_element = _indentation(line), line.lstrip().startswith("- ")
    for place in range(before - 1, max(before - _FARTHEST, 0) - 1, -1) if own or is_element else ():
        text = lines[place].lstrip()
        if text and not text.startswith("#"):
            indentation = _indentation(lines[place])
            if indentation < own or (indentation == own and is_element and text.endswith(":") and text[0] != "-"):
                return place
    return None


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _split(text: str, *, ends_alike: bool) -> list[str]:
    """Split at line breaks. Say where the last line has none, if that is a difference."""
    lines = [printable(line) for line in text.split("\n")]
    if not lines[-1]:
        return lines[:-1]
    return lines if ends_alike else [*lines[:-1], f"{lines[-1]} (no line break at the end)"]


def _write_field(change: FieldChange, width: int, context: int) -> Iterator[Line]:
    path = printable(change.path)
    old, new = change.old, change.new
    if isinstance(old, str) and isinstance(new, str):
        yield from _write_scalars(path, old, new, width, context)
    elif isinstance(old or new, str) and (old is None or new is None):
        before, after = (str(one) if one is not None else None for one in (old, new))
        yield from _write_texts(path, before, after, width, context)
    else:
        for sign, value in ((REMOVED, old), (ADDED, new)):
            if value is not None:
                yield from (Line(sign, cut(line, width)) for line in _write_value(path, value))


def _write_scalars(path: str, old: str, new: str, width: int, context: int) -> Iterator[Line]:
    if "\n" in f"{old}{new}":
        yield from _write_texts(path, old, new, width, context)
        return
    before, after = printable(old), printable(new)
    whole = f"{path}: {before} -> {_shorten(path, before, after)}" if before != after else f"{path}: changed {after}"
    if columns(whole) <= width:
        yield Line(CHANGED, whole)
        return
    yield Line(CHANGED, cut(f"{path}:", width))
    before, after = cut_both(before, after, width - 2)
    yield Line(REMOVED, before)
    yield Line(ADDED, after)


def _shorten(path: str, old: str, new: str) -> str:
    """Leave out the repository of an image if it is the same: `registry.example/api:1.0 -> 1.1`."""
    if not path.endswith(".image"):
        return new
    separator = "@" if "@" in old and "@" in new else ":"
    repository, _, tag = new.rpartition(separator)
    is_same = repository and tag and "/" not in tag and old.rpartition(separator)[0] == repository
    return tag if is_same else new


def _write_value(label: str, value: ShownValue) -> Iterator[str]:
    """Yield the lines of a field, as YAML looks in most cases."""
    stack = [(f"{label}:", value, "")]  # no recursion: objects may be nested deeper than generators
    while stack:
        start, child, indent = stack.pop()
        if isinstance(child, str):
            first, *rest = [child] if "\n" not in child else ["|", *_split(child, ends_alike=True)]
            yield f"{indent}{start} {printable(first)}"
            yield from (f"{indent}  {line}" for line in rest)
        elif not child:
            yield f"{indent}{start} {'{}' if isinstance(child, dict) else '[]'}"
        else:
            yield f"{indent}{start}"
            named = child.items() if isinstance(child, dict) else (("-", one) for one in child)
            below = [(name if name == "-" else f"{printable(name)}:", one, f"{indent}  ") for name, one in named]
            stack += reversed(below)
