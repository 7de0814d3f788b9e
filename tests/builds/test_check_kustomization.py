"""What a kustomization and its bases may name. kustomize is a script here; tests/integration runs the real one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from krm_fn.__main__ import INTERRUPTED
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.builds.check_kustomization import check_kustomization
from krm_fn.tools.builds.kustomize_copy import copied
from krm_fn.tools.common.files import Allowance, Limits
from krm_fn.tools.opened.sources import Inputs, read_sources
from tests.builds.test_builds import ECHO, install
from tests.render.run import CONFIG_MAP, REVISIONS, render_in, write
from tests.wait import FOREVER, until_there

BASE: dict[str, str | bytes] = {
    "repo/base/kustomization.yaml": "resources: [a.yaml]\n",
    "repo/base/a.yaml": CONFIG_MAP,
    "repo/part/kustomization.yaml": "kind: Component\n",
    "other/kustomization.yaml": "",
    "other/a.yaml": CONFIG_MAP,
}
ROOT = Limits(root=Path("repo"))
NO_REMOTE = Limits(no_remote=True)
FILE = "https://host/a.yaml"


def build(
    folder: Path, monkeypatch: pytest.MonkeyPatch, kustomization: str, limits: Limits, **more: str
) -> tuple[str, int]:
    files = {**BASE, "repo/shop/kustomization.yaml": kustomization}
    write(
        folder, files | {f"repo/shop/{name.replace('_', '.')}": text for name, text in more.items()}
    )
    install(folder / "bin", monkeypatch, kustomize=ECHO)
    outcome = render_in(folder, monkeypatch, "repo/shop", limits=limits)
    assert bool(outcome.stdout) is (outcome.exit_code == 0)
    return outcome.stderr, outcome.exit_code


ALLOWED = [
    pytest.param("resources: [../base]\ncomponents: [../part]\n", ROOT, id="bases in the root"),
    pytest.param("resources: [../../other]\n", Limits(), id="bases anywhere, without a root"),
    pytest.param(
        "resources: [https://host/a/b, a.yaml]\n",
        Limits(),
        id="remote ones, if they are not refused",
    ),
    pytest.param(
        "resources: [no.yaml, no]\n", ROOT, id="what does not exist, which kustomize reports"
    ),
    pytest.param("resources: [../shop, .]\n", ROOT, id="loops, which kustomize reports"),
    pytest.param(
        "commonAnnotations: {path: https://host/a}\n", NO_REMOTE, id="an address in an annotation"
    ),
    pytest.param(
        "configMapGenerator: [{name: a, literals: ['a=https://b']}]\n",
        NO_REMOTE,
        id="an address in data",
    ),
    pytest.param(
        "configMapGenerator: [{name: a, files: ['https://h/a=b']}]\n",
        NO_REMOTE,
        id="an address as a key",
    ),
    pytest.param("patches: [{patch: 'https://host/a'}]\n", NO_REMOTE, id="the text of a patch"),
    pytest.param(
        f"patchesStrategicMerge:\n- |\n  kind: A\n  a: {'b' * 300}\n",
        ROOT,
        id="a long patch in place",
    ),
    pytest.param(f"transformers:\n- '{{a: {'b' * 300}}}'\n", ROOT, id="a long plugin in place"),
    pytest.param('resources: ["a\\0b"]\n', ROOT, id="what no file system takes for a name"),
    pytest.param(
        "generators: [{a: b}]\nresources: {a: b}\ncrds: [[1]]\n",
        NO_REMOTE,
        id="fields of wrong types",
    ),
    pytest.param("- a\n", NO_REMOTE, id="no mapping"),
]


@pytest.mark.parametrize(("kustomization", "limits"), ALLOWED)
def test_built(
    kustomization: str, limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert build(tmp_path, monkeypatch, kustomization, limits) == ("", 0)


@pytest.mark.parametrize(
    "field", ["resources", "bases", "components", "generators", "transformers", "validators"]
)
def test_a_base_outside_of_the_root(
    field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = (
        "error: other: is outside of the root repo; --root sets the directory that may be read\n"
    )
    assert build(tmp_path, monkeypatch, f"{field}: [../../other]\n", ROOT) == (sentence, 1)


def test_a_base_of_a_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/middle/kustomization.yaml": "resources: [../../other]\n"})
    sentence = (
        "error: other: is outside of the root repo; --root sets the directory that may be read\n"
    )
    assert build(tmp_path, monkeypatch, "resources: [../middle]\n", ROOT) == (sentence, 1)


def test_two_dots_after_a_link_are_those_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For kustomize `link/../a` is `a`; the system would look beside the target of the link."""
    write(tmp_path, {"repo/shop/a/kustomization.yaml": "resources: [../../../other]\n"})
    (tmp_path / "repo/shop/link").symlink_to("../base")
    sentence = (
        "error: other: is outside of the root repo; --root sets the directory that may be read\n"
    )
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
def test_a_fifo_is_refused(
    kustomization: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repo/shop").mkdir(parents=True)
    os.mkfifo(tmp_path / "repo/shop/a")
    sentence = "error: repo/shop/a: is a FIFO; only regular files are read\n"
    assert build(tmp_path, monkeypatch, kustomization, Limits()) == (sentence, 1)


@pytest.mark.parametrize("limits", [Limits(), ROOT])
def test_a_link_to_outside(limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repo/shop").mkdir(parents=True)
    (tmp_path / "repo/shop/a.yaml").symlink_to("../../other/a.yaml")
    root = limits.root or "repo/shop"
    sentence = (
        f"error: repo/shop/a.yaml: leads to {tmp_path}/other/a.yaml, outside of the root {root}; "
    )
    anywhere = limits._replace(reads_anywhere=True)
    told = build(tmp_path, monkeypatch, "patches: [{path: a.yaml}]\n", anywhere)
    assert told == (sentence + "--root sets the directory that may be read\n", 1)


def leads_out(place: str, path: str) -> str:
    return (
        f"error: repo/shop/kustomization.yaml:{place}: {path} leads out of repo/shop; pass "
        "--kustomize-options='--load-restrictor LoadRestrictionsNone', and a --root that contains it\n"
    )


NOWHERE = "; --root sets the directory that may be read\n"
UNCHECKED = (
    ", and may hide charts and paths that nobody has checked; where a chart or a file of another folder is listed, "
    "write it as a file of the repository\n"
)
TOP = "error: repo/shop/kustomization.yaml"
ELSEWHERE = [
    pytest.param("patches: [{path: ../base/a.yaml}]", "", id="a patch"),
    pytest.param("configMapGenerator: [{files: [k=../base/a.yaml]}]", "", id="a file under a key"),
    pytest.param("resources: [../base/a.yaml]", "", id="a resource"),
    pytest.param(
        "transformers:\n- |\n  kind: PatchTransformer\n  path: ../base/a.yaml\n",
        "",
        id="a file of a plugin",
    ),
    pytest.param(
        "crds: [../../other/a.yaml]",
        f"error: other/a.yaml: is outside of the root repo{NOWHERE}",
        id="a file outside of the root is never read",
    ),
    pytest.param(
        "transformers:\n- |\n  kind: PatchTransformer\n  path: ../../other/a.yaml\n",
        f"error: other/a.yaml: is outside of the root repo{NOWHERE}",
        id="nor is one of a plugin",
    ),
    pytest.param(
        f"crds: [../base/a.yaml]\ntransformers: ['{FILE}']",
        f"{TOP}:2:16: {FILE} is remote{UNCHECKED}",
        id="a plugin from elsewhere could name any file",
    ),
    pytest.param(
        f"crds: [a.yaml]\ntransformers: ['{FILE}']",
        "",
        id="where all files are in their folder, kustomize guards them itself",
    ),
    pytest.param(
        "crds: [../base/a.yaml]\ngenerators: [../base]",
        f"{TOP}:2:14: generators: ../base is a folder{UNCHECKED}",
        id="so could a plugin that a folder builds",
    ),
]


@pytest.mark.parametrize(("kustomization", "sentence"), ELSEWHERE)
def test_a_file_of_another_folder_is_read_where_the_caller_says_so(
    kustomization: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"repo/shop/a.yaml": CONFIG_MAP})
    anywhere = ROOT._replace(reads_anywhere=True)
    told = build(tmp_path, monkeypatch, kustomization, anywhere)
    assert told == (sentence, int(bool(sentence)))


@pytest.mark.parametrize("path", ["../base/a.yaml", "../../other/a.yaml", "link.yaml"])
@pytest.mark.parametrize("limits", [Limits(), ROOT])
def test_a_file_of_another_folder_is_refused_with_what_to_pass(
    limits: Limits, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repo/shop").mkdir(parents=True)
    (tmp_path / "repo/shop/link.yaml").symlink_to("../../other/a.yaml")
    told = build(tmp_path, monkeypatch, f"crds: [{path}]\n", limits)
    assert told == (leads_out("1:8", path), 1)


def test_the_entry_of_krm_fn_may_be_a_file_of_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy that kustomize builds has no such entry."""
    write(tmp_path, {"repo/base/krm-fn.yaml": REVISIONS})
    told = build(tmp_path, monkeypatch, "transformers: [../base/krm-fn.yaml]\n", ROOT)
    assert told[1] == 0


@pytest.mark.parametrize("limits", [Limits(), ROOT])
def test_a_kustomization_that_is_a_link(
    limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repo/shop").mkdir(parents=True)
    (tmp_path / "repo/shop/kustomization.yml").symlink_to("/etc/hostname")
    root = limits.root or "repo/shop"
    sentence = (
        f"error: repo/shop/kustomization.yml: leads to /etc/hostname, outside of the root {root}; "
    )
    told = build(tmp_path, monkeypatch, "resources: []\n", limits)
    assert told == (sentence + "--root sets the directory that may be read\n", 1)


def remote(address: str, place: str) -> str:
    return (
        f"error: repo/shop/kustomization.yaml:{place}: {address} is remote, which --no-remote refuses; "
        "copy it into the repository\n"
    )


BASE64 = "a name or path must not be in base64 (!!binary); write it out"
QUOTED = "a merge key must not be in quotes; write `<<`"
REMOTE = [
    pytest.param(f"resources: [a, '{FILE}']", remote(FILE, "1:16"), id="a resource"),
    pytest.param("bases: [git@host:a/b]", remote("git@host:a/b", "1:9"), id="a base"),
    pytest.param(
        "components:\n- github.com/a/b", remote("github.com/a/b", "2:3"), id="a component"
    ),
    pytest.param(f"crds: ['{FILE}']", remote(FILE, "1:8"), id="a CRD"),
    pytest.param(f"configurations: ['{FILE}']", remote(FILE, "1:18"), id="a configuration"),
    pytest.param(f"openapi: {{path: '{FILE}'}}", remote(FILE, "1:17"), id="a schema"),
    pytest.param(f"patches: [{{path: '{FILE}'}}]", remote(FILE, "1:18"), id="a patch"),
    pytest.param(f"patchesJson6902: [{{path: '{FILE}'}}]", remote(FILE, "1:26"), id="a JSON patch"),
    pytest.param(f"patchesStrategicMerge: ['{FILE}']", remote(FILE, "1:25"), id="a merge patch"),
    pytest.param(f"replacements: [{{path: '{FILE}'}}]", remote(FILE, "1:23"), id="replacements"),
    pytest.param(
        f"configMapGenerator: [{{files: ['{FILE}']}}]",
        remote(FILE, "1:31"),
        id="a file of a generator",
    ),
    pytest.param(
        f"configMapGenerator: [{{files: ['k={FILE}']}}]",
        remote(FILE, "1:31"),
        id="a file under a key",
    ),
    pytest.param(
        f"secretGenerator: [{{envs: ['{FILE}']}}]", remote(FILE, "1:27"), id="a file of variables"
    ),
    pytest.param(
        f"secretGenerator: [{{env: '{FILE}'}}]", remote(FILE, "1:25"), id="one file of variables"
    ),
    pytest.param(f"generators: ['{FILE}']", remote(FILE, "1:14"), id="a generator"),
    pytest.param(f"transformers: ['{FILE}']", remote(FILE, "1:16"), id="a transformer"),
    pytest.param(
        f"validators: ['{FILE}: a']",
        remote(f"{FILE}: a", "1:14"),
        id="a validator, though it is YAML too",
    ),
    pytest.param(
        f"Re\u017fourceS: ['{FILE}']",
        remote(FILE, "1:13"),
        id="in capitals, or in what counts as them",
    ),
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
        f"transformers:\n- |\n  kind: PatchTransformer\n  Path: {FILE}\n",
        remote(FILE, "2:3"),
        id="in an inline plugin",
    ),
]


@pytest.mark.parametrize(("kustomization", "sentences"), REMOTE)
def test_remote(
    kustomization: str, sentences: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert build(tmp_path, monkeypatch, kustomization, NO_REMOTE) == (sentences, 1)


@pytest.mark.parametrize(
    "plugin",
    [
        f"path: {FILE}",
        f"paths: [{FILE}]",
        f"replacements: [{{path: {FILE}}}]",
        f"files: [k={FILE}]",
        f"env: {FILE}",
    ],
)
def test_remote_in_the_file_of_a_plugin(
    plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = build(
        tmp_path, monkeypatch, "generators: [plugin.yaml]\n", NO_REMOTE, plugin_yaml=f"{plugin}\n"
    )
    assert told == (remote(FILE, "1:14"), 1)


HIDDEN = [
    pytest.param(
        "resources: [!!binary Li4vLi4vb3RoZXI=]", "1:13: " + BASE64, id="a base in base64"
    ),
    pytest.param("!!binary cmVzb3VyY2Vz: [../../other]", "1:1: " + BASE64, id="a field in base64"),
    pytest.param(
        "! '<<': {resources: [../../other]}",
        "1:1: " + QUOTED,
        id="a merge key in quotes, of no type",
    ),
    pytest.param(
        "!!merge '<<': {resources: [../../other]}",
        "1:1: " + QUOTED,
        id="a merge key in quotes, with its tag",
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
def test_hidden(
    kustomization: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = build(tmp_path, monkeypatch, kustomization, ROOT)
    assert told == (f"error: repo/shop/kustomization.yaml:{sentence}\n", 1)


def test_an_inline_plugin_is_read_even_if_a_file_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"repo/shop/{path: http:/host}": ""})
    told = build(tmp_path, monkeypatch, "transformers: ['{path: http://host}']\n", NO_REMOTE)
    assert told == (remote("http://host", "1:16"), 1)


def test_remote_in_a_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/middle/kustomization.yaml": f"resources: [{FILE}]\n"})
    sentence = remote(FILE, "1:13").replace("shop", "middle")
    assert build(tmp_path, monkeypatch, "resources: [../middle]\n", NO_REMOTE) == (sentence, 1)


def test_a_file_is_read_before_a_repository_is_cloned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"repo/shop/github.com/a/b": CONFIG_MAP})
    assert build(tmp_path, monkeypatch, "resources: [github.com/a/b]\n", NO_REMOTE) == ("", 0)


def test_a_repository_is_cloned_before_a_folder_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"repo/shop/github.com/a/b/kustomization.yaml": ""})
    told = build(tmp_path, monkeypatch, "resources: [github.com/a/b]\n", NO_REMOTE)
    assert told == (remote("github.com/a/b", "1:13"), 1)


INSTEAD = "; or build with `kustomize build --enable-alpha-plugins --enable-exec`\n"
IN_PLACE = f"- |\n  {REVISIONS.replace(chr(10), chr(10) + '  ').rstrip()}\n"


def error_at(place: str, sentence: str) -> str:
    return f"error: repo/{place}: transformers: {sentence}\n"


def found_at(place: str, sentence: str, field: str = "transformers") -> str:
    return f"error: repo/{place}: {field}: found krm-fn{sentence}{INSTEAD}"


SEES_NOTHING = (
    "found krm-fn, which sees nothing of what repo/shop changes, as that lists no krm-fn; list it there, too, as "
    "krm-fn init repo/shop does"
)
TO_THE_TOP = "; make it the last of the `transformers` of repo/shop, the topmost kustomization"
NOT_LAST = " before other transformers; make it the last one"
TWICE = " 2 times; keep one entry, with one configuration"

ELSEWHERE = [
    pytest.param(
        "transformers: [krm-fn.yaml, labels.yaml]\n",
        found_at("shop/kustomization.yaml:1:16", NOT_LAST),
        id="before a transformer of kustomize",
    ),
    pytest.param(
        "Transformers: [./krm-fn.yaml, nothing]\n",
        found_at("shop/kustomization.yaml:1:16", NOT_LAST),
        id="before what nobody can see here, in capitals",
    ),
    pytest.param(
        f"transformers:\n- labels.yaml\n{IN_PLACE}",
        found_at(
            "shop/kustomization.yaml:3:3",
            NOT_LAST + ", in a file: kustomize runs what is in place before",
        ),
        id="in place behind a file, which kustomize runs later",
    ),
    pytest.param(
        "transformers: [&a labels.yaml, &b krm-fn.yaml, *a]\n",
        found_at("shop/kustomization.yaml:1:32", NOT_LAST),
        id="before an alias",
    ),
    pytest.param(
        "transformers: [krm-fn.yaml, labels.yaml, krm-fn.yaml]\n",
        found_at("shop/kustomization.yaml:1:42", TWICE),
        id="twice",
    ),
    pytest.param(
        "transformers: [../base/fn.yaml]\n",
        found_at("shop/kustomization.yaml:1:16", TWICE),
        id="twice in one file",
    ),
    pytest.param(
        "generators: [krm-fn.yaml]\n",
        found_at("shop/kustomization.yaml:1:14", TO_THE_TOP, "generators"),
        id="as a generator",
    ),
    pytest.param(
        "validators: [krm-fn.yaml]\n",
        found_at("shop/kustomization.yaml:1:14", TO_THE_TOP, "validators"),
        id="as a validator",
    ),
    pytest.param(
        "resources: [../middle]\n",
        error_at("middle/kustomization.yaml:1:16", SEES_NOTHING),
        id="in a base, and not above it",
    ),
    pytest.param(
        "components: [../middle]\n",
        found_at(
            "shop/kustomization.yaml:1:14",
            " in ../middle, and kustomize builds a component before the prefixes and the namespace of what includes "
            "it; name krm-fn in `resources` of ../middle, without `kind: Component`, and list ../middle as the last "
            f"{TO_THE_TOP.removeprefix('; make it the last ')}",
            "components",
        ),
        id="in a component",
    ),
    pytest.param(
        "resources: [../middle]\ntransformers: [another-set.yaml]\n",
        error_at(
            "middle/kustomization.yaml:1:16",
            "found krm-fn of set web; set spec.takeOver: [web] for repo/shop",
        ),
        id="in a base with another set",
    ),
    pytest.param(
        "resources: [../middle]\ntransformers: [another-spec.yaml]\n",
        found_at(
            "middle/kustomization.yaml:1:16",
            " with another spec than repo/shop has; write the same, but for takeOver and linker",
        ),
        id="in a base with other deployers",
    ),
    pytest.param(
        "resources: [../first]\ntransformers: [krm-fn.yaml]\n",
        found_at("first/kustomization.yaml:1:16", NOT_LAST),
        id="in a base before another transformer",
    ),
    pytest.param(
        "transformers: [skipped.yaml]\n",
        "error: repo/shop/kustomization.yaml:1:16: transformers: kustomize skips krm-fn in silence, as its annotation "
        "config.kubernetes.io/function names neither `exec: {path: ...}` nor `container: {image: ...}`; add one of "
        "them\n",
        id="with an annotation that does not say how",
    ),
    pytest.param(
        "transformers: [krm-fn.yaml]\nbuildMetadata: [managedByLabel]\n",
        "error: repo/shop/kustomization.yaml:2:16: buildMetadata of a kustomization that lists krm-fn: kustomize adds "
        f"it to what krm-fn adds too, which krm-fn cannot do for it; remove it{INSTEAD}",
        id="beside what kustomize adds at its end",
    ),
    pytest.param(
        "transformers: [krm-fn.yaml]\nresources: [../vars]\n",
        "error: repo/vars/kustomization.yaml:1:7: vars of a kustomization that lists krm-fn: kustomize replaces them "
        f"after its transformers, of which krm-fn must be the last; use `replacements`{INSTEAD}",
        id="above variables, which kustomize replaces at its end",
    ),
    pytest.param(
        "transformers: [krm-fn.yaml]\nresources: [/repo/base]\n",
        "error: repo/shop/kustomization.yaml:2:13: found /repo/base; where krm-fn is listed, paths must be relative, "
        "without leading out of /\n",
        id="beside an absolute path, which leads out of a copy",
    ),
    pytest.param(
        f"transformers: [krm-fn.yaml]\nresources: [{'../' * 40}tmp/base]\n",
        f"error: repo/shop/kustomization.yaml:2:13: found {'../' * 40}tmp/base; where krm-fn is listed, paths must be "
        "relative, without leading out of /\n",
        id="beside one that leads out of it with many dots",
    ),
    pytest.param(
        "transformers: [&a krm-fn.yaml]\nresources: [*a]\n",
        "error: repo/shop/kustomization.yaml:1:16: transformers: cannot take krm-fn out of this text; write a plain "
        "list, with an entry that no other place shares\n",
        id="with an anchor that is used elsewhere",
    ),
]

PLUGINS: dict[str, str | bytes] = {
    "repo/shop/krm-fn.yaml": REVISIONS,
    "repo/shop/labels.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\n",
    "repo/shop/skipped.yaml": REVISIONS.replace(
        "{name: web}", "{name: web, annotations: {config.kubernetes.io/function: '{exec: {}}'}}"
    ),
    "repo/base/fn.yaml": REVISIONS + "---\n" + REVISIONS,
    "repo/middle/kustomization.yaml": "transformers: [../shop/krm-fn.yaml]\n",
    "repo/first/labels.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\n",
    "repo/first/kustomization.yaml": "transformers: [../shop/krm-fn.yaml, labels.yaml]\n",
    "repo/shop/another-set.yaml": REVISIONS.replace("{name: web}", "{name: web-dev}"),
    "repo/shop/another-spec.yaml": f"{REVISIONS}spec: {{deployers: [argocd], takeOver: [web]}}\n",
    "repo/vars/kustomization.yaml": "vars: [{name: A}]\n",
}


@pytest.mark.parametrize(("kustomization", "sentences"), ELSEWHERE)
def test_krm_fn_where_it_cannot_be_taken_out(
    kustomization: str, sentences: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, PLUGINS)
    assert build(tmp_path, monkeypatch, kustomization, ROOT) == (sentences, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "configMapGenerator: [{name: a, options: {disableNameSuffixHash: true}}, {name: b}]",
            [("ConfigMap", "a")],
        ),
        (
            """\
generatorOptions: {disableNameSuffixHash: true}
configMapGenerator: [{name: a}]
secretGenerator: [{name: b, options: {disableNameSuffixHash: false}}]
""",
            [("ConfigMap", "a"), ("Secret", "b")],
        ),
        ("configMapGenerator: [{name: a, options: {disableNameSuffixHash: false}}]", []),
        ("configMapGenerator: {name: a}\ngeneratorOptions: [disableNameSuffixHash]", []),
    ],
)
def test_names_that_generators_keep(
    text: str, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    """The options for all generators win, as in kustomize: no generator can take them back."""
    write(tmp_path, {"kustomization.yaml": f"{text}\n"})
    marked = check_kustomization(tmp_path, Allowance(Limits())).marked
    assert sorted((one.kind, one.name) for one in marked) == expected


SOURCE = "source: {kind: ConfigMap, name: %s}"


def test_names_that_replacements_take(tmp_path: Path) -> None:
    taken = f"replacements: [{{path: more.yaml}}, {{path: none.yaml}}, {{{SOURCE % 'a'}}}, {{source: b}}, c]"
    more = f"- {SOURCE % 'in-a-list'}\n- {SOURCE % 'data'}\n- source: {{kind: Pod, name: pod}}\n"
    more = more.replace("name: data}", "name: data, fieldPath: data.a}")
    write(tmp_path, {"kustomization.yaml": taken, "more.yaml": more})
    marked = check_kustomization(tmp_path, Allowance(Limits())).marked
    assert sorted((one.kind, one.name) for one in marked) == [
        ("ConfigMap", "a"),
        ("ConfigMap", "in-a-list"),
    ]


def test_kustomize_builds_a_copy_in_which_it_says_what_krm_fn_would_have_seen(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        {**BASE, **PLUGINS, "repo/shop/a.yaml": CONFIG_MAP, "repo/shop/not-read.yaml": CONFIG_MAP},
    )
    (tmp_path / "repo/shop/link").symlink_to("../base")
    before = sorted(tmp_path.rglob("*"))
    write(
        tmp_path,
        {
            "repo/shop/kustomization.yaml": "resources: [a.yaml, link]\ntransformers:\n- krm-fn.yaml # mine\n"
        },
    )
    tree = check_kustomization(tmp_path / "repo/shop", Allowance(Limits())).tree
    assert tree is not None
    assert tree.configuration == (Path("krm-fn.yaml"), REVISIONS.encode())
    with copied(tree) as copy:
        files = sorted(
            str(path.relative_to(copy.directory.parent))
            for path in copy.directory.parent.rglob("*.yaml")
        )
        (patches,) = (name for name in files if name.startswith("shop/internal"))
        shop = ("shop/a.yaml", "shop/krm-fn.yaml", "shop/kustomization.yaml", patches)
        assert files == sorted(["base/a.yaml", "base/kustomization.yaml", *shop])
        assert (copy.directory / "link").resolve() == copy.directory.parent / "base"
        text = (copy.directory / "kustomization.yaml").read_text()
        assert (
            text == f'resources: [a.yaml, link]\ntransformers:\n- "{Path(patches).name}" # mine\n'
        )
        assert "previousNames" in (copy.directory.parent / patches).read_text()
        assert (
            copy.original(f"no file {copy.directory}/b".encode())
            == f"no file {tmp_path}/repo/shop/b".encode()
        )
    assert not copy.directory.exists()
    assert sorted(tmp_path.rglob("*")) == sorted(
        [*before, tmp_path / "repo/shop/kustomization.yaml"]
    )


IN_FILE = "transformers: [labels.yaml, ./a/../fn.yaml]\n"
CONFIGS = [
    pytest.param(
        "transformers: [krm-fn.yaml]\n", {"krm-fn.yaml": REVISIONS}, id="the file beside it, once"
    ),
    pytest.param(IN_FILE, {"fn.yaml": REVISIONS}, id="another file"),
    pytest.param(
        f"resources: [a.yaml]\ntransformers:\n{IN_PLACE}",
        {"kustomization.yaml": "\n\n\n" + REVISIONS.rstrip() + "\n"},
        id="a text in place, with its lines",
    ),
]


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize(("kustomization", "configs"), CONFIGS)
def test_the_configuration_of_the_entry(
    kustomization: str,
    configs: dict[str, str],
    beside: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is told with krm-fn.yaml beside it: which of the two counts is decided elsewhere."""
    files: dict[str, str | bytes] = {
        "a.yaml": CONFIG_MAP,
        "labels.yaml": PLUGINS["repo/shop/labels.yaml"],
    }
    more = {"krm-fn.yaml": REVISIONS} if beside else {}
    kept = {name: text for name, text in configs.items() if name != "kustomization.yaml"}
    write(tmp_path / "shop", {**files, **kept, **more, "kustomization.yaml": kustomization})
    install(tmp_path / "bin", monkeypatch, kustomize=ECHO)
    monkeypatch.chdir(tmp_path)
    found = read_sources(Inputs(("shop",)), HelmOptions(), Allowance(ROOT._replace(root=None)))
    assert {source.name: source.data.decode() for source in found.configs} == {
        f"shop/{name}": text for name, text in (configs | more).items()
    }
    assert len(found.configs) == len(configs | more)


FAILING = """#!/bin/sh
echo "Error: lstat $3/no.yaml: no such file or directory" >&2
exit 1
"""


def test_what_kustomize_says_about_the_copy_has_the_paths_of_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path,
        {"shop/kustomization.yaml": "transformers: [krm-fn.yaml]\n", "shop/krm-fn.yaml": REVISIONS},
    )
    install(tmp_path / "bin", monkeypatch, kustomize=FAILING)
    assert render_in(tmp_path, monkeypatch, "shop").stderr == (
        f"error: shop: kustomize build exited with code 1: Error: lstat {tmp_path}/shop/no.yaml: no such file or "
        "directory\n"
    )


SLOW = f"""#!/bin/sh
echo "$3" > "$STARTED.part"
mv "$STARTED.part" "$STARTED"
sleep {FOREVER}
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_that_is_told_to_end_leaves_no_copy(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path,
        {"shop/kustomization.yaml": "transformers: [krm-fn.yaml]\n", "shop/krm-fn.yaml": REVISIONS},
    )
    program = [sys.executable, "-m", "krm_fn", "render", str(tmp_path / "shop")]
    path = os.environ["PATH"]
    install(tmp_path / "bin", monkeypatch, kustomize=SLOW)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{path}")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("STARTED", str(tmp_path / "started"))
    (tmp_path / "tmp").mkdir()
    with subprocess.Popen(program) as process:
        until_there(tmp_path / "started", process)
        assert Path((tmp_path / "started").read_text().strip()).is_relative_to(tmp_path / "tmp")
        process.send_signal(number)
    assert process.returncode in (-number, INTERRUPTED)
    assert list((tmp_path / "tmp").iterdir()) == []


FUNCTIONS = [
    pytest.param("exec: {path: ./bin/krm-fn}", True, id="a program"),
    pytest.param(
        "container: {image: 'registry.example:5000/tools/krm-fn:0.2.0'}",
        True,
        id="an image and its version",
    ),
    pytest.param("container: {image: krm-fn@sha256:0}", True, id="an image and its digest"),
    pytest.param("exec: {path: my-krm-fn}", False, id="another program"),
    pytest.param("container: {image: krm-fn/other}", False, id="another image"),
    pytest.param("a: [", False, id="no YAML"),
]


@pytest.mark.parametrize("annotation", ["config.kubernetes.io/function", "config.k8s.io/function"])
@pytest.mark.parametrize(("function", "is_ours"), FUNCTIONS)
def test_a_config_map_that_configures_a_function(
    function: str, is_ours: bool, annotation: str, tmp_path: Path
) -> None:
    annotations = f'{{name: a, annotations: {{{annotation}: "{function}"}}}}'
    write(tmp_path, {"kustomization.yaml": "transformers: [a.yaml]\n"})
    write(tmp_path, {"a.yaml": CONFIG_MAP.replace("{name: a}", annotations)})
    tree = check_kustomization(tmp_path, Allowance(Limits())).tree
    assert (tree is not None) is is_ours


OTHER_PLUGINS = [
    "apiVersion: builtin\nkind: LabelTransformer\n",
    "apiVersion: example.com/v1\nkind: ConfigRevisions\n",
]


@pytest.mark.parametrize("plugin", OTHER_PLUGINS)
def test_another_plugin_is_left_to_kustomize(
    plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"repo/shop/krm-fn.yaml": REVISIONS})
    assert build(
        tmp_path, monkeypatch, "transformers: [plugin.yaml]\n", ROOT, plugin_yaml=plugin
    ) == ("", 0)


def test_what_kustomize_reads_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"repo/shop/a.yaml": "#" * 1000})
    sentence = (
        "error: repo/shop/a.yaml: more than 500 bytes are to be read; --max-bytes sets the limit\n"
    )
    told = build(tmp_path, monkeypatch, "resources: [a.yaml]\n", Limits(max_bytes=500))
    assert told == (sentence, 1)
