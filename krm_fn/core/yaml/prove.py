"""Prove that an edited text says what was planned, and nothing else.

The output is read again and compared, by what it means, with what must become of the nodes of the
input. Nothing in here knows how text is edited, because it must not believe what it checks.
`excerpt.py` says what need not be read again.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dict
from itertools import chain
from typing import TypeAlias, TypeGuard, cast

from krm_fn.base.changes import Changes, Object
from krm_fn.base.go_yaml import is_read_as
from krm_fn.base.item import Item, about
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    NewValue,
    Node,
    Scalar,
    fields,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    spell,
)
from krm_fn.base.problem import Problem, Rejected
from krm_fn.core.yaml.envelope import Envelope
from krm_fn.core.yaml.excerpt import Edited, Excerpt, complete, make_excerpt, shorten
from krm_fn.core.yaml.expect import Edits, Expectation, Expected, Fields, Grown, expect
from krm_fn.core.yaml.reader import Document, read_yaml
from krm_fn.core.yaml.splice import Splice, apply_splices

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
    changes, order, output = shorten(envelope.resource_list, Edited(changes, order, output))
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
    item = max(before, key=lambda item: item.node.start, default=None)
    if item is None:
        return None
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
    pairs = zip(reversed(found), reversed(wanted), strict=True)
    stack: list[_Pair] = [(*pair, expectation.edits[None], None) for pair in pairs]
    return _compare(stack, items, expectation, read)


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
            parts = _match_value(found, wanted, edits)
        if parts is None:
            return _Difference(place)
        if parts:
            stack += [(one, other, edits, (place, step)) for step, one, other in reversed(parts)]
    return None


def _is_node(wanted: Expected) -> TypeGuard[Node]:
    return hasattr(wanted, "start")  # quicker than to rule out all kinds of values


def _match_value(found: Node, wanted: Expected, edits: Edits) -> list[_Part] | None:
    """Match a value that changes, and return the parts to be compared further.

    None: this alone shows a difference.
    """
    if isinstance(wanted, (str, int)):
        return [] if is_read_as(found, wanted) else None
    if isinstance(wanted, (Fields, Grown)):
        if wanted.before is not None and found.tag != wanted.before.tag:
            return None
        if isinstance(wanted, Fields):
            return _match_fields(found, wanted, edits)
        return _match_grown(found, wanted)
    if isinstance(wanted, Dict):
        return _match_fields(found, Fields(dict(wanted), [], {}), edits)
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
        if not _stays(found_value, value, edits):
            parts.append((name, found_value, value))
    return parts


def _stays(found: Node, before: Node, edits: Edits) -> bool:
    """Tell whether this is a scalar that does not change, and has not changed."""
    return is_scalar(before) and before not in edits and _is_same(found, before)


def _is_same(found: Node, before: Scalar) -> bool:
    return (
        found.value == before.value
        and found.tag == before.tag
        and is_scalar(found)
        and bool(found.style) == bool(before.style)
    )


def _match_fields(found: Node, wanted: Fields, edits: Edits) -> list[_Part] | None:
    if not is_mapping(found):
        return None
    written = fields(found)
    present = {**written, **wanted.unread}
    others = [pair for pair in found.value if pair[0].id != "scalar"]
    if present.keys() != wanted.named.keys():
        return None
    if len(present) != len(written) + len(wanted.unread) or len(others) != len(wanted.others):
        return None
    pairs = zip(chain(*others), chain(*wanted.others), strict=True)
    parts: list[_Part] = [("?", *pair) for pair in pairs]
    for name, value in wanted.named.items():
        node = present[name]
        if isinstance(value, str):
            is_right = is_read_as(node, value)
        else:
            is_right = node is value or (_is_node(value) and _stays(node, value, edits))
        if not is_right:
            parts.append((name, node, value))
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
    if isinstance(value, (str, int)):
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
