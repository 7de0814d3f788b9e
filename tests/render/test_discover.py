"""Which directories the plugin of Argo CD renders, and which it leaves to Argo CD's own kustomize."""

import os
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.render.discovery import answer_discovery
from tests.render.run import CONFIG_MAP, REVISIONS, write

BOTH = "--load-restrictor LoadRestrictionsNone --enable-exec --enable-alpha-plugins"
EXEC = REVISIONS.replace(
    "{name: web}",
    "{name: web, annotations: {config.kubernetes.io/function: 'exec: {path: krm-fn}'}}",
)
LISTED = {"kustomization.yaml": "transformers:\n- krm-fn.yaml\n", "krm-fn.yaml": EXEC}
TAKEN = Outcome(b"krm-fn.yaml\n", "", 0)
NOBODY = Outcome(b"", "", 0)


def left(place: str) -> Outcome:
    warning = f"warning: {place}: transformers: kustomize runs krm-fn.yaml; this directory is left to it\n"
    return Outcome(b"", warning, 0)


def says(runtime: str) -> str:
    return EXEC.replace("exec: {path: krm-fn}", runtime)


LEFT = [
    pytest.param(LISTED, left("kustomization.yaml:2:3"), id="a kustomization that lists the file"),
    pytest.param(
        LISTED
        | {"kustomization.yaml": "transformers: [a.yaml, ./a/../krm-fn.yaml]\nresources: [../b]\n"},
        left("kustomization.yaml:1:24"),
        id="under another spelling, beside what discovery does not read",
    ),
    pytest.param(
        {
            "Kustomization": LISTED["kustomization.yaml"],
            "krm-fn.yaml": says("container: {image: krm-fn}"),
        },
        left("Kustomization:2:3"),
        id="in a container, which kustomize runs or reports",
    ),
    pytest.param(
        {"kustomization.yaml": "transformers: [fn.yaml]\n", "fn.yaml": EXEC},
        NOBODY,
        id="under another name",
    ),
    pytest.param(
        {"shop/krm-fn.yaml": REVISIONS, "a.yaml": "{"}, NOBODY, id="a directory without the file"
    ),
]


@pytest.mark.parametrize(("files", "outcome"), LEFT)
def test_left(
    files: dict[str, str], outcome: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    assert answer_discovery(Path(), BOTH, is_asked_for=False) == outcome


SHARED = {
    "krm/kustomization.yaml": "resources: [krm-fn.yaml]\n",
    "krm/krm-fn.yaml": EXEC,
    "app/krm/kustomization.yaml": "resources: [../../krm]\nnamePrefix: web-\n",
    "app/kustomization.yaml": "transformers:\n- krm\n",
}
LEFT_TO_IT = "warning: kustomization.yaml:2:3: transformers: kustomize runs krm; this directory is left to it\n"
UNLISTED = SHARED | {
    "app/krm/kustomization.yaml": "resources: [../../krm]\npatches:\n- target: {kind: ConfigRevisions}\n",
    "app/kustomization.yaml": "resources: []\n",
}
OUTSIDE = {"kustomization.yaml": "resources: [krm-fn.yaml]\n", "krm-fn.yaml": EXEC}
FOLDERS = [
    pytest.param(SHARED, BOTH, Outcome(b"", LEFT_TO_IT, 0), id="that kustomize runs"),
    pytest.param(
        SHARED,
        "--enable-alpha-plugins",
        Outcome(b"kustomization.yaml\n", "", 0),
        id="that it skips",
    ),
    pytest.param(
        SHARED | {"krm/krm-fn.yaml": REVISIONS},
        BOTH,
        Outcome(b"kustomization.yaml\n", "", 0),
        id="that does not say how to run it",
    ),
    pytest.param(
        SHARED | {"app/kustomization.yaml": "resources:\n- krm\n"}, "", NOBODY, id="as a base"
    ),
    pytest.param(UNLISTED, BOTH, TAKEN, id="that nobody lists, so that kustomize does not run it"),
    pytest.param(
        UNLISTED | {"app/kustomization.yaml": "transformers:\n- krm\n"},
        BOTH,
        Outcome(b"", LEFT_TO_IT, 0),
        id="that could be without the entry",
    ),
    pytest.param(
        UNLISTED | {"app/krm/kustomization.yaml": "resources: []\n"},
        "",
        NOBODY,
        id="of this name with something else, which nobody lists",
    ),
    pytest.param(
        SHARED | {"app/kustomization.yaml": "generators:\n- krm\n"},
        "",
        NOBODY,
        id="in another field",
    ),
    pytest.param(
        SHARED | {"krm/krm-fn.yaml": CONFIG_MAP}, "", NOBODY, id="without a configuration in it"
    ),
    pytest.param(
        SHARED | {"app/kustomization.yaml": "transformers: [../..]\n"},
        "",
        NOBODY,
        id="outside of the repository",
    ),
    pytest.param(
        SHARED | {"krm/krm-fn.yaml": "#" * 1_000_001}, "", NOBODY, id="too large to find out"
    ),
]


@pytest.mark.parametrize(("files", "options", "outcome"), FOLDERS)
def test_a_folder_among_the_transformers(
    files: dict[str, str],
    options: str,
    outcome: Outcome,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a krm-fn.yaml beside it, what cannot be read is not for the plugin: most of it is not krm-fn's."""
    write(tmp_path, OUTSIDE)
    write(tmp_path / "repo", files)
    monkeypatch.chdir(tmp_path / "repo/app")
    root = tmp_path / "repo"
    assert answer_discovery(Path(), options, is_asked_for=False, root=root) == outcome


OTHERS = [
    pytest.param({"krm-fn.yaml": EXEC, "a.yaml": "{"}, id="manifests"),
    pytest.param({"krm-fn.yaml": EXEC, "Chart.yaml": "name: web\n"}, id="a chart"),
    pytest.param(LISTED | {"kustomization.yaml": "resources: [a.yaml]\n"}, id="a kustomization"),
    pytest.param(
        LISTED | {"kustomization.yaml": "#transformers: [krm-fn.yaml]\n"}, id="one with a comment"
    ),
    pytest.param(
        LISTED | {"kustomization.yaml": "resources: [krm-fn.yaml]\n"},
        id="one with the file as an object",
    ),
    pytest.param(
        LISTED | {"kustomization.yaml": "validators: [krm-fn.yaml]\n"},
        id="one with it in another field",
    ),
    pytest.param(LISTED | {"krm-fn.yaml": REVISIONS}, id="a file that does not say how to run it"),
    pytest.param(LISTED | {"krm-fn.yaml": says("exec: {}")}, id="one that says half of it"),
    pytest.param(LISTED | {"krm-fn.yaml": says("a: [")}, id="one that says it in no YAML"),
    pytest.param(
        LISTED | {"krm-fn.yaml": EXEC.replace("revisions.krm-fn.io", "a")}, id="another function"
    ),
    pytest.param(
        {
            "kustomization.yaml": "transformers: [fn.yaml]\n",
            "fn.yaml": EXEC,
            "krm-fn.yaml": REVISIONS,
        },
        id="a file beside another one that is listed",
    ),
    pytest.param(
        LISTED | {"kustomization.yaml": "a: [\n"}, id="a kustomization that cannot be read"
    ),
    pytest.param(
        LISTED | {"krm-fn.yaml": "#" * 1_000_001}, id="a file that is too large to find out"
    ),
]


@pytest.mark.parametrize("files", OTHERS)
def test_taken(files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is wrong with it: Argo CD's own tools would not say so."""
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    assert answer_discovery(Path(), BOTH, is_asked_for=False) == TAKEN


OPTIONS = ["", "--enable-alpha-plugins", "--enable-exec", BOTH.replace("-exec", "-exec=false")]


@pytest.mark.parametrize("options", OPTIONS)
def test_an_argo_cd_whose_kustomize_would_fail_or_skip_the_function(
    options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, LISTED)
    monkeypatch.chdir(tmp_path)
    assert answer_discovery(Path(), options, is_asked_for=False) == TAKEN


def test_an_application_that_asks_for_the_plugin_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert answer_discovery(Path(), BOTH, is_asked_for=True) == NOBODY
    write(tmp_path, LISTED)
    assert answer_discovery(Path(), BOTH, is_asked_for=True) == TAKEN


@pytest.mark.parametrize("name", LISTED)
def test_a_file_that_is_none(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, LISTED)
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(name)
    assert answer_discovery(Path(), BOTH, is_asked_for=False) == TAKEN
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to("/nowhere")
    assert answer_discovery(Path(), BOTH, is_asked_for=False) == TAKEN
