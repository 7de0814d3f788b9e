"""`krm-fn diff` as a process: what it reads, its colours, and its exit codes."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from krm_fn.report.colour import SEQUENCE
from tests.cases import FIXTURES
from tests.cli.process import KRM_FN, krm_fn
from tests.on_linux import needs_full_device
from tests.render.run import write

CASE = FIXTURES / "diffs/a-changed-key-rolls-its-rollout"
OLD, NEW, TEXT = (CASE / name for name in ("old.yaml", "new.yaml", "diff.txt"))
FILES = ("old.yaml", "new.yaml")
SAME = "no difference: 2 revisions unchanged\n"


@pytest.mark.parametrize("paths", [("-", str(NEW)), (str(OLD), "-")], ids=["old", "new"])
def test_one_side_may_be_stdin(paths: tuple[str, str], tmp_path: Path) -> None:
    stdin = (OLD if paths[0] == "-" else NEW).read_text()
    done = krm_fn("diff", *paths, cwd=tmp_path, stdin=stdin)
    assert (done.stdout, done.stderr, done.returncode) == (TEXT.read_text(), "", 0)


def test_a_package_is_compared_with_its_rendering(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/all.yaml").write_text(NEW.read_text())
    rendered = krm_fn("render", str(OLD), cwd=tmp_path).stdout
    for old, new in (("-", "shop"), ("-", str(NEW))):
        assert krm_fn("diff", old, new, cwd=tmp_path, stdin=rendered).stdout == TEXT.read_text()
    rendered = krm_fn("render", "shop", cwd=tmp_path).stdout
    assert krm_fn("diff", "shop", "-", cwd=tmp_path, stdin=rendered).stdout == SAME


EMPTY = [
    pytest.param(
        ("empty.yaml", "new.yaml"),
        "empty.yaml: is empty: everything is new",
        "added",
        id="the old file",
    ),
    pytest.param(
        ("new.yaml", "empty.yaml"),
        "empty.yaml: is empty: everything is gone",
        "removed",
        id="the new file",
    ),
    pytest.param(("-", "new.yaml"), "-: is empty: everything is new", "added", id="stdin"),
    pytest.param(
        ("/dev/null", "new.yaml"), "/dev/null: is empty: everything is new", "added", id="/dev/null"
    ),
    pytest.param(
        ("comments.yaml", "new.yaml"),
        "comments.yaml: is empty: everything is new",
        "added",
        id="comments",
    ),
]


@pytest.mark.parametrize(("paths", "note", "way"), EMPTY)
def test_one_side_may_be_empty(paths: tuple[str, str], note: str, way: str, tmp_path: Path) -> None:
    """It is what a builder prints that has nothing to print."""
    write(
        tmp_path,
        {"empty.yaml": "", "comments.yaml": "---\n# nothing\n", "new.yaml": NEW.read_text()},
    )
    done = krm_fn("diff", "--exit-code", *paths, cwd=tmp_path, stdin="")
    assert (done.stderr, done.returncode) == (f"warning: {note}\n", 1)
    assert re.search(f"^2 revisions {way}; .*\\n", done.stdout, re.MULTILINE)


def test_a_package_without_objects_is_a_mistake(tmp_path: Path) -> None:
    write(tmp_path, {"shop/empty.yaml": "", "new.yaml": NEW.read_text()})
    done = krm_fn("diff", "shop", "new.yaml", cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr == "error: nothing to apply: no objects in shop/empty.yaml\n"


def test_an_object_has_one_namespace_wherever_it_is_named(tmp_path: Path) -> None:
    """That of `--namespace`, if it sets none: in `revisions`, `objects` and `rolls`."""
    texts = {
        name: re.sub(
            r"^ +namespace: .*\n|, namespace: \w+",
            "",
            (CASE / name).read_text(),
            flags=re.MULTILINE,
        )
        for name in FILES
    }
    assert not any("namespace" in text for text in texts.values())
    write(tmp_path, texts)
    done = krm_fn("diff", "-ojson", "--namespace=apps", *FILES, cwd=tmp_path)
    read = json.loads(done.stdout)
    changes = [*read["revisions"], *read["objects"]]
    rolls = [roll for change in changes for roll in change["rolls"]]
    assert changes
    assert rolls
    assert {one["namespace"] for one in (*changes, *rolls)} == {"apps"}


EXIT_CODES = [
    pytest.param([str(OLD), str(NEW)], 0, id="a difference"),
    pytest.param(["--exit-code", str(OLD), str(NEW)], 1, id="a difference that matters"),
    pytest.param(["--exit-code", str(OLD), str(OLD)], 0, id="no difference"),
    pytest.param([str(OLD), "missing"], 2, id="an error"),
    pytest.param(["--exit-code", str(OLD), "missing"], 2, id="an error, not a difference"),
    pytest.param(
        ["--exit-code", str(OLD), "--config=missing", str(NEW)], 2, id="a missing configuration"
    ),
    pytest.param([str(OLD)], 2, id="a wrong command line"),
]


@pytest.mark.parametrize(("arguments", "code"), EXIT_CODES)
def test_exit_codes(arguments: list[str], code: int, tmp_path: Path) -> None:
    done = krm_fn("diff", *arguments, cwd=tmp_path)
    assert done.returncode == code
    assert bool(done.stderr) == (not done.stdout) == (code == 2)


@needs_full_device
def test_a_full_disk_is_no_difference() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*KRM_FN, "diff", str(OLD), str(NEW), "--exit-code"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        2,
        b"error: cannot write the output: No space left on device\n",
    )


def test_a_package_that_cannot_be_rendered(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        NEW.read_text().replace("kind: ConfigRevisions", "kind: ConfigRevision")
    )
    done = krm_fn("diff", str(OLD), "a.yaml", "--config=a.yaml", cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.startswith("error: a.yaml: expected one functionConfig document, found ")


TERMINALS = [
    pytest.param({"TERM": "xterm"}, True, id="in colour"),
    pytest.param({"TERM": "xterm", "NO_COLOR": "1"}, False, id="without"),
    pytest.param({"TERM": "dumb"}, False, id="for a terminal that has none"),
]


@pytest.mark.parametrize(("environment", "in_colour"), TERMINALS)
@pytest.mark.parametrize("width", [60, 200])
def test_at_a_terminal(environment: dict[str, str], in_colour: bool, width: int) -> None:
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    case = FIXTURES / "diffs/a-difference-in-a-long-line-is-in-view"
    command = [*KRM_FN, "diff", str(case / "old.yaml"), str(case / "new.yaml")]
    colours = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        check=True,
        env={**colours, **environment},
    )
    os.close(terminal)
    text = os.read(screen, 65_536).decode()
    os.close(screen)
    assert ("\x1b[31m- ...\x1b[7mx" in text) == in_colour
    assert ("\x1b" in text) == in_colour
    widths = [len(line) for line in SEQUENCE.sub("", text).splitlines()]
    assert max(widths) <= max(width, 80)
    assert (max(widths) > 90) == (width == 200)


VALUE = """\
server:
  port: 80
  # the log
  logging:

    level: info
    format: text
  tags:
  - a
  - b
other:
  level: info
"""
LEVEL = "    level: info"
PARENTS = [
    pytest.param(
        LEVEL, [], [" @@ line 6 @@", "   logging:", f"-{LEVEL}", "+X"], id="the key above it"
    ),
    pytest.param(
        "  - b", [], [" @@ line 10 @@", "   tags:", "-  - b", "+X"], id="the key of a list"
    ),
    pytest.param("server:", [], [" @@ line 1 @@", "-server:", "+X"], id="nothing above it"),
    pytest.param(
        LEVEL,
        ["-U1"],
        [" @@ line 5 @@", "   logging:", " ", f"-{LEVEL}", "+X", "     format: text"],
        id="a line around",
    ),
    pytest.param(
        LEVEL,
        ["--unified=2"],
        [" @@ line 4 @@", "   logging:", " ", f"-{LEVEL}", "+X", "     format: text", "   tags:"],
        id="lines around it",
    ),
]


@pytest.mark.parametrize(("line", "options", "expected"), PARENTS)
def test_a_change_is_under_its_key(
    line: str, options: list[str], expected: list[str], tmp_path: Path
) -> None:
    values = {"old.yaml": VALUE, "new.yaml": VALUE.replace(line, "X", 1)}
    for name, value in values.items():
        manifest = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "a"},
            "data": {"app.yaml": value},
        }
        (tmp_path / name).write_text(json.dumps(manifest))
    done = krm_fn("diff", *options, "old.yaml", "new.yaml", cwd=tmp_path)
    _, key, *lines, _ = done.stdout.splitlines()
    assert key == "    app.yaml: |"
    assert [line[2] + line[6:] for line in lines] == expected


WIDTHS = [
    pytest.param({}, [], id="a pipe gets whole lines"),
    pytest.param({"COLUMNS": "60"}, ["... (+"], id="unless somebody asks for a width"),
]


@pytest.mark.parametrize(("environment", "cut"), WIDTHS)
def test_widths(environment: dict[str, str], cut: list[str], tmp_path: Path) -> None:
    case = FIXTURES / "diffs/a-difference-in-a-long-line-is-in-view"
    done = krm_fn(
        "diff", str(case / "old.yaml"), str(case / "new.yaml"), cwd=tmp_path, **environment
    )
    assert all(text in done.stdout for text in cut)
    assert ("..." in done.stdout) == bool(cut)
    assert (max(map(len, done.stdout.splitlines())) <= 60) == bool(cut)


HUGE = [
    pytest.param("x" * 900_000, "x" * 899_999 + "y", id="one line"),
    pytest.param("x\n" * 400_000, "x\n" * 200_000 + "y\n" * 200_000, id="many lines"),
    pytest.param(
        "".join(f"{n}\n" for n in range(100_000)),
        "".join(f"{-n}\n" for n in range(100_000)),
        id="all differ",
    ),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("old", "new"), HUGE)
@pytest.mark.parametrize("form", [[], ["-omarkdown"], ["-ojson"]], ids=["text", "Markdown", "JSON"])
def test_huge_values_take_no_huge_time(old: str, new: str, form: list[str], tmp_path: Path) -> None:
    """The limit is in seconds of the processor."""
    for name, value in (("old", old), ("new", new)):
        text = "".join(f"    {line}\n" for line in value.splitlines())
        manifest = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  a: |\n{text}"
        (tmp_path / f"{name}.yaml").write_text(manifest)
    limited = ["sh", "-c", 'ulimit -t 60; exec "$@"', "sh", *KRM_FN]
    compared = [*limited, "diff", *form, "old.yaml", "new.yaml"]
    done = subprocess.run(compared, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    if form == ["-omarkdown"]:
        assert len(done.stdout) < 65_536
