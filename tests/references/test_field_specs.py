"""The user's own reference fields mean what they mean to kustomize."""

import pytest

from krm_fn.base.item import read_item
from krm_fn.base.node import step
from krm_fn.base.reference import find_missing_step, split_path
from krm_fn.base.settings import FieldSpec
from krm_fn.core.references.find import find_by_specs
from krm_fn.core.yaml.reader import read_yaml

PATHS = [
    pytest.param("spec/configName", ("spec", "configName"), id="names between slashes"),
    pytest.param("/spec/a", ("spec", "a"), id="a slash in front"),
    pytest.param(
        r"metadata/annotations/x.io\/config",
        ("metadata", "annotations", "x.io/config"),
        id="a slash in a key",
    ),
    pytest.param(r"a\/b\/c/d", ("a/b/c", "d"), id="two slashes in a key"),
    pytest.param("spec/items[]/name", ("spec", "items", "name"), id="a list marked as one"),
    pytest.param("spec", ("spec",), id="one name"),
]

HEAD = "apiVersion: example.com/v1beta1\nkind: Widget\n"

FOUND = [
    pytest.param("spec/name", "spec: {name: a}", ["a at spec.name"], id="text"),
    pytest.param(
        "spec/ref", "spec: {ref: {name: a}}", ["a at spec.ref.name"], id="a mapping with a name"
    ),
    pytest.param(
        "spec/ref",
        "spec: {ref: {name: a, namespace: ns}}",
        ["a at spec.ref.name in ns"],
        id="a mapping with a namespace",
    ),
    pytest.param(
        "spec/ref/name",
        "spec: {ref: {name: a, namespace: ns}}",
        ["a at spec.ref.name in ns"],
        id="a name with a namespace beside it",
    ),
    pytest.param(
        "spec/names",
        "spec: {names: [a, b]}",
        ["a at spec.names[0]", "b at spec.names[1]"],
        id="a list of text",
    ),
    pytest.param(
        "spec/refs",
        "spec: {refs: [{name: a}, b, {other: c}]}",
        ["a at spec.refs[0].name", "b at spec.refs[1]"],
        id="a list of both",
    ),
    pytest.param(
        "spec/parts/ref/name",
        "spec: {parts: [{ref: {name: a}}, {}, {ref: {name: b}}]}",
        ["a at spec.parts[0].ref.name", "b at spec.parts[2].ref.name"],
        id="lists on the way",
    ),
    pytest.param(
        "spec/*/ref",
        "spec: {a: {ref: x}, b: [{ref: {name: y}}], c: text, d: {}}",
        ["x at spec.a.ref", "y at spec.b[0].ref.name"],
        id="any field on the way",
    ),
    pytest.param(
        "spec/x/name",
        "spec: [[{x: {name: a}}]]",
        ["a at spec[0][0].x.name"],
        id="lists of lists on the way",
    ),
    pytest.param(
        "spec/parts[]/name",
        "spec: {parts: [{name: a}]}",
        ["a at spec.parts[0].name"],
        id="marked lists",
    ),
    pytest.param(
        r"metadata/annotations/x.io\/config",
        "metadata: {annotations: {x.io/config: a}}",
        ["a at metadata.annotations[x.io/config]"],
        id="an annotation",
    ),
    pytest.param("spec/name", "spec: {<<: {name: a}}", ["a at spec.name"], id="a merged field"),
    pytest.param(
        "spec/at", "spec: {at: ns/a}", ["a at spec.at in ns"], id="a namespace in the text"
    ),
    pytest.param("spec/missing/name", "spec: {name: a}", [], id="a missing field"),
    pytest.param("spec/name/deeper", "spec: {name: a}", [], id="text where the path goes on"),
    pytest.param("spec/name", "spec: {name: null}", [], id="null"),
    pytest.param("spec/name", 'spec: {name: ""}', [], id="empty text"),
    pytest.param("spec/ref", "spec: {ref: {other: a}}", [], id="a mapping without a name"),
    pytest.param("spec/ref", "spec: {ref: {name: {name: a}}}", [], id="a name that is a mapping"),
    pytest.param("spec/names", "spec: {names: [null, [], [[]]]}", [], id="a list of nothing"),
    pytest.param("spec/*", "spec: {a: x}", [], id="any field at the end"),
    pytest.param("", "spec: {name: a}", [], id="an empty path"),
]

MEANT = [
    pytest.param({}, id="any kind"),
    pytest.param({"kind": "Widget"}, id="its kind"),
    pytest.param({"group": "example.com"}, id="its group"),
    pytest.param({"version": "v1beta1"}, id="its version"),
    pytest.param({"group": "example.com", "version": "v1beta1", "kind": "Widget"}, id="all three"),
]

NOT_MEANT = [
    pytest.param({"kind": "Gadget"}, id="another kind"),
    pytest.param({"group": "example.org"}, id="another group"),
    pytest.param({"version": "v1"}, id="another version"),
    pytest.param({"group": "example.com", "kind": "Gadget"}, id="its group, another kind"),
]


def find(spec: FieldSpec, text: str) -> list[str]:
    item = read_item(read_yaml((HEAD + text).encode()).roots[0])  # type: ignore[arg-type]  # these texts are mappings
    found = []
    for reference in find_by_specs(item.node, item.id, [spec]):
        assert (reference.kind, reference.is_output) == (spec.target, False)
        where = f" in {reference.target_namespace}" if reference.target_namespace else ""
        found.append(f"{reference.target} at {reference.field}{where}")
    return found


@pytest.mark.parametrize(("path", "expected"), PATHS)
def test_splits_paths_as_kustomize_does(path: str, expected: tuple[str, ...]) -> None:
    assert split_path(path) == expected


@pytest.mark.parametrize(("path", "text", "expected"), FOUND)
def test_finds_what_the_path_leads_to(path: str, text: str, expected: list[str]) -> None:
    assert find(FieldSpec(target="Secret", path=path), text) == expected


@pytest.mark.parametrize("who", MEANT)
def test_applies_to(who: dict[str, str]) -> None:
    assert find(FieldSpec(target="ConfigMap", path="spec/name", **who), "spec: {name: a}") == [
        "a at spec.name"
    ]


@pytest.mark.parametrize("who", NOT_MEANT)
def test_does_not_apply_to(who: dict[str, str]) -> None:
    assert find(FieldSpec(target="ConfigMap", path="spec/name", **who), "spec: {name: a}") == []


def test_names_with_dots_or_slashes_stand_in_brackets() -> None:
    assert step(step(step("", "spec"), "a.b/c"), "d") == "spec[a.b/c].d"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param(
            "spec/confgName", ("confgName", ["configName", "list", "map"]), id="the last name"
        ),
        pytest.param("sepc/configName", ("sepc", ["spec"]), id="the first name"),
        pytest.param("spec/list/b", ("b", ["a"]), id="in the first element of a list"),
        pytest.param("spec/map/*/d", ("d", ["c"]), id="in the first of any fields"),
        pytest.param("spec/configName/a", ("a", []), id="below a text"),
        pytest.param("spec/map/*/*/x", ("x", []), id="below anything that is a text"),
        pytest.param("spec/list", ("", []), id="all are there"),
    ],
)
def test_the_first_name_that_is_missing(path: str, expected: tuple[str, list[str]]) -> None:
    (root,) = read_yaml(b"spec: {configName: web, list: [{a: 1}], map: {x: {c: 1}}}").roots
    assert find_missing_step(root, path) == expected
