"""No command leaves or changes a file that it does not name.

The test of this name in `integration` has all endings.
"""

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.nothing_stays import (
    COMMANDS,
    WITH_PROGRAMS,
    Command,
    Place,
    assert_nothing_stays,
    make_place,
    wait_for_start,
)

GIT = shutil.which("git") or ""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with make_place(tmp_path, is_tls=False) as made:
        yield made


@pytest.mark.rows(test=3)
@pytest.mark.parametrize("command", [pytest.param(one, id=name) for name, one in COMMANDS.items()])
def test_all_is_as_before_when_a_command_ends(command: Command, place: Place) -> None:
    place.use("answer", GIT)
    before = place.look(command.outputs)
    with place.running(command) as process:
        _, said = process.communicate(command.stdin.encode())
    assert process.returncode in {0, 1}, said
    assert b"Traceback" not in said
    assert place.look(command.outputs) == before


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("name", sorted(WITH_PROGRAMS))
def test_all_is_as_before_when_a_command_is_killed(name: str, place: Place) -> None:
    command = COMMANDS[name]
    place.use("wait", GIT)
    before = place.look(command.outputs)
    with place.running(command) as process:
        wait_for_start(place, command, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert_nothing_stays(place, before, command.outputs)


def test_a_merge_keeps_the_mode_of_its_output(place: Place) -> None:
    command = COMMANDS["merge"]
    place.use("answer", GIT)
    ours = place.repository / command.outputs[0]
    ours.chmod(0o600)
    with place.running(command) as process:
        process.communicate()
    assert (process.returncode, ours.stat().st_mode & 0o777) == (0, 0o600)
