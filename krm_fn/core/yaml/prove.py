"""Prove that an edited text says what was planned, and nothing else.

The output is read again and compared, by what it means, with what must become of the nodes of the
input. Nothing in here knows how text is edited, because it must not believe what it checks.

Only what the edits touch is read again, and the way to it: in a large package most fields are far
from any edit. Text that has not changed is left out where it must read the same, because a block
mapping or list may have more or fewer entries, each in lines of its own. Objects that are added to
many namespaces differ in little but the namespace: what they have in common is read once.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dict
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple, TypeAlias, TypeGuard, cast

from krm_fn.base.changes import Changes, Object
from krm_fn.base.go_yaml import is_read_as
from krm_fn.base.item import Item, about
from krm_fn.base.node import (
    NewValue,
    Node,
    Scalar,
    children,
    elements,
    fields,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    spell,
)
from krm_fn.base.problem import Problem, Rejected
from krm_fn.core.yaml.envelope import Envelope
from krm_fn.core.yaml.expect import Edits, Expectation, Expected, Fields, Grown, expect
from krm_fn.core.yaml.reader import Document, SchemaNode, read_yaml
from krm_fn.core.yaml.splice import Splice, apply_splices

# The part that is read again.

# Directives apply to what follows, and the key behind a `?` may be on another line than the `?`.
_UNEVEN = r"[\r\n](?:%|[ \t-]*\?\s)"
# The reader refuses a marker behind a carriage return alone.
_BORDER = re.compile(r"\n(?:---|\.\.\.)(?=\s|\Z)")

# It takes longer to leave anything out of so few characters than to read them.
_SMALL = 300


class Excerpt(NamedTuple):
    """`text` is an edited text without the documents and entries that no edit touches.

    `roots` are the other documents. `kept` has the other entries of each collection that lacks
    some: pairs of a mapping, or elements of a list. `is_intact`: what is left out is written as it
    was.
    """

    text: str
    roots: list[Node]
    kept: Dict[Node, list[Any]]
    is_intact: bool


class _Touched(NamedTuple):
    """The spans that edits touch, in rising order. They do not overlap."""

    starts: list[int]
    ends: list[int]

    def find(self, borders: list[int]) -> list[int]:
        """Return which entries are touched. Entry n is between the nth border and the next."""
        entries: list[int] = []
        behind = 0  # the first entry that is not looked at yet
        span = bisect_left(self.ends, borders[0])
        while span < len(self.starts) and self.starts[span] <= borders[-1]:
            # A span that only meets a border touches the entries on both sides of it.
            first = max(bisect_left(borders, self.starts[span]) - 1, behind)
            behind = min(bisect_right(borders, self.ends[span]), len(borders) - 1)
            entries += range(first, behind)
            # All spans within these entries are dealt with, however many they are.
            span = bisect_left(self.ends, borders[behind], span + 1)
        return entries


def make_excerpt(
    document: Document, splices: list[Splice], planned: Iterable[Node], output: str
) -> Excerpt:
    """Leave out of `output` what neither a splice touches nor a change of the `planned` nodes.

    The splices are in the order of the text.
    """
    text = document.text
    if document.has_aliases or _is_uneven(document):
        return Excerpt(output, document.roots, {}, is_intact=True)
    edited = [(splice.start, splice.end) for splice in splices]
    # The end of the text, too: new documents follow it.
    starts = {len(text), *(node.start for node in planned)}
    touched = _join(edited + [(start, start) for start in starts])
    documents, spans = _find_documents(document, touched)
    kept, inner = _find_untouched(text, documents, touched)
    rest, is_intact = _leave_out(sorted(spans + inner), text, splices, output)
    return Excerpt(rest, [root for root, _ in documents], kept, is_intact)


def _is_uneven(document: Document) -> bool:
    """Tell whether a line of YAML is a directive, or begins with the sign of a key.

    A line within a scalar is neither, as of a folded CEL rule `a ? b : c`, and none of a schema
    without nodes. There are no aliases.
    """
    text = f"\n{document.text}"
    # Fast, and rare in a text without such lines.
    may_be = "\n%" in text or "\r%" in text or re.search(r"\?\s", text)
    if not may_be:
        return False
    lines = [found.start() for found in re.finditer(_UNEVEN, text)]
    if not lines:
        return False
    within = 0
    stack = [*document.roots]
    while stack:
        node = stack.pop()
        held = bisect_left(lines, node.end) - bisect_right(lines, node.start)
        if not held:
            continue  # as nearly everywhere
        if is_scalar(node) or isinstance(node, SchemaNode):
            within += held
        else:
            stack.extend(children(node))
    return within < len(lines)


def _join(spans: list[tuple[int, int]]) -> _Touched:
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(spans):
        if ends and start <= ends[-1]:
            ends[-1] = max(end, ends[-1])
        else:
            starts.append(start)
            ends.append(end)
    return _Touched(starts, ends)


def _find_documents(
    document: Document, touched: _Touched
) -> tuple[list[tuple[Node, int]], list[tuple[int, int]]]:
    """Return the documents to keep, each with its end, and the spans of the others."""
    documents = [(root, _document_end(document.text, root)) for root in document.roots]
    borders = [0]
    for _, end in documents:
        borders.append(_behind_marker(document.text, end))
    if len({*borders}) < len(borders):  # an empty document
        return documents, []
    staying = touched.find(borders)
    return [documents[index] for index in staying], _find_gaps(borders, [-1, *staying])


def _behind_marker(text: str, end: int) -> int:
    """Return where a document ends: a line `...` that ends it is left out with it."""
    if not text.startswith("...", end):
        return end
    line_break = text.find("\n", end)
    return len(text) if line_break < 0 else line_break + 1


def _find_gaps(borders: list[int], staying: list[int]) -> list[tuple[int, int]]:
    """Return the spans of the entries behind each one that stays, up to the next one or to the end.

    Entry n is between the nth border and the next. -1 stands for what is in front of the first.
    """
    spans: list[tuple[int, int]] = []
    for left, right in pairwise([*staying, len(borders) - 1]):
        if right > left + 1:
            spans.append((borders[left + 1], borders[right]))
    return spans


def _find_untouched(
    text: str, documents: list[tuple[Node, int]], touched: _Touched
) -> tuple[dict[Node, list[Any]], list[tuple[int, int]]]:
    """Return the entries to keep of each collection that lacks some, and the spans of the others.

    At least one entry stays.
    """
    kept: dict[Node, list[Any]] = {}
    spans: list[tuple[int, int]] = []
    stack = [*documents]
    while stack:
        node, end = stack.pop()
        entries = _separable(text, node) if end - node.start >= _SMALL else []
        if not entries:
            continue
        column = entries[0].column
        borders = [entry.start - column for entry in entries]
        borders.append(end)
        staying = touched.find(borders)
        if not staying:
            continue
        # A key says nothing of what is below its value; an element is what is below.
        for index in staying:
            below = node.value[index][1] if node.id == "mapping" else entries[index]
            stack.append((below, borders[index + 1]))
        if len(staying) < len(entries):
            kept[node] = [node.value[index] for index in staying]
        if staying[0]:
            # What is in front of the first entry, such as a dash, stays for the first one that
            # does.
            spans.append((entries[0].start, entries[staying[0]].start))
        spans += _find_gaps(borders, staying)
    return kept, spans


def _separable(text: str, node: Node) -> list[Node]:
    """Return the entries of a collection; none where their lines cannot be told apart.

    The entries of a mapping are its keys.
    """
    if is_scalar(node) or node.flow_style:  # type: ignore[attr-defined]  # only scalars lack it
        return []
    if node.id == "mapping":
        names = [key.value for key, _ in node.value if is_scalar(key)]
        # Merged fields are not all its own. Of a field that is there twice, one could be left out.
        is_clear = "<<" not in names and len({*names}) == len(names)
        return [key for key, _ in node.value] if is_clear else []
    return node.value if _is_even(text, node.value) else []


def _is_even(text: str, elements: list[Node]) -> bool:
    """Tell whether each element but the first follows its dash, all in the same column."""
    column = elements[0].column
    return all(
        element.column == column and text.startswith("- ", element.start - 2)
        for element in elements[1:]
    )


def _document_end(text: str, root: Node) -> int:
    border = _BORDER.search(text, root.start)
    return border.start() + 1 if border else len(text)


def _leave_out(
    spans: list[tuple[int, int]], text: str, splices: list[Splice], output: str
) -> tuple[str, bool]:
    """Cut the spans out of the output, where the splices before them have moved them.

    Tell whether they are there.
    """
    starts = [splice.start for splice in splices]
    shifts = [0, *accumulate(len(splice.text) - (splice.end - splice.start) for splice in splices)]
    pieces: list[str] = []
    position = 0
    is_intact = True
    for start, end in spans:
        shift = shifts[bisect_left(starts, start)]
        is_intact = is_intact and output.startswith(text[start:end], start + shift)
        pieces.append(output[position : start + shift])
        position = end + shift
    pieces.append(output[position:])
    return "".join(pieces), is_intact


# What new objects have in common.


class Edited(NamedTuple):
    """The envelope after changes, and how it became that: by splices, in the order of the text."""

    changes: Changes
    splices: list[Splice]
    output: str


def shorten(envelope: Envelope, edited: Edited) -> Edited:
    """Leave out fields of new objects so that what is left is right if, and only if, the whole is.

    Only where they are elements behind the last one of the ResourceList, written as lines below one
    another.
    """
    changes, splices, output = edited
    last = elements(get(envelope.resource_list, "items"))[-1:]
    if not changes.add or not last:
        return edited
    dash = " " * (last[0].column - 2) + "- "
    moved = 0  # by how much the splices before have moved the text
    for index, splice in enumerate(splices):
        start = splice.start + moved
        end = start + len(splice.text)
        if splice.start > last[0].start and splice.text.startswith(dash):
            # Where the output does not say this, the whole is compared, which tells the place.
            if output[start:end] != splice.text:
                return edited
            text, objects = leave_out_repeated(splice.text, changes.add)
            shorter = [*splices]
            shorter[index] = splice._replace(text=text)
            shortened = output[:start] + text + output[end:]
            return Edited(changes._replace(add=objects), shorter, shortened)
        moved += len(splice.text) - (splice.end - splice.start)
    return edited


def leave_out_repeated(text: str, objects: tuple[Object, ...]) -> tuple[str, tuple[Object, ...]]:
    """Leave each field out of elements that an earlier element has in the same words and value.

    The earlier one is read, so both say that value or neither does. Nothing is left out unless the
    text is what it seems to be: whole lines, each field from its name on to the next.
    """
    indent = len(text) - len(text.lstrip(" "))
    written = _fields(text, indent)
    if [*map(len, written)] != [*map(len, objects)]:
        return text, objects
    margin = " " * (indent + 2)
    seen: set[tuple[str, str]] = set()
    lines: list[str] = []
    left: list[Object] = []
    for texts, wanted in zip(written, objects, strict=True):
        kept: dict[str, NewValue] = {}
        for field, (name, value) in zip(texts, wanted.items(), strict=True):
            said = field, repr(value)  # `==` is not enough: 1 equals True
            if said in seen:
                continue
            if field.startswith(f"{margin}{name}:"):  # the line with the dash stays
                seen.add(said)
            lines.append(field)
            kept[name] = value
        left.append(kept)
    return "".join(lines), tuple(left)


def _fields(text: str, indent: int) -> list[list[str]]:
    """Return the lines of each field of each element; nothing if the text has other lines."""
    found = [*_field(indent).finditer(text)]
    if sum(len(field[0]) for field in found) != len(text):
        return []
    written: list[list[str]] = []
    for field in found:
        if field["dash"]:
            written.append([])
        written[-1].append(field[0])
    return written


@lru_cache
def _field(indent: int) -> re.Pattern[str]:
    """Return the pattern of a field of an element.

    The field is the line of its name, and the lines below that are further to the right or have a
    dash. None has a `*`, because an alias may mean something else in another place.
    """
    margin = " " * indent
    return re.compile(
        rf"(?m:^){margin}(?:(?P<dash>- )|  )[A-Za-z0-9\"'][^*\n]*\n(?:{margin}  [ -][^*\n]*\n)*"
    )


# The nodes of the whole output.


def complete(roots: list[Node], excerpt: Excerpt, read: Dict[Node, Node]) -> list[Node] | None:
    """Return the documents of the output.

    None where entries were left out of a list that has changed.

    `roots` are those of the input. `read` has what was read in the place of each of its documents,
    and of each collection of which only some entries were. These collections get the others.
    """
    for before, kept in excerpt.kept.items():
        node = read.get(before)
        entries = None if node is None else _entries(node, before, kept)
        if node is None or entries is None:
            return None
        node.value = entries
    return [read.get(root, root) for root in roots]


def _entries(node: Node, before: Node, kept: list[Any]) -> list[Any] | None:
    if is_mapping(node) and is_mapping(before):
        return _complete_fields(node.value, before.value, kept)
    if not is_sequence(node) or len(node.value) != len(kept):
        return None
    found = iter(node.value)
    stay = set(kept)
    return [next(found) if element in stay else element for element in before.value]


def _complete_fields(
    written: list[tuple[Node, Node]], before: list[tuple[Node, Node]], kept: list[tuple[Node, Node]]
) -> list[tuple[Node, Node]] | None:
    """Return the fields in their order, new ones behind them."""
    by_name = {key.value: (key, value) for key, value in written if is_scalar(key)}
    if len(by_name) < len(written):
        return None
    stay = {key for key, _ in kept}
    found: list[tuple[Node, Node]] = []
    for key, value in before:
        if key not in stay:
            found.append((key, value))
        elif key.value in by_name:
            found.append(by_name.pop(key.value))
    return [*found, *by_name.values()]


_BUG = "this is a bug in krm-fn, please report it; nothing was changed"


_Place: TypeAlias = "tuple[_Place, str | int] | Item | None"
"""A field or an element of what is above: another one, an object, or, if None, a document."""


class _Difference(NamedTuple):
    place: _Place


_Part: TypeAlias = tuple[str | int, Node, Expected]
_Pair: TypeAlias = tuple[Node, Expected, Edits, _Place]


class Proof(NamedTuple):
    """An output as far as it was read: an excerpt, and the nodes in the place of those of the input.

    `has_all`: it has each document and object of the input, and no others.
    """

    document: Document
    excerpt: Excerpt
    read: Dict[Node, Node]
    has_all: bool

    def complete(self) -> list[Node] | None:
        """Return the nodes of the whole output, and change those that were read.

        None if only reading it tells them.
        """
        return complete(self.document.roots, self.excerpt, self.read) if self.has_all else None


def prove(
    envelope: Envelope,
    changes: Changes,
    splices: Sequence[Splice],
    output: str,
    results: tuple[Object, ...] = (),
) -> Proof:
    """Raise Rejected unless `output` is the text of the envelope with all changes, and no others.

    `results` are appended to those of the ResourceList.
    """
    if output == envelope.document.text and _says_already(envelope, changes, results):
        return Proof(envelope.document, Excerpt("", [], {}, is_intact=True), {}, has_all=True)
    order = sorted(splices, key=lambda splice: splice[:2])
    changes, order, output = shorten(envelope, Edited(changes, order, output))
    excerpt = make_excerpt(envelope.document, order, _changed_nodes(changes), output)
    written = _read_again(excerpt, envelope, splices)
    if not excerpt.is_intact or _has_more_repeated(written, envelope.document):
        raise Rejected(_problem(None, "the output would differ where nothing was planned"))
    # Then each document that was read says what becomes of one of the input, or is a new one.
    expectation = expect(envelope.resource_list, changes, results, excerpt.kept)
    found = [root for root in written.roots if not is_null(root)]
    stay = [root for root in excerpt.roots if not is_null(root) and root not in expectation.removed]
    documents: list[Expected] = [*stay]
    if envelope.resource_list is None:
        documents += changes.add
    read: dict[Node, Node] = dict(zip(stay, found, strict=False))  # new documents are behind them
    difference = _find_difference(envelope, found, documents, expectation, read)
    if difference:
        raise Rejected(_problem(difference.place, "the output would not say here what was planned"))
    return Proof(envelope.document, excerpt, read, has_all=not changes.add and not changes.remove)


def _read_again(excerpt: Excerpt, envelope: Envelope, splices: Iterable[Splice]) -> Document:
    """Read the excerpt. Raises Rejected at the splice that makes it unreadable."""
    try:
        return read_yaml(excerpt.text.encode(), may_repeat=bool(envelope.document.repeated))
    except Rejected as rejected:
        place = _first_unreadable(envelope, splices)
        raise Rejected(_problem(place, "the output would not be valid YAML here")) from rejected


def _has_more_repeated(written: Document, before: Document) -> bool:
    """Tell whether a field is there twice that was not: of the two, only one would be compared."""
    added = Counter(one.key.value for one in written.repeated)
    return bool(added - Counter(one.key.value for one in before.repeated))


def _says_already(envelope: Envelope, changes: Changes, results: tuple[Object, ...]) -> bool:
    """Tell whether the input says what it must: then it has been read already."""
    if changes.add or changes.replace or changes.remove or results:
        return False
    expectation = expect(envelope.resource_list, changes, (), {})
    pairs: list[_Pair] = [
        (node, expectation.of(node, {}), {}, None) for node in expectation.patches
    ]
    for edits in expectation.edits.values():
        pairs += [(node, expectation.of(node, edits), {}, None) for node in edits]
    return _compare(pairs, {}, expectation, {}) is None


def _changed_nodes(changes: Changes) -> Iterator[Node]:
    yield from (item.node for item, _ in (*changes.patches, *changes.replace))
    yield from (item.node for item in changes.remove)
    yield from (edit.change.node for edit in changes.edits)


def _problem(place: _Place, what: str) -> Problem:
    path: list[str | int] = []
    while isinstance(place, tuple):
        place, step = place
        path.append(step)
    message, field = f"{what}; {_BUG}", spell(reversed(path))
    return about(place, message, field) if place else Problem(message, field=field)


def _first_unreadable(envelope: Envelope, splices: Iterable[Splice]) -> _Place:
    """Return the place of the first splice after which the text cannot be read."""
    text = envelope.document.text
    order = sorted(splices, key=lambda splice: splice[:2])
    first = bisect_left(
        range(len(order)),
        1,
        key=lambda last: not _is_readable(apply_splices(text, order[: last + 1])),
    )
    return _place_at(envelope.items, order[first].start) if first < len(order) else None


def _is_readable(text: str) -> bool:
    try:
        read_yaml(text.encode(), may_repeat=True)
    except Rejected:
        return False
    return True


def _place_at(items: list[Item], position: int) -> _Place:
    """Return the object and the field at a position of the original text."""
    before = [item for item in items if item.node.start <= position]
    if not before:
        return None
    item = max(before, key=lambda item: item.node.start)
    place: _Place = item
    node: Node = item.node
    while is_mapping(node):
        above = [pair for pair in node.value if pair[0].start <= position]
        if not above:
            break
        key, node = above[-1]
        place = (place, str(key.value))
    return place


def _find_difference(
    envelope: Envelope,
    found: list[Node],
    wanted: Sequence[Expected],
    expectation: Expectation,
    read: dict[Node, Node],
) -> _Difference | None:
    """Find the first place where the documents of the output are not what is expected."""
    items: dict[Node, Item] = {item.node: item for item in envelope.items}
    if len(found) != len(wanted):
        return _Difference(None)
    pairs: list[_Pair] = [
        (*pair, expectation.edits[None], None) for pair in zip(found, wanted, strict=True)
    ]
    pairs.reverse()
    return _compare(pairs, items, expectation, read)


def _compare(
    stack: list[_Pair], items: Dict[Node, Item], expectation: Expectation, read: dict[Node, Node]
) -> _Difference | None:
    """Find a difference in pairs of what was found and what is wanted, the last one first.

    `read` gets what was found in the place of collections of which entries were left out. No
    recursion: objects may be nested deeply.
    """
    kept = expectation.kept
    while stack:
        found, wanted, edits, place = stack.pop()
        if _is_node(wanted):
            if wanted in items:
                place = items[wanted]
                edits = expectation.edits.get(wanted, {})
            wanted = expectation.of(wanted, edits)
        if _is_node(wanted):
            if wanted in kept:
                read[wanted] = found
            parts = _match_node(found, wanted, edits, expectation)
        else:
            if isinstance(wanted, Fields) and wanted.unread and wanted.before:
                read[wanted.before] = found
            parts = _match_value(found, wanted)
        if parts is None:
            return _Difference(place)
        stack += [(one, other, edits, (place, step)) for step, one, other in reversed(parts)]
    return None


def _is_node(wanted: Expected) -> TypeGuard[Node]:
    return hasattr(wanted, "start")  # quicker than to rule out all kinds of values


def _match_value(found: Node, wanted: Expected) -> list[_Part] | None:
    """Match a value that changes, and return the parts to be compared further.

    None: this alone shows a difference.
    """
    if isinstance(wanted, str | int):
        return [] if is_read_as(found, wanted) else None
    if isinstance(wanted, Fields | Grown):
        if wanted.before is not None and found.tag != wanted.before.tag:
            return None
        if isinstance(wanted, Fields):
            return _match_fields(found, wanted)
        return _match_grown(found, wanted)
    if isinstance(wanted, Dict):
        return _match_fields(found, Fields(dict(wanted), [], {}))
    return _match_grown(found, Grown([*cast("Sequence[Expected]", wanted)], (), []))


def _match_node(
    found: Node, before: Node, edits: Edits, expectation: Expectation
) -> list[_Part] | None:
    """Match a node that does not change.

    Text and style are the same, tags, and fields in their order, with merge keys as written. Nearly
    all scalars are what they must be. They are no parts: it takes longer to look at each of them
    later.
    """
    if is_scalar(before):
        return [] if _is_same(found, before) else None
    if found.id != before.id or found.tag != before.tag:
        return None
    entries = expectation.entries(before)
    if len(found.value) != len(entries):
        return None
    if is_sequence(before):
        return _enumerate(found.value, entries)
    parts: list[_Part] = []
    for (found_key, found_value), (key, value) in zip(found.value, entries, strict=True):
        name = "?"
        if not is_scalar(key):
            parts.append((name, found_key, key))
        elif not _is_same(found_key, key):
            return None
        else:
            name = key.value
        if value in edits or not is_scalar(value) or not _is_same(found_value, value):
            parts.append((name, found_value, value))
    return parts


def _is_same(found: Node, before: Scalar) -> bool:
    return (
        found.value == before.value
        and found.tag == before.tag
        and is_scalar(found)
        and bool(found.style) == bool(before.style)
    )


def _match_fields(found: Node, wanted: Fields) -> list[_Part] | None:
    written = fields(found)
    present = {**written, **wanted.unread}
    others = [pair for pair in found.value if pair[0].id != "scalar"] if is_mapping(found) else []
    if not is_mapping(found) or present.keys() != wanted.named.keys():
        return None
    if len(present) != len(written) + len(wanted.unread) or len(others) != len(wanted.others):
        return None
    pairs = zip(chain(*others), chain(*wanted.others), strict=True)
    parts: list[_Part] = [("?", *pair) for pair in pairs]
    for name, value in wanted.named.items():
        node = present[name]
        is_right = is_read_as(node, value) if isinstance(value, str) else node is value
        if not is_right:
            parts.append((name, present[name], value))
    return parts


def _match_grown(found: Node, wanted: Grown) -> list[_Part] | None:
    if not is_sequence(found) or len(found.value) != len(wanted.kept) + len(wanted.added):
        return None
    stay = len(wanted.kept)
    added = zip(found.value[stay:], wanted.added, strict=True)
    if all(_says_all(one, value) for one, value in added):
        return [*_enumerate(found.value[:stay], wanted.kept), *wanted.unread]
    return [*_enumerate(found.value, [*wanted.added, *wanted.kept]), *wanted.unread]


def _says_all(found: Node, value: NewValue) -> bool:
    """Compare with a value that this project adds. It is not deep."""
    if isinstance(value, str | int):
        return is_read_as(found, value)
    if found.id == "scalar" or len(found.value) != len(value):
        return False
    if isinstance(value, Dict):
        present = fields(found)
        return present.keys() == value.keys() and all(
            _says_all(present[name], one) for name, one in value.items()
        )
    return is_sequence(found) and all(
        _says_all(one, other) for one, other in zip(found.value, value, strict=True)
    )


def _enumerate(found: list[Node], wanted: Sequence[Expected]) -> list[_Part]:
    return [*zip(range(len(found)), found, wanted, strict=True)]
