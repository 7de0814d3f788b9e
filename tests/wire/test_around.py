"""Wrong edits are refused by both proofs: the one that reads around the edits, and the one that reads an excerpt."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from krm_fn.base.problem import Rejected
from krm_fn.core.yaml import apply, prove
from krm_fn.core.yaml.around import read_around
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.splice import Splice, apply_splices
from krm_fn.function import run
from tests.wire.test_prove import BLOCK, CONFIG, HEAD

TWIN = BLOCK[BLOCK.index("- apiVersion: apps") :].replace(
    "    name: web\n    namespace", "    name: twin\n    namespace"
)
TEXT = f"{HEAD}{BLOCK}{TWIN}{CONFIG}  spec: {{linker: {{enabled: false}}}}\n"
"""A Service, a ConfigMap that is written alike, and two Deployments that read it, written alike."""

NAME, LABEL, ANNOTATIONS, IMMUTABLE, FIRST, SECOND, RESULTS = range(7)
"""The splices of the right output, in their order."""

HASHED = "web-t746k8f8ch"

Mutant = Callable[[list[Splice]], list[Splice]]


def lose(*numbers: int) -> Mutant:
    return lambda splices: [splice for number, splice in enumerate(splices) if number not in numbers]


def say(number: int, old: str, new: str) -> Mutant:
    def change(splices: list[Splice]) -> list[Splice]:
        assert old in splices[number].text
        changed = splices[number]._replace(text=splices[number].text.replace(old, new, 1))
        return [*splices[:number], changed, *splices[number + 1 :]]

    return change


def place(fragment: str, which: int = 0) -> int:
    start = -1
    for _ in range(which + 1):
        start = TEXT.index(fragment, start + 1)
    return start


def move(number: int, fragment: str, which: int = 0) -> Mutant:
    """Put an edit in front of a fragment of the text, or in the place of what it replaces there."""

    def change(splices: list[Splice]) -> list[Splice]:
        start, end, text = splices[number]
        to = place(fragment, which)
        return [*splices[:number], Splice(to, to + end - start, text), *splices[number + 1 :]]

    return change


def also(old: str, new: str, which: int = 0) -> Mutant:
    """Change something else as well."""
    return lambda splices: [*splices, Splice(place(old, which), place(old, which) + len(old), new)]


def twice(number: int) -> Mutant:
    return lambda splices: [*splices, splices[number]]


def both(*mutants: Mutant) -> Mutant:
    def change(splices: list[Splice]) -> list[Splice]:
        for mutant in mutants:
            splices = mutant(splices)
        return splices

    return change


WRONG = [
    pytest.param(lose(FIRST), id="a reference keeps its name"),
    pytest.param(lose(SECOND), id="the second of two equal references keeps its name"),
    pytest.param(
        move(FIRST, "web\n          envFrom"), id="the name of the container changes in the place of the reference"
    ),
    pytest.param(also("web\n", HASHED + "\n", 11), id="the image of the container changes as well"),
    pytest.param(say(FIRST, "t746", "t747"), id="a reference gets another name"),
    pytest.param(say(SECOND, HASHED, HASHED * 2), id="a reference gets its name twice"),
    pytest.param(say(FIRST, HASHED, f"{HASHED}\n              optional: true"), id="a reference gets a field more"),
    pytest.param(say(FIRST, HASHED, f"!!bool {HASHED}"), id="a reference gets a tag"),
    pytest.param(say(FIRST, HASHED, f"[{HASHED}]"), id="a reference becomes a list"),
    pytest.param(say(FIRST, HASHED, f"# {HASHED}"), id="a reference becomes a comment"),
    pytest.param(say(FIRST, HASHED, f"\n{HASHED}"), id="a reference on the next line, too far to the left"),
    pytest.param(move(NAME, "web\n    namespace"), id="the Service gets the name of the ConfigMap"),
    pytest.param(lose(NAME), id="the ConfigMap keeps its name"),
    pytest.param(move(NAME, "shop\n    labels", 1), id="the namespace of the ConfigMap changes in place of its name"),
    pytest.param(lose(LABEL), id="a label is lost"),
    pytest.param(move(LABEL, "    annotations:\n"), id="the Service gets the label"),
    pytest.param(both(move(LABEL, "  data:\n")), id="the label is among the annotations"),
    pytest.param(say(LABEL, "set: web", "set web"), id="a label without its colon"),
    pytest.param(say(LABEL, "set: web", "set:web"), id="a label without the blank behind its colon"),
    pytest.param(say(LABEL, "set: web", "set: wbe"), id="a label says something else"),
    pytest.param(say(LABEL, "      rev", "        rev"), id="a label is indented too far"),
    pytest.param(say(LABEL, "      rev", "    rev"), id="a label is a field of the metadata"),
    pytest.param(say(LABEL, "      rev", "     rev"), id="a label between two columns"),
    pytest.param(twice(LABEL), id="a label twice"),
    pytest.param(say(LABEL, "\n", "\n      app: web\n"), id="a label that is there already"),
    pytest.param(say(LABEL, "\n", "\n      app: other\n"), id="a label that is there already, with another value"),
    pytest.param(say(LABEL, "      rev", "      # rev"), id="a label that is a comment"),
    pytest.param(say(LABEL, "      rev", "      - rev"), id="a label that is an element of a list"),
    pytest.param(say(LABEL, "web", '"web'), id="a label with an open quote"),
    pytest.param(say(LABEL, "      rev", "      <<: {a: b}\n      rev"), id="a label beside a merge key"),
    pytest.param(say(ANNOTATIONS, '      revisions.krm-fn.io/wanted: "true"\n', ""), id="an annotation is lost"),
    pytest.param(say(ANNOTATIONS, '"true"', "true"), id="an annotation that is no text"),
    pytest.param(say(ANNOTATIONS, '"true"\n', '"true" '), id="two annotations in one line"),
    pytest.param(say(ANNOTATIONS, '"true"', "|"), id="an annotation whose value is a block"),
    pytest.param(say(ANNOTATIONS, '"true"', "&a"), id="an annotation whose value is an anchor"),
    pytest.param(say(ANNOTATIONS, "wanted", "wnated"), id="an annotation with another name"),
    pytest.param(say(ANNOTATIONS, "      argocd", "        argocd"), id="annotations under another one"),
    pytest.param(say(ANNOTATIONS, "      kust", "      more: x\n      kust"), id="an annotation more"),
    pytest.param(lose(IMMUTABLE), id="a field is lost"),
    pytest.param(say(IMMUTABLE, "true", "false"), id="a field says the contrary"),
    pytest.param(say(IMMUTABLE, "true", '"true"'), id="a field that is text"),
    pytest.param(say(IMMUTABLE, "  immutable", "    immutable"), id="a field is among the data"),
    pytest.param(say(IMMUTABLE, "  immutable", "      immutable"), id="a field is in a block"),
    pytest.param(say(IMMUTABLE, "  immutable", "  - immutable"), id="a field behind a dash"),
    pytest.param(say(IMMUTABLE, "  immutable: true", "  ? immutable"), id="a field behind a question mark"),
    pytest.param(say(IMMUTABLE, "  immutable", "---\n  immutable"), id="a field in another document"),
    pytest.param(say(IMMUTABLE, "\n", ""), id="a field without its line break"),
    pytest.param(say(IMMUTABLE, "  immutable", "- immutable"), id="a field is an object"),
    pytest.param(
        both(lose(IMMUTABLE), also("  data:\n", "  immutable: true\n  data:\n", 0), also("LEVEL", "LEVLE")),
        id="a key of the data",
    ),
    pytest.param(also("LEVEL: info", "LEVEL: warn"), id="a value of the data changes"),
    pytest.param(also("    LEVEL: info\n", ""), id="a value of the data is lost"),
    pytest.param(also("      text\n", "      test\n"), id="a value of several lines changes"),
    pytest.param(also("      text\n", ""), id="a value of several lines loses its last one"),
    pytest.param(also("replicas: 2", "replicas: 3"), id="a number changes"),
    pytest.param(also("replicas: 2", 'replicas: "2"'), id="a number becomes text"),
    pytest.param(also("envFrom:", "envfrom:", 1), id="the name of a field above a reference changes"),
    pytest.param(also("        - name: web\n", "          name: web\n"), id="a dash is lost"),
    pytest.param(also("          image: web\n", "        - image: web\n"), id="a field becomes an element"),
    pytest.param(both(lose(SECOND), also(TWIN, "")), id="an object is lost"),
    pytest.param(
        both(lose(SECOND), also(TWIN, TWIN.replace("web\n          image", HASHED + "\n          image") * 2)),
        id="an object is there twice",
    ),
    pytest.param(also("kind: Service", "kind: Servise"), id="an object that nothing was planned for"),
    pytest.param(lose(RESULTS), id="the results are lost"),
    pytest.param(say(RESULTS, "revision of web", "revision of wbe"), id="a result says something else"),
    pytest.param(say(RESULTS, "results:\n", "results:\n- message: more\n  severity: info\n"), id="a result more"),
    pytest.param(lambda splices: [Splice(3, 3, "x"), *splices], id="the first line changes"),
    pytest.param(also("{enabled: false}}\n", "{enabled: false}}#"), id="the last line break becomes a comment"),
]


@cache
def right() -> tuple[Any, Any, list[Splice], str, Any]:
    """Return what the right output is proven with."""
    found: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apply, "prove", lambda *arguments: found.append(arguments))
        assert run(TEXT.encode()).exit_code == 0
    envelope, changes, splices, output, results = found[0]
    return envelope, changes, sorted(splices, key=lambda splice: splice[:2]), output, results


def test_the_right_output_is_proven_in_both_ways() -> None:
    assert prove.prove_around(*right()) is not None
    prove.prove_excerpt(*right())


@pytest.mark.parametrize("mutant", WRONG)
def test_a_wrong_edit_is_refused_in_both_ways(mutant: Mutant) -> None:
    envelope, changes, splices, _, results = right()
    wrong = sorted(mutant(splices), key=lambda splice: splice[:2])
    output = apply_splices(TEXT, wrong)
    assert output != right()[3]
    assert prove.prove_around(envelope, changes, wrong, output, results) is None
    with pytest.raises(Rejected, match="this is a bug in krm-fn"):
        prove.prove_excerpt(envelope, changes, wrong, output, results)


@pytest.mark.parametrize(
    ("number", "output"),
    [
        pytest.param(FIRST, lambda output: output.replace(HASHED, "web", 1), id="a splice that is not in the output"),
        pytest.param(FIRST, lambda output: output + "\n", id="something more at the end"),
        pytest.param(FIRST, lambda output: output.replace("LEVEL", "LEVLE"), id="something else between two splices"),
        pytest.param(FIRST, lambda output: output[:-1], id="something less at the end"),
    ],
)
def test_the_output_is_the_text_with_the_splices(number: int, output: Callable[[str], str]) -> None:
    envelope, _, splices, written, _ = right()
    assert read_around(envelope.document, splices, written) is not None
    assert read_around(envelope.document, splices, output(written)) is None
    assert read_around(envelope.document, splices[:number], written) is None


EDIT = "EDIT"
READ = [
    pytest.param("a: 1\nb: EDIT\nc: 3\n", "2", id="a value"),
    pytest.param("a: 1\nb: EDIT", "2", id="a value at the end of a text without a line break"),
    pytest.param("a: 1\nb:\n  c: EDIT\n\n# d\ne: 3\n", "'2'", id="a value in front of comments"),
    pytest.param("- a\n- EDIT\n- c\n", "b", id="an element"),
    pytest.param("a:\n- - b\n  - EDIT\n- c\n", "'x'", id="an element of a list in a list"),
    pytest.param("a: {b: EDIT, c: 3}\nd: 4\n", "[2]", id="in braces"),
    pytest.param("a: [b,\n  EDIT]\nd: 4\n", "2", id="in brackets on two lines"),
    pytest.param("a: |\n  b\n  EDIT\nd: 4\n", "c", id="in a block"),
    pytest.param("a: |+\n  b\nEDITd: 4\n", "\n", id="an empty line at the end of a block"),
    pytest.param("a: 1\nEDITc: 3\n", "b: 2\n", id="a field"),
    pytest.param("a:\n  b: 1\nEDITd: 4\n", "  c: 2\n", id="a field further in"),
    pytest.param("a:\n- b\nEDITd: 4\n", "- c\n", id="an element in the column of its field"),
    pytest.param("a:\n- b\nEDITd: 4\n", "c: 2\n", id="a field behind such an element"),
    pytest.param("a:\n  - b: 1\nEDIT  - d: 3\n", "    c: 2\n", id="a field of an element"),
    pytest.param("a:\n  - b: 1\nEDIT  - d: 3\n", "  - c: 2\n    e:\n      f: 3\n", id="an element that is a mapping"),
    pytest.param("a:\r\n  b: 1\r\nEDITd: 4\r\n", "  c: 2\r\n", id="lines that end as on Windows"),
    pytest.param("a: 1\n---\na: EDIT\n---\na: 3\n", "2", id="in one of several documents"),
    pytest.param("a: 1\nEDIT---\na: 3\n", "b: 2\n", id="at the end of a document"),
    pytest.param("a:\n  EDITb: 1\n", "c: 2\n  ", id="a field in front of the first one"),
]
NOT_READ = [
    pytest.param("-\n  a: 1\n-\nEDIT  b: 2\n", "  c: 3\n", id="behind a dash with a line of its own"),
    pytest.param("a: &a 1\nb: *a\nc: EDIT\n", "2", id="beside an alias"),
    pytest.param("? a\n: 1\nb: EDIT\n", "2", id="beside a question mark"),
    pytest.param("%YAML 1.1\n---\nb: EDIT\n", "2", id="below a directive"),
    pytest.param("{a: EDIT}\n", "2", id="a document in braces"),
    pytest.param("a: 1\rb: EDIT\r", "2", id="lines that end with a carriage return alone"),
    pytest.param("a: 1\nb: EDIT\n", "2\nc", id="no YAML"),
    pytest.param("a: 1\nb: EDIT\n", "2\na: 3", id="a key that is there already"),
    pytest.param("a: 1\nEDITb: 3\n", "c: 2", id="lines without an end"),
    pytest.param("a:\n  b: 1\nEDITd: 4\n", " c: 2\n", id="lines between two columns"),
    pytest.param("a: 1\nb: EDIT\nc: 3\n", "[2", id="a bracket that nothing closes"),
    pytest.param("a: 1\nb: EDIT\nc: '3'\n", "'2", id="a quote that the next entry closes"),
    pytest.param("a: 1\nb: EDIT\n", "2\n---\nb: 2", id="two documents"),
    pytest.param("# EDIT\na: 1\n", "b", id="in front of a document"),
]


def spell(node: Any) -> Any:
    """Return what a node says, without places."""
    if node.id == "scalar":
        return node.tag, node.value, node.style
    below = (
        [(spell(key), spell(value)) for key, value in node.value] if node.id == "mapping" else map(spell, node.value)
    )
    return node.id, node.tag, node.flow_style, list(below)


def edited(text: str, new: str) -> tuple[Any, str]:
    """Return the tree around an edit, and the whole output. An edit that ends a line is one that inserts lines."""
    start = text.index(EDIT)
    is_inserted = new.endswith(("\n", "  ")) or not start
    before = text.replace(EDIT, "" if is_inserted else "0")
    splice = Splice(start, start if is_inserted else start + 1, new)
    return read_around(read_yaml(before.encode()), [splice], text.replace(EDIT, new)), text.replace(EDIT, new)


@pytest.mark.parametrize(("text", "new"), READ)
def test_the_tree_says_what_the_output_says(text: str, new: str) -> None:
    roots, output = edited(text, new)
    assert roots is not None
    assert [*map(spell, roots)] == [*map(spell, read_yaml(output.encode()).roots)]


@pytest.mark.parametrize(("text", "new"), NOT_READ)
def test_what_cannot_be_read_alone_is_left_to_the_other_proof(text: str, new: str) -> None:
    roots, _ = edited(text, new)
    assert roots is None
