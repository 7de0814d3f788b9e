"""Read YAML text into nodes. No other module imports the YAML library.

Nothing is resolved or constructed: a scalar is its text and its style. A text that tools may read
in different ways or not at all is refused here (duplicate keys, recursive or exploding aliases,
absurd nesting), so all later code may walk the nodes without care.

A package may have a million nodes: they have slots for what is used, and no marks.
"""

import codecs
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, ClassVar, Self, cast

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Mapping,
    Mark,
    Node,
    Scalar,
    children,
    elements,
    get,
    is_mapping,
    is_scalar,
    walk,
)
from krm_fn.base.problem import UNRENDERED, Problem, Rejected, Severity, at
from krm_fn.core.yaml.layout import entry_start, is_text_to_all
from krm_fn.core.yaml.schemas import (
    FIELD,
    KIND,
    SchemaLines,
    find_schemas,
    indented,
    whole_lines,
    without,
)


def _is_alone() -> bool:
    """Tell whether this is the only thread of the process, whoever started the others."""
    return len(sys._current_frames()) == 1  # noqa: SLF001  # `threading` does not know those that it did not start


_compile = re.compile


class _Unmade:
    """A pattern that is made when somebody first uses it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        self._make = partial(_compile, *given, **named)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._make(), name)
        setattr(self, name, found)
        return found


# The library's reader in Python has patterns that nobody here uses. To make them takes a fifth of the
# instructions of a run with 12 objects.
try:
    if _is_alone():
        vars(re)["compile"] = _Unmade
    import yaml
    from yaml import _yaml
finally:
    vars(re)["compile"] = _compile

# As the parser counts lines.
_BREAK = "\r\n|[\n\r\x85\u2028\u2029]"
_OTHER_BREAKS = "\x85\u2028\u2029"
"""Characters that end a line in YAML 1.1, beside carriage returns and line feeds."""


class Source:
    """A text that its nodes share, and what makes them: the parser calls it for each.

    Texts that are there often, as field names are, become one. `open` has the collections around
    what is made next. `may_repeat`: a mapping may have a key twice.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.may_repeat = False
        self.forget()

    def forget(self) -> None:
        """Free what is only needed while nodes are made."""
        self.open: list[_Collection] = []
        self._texts: dict[str, str] = {}
        self._share = self._texts.setdefault

    def makers(self) -> dict[str, Callable[..., Any]]:
        """Return what makes nodes of what the parser gives, by the names of its own classes."""
        names = "ScalarNode", "MappingNode", "SequenceNode"
        makers = self._make_scalar, self._maker(MappingNode), self._maker(SequenceNode)
        return dict(zip(names, makers, strict=True))

    def _make_scalar(
        self, tag: str | None, value: str, start_mark: Any, end_mark: Any, style: str
    ) -> "ScalarNode":
        node = ScalarNode()
        node.source = self
        node.tag = tag
        node.value = self._share(value, value)
        node.start = start = start_mark.index
        node.length = end_mark.index - start
        node.style = style
        return node

    def _maker(self, cls: type["_Collection"]) -> Callable[..., "_Collection"]:
        """Return what makes a collection. The parser fills it, and sets its end after that."""
        around = self.open

        def make(
            tag: str | None, value: list[Any], start_mark: Any, _: object, flow_style: bool
        ) -> "_Collection":
            node = cls()
            node.source = self
            node.tag = tag
            node.value = value
            node.start = start_mark.index
            node.flow_style = flow_style
            around.append(node)
            if len(around) >= MAX_DEPTH:
                self._refuse_below(len(around) - 1)
                self._share = self._share_if_fits
            return node

        return make

    def _share_if_fits(self, value: str, _: str) -> str:
        """Also ask for each scalar of a deep text what is not asked of those of others, for speed."""
        self._refuse_below(len(self.open))
        return self._texts.setdefault(value, value)

    def _refuse_below(self, levels: int) -> None:
        if levels >= MAX_DEPTH:
            around = self.open[levels - 1].start_mark
            raise Rejected(at(around, f"nested deeper than {MAX_DEPTH} levels"))

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(_BREAK, self.text))]

    @cached_property
    def _has_only_line_feeds(self) -> bool:
        # To count takes a tenth of the time of a search for what is rare.
        text = self.text
        return text.count("\r") == text.count("\r\n") and not any(
            one in text for one in _OTHER_BREAKS
        )

    def mark(self, index: int) -> Mark:
        line = bisect_right(self._line_starts, index) - 1
        return Mark(line, index - self._line_starts[line])

    def column(self, index: int) -> int:
        """Return the column of a place, without counting lines if possible."""
        if self._has_only_line_feeds:
            return index - self.text.rfind("\n", 0, index) - 1
        return self.mark(index).column


class _Node:
    __slots__ = ("length", "source", "start", "tag", "value")

    start: int
    tag: str | None
    value: Any
    source: Source
    length: int

    @property
    def end(self) -> int:
        # Most nodes are short, and small numbers take no memory of their own.
        return self.start + self.length

    @property
    def start_mark(self) -> Mark:
        return self.source.mark(self.start)

    @property
    def column(self) -> int:
        return self.source.column(self.start)


class ScalarNode(_Node):
    __slots__ = ("style",)
    id: ClassVar = "scalar"
    style: str


class _Collection(_Node):
    __slots__ = ("flow_style",)
    id: ClassVar[str]
    flow_style: bool

    def _set_end(self, mark: Any) -> None:
        self.length = mark.index - self.start
        self.source.open.pop()

    end_mark = property(fset=_set_end)

    def copy(self) -> Self:
        """Return a collection of the same entries, in a list of its own."""
        copy = self.__class__()
        copy.source, copy.start, copy.length = self.source, self.start, self.length
        copy.tag, copy.value, copy.flow_style = self.tag, [*self.value], self.flow_style
        return copy


class MappingNode(_Collection):
    __slots__ = ()
    id: ClassVar = "mapping"

    def _set_end(self, mark: Any) -> None:
        source = self.source
        self.length = mark.index - self.start
        source.open.pop()
        pairs = self.value
        try:
            if len(pairs) > 1 and len({key.value for key, _ in pairs}) < len(pairs):
                source.may_repeat = True
        except TypeError:  # a key that is itself a collection
            source.may_repeat = True

    end_mark = property(fset=_set_end)


class SequenceNode(_Collection):
    __slots__ = ()
    id: ClassVar = "sequence"


class SchemaNode(MappingNode):
    """A schema that was parsed, and that gets nodes only when somebody looks at its value."""

    __slots__ = ("_behind",)

    def __init__(self, source: Source, span: SchemaLines, end: int) -> None:
        self.source = source
        self._behind = span.end
        self.tag = None
        self.start = span.start
        self.length = end - span.start
        self.flow_style = False

    @property
    def unread_text(self) -> str | None:
        """The text, unless words of its values are written in another way."""
        text = self._lines()
        return None if any(escape in text for escape in _ESCAPES) else text

    def _lines(self) -> str:
        return whole_lines(self.source.text, SchemaLines(self.start, self._behind))

    def __getattr__(self, name: str) -> Any:
        if name != "value":
            raise AttributeError(name)
        first, end = self.start - self.column, self.end
        (root,) = _compose(self.source, self._lines().encode())
        for one in walk([root]):
            node = cast("_Node", one)
            node.start += first
            # A collection ends where the next token begins, of which there is none in this text.
            if not isinstance(node, ScalarNode) and node.end == self._behind:
                node.length = end - node.start
        self.value = root.value
        return self.value


_ESCAPES = ("\\x", "\\u", "\\U", "\\\n")
"""In double quotes, for a letter, or within a word that goes on in the next line."""

MAX_DEPTH = 400
"""Levels of nesting; real manifests stay under 60.

The parser recurses in C, so a limit is needed.
"""

# Line breaks of YAML 1.1, which go-yaml and libyaml follow, but not of 1.2.
_INNER_MARK = r"(?:\A|(?<=[\r\n]))\ufeff"
_ANY_BREAK = "\r\n|[\r\n\x85\u2028\u2029]"

# kubectl and others split a stream before they parse it, and only at line feeds: what is behind
# such a marker is lost.
_LONE_MARKER = r"(?m)\r(?=(?:---|\.\.\.)(?:\s|\Z))|^(?:---|\.\.\.)(?:[ \t][^\r\n]*)?\r(?!\n)"

# An anchor or an alias is behind a blank or a sign of YAML. Texts are full of stars and ampersands
# that are not.
_SHARING = tuple((sign, rf"\{sign}(?<![^\s\[{{,:?]\{sign})[0-9A-Za-z_-]") for sign in "*&")

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
    """A YAML text and its nodes.

    `text` has no byte order mark; `byte_order_mark`: the bytes had one.
    """

    text: str
    byte_order_mark: bool
    roots: list[Node]
    has_aliases: bool
    repeated: tuple[Repeated, ...] = ()

    def warn_about_repeated(self) -> list[Problem]:
        """Say of each key that a mapping has again that some programs refuse it."""
        problems = []
        for one in self.repeated:
            message = (
                f"duplicate key {one.key.value!r} with the same value as on line {one.first_line}; "
                "helm and kubectl read it, and kustomize refuses it: remove one of them"
            )
            problems.append(at(one.key.start_mark, message)._replace(severity=Severity.WARNING))
        return problems


class Exploded(Rejected):
    """Aliases stand for more nodes than a run may walk."""


class Expansion:
    """The nodes that the aliases of all texts of a run stand for.

    The limit holds for their sum: there may be many texts.
    """

    def __init__(self) -> None:
        self._written = 0
        self._expanded = 0

    def add(self, written: int, expanded: int, place: Node) -> None:
        """Count the nodes of a text.

        Raises Exploded, at its largest document, where they are too many.
        """
        self._written += written
        self._expanded += expanded
        allowed = max(_MAX_EXPANDED, _MAX_EXPANSION * self._written)
        if self._expanded > allowed:
            message = (
                f"aliases expand {self._written} YAML nodes to {self._expanded}, allowed: {allowed}"
            )
            raise Exploded(at(place.start_mark, message))

    def read_embedded(self, text: str) -> list[Node]:
        """Read YAML in the data of a ConfigMap.

        A text that cannot be read references nothing. Raises Exploded.
        """
        try:
            return read_yaml(text.encode(), self).roots
        except Exploded:
            raise
        except Rejected:
            return []


def read_yaml(
    data: bytes, expansion: Expansion | None = None, *, may_repeat: bool = False
) -> Document:
    """Read all documents of a text. Raises Rejected with line and column.

    `expansion` is that of the run, for texts of which each could be one of many. `may_repeat`: a
    mapping may have a key twice with the same value, as charts write it. Then all parsers that read
    it at all read the same.
    """
    text = _decode(data)
    byte_order_mark = text.startswith("\ufeff")
    text = text.removeprefix("\ufeff")
    may_share = all(sign in text and re.search(pattern, text) for sign, pattern in _SHARING)
    source = Source(text)
    roots = None if may_share else _compose_without_schemas(source)
    if roots is None:
        roots = _compose(source, data.removeprefix(codecs.BOM_UTF8))
    has_aliases = may_share and _is_shared(roots)
    if has_aliases:
        _refuse_explosion(roots, expansion or Expansion())
        _refuse_alias_keys(roots)
    _refuse_ambiguous_characters(text, roots)
    repeated: list[Repeated] = []
    for root in roots if source.may_repeat else ():
        repeated += _find_repeated(root)
    wrong = next((one for one in repeated if not may_repeat or not _is_same(one.values)), None)
    if wrong is not None:
        raise Rejected(_duplicate(wrong))
    return Document(text, byte_order_mark, roots, has_aliases, tuple(repeated))


def _compose_without_schemas(source: Source) -> list[Node] | None:
    """Compose a text, but none of the schemas that can stay without nodes. None where in doubt."""
    text_ = source.text
    if KIND not in text_ or FIELD not in text_:
        return None
    if "\r" in text_ or "\ufeff" in text_ or any(one in text_ for one in _OTHER_BREAKS):
        return None
    spans = [span for span in find_schemas(text_) if _can_be_parsed(text_, span)]
    if not spans:
        return None
    try:
        roots = _compose(source, without(text_, spans))
    except Rejected:
        return None  # the whole text tells what is wrong, and where
    by_start = {span.start: span for span in spans}
    for parent in _find_holders(roots):
        for index, (key, value) in enumerate(parent.value):
            span = by_start.get(indented(text_, key.end + len(":\n")))
            if key.value == FIELD and span is not None and value.start == value.end:
                behind = [entry_start(text_, after) for after, _ in parent.value[index + 1 :]]
                schema = SchemaNode(source, span, [*behind, parent.end][0])
                parent.value[index] = key, cast("Node", schema)
                del by_start[span.start]
    return None if by_start else roots  # it is no schema, or not where a definition has one


def _find_holders(roots: list[Node]) -> Iterator[Mapping]:
    """Yield the mappings in which a CustomResourceDefinition has schemas."""
    stack = [*roots]
    while stack:
        node = stack.pop()
        kind = get(node, "kind")
        if is_scalar(kind) and kind.value == KIND:
            versions = elements(get(node, "spec", "versions"))
            holders = [*(get(one, "schema") for one in versions), get(node, "spec", "validation")]
            yield from (one for one in holders if is_mapping(one) and not one.flow_style)
        else:
            stack += elements(get(node, "items"))


def _can_be_parsed(text_: str, span: SchemaLines) -> bool:
    try:
        _yaml.CParser(whole_lines(text_, span).encode()).raw_parse()
    except yaml.YAMLError:
        return False
    return True


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Rejected(
            _at_offset(data, error.start, f"byte 0x{data[error.start]:02x} is not valid UTF-8")
        ) from error


def _at_offset(data: bytes, offset: int, message: str) -> Problem:
    line_start = data.rfind(b"\n", 0, offset) + 1
    column = len(data[line_start:offset].decode("utf-8", "replace")) + 1
    return Problem(message, line=data.count(b"\n", 0, offset) + 1, column=column)


class _Parser(_yaml.CParser):
    """libyaml's parser, composing nodes without resolving tags (half the time of the stock loader).

    It calls three hooks for each node. What they are here does nothing, in C, whatever it gets.
    """

    __slots__ = ("_source",)
    resolve: Any = ().__init__  # type: ignore[misc]  # of no subclass
    descend_resolver: Any = {}.get
    ascend_resolver: Any = {}.clear

    def __init__(self, source: Source, data: bytes) -> None:
        super().__init__(data)
        self._source = source

    def read_documents(self) -> list[Node]:
        """Read all documents into nodes of ours.

        The parser makes nodes by what it finds in its module, which belongs to all threads. So it
        only finds ours while no other thread is there.
        """
        names = vars(_yaml)
        ours = self._source.makers()
        library = {name: names[name] for name in ours}
        names.update(ours)
        try:
            return [*self._read_all()]
        finally:
            names.update(library)

    def _read_all(self) -> Iterator[Any]:
        while self.check_node():
            yield self.get_node()


_ANCHOR_AGAIN = "found duplicate anchor"
"""How libyaml's composer begins to say that it refuses an anchor which a document defines again."""


class _Recomposer:
    """Compose nodes from events as `_Parser` does, but let an anchor be defined again.

    YAML allows that, and kustomize, kubectl, helm and Flux read it: an alias means the latest
    definition in front of it. This takes several times as long, so only texts are read in this way
    that the other one has refused for it, and all of them where there is another thread.
    """

    def __init__(self, source: Source, data: bytes) -> None:
        self._parser = _yaml.CParser(data)
        self._open, self._makers = source.open, source.makers()
        self._roots: list[Node] = []
        self._entries: list[list[Any]] = [self._roots]
        self._anchors: dict[str, Any] = {}

    def read_documents(self) -> list[Node]:
        """Read all documents into nodes of ours. No recursion: the levels are Python's here."""
        while event := self._parser.get_event():
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors = {}
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self._anchors:
                    mark: Any = event.start_mark
                    raise yaml.composer.ComposerError(None, None, "found undefined alias", mark)
                self._entries[-1].append(self._anchors[event.anchor])
            elif isinstance(event, yaml.NodeEvent):
                self._add(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._close(event)
        return self._roots

    def _add(self, event: Any) -> None:
        tag = None if event.tag == "!" else event.tag
        start, end = event.start_mark, event.end_mark
        if isinstance(event, yaml.ScalarEvent):
            node = self._makers["ScalarNode"](tag, event.value, start, end, event.style or "")
        else:
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            make = self._makers["MappingNode" if is_mapping else "SequenceNode"]
            node = make(tag, [], start, None, event.flow_style)
        if event.anchor is not None:
            self._anchors[event.anchor] = node  # from its start: an alias inside may mean it
        self._entries[-1].append(node)
        if node.id != "scalar":
            self._entries.append([])

    def _close(self, event: Any) -> None:
        node, entries = self._open[-1], self._entries.pop()
        node.value = (
            [*zip(entries[::2], entries[1::2], strict=True)] if node.id == "mapping" else entries
        )
        node.end_mark = event.end_mark


def _compose(
    source: Source, data: bytes, reader: type[_Parser] | type[_Recomposer] = _Parser
) -> list[Node]:
    parser = (reader if _is_alone() else _Recomposer)(source, data)
    try:
        return parser.read_documents()
    except yaml.MarkedYAMLError as error:
        if (error.context or "").startswith(_ANCHOR_AGAIN):
            source.forget()
            return _compose(source, data, _Recomposer)
        what = ", ".join(filter(None, [error.problem, error.context]))
        found = error.problem_mark or error.context_mark
        mark = Mark(found.line, found.column) if found else None
        raise Rejected(at(mark, f"invalid YAML: {what}{_hint(data, mark)}")) from error
    except yaml.reader.ReaderError as error:
        character = "a character"
        if isinstance(error.character, int):
            character = f"character U+{error.character:04X}"
        raise Rejected(
            _at_offset(data, error.position, f"invalid YAML: {character} is not allowed")
        ) from error
    except UnicodeDecodeError as error:
        # libyaml looks at the first bits of each byte that a tag has as %XX, which lets surrogates
        # and others pass.
        message = "invalid YAML: a tag in here contains %XX that is not valid UTF-8"
        around = source.open[-1].start_mark if source.open else None
        raise Rejected(at(around, message)) from error
    finally:
        source.forget()


def _hint(data: bytes, mark: Mark | None) -> str:
    """Recognise a template of Helm or a conflict of git in the line of an error, or before it."""
    lines = data.split(b"\n")[max(mark.line - 1, 0) : mark.line + 1] if mark else []
    if any(b"{{" in line for line in lines):
        return f"; {UNRENDERED}"
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
    """Raise where an alias is inside its anchor, or aliases stand for many times the text."""
    sizes: dict[Node, int] = {}

    def size(node: Node) -> int:
        known = sizes.get(node)
        if known == 0:
            raise Rejected(
                at(
                    node.start_mark,
                    "an alias is inside its own anchor, so the document would never end",
                )
            )
        if known is None:
            sizes[node] = 0
            known = 1 + sum(size(child) for child in children(node))
            sizes[node] = known
        return known

    expanded = sum(size(root) for root in roots)
    expansion.add(len(sizes), expanded, max(roots, key=size))


def _refuse_alias_keys(roots: list[Node]) -> None:
    """Raise where an alias is a key.

    In `*a: b` the alias is `a` to some parsers, and `a:` to others.
    """
    for node in walk(roots):
        if node.id != "mapping":
            continue
        behind = node.start
        for key, value in node.value:
            if key.start < behind:  # an alias has the marks of its anchor
                # Not what it stands for: that may be the value of a Secret.
                message = "an alias stands for a key of this mapping, which some parsers read in another way; "
                raise Rejected(at(node.start_mark, message + "write the key out"))
            behind = max(behind, key.end, value.end)


def _refuse_ambiguous_characters(text: str, roots: list[Node]) -> None:
    """Raise at a character that parsers read in different ways, unless quotes or a block hold it.

    Such a character ends a line in YAML 1.1, but not in 1.2, or it is a byte order mark in front of
    a line, which some parsers count as indentation.
    """
    if "\r" in text and (marker := re.search(_LONE_MARKER, text)):
        line = len(re.split(_ANY_BREAK, text[: marker.start() + 1]))
        message = "a carriage return alone ends this line, and kubectl finds no document behind it; use line feeds"
        raise Rejected(Problem(message, line=line, column=1))
    places = []
    if any(one in text for one in _OTHER_BREAKS):
        places += [match.start() for match in re.finditer(f"[{_OTHER_BREAKS}]", text)]
    if "\ufeff" in text:
        places += [match.start() for match in re.finditer(_INNER_MARK, text)]
    if not places:
        return
    # The last line break of a block is not inside of it: to others, what follows would be.
    spans = sorted(
        (node.start, node.end - 1 if node.style in ("|", ">") else node.end)
        for node in walk(roots)
        if is_scalar(node) and node.style
    )
    for place in places:
        before = bisect_right(spans, place, key=itemgetter(0))
        if not before or place >= spans[before - 1][1]:
            *lines, last = re.split(_ANY_BREAK, text[:place])
            is_mark = text[place] == "\ufeff"
            what = "counts as indentation" if is_mark else "ends a line"
            message = f"character U+{ord(text[place]):04X} {what} to some YAML parsers, and not to others; remove it"
            raise Rejected(Problem(message, line=len(lines) + 1, column=len(last) + 1))


def _find_repeated(root: Node) -> Iterator[Repeated]:
    """Find the second of each two equal keys."""
    for node in walk([root], into_unread=False):
        # There is none in a schema without nodes.
        if is_mapping(node) and not isinstance(node, SchemaNode):
            yield from _repeated_in(node)


def _repeated_in(mapping: Mapping) -> Iterator[Repeated]:
    by_name: dict[str, list[tuple[Scalar, Node]]] = {}
    for key, value in mapping.value:
        if is_scalar(key):
            by_name.setdefault(key.value, []).append((key, value))
    for pairs in by_name.values():
        if len(pairs) > 1:
            yield Repeated(
                mapping,
                pairs[1][0],
                tuple(value for _, value in pairs),
                pairs[0][0].start_mark.line + 1,
            )


def _is_same(values: tuple[Node, ...]) -> bool:
    """Tell whether values are written alike, but for layout and quotes without a meaning."""
    stack = [(values[0], other) for other in values[1:]]
    while stack:
        one, other = stack.pop()
        if (one.id, one.tag) != (other.id, other.tag):
            return False
        if is_scalar(one) and is_scalar(other):
            is_alike = bool(one.style) == bool(other.style) or is_text_to_all(one.value)
            if one.value != other.value or not is_alike:
                return False
        else:
            pairs = [*children(one)], [*children(other)]
            if len(pairs[0]) != len(pairs[1]):
                return False
            stack += zip(*pairs, strict=True)
    return True


def _duplicate(one: Repeated) -> Problem:
    message = f"duplicate key {one.key.value!r}; the first is on line {one.first_line}"
    return at(one.key.start_mark, message)
