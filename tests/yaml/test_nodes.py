"""Nodes say what those of the library say, with or without other threads, and these see only the library's."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Event, Thread
from typing import Any

import pytest
import yaml
from yaml import _yaml

from krm_fn.base.node import Node
from krm_fn.base.problem import Rejected
from krm_fn.core.yaml.reader import MappingNode, ScalarNode, SequenceNode, read_yaml
from tests.cases import REJECTIONS, TRANSFORMS
from tests.yaml.redefined import SafeLoader
from tests.yaml.test_yaml_styles import WRAPPINGS, make_package, wrap
from tests.yaml.yaml_styles import Styles

OURS = (ScalarNode, MappingNode, SequenceNode)


def samples() -> Iterator[bytes]:
    yield from ((case / "input.yaml").read_bytes() for case in TRANSFORMS + REJECTIONS)
    rng = Random("samples")
    for line_break in ("\n", "\r\n", "\r"):
        for _ in range(100):
            text = Styles(rng).stream(wrap(make_package(rng), rng.choice(WRAPPINGS)))
            yield text.replace("\n", line_break).encode()
    yield 'a: "x\u2028  y"\nb: |\n  c\x85  d\ne:\n- f\r- g\n'.encode()


class _Untagged(yaml.CSafeLoader):
    """The library's composer, with the tags that are written."""

    def resolve(self, *_: Any) -> None:
        return None


class _UntaggedAgain(SafeLoader):
    """The same, in which an anchor may be defined again."""

    def resolve(self, *_: Any) -> None:
        return None


def compose(data: bytes) -> list[Any]:
    try:
        return [*_compose_all(_Untagged(data))]
    except yaml.composer.ComposerError:
        return [*_compose_all(_UntaggedAgain(data))]


def _compose_all(loader: Any) -> Iterator[Any]:
    while loader.check_node():
        yield loader.get_node()


def spell(roots: list[Any]) -> list[Any]:
    """List what nodes say, each once, and where they are in which others."""
    numbers: dict[Any, int] = {}
    spelled: list[Any] = []
    stack = roots[::-1]
    while stack:
        node = stack.pop()
        if node in numbers:
            spelled.append(numbers[node])
            continue
        numbers[node] = len(numbers)
        below = [one for pair in node.value for one in pair] if node.id == "mapping" else node.value
        is_scalar = node.id == "scalar"
        spelled.append(
            (
                node.id,
                node.tag,
                *place_of(node),
                (node.style or "") if is_scalar else bool(node.flow_style),
            )
        )
        spelled.append(node.value if is_scalar else len(node.value))
        stack.extend([] if is_scalar else below[::-1])
    return spelled


def place_of(node: Any) -> tuple[int, int, int, int, int]:
    line, column = node.start_mark.line, node.start_mark.column
    if isinstance(node, OURS):
        return node.start, node.end, line, column, node.column
    return node.start_mark.index, node.end_mark.index, line, column, column


def read(data: bytes) -> list[Node] | None:
    try:
        return read_yaml(data).roots
    except Rejected:
        return None


@contextmanager
def another_thread() -> Iterator[None]:
    event = Event()
    thread = Thread(target=event.wait)
    thread.start()
    try:
        yield
    finally:
        event.set()
        thread.join()


def test_they_say_what_those_of_the_library_say() -> None:
    checked = 0
    for data in samples():
        roots = read(data)
        with another_thread():
            beside_others = read(data)
        assert (roots is None) == (beside_others is None)
        if roots is not None and beside_others is not None:
            plain = compose(data.removeprefix(b"\xef\xbb\xbf"))
            assert spell(plain) == spell(roots) == spell(beside_others), data
            assert {type(one) for one in [*roots, *beside_others]} <= {*OURS}
            checked += 1
    assert checked > 400


def test_equal_texts_are_one() -> None:
    first, second = (
        pair[0].value for root in read_yaml(b"some: a\n---\nsome: b\n").roots for pair in root.value
    )
    assert first is second


@pytest.mark.parametrize(
    "data",
    [b"a: [1]\n", b"a: [\n", b"[" * 500, b"a: !t%ff b"],
    ids=["right", "no YAML", "deep", "a wrong tag"],
)
def test_the_library_has_its_nodes_back(data: bytes) -> None:
    before = {name: vars(_yaml)[name] for name in ("ScalarNode", "MappingNode", "SequenceNode")}
    assert read(data) is None or data == b"a: [1]\n"
    assert {name: vars(_yaml)[name] for name in before} == before
    assert before["ScalarNode"] is yaml.ScalarNode


def test_other_threads_read_as_ever() -> None:
    package = next(samples())
    expected = list(yaml.load_all(package, yaml.CSafeLoader))
    failures: list[object] = []
    done = Event()

    def load() -> None:
        while not done.is_set():
            found = list(yaml.load_all(package, yaml.CSafeLoader))
            if found != expected:
                failures.append(found)

    thread = Thread(target=load)
    thread.start()
    try:
        for _ in range(300):
            read_yaml(package)
    finally:
        done.set()
        thread.join()
    assert not failures


_LOAD = r"""
import re, threading
done = threading.Event()
{before}
import krm_fn.core.yaml.reader, yaml
done.set()
assert isinstance(re.compile("a"), re.Pattern)
print(type(yaml.reader.Reader.NON_PRINTABLE).__name__)
print(yaml.safe_load("{a: 1.5, b: 0x1F, c: 2026-01-02, d: yes, e: ~, f: 1:30, <<: {g: 1_0}}"))
try:
    yaml.safe_load("a: \x7f")
except yaml.reader.ReaderError as error:
    print(error.reason)
"""


@pytest.mark.parametrize(
    ("before", "pattern"),
    [
        pytest.param("", "_Unmade", id="alone, it makes its patterns when somebody uses them"),
        pytest.param(
            "threading.Thread(target=done.wait).start()",
            "Pattern",
            id="another thread never gets a pattern that is none",
        ),
        pytest.param("import yaml", "Pattern", id="what is imported stays as it is"),
    ],
)
def test_the_reader_in_python_reads_as_ever(before: str, pattern: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOAD.replace("{before}", before)], capture_output=True, check=True
    )
    values = "{'g': 10, 'a': 1.5, 'b': 31, 'c': datetime.date(2026, 1, 2), 'd': True, 'e': None, 'f': 90}"
    refused = "special characters are not allowed"
    assert done.stdout.decode().splitlines() == [pattern, values, refused]
