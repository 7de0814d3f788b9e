"""YAML text to nodes with marks. The only importer of the YAML library.

Nothing is resolved or constructed: a scalar is its text and its style. A text that tools may read in different ways or
not at all is refused here (duplicate keys, recursive or exploding aliases, absurd nesting), so that all later code may
walk the nodes without care.
"""

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, NamedTuple, cast

import yaml
from yaml._yaml import CParser

from krm_fn.model.node import Mapping, Mark, Node, Scalar, is_scalar
from krm_fn.model.problem import Problem, Rejected, Severity, at

MAX_DEPTH = 400
"""Levels of nesting; real manifests stay under 60. The parser recurses in C, so a limit is needed."""

# Line breaks of YAML 1.1, which go-yaml and libyaml follow, but not of 1.2.
_OTHER_BREAK = re.compile("[\x85\u2028\u2029]")
_INNER_MARK = re.compile(r"(?:\A|(?<=[\r\n]))\ufeff")
_ANY_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")

# kubectl and others split a stream before they parse it, and only at line feeds: what is behind such a marker is lost.
_LONE_MARKER = re.compile(r"\r(?=(?:---|\.\.\.)(?:\s|\Z))|^(?:---|\.\.\.)(?:[ \t][^\r\n]*)?\r(?!\n)", re.MULTILINE)

_MAX_EXPANDED = 1_000_000
_MAX_EXPANSION = 4
"""Once aliases are written out, the texts of a run may have a million nodes, or four times those that are written."""


class Repeated(NamedTuple):
    """A key that a mapping has again, each time with the same value. `values`: all of them."""

    mapping: Mapping
    key: Scalar
    values: tuple[Node, ...]
    first_line: int


class Document(NamedTuple):
    """A YAML text and its nodes. `text` has no byte order mark; `byte_order_mark`: the bytes had one."""

    text: str
    byte_order_mark: bool
    roots: list[Node]
    has_aliases: bool
    repeated: tuple[Repeated, ...] = ()


class Exploded(Rejected):
    """Aliases stand for more nodes than a run may walk."""


class Expansion:
    """What the aliases of all texts of a run stand for. The limit holds for their sum: there may be many texts."""

    def __init__(self) -> None:
        self._written = 0
        self._expanded = 0

    def add(self, written: int, expanded: int, place: Node) -> None:
        """Count the nodes of a text. Raises Exploded, at its largest document, where they are too many."""
        self._written += written
        self._expanded += expanded
        allowed = max(_MAX_EXPANDED, _MAX_EXPANSION * self._written)
        if self._expanded > allowed:
            message = f"aliases expand {self._written} YAML nodes to {self._expanded}, allowed: {allowed}"
            raise Exploded(at(place.start_mark, message))


def read_yaml(data: bytes, expansion: Expansion | None = None, *, may_repeat: bool = False) -> Document:
    """Read all documents of a text. Raises Rejected with line and column.

    `expansion` is that of the run, for texts of which each could be one of many. `may_repeat`: a mapping may have a key
    twice with the same value, as charts write it. Then all parsers that read it at all read the same.
    """
    text = _decode(data)
    byte_order_mark = text.startswith("\ufeff")
    text = text.removeprefix("\ufeff")
    roots = list(_compose(data.removeprefix(codecs.BOM_UTF8)))
    has_aliases = "*" in text and "&" in text and _is_shared(roots)
    if has_aliases:
        _refuse_explosion(roots, expansion or Expansion())
        _refuse_alias_keys(roots)
    _refuse_ambiguous_characters(text, roots)
    repeated = [one for root in roots for one in _find_duplicate_keys(root, once=has_aliases)]
    wrong = next((one for one in repeated if not may_repeat or not _is_same(one.values)), None)
    if wrong is not None:
        raise Rejected(_duplicate(wrong))
    return Document(text, byte_order_mark, roots, has_aliases, tuple(repeated))


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes right below a node, keys included."""
    if node.id == "mapping":
        for key, value in node.value:
            yield key
            yield value
    elif node.id == "sequence":
        yield from node.value


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Rejected(_at_offset(data, error.start, f"byte 0x{data[error.start]:02x} is not valid UTF-8")) from error


def _at_offset(data: bytes, offset: int, message: str) -> Problem:
    line_start = data.rfind(b"\n", 0, offset) + 1
    column = len(data[line_start:offset].decode("utf-8", "replace")) + 1
    return Problem(message, line=data.count(b"\n", 0, offset) + 1, column=column)


class _Parser(CParser):
    """libyaml's parser, composing nodes without resolving tags (half the time of the stock loader).

    It calls the three hooks below once for each node, a fifth of its work. They are set on the instance, and the depth
    is the length of a list, so that going up is a call into C: both for speed.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.levels: list[Node | None] = []
        levels, enter = self.levels, self.levels.append

        def descend(parent: Node | None, _index: object) -> None:
            enter(parent)
            if len(levels) > MAX_DEPTH:
                raise Rejected(at(parent.start_mark if parent else None, f"nested deeper than {MAX_DEPTH} levels"))

        self.resolve = lambda *_: None
        self.descend_resolver = descend
        self.ascend_resolver = levels.pop


def _compose(data: bytes) -> Iterator[Node]:
    parser = _Parser(data)
    try:
        while parser.check_node():
            yield cast("Node", parser.get_node())
    except yaml.MarkedYAMLError as error:
        what = ", ".join(filter(None, [error.problem, error.context]))
        mark = error.problem_mark or error.context_mark
        raise Rejected(at(mark, f"invalid YAML: {what}{_hint(data, mark)}")) from error
    except yaml.reader.ReaderError as error:
        character = f"character U+{error.character:04X}" if isinstance(error.character, int) else "a character"
        raise Rejected(_at_offset(data, error.position, f"invalid YAML: {character} is not allowed")) from error
    except UnicodeDecodeError as error:
        # libyaml looks at the first bits of each byte that a tag has as %XX, which lets surrogates and others pass.
        parent = parser.levels[-1]
        message = "invalid YAML: a tag in here contains %XX that is not valid UTF-8"
        raise Rejected(at(parent.start_mark if parent else None, message)) from error


def _hint(data: bytes, mark: Mark | None) -> str:
    """Recognise a template of Helm or a conflict of git in the line of an error, or in the one before."""
    lines = data.split(b"\n")[max(mark.line - 1, 0) : mark.line + 1] if mark else []
    if any(b"{{" in line for line in lines):
        return "; looks like an unrendered Helm template ({{ ... }}); render the chart first"
    if any(line.startswith((b"<<<<<<< ", b"=======", b">>>>>>> ")) for line in lines):
        return "; looks like a merge conflict (<<<<<<<); resolve it first"
    return ""


def _is_shared(roots: list[Node]) -> bool:
    """Tell whether any node is used twice, scalars included."""
    seen: set[Node] = set()
    stack: list[Node] = list(roots)
    while stack:
        node = stack.pop()
        if node in seen:
            return True
        seen.add(node)
        stack.extend(children(node))
    return False


def _refuse_explosion(roots: list[Node], expansion: Expansion) -> None:
    """Raise where an alias is inside its own anchor, or aliases stand for many times what is written."""
    sizes: dict[Node, int] = {}

    def size(node: Node) -> int:
        known = sizes.get(node)
        if known == 0:
            raise Rejected(at(node.start_mark, "an alias is inside its own anchor, so the document would never end"))
        if known is None:
            sizes[node] = 0
            known = 1 + sum(size(child) for child in children(node))
            sizes[node] = known
        return known

    expanded = sum(size(root) for root in roots)
    expansion.add(len(sizes), expanded, max(roots, key=size))


def _refuse_alias_keys(roots: list[Node]) -> None:
    """Raise where an alias is a key. In `*a: b` the alias is `a` to some parsers, and `a:` to others."""
    for node in walk(roots):
        behind = node.start_mark.index
        for key, value in node.value if node.id == "mapping" else ():
            if key.start_mark.index < behind:  # an alias has the marks of its anchor
                # Not what it stands for: that may be the value of a Secret.
                message = "an alias stands for a key of this mapping, which some parsers read in another way; "
                raise Rejected(at(node.start_mark, message + "write the key out"))
            behind = max(behind, key.end_mark.index, value.end_mark.index)


def _refuse_ambiguous_characters(text: str, roots: list[Node]) -> None:
    """Raise at a character that parsers read in different ways, unless it is inside of quotes or a block.

    That is one that ends a line in YAML 1.1, but not in 1.2, and a byte order mark in front of a line, which some
    parsers count as indentation.
    """
    if "\r" in text and (marker := _LONE_MARKER.search(text)):
        line = len(_ANY_BREAK.split(text[: marker.start() + 1]))
        message = "a carriage return alone ends this line, and kubectl finds no document behind it; use line feeds"
        raise Rejected(Problem(message, line=line, column=1))
    places = [match.start() for match in _OTHER_BREAK.finditer(text)]
    if "\ufeff" in text:
        places += [match.start() for match in _INNER_MARK.finditer(text)]
    if not places:
        return
    # The last line break of a block is not inside of it: to others, what follows would be.
    spans = sorted(
        (node.start_mark.index, node.end_mark.index - (node.style in ("|", ">")))
        for node in walk(roots)
        if is_scalar(node) and node.style
    )
    for place in places:
        before = bisect_right(spans, place, key=itemgetter(0))
        if not before or place >= spans[before - 1][1]:
            *lines, last = _ANY_BREAK.split(text[:place])
            is_mark = text[place] == "\ufeff"
            what = "counts as indentation" if is_mark else "ends a line"
            message = f"character U+{ord(text[place]):04X} {what} to some YAML parsers, and not to others; remove it"
            raise Rejected(Problem(message, line=len(lines) + 1, column=len(last) + 1))


def walk(roots: list[Node]) -> Iterator[Node]:
    """Yield every node once."""
    seen: set[Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(children(node))
            yield node


def _find_duplicate_keys(root: Node, *, once: bool) -> list[Repeated]:  # noqa: C901  # the one hot loop
    """Find the second of each two equal keys. The hot loop over every node: kept flat on purpose."""
    scalar = yaml.ScalarNode
    mapping = yaml.MappingNode
    found: list[Repeated] = []
    seen: set[Any] = set()
    stack: list[Any] = [root]
    pop, push = stack.pop, stack.append
    while stack:
        node = pop()
        if once:
            if node in seen:
                continue
            seen.add(node)
        if node.__class__ is mapping:
            pairs = node.value
            try:
                unique = len({key.value for key, _ in pairs})
            except TypeError:  # a key that is itself a collection
                unique = _count_complex(pairs, stack)
            if unique != len(pairs):
                found += _repeated_in(cast("Mapping", node))
            for _, value in pairs:
                if value.__class__ is not scalar:
                    push(value)
        elif node.__class__ is not scalar:
            for value in node.value:
                if value.__class__ is not scalar:
                    push(value)
    return found


def _count_complex(pairs: list[tuple[Any, Any]], stack: list[Any]) -> int:
    collections = [key for key, _ in pairs if key.id != "scalar"]
    stack.extend(collections)
    return len({key.value for key, _ in pairs if key.id == "scalar"}) + len(collections)


def _repeated_in(mapping: Mapping) -> Iterator[Repeated]:
    by_name: dict[str, list[tuple[Scalar, Node]]] = {}
    for key, value in mapping.value:
        if is_scalar(key):
            by_name.setdefault(key.value, []).append((key, value))
    for pairs in by_name.values():
        if len(pairs) > 1:
            yield Repeated(mapping, pairs[1][0], tuple(value for _, value in pairs), pairs[0][0].start_mark.line + 1)


def _is_same(values: tuple[Node, ...]) -> bool:
    """Tell whether values are written alike, but for their layout and the kind of their quotes."""
    stack = [(values[0], other) for other in values[1:]]
    while stack:
        one, other = stack.pop()
        if (one.id, one.tag) != (other.id, other.tag):
            return False
        if is_scalar(one) and is_scalar(other):
            if (one.value, bool(one.style)) != (other.value, bool(other.style)):
                return False
        else:
            pairs = [*children(one)], [*children(other)]
            if len(pairs[0]) != len(pairs[1]):
                return False
            stack += zip(*pairs, strict=True)
    return True


def warn_about_repeated(document: Document) -> list[Problem]:
    """Say of each key that a mapping has again that some programs refuse it."""
    problems = []
    for one in document.repeated:
        message = (
            f"duplicate key {one.key.value!r} with the same value as on line {one.first_line}; helm and kubectl read "
            "it, and kustomize refuses it: remove one of them"
        )
        problems.append(at(one.key.start_mark, message)._replace(severity=Severity.WARNING))
    return problems


def _duplicate(one: Repeated) -> Problem:
    message = f"duplicate key {one.key.value!r}; the first is on line {one.first_line}"
    return at(one.key.start_mark, message)
