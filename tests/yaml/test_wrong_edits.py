"""Wrong edits of one package are refused, each for another reason, and right ones are not."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from krm_fn.base.problem import Rejected
from krm_fn.core.yaml import excerpt, prove
from krm_fn.core.yaml import yaml as apply
from krm_fn.core.yaml.splice import Splice, apply_splices
from krm_fn.function import run
from tests.yaml.test_prove import BLOCK, CONFIG, HEAD

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
    return lambda splices: [
        splice for number, splice in enumerate(splices) if number not in numbers
    ]


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
        move(FIRST, "web\n          envFrom"),
        id="the name of the container changes in the place of the reference",
    ),
    pytest.param(also("web\n", HASHED + "\n", 11), id="the image of the container changes as well"),
    pytest.param(say(FIRST, "t746", "t747"), id="a reference gets another name"),
    pytest.param(say(SECOND, HASHED, HASHED * 2), id="a reference gets its name twice"),
    pytest.param(
        say(FIRST, HASHED, f"{HASHED}\n              optional: true"),
        id="a reference gets a field more",
    ),
    pytest.param(say(FIRST, HASHED, f"!!bool {HASHED}"), id="a reference gets a tag"),
    pytest.param(say(FIRST, HASHED, f"[{HASHED}]"), id="a reference becomes a list"),
    pytest.param(say(FIRST, HASHED, f"# {HASHED}"), id="a reference becomes a comment"),
    pytest.param(
        say(FIRST, HASHED, f"\n{HASHED}"), id="a reference on the next line, too far to the left"
    ),
    pytest.param(move(NAME, "web\n    namespace"), id="the Service gets the name of the ConfigMap"),
    pytest.param(lose(NAME), id="the ConfigMap keeps its name"),
    pytest.param(
        move(NAME, "shop\n    labels", 1),
        id="the namespace of the ConfigMap changes in place of its name",
    ),
    pytest.param(lose(LABEL), id="a label is lost"),
    pytest.param(move(LABEL, "    annotations:\n"), id="the Service gets the label"),
    pytest.param(both(move(LABEL, "  data:\n")), id="the label is among the annotations"),
    pytest.param(say(LABEL, "set: web", "set web"), id="a label without its colon"),
    pytest.param(
        say(LABEL, "set: web", "set:web"), id="a label without the blank behind its colon"
    ),
    pytest.param(say(LABEL, "set: web", "set: wbe"), id="a label says something else"),
    pytest.param(say(LABEL, "      rev", "        rev"), id="a label is indented too far"),
    pytest.param(say(LABEL, "      rev", "    rev"), id="a label is a field of the metadata"),
    pytest.param(say(LABEL, "      rev", "     rev"), id="a label between two columns"),
    pytest.param(twice(LABEL), id="a label twice"),
    pytest.param(say(LABEL, "\n", "\n      app: web\n"), id="a label that is there already"),
    pytest.param(
        say(LABEL, "\n", "\n      app: other\n"),
        id="a label that is there already, with another value",
    ),
    pytest.param(say(LABEL, "      rev", "      # rev"), id="a label that is a comment"),
    pytest.param(say(LABEL, "      rev", "      - rev"), id="a label that is an element of a list"),
    pytest.param(say(LABEL, "web", '"web'), id="a label with an open quote"),
    pytest.param(
        say(LABEL, "      rev", "      <<: {a: b}\n      rev"), id="a label beside a merge key"
    ),
    pytest.param(
        say(ANNOTATIONS, '      revisions.krm-fn.io/wanted: "true"\n', ""),
        id="an annotation is lost",
    ),
    pytest.param(say(ANNOTATIONS, '"true"', "true"), id="an annotation that is no text"),
    pytest.param(say(ANNOTATIONS, '"true"\n', '"true" '), id="two annotations in one line"),
    pytest.param(say(ANNOTATIONS, '"true"', "|"), id="an annotation whose value is a block"),
    pytest.param(say(ANNOTATIONS, '"true"', "&a"), id="an annotation whose value is an anchor"),
    pytest.param(say(ANNOTATIONS, "wanted", "wnated"), id="an annotation with another name"),
    pytest.param(
        say(ANNOTATIONS, "      argocd", "        argocd"), id="annotations under another one"
    ),
    pytest.param(
        say(ANNOTATIONS, "      kust", "      more: x\n      kust"), id="an annotation more"
    ),
    pytest.param(lose(IMMUTABLE), id="a field is lost"),
    pytest.param(say(IMMUTABLE, "true", "false"), id="a field says the contrary"),
    pytest.param(say(IMMUTABLE, "true", '"true"'), id="a field that is text"),
    pytest.param(say(IMMUTABLE, "  immutable", "    immutable"), id="a field is among the data"),
    pytest.param(say(IMMUTABLE, "  immutable", "      immutable"), id="a field is in a block"),
    pytest.param(say(IMMUTABLE, "  immutable", "  - immutable"), id="a field behind a dash"),
    pytest.param(
        say(IMMUTABLE, "  immutable: true", "  ? immutable"), id="a field behind a question mark"
    ),
    pytest.param(
        say(IMMUTABLE, "  immutable", "---\n  immutable"), id="a field in another document"
    ),
    pytest.param(say(IMMUTABLE, "\n", ""), id="a field without its line break"),
    pytest.param(say(IMMUTABLE, "  immutable", "- immutable"), id="a field is an object"),
    pytest.param(
        both(
            lose(IMMUTABLE),
            also("  data:\n", "  immutable: true\n  data:\n", 0),
            also("LEVEL", "LEVLE"),
        ),
        id="a key of the data",
    ),
    pytest.param(also("LEVEL: info", "LEVEL: warn"), id="a value of the data changes"),
    pytest.param(also("    LEVEL: info\n", ""), id="a value of the data is lost"),
    pytest.param(also("      text\n", "      test\n"), id="a value of several lines changes"),
    pytest.param(also("      text\n", ""), id="a value of several lines loses its last one"),
    pytest.param(also("replicas: 2", "replicas: 3"), id="a number changes"),
    pytest.param(also("replicas: 2", 'replicas: "2"'), id="a number becomes text"),
    pytest.param(
        also("envFrom:", "envfrom:", 1), id="the name of a field above a reference changes"
    ),
    pytest.param(also("        - name: web\n", "          name: web\n"), id="a dash is lost"),
    pytest.param(
        also("          image: web\n", "        - image: web\n"), id="a field becomes an element"
    ),
    pytest.param(both(lose(SECOND), also(TWIN, "")), id="an object is lost"),
    pytest.param(
        both(
            lose(SECOND),
            also(TWIN, TWIN.replace("web\n          image", HASHED + "\n          image") * 2),
        ),
        id="an object is there twice",
    ),
    pytest.param(
        also("kind: Service", "kind: Servise"), id="an object that nothing was planned for"
    ),
    pytest.param(also("metadata:", "metadata: !a", 1), id="a mapping that changes gets a tag"),
    pytest.param(lose(RESULTS), id="the results are lost"),
    pytest.param(
        say(RESULTS, "revision of web", "revision of wbe"), id="a result says something else"
    ),
    pytest.param(
        say(RESULTS, "results:\n", "results:\n- message: more\n  severity: info\n"),
        id="a result more",
    ),
    pytest.param(lambda splices: [Splice(3, 3, "x"), *splices], id="the first line changes"),
    pytest.param(
        also("{enabled: false}}\n", "{enabled: false}}#"),
        id="the last line break becomes a comment",
    ),
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


def test_the_right_output_is_proven() -> None:
    prove.prove(*right())


@pytest.mark.parametrize("small", [0, 300], ids=["an excerpt", "the whole text"])
@pytest.mark.parametrize("mutant", WRONG)
def test_a_wrong_edit_is_refused(
    mutant: Mutant, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excerpt, "_SMALL", small)
    envelope, changes, splices, _, results = right()
    wrong = mutant(splices)
    output = apply_splices(TEXT, wrong)
    assert output != right()[3]
    with pytest.raises(Rejected, match="this is a bug in krm-fn"):
        prove.prove(envelope, changes, wrong, output, results)


@pytest.mark.parametrize("small", [0, 300], ids=["an excerpt", "the whole text"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(HASHED, "web", id="a splice that is not in the output"),
        pytest.param("LEVEL", "LEVLE", id="something else between two splices"),
        pytest.param(
            "functionConfig:", "functionConfiguration:", id="something else behind all splices"
        ),
    ],
)
def test_the_output_is_the_text_with_the_splices(
    old: str, new: str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excerpt, "_SMALL", small)
    envelope, changes, splices, output, results = right()
    with pytest.raises(Rejected, match="this is a bug in krm-fn"):
        prove.prove(envelope, changes, splices, output.replace(old, new, 1), results)
