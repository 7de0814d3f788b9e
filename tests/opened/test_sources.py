"""Which files at a path are read."""

import errno
import os
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from tests.render.run import CONFIG_MAP, render_in, write

NAMED = "apiVersion: v1\nkind: A\nmetadata: {name: %s}\n"


def rendered_names(folder: Path, monkeypatch: pytest.MonkeyPatch, *paths: str) -> list[str]:
    outcome = render_in(folder, monkeypatch, *paths)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    return [
        line[17:-1] for line in outcome.stdout.decode().splitlines() if line.startswith("metadata")
    ]


FOLDERS = [
    pytest.param(
        ["a.yaml", "b.yml", "c.json"], ["a.yaml", "b.yml", "c.json"], id="all three endings"
    ),
    pytest.param(
        ["b.yaml", "a.yaml", "B.yaml", "a/x.yaml", "a-b.yaml"],
        ["B.yaml", "a-b.yaml", "a.yaml", "a/x.yaml", "b.yaml"],
        id="in the order of the bytes of their names",
    ),
    pytest.param(["a.yaml", "b.txt", "c.yaml.orig", "Kptfile"], ["a.yaml"], id="nothing else"),
    pytest.param(
        ["a.yaml", ".b.yaml", ".github/c.yaml", "d/.e/f.yaml"], ["a.yaml"], id="nothing hidden"
    ),
    pytest.param(["é.yaml", "z.yaml"], ["z.yaml", "é.yaml"], id="whatever the locale"),
]


@pytest.mark.parametrize(("files", "expected"), FOLDERS)
def test_a_folder(
    files: list[str], expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {name: NAMED % name for name in files})
    assert rendered_names(tmp_path, monkeypatch) == expected


def test_paths_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {name: NAMED % name for name in ("a/1.yaml", "b/2.yaml", "c.txt")})
    assert rendered_names(tmp_path, monkeypatch, "c.txt", "b", "a/1.yaml") == [
        "c.txt",
        "b/2.yaml",
        "a/1.yaml",
    ]


def test_stdin_among_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.yaml": NAMED % "a"})
    outcome = render_in(tmp_path, monkeypatch, "a.yaml", "-", stdin=(NAMED % "piped").encode())
    assert outcome.stdout.decode() == "---\n" + NAMED % "a" + "---\n" + NAMED % "piped"


def test_empty_files_and_comments_among_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path,
        {"a.yaml": "", "b.yaml": "# nothing yet\n", "c.yaml": NAMED % "c", "d.yaml": "---\n"},
    )
    assert render_in(tmp_path, monkeypatch).stdout.decode() == NAMED % "c"


def test_the_byte_order_marks_of_all_files_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path, {name: b"\xef\xbb\xbf" + (NAMED % name).encode() for name in ("a.yaml", "b.yaml")}
    )
    assert (
        render_in(tmp_path, monkeypatch).stdout.decode()
        == "---\n" + NAMED % "a.yaml" + "---\n" + NAMED % "b.yaml"
    )


REFUSED = [
    pytest.param({}, ["no"], "error: no: no such file or directory\n", id="nothing there"),
    pytest.param(
        {"a/b.txt": ""},
        ["a"],
        "error: a: has no manifests (*.yaml, *.yml, *.json), no kustomization.yaml and no Chart.yaml\n",
        id="a folder with nothing to read",
    ),
    pytest.param(
        {
            "a.yaml": CONFIG_MAP,
            "b/kustomization.yaml": "",
            "b/c.yaml": CONFIG_MAP,
            "d/e/Chart.yaml": "",
        },
        ["."],
        "error: .: holds 2 folders that kustomize or helm builds; pass each as a PATH of its own, or a pattern: "
        "b, d/e\n",
        id="folders inside that are to be built",
    ),
    pytest.param(
        {"a.yaml": b"a: 1\nb: \xe9t\xe9\n"},
        ["."],
        "error: a.yaml:2:4: byte 0xe9 is not valid UTF-8\n",
        id="Latin-1",
    ),
    pytest.param(
        {"a.yaml": CONFIG_MAP, "b.yaml": "a: [1\n", "c.yaml": "a: 1\na: 2\n"},
        ["."],
        "error: b.yaml:2:1: invalid YAML: did not find expected ',' or ']', while parsing a flow sequence\n"
        "error: c.yaml:2:1: duplicate key 'a'; the first is on line 1\n",
        id="the errors of all files, with their lines",
    ),
    pytest.param(
        {
            "a.yaml": CONFIG_MAP,
            "values.yaml": "\nreplicas: 3\n",
            "x.yaml": "kind: A\n",
            "y.json": "[1]",
            "z.yaml": "hello\n",
        },
        ["."],
        "error: values.yaml:2:1: expected a Kubernetes object, found a mapping without apiVersion and kind\n"
        "error: x.yaml:1:1: expected a Kubernetes object, found a mapping without apiVersion\n"
        "error: y.json:1:1: expected a Kubernetes object, found a list\n"
        "error: z.yaml:1:1: expected a Kubernetes object, found text\n",
        id="documents that are not objects",
    ),
    pytest.param(
        {"a.yaml": "# soon\n", "b.yaml": ""},
        ["."],
        "error: nothing to apply: no objects in a.yaml, b.yaml\n",
        id="no objects",
    ),
    pytest.param(
        {"a.yaml": "apiVersion: kpt.dev/v1\nkind: Kptfile\n"},
        ["."],
        "error: nothing to apply: only objects for tools in a.yaml\n",
        id="no object for a cluster",
    ),
]


@pytest.mark.parametrize(("files", "paths", "sentences"), REFUSED)
def test_refused(
    files: dict[str, str | bytes],
    paths: list[str],
    sentences: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, files)
    assert render_in(tmp_path, monkeypatch, *paths) == Outcome(b"", sentences, 1)


def test_a_link_to_nothing_may_have_been_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP})
    (tmp_path / "b").symlink_to("c")
    (tmp_path / ".hidden").symlink_to("c")
    assert render_in(tmp_path, monkeypatch) == Outcome(
        b"", "error: b: no such file or directory\n", 1
    )


def test_nothing_on_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = render_in(tmp_path, monkeypatch, "-", stdin=b"\n")
    assert outcome == Outcome(b"", "error: nothing to apply: no objects in <stdin>\n", 1)


def test_an_unreadable_folder_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root can read every folder, so the error is simulated."""
    write(tmp_path, {"a.yaml": CONFIG_MAP, "b/c.yaml": CONFIG_MAP})
    scandir = os.scandir

    def refuse(path: str) -> object:
        if Path(path) == Path("b"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert render_in(tmp_path, monkeypatch) == Outcome(b"", "error: b: permission denied\n", 1)
