"""Each tier runs what its row in tests/tiers.py says."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.mutants.telling import TELLING
from tests.tiers import DRAWN, NEEDS, NIGHTLY, find_others

ROOT = Path(__file__).parents[2]


class Row:
    """What pytest collects, as far as the choice of a tier looks at it."""

    path = ROOT / "tests/shop/test_shop.py"

    def __init__(
        self, name: str, *marks: pytest.MarkDecorator, deployer: int | None = None
    ) -> None:
        self.name = name
        self.nodeid = f"tests/shop/test_shop.py::test_{name}"
        indices = {"story": len(name)} if deployer is None else {"story": 1, "deployer": deployer}
        self.callspec = SimpleNamespace(indices=indices)
        self.get_closest_marker = {one.name: one.mark for one in marks}.get


def run(items: list[Any], tier: str | None, commit: str = "1", touched: str = "") -> set[str]:
    others = find_others(items, tier, commit, frozenset({touched}))
    return {item.name for item in items if item not in others}


HELM, NIGHT = pytest.mark.needs("helm"), pytest.mark.nightly
SOME, ALWAYS = pytest.mark.rows(test=2, submission=3), pytest.mark.always


@pytest.mark.parametrize(
    ("tier", "runs"),
    [
        ("test", {"a"}),
        ("submission", {"a", "with helm"}),
        (None, {"a", "with helm"}),
        ("night", {"a", "with helm", "at night"}),
    ],
)
def test_what_a_mark_says(tier: str | None, runs: set[str]) -> None:
    items: list[Any] = [Row("a"), Row("with helm", HELM), Row("at night", NIGHT)]
    assert run(items, tier) == runs


def test_each_has_its_reason() -> None:
    items: list[Any] = [
        Row("with helm", HELM),
        Row("at night", NIGHT),
        Row("a[1]", pytest.mark.rows(test=0)),
    ]
    others = find_others(items, "test", "1", frozenset())
    assert [others[item] for item in items] == [NEEDS, NIGHTLY, DRAWN]


MANY: list[Any] = [
    Row(f"many[{number}]", SOME, *([ALWAYS] if number == 7 else [])) for number in range(20)
]


def test_so_many_rows_run_as_the_mark_says() -> None:
    assert [len(run(MANY, tier)) for tier in ("test", "submission", "night")] == [2, 3, 20]


def test_a_row_runs_each_time_and_each_row_some_time() -> None:
    chosen = [run(MANY, "test", str(commit)) for commit in range(200)]
    assert set.intersection(*chosen) == {"many[7]"}
    assert set.union(*chosen) == {item.name for item in MANY}
    assert run(MANY, "test", "1") == run(MANY, "test", "1")


def test_without_a_mark_of_its_own_one_row_runs_each_time() -> None:
    items: list[Any] = [Row(f"many[{number}]", pytest.mark.rows(test=1)) for number in range(20)]
    assert run(items, "test", "1") == run(items, "test", "2")


def test_all_rows_of_a_room_run_that_the_change_touches() -> None:
    assert len(run(MANY, "test", touched="shop")) == 20


def test_the_fixed_row_is_one_that_the_tier_can_run() -> None:
    items: list[Any] = [
        Row(f"many[{number}]", pytest.mark.rows(test=1), HELM) for number in range(9)
    ]
    assert run([*items, Row("many[alone]", pytest.mark.rows(test=1))], "test") == {"many[alone]"}


def test_one_deployer_by_day_and_each_at_night() -> None:
    items: list[Any] = [
        Row(f"{name}[{number}]", deployer=number) for name in "abcdef" for number in (0, 1)
    ]
    for tier in ("test", "submission"):
        by_day = run(items, tier)
        assert {name[0] for name in by_day} == set("abcdef")
        assert len(by_day) == 6
        assert {name[2] for name in by_day} == {"0", "1"}
    assert len(run(items, "night")) == 12


@pytest.mark.rows(test=0)
def test_each_telling_mistake_has_tests_that_make_test_runs() -> None:
    wanted = {test for one in TELLING for test in one.tests.split()}
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "--tier=test"]
    done = subprocess.run(
        [*command, *sorted(wanted)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    collected = re.findall(r"^(\S+?)::", done.stdout, re.MULTILINE)
    assert [name for name in wanted if not any(one.startswith(name) for one in collected)] == []
