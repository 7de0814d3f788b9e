"""A folder among the plugins of a kustomization, as a shared configuration.

kustomize is a script here, which prints one text for a folder of plugins and another for the
package; tests/integration/test_kustomize_copy.py runs the real one.
"""

import os
from pathlib import Path

import pytest

from krm_fn.tools.builds.builds import (
    HelmOptions,
    builds_only_krm_fn,
    find_plugins,
    lists_krm_fn,
)
from krm_fn.tools.common.files import Allowance, Files, Limits
from krm_fn.tools.opened.sources import Inputs, read_sources
from tests.builds.test_builds import install
from tests.render.run import CONFIG_MAP, WITHOUT_LINKER, render_in, write

KUSTOMIZE = """#!/bin/sh
for last; do :; done
case "$(/bin/cat "$last/kustomization.yaml")" in
*needsHashSuffix*) /bin/cat "$BUILT" ;;
*) /bin/cat "$PACKAGE" ;;
esac
"""
LABELS = "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\n"
REPOSITORY: dict[str, str | bytes] = {
    "repo/krm/kustomization.yaml": "resources: [krm-fn.yaml]\n",
    "repo/krm/krm-fn.yaml": WITHOUT_LINKER,
    "repo/base/kustomization.yaml": "resources: [a.yaml]\n",
    "repo/base/a.yaml": CONFIG_MAP,
    "repo/shop/krm/kustomization.yaml": "resources: [../../krm]\nnamePrefix: a-\n",
    "repo/shop/labels.yaml": LABELS,
    "repo/other/kustomization.yaml": "resources: [labels.yaml]\n",
    "repo/other/labels.yaml": LABELS,
    "outside/kustomization.yaml": "resources: [krm-fn.yaml]\n",
    "outside/krm-fn.yaml": WITHOUT_LINKER,
}
ROOT = Limits(root=Path("repo"))
LISTED = "resources: [../base]\ntransformers: [krm]\n"
TOP = "repo/shop/kustomization.yaml"
INSTEAD = "; or build with `kustomize build --enable-alpha-plugins --enable-exec`\n"
TO_THE_TOP = "; make it the last of the `transformers` of repo/shop, the topmost kustomization"
OUTSIDE = "is outside of the root repo; --root sets the directory that may be read\n"


def prepare(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str | bytes],
    built: str = WITHOUT_LINKER,
) -> None:
    write(folder, {**REPOSITORY, TOP: LISTED, **files, "built": built, "package": CONFIG_MAP})
    install(folder / "bin", monkeypatch, kustomize=KUSTOMIZE)
    monkeypatch.setenv("BUILT", str(folder / "built"))
    monkeypatch.setenv("PACKAGE", str(folder / "package"))
    monkeypatch.chdir(folder)


def test_what_the_folder_builds_is_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path, monkeypatch, {})
    before = sorted(tmp_path.rglob("*"))
    found = read_sources(Inputs(("repo/shop",)), HelmOptions(), Allowance(ROOT))
    (config,) = found.configs
    assert (config.name, config.data) == ("repo/krm/krm-fn.yaml", WITHOUT_LINKER.encode())
    assert [(one.data, one.is_early) for one in found.texts] == [(CONFIG_MAP.encode(), True)]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_krm_fn_yaml_beside_it_must_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = WITHOUT_LINKER.replace("web", "other")
    prepare(tmp_path, monkeypatch, {"repo/shop/krm-fn.yaml": other})
    stderr = render_in(tmp_path, monkeypatch, "repo/shop").stderr
    assert "repo/krm/krm-fn.yaml" in stderr
    assert "repo/shop/krm-fn.yaml" in stderr


AS_WRITTEN = f"# who\n\n{WITHOUT_LINKER}"
BUILT_AS = {
    "only the name differs": (
        WITHOUT_LINKER.replace("web", "shop"),
        ("repo/krm/krm-fn.yaml", AS_WRITTEN.replace("web", "shop")),
    ),
    "the spec differs": (
        WITHOUT_LINKER.replace("spec: {", "spec: {strict: true, "),
        (
            "kustomize build repo/shop/krm",
            WITHOUT_LINKER.replace("spec: {", "spec: {strict: true, "),
        ),
    ),
    "the name is none": (
        WITHOUT_LINKER.replace("web", "Web_"),
        ("kustomize build repo/shop/krm", WITHOUT_LINKER.replace("web", "Web_")),
    ),
}


def test_a_name_that_is_a_number_stays_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = WITHOUT_LINKER.replace("name: web", 'name: "1234"')
    prepare(tmp_path, monkeypatch, {"repo/krm/krm-fn.yaml": AS_WRITTEN}, built)
    (config,) = read_sources(Inputs(("repo/shop",)), HelmOptions(), Allowance(ROOT)).configs
    assert b'"1234"' in config.data


def test_a_file_with_two_configurations_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = f"{AS_WRITTEN}---\n{AS_WRITTEN.replace('web', 'api')}"
    prepare(tmp_path, monkeypatch, {"repo/krm/krm-fn.yaml": two}, WITHOUT_LINKER)
    (config,) = read_sources(Inputs(("repo/shop",)), HelmOptions(), Allowance(ROOT)).configs
    assert config.name == "kustomize build repo/shop/krm"


@pytest.mark.parametrize(("built", "read"), BUILT_AS.values(), ids=BUILT_AS)
def test_the_file_that_a_person_edits_is_named_if_only_the_set_differs(
    built: str, read: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path, monkeypatch, {"repo/krm/krm-fn.yaml": AS_WRITTEN}, built)
    (config,) = read_sources(Inputs(("repo/shop",)), HelmOptions(), Allowance(ROOT)).configs
    assert (config.name, config.data.decode()) == read


def found_at(place: str, sentence: str, field: str = "transformers") -> str:
    return f"error: repo/{place}: {field}: found krm-fn{sentence}{INSTEAD}"


BESIDE = " beside other objects in krm; keep its configuration alone in this folder, and list the others before it"
ELSEWHERE = [
    pytest.param(
        {},
        LABELS + "---\n" + WITHOUT_LINKER,
        found_at("shop/kustomization.yaml:2:16", BESIDE),
        id="behind another transformer in its folder",
    ),
    pytest.param(
        {},
        WITHOUT_LINKER + "---\n" + WITHOUT_LINKER.replace("web", "b"),
        found_at(
            "shop/kustomization.yaml:2:16", " 2 times; keep one entry, with one configuration"
        ),
        id="twice in its folder",
    ),
    pytest.param(
        {
            "repo/shop/krm-fn.yaml": WITHOUT_LINKER,
            TOP: "transformers: [krm, krm-fn.yaml]\n",
        },
        WITHOUT_LINKER,
        found_at(
            "shop/kustomization.yaml:1:16", " 2 times; keep one entry, with one configuration"
        ),
        id="in a file and in a folder",
    ),
    pytest.param(
        {TOP: "transformers: [krm, labels.yaml]\n"},
        WITHOUT_LINKER,
        found_at(
            "shop/kustomization.yaml:1:16", " before other transformers; make it the last one"
        ),
        id="before another transformer",
    ),
    pytest.param(
        {TOP: "generators: [krm]\n"},
        WITHOUT_LINKER,
        found_at("shop/kustomization.yaml:1:14", TO_THE_TOP, "generators"),
        id="as a generator",
    ),
    pytest.param(
        {TOP: "validators: [krm]\n"},
        WITHOUT_LINKER,
        found_at("shop/kustomization.yaml:1:14", TO_THE_TOP, "validators"),
        id="as a validator",
    ),
    pytest.param(
        {TOP: "resources: [../base]\n", "repo/base/kustomization.yaml": "transformers: [../krm]\n"},
        WITHOUT_LINKER,
        "error: repo/base/kustomization.yaml:1:16: transformers: found krm-fn, which sees nothing of what repo/shop "
        "changes, as that lists no krm-fn; list it there, too, as krm-fn init repo/shop does\n",
        id="in a base, and not above it",
    ),
    pytest.param(
        {
            TOP: "resources: [../base]\ntransformers: [krm]\n",
            "repo/base/kustomization.yaml": "transformers: [../shop/another-set.yaml]\n",
            "repo/shop/another-set.yaml": WITHOUT_LINKER.replace("{name: web}", "{name: b}"),
        },
        WITHOUT_LINKER,
        "error: repo/base/kustomization.yaml:1:16: transformers: found krm-fn of set b; set spec.takeOver: [b] for "
        "repo/shop\n",
        id="in a base, and in a folder above it that has another set",
    ),
    pytest.param(
        {
            TOP: "components: [../krm]\n",
            "repo/krm/kustomization.yaml": "kind: Component\ntransformers: [krm-fn.yaml]\n",
        },
        WITHOUT_LINKER,
        found_at(
            "shop/kustomization.yaml:1:14",
            " in ../krm, and kustomize builds a component before the prefixes and the namespace of what includes it; "
            "name krm-fn in `resources` of ../krm, without `kind: Component`, and list ../krm as the last of the "
            "`transformers` of repo/shop, the topmost kustomization",
            "components",
        ),
        id="in a component",
    ),
    pytest.param(
        {},
        WITHOUT_LINKER.replace(
            "{name: web}", "{name: web, annotations: {config.kubernetes.io/function: '{exec: {}}'}}"
        ),
        f"error: {TOP}:2:16: transformers: kustomize skips krm-fn in silence, as its annotation "
        "config.kubernetes.io/function names neither `exec: {path: ...}` nor `container: {image: ...}`; add one of "
        "them\n",
        id="with an annotation that does not say how",
    ),
    pytest.param(
        {"repo/krm/kustomization.yaml": "resources: [krm-fn.yaml]\nvars: [{name: A}]\n"},
        WITHOUT_LINKER,
        "error: repo/krm/kustomization.yaml:2:7: vars of a kustomization that lists krm-fn: kustomize replaces them "
        f"after its transformers, of which krm-fn must be the last; use `replacements`{INSTEAD}",
        id="with variables, which its build alone would replace",
    ),
]


@pytest.mark.parametrize(("files", "built", "sentences"), ELSEWHERE)
def test_where_it_cannot_be_taken_out(
    files: dict[str, str | bytes],
    built: str,
    sentences: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepare(tmp_path, monkeypatch, files, built)
    outcome = render_in(tmp_path, monkeypatch, "repo/shop", limits=ROOT)
    assert (outcome.stdout, outcome.stderr) == (b"", sentences)


REFUSED = [
    pytest.param(
        {TOP: "transformers: [../../outside]\n"},
        ROOT,
        f"error: outside: {OUTSIDE}",
        id="a folder outside of the root",
    ),
    pytest.param(
        {"repo/shop/krm/kustomization.yaml": "resources: [../../../outside]\n"},
        ROOT,
        f"error: outside: {OUTSIDE}",
        id="a base of it outside of the root",
    ),
    pytest.param(
        {"repo/krm/kustomization.yaml": "resources: [https://user:a@host/krm-fn.yaml]\n"},
        Limits(no_remote=True),
        "error: repo/krm/kustomization.yaml:1:13: https://host/krm-fn.yaml is remote, which --no-remote refuses; "
        "copy it into the repository\n",
        id="an address in it",
    ),
    pytest.param(
        {TOP: "transformers: [krm]\n", "repo/krm/krm-fn.yaml": "#" * 5000},
        Limits(max_bytes=3000),
        "error: repo/krm/krm-fn.yaml: more than 3000 bytes are to be read; --max-bytes sets the limit\n",
        id="more than is allowed in it",
    ),
    pytest.param(
        {"repo/krm/kustomization.yaml": "helmCharts: [{name: a}]\n"},
        ROOT,
        "error: repo/krm/kustomization.yaml:1:14: lists a chart, and krm-fn lets kustomize run helm only when told to; "
        "--enable-helm lets it, as with kustomize\n",
        id="a chart in it",
    ),
    pytest.param(
        {"repo/krm/kustomization.yaml": "resources: &a [*a]\n"},
        ROOT,
        "error: repo/krm/kustomization.yaml:1:12: an alias is inside its own anchor, so the document would never "
        "end\n",
        id="a kustomization that never ends",
    ),
]


@pytest.mark.parametrize(("files", "limits", "sentences"), REFUSED)
def test_it_passes_every_check_before_it_is_built(
    files: dict[str, str | bytes],
    limits: Limits,
    sentences: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepare(tmp_path, monkeypatch, files)
    (tmp_path / "bin/kustomize").write_text("#!/bin/sh\n: > started\n")
    outcome = render_in(tmp_path, monkeypatch, "repo/shop", limits=limits)
    assert (outcome.stdout, outcome.stderr) == (b"", sentences)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        ("fifo", "krm-fn.yaml: is a FIFO"),
        ("link", "kustomization.yaml:1:13: krm-fn.yaml leads out of repo/krm"),
    ],
)
def test_a_file_of_it_that_is_not_read(
    make: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path, monkeypatch, {})
    file = tmp_path / "repo/krm/krm-fn.yaml"
    file.unlink()
    if make == "fifo":
        os.mkfifo(file)
    else:
        file.symlink_to("../../outside/krm-fn.yaml")
    outcome = render_in(tmp_path, monkeypatch, "repo/shop", limits=ROOT)
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)
    assert outcome.stderr.startswith(f"error: repo/krm/{sentence}; ")


def test_what_it_builds_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path, monkeypatch, {}, "#" * 5000)
    outcome = render_in(tmp_path, monkeypatch, "repo/shop", limits=Limits(max_bytes=3000))
    assert outcome.stderr.startswith("error: kustomize build repo/shop/krm: more than 3000 bytes")


def test_what_it_builds_may_be_no_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path, monkeypatch, {}, "a: [")
    outcome = render_in(tmp_path, monkeypatch, "repo/shop")
    assert outcome.stderr.startswith("error: kustomize build repo/shop/krm:2:1: invalid YAML")


def test_another_folder_is_left_to_kustomize(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str | bytes] = {TOP: "transformers: [../other]\nvars: [{name: A}]\n"}
    prepare(tmp_path, monkeypatch, files, LABELS)
    found = read_sources(Inputs(("repo/shop",)), HelmOptions(), Allowance(ROOT))
    assert (found.configs, [one.data for one in found.texts]) == ([], [CONFIG_MAP.encode()])


CHARTED = "helmCharts: [{name: c}]\n"
UNCHECKED = (
    "is a folder, and may hide charts and paths that nobody has checked; where a chart or a file of another folder is "
    "listed, write it as a file of the "
    "repository\n"
)


@pytest.mark.parametrize(
    ("built", "sentences"),
    [(WITHOUT_LINKER, ""), (LABELS, f"error: {TOP}:2:16: transformers: krm {UNCHECKED}")],
)
def test_a_package_with_a_chart(
    built: str, sentences: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of a folder that is krm-fn is run by kustomize, so it can hide no chart."""
    chart: dict[str, str | bytes] = {
        TOP: LISTED + CHARTED,
        "repo/shop/charts/c/Chart.yaml": "name: c\nversion: 1.0.0\n",
    }
    prepare(tmp_path, monkeypatch, chart, built)
    (tmp_path / "bin/helm").write_text("#!/bin/sh\n")
    (tmp_path / "bin/helm").chmod(0o755)
    outcome = render_in(tmp_path, monkeypatch, "repo/shop", limits=ROOT._replace(enable_helm=True))
    errors = [one for one in outcome.stderr.splitlines(keepends=True) if one.startswith("error")]
    assert "".join(errors) == sentences


MISSING = [
    pytest.param(
        {"repo/shop/krm/kustomization.yaml": "resources: [../none]\n"},
        "error: repo/shop/krm/kustomization.yaml:1:13: ../none does not exist; correct the path, which is relative to "
        "repo/shop/krm\n",
        id="a folder",
    ),
    pytest.param(
        {
            TOP: "transformers: [../krm]\n",
            "repo/krm/kustomization.yaml": "resources:\n- config.yaml\n",
        },
        "error: repo/krm/kustomization.yaml:2:3: config.yaml does not exist; correct the path, which is relative to "
        "repo/krm\n",
        id="a file",
    ),
]


@pytest.mark.parametrize(("files", "said"), MISSING)
def test_what_is_missing_in_a_folder_of_plugins_is_said_with_its_place(
    files: dict[str, str | bytes], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path, monkeypatch, files)
    assert render_in(tmp_path, monkeypatch, "repo/shop", limits=ROOT).stderr == said


LISTS = [
    pytest.param({}, True, id="in a base of the folder"),
    pytest.param({TOP: "transformers: [../krm]\n"}, True, id="in the folder itself"),
    pytest.param({TOP: "transformers: [../other]\n"}, False, id="in a folder with another one"),
    pytest.param({TOP: "transformers: [../none]\n"}, False, id="in a folder that is not there"),
    pytest.param(
        {"repo/shop/krm/kustomization.yaml": "resources: [../../none]\n"},
        True,
        id="in a folder that names one that is not there",
    ),
    pytest.param({TOP: "resources: [../krm]\n"}, False, id="among the resources"),
    pytest.param(
        {"repo/krm/kustomization.yaml": "resources: [../shop/krm, krm-fn.yaml]\n"},
        True,
        id="in a loop of folders",
    ),
    pytest.param({"repo/krm/krm-fn.yaml": "a: ["}, True, id="in what cannot be read"),
]


@pytest.mark.parametrize(("files", "expected"), LISTS)
def test_whether_krm_fn_is_listed(
    files: dict[str, str | bytes], expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a build: for those who only look."""
    prepare(tmp_path, monkeypatch, files)
    assert lists_krm_fn(Path("repo/shop"), Allowance(Limits())) is expected


ONLY = [
    pytest.param("repo/krm", {}, True, id="the folder that packages share"),
    pytest.param("repo/shop/krm", {}, True, id="a folder that leads there"),
    pytest.param("repo/shop", {}, False, id="a package"),
    pytest.param("repo/base", {}, False, id="a base with objects"),
    pytest.param("repo/none", {}, False, id="a folder that is not there"),
    pytest.param(
        "repo/krm", {"repo/krm/kustomization.yaml": "resources: []\n"}, False, id="an empty folder"
    ),
    pytest.param(
        "repo/krm",
        {
            "repo/krm/kustomization.yaml": "resources: [krm-fn.yaml, config.yaml]\n",
            "repo/krm/config.yaml": CONFIG_MAP,
        },
        False,
        id="a configuration beside an object",
    ),
    pytest.param("repo/krm", {"repo/krm/krm-fn.yaml": "a: ["}, False, id="what cannot be read"),
    pytest.param(
        "repo/krm",
        {"repo/krm/kustomization.yaml": "resources: [krm-fn.yaml, gone]\n"},
        False,
        id="something that is not there",
    ),
]


@pytest.mark.parametrize(("folder", "files", "expected"), ONLY)
def test_what_only_builds_configurations(
    folder: str,
    files: dict[str, str | bytes],
    expected: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such a folder tells nothing of what packages are to each other, if they have it in common."""
    prepare(tmp_path, monkeypatch, files)
    found = builds_only_krm_fn(Path(folder), Files(Path("repo"), Allowance(Limits())))
    assert found is expected


def test_who_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path, monkeypatch, {})
    files = Files(Path("repo"), Allowance(Limits()))
    (plugin,) = (one for one in find_plugins(Path("repo/shop"), files, files) if one.krm_fn)
    assert (plugin.field, plugin.entry.value, plugin.path.name) == ("transformers", "krm", "krm")
