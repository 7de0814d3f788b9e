"""An error has its line and column, and whatever is accepted can be walked by all later code."""

import time

import pytest

from krm_fn.base.problem import Rejected
from krm_fn.core.yaml.reader import MAX_DEPTH, Expansion, Exploded, read_yaml
from krm_fn.function import run


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        pytest.param(
            b"a: b\n? [x]\n: c\na: d\n",
            "line 4, column 1: duplicate key 'a'; the first is on line 1",
            id="beside a key that is a list",
        ),
        pytest.param(
            b"? {a: 1, a: 2}\n: c\n",
            "line 1, column 10: duplicate key 'a'; the first is on line 1",
            id="inside a key",
        ),
        pytest.param(
            "ä: [\n".encode(),
            "line 2, column 1: invalid YAML: did not find expected node content, while parsing a flow node",
            id="behind a character of two bytes",
        ),
        pytest.param(
            "ä: \udcff".encode("utf-8", "surrogateescape"),
            "line 1, column 4: byte 0xff is not valid UTF-8",
            id="a byte behind a character of two",
        ),
        pytest.param(
            b"\xff\xfea\x00",
            "line 1, column 1: byte 0xff is not valid UTF-8",
            id="UTF-16",
        ),
        pytest.param(
            b"a: \x07",
            "line 1, column 4: invalid YAML: character U+0007 is not allowed",
            id="a control character",
        ),
        pytest.param(
            "\ufeff\ufeffa: b\n".encode(),
            "line 1, column 1: character U+FEFF counts as indentation to some YAML parsers, and not to others; "
            "remove it",
            id="a second byte order mark",
        ),
        pytest.param(
            "a:\n\ufeff  b: c\n".encode(),
            "line 2, column 1: character U+FEFF counts as indentation to some YAML parsers, and not to others; "
            "remove it",
            id="a byte order mark in front of a line",
        ),
        pytest.param(
            "a: |\n  b\u2028c: d\n".encode(),
            "line 2, column 4: character U+2028 ends a line to some YAML parsers, and not to others; remove it",
            id="a line separator that ends a block",
        ),
        pytest.param(
            b"%YAML 3.0\n---\na: b\n",
            "line 1, column 1: invalid YAML: found incompatible YAML document",
            id="an unknown version of YAML",
        ),
        pytest.param(
            b"a:\n  b: !%ED%A0%80 c\n",
            "line 2, column 3: invalid YAML: a tag in here contains %XX that is not valid UTF-8",
            id="a surrogate in a tag",
        ),
        pytest.param(
            b"%TAG ! x%C0%80\n--- !b c\n",
            "invalid YAML: a tag in here contains %XX that is not valid UTF-8",
            id="a longer form than needed in the prefix of a tag",
        ),
        pytest.param(
            b"a: b\nc: d\r---\ne: f\n",
            "line 3, column 1: a carriage return alone ends this line, and kubectl finds no document behind it; "
            "use line feeds",
            id="a carriage return in front of a marker",
        ),
        pytest.param(
            b"a: b\n--- # c\re: f\n",
            "line 2, column 1: a carriage return alone ends this line, and kubectl finds no document behind it; "
            "use line feeds",
            id="a carriage return behind a marker",
        ),
        pytest.param(
            b"a: b\n...\r",
            "line 2, column 1: a carriage return alone ends this line, and kubectl finds no document behind it; "
            "use line feeds",
            id="a carriage return behind the end of a document",
        ),
    ],
)
def test_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(Rejected) as caught:
        read_yaml(data)
    assert [str(problem) for problem in caught.value.problems] == [sentence]


@pytest.mark.parametrize(
    "data",
    [
        b"a: b\r\n---\r\nc: d\r\n...\r\n",
        b"a: b\rc: d\r",
        b'a: "\n\r --- b"\r',
        b"a: --- \rb: ...\r",
        b"a: |\r ---\r",
    ],
)
def test_other_carriage_returns_are_allowed(data: bytes) -> None:
    assert read_yaml(data).roots


def test_the_aliases_of_all_texts_have_one_limit() -> None:
    text = b"a: &a [1, 2, 3]\nb: [" + b", ".join([b"*a"] * 150_000) + b"]\n"
    expansion = Expansion()
    read_yaml(text, expansion)
    read_yaml(text)
    with pytest.raises(
        Exploded,
        match="line 1, column 1: aliases expand 16 YAML nodes to 1200016, allowed: 1000000",
    ):
        read_yaml(text, expansion)


def test_values_of_data_share_the_limit_of_the_run() -> None:
    """Each value alone may be read: 13 KB of them took two minutes and two gigabytes."""
    lines = [
        "a: &a0 {secret: b}",
        *(f"a{n}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]" for n in range(5)),
    ]
    value = "|\n" + "".join(f"      {line}\n" for line in lines)
    data = "".join(f"    k{number}: {value}" for number in range(40))
    item = f"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: a, namespace: b}}\n  data:\n{data}"
    started = time.process_time()
    outcome = run(
        f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{item}".encode()
    )
    assert outcome.stderr.startswith(
        "error: ConfigMap/b/a data.k4: aliases expand 75 YAML nodes to 1038000, "
    )
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    "data", [b"[" * 100_000, b"- " * 100_000, b"{a: " * 100_000, b"? " * 100_000], ids=repr
)
def test_depth_is_bounded(data: bytes) -> None:
    with pytest.raises(Rejected, match=f"nested deeper than {MAX_DEPTH} levels"):
        read_yaml(data)


@pytest.mark.parametrize(
    ("inner", "is_read"),
    [
        pytest.param("x", True, id="a text in the last level but one"),
        pytest.param("[]", True, id="nothing in the last level"),
        pytest.param("{}, x", True, id="a text behind that"),
        pytest.param("[x]", False, id="a text in the last level"),
        pytest.param("[], {a: b}", False, id="a field in the last level"),
        pytest.param("[[]]", False, id="a list in the last level"),
        pytest.param("[x: ]]", False, id="a text in front of what is no YAML"),
    ],
)
def test_where_the_depth_ends(inner: str, is_read: bool) -> None:
    around = MAX_DEPTH - 1
    text = f"{'[' * around}{inner}{']' * around}\n"
    if is_read:
        assert len(read_yaml(text.encode()).roots) == 1
        return
    column = around + 1 + inner.rfind(" {") + 1
    sentence = f"line 1, column {column}: nested deeper than {MAX_DEPTH} levels"
    with pytest.raises(Rejected) as caught:
        read_yaml(text.encode())
    assert [str(problem) for problem in caught.value.problems] == [sentence]


CONFIG_MAP = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: DATA}}\n"
POD = (
    "- {apiVersion: v1, kind: Pod, metadata: {name: b}, l: &l [x], m: ALIAS, "
    "spec: {volumes: [{configMap: {name: a}}], deep: SPEC}}\n"
)


@pytest.mark.parametrize("place", ["DATA", "SPEC"])
@pytest.mark.parametrize("alias", ["*l", "x"])
@pytest.mark.parametrize("brackets", ["{a: }", "[]"])
def test_what_is_just_not_too_deep_is_transformed(place: str, alias: str, brackets: str) -> None:
    deep = brackets[:-1] * (MAX_DEPTH - 8) + "x" + brackets[-1] * (MAX_DEPTH - 8)
    items = (CONFIG_MAP + POD).replace("ALIAS", alias).replace(place, deep)
    outcome = run(
        f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}".encode()
    )
    assert outcome.exit_code == 0, outcome.stderr
    assert deep in outcome.stdout.decode()


def test_many_line_separators_in_many_texts_take_no_time() -> None:
    started = time.process_time()
    read_yaml("".join(f'a{number}: "\u2028"\n' for number in range(30_000)).encode())
    assert time.process_time() - started < 5
