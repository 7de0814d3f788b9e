"""A history is shown again when it changes, at a bounded rate, until somebody ends it."""

import pytest

from krm_fn.report.table import Screen
from krm_fn.tools.common.revision_history import History, NoAnswer
from krm_fn.tools.history.watch import Output, ScreenSize, watch
from tests.linker.object_store import NOON

FIRST, LATER = History("shop", NOON, ()), History("shop", NOON + 60, ())
CHANGED = History("api", NOON + 120, ())


class Ended(Exception):
    """Somebody has pressed Ctrl-C."""


class Viewer:
    """Somebody who watches these histories, or errors, and then ends it.

    A history is written as its namespace.
    """

    def __init__(self, *answers: History | str, height: int = 0) -> None:
        self.answers = list(answers)
        self.height = height
        self.shown: list[str] = []
        self.said: list[str] = []
        self.pauses: list[float] = []

    def watch(self) -> None:
        output = Output(
            lambda history, _: "".join(f"{history.namespace} {line}\n" for line in range(3)),
            lambda: ScreenSize(Screen(), 10, self.height),
            self.shown.append,
            self.said.append,
        )
        watch(self._ask, output, self._sleep)

    def _ask(self) -> History:
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            raise NoAnswer(answer)
        return answer

    def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        if not self.answers:
            raise Ended


def test_a_pipe_gets_a_block_for_each_change_and_a_line_between() -> None:
    viewer = Viewer(FIRST, LATER, CHANGED)
    with pytest.raises(Ended):
        viewer.watch()
    assert viewer.shown == [
        "shop 0\nshop 1\nshop 2\n",
        "--- 2026-06-01T12:02:00Z\napi 0\napi 1\napi 2\n",
    ]


def test_a_terminal_is_written_over_in_place() -> None:
    viewer = Viewer(FIRST, LATER, height=10)
    with pytest.raises(Ended):
        viewer.watch()
    frame = "\x1b[Hshop 0\x1b[K\nshop 1\x1b[K\nshop 2\x1b[K\n\x1b[J"
    assert viewer.shown == [f"\x1b[2J{frame}", frame]


def test_what_does_not_fit_on_a_terminal_is_counted() -> None:
    viewer = Viewer(FIRST, height=3)
    with pytest.raises(Ended):
        viewer.watch()
    more = "... 2 more lines: use a larger terminal, --set or NAME"
    assert viewer.shown == [f"\x1b[2J\x1b[Hshop 0\x1b[K\n{more}\x1b[K\n\x1b[J"]


def test_a_line_that_is_wider_than_the_terminal_takes_several_rows() -> None:
    viewer = Viewer(FIRST._replace(namespace="\x1b[31mshop-shop-shop\x1b[0m"), height=5)
    with pytest.raises(Ended):
        viewer.watch()
    assert "... 2 more lines" in viewer.shown[0]


def test_the_first_question_must_be_answered() -> None:
    with pytest.raises(NoAnswer, match="no such namespace"):
        Viewer("no such namespace").watch()


def test_later_questions_are_asked_again() -> None:
    viewer = Viewer(FIRST, "no response", CHANGED)
    with pytest.raises(Ended):
        viewer.watch()
    assert viewer.said == ["warning: no response; trying again"]
    assert len(viewer.shown) == 2


def test_the_rate_is_bounded() -> None:
    viewer = Viewer(FIRST, LATER)
    with pytest.raises(Ended):
        viewer.watch()
    assert all(pause >= 2 for pause in viewer.pauses)
