"""Open a text and find the objects in it.

It is a ResourceList, a List, or a stream of documents, which can be split and joined.
"""

import codecs
import re
from base64 import b64decode
from binascii import Error
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Final

from krm_fn.base.item import DATA_FIELDS, Item, find_objects, read_item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Mapping,
    Node,
    Sequence,
    describe,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    text,
    walk,
)
from krm_fn.base.problem import Problem, Rejected, at
from krm_fn.core.yaml import layout
from krm_fn.core.yaml.reader import Document, read_yaml

API_VERSIONS = (
    "config.kubernetes.io/v1",
    "config.kubernetes.io/v1beta1",
    "config.kubernetes.io/v1alpha1",
)

_SOURCE = r"# Source: \S+/templates/"

# A shorthand may have any prefix, and characters of a tag may be escaped. It is behind a blank or a
# sign of YAML: an exclamation mark within a word, as in the patterns of definitions, begins none.
_ENCODED = r"!(?<![^\s\[\]{},:?-]!)(?:\S*(binary|%)|\S*+)"
_NAME = rb"[\w./:-]{1,253}"

# At the start of a line these always end a document, whatever scalar or bracket is open.
_BORDER = (
    r"---(?<![^\r\n\x85\u2028\u2029]---)(?=\s|\Z)"
    r"|\.\.\.(?<![^\r\n\x85\u2028\u2029]\.\.\.)(?=\s|\Z)[^\r\n]*(?:\r\n|[\r\n]|\Z)"
)
_MARKER = r"---(?:\s|\Z)"

# What may be in front of the first document: blank lines, comments, `%YAML` and `%TAG`.
_PROLOGUE = r"(?:(?:[ \t]*(?:#[^\r\n]*)?|%[^\r\n]*)(?:\r\n|[\r\n]))+"
_DIRECTIVE = r"(?m)^%"

_BLOCK_HEADER = r"([|>])[+-]?([1-9]?)[+-]?"


class Envelope:
    """A text and the objects in it, a key by identity.

    `resource_list` is the ResourceList around the objects, None for a List or plain documents;
    `function_config` is the functionConfig in it.
    """

    __slots__ = ("document", "function_config", "items", "resource_list")

    def __init__(
        self,
        document: Document,
        items: list[Item],
        resource_list: Mapping | None = None,
        function_config: Node | None = None,
    ) -> None:
        self.document: Final = document
        self.items: Final = items
        self.resource_list: Final = resource_list
        self.function_config: Final = function_config

    def encode(self, text: str) -> bytes:
        """Return another version of the text as bytes, with the byte order mark of the input."""
        return (codecs.BOM_UTF8 if self.document.byte_order_mark else b"") + text.encode()

    def join(self, other: "Envelope") -> bytes:
        """Return the objects of both streams. The first has precedence where both have an id."""
        known = {item.id for item in self.items}
        parts = {part.root: part for part in split_documents(other.document)}
        texts = [self.document.text]
        for item in other.items:
            if item.id not in known and item.node in parts:
                part = parts[item.node]
                texts.append(other.document.text[part.start : part.end])
        return self.encode(join_streams(texts))


def open_envelope(document: Document, origin: str = "") -> Envelope:
    """Find the objects in a text. Raises Rejected where there are none.

    `origin` is the name of the file the text was read from, if any.
    """
    wrapped = [
        root
        for root in document.roots
        if is_mapping(root) and text(get(root, "kind")) == "ResourceList"
    ]
    if not wrapped:
        items = _read_items(document, find_objects(document.roots), origin)
        # From an empty output, a deployer would conclude that everything must be deleted.
        if not items:
            raise Rejected(
                Problem(
                    "no objects in the input; expected a ResourceList, a List, or YAML documents"
                )
            )
        return Envelope(document, items)
    if document.repeated:  # no orchestrator writes such a list
        read_yaml(document.text.encode())
    others = [root for root in document.roots if root is not wrapped[0] and not is_null(root)]
    if others:
        raise Rejected(
            at(others[0].start_mark, "found another document; a ResourceList must be the only one")
        )
    return _open_resource_list(document, wrapped[0], origin)


def _open_resource_list(document: Document, root: Mapping, origin: str) -> Envelope:
    api_version = get(root, "apiVersion")
    if text(api_version) not in API_VERSIONS:
        where = (api_version or root).start_mark
        found = f"found {text(api_version)!r}" if api_version else "missing"
        raise Rejected(
            at(where, f"ResourceList apiVersion: {found}, allowed: {', '.join(API_VERSIONS)}")
        )
    items = get(root, "items")
    if items is None:
        raise Rejected(
            at(root.start_mark, "ResourceList items: missing; write `items: []` for no objects")
        )
    if not is_sequence(items) and not is_null(items):
        raise Rejected(
            at(items.start_mark, f"ResourceList items: expected a list, found {describe(items)}")
        )
    config = get(root, "functionConfig")
    objects = _read_items(document, find_objects(items.value if is_sequence(items) else []), origin)
    return Envelope(document, objects, root, None if is_null(config) else config)


def _read_items(document: Document, nodes: list[Mapping], origin: str) -> list[Item]:
    sourced = _find_sourced(document.text, nodes)
    items = [read_item(node, origin, is_of_template=node in sourced) for node in nodes]
    _refuse_encoded_names(document, items)
    return items


def _find_sourced(text: str, nodes: list[Mapping]) -> set[Mapping]:
    """Find the objects right behind a comment of Helm: `# Source: chart/templates/a.yaml`."""
    comments = [*re.finditer(_SOURCE, text)] if "# Source: " in text else []
    in_order = sorted(nodes, key=_start) if comments else []
    sourced = set()
    for comment in comments:
        behind = bisect_right(in_order, comment.start(), key=_start)
        # Else it is in its data.
        is_between = not behind or layout.node_end(text, in_order[behind - 1]) <= comment.start()
        if behind < len(in_order) and is_between:
            sourced.add(in_order[behind])
    return sourced


def _start(node: Node) -> int:
    return node.start


def _refuse_encoded_names(document: Document, items: list[Item]) -> None:
    """Raise at a name, a kind or a key in base64, which other tools decode.

    Data of objects may be in base64.
    """
    signs: list[int] = []
    if "!" in document.text:
        signs += (found.start() for found in re.finditer(_ENCODED, document.text) if found[1])
    if not signs:
        return
    for item in items:
        start, end = item.node.start, item.node.end
        has_sign = bisect_left(signs, start) < bisect_left(signs, end)
        if not has_sign and not document.has_aliases:  # an alias may mean a text of another object
            continue
        own: list[Node] = []
        for name, value in item.node.value:
            own.append(name)
            if name.value not in DATA_FIELDS:
                own.append(value)
        # What has no nodes yet has no such tag either (`schemas`).
        for node in walk(own, into_unread=False):
            is_binary = node.tag == "tag:yaml.org,2002:binary" and is_scalar(node)
            if is_binary and re.fullmatch(_NAME, _decode(node.value)):
                message = "a name, kind or key must not be in base64 (!!binary); write it out"
                raise Rejected(at(node.start_mark, message))


def _decode(value: str) -> bytes:
    try:
        return b64decode(value)
    except Error:  # other tools fail as well
        return b""


class Part(NamedTuple):
    """One document and its span, with its marker and the comments around it."""

    start: int
    end: int
    root: Node


def split_documents(document: Document) -> Iterator[Part]:
    """Yield every document that is not empty."""
    found = [match.span() for match in re.finditer(_BORDER, document.text)]
    inner = (start if document.text.startswith("-", start) else end for start, end in found)
    borders = sorted({0, *inner, len(document.text)})
    for root in document.roots:
        if not is_null(root):
            index = bisect_right(borders, root.start)
            yield Part(borders[index - 1], borders[index], root)


def join_streams(texts: list[str]) -> str:
    """Join streams to one, with a marker in front of each. One alone stays as it is.

    The first of several needs a marker too: kubectl reads a stream that begins with a brace as JSON
    to its end.
    """
    plain = [*map(_comment_directives, texts)]
    if len(plain) == 1:
        return plain[0]
    return "".join(_with_marker(text) for text in [*map(end_last_line, plain[:-1]), *plain[-1:]])


def _comment_directives(text: str) -> str:
    """Turn directives into comments.

    kubectl and Argo CD split a stream before they parse it, and fail at `%YAML`.
    """
    prologue = re.match(_PROLOGUE, text)
    head = prologue.group() if prologue else ""
    return re.sub(_DIRECTIVE, "#", head) + text[len(head) :]


def _with_marker(text: str) -> str:
    return text if re.match(_MARKER, text) else "---\n" + text


def end_last_line(text: str) -> str:
    """Add the line feed that the last line lacks, without changing any value.

    A block scalar that ends with the file, without a line break, has none in its value; with one it
    would. To YAML, a carriage return alone is a line break too, but kubectl looks for markers
    behind line feeds only.
    """
    if not text or text[-1] == "\n":
        return text
    if text[-1] == "\r":
        return text + "\n"
    line_break = "\n" if layout.line_break(text) == "\n" else "\r\n"
    scalar = _last_block_scalar(text)
    if scalar is None:
        return text + line_break
    if str(scalar.value).endswith("\n"):  # its last line is only spaces
        return end_last_line(text.rstrip(" "))
    start = layout.content_start(text, scalar)
    return text[:start] + re.sub(_BLOCK_HEADER, r"\1\2-", text[start:], count=1) + line_break


def _last_block_scalar(text: str) -> Node | None:
    """Return the block scalar that the text ends in; None if it ends in anything else."""
    roots = read_yaml(text.encode(), may_repeat=True).roots
    node = roots[-1] if roots else None
    while node is not None and node.value and not is_scalar(node):
        node = node.value[-1][1] if node.id == "mapping" else node.value[-1]
    ends_here = is_scalar(node) and node.style in ("|", ">") and not text[node.end :].strip(" ")
    return node if ends_here else None


def open_list(text: str, wrapper: Mapping) -> str:
    """Turn the objects in `items` into documents, as written, but moved to the left margin."""
    items = get(wrapper, "items")
    if not is_sequence(items):
        return ""
    key = next((key for key, value in wrapper.value if value is items), items)
    objects = _in_brackets(text, items) if items.flow_style else _in_lines(text, key, items)
    return "".join(f"---\n{item}" for item in objects)


def _in_brackets(text: str, items: Sequence) -> Iterator[str]:
    return (text[item.start : item.end] + "\n" for item in items.value if not is_null(item))


def _in_lines(text: str, key: Node, items: Sequence) -> Iterator[str]:
    """Yield each object with the comments above it.

    Those of the first begin behind `key`, but not for an alias.
    """
    dash = layout.indentation(text, items)
    first = layout.line_start(text, layout.content_start(text, items))
    start = min(first, layout.line_after(text, key.end)[0])
    for item in items.value:
        end, _ = layout.line_after(text, layout.node_end(text, item))
        lines = text[start:end].splitlines(keepends=True)
        if not is_null(item):
            yield end_last_line(
                "".join(_to_the_left(_without_dash(lines, dash), _column(text, item)))
            )
        start = end


def _column(text: str, item: Node) -> int:
    is_flow = item.id == "scalar" or item.flow_style  # type: ignore[attr-defined]  # only scalars have none
    return item.column if is_flow else layout.indentation(text, item)


def _without_dash(lines: list[str], column: int) -> Iterator[str]:
    found = False
    for line in lines:
        is_dash = not found and line[column : column + 1] == "-" and not line[:column].strip()
        found = found or is_dash
        yield line[:column] + " " + line[column + 1 :] if is_dash else line


def _to_the_left(lines: Iterator[str], columns: int) -> Iterator[str]:
    for line in lines:
        indented = len(line) - len(line.lstrip(" "))
        yield line[min(columns, indented) :]
