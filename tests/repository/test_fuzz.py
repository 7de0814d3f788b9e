"""Every target of `make fuzz` runs, with seeds that nobody chose for what they do."""

import subprocess
import sys
from random import Random

import pytest

from tests.tools import fuzz
from tests.tools.fuzz import TARGETS


@pytest.mark.rows(test=4)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_found(target: str, seed: int) -> None:
    TARGETS[target](Random(seed))


def test_a_failure_says_how_to_repeat_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[float] = []

    def fail_the_second_time(rng: Random) -> None:
        seen.append(rng.random())
        assert len(seen) < 2, "found"

    monkeypatch.setitem(TARGETS, "function", fail_the_second_time)
    monkeypatch.setattr(sys, "argv", ["fuzz", "--only", "function", "--seed", "7"])
    assert fuzz.main() == 1
    assert capsys.readouterr().err.endswith(
        "function fails: python -m tests.tools.fuzz --only function --seed 8\n"
    )
    assert seen == [Random(7).random(), Random(8).random()]


def test_the_command_runs() -> None:
    command = [sys.executable, "-m", "tests.tools.fuzz", "--minutes", "0.01", "--only", "answers"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "of answers, nothing found" in done.stdout
