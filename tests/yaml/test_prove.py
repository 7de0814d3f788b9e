"""The proof finds every wrong edit of a text, and refuses the output with the place of it."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
import yaml

from krm_fn.base.changes import Changes, ListPatch
from krm_fn.base.problem import Rejected
from krm_fn.core.yaml import excerpt
from krm_fn.core.yaml import yaml as apply
from krm_fn.core.yaml.envelope import Envelope, open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.splice import Splice
from krm_fn.function import run

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
CONFIG = """\
functionConfig:
  apiVersion: revisions.krm-fn.io/v1
  kind: ConfigRevisions
  metadata: {name: web}
"""
BLOCK = """\
- apiVersion: v1
  kind: Service
  metadata:
    name: web
    namespace: shop
    labels:
      app: web
    annotations:
      app: web
  spec:
    selector:
      app: web
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: web
    namespace: shop
    labels:
      app: web
    annotations:
      app: web
  data:
    LEVEL: info
    more: |
      text
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    namespace: shop
  spec:
    replicas: 2
    template:
      spec:
        containers:
        - name: web
          envFrom:
          - configMapRef:
              name: web
          image: web
"""
FLOW = """\
- {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, labels: {app: web}}, spec: {type: x}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop, labels: {app: web}}, data: {a: b}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: web}}]}]}}}
"""
STREAM = BLOCK.replace("- apiVersion", "---\n  apiVersion")
ALIAS = BLOCK.replace("LEVEL: info", "LEVEL: &level info\n    again: *level")
PACKAGES = {
    "block": HEAD + BLOCK + CONFIG,
    "flow": HEAD + FLOW + CONFIG,
    "alias": HEAD + ALIAS + CONFIG,
    "stream": STREAM,
}

Mutant = Callable[[list[Splice]], Iterator[list[Splice]]]


def drop(splices: list[Splice]) -> Iterator[list[Splice]]:
    for place in range(len(splices)):
        yield splices[:place] + splices[place + 1 :]


def shift(splices: list[Splice]) -> Iterator[list[Splice]]:
    for place, (start, end, text) in enumerate(splices):
        for by in (-1, 1):
            yield [*splices[:place], Splice(start + by, end + by, text), *splices[place + 1 :]]


def repeat(splices: list[Splice]) -> Iterator[list[Splice]]:
    for place, splice in enumerate(splices):
        yield [*splices[:place], splice._replace(text=splice.text * 2), *splices[place + 1 :]]


def indent(splices: list[Splice]) -> Iterator[list[Splice]]:
    for place, splice in enumerate(splices):
        yield [*splices[:place], splice._replace(text="  " + splice.text), *splices[place + 1 :]]


def unquote(splices: list[Splice]) -> Iterator[list[Splice]]:
    yield [splice._replace(text=splice.text.replace('"true"', "true")) for splice in splices]


def say_something_else(splices: list[Splice]) -> Iterator[list[Splice]]:
    for place, splice in enumerate(splices):
        yield [
            *splices[:place],
            splice._replace(text=splice.text.replace("web", "wbe")),
            *splices[place + 1 :],
        ]


def move_to_another_object(splices: list[Splice]) -> Iterator[list[Splice]]:
    """Move each edit of the ConfigMap to the same place in the Service, which is written alike."""
    for package in (BLOCK, FLOW):
        distance = package.index("kind: ConfigMap") - package.index("kind: Service")
        for place, (start, end, text) in enumerate(splices):
            yield [
                *splices[:place],
                Splice(start - distance, end - distance, text),
                *splices[place + 1 :],
            ]


def delete_a_line(splices: list[Splice]) -> Iterator[list[Splice]]:
    """Delete something that no change asks for."""
    for name in ("replicas: 2", "LEVEL: info", "selector:"):
        start = PACKAGES["block"].find(name)
        yield sorted([*splices, Splice(start, start + len(name), "")])


MUTANTS = [
    drop,
    shift,
    repeat,
    indent,
    unquote,
    say_something_else,
    move_to_another_object,
    delete_a_line,
]


def meaning(text: bytes) -> list[object]:
    return list(yaml.load_all(text, yaml.CBaseLoader))


@pytest.mark.rows(test=20)
@pytest.mark.parametrize("small", [0, 300], ids=["an excerpt", "the whole text"])
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_edit_is_found(
    mutant: Mutant, package: str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = PACKAGES[package].encode()
    right = run(data)
    assert right.exit_code == 0, right.stderr
    planned: list[list[Splice]] = []
    plan = apply.plan_splices

    def record(envelope: Envelope, changes: Changes) -> list[Splice]:
        planned.append(sorted(plan(envelope, changes)))
        return planned[-1]

    monkeypatch.setattr(excerpt, "_SMALL", small)
    monkeypatch.setattr(apply, "plan_splices", record)
    run(data)
    found = 0
    for wrong in mutant(planned[0]):
        monkeypatch.setattr(
            apply, "plan_splices", lambda _, changes, wrong=wrong: wrong if changes.edits else []
        )
        if wrong == planned[0] or overlaps(wrong):
            continue
        outcome = run(data)
        if outcome.exit_code == 0:
            assert meaning(outcome.stdout) == meaning(right.stdout), wrong
        else:
            assert "this is a bug in krm-fn" in outcome.stderr
            assert "bug" in outcome.stdout.decode() or package == "stream"
            found += 1
    assert found


def overlaps(splices: list[Splice]) -> bool:
    order = sorted(splices, key=lambda splice: splice[:2])
    return any(one.end > other.start for one, other in pairwise(order))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        pytest.param(
            lambda splice: splice._replace(text=splice.text.replace("wanted", "want")),
            "ConfigMap/shop/web metadata.annotations: the output would not say here what was planned; ",
            id="another annotation",
        ),
        pytest.param(
            lambda splice: splice._replace(text=splice.text.replace("wanted:", "wanted")),
            "ConfigMap/shop/web metadata.annotations.app: the output would not be valid YAML here; ",
            id="no YAML",
        ),
    ],
)
def test_the_message_names_the_place(
    wrong: Callable[[Splice], Splice], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = apply.plan_splices
    monkeypatch.setattr(apply, "plan_splices", lambda *arguments: [*map(wrong, plan(*arguments))])
    outcome = run(PACKAGES["block"].encode())
    bug = "this is a bug in krm-fn, please report it; nothing was changed"
    assert outcome.stderr == f"error: {sentence}{bug}\n"
    items, _, _ = outcome.stdout.decode().partition("results:")
    assert items == PACKAGES["block"]


LONG = "list:\n" + "".join(f"- name: {name}\n  text: {name * 200}\n" for name in "abcd")
"""So long that the proof leaves out the elements that no edit touches."""


def prove_list_patch(patch: ListPatch, monkeypatch: pytest.MonkeyPatch, *forgotten: str) -> str:
    """Patch the list without the splices that write or drop a `forgotten` text."""
    envelope = open_envelope(read_yaml(LONG.encode()))
    changes = Changes(patches=((envelope.items[0], {"list": patch}),))
    splices = [
        splice
        for splice in apply.plan_splices(envelope, changes)
        if not any(one in splice.text + LONG[splice.start : splice.end] for one in forgotten)
    ]
    monkeypatch.setattr(apply, "plan_splices", lambda *_: splices)
    return apply.apply_changes(envelope, changes).text


def test_an_element_may_say_already_what_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    patch = ListPatch({0: {"name": "other"}, 2: {"name": "c"}})
    assert prove_list_patch(patch, monkeypatch) == LONG.replace("name: a", "name: other")


@pytest.mark.parametrize(
    ("patch", "forgotten"),
    [
        pytest.param(ListPatch({0: {"name": "other"}}, drop=(2,)), "name: c", id="dropped"),
        pytest.param(ListPatch({0: {"name": "other"}, 2: {"name": "more"}}), "more", id="changed"),
    ],
)
def test_an_element_that_no_edit_touches_is_found(
    patch: ListPatch, forgotten: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Rejected, match="the output would not say here what was planned"):
        prove_list_patch(patch, monkeypatch, forgotten)
