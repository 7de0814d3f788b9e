"""A value that places share through a YAML anchor changes in all of them, or not at all."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.base.changes import Changes, ListPatch, Patch
from krm_fn.base.node import Node, Sequence, children
from krm_fn.base.problem import Rejected
from krm_fn.core.yaml import reader
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import Source, _compose, _Parser, _Recomposer, read_yaml
from krm_fn.core.yaml.splice import apply_splices
from krm_fn.core.yaml.yaml import plan_splices
from tests.volume import IS_WHOLE, examples_of

CASES = Path(__file__).parents[2] / "fixtures"

_WORDS = st.sampled_from(
    ["a", "'b'", '"c"', "", "~", "!!str d", "! e", "!t f", "ä", "|\n  g\n", "1"]
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Generate documents in flow and block style, in which each anchor is defined once, or broken ones."""
    anchors: list[str] = []

    def value(depth: int) -> str:
        kind = draw(st.sampled_from(["scalar", "scalar", "list", "mapping", "alias", "anchor"]))
        if kind == "alias" and anchors:
            return f"*{draw(st.sampled_from(anchors))} "
        if kind == "anchor":
            anchors.append(f"x{len(anchors)}")
            return f"&{anchors[-1]} {value(depth)}" if depth == 0 else f"&{anchors[-1]} y"
        if depth and kind == "list":
            return "[" + ", ".join(value(depth - 1) for _ in range(draw(st.integers(0, 3)))) + "]"
        if depth and kind == "mapping":
            return (
                "{"
                + ", ".join(f"k{n}: {value(depth - 1)}" for n in range(draw(st.integers(0, 3))))
                + "}"
            )
        return draw(_WORDS.filter(lambda word: "\n" not in word))

    lines = []
    for _ in range(draw(st.integers(1, 3))):
        anchors.clear()
        lines.append(draw(st.sampled_from(["---\n", "--- # x\n", "...\n---\n"])))
        for number in range(draw(st.integers(0, 5))):
            block = draw(st.booleans())
            lines.append(
                f"f{number}: {value(2)}\n"
                if not block
                else f"f{number}:\n  - {value(1)}\n  - {value(2)}\n"
            )
    return "".join(lines)


def composed(text: str, reader: type[_Parser] | type[_Recomposer]) -> list[object]:
    """Return all that is known of each node, with a number for each; or what is wrong with the text."""
    try:
        roots = _compose(Source(text), text.encode(), reader)
    except Rejected as rejected:
        return [*rejected.problems]
    numbers: dict[Node, int] = {}
    return [*_described(roots, numbers)]


def _described(roots: list[Node], numbers: dict[Node, int]) -> Iterator[object]:
    stack = roots[::-1]
    while stack:
        node = stack.pop()
        if node in numbers:
            yield numbers[node]
            continue
        numbers[node] = len(numbers)
        style = node.style if node.id == "scalar" else node.flow_style  # type: ignore[attr-defined]  # by its kind
        says = node.value if node.id == "scalar" else len(node.value)
        yield node.id, node.tag, says, node.start, node.end, node.start_mark, style
        stack += [*children(node)][::-1]


@pytest.mark.volume
def test_both_ways_compose_the_same_of_all_fixtures() -> None:
    """Each run tries a quarter of them."""
    read = 0
    paths = sorted(CASES.rglob("*.yaml"))[:: 1 if IS_WHOLE else 4]
    for path in paths:
        data = path.read_bytes()
        try:
            text = data.decode().removeprefix("\ufeff")
        except UnicodeDecodeError:
            continue
        if "found duplicate anchor" not in str(composed(text, _Parser)):
            assert composed(text, _Recomposer) == composed(text, _Parser), path
            read += 1
    assert read > (1000 if IS_WHOLE else 250)


@settings(max_examples=examples_of(2000), deadline=None)
@given(texts())
def test_every_alias_is_seen(text: str) -> None:
    """The patterns that look for one may see more than there is, and never less."""
    try:
        has_alias = any(
            isinstance(event, yaml.AliasEvent)
            for event in yaml.parse(text, Loader=yaml.CSafeLoader)
        )
        document = read_yaml(text.encode(), may_repeat=True)
    except (yaml.YAMLError, Rejected):
        return
    assert document.has_aliases is has_alias


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: x && y\nb: 2 * 3\n", id="signs between blanks"),
        pytest.param(
            "pattern: '^[a-z!#$%&*+]+$'\nurl: a?b=c&d=e\nglob: '*'\nbold: '**b**'\n",
            id="signs within words",
        ),
    ],
)
def test_signs_that_are_neither_anchors_nor_aliases(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        reader, "_is_shared", lambda _roots: pytest.fail("all nodes are walked through")
    )
    assert not read_yaml(text.encode()).has_aliases


def patched(source: str, *patches: Patch) -> str:
    """Patch each object of a stream."""
    envelope = open_envelope(read_yaml(source.encode()))
    changes = Changes(patches=tuple(zip(envelope.items, patches, strict=True)))
    return apply_splices(envelope.document.text, plan_splices(envelope, changes))


def values(source: str) -> list[object]:
    """Return what each alias in a list of the first document means, and where this is written."""
    (root, *_) = read_yaml(source.encode()).roots
    return [(one.value, source[one.start : one.end]) for one in cast("Sequence", root).value]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            "[&x a, *x , &x b, *x ]",
            [("a", "&x a"), ("a", "&x a"), ("b", "&x b"), ("b", "&x b")],
            id="the latest definition counts",
        ),
        pytest.param(
            "- &x a\n- &y b\n- &x c\n- *y\n- *x\n",
            [("a", "&x a"), ("b", "&y b"), ("c", "&x c"), ("b", "&y b"), ("c", "&x c")],
            id="others stay",
        ),
        pytest.param(
            "# ä\r\n- &x 'ä'\r\n- &x |\r\n  ä\r\n- *x\r\n",
            [("ä", "&x 'ä'"), ("ä\n", "&x |\r\n  ä\r\n"), ("ä\n", "&x |\r\n  ä\r\n")],
            id="characters of two bytes",
        ),
        pytest.param(
            "[&x a, &x b, !!str &x c, *x ]",
            [("a", "&x a"), ("b", "&x b"), ("c", "!!str &x c"), ("c", "!!str &x c")],
            id="with a tag",
        ),
    ],
)
def test_an_anchor_may_be_defined_again(source: str, expected: list[object]) -> None:
    assert values(source) == expected


def test_the_definition_around_an_alias_is_older_than_the_one_beside_it() -> None:
    assert patched("v: &x\n  a: &x 1\n  b: *x\nw: *x\n", {"w": "2", "v": {"a": "2", "b": "2"}}) == (
        'v: &x\n  a: &x "2"\n  b: *x\nw: *x\n'
    )


def test_each_definition_changes_for_itself() -> None:
    source = "{kind: List, items: [{a: &x b}, {a: *x }, {a: &x b}, {a: *x }]}\n"
    after = patched(source, {"a": "c"}, {"a": "c"}, {"a": "d"}, {"a": "d"})
    assert after == "{kind: List, items: [{a: &x c}, {a: *x }, {a: &x d}, {a: *x }]}\n"


def test_each_document_has_anchors_of_its_own() -> None:
    with pytest.raises(Rejected) as caught:
        read_yaml(b"a: &x 1\nb: &x 2\n---\nc: *x\n")
    assert [str(problem) for problem in caught.value.problems] == [
        "line 4, column 4: invalid YAML: found undefined alias"
    ]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        pytest.param(
            "a: &x 1\nb: &x 2\nc: *y\n",
            "line 3, column 4: invalid YAML: found undefined alias",
            id="alias",
        ),
        pytest.param(
            "a: &x 1\nb: &x [2\n",
            "line 3, column 1: invalid YAML: did not find expected ',' or ']', while parsing a flow sequence",
            id="no YAML",
        ),
        pytest.param(
            "a: &x 1\nb: &x 2\nb: 3\n",
            "line 3, column 1: duplicate key 'b'; the first is on line 2",
            id="a key again",
        ),
        pytest.param(
            "a: &x 1\nb: &x [*x ]\n",
            "line 2, column 4: an alias is inside its own anchor, so the document would never end",
            id="an alias inside its own anchor",
        ),
        pytest.param(
            "a: &x 1\nb: &x 2\n" + "c: " + "[" * 400 + "]" * 400,
            "line 3, column 402: nested deeper than 400 levels",
            id="deep",
        ),
        pytest.param(
            "a: &x 1\nb: &x 2\nc: {d: !%ED%A0%80 e}\n",
            "line 3, column 4: invalid YAML: a tag in here contains %XX that is not valid UTF-8",
            id="a tag that is no text",
        ),
    ],
)
def test_what_is_wrong_beside_an_anchor_defined_again(source: str, sentence: str) -> None:
    with pytest.raises(Rejected) as caught:
        read_yaml(source.encode())
    assert [str(problem) for problem in caught.value.problems] == [sentence]


@given(texts())
@settings(max_examples=examples_of(300))
def test_both_ways_compose_the_same(text: str) -> None:
    """Compare with what libyaml composes, where no anchor is defined again."""
    assert composed(text, _Recomposer) == composed(text, _Parser)


TWO = "{kind: List, items: [{a: &x b}, {a: *x }]}\n"


def test_the_same_value_everywhere_is_written_once() -> None:
    assert patched(TWO, {"a": "c"}, {"a": "c"}) == TWO.replace("b", "c")


def test_an_anchor_that_nothing_changes_stays() -> None:
    assert patched(TWO, {"d": "e"}, {}) == TWO.replace("b}", "b, d: e}")


REFUSED = [
    pytest.param(
        TWO.replace("{a: *x }", "{a: &x b, c: *x }"),
        ({}, {"a": "d"}),
        "a (line 1, column 37): is a YAML anchor used in 2 places that need different values; "
        "write the value out in each place",
        id="the later definition of an anchor",
    ),
    pytest.param(
        "v:\n- &x {a: 1}\n- &x {a: 1}\nw: *x\n",
        ({"v": ListPatch(drop=(1,))},),
        "v (line 2, column 1): holds a YAML anchor that must be removed, but an alias elsewhere needs it; "
        "write the value out there instead of the alias",
        id="an element is dropped that defines an anchor again",
    ),
    pytest.param(
        TWO,
        ({"a": "c"}, {"a": "d"}),
        "a (line 1, column 26): is a YAML anchor used in 2 places that need different values; "
        "write the value out in each place",
        id="two values",
    ),
    pytest.param(
        TWO,
        ({}, {"a": "c"}),
        "a (line 1, column 26): is a YAML anchor used in 2 places that need different values; "
        "write the value out in each place",
        id="one place stays",
    ),
    pytest.param(
        "v:\n- &x {a: 1}\n- b\nw: *x\n",
        ({"v": ListPatch(drop=(0,))},),
        "v (line 2, column 1): holds a YAML anchor that must be removed, but an alias elsewhere needs it; "
        "write the value out there instead of the alias",
        id="an element with an anchor is dropped",
    ),
    pytest.param(
        "v:\n  a: &x 1\n  b: 2\nw: *x\n",
        ({"v": {"a": None}},),
        "v (line 2, column 3): holds a YAML anchor that must be removed, but an alias elsewhere needs it; "
        "write the value out there instead of the alias",
        id="a field with an anchor is dropped",
    ),
]


@pytest.mark.parametrize(("source", "patches", "sentence"), REFUSED)
def test_refused(source: str, patches: tuple[Patch, ...], sentence: str) -> None:
    with pytest.raises(Rejected) as caught:
        patched(source, *patches)
    assert [str(problem) for problem in caught.value.problems] == [sentence]
