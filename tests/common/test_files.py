"""Which files of a tree are read, which are refused, and that none is skipped in silence."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome, Rejected
from krm_fn.tools.common.files import MAX_LEVELS, Allowance, Files, Limits
from tests.render.run import CONFIG_MAP, LEFT_ALONE, render_in, write

NAMED = "apiVersion: v1\nkind: A\nmetadata: {name: %s}\n"
TREE: dict[str, str | bytes] = {
    "app/a.yaml": NAMED % "a",
    "shared/b.yaml": NAMED % "b",
    "c.yaml": NAMED % "c",
}
TO_ROOT = Limits(root=Path())


def link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(path))  # the whole path may be too long for a socket


TWICE = (
    "warning: A/a (app/d.yaml:1:1): is in the package twice, in app/a.yaml line 1 and in app/d.yaml line 1: what "
    "is applied last wins\n"
)

LINKS = [
    pytest.param("d.yaml", "a.yaml", ["a", "a"], id="to a file in the same folder"),
    pytest.param("d.yaml", "../c.yaml", ["a", "c"], id="to a file elsewhere"),
    pytest.param("d", "../shared", ["a", "b"], id="to a folder"),
    pytest.param(".d", "/etc", ["a"], id="of a hidden name, which nobody reads"),
    pytest.param("d", "/etc/passwd", ["a"], id="to a file, of a name that nobody reads"),
]


@pytest.mark.parametrize(("name", "target", "expected"), LINKS)
def test_a_link_to_the_inside_of_the_root_is_followed(
    name: str, target: str, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, TREE)
    (tmp_path / "app" / name).symlink_to(target)
    outcome = render_in(tmp_path, monkeypatch, "app", limits=TO_ROOT)
    assert (outcome.stderr, outcome.exit_code) == (TWICE if expected == ["a", "a"] else "", 0)
    assert [
        line[17:-1] for line in outcome.stdout.decode().splitlines() if line.startswith("metadata")
    ] == expected


OUTSIDE = "outside of the root %s; --root sets the directory that may be read"

REFUSED = [
    pytest.param(
        "d.yaml",
        link("../c.yaml"),
        f"leads to {{tree}}/c.yaml, {OUTSIDE % 'app'}",
        id="a link to outside",
    ),
    pytest.param(
        "d",
        link("../shared"),
        f"leads to {{tree}}/shared, {OUTSIDE % 'app'}",
        id="a linked folder outside",
    ),
    pytest.param(
        "d.yaml",
        link("/etc/passwd"),
        f"leads to /etc/passwd, {OUTSIDE % 'app'}",
        id="an absolute link",
    ),
    pytest.param(
        "d.yaml", link("d.yaml"), "too many levels of symbolic links", id="a link to itself"
    ),
    pytest.param(
        "d", link("d"), "too many levels of symbolic links", id="a link to itself, of any name"
    ),
    pytest.param("d.yaml", link("no"), "no such file or directory", id="a link to nothing"),
    pytest.param("d.yaml", os.mkfifo, "is a FIFO; only regular files are read", id="a FIFO"),
    pytest.param(
        "krm-fn.yaml",
        os.mkfifo,
        "is a FIFO; only regular files are read",
        id="a FIFO as configuration",
    ),
    pytest.param("d.yaml", bind, "is a socket; only regular files are read", id="a socket"),
]


@pytest.mark.parametrize(("name", "make", "sentence"), REFUSED)
def test_refused(
    name: str,
    make: Callable[[Path], None],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, TREE)
    make(tmp_path / "app" / name)
    expected = f"error: app/{name}: {sentence.format(tree=tmp_path)}\n"
    assert render_in(tmp_path, monkeypatch, "app") == Outcome(b"", expected, 1)


def test_a_device_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, TREE)
    (tmp_path / "app/d.yaml").symlink_to("/dev/zero")
    sentence = "error: app/d.yaml: is a device; only regular files are read\n"
    assert render_in(tmp_path, monkeypatch, "app", limits=Limits(root=Path("/"))) == Outcome(
        b"", sentence, 1
    )


def test_a_folder_is_not_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty folders with two links each to the next would otherwise be a billion folders."""
    write(tmp_path, {f"app/{level:02}/a.yaml": NAMED % level for level in range(30)})
    for level in range(29):
        for name in ("one", "two"):
            (tmp_path / f"app/{level:02}/{name}").symlink_to(f"../{level + 1:02}")
    (tmp_path / "app/loop").symlink_to(".")
    outcome = render_in(tmp_path, monkeypatch, "app")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert outcome.stdout.count(b"kind: ") == 30


DEPTHS = [
    pytest.param("d", MAX_LEVELS, "", id="as many as are allowed"),
    pytest.param("d", MAX_LEVELS + 1, "app: has more than 100 levels of folders\n", id="one more"),
    pytest.param(
        "d",
        1200,
        "app: has more than 100 levels of folders\n",
        id="more than Python can recurse into",
    ),
    pytest.param(
        "n" * 200, 30, "n: file name too long\n", id="names longer than the system can take"
    ),
]


@pytest.mark.parametrize(("name", "levels", "end"), DEPTHS)
def test_folders_in_folders(
    name: str, levels: int, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, TREE)
    monkeypatch.chdir(tmp_path / "app")
    for _ in range(levels):
        Path(name).mkdir()
        os.chdir(name)
    outcome = render_in(tmp_path, monkeypatch, "app")
    assert (outcome.exit_code, bool(outcome.stdout)) == ((1, False) if end else (0, True))
    assert outcome.stderr.endswith(end)
    subprocess.run(["rm", "-r", "app"], check=True)  # pytest cannot


ROOTS = [
    pytest.param("shared", ("shared/b.yaml",), "", id="inside"),
    pytest.param(
        "shared", ("c.yaml",), f"error: c.yaml: is {OUTSIDE % 'shared'}\n", id="a file outside"
    ),
    pytest.param(
        "shared", ("app",), f"error: app: is {OUTSIDE % 'shared'}\n", id="a folder outside"
    ),
    pytest.param(
        "shared",
        ("shared/../c.yaml",),
        f"error: shared/../c.yaml: leads to {{tree}}/c.yaml, {OUTSIDE % 'shared'}\n",
        id="outside, by two dots",
    ),
    pytest.param("link", ("shared",), "", id="a root that is a link"),
]


@pytest.mark.parametrize(("root", "paths", "sentence"), ROOTS)
def test_a_root_holds_for_what_the_command_line_names(
    root: str,
    paths: tuple[str, ...],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, TREE)
    (tmp_path / "link").symlink_to("shared")
    outcome = render_in(tmp_path, monkeypatch, *paths, limits=Limits(root=Path(root)))
    assert outcome.stderr == sentence.format(tree=tmp_path)
    assert bool(outcome.stdout) is not bool(sentence)


def test_a_root_holds_for_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, TREE)
    outcome = render_in(
        tmp_path, monkeypatch, "app", config="c.yaml", limits=Limits(root=Path("app"))
    )
    assert outcome == Outcome(b"", f"error: c.yaml: is {OUTSIDE % 'app'}\n", 1)


def test_what_the_shell_has_opened_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in `krm-fn render <(make-manifests)`."""
    reader, writer = os.pipe()
    os.write(writer, CONFIG_MAP.encode())
    os.close(writer)
    outcome = render_in(tmp_path, monkeypatch, f"/dev/fd/{reader}", limits=TO_ROOT)
    os.close(reader)
    assert outcome == Outcome(CONFIG_MAP.encode(), "", 0, LEFT_ALONE)


TOO_LARGE = "more than 100 bytes are to be read; --max-bytes sets the limit\n"


@pytest.mark.parametrize(
    ("files", "stdin", "sentence"),
    [
        pytest.param(
            {"a.yaml": "#" * 100},
            b"",
            "error: nothing to apply: no objects in a.yaml, <stdin>\n",
            id="as many",
        ),
        pytest.param(
            {"a.yaml": "#" * 101}, b"", f"error: a.yaml: {TOO_LARGE}", id="one more, in a file"
        ),
        pytest.param(
            {"a.yaml": "#" * 50, "b.yaml": "#" * 51},
            b"",
            f"error: b.yaml: {TOO_LARGE}",
            id="in two files",
        ),
        pytest.param(
            {"a.yaml": "#" * 50}, b"#" * 51, f"error: <stdin>: {TOO_LARGE}", id="with stdin"
        ),
        pytest.param(
            {"krm-fn.yaml": "#" * 101, "a.yaml": ""},
            b"",
            f"error: krm-fn.yaml: {TOO_LARGE}",
            id="a configuration",
        ),
    ],
)
def test_a_limit_on_all_that_is_read(
    files: dict[str, str | bytes],
    stdin: bytes,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, files)
    outcome = render_in(tmp_path, monkeypatch, ".", "-", stdin=stdin, limits=Limits(max_bytes=100))
    assert outcome == Outcome(b"", sentence, 1)


def test_a_large_file_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "a.yaml").open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of nothing, which needs no space
    sentence = "error: a.yaml: more than 1000 bytes are to be read; --max-bytes sets the limit\n"
    assert render_in(tmp_path, monkeypatch, limits=Limits(max_bytes=1000)) == Outcome(
        b"", sentence, 1
    )


def test_a_file_that_was_replaced_by_a_fifo_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a": "", "b": ""})
    os.mkfifo(tmp_path / "fifo")
    lstat, fifo = os.lstat, str(tmp_path / "fifo")
    # What was seen when it was checked. Python asks about the folders, too.
    monkeypatch.setattr(
        os, "lstat", lambda path: lstat(tmp_path / "a" if str(path) == fifo else path)
    )
    with pytest.raises(Rejected) as caught:
        Files(tmp_path, Allowance(Limits())).read(tmp_path / "fifo")
    assert [problem.message for problem in caught.value.problems] == [
        "is a FIFO; only regular files are read"
    ]
