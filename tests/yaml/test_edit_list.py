"""Elements of lists are added and dropped; every other byte stays."""

from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from krm_fn.base.changes import ListPatch
from krm_fn.base.node import NewValue
from krm_fn.base.problem import Rejected
from tests.yaml.patched import patched

NEW: dict[str, NewValue] = {
    "name": "m",
    "configMap": {"name": "c", "items": [{"key": "k", "path": "p"}], "defaultMode": 292},
}


BLOCK = """\
- name: m
  configMap:
    name: c
    items:
    - key: k
      path: p
    defaultMode: 292
"""
FLOW = "{name: m, configMap: {name: c, items: [{key: k, path: p}], defaultMode: 292}}"
JSON = '{"name": "m", "configMap": {"name": "c", "items": [{"key": "k", "path": "p"}], "defaultMode": 292}}'


def block(indent: str, *, offset: str = "") -> str:
    """Write the new element as lines. `offset` is that of the lists inside it."""
    lines = BLOCK.splitlines(keepends=True)
    return "".join(
        indent + (offset if index in (4, 5) else "") + line for index, line in enumerate(lines)
    )


APPENDED = [
    pytest.param(
        "v:\n- a: 1 # c\n# d\nw: x\n",
        "v:\n- a: 1 # c\n" + block("") + "# d\nw: x\n",
        id="a block list",
    ),
    pytest.param(
        "v:\n  - a: 1\nw: x\n",
        "v:\n  - a: 1\n" + block("  ") + "w: x\n",
        id="a block list that is indented",
    ),
    pytest.param(
        "v:\n- a: 1",
        "v:\n- a: 1\n" + block("").removesuffix("\n"),
        id="a missing last newline stays missing",
    ),
    pytest.param(
        "v:\r\n- a: 1\r\n",
        "v:\r\n- a: 1\r\n" + block("").replace("\n", "\r\n"),
        id="lines end as the others do",
    ),
    pytest.param(
        "v:\n- a: |\n    x",
        "v:\n" + block("") + "- a: |\n    x",
        id="not behind a block scalar without a line break",
    ),
    pytest.param("v: [{a: 1}]\n", "v: [{a: 1}, " + FLOW + "]\n", id="a flow list"),
    pytest.param(
        "v: [{a: 1}, {b: 2},]\n",
        "v: [{a: 1}, {b: 2}, " + FLOW + ",]\n",
        id="a trailing comma stays one",
    ),
    pytest.param('{"v": [{"a": 1}]}', '{"v": [{"a": 1}, ' + JSON + "]}", id="JSON"),
    pytest.param(
        '{"v":[{"a":1},{"b":2}]}', '{"v":[{"a":1},{"b":2},' + JSON + "]}", id="JSON without blanks"
    ),
    pytest.param(
        '{\n "v": [\n  {"a": 1}\n ]\n}\n',
        '{\n "v": [\n  {"a": 1},\n  ' + JSON + "\n ]\n}\n",
        id="JSON on many lines",
    ),
    pytest.param(
        "v: [] # c\nw: x\n",
        "v:\n" + block("").rstrip() + " # c\nw: x\n",
        id="an empty list in a block",
    ),
    pytest.param("v:\nw: x\n", "v:\n" + block("") + "w: x\n", id="nothing where a list belongs"),
    pytest.param("v: ~\nw: x\n", "v:\n" + block("") + "w: x\n", id="null where a list belongs"),
    pytest.param("{v: null, w: x}\n", "{v: [" + FLOW + "], w: x}\n", id="null in a flow mapping"),
    pytest.param('{"v": [], "w": 1}', '{"v": [' + JSON + '], "w": 1}', id="an empty list in JSON"),
    pytest.param("w: x\n", "w: x\nv:\n" + block(""), id="a missing list"),
    pytest.param(
        "w:\n  - x\n",
        "w:\n  - x\nv:\n" + block("  ", offset="  "),
        id="a missing list among indented ones",
    ),
    pytest.param(
        "w:\n  - x\nv: []\n",
        "w:\n  - x\nv:\n" + block("  ", offset="  "),
        id="an empty one among indented ones",
    ),
    pytest.param("{w: x}\n", "{w: x, v: [" + FLOW + "]}\n", id="a missing list in flow"),
    pytest.param(
        "v: &l !!seq\n- a: 1\n", "v: &l !!seq\n- a: 1\n" + block(""), id="an anchor and a tag stay"
    ),
    pytest.param(
        "u: &a {b: 1}\nv:\n- *a # c\n",
        "u: &a {b: 1}\nv:\n- *a # c\n" + block(""),
        id="behind an alias",
    ),
    pytest.param(
        "u: &a 1\nv:\n- *a\n- *a",
        "u: &a 1\nv:\n- *a\n- *a\n" + block("").rstrip(),
        id="behind two aliases",
    ),
    pytest.param(
        "v:\n- &a 1\n- &b 2\n- *a\n- *b\nw: x\n",
        "v:\n- &a 1\n- &b 2\n- *a\n- *b\n" + block("") + "w: x\n",
        id="behind aliases of its own elements",
    ),
    pytest.param(
        "v:\n- {a: &a 1}\n- *a\nw: x\n",
        "v:\n- {a: &a 1}\n- *a\n" + block("") + "w: x\n",
        id="of a part of an element",
    ),
    pytest.param(
        "v:\n- &a\n- *a\nw: x\n",
        "v:\n- &a\n- *a\n" + block("") + "w: x\n",
        id="of an empty element",
    ),
    pytest.param("? v\n: - a: 1\n", "? v\n: - a: 1\n" + block("  "), id="behind an explicit key"),
]


@pytest.mark.parametrize(("before", "after"), APPENDED)
def test_an_added_element(before: str, after: str) -> None:
    assert patched(before, {"v": ListPatch(add=(NEW,))}) == after
    assert yaml.safe_load(after)["v"][0 if "|" in before else -1] == NEW


DROPPED = [
    pytest.param(
        "v:\n- a # 1\n# 2\n- b\n- c\n",
        (0,),
        "v:\n# 2\n- b\n- c\n",
        id="the first of a block, comments stay",
    ),
    pytest.param(
        "v:\n  - a\n  - b: 1\n    c: 2\nw: x\n", (1,), "v:\n  - a\nw: x\n", id="the last of a block"
    ),
    pytest.param("v:\n- a\n- b", (1,), "v:\n- a", id="the last of a text without a last newline"),
    pytest.param("v:\r\n- a\r\n- b", (1,), "v:\r\n- a", id="the same with other line ends"),
    pytest.param("v:\n- a\n- b\n- c\n- d\n", (0, 2), "v:\n- b\n- d\n", id="every other one"),
    pytest.param("v:\n- a\n- b\n- c\n- d\n", (1, 2), "v:\n- a\n- d\n", id="two in a row"),
    pytest.param("v:\n- a\n- b # c\nw: x\n", (0, 1), "w: x\n", id="all of a block"),
    pytest.param(
        "v:\n- # - x\n  a: |\n    b\n\n- c\n",
        (0,),
        "v:\n- c\n",
        id="a dash in a comment, a block scalar",
    ),
    pytest.param("? v\n: - a: 1\n  - b: 1\n", (0,), "? v\n: - b: 1\n", id="behind an explicit key"),
    pytest.param(
        "u: &a {b: 1}\nv:\n- x\n- *a # c\n- y\n",
        (0,),
        "u: &a {b: 1}\nv:\n- *a # c\n- y\n",
        id="aliases stay",
    ),
    pytest.param("v: [a, b, c]\n", (0, 2), "v: [b]\n", id="both ends of a flow list"),
    pytest.param(
        "v: [a, b, c,]\n", (1, 2), "v: [a,]\n", id="the end of a flow list with a trailing comma"
    ),
    pytest.param("v: [{a: 1}]\n", (0,), "{}\n", id="all of a flow list"),
    pytest.param(
        '{"v": [\n  {"a": 1},\n  {"b": 1}\n]}',
        (1,),
        '{"v": [\n  {"a": 1}\n]}',
        id="the last in JSON",
    ),
]


@pytest.mark.parametrize(("before", "drop", "after"), DROPPED)
def test_dropped_elements(before: str, drop: tuple[int, ...], after: str) -> None:
    assert patched(before, {"v": ListPatch(drop=drop)}) == after
    held = yaml.safe_load(before)["v"]
    assert yaml.safe_load(after).get("v", []) == [
        element for index, element in enumerate(held) if index not in drop
    ]


BOTH = [
    pytest.param(
        "v:\n- a\n- b # c\nw: x\n",
        (1,),
        "v:\n- a\n- m: 1\nw: x\n",
        id="the last of a block is replaced",
    ),
    pytest.param(
        "v:\n- a\n- b", (1,), "v:\n- a\n- m: 1", id="at the end of a text without a last newline"
    ),
    pytest.param(
        "v:\n  - a\n  - b\nw: x\n", (0, 1), "v:\n  - m: 1\nw: x\n", id="all of a block are replaced"
    ),
    pytest.param("v: [a, b]\n", (1,), "v: [a, {m: 1}]\n", id="the last of a flow list"),
    pytest.param("v: [a, b]\n", (0, 1), "v: [{m: 1}]\n", id="all of a flow list"),
]


@pytest.mark.parametrize(("before", "drop", "after"), BOTH)
def test_elements_are_added_and_dropped_at_once(
    before: str, drop: tuple[int, ...], after: str
) -> None:
    assert patched(before, {"v": ListPatch(drop=drop, add=({"m": 1},))}) == after


def test_an_element_is_changed_in_place() -> None:
    source = "v:\n- {a: b} # c\n- a: d\n"
    assert patched(source, {"v": ListPatch({1: {"a": "e"}}, drop=(0,))}) == "v:\n- a: e\n"


@pytest.mark.parametrize(
    ("source", "patch", "sentence"),
    [
        pytest.param(
            "v: a\n",
            ListPatch(add=(NEW,)),
            "v (line 1, column 4): expected a list, found text",
            id="text",
        ),
        pytest.param(
            "v: [a]\n",
            ListPatch({0: {"b": "c"}}),
            "v[0] (line 1, column 5): expected a mapping, found text",
            id="an element that is text",
        ),
    ],
)
def test_what_cannot_be_edited(source: str, patch: ListPatch, sentence: str) -> None:
    with pytest.raises(Rejected) as caught:
        patched(source, {"v": patch})
    assert [str(problem) for problem in caught.value.problems] == [sentence]


texts = st.sampled_from(
    ["a", "'b: c'", '"d"', "{e: f}", "[g, h]", "i: j # k", "l: |\n    m\n", "~", "&o o", "*n"]
)
breaks = st.sampled_from(["\n", "\r\n"])


@st.composite
def lists(draw: st.DrawFn) -> str:
    """Generate a field `v` with a list, maybe comments, and maybe another field."""
    elements = draw(st.lists(texts, min_size=1, max_size=5))
    if draw(st.booleans()):
        elements = [element.partition(" #")[0] for element in elements if "|" not in element] or [
            "a"
        ]
        elements = [
            f"{{{element}}}" if ": " in element and element[0] not in "{'" else element
            for element in elements
        ]
        middle = ", ".join(element + " " * (element[0] == "*") for element in elements)
        return f"n: &n p\nv: [{middle}]{draw(st.sampled_from(['', ' # c']))}\nw: x\n"
    indent = draw(st.sampled_from(["", "  "]))
    lines = [
        f"{indent}- {element}".rstrip("\n").replace("\n", "\n" + indent) for element in elements
    ]
    comments = draw(
        st.lists(
            st.sampled_from([None, f"{indent}# - c"]), min_size=len(lines), max_size=len(lines)
        )
    )
    middle = "\n".join(
        line if comment is None else f"{comment}\n{line}"
        for line, comment in zip(lines, comments, strict=True)
    )
    return f"n: &n p\nv:\n{middle}{draw(st.sampled_from(['', chr(10), chr(10) + 'w: x', chr(10) + 'w: x' + chr(10)]))}"


@given(lists(), st.sets(st.integers(0, 4)), st.integers(0, 2), breaks)
def test_any_list_has_the_right_values_and_keeps_its_other_bytes(
    source: str, drop: set[int], added: int, line_break: str
) -> None:
    assume(source.count("&o o") < 2)
    source = source.replace("\n", line_break)
    before: dict[str, Any] = yaml.safe_load(source)
    drop = {index for index in drop if index < len(before["v"])}
    new: list[dict[str, Any]] = [{"x": index} for index in range(added)]
    try:
        after = patched(source, {"v": ListPatch(drop=tuple(sorted(drop)), add=tuple(new))})
    except Rejected:
        assert "&o o" in source or "*n" in source
        return
    kept = [element for index, element in enumerate(before["v"]) if index not in drop]
    told = yaml.safe_load(after)
    assert sorted(map(repr, told.get("v", []))) == sorted(map(repr, kept + new))
    assert {**told, "v": []} == {**before, "v": []}
    if not drop:
        rest = iter(after)
        assert all(character in rest for character in source)
