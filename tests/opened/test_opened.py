"""Which configuration is used, and where its errors are."""

import re
import shutil
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.base.settings import Environment
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import DEFAULT_LIMITS, Limits
from krm_fn.tools.opened.sources import Inputs
from tests.builds.test_builds import install
from tests.render.run import CONFIG_MAP, REVISIONS, render, render_in, write

SELECT = "spec: {strategy: adopt, select: [{name: '*'}], deployers: []}\n"


def config(name: str) -> str:
    return REVISIONS.replace("web", name) + SELECT


FOUND = [
    pytest.param({"krm-fn.yaml": config("web")}, ".", None, "web", id="beside the manifests"),
    pytest.param({"krm-fn.yaml": config("web")}, "a.yaml", None, "none", id="not beside a file"),
    pytest.param(
        {"krm-fn.yaml": config("web"), "b.yaml": config("b")},
        ".",
        "b.yaml",
        "b",
        id="given, among the manifests",
    ),
    pytest.param(
        {"b/krm-fn.yaml": config("web")},
        "a.yaml",
        "b/krm-fn.yaml",
        "web",
        id="given, in another folder",
    ),
    pytest.param(
        {"b.yaml": CONFIG_MAP + "---\n" + config("web")},
        "b.yaml",
        None,
        "web",
        id="in a stream of objects",
    ),
    pytest.param({"b/krm-fn.yaml": config("web")}, ".", None, "web", id="in a folder below"),
    pytest.param(
        {"b/krm-fn.yaml": config("web"), "b/c.yaml": "# soon\n"},
        "a.yaml b",
        None,
        "web",
        id="in a later PATH",
    ),
    pytest.param(
        {
            "krm-fn.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"
            "data: {select: '*', strategy: adopt}\n"
        },
        ".",
        None,
        "web",
        id="as a ConfigMap, which is no manifest then",
    ),
]


@pytest.mark.parametrize(("files", "paths", "given", "expected"), FOUND)
def test_found(  # noqa: PLR0913, PLR0917  # a table's columns and two fixtures
    files: dict[str, str | bytes],
    paths: str,
    given: str | None,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP, **files})
    outcome = render_in(tmp_path, monkeypatch, *paths.split(), config=given)
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    found = re.search(rb"krm-fn.io/set: (\w+)", outcome.stdout)
    assert (found[1].decode() if found else "none") == expected
    assert b"select" not in outcome.stdout


def test_the_function_config_of_a_resource_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = CONFIG_MAP.replace("\n", "\n  ").rstrip(" ")
    carried = config("web").replace("\n", "\n  ").rstrip(" ")
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n  {carried}items:\n- {item}"
    assert "set: web" in render_in(tmp_path, monkeypatch, "-", stdin=text.encode()).stdout.decode()


REFUSED = [
    pytest.param(
        {"krm-fn.yaml": config("web"), "b.yaml": CONFIG_MAP + "---\n" + config("b")},
        None,
        "error: found 2 configurations; choose one with --config: b.yaml:6:1, krm-fn.yaml:1:1\n",
        id="two",
    ),
    pytest.param(
        {
            "krm-fn.yaml": config("web"),
            "b.yaml": CONFIG_MAP + "---\n" + config("web").replace("adopt", "rename"),
        },
        None,
        "error: b.yaml:6:1 and krm-fn.yaml:1:1 contradict each other: spec.strategy (rename and adopt); "
        "configurations are not merged, so remove one of them, or make them equal\n",
        id="two of one set that differ",
    ),
    pytest.param(
        {"krm-fn.yaml": REVISIONS + "spec: {strategy: renam}\n"},
        None,
        'error: ConfigRevisions/web spec.strategy (krm-fn.yaml:4:8): found "renam"; did you mean "rename"? '
        "allowed: rename, adopt, checksum, ignore\n",
        id="a wrong one in a file",
    ),
    pytest.param(
        {"b.yaml": CONFIG_MAP + "---\n" + REVISIONS + "spec: {strategy: renam}\n"},
        None,
        'error: ConfigRevisions/web spec.strategy (b.yaml:9:8): found "renam"; did you mean "rename"? '
        "allowed: rename, adopt, checksum, ignore\n",
        id="a wrong one among the objects",
    ),
    pytest.param(
        {},
        "no.yaml",
        "error: no.yaml: no such file or directory\n",
        id="a file that does not exist",
    ),
    pytest.param(
        {"b.yaml": "a: [\n"},
        "b.yaml",
        "error: b.yaml:2:1: invalid YAML: did not find expected node content, while parsing a flow node\n",
        id="no YAML",
    ),
    pytest.param(
        {"b.yaml": config("b") + "---\n" + config("c")},
        "b.yaml",
        "error: b.yaml: expected one functionConfig document, found 2\n",
        id="two in one file",
    ),
    pytest.param(
        {"krm-fn.yaml": REVISIONS.replace("v1", "v2")},
        None,
        "error: krm-fn.yaml:1:1: functionConfig: found revisions.krm-fn.io/v2 ConfigRevisions, "
        "allowed: revisions.krm-fn.io/v1 ConfigRevisions, v1 ConfigMap\n",
        id="an unknown version",
    ),
]


@pytest.mark.parametrize(("files", "given", "sentences"), REFUSED)
def test_refused(
    files: dict[str, str | bytes],
    given: str | None,
    sentences: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP, **files})
    assert render_in(tmp_path, monkeypatch, config=given) == Outcome(b"", sentences, 1)


GIVEN = REVISIONS.replace("web", "b") + (
    "spec:\n  kinds: [Secret, ConfigMap]\n  immutable: false\n  linker: {timeoutSeconds: 9, resources: {}}\n"
)


def test_a_contradiction_names_the_first_fields(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path,
        {"shop/a.yaml": CONFIG_MAP, "shop/krm-fn.yaml": config("web"), "given.yaml": GIVEN},
    )
    assert render_in(tmp_path, monkeypatch, "shop", config="given.yaml").stderr == (
        "error: --config given.yaml and shop/krm-fn.yaml:1:1 contradict each other: metadata.name (b and web), "
        "spec.kinds ([ConfigMap, Secret] and [ConfigMap]), spec.strategy (rename and adopt), and 5 more; "
        "configurations are not merged, so remove one of them, or make them equal\n"
    )


WEB = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
    "spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: a}}]}]}}}\n---\n"
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {A: b}\n"
)
CALL = "call it krm-fn.yaml"
ADD = "pass it as one more PATH"
UNREAD = [
    pytest.param(
        {"shop/prod/web.yaml": WEB, "shop/krm-fn.yaml": REVISIONS},
        ("shop/prod", "shop/krm-fn.yaml", "copy it to shop/prod/krm-fn.yaml"),
        id="above",
    ),
    pytest.param(
        {"prod/web.yaml": WEB, "krm-fn.yaml": REVISIONS},
        ("prod", "krm-fn.yaml", "copy it to prod/krm-fn.yaml"),
        id="in the current directory",
    ),
    pytest.param(
        {"web.yaml": WEB, "krm-fn.yaml": REVISIONS},
        ("web.yaml", "krm-fn.yaml", ADD),
        id="beside a file",
    ),
    pytest.param(
        {"web.yaml": WEB, "krm-fn.yml": REVISIONS},
        ("web.yaml", "krm-fn.yml", ADD),
        id="under another name",
    ),
    pytest.param(
        {
            "prod/kustomization.yaml": "resources: [../base]",
            "prod/a.yaml": WEB,
            "base/kustomization.yaml": "resources: [../deep]",
            "deep/kustomization.yaml": "resources: [krm-fn.yaml]",
            "deep/krm-fn.yaml": REVISIONS,
        },
        ("prod", "deep/krm-fn.yaml", "copy it to prod/krm-fn.yaml"),
        id="in a base of a base that lists it, and kustomize leaves it out",
    ),
    pytest.param({"krm-fn.yaml": REVISIONS}, ("-", "krm-fn.yaml", ADD), id="where stdin is read"),
    pytest.param(
        {"prod/kustomization.yaml": "", "prod/a.yaml": WEB, "prod/krm-fn.yml": REVISIONS},
        ("prod", "prod/krm-fn.yml", CALL),
        id="under another name beside a kustomization",
    ),
]
FAR = [
    pytest.param(
        {"shop/prod/web.yaml": WEB, "krm-fn.yaml": REVISIONS}, "shop/prod", id="further above"
    ),
    pytest.param({"web.yaml": WEB, "prod/krm-fn.yaml": REVISIONS}, "web.yaml", id="below a file"),
]
UNNAMED = (
    "warning: the set has no name of its own, and is called config-revisions: two such packages in one namespace "
    "overwrite each other's inventory and Role; {near}set metadata.name in a configuration, and, if this package is "
    "deployed already, spec.takeOver: [config-revisions]\n"
)


@pytest.mark.parametrize(("files", "said"), UNREAD)
def test_a_configuration_nearby_is_not_read_until_the_advice_is_followed(
    files: dict[str, str | bytes],
    said: tuple[str, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, found, remedy = said
    write(tmp_path, files)
    install(tmp_path / "bin", monkeypatch, kustomize='#!/bin/sh\n/bin/cat "$3/a.yaml"\n')
    near = f"found {found}, unread: pass --config {found}, or {remedy}; "
    assert (
        UNNAMED.format(near=near)
        in render_in(tmp_path, monkeypatch, path, stdin=WEB.encode()).stderr
    )

    paths, place = [path], tmp_path / found
    if remedy == ADD:
        paths.append(found)
    elif remedy == CALL:
        place.rename(place.with_name("krm-fn.yaml"))
    else:
        shutil.copy(place, tmp_path / remedy.removeprefix("copy it to "))
    followed = render_in(tmp_path, monkeypatch, *paths, stdin=WEB.encode())
    write(tmp_path, files)
    passed = render_in(tmp_path, monkeypatch, path, config=found, stdin=WEB.encode())
    assert b"revisions.krm-fn.io/set: web\n" in followed.stdout
    assert (followed.stdout, followed.exit_code) == (passed.stdout, 0)


@pytest.mark.parametrize(("files", "path"), FAR)
def test_a_configuration_far_away_is_not_named(
    files: dict[str, str | bytes], path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, files)
    assert UNNAMED.format(near="") in render_in(tmp_path, monkeypatch, path).stderr


def test_a_name_of_a_release_does_not_hide_a_configuration_nearby(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"web.yaml": WEB, "krm-fn.yaml": REVISIONS})
    monkeypatch.chdir(tmp_path)
    outcome = render(Inputs(("web.yaml",)), HelmOptions(), Environment(set="shop", image="krm-fn"))
    assert outcome.stderr == (
        "warning: set shop has no configuration, so all defaults apply; found krm-fn.yaml, unread: pass --config "
        "krm-fn.yaml, or pass it as one more PATH\n"
    )


@pytest.mark.parametrize("name", ["kustomization.yaml", "Chart.yaml"])
def test_what_a_folder_is_built_from_is_no_manifest(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"shop/web.yaml": WEB, f"shop/{name}": "resources: [web.yaml]"})
    outcome = render_in(tmp_path, monkeypatch, f"shop/{name}", "shop/web.yaml")
    message = f"error: shop/{name}: is no manifest: its folder is built from it; pass shop\n"
    assert (outcome.stderr, outcome.exit_code, outcome.stdout) == (message, 1, b"")


def test_a_configuration_may_have_empty_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"web.yaml": WEB, "krm-fn.yaml": f"# ours\n---\n{REVISIONS}---\n"})
    assert b"revisions.krm-fn.io/set: web\n" in render_in(tmp_path, monkeypatch).stdout


@pytest.mark.parametrize(
    ("limits", "config_file"),
    [
        pytest.param(Limits(root=Path("shop/prod")), None, id="outside of the root"),
        pytest.param(DEFAULT_LIMITS, "given.yaml", id="if there is a configuration"),
    ],
)
def test_nothing_nearby_is_named(
    limits: Limits, config_file: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"shop/prod/web.yaml": WEB, "shop/krm-fn.yaml": "", "given.yaml": REVISIONS})
    stderr = render_in(tmp_path, monkeypatch, "shop/prod", config=config_file, limits=limits).stderr
    assert "warning: " in stderr
    assert "shop/krm-fn.yaml" not in stderr


LISTED = (
    "warning: ConfigRevisions/web metadata.annotations (BUILT): krm-fn render leaves it out, but "
    "kustomize build does not: no cluster knows this kind, so applying it fails; add the line "
    '`config.kubernetes.io/local-config: "true"` to its metadata.annotations\n'
)
LOCAL = REVISIONS.replace(
    "{name: web}", '{name: web, annotations: {config.kubernetes.io/local-config: "true"}}'
)


@pytest.mark.parametrize(
    ("resources", "config", "said"),
    [
        pytest.param("[web.yaml, krm-fn.yaml]", REVISIONS, 1, id="it is among the resources"),
        pytest.param("[web.yaml, krm-fn.yaml]", LOCAL, 0, id="it is for tools"),
        pytest.param("[web.yaml]", REVISIONS, 0, id="it is beside them"),
    ],
)
def test_a_configuration_that_kustomize_would_pass_on_is_warned_about(
    resources: str, config: str, said: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kustomization = f"resources: {resources}\n"
    write(tmp_path, {"web.yaml": WEB, "krm-fn.yaml": config, "kustomization.yaml": kustomization})
    outcome = render_in(tmp_path, monkeypatch)
    found = re.sub(r"\((?:kustomize build|kubectl kustomize) \.(:\d+)+", "(BUILT", outcome.stderr)
    assert (found.count(LISTED), outcome.exit_code) == (said, 0), outcome.stderr
    assert b"ConfigRevisions" not in outcome.stdout


SHARED = (
    "warning: b: calls its set web, as a does, and both are in namespace shop: in one cluster, removing one breaks "
    "the other; set another metadata.name in the krm-fn.yaml or krm/kustomization.yaml of one, or deploy them as one\n"
)


@pytest.mark.parametrize(
    ("namespaces", "paths", "said"),
    [
        pytest.param(("shop", "shop"), ("a", "b"), 1, id="both are in one namespace"),
        pytest.param(("shop", "cart"), ("a", "b"), 0, id="they are in two"),
        pytest.param(("", ""), ("a", "b"), 0, id="nobody knows where they are"),
        pytest.param(("shop", "shop"), ("a", "a/web.yaml"), 0, id="one of them has no own one"),
    ],
)
def test_two_folders_with_a_configuration_of_one_set_each_are_warned_about(
    namespaces: tuple[str, str],
    paths: tuple[str, ...],
    said: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for folder, namespace in zip("ab", namespaces, strict=True):
        text = CONFIG_MAP.replace("name: a", f"name: {folder}, namespace: '{namespace}'")
        write(tmp_path, {f"{folder}/web.yaml": text, f"{folder}/krm-fn.yaml": REVISIONS})
    outcome = render_in(tmp_path, monkeypatch, *paths)
    assert (outcome.stderr.count(SHARED), outcome.exit_code) == (said, 0), outcome.stderr
