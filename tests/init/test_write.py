"""Several files are written, or none: at each call that can fail, and wherever the process is ended or killed."""

import os
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from krm_fn.base.problem import Rejected
from krm_fn.tools.init.transaction import NewContent, write_all
from tests.init.interrupted import FEWER, NEW, OLD


def read(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def prepare(folder: Path) -> Path:
    for name, data in OLD.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def interrupt(folder: Path, way: str, number: int) -> int:
    command = [sys.executable, "-m", "tests.init.interrupted", str(folder), way, str(number)]
    done = subprocess.run(command, capture_output=True, check=False, cwd=Path(__file__).parents[2])
    return done.returncode


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("way", ["fail", "end", "kill"])
def test_wherever_it_stops_all_is_written_or_nothing(way: str, tmp_path: Path) -> None:
    whole = {name: data for name, data in {**OLD, **NEW}.items() if data is not None}
    steps = [OLD, {**OLD, "shop/krm-fn.yaml": b"new\n"}]
    steps += [{**steps[-1], ".ci/jobs/krm-fn.yaml": b"ci\n"}]
    steps += [{**steps[-1], "shop/kustomization.yaml": b"entry\n"}, whole]
    for number in count(1):
        folder = prepare(tmp_path / str(number))
        code = interrupt(folder, way, number)
        found = read(folder)
        hidden = [name for name in found if name.endswith(".tmp")]
        shown = {name: data for name, data in found.items() if name not in hidden}
        if way == "kill" and code == -signal.SIGKILL:
            assert shown in steps
            assert all(Path(name).name.startswith(".") for name in hidden)
            continue
        # A hidden file may stay where the file system does not let it be removed.
        assert len(hidden) <= (way == "fail"), (number, hidden)
        if code in {0, FEWER} or (way == "end" and shown == whole):
            assert shown == whole
        else:
            assert shown == OLD
            assert code == (1 if way == "fail" else -signal.SIGTERM)
            assert [path.name for path in folder.iterdir()] == ["shop"]
        if code == FEWER:
            break
    assert number > 10


def test_what_has_come_or_changed_meanwhile_stays(tmp_path: Path) -> None:
    folder = prepare(tmp_path)
    changed = NewContent(folder / "shop/kustomization.yaml", b"as it was read\n", b"entry\n")
    with pytest.raises(Rejected, match="has changed while krm-fn was running; run it again"):
        write_all([NewContent(folder / "shop/a", None, b"a"), changed])
    (folder / "shop/b").write_bytes(b"mine")
    with pytest.raises(Rejected, match="has changed while krm-fn was running; run it again"):
        write_all(
            [NewContent(folder / "shop/a", None, b"a"), NewContent(folder / "shop/b", None, b"b")]
        )
    with pytest.raises(Rejected, match="has changed while krm-fn was running; run it again"):
        write_all([NewContent(folder / "shop/b", b"as it was read\n", None)])
    assert read(folder) == {**OLD, "shop/b": b"mine"}


def test_a_folder_goes_with_its_last_file(tmp_path: Path) -> None:
    folder = prepare(tmp_path)
    names = ("shop/krm/kustomization.yaml", "shop/kustomization.yaml")
    write_all([NewContent(folder / name, OLD[name], None) for name in names[:1]])
    assert [*(folder / "shop").iterdir()] == [folder / names[1]]
    (folder / "mine").write_bytes(b"mine")
    write_all([NewContent(folder / name, OLD[name], None) for name in names[1:]])
    assert [*folder.iterdir()] == [folder / "mine"]


def test_mode_and_owner_stay(tmp_path: Path) -> None:
    file = prepare(tmp_path) / "shop/kustomization.yaml"
    file.chmod(0o640)
    (file.parent / "krm/kustomization.yaml").unlink()
    (file.parent / "krm").rmdir()
    before = file.stat()
    write_all([NewContent(file, b"before\n", b"entry\n")])
    after = file.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
    assert [*file.parent.iterdir()] == [file]


def test_files_and_their_folders_are_on_the_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a flush, a power cut may leave a name without its content."""
    flush, flushed = os.fsync, set()

    def remember(descriptor: int) -> None:
        flushed.add(os.fstat(descriptor).st_ino)
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", remember)
    new, old = tmp_path / "ci/new.yaml", tmp_path / "old.yaml"
    old.write_bytes(b"old\n")
    write_all([NewContent(new, None, b"new\n"), NewContent(old, b"old\n", b"newer\n")])
    assert {path.stat().st_ino for path in (new, new.parent, old, old.parent)} <= flushed
