"""What a kustomization and its bases may name. kustomize is a script here; tests/integration runs the real one."""

import os
from pathlib import Path

import pytest

from krm_fn.render.limits import Limits
from tests.render.run import CONFIG_MAP, REVISIONS, render_in, write
from tests.render.test_tools import ECHO, install

BASE: dict[str, str | bytes] = {
    "repo/base/kustomization.yaml": "resources: [a.yaml]\n",
    "repo/base/a.yaml": CONFIG_MAP,
    "repo/part/kustomization.yaml": "kind: Component\n",
    "other/kustomization.yaml": "",
    "other/a.yaml": CONFIG_MAP,
}
ROOT = Limits(root=Path("repo"))
NO_REMOTE = Limits(no_remote=True)


def build(
    folder: Path, monkeypatch: pytest.MonkeyPatch, kustomization: str, limits: Limits, **more: str
) -> tuple[str, int]:
    files = {**BASE, "repo/shop/kustomization.yaml": kustomization}
    write(folder, files | {f"repo/shop/{name.replace('_', '.')}": text for name, text in more.items()})
    install(folder / "bin", monkeypatch, kustomize=ECHO)
    outcome = render_in(folder, monkeypatch, "repo/shop", limits=limits)
    assert bool(outcome.stdout) is (outcome.exit_code == 0)
    return outcome.stderr, outcome.exit_code


ALLOWED = [
    pytest.param("resources: [../base]\ncomponents: [../part]\n", ROOT, id="bases in the root"),
    pytest.param("resources: [../../other]\n", Limits(), id="bases anywhere, without a root"),
    pytest.param("resources: [https://host/a/b, a.yaml]\n", Limits(), id="remote ones, if they are not refused"),
    pytest.param("resources: [no.yaml, no]\n", ROOT, id="what does not exist, which kustomize reports"),
    pytest.param("resources: [../shop, .]\n", ROOT, id="loops, which kustomize reports"),
    pytest.param("commonAnnotations: {path: https://host/a}\n", NO_REMOTE, id="an address in an annotation"),
    pytest.param("configMapGenerator: [{name: a, literals: ['a=https://b']}]\n", NO_REMOTE, id="an address in data"),
    pytest.param("configMapGenerator: [{name: a, files: ['https://h/a=b']}]\n", NO_REMOTE, id="an address as a key"),
    pytest.param("helmCharts: [{name: a, repo: 'https://b'}]\n", NO_REMOTE, id="charts, which kustomize refuses"),
    pytest.param("patches: [{patch: 'https://host/a'}]\n", NO_REMOTE, id="the text of a patch"),
    pytest.param(f"patchesStrategicMerge:\n- |\n  kind: A\n  a: {'b' * 300}\n", ROOT, id="a long patch in place"),
    pytest.param(f"transformers:\n- '{{a: {'b' * 300}}}'\n", ROOT, id="a long plugin in place"),
    pytest.param('resources: ["a\\0b"]\n', ROOT, id="what no file system takes for a name"),
    pytest.param("generators: [{a: b}]\nresources: {a: b}\ncrds: [[1]]\n", NO_REMOTE, id="fields of wrong types"),
    pytest.param("- a\n", NO_REMOTE, id="no mapping"),
]


@pytest.mark.parametrize(("kustomization", "limits"), ALLOWED)
def test_built(kustomization: str, limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build(tmp_path, monkeypatch, kustomization, limits) == ("", 0)


@pytest.mark.parametrize("field", ["resources", "bases", "components", "generators", "transformers", "validators"])
def test_a_base_outside_of_the_root(field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "error: other: is outside of the root repo; --root sets the directory that may be read\n"
    assert build(tmp_path, monkeypatch, f"{field}: [../../other]\n", ROOT) == (sentence, 1)


def test_a_base_of_a_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/middle/kustomization.yaml": "resources: [../../other]\n"})
    sentence = "error: other: is outside of the root repo; --root sets the directory that may be read\n"
    assert build(tmp_path, monkeypatch, "resources: [../middle]\n", ROOT) == (sentence, 1)


def test_two_dots_after_a_link_are_those_of_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For kustomize `link/../a` is `a`; the system would look beside the target of the link."""
    write(tmp_path, {"repo/shop/a/kustomization.yaml": "resources: [../../../other]\n"})
    (tmp_path / "repo/shop/link").symlink_to("../base")
    sentence = "error: other: is outside of the root repo; --root sets the directory that may be read\n"
    assert build(tmp_path, monkeypatch, "resources: [link/../a]\n", ROOT) == (sentence, 1)


FILES = [
    *("resources: [a]", "bases: [a]", "crds: [a]", "configurations: [a]", "openapi: {path: a}"),
    *(
        "patches: [{path: a}]",
        "patchesJson6902: [{path: a}]",
        "patchesStrategicMerge: [a]",
        "replacements: [{path: a}]",
    ),
    *(
        "configMapGenerator: [{files: [a]}]",
        "configMapGenerator: [{files: [k=a]}]",
        "configMapGenerator: [{envs: [a]}]",
    ),
    *("secretGenerator: [{env: a}]", "generators: [a]", "transformers: [a]", "validators: [a]"),
]


@pytest.mark.parametrize("kustomization", FILES)
def test_a_fifo_is_refused(kustomization: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repo/shop").mkdir(parents=True)
    os.mkfifo(tmp_path / "repo/shop/a")
    sentence = "error: repo/shop/a: is a FIFO; only regular files are read\n"
    assert build(tmp_path, monkeypatch, kustomization, Limits()) == (sentence, 1)


@pytest.mark.parametrize("limits", [Limits(), ROOT])
def test_a_link_to_outside(limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repo/shop").mkdir(parents=True)
    (tmp_path / "repo/shop/a.yaml").symlink_to("../../other/a.yaml")
    root = limits.root or "repo/shop"
    sentence = f"error: repo/shop/a.yaml: leads to {tmp_path}/other/a.yaml, outside of the root {root}; "
    told = build(tmp_path, monkeypatch, "patches: [{path: a.yaml}]\n", limits)
    assert told == (sentence + "--root sets the directory that may be read\n", 1)


@pytest.mark.parametrize("limits", [Limits(), ROOT])
def test_a_kustomization_that_is_a_link(limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repo/shop").mkdir(parents=True)
    (tmp_path / "repo/shop/kustomization.yml").symlink_to("/etc/hostname")
    root = limits.root or "repo/shop"
    sentence = f"error: repo/shop/kustomization.yml: leads to /etc/hostname, outside of the root {root}; "
    told = build(tmp_path, monkeypatch, "resources: []\n", limits)
    assert told == (sentence + "--root sets the directory that may be read\n", 1)


def remote(address: str, place: str) -> str:
    return (
        f"error: repo/shop/kustomization.yaml:{place}: {address} is remote, which --no-remote refuses; "
        "copy it into the repository\n"
    )


BASE64 = "a name or path must not be in base64 (!!binary); write it out"
QUOTED = "a merge key must not be in quotes; write `<<`"
FILE = "https://host/a.yaml"
REMOTE = [
    pytest.param(f"resources: [a, '{FILE}']", remote(FILE, "1:16"), id="a resource"),
    pytest.param("bases: [git@host:a/b]", remote("git@host:a/b", "1:9"), id="a base"),
    pytest.param("components:\n- github.com/a/b", remote("github.com/a/b", "2:3"), id="a component"),
    pytest.param(f"crds: ['{FILE}']", remote(FILE, "1:8"), id="a CRD"),
    pytest.param(f"configurations: ['{FILE}']", remote(FILE, "1:18"), id="a configuration"),
    pytest.param(f"openapi: {{path: '{FILE}'}}", remote(FILE, "1:17"), id="a schema"),
    pytest.param(f"patches: [{{path: '{FILE}'}}]", remote(FILE, "1:18"), id="a patch"),
    pytest.param(f"patchesJson6902: [{{path: '{FILE}'}}]", remote(FILE, "1:26"), id="a JSON patch"),
    pytest.param(f"patchesStrategicMerge: ['{FILE}']", remote(FILE, "1:25"), id="a merge patch"),
    pytest.param(f"replacements: [{{path: '{FILE}'}}]", remote(FILE, "1:23"), id="replacements"),
    pytest.param(f"configMapGenerator: [{{files: ['{FILE}']}}]", remote(FILE, "1:31"), id="a file of a generator"),
    pytest.param(f"configMapGenerator: [{{files: ['k={FILE}']}}]", remote(FILE, "1:31"), id="a file under a key"),
    pytest.param(f"secretGenerator: [{{envs: ['{FILE}']}}]", remote(FILE, "1:27"), id="a file of variables"),
    pytest.param(f"secretGenerator: [{{env: '{FILE}'}}]", remote(FILE, "1:25"), id="one file of variables"),
    pytest.param(f"generators: ['{FILE}']", remote(FILE, "1:14"), id="a generator"),
    pytest.param(f"transformers: ['{FILE}']", remote(FILE, "1:16"), id="a transformer"),
    pytest.param(f"validators: ['{FILE}: a']", remote(f"{FILE}: a", "1:14"), id="a validator, though it is YAML too"),
    pytest.param(f"Re\u017fourceS: ['{FILE}']", remote(FILE, "1:13"), id="in capitals, or in what counts as them"),
    pytest.param(f"a: &a\n  crds: ['{FILE}']\n<<: *a\n", remote(FILE, "2:10"), id="merged in"),
    pytest.param(
        "resources: ['https://me:hunter2@host/a/b?token=hunter2']",
        remote("https://host/a/b", "1:13"),
        id="an address without its credentials",
    ),
    pytest.param(
        f"openapi: {{path: '{FILE}'}}\nresources: [{FILE}]\ncrds: [a, {FILE}]",
        remote(FILE, "1:17") + remote(FILE, "2:13") + remote(FILE, "3:11"),
        id="all of them, in their order",
    ),
    pytest.param(
        f"transformers:\n- |\n  kind: PatchTransformer\n  Path: {FILE}\n", remote(FILE, "2:3"), id="in an inline plugin"
    ),
]


@pytest.mark.parametrize(("kustomization", "sentences"), REMOTE)
def test_remote(kustomization: str, sentences: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build(tmp_path, monkeypatch, kustomization, NO_REMOTE) == (sentences, 1)


@pytest.mark.parametrize(
    "plugin",
    [f"path: {FILE}", f"paths: [{FILE}]", f"replacements: [{{path: {FILE}}}]", f"files: [k={FILE}]", f"env: {FILE}"],
)
def test_remote_in_the_file_of_a_plugin(plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = build(tmp_path, monkeypatch, "generators: [plugin.yaml]\n", NO_REMOTE, plugin_yaml=f"{plugin}\n")
    assert told == (remote(FILE, "1:14"), 1)


HIDDEN = [
    pytest.param("resources: [!!binary Li4vLi4vb3RoZXI=]", "1:13: " + BASE64, id="a base in base64"),
    pytest.param("!!binary cmVzb3VyY2Vz: [../../other]", "1:1: " + BASE64, id="a field in base64"),
    pytest.param("! '<<': {resources: [../../other]}", "1:1: " + QUOTED, id="a merge key in quotes, of no type"),
    pytest.param(
        "!!merge '<<': {resources: [../../other]}", "1:1: " + QUOTED, id="a merge key in quotes, with its tag"
    ),
    pytest.param(
        "transformers:\n- '{path: !!binary aHR0cDovL2E=}'",
        f"2:3: in this text: line 1, column 8: {BASE64}",
        id="a path in an inline plugin",
    ),
    pytest.param(
        "transformers:\n- '{path: a, path: b}'",
        "2:3: in this text: line 1, column 11: duplicate key 'path'; the first is on line 1",
        id="an inline plugin that is read in different ways",
    ),
]


@pytest.mark.parametrize(("kustomization", "sentence"), HIDDEN)
def test_hidden(kustomization: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = build(tmp_path, monkeypatch, kustomization, ROOT)
    assert told == (f"error: repo/shop/kustomization.yaml:{sentence}\n", 1)


def test_an_inline_plugin_is_read_even_if_a_file_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/shop/{path: http:/host}": ""})
    told = build(tmp_path, monkeypatch, "transformers: ['{path: http://host}']\n", NO_REMOTE)
    assert told == (remote("http://host", "1:16"), 1)


def test_remote_in_a_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/middle/kustomization.yaml": f"resources: [{FILE}]\n"})
    sentence = remote(FILE, "1:13").replace("shop", "middle")
    assert build(tmp_path, monkeypatch, "resources: [../middle]\n", NO_REMOTE) == (sentence, 1)


def test_a_file_is_read_before_a_repository_is_cloned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/shop/github.com/a/b": CONFIG_MAP})
    assert build(tmp_path, monkeypatch, "resources: [github.com/a/b]\n", NO_REMOTE) == ("", 0)


def test_a_repository_is_cloned_before_a_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/shop/github.com/a/b/kustomization.yaml": ""})
    told = build(tmp_path, monkeypatch, "resources: [github.com/a/b]\n", NO_REMOTE)
    assert told == (remote("github.com/a/b", "1:13"), 1)


def runs_krm_fn(place: str, field: str = "transformers") -> str:
    return (
        f"error: repo/{place}: {field}: found krm-fn, but `krm-fn render` runs no functions of a kustomization; remove "
        "the entry, and configure krm-fn in repo/shop/krm-fn.yaml, which applies to the whole output; or build with "
        "`kustomize build --enable-alpha-plugins --enable-exec`\n"
    )


RUNS_KRM_FN = [
    pytest.param("transformers:\n- krm-fn.yaml\n", runs_krm_fn("shop/kustomization.yaml:2:3"), id="by its file"),
    pytest.param("Transformers: [./krm-fn.yaml]\n", runs_krm_fn("shop/kustomization.yaml:1:16"), id="in capitals"),
    pytest.param(
        "transformers: [labels.yaml, krm-fn.yaml, ../base/fn.yaml]\n",
        runs_krm_fn("shop/kustomization.yaml:1:29") + runs_krm_fn("shop/kustomization.yaml:1:42"),
        id="twice, after a plugin of kustomize",
    ),
    pytest.param(
        f"transformers:\n- |\n  {REVISIONS.replace(chr(10), chr(10) + '  ')}",
        runs_krm_fn("shop/kustomization.yaml:2:3"),
        id="in place",
    ),
    pytest.param(
        "generators: [krm-fn.yaml]\nvalidators: [krm-fn.yaml]\n",
        runs_krm_fn("shop/kustomization.yaml:1:14", "generators")
        + runs_krm_fn("shop/kustomization.yaml:2:14", "validators"),
        id="in other fields",
    ),
    pytest.param("resources: [../middle]\n", runs_krm_fn("middle/kustomization.yaml:1:16"), id="in a base"),
    pytest.param("components: [../middle]\n", runs_krm_fn("middle/kustomization.yaml:1:16"), id="in a component"),
]


@pytest.mark.parametrize(("kustomization", "sentences"), RUNS_KRM_FN)
def test_kustomize_is_to_run_krm_fn(
    kustomization: str, sentences: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would run no function here, and `krm-fn render` is one already."""
    write(
        tmp_path,
        {
            "repo/shop/krm-fn.yaml": REVISIONS,
            "repo/shop/labels.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\n",
            "repo/base/fn.yaml": REVISIONS + "---\n" + REVISIONS,
            "repo/middle/kustomization.yaml": "transformers: [../base/fn.yaml]\n",
        },
    )
    assert build(tmp_path, monkeypatch, kustomization, ROOT) == (sentences, 1)


OTHER_PLUGINS = ["apiVersion: builtin\nkind: LabelTransformer\n", "apiVersion: example.com/v1\nkind: ConfigRevisions\n"]


@pytest.mark.parametrize("plugin", OTHER_PLUGINS)
def test_another_plugin_is_left_to_kustomize(plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/shop/krm-fn.yaml": REVISIONS})
    assert build(tmp_path, monkeypatch, "transformers: [plugin.yaml]\n", ROOT, plugin_yaml=plugin) == ("", 0)


def test_what_kustomize_reads_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/shop/a.yaml": "#" * 1000})
    sentence = "error: repo/shop/a.yaml: more than 500 bytes are to be read; --max-bytes sets the limit\n"
    told = build(tmp_path, monkeypatch, "resources: [a.yaml]\n", Limits(max_bytes=500))
    assert told == (sentence, 1)
