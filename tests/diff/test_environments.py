"""`krm-fn diff --ignore-namespace` and `--ignore-affixes`: staging and production of one application."""

import json
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.cli.main import main
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.tools.diff.pair import Release, read_release, spell_alike
from tests.render.run import write
from tests.tools.require import require
from tests.volume import examples_of

BASE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data: {LOG_LEVEL: info}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      serviceAccountName: web
      containers:
      - {name: web, image: "registry.example/web:1", envFrom: [{configMapRef: {name: config}}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: web}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: web, namespace: default}]
"""
CONFIGURATION = (
    "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
)
STAGING = {"namespace": "staging", "namePrefix": "staging-"}
PRODUCTION = {"namespace": "prod", "namePrefix": "prod-", "nameSuffix": "-eu"}
NAMESPACES = "note: taken as equal: namespaces staging and prod\n"
NAMES = "note: taken as equal: names staging-*, staging-shop-* and prod-*-eu, prod-shop-*-eu\n"
BOTH = ("--ignore-namespace", "--ignore-affixes")


@pytest.fixture
def overlays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{require('kustomize').parent}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path,
        {
            "base/kustomization.yaml": "namePrefix: shop-\nresources: [all.yaml]\n",
            "base/all.yaml": BASE,
        },
    )
    overlay(tmp_path, "staging", **STAGING)
    overlay(tmp_path, "prod", **PRODUCTION)
    return tmp_path


def overlay(folder: Path, name: str, **fields: str) -> None:
    lines = [f"{field}: {value}" for field, value in {"resources": "[../base]", **fields}.items()]
    write(
        folder,
        {f"{name}/kustomization.yaml": "\n".join(lines), f"{name}/krm-fn.yaml": CONFIGURATION},
    )


def diff(*arguments: str) -> str:
    outcome = main(["diff", *arguments])
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    return outcome.stdout.decode()


@pytest.mark.needs("kustomize")
def test_two_environments_of_one_application_are_equal(overlays: Path) -> None:
    assert (
        diff(*BOTH, "staging", "prod")
        == f"{NAMESPACES}{NAMES}no difference: 1 revision unchanged\n"
    )
    assert "1 added" not in diff(*BOTH, "prod", "staging"), overlays


HINT = "warning: the sides have other namespaces; --ignore-namespace compares objects by name\n"


@pytest.mark.needs("kustomize")
def test_who_compares_two_namespaces_is_told_of_the_option(overlays: Path) -> None:
    assert main(["diff", "staging", "prod"]).stderr == HINT
    assert HINT not in main(["diff", "--ignore-namespace", "staging", "prod"]).stderr
    overlay(overlays, "same", namespace="staging", namePrefix="staging-", nameSuffix="")
    assert not main(["diff", "staging", "same"]).stderr


@pytest.mark.needs("kustomize")
def test_what_differs_is_shown_under_the_names_of_the_new_one(overlays: Path) -> None:
    overlay(overlays, "prod", **PRODUCTION, images="[{name: registry.example/web, newTag: '2'}]")
    image = "spec.template.spec.containers[web].image: registry.example/web:1 -> 2"
    assert diff(*BOTH, "staging", "prod") == (
        f"Deployment prod/prod-shop-web-eu\n  {image}\n  rolls: new image\n"
        f"{NAMESPACES}{NAMES}1 revision unchanged; 1 other object changed\n"
    )


@pytest.mark.needs("kustomize")
def test_a_changed_key_rolls_who_references_it_by_the_other_name(overlays: Path) -> None:
    patch = "[{target: {kind: ConfigMap}, patch: '- {op: replace, path: /data/LOG_LEVEL, value: warn}'}]"
    overlay(overlays, "prod", **PRODUCTION, patches=patch)
    lines = diff(*BOTH, "staging", "prod").splitlines()
    assert lines[0].startswith("ConfigMap prod/prod-shop-config-eu: staging-shop-config-")
    assert "  - LOG_LEVEL: info" in lines
    assert "  rolls Deployment/prod-shop-web-eu" in lines
    assert lines[-1] == "1 revision changed"


@pytest.mark.needs("kustomize")
def test_only_what_was_asked_for_is_taken_as_equal(overlays: Path) -> None:
    assert "3 other objects added, 3 removed" in diff("--ignore-namespace", "staging", "prod")
    by_namespace = main(["diff", "--ignore-affixes", "staging", "prod"])
    assert "taken as equal: names" in by_namespace.stdout.decode()
    assert "3 other objects added, 3 removed" in by_namespace.stdout.decode()
    assert by_namespace.stderr == HINT
    overlay(overlays, "prod", namespace="prod", namePrefix="staging-")
    expected = f"{NAMESPACES}no difference: 1 revision unchanged\n"
    assert diff("--ignore-namespace", "staging", "prod") == expected


NAMED = "'- {op: replace, path: /spec/template/spec/containers/0/name, value: shop-web}'"
SIDECAR = "'- {op: add, path: /spec/template/spec/containers/0, value: {name: log}}'"


@pytest.mark.needs("kustomize")
def test_a_text_that_is_a_name_in_one_environment_only_is_equal_to_itself(overlays: Path) -> None:
    """The container is called shop-web, as the Deployment is where nothing is before its name."""
    targets = [f"{{target: {{kind: Deployment}}, patch: {patch}}}" for patch in (NAMED, SIDECAR)]
    overlay(
        overlays, "staging", namespace="staging", namePrefix="staging-", patches=f"[{targets[0]}]"
    )
    overlay(overlays, "prod", namespace="prod", patches=f"[{targets[0]}]")
    names = "note: taken as equal: names staging-*, staging-shop-* and shop-*\n"
    expected = f"{NAMESPACES}{names}no difference: 1 revision unchanged\n"
    assert diff(*BOTH, "staging", "prod") == expected
    overlay(overlays, "more", namespace="prod", patches=f"[{', '.join(targets)}]")
    for pair in (("staging", "more"), ("more", "staging")):
        lines = diff(*BOTH, *pair).splitlines()
        assert [line for line in lines if "containers[" in line] == [
            f"  {'+' if pair[1] == 'more' else '-'} spec.template.spec.containers[log]:"
        ]


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("pair", [("staging", "plain"), ("plain", "staging")])
def test_one_side_may_have_no_affix(overlays: Path, pair: tuple[str, str]) -> None:
    write(overlays, {"base/kustomization.yaml": "resources: [all.yaml]\n"})
    overlay(overlays, "plain", namespace="prod")
    assert diff(*BOTH, *pair).endswith("no difference: 1 revision unchanged\n")


@pytest.mark.needs("kustomize")
def test_the_affixes_of_components_count(overlays: Path) -> None:
    write(
        overlays,
        {
            "cell/kustomization.yaml": "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n"
        },
    )
    with (overlays / "cell/kustomization.yaml").open("a") as component:
        component.write("namePrefix: cell-\n")
    overlay(overlays, "prod", **PRODUCTION, components="[../cell]")
    assert diff(*BOTH, "staging", "prod").endswith("no difference: 1 revision unchanged\n")


def manifests(namespaces: str, data: str = "{}") -> str:
    """Write a ConfigMap into each of the namespaces, named by the first two letters of that."""
    objects = (
        f"metadata: {{name: {one[:2]}, namespace: {one}}}\ndata: {data}\n"
        for one in namespaces.split()
    )
    return "---\n".join(f"apiVersion: v1\nkind: ConfigMap\n{one}" for one in objects)


APART = "not paired, as nothing tells which of them belong together: namespaces "
NAMESPACE_CASES = {
    "an object of a namespace on both sides stays there": (
        "ab-staging both",
        "ab-prod both",
        "ab-staging and ab-prod",
    ),
    "no namespace is one too": ("''", "prod", "(none) and prod"),
    "of several, those belong together that share most": (
        "db-a we-a",
        "db-b we-b",
        "db-a and db-b|we-a and we-b",
    ),
    "what shares nothing belongs to nothing": ("aa bb", "cc dd", f"{APART}aa, bb and cc, dd"),
    "what shares as much with two belongs to none": (
        "db-a cc",
        "db-b db-c",
        f"{APART}cc, db-a and db-b, db-c",
    ),
    "one more on one side is told by its objects": ("we-a", "db-b we-b", "we-a and we-b"),
    "what is on one side only belongs to nothing": ("we-a", "we-a db-b", ""),
}


@pytest.mark.parametrize(("old", "new", "told"), NAMESPACE_CASES.values(), ids=NAMESPACE_CASES)
def test_which_namespaces_are_paired(tmp_path: Path, old: str, new: str, told: str) -> None:
    write(tmp_path, {"old.yaml": manifests(old), "new.yaml": manifests(new)})
    text = diff(
        "--ignore-namespace", "-ojson", str(tmp_path / "old.yaml"), str(tmp_path / "new.yaml")
    )
    expected = [
        one if one.startswith(APART) else f"taken as equal: namespaces {one}"
        for one in told.split("|")
        if one
    ]
    assert json.loads(text)["notes"] == expected


def test_a_namespace_counts_only_where_a_field_says_that_it_is_one(tmp_path: Path) -> None:
    for one in ("staging", "prod"):
        write(
            tmp_path,
            {f"{one}.yaml": manifests(one, f"{{A: {one}}}").replace("name: st", "name: pr")},
        )
    text = diff("--ignore-namespace", str(tmp_path / "staging.yaml"), str(tmp_path / "prod.yaml"))
    assert "  - A: staging\n  + A: prod\n" in text
    for one in ("staging", "prod"):
        spec = f"spec: {{to: {{namespace: {one}}}, tier: {one}}}\n"
        head = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: web, namespace: "
        write(tmp_path, {f"{one}.yaml": f"{head}{one}}}\n{spec}"})
    text = diff("--ignore-namespace", str(tmp_path / "staging.yaml"), str(tmp_path / "prod.yaml"))
    assert text.startswith("Widget prod/web\n  spec.tier: staging -> prod\nnote: "), text


@given(
    *[
        st.lists(st.sets(st.sampled_from("abcdef"), min_size=1), min_size=1, max_size=5)
        for _ in ("old", "new")
    ]
)
@settings(max_examples=examples_of(300), deadline=None)
def test_namespaces_belong_together_if_each_shares_less_with_any_other(
    old: list[set[str]], new: list[set[str]]
) -> None:
    """All pairs of namespaces are compared here, one by one."""
    here = {f"old-{number}": names for number, names in enumerate(old)}
    there = {f"new-{number}": names for number, names in enumerate(new)}
    shared = {pair: len(here[pair[0]] & there[pair[1]]) for pair in product(here, there)}
    expected = []
    for (one, other), number in shared.items():
        rivals = [shared[pair] for pair in shared if (pair[0] == one) != (pair[1] == other)]
        if number > max(rivals, default=-1):
            expected.append(f"taken as equal: namespaces {one} and {other}")
    _, _, notes = spell_alike(_release_of(here), _release_of(there), ((), ()), namespaces=True)
    assert [note for note in notes if note.startswith("taken")] == expected


def _release_of(side: Mapping[str, Iterable[str]]) -> Release:
    objects = (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: {namespace}}}\n"
        for namespace, names in side.items()
        for name in sorted(names)
    )
    return read_release(open_envelope(read_yaml("---\n".join(objects).encode())).items, None, "")


@pytest.mark.parametrize(
    "names", [["web"], ["web", "app-{}"], ["app-{}"]], ids=["alike", "alike but one", "apart"]
)
def test_a_thousand_namespaces_take_no_minute(names: list[str]) -> None:
    """Each pair with all its rivals was 160^4 steps for 160 namespaces, and took 40 s."""
    sides = [
        {f"{side}-{number}": [name.format(number) for name in names] for number in range(1_000)}
        for side in ("old", "new")
    ]
    releases = [_release_of(side) for side in sides]
    start = process_time()
    spell_alike(releases[0], releases[1], ((), ()), namespaces=True)
    assert process_time() - start < 10
