"""Ways in which a response reaches a client otherwise than an API server has sent it, drawn by chance.

What is whole and only looks another way is among them, so that a client that refuses everything is noticed too.
Nothing here invents a whole list with fewer objects: no client can tell that from the truth.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any, NamedTuple

from tests.wait import FOREVER, SLOWLY, linger

Write = Callable[[bytes], object]


class Right(NamedTuple):
    """What the API server has answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Send = Callable[[Right, Write], None]
"""Writes a response onto a connection, which is closed afterwards."""


def send(right: Right, write: Write, *, announced: int | None = None) -> None:
    """Send a response as it is.

    `announced`: the length that its header claims; -1 for no such header.
    """
    length = len(right.body) if announced is None else announced
    framing = (
        {}
        if length < 0 or "Transfer-Encoding" in right.headers
        else {"Content-Length": str(length)}
    )
    lines = [
        f"{name}: {value}"
        for name, value in {**right.headers, **framing, "Connection": "close"}.items()
    ]
    write("\r\n".join([f"HTTP/1.1 {right.status} Said", *lines, "", ""]).encode() + right.body)


def with_body(right: Right, body: bytes, **headers: str) -> Right:
    return right._replace(
        body=body,
        headers={**right.headers, **{name.replace("_", "-"): headers[name] for name in headers}},
    )


def _content(right: Right) -> Any:
    try:
        return json.loads(right.body)
    except ValueError:
        return {}


def change_json(change: Callable[[Any], Any]) -> Send:
    return lambda right, write: send(
        with_body(right, json.dumps(change(_content(right))).encode()), write
    )


def _without_items(status: int) -> Send:
    def lose(right: Right, write: Write) -> None:
        content = _content(right)
        lost = {**content, "items": []} if isinstance(content, dict) else content
        send(with_body(right, json.dumps(lost).encode())._replace(status=status), write)

    return lose


def _dripped(right: Right, write: Write) -> None:
    send(right._replace(body=b""), write, announced=len(right.body))
    for byte in right.body:
        write(bytes([byte]))
        linger(SLOWLY)


def _dripped_headers(_: Right, write: Write) -> None:
    write(b"HTTP/1.1 200 OK\r\n")
    while True:
        write(b"x-slow: 1\r\n")
        linger(SLOWLY)


def _silent(_right: Right, _write: Write) -> None:
    linger(FOREVER)


def _chunked(right: Right, write: Write, *, until: int | None = None, size: int = 7) -> None:
    body = right.body[:until]
    write(b"")
    send(with_body(right, b"", Transfer_Encoding="chunked"), write)
    for start in range(0, len(body), size):
        part = body[start : start + size]
        write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
    if until is None:
        write(b"0\r\n\r\n")


WRONG_CONTENT: tuple[Any, ...] = (
    *({}, [], None, 7, "no", True),
    {"kind": "Status", "apiVersion": "v1", "status": "Success", "metadata": {}},
    {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 500, "items": []},
    {"error": "login"},
    {"items": {}},
    {"items": "none"},
    {"items": [None]},
    {"items": [], "metadata": {"continue": 1}},
    {"items": [], "metadata": {"remainingItemCount": 3}},
    {"items": [], "metadata": {"remainingItemCount": 3, "continue": ""}},
    {"items": [], "kind": "PodMetricsList"},
    {"items": [], "kind": "List", "apiVersion": "v1"},
    {"items": [{"metadata": {"name": "x"}}]},
    {"items": [{"kind": "Event", "metadata": {"name": "x", "uid": "u"}}]},
    {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "shop", "uid": "u"}},
)

STATUSES = (
    100,
    101,
    199,
    201,
    202,
    203,
    204,
    205,
    206,
    207,
    226,
    299,
    300,
    302,
    304,
    308,
    400,
    401,
    403,
    404,
    405,
    406,
)
MORE_STATUSES = (
    409,
    410,
    415,
    418,
    422,
    429,
    431,
    451,
    499,
    500,
    501,
    502,
    503,
    504,
    511,
    520,
    599,
    600,
    999,
)


@cache
def _bomb() -> bytes:
    return gzip.compress(b'{"items": [' + b" " * 60_000_000, 9)


def _draw_content(random: Random) -> Send:
    return change_json(lambda _: random.choice(WRONG_CONTENT))


def _draw_field(random: Random) -> Send:
    """Take a field of a list away, or write something else into it."""
    field = random.choice(["kind", "apiVersion", "items", "metadata"])
    value: Any = random.choice(
        [None, {}, [], "x", 0, 1, True, "Status", [[]], [{}], {"continue": []}]
    )
    is_lost = random.random() < 0.4

    def change(content: Any) -> Any:
        if not isinstance(content, dict):
            return content
        left = {key: content[key] for key in content if key != field}
        # An empty list in a whole frame is the truth of another moment, and null means the same.
        is_whole = field == "items" and (value == [] or value is None)
        return left if is_lost or is_whole else {**left, field: value}

    return change_json(change)


def _draw_order(random: Random) -> Send:
    """Show objects and fields in another order, and some objects twice."""

    def change(content: Any) -> Any:
        if not isinstance(content, dict):
            return content
        items = content.get("items")
        if isinstance(items, list):
            items = [*items, *items[: random.randrange(3)]]
            random.shuffle(items)
            content = {**content, "items": items}
        return dict(reversed(content.items()))

    return change_json(change)


def _draw_status(random: Random) -> Send:
    return _without_items(random.choice((*STATUSES, *MORE_STATUSES)))


def _draw_encoding(random: Random) -> Send:
    def encode(right: Right, write: Write) -> None:
        name, body = random.choice(
            [
                ("gzip", gzip.compress(right.body)),
                ("gzip", gzip.compress(right.body)[:-4]),
                ("gzip", gzip.compress(right.body)[: len(right.body) // 3]),
                ("gzip", gzip.compress(right.body) + b"more"),
                ("gzip", right.body),
                ("gzip", b""),
                ("deflate", zlib.compress(right.body)),
                ("gzip, gzip", gzip.compress(gzip.compress(right.body))),
                ("br", right.body),
                ("identity", right.body),
                ("gzip", _bomb()),
                ("gzip, gzip", gzip.compress(_bomb())),
            ]
        )
        send(with_body(right, body, Content_Encoding=name), write)

    return encode


def _draw_framing(random: Random) -> Send:
    def frame(right: Right, write: Write) -> None:
        cut = random.randrange(len(right.body) + 1)
        way = random.randrange(9)
        if way == 0:
            send(right, write, announced=len(right.body) + 1 + cut)
        elif way == 1:
            send(right, write, announced=cut)
        elif way == 2:
            send(with_body(right, right.body[:cut]), write)
        elif way == 3:
            send(with_body(right, right.body[:cut]), write, announced=-1)
        elif way == 4:
            _chunked(right, write, size=random.choice([1, 7, 4096]))
        elif way == 5:
            _chunked(right, write, until=cut, size=4096)
        elif way == 6:
            send(right, write, announced=-1)
        elif way == 7:
            write(random.randbytes(random.randrange(200)))
        else:
            write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 2\r\n\r\n{}")

    return frame


def _draw_type(random: Random) -> Send:
    kind = random.choice(
        ["text/html", "", "application/vnd.kubernetes.protobuf", "application/yaml", "x" * 9000]
    )
    body = random.choice(
        [None, b"<html>Log in</html>", b"k8s\x00\x0a", b"items: []\n", b"\xff\xfe", b"[" * 50_000]
    )
    return lambda right, write: send(
        with_body(right, right.body if body is None else body, Content_Type=kind), write
    )


def _draw_date(random: Random) -> Send:
    date = random.choice(["", "yesterday", "0", "Thu, 01 Jan 1970 00:00:00 GMT", "\u0664"])
    return lambda right, write: send(with_body(right, right.body, date=date), write)


def _draw_pace(random: Random) -> Send:
    return random.choice([_dripped, _dripped_headers, _silent, lambda _right, _write: None])


DRAWS: Mapping[str, Callable[[Random], Send]] = {
    "content": _draw_content,
    "field": _draw_field,
    "order": _draw_order,
    "status": _draw_status,
    "encoding": _draw_encoding,
    "framing": _draw_framing,
    "type": _draw_type,
    "date": _draw_date,
    "pace": _draw_pace,
}


class Distortion(NamedTuple):
    """How responses are distorted, and to which requests, in a sentence and as functions."""

    sentence: str
    is_due: Callable[[str, str], bool]
    send: Send


def draw_distortion(random: Random, plurals: tuple[str, ...]) -> Distortion:
    """Draw one. `is_due` is asked once for each request, with its method and the last part of its path."""
    name = random.choice([*DRAWS])
    way = random.choice(["kind", "kind", "kind", "some", "one", "writes"])
    plural, first, chance = (
        random.choice(plurals),
        random.randrange(1, 6),
        random.choice([0.02, 0.1, 0.5]),
    )
    seen = 0

    def is_due(method: str, plural_asked: str) -> bool:
        nonlocal seen
        is_candidate = {
            "kind": method == "GET" and plural_asked == plural,
            "writes": method in {"PATCH", "DELETE"},
        }.get(way, True)
        seen += is_candidate
        if not is_candidate:
            return False
        if way == "some":
            return random.random() < chance
        return seen == first * 12 if way == "one" else seen >= first

    return Distortion(f"{name}, {way}, {plural}, {first}, {chance}", is_due, DRAWS[name](random))
