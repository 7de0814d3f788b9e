"""New objects that have much in common are read once, and a wrong one is found all the same."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import yaml

from krm_fn.base.changes import Object
from krm_fn.base.problem import Rejected
from krm_fn.core.yaml import excerpt, prove
from krm_fn.core.yaml import yaml as apply
from krm_fn.core.yaml.excerpt import leave_out_repeated
from krm_fn.core.yaml.splice import apply_splices
from krm_fn.function import run
from tests.yaml.test_prove import HEAD

ROLES: tuple[Object, Object] = (
    {"kind": "Role", "name": "a", "rules": [{"verbs": ["get"]}], "more": 1},
    {"kind": "Role", "name": "b", "rules": [{"verbs": ["get"]}], "more": 1},
)
WRITTEN = """\
  - kind: Role
    name: a
    rules:
    - verbs:
      - get
    more: 1
  - kind: Role
    name: b
    rules:
    - verbs:
      - get
    more: 1
"""


def test_what_an_earlier_object_has_is_left_out() -> None:
    text, objects = leave_out_repeated(WRITTEN, ROLES)
    assert text == WRITTEN[: WRITTEN.index("    name: b")] + "    name: b\n"
    assert objects == (ROLES[0], {"kind": "Role", "name": "b"})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("name: b\n", "name: b\n\n", id="an empty line"),
        pytest.param("name: b\n", "name: b\n    # c\n", id="a comment"),
        pytest.param("name: b\n", "name: b\n  c\n", id="a line between two columns"),
        pytest.param("name: b\n", "? name\n    : b\n", id="a question mark"),
        pytest.param("name: b\n", "name: b\n---\n", id="two documents"),
        pytest.param("name: b\n", "", id="a field less"),
        pytest.param("name: b\n", "name: b\n    c: d\n", id="a field more"),
        pytest.param(
            "  - kind: Role\n    name: b\n", "    kind: Role\n    name: b\n", id="an object less"
        ),
        pytest.param(
            "name: b\n    rules:\n    - verbs:\n      - get\n",
            "name: *b\n    rules: *c\n",
            id="aliases",
        ),
        pytest.param("more: 1\n", "more: 1", id="a last line without its end"),
    ],
)
def test_nothing_is_left_out_of_another_text(old: str, new: str) -> None:
    text = new.join(WRITTEN.rsplit(old, 1))
    assert leave_out_repeated(text, ROLES) == (text, ROLES)


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param({"more": True}, id="of another type"),
        pytest.param({"rules": []}, id="other elements"),
    ],
)
def test_the_same_words_for_another_value_are_read(wanted: Object) -> None:
    text, objects = leave_out_repeated(WRITTEN, (ROLES[0], ROLES[1] | wanted))
    assert objects[1] == {"kind": "Role", "name": "b", **wanted}
    assert text.count("more") + text.count("rules") == 3


def test_a_field_of_another_name_is_read() -> None:
    swapped: Object = {"kind": "Role", "name": "b", "more": [{"verbs": ["get"]}], "rules": 1}
    text, objects = leave_out_repeated(WRITTEN, (swapped, swapped))
    assert (text, objects) == (WRITTEN, (swapped, swapped))


PACKAGE = HEAD + "".join(
    f"""\
- apiVersion: v1
  kind: ConfigMap
  metadata: {{name: web, namespace: {namespace}}}
  data: {{a: b}}
- apiVersion: v1
  kind: Pod
  metadata: {{name: web, namespace: {namespace}}}
  spec: {{containers: [{{name: web, envFrom: [{{configMapRef: {{name: web}}}}]}}]}}
"""
    for namespace in ("one", "two")
)
CONFIG = """\
functionConfig:
  apiVersion: revisions.krm-fn.io/v1
  kind: ConfigRevisions
  metadata: {name: web}
  spec: {linker: {image: "registry.example/krm-fn:1"}}
"""


@cache
def right() -> tuple[Any, Any, Any, str, Any]:
    """Return what the right output is proven with."""
    found: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apply, "prove", lambda *arguments: found.append(arguments))
        assert run((PACKAGE + CONFIG).encode()).exit_code == 0
    envelope, changes, splices, output, results = found[0]
    return envelope, changes, sorted(splices, key=lambda splice: splice[:2]), output, results


def meaning(text: str) -> list[Any]:
    return list(yaml.load_all(text, yaml.CBaseLoader))


MISTAKES = [
    pytest.param(lambda lines, place: lines[:place] + lines[place + 1 :], id="a line is lost"),
    pytest.param(
        lambda lines, place: [*lines[:place], lines[place], *lines[place:]],
        id="a line is there twice",
    ),
    pytest.param(
        lambda lines, place: [*lines[:place], "  " + lines[place], *lines[place + 1 :]],
        id="a line moves",
    ),
    pytest.param(
        lambda lines, place: [*lines[:place], lines[place][:-2] + "x\n", *lines[place + 1 :]],
        id="a letter is another one",
    ),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_any_line_of_new_objects_is_found(
    mistake: Callable[[list[str], int], list[str]],
) -> None:
    envelope, changes, splices, output, results = right()
    number = max(range(len(splices)), key=lambda one: len(splices[one].text))
    lines = splices[number].text.splitlines(keepends=True)
    assert len(lines) > 200
    for place in range(len(lines)):
        text = "".join(mistake(lines, place))
        wrong = [*splices[:number], splices[number]._replace(text=text), *splices[number + 1 :]]
        written = apply_splices(envelope.document.text, wrong)
        try:
            prove.prove(envelope, changes, wrong, written, results)
        except Rejected:
            continue
        assert meaning(written) == meaning(output), lines[place]


def test_new_objects_are_shortened() -> None:
    envelope, changes, splices, output, _ = right()
    shorter = excerpt.shorten(envelope.resource_list, excerpt.Edited(changes, splices, output))
    assert len(shorter.output) < 0.7 * len(output)
    assert shorter.output == apply_splices(envelope.document.text, shorter.splices)
    prove.prove(*right())
