"""A temporary folder goes with the process that has made it, whatever ends that."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from krm_fn.base.problem import Rejected
from krm_fn.tools.common import program
from krm_fn.tools.common.program import temporary_folder
from tests.wait import until_empty

HOLD = """
import sys
from krm_fn.tools.common import program
program._KEEPERS = program._KEEPERS[int(sys.argv[1]):]
with program.temporary_folder() as folder:
    (folder / "below").mkdir()
    (folder / "below" / "secret").write_text("planted")
    print(folder, flush=True)
    sys.stdin.read()
"""
KEEPERS = [pytest.param(0, id="a shell"), pytest.param(1, id="a Python, where there is no shell")]
ENDS = [
    pytest.param(number, id=number.name)
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("end", [pytest.param(None, id="by itself"), *ENDS])
def test_nothing_is_left(end: signal.Signals | None, keeper: int, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(keeper)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdin
        folder = Path(process.stdout.readline().strip())
        assert (folder / "below/secret").read_text() == "planted"
        assert folder.stat().st_mode & 0o777 == 0o700
        if end:
            process.send_signal(end)
    until_empty(tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS])
def test_a_folder_without_room_is_an_error(number: int, temporary: Path) -> None:
    with (
        pytest.raises(Rejected, match=r"cannot write temporary files: .*; set TMPDIR to"),
        temporary_folder(),
    ):
        raise OSError(number, os.strerror(number))
    assert not [*temporary.iterdir()]


def test_what_another_error_is_about_is_not_guessed(temporary: Path) -> None:
    with pytest.raises(FileNotFoundError), temporary_folder():
        raise FileNotFoundError
    assert not [*temporary.iterdir()]


def test_no_folder_is_made_that_nothing_removes(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_KEEPERS", (("/nonexistent",),))
    with (
        pytest.raises(Rejected, match="cannot start a process that removes temporary files"),
        temporary_folder(),
    ):
        pass
    assert not [*temporary.iterdir()]
