"""Which tests run: chosen when pytest collects them, by marks and rows, never by files.

| `--tier` | Command | What runs |
|---|---|---|
| `test` | `make test` | what needs Python, git and make alone |
| `submission` | `make test-all`, `.ci/run` | what programs judge as well |
| `night` | `make night` | all rows, under each deployer, and all that tests/volume.py knows |

* `needs("helm")` says that a test starts other programs. Without it, `require` fails the test.
* `rows(test=1, submission=20)` says how many rows of a test run in a tier, where they cost much. One
  of them runs each time: what is marked `always`, or else the one that the name of the test gives.
  The others are drawn by the commit. All run whose room the change touches. Of `test=0`, none runs.
* Of rows that differ in the deployer alone, one runs by day, for each name another.
* `nightly` is a row that runs only at night, and `absent` one whose programs are built on demand, and
  are not there.

Without `--tier`, everything that is named runs, but for what is nightly.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from random import Random

import pytest

from tests.changed import find_changed, git, rooms_of
from tests.entered import ROOT

OPTION = "--tier"
_BY_DAY = ("test", "submission")
TIERS = (*_BY_DAY, "night")
_DEPLOYER = "deployer"
_MANY = 3
"""A change of more rooms than this has drawn rows alone: all rows take too long for every submission."""

NEEDS, DRAWN, NIGHTLY = "need a program", "are rows that are not drawn", "run at night"
ABSENT = "need what is built on demand"


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, choices=TIERS, help="run what tests/tiers.py chooses for it")


def choose_tests(config: pytest.Config, items: list[pytest.Item]) -> str:
    """Deselect what does not run in the tier. Return a line that says how many those are, and why.

    Without a tier it is empty.
    """
    tier = config.getoption(OPTION)
    if tier is None and config.option.markexpr:
        return ""
    is_drawn = tier in _BY_DAY
    commit = git("rev-parse", "HEAD").strip() if is_drawn else ""
    touched = rooms_of(find_changed()) if is_drawn else frozenset()
    if len(touched) > _MANY:
        touched = frozenset()
    why = find_others(items, tier, commit, touched)
    config.hook.pytest_deselected(items=[item for item in items if item in why])
    items[:] = [item for item in items if item not in why]
    if tier is None:
        return ""
    said = [f"{count:,} {reason}" for reason, count in Counter(why.values()).most_common()]
    drawn = [f"drawn by {commit[:8]}"] if commit else []
    rooms = [f"all rows of {', '.join(sorted(touched))}"] if touched else []
    return f"{tier}: " + "; ".join([f"{len(items):,} tests", *said, *drawn, *rooms])


def find_others(
    items: Iterable[pytest.Item], tier: str | None, commit: str, touched: frozenset[str]
) -> dict[pytest.Item, str]:
    """Return the tests that do not run in the tier, each with the reason.

    `touched`: the folders of tests whose rows all run.
    """
    why: dict[pytest.Item, str] = {}
    functions: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("absent"):
            why[item] = ABSENT
        elif tier != "night" and item.get_closest_marker("nightly"):
            why[item] = NIGHTLY
        elif tier == "test" and item.get_closest_marker("needs"):
            why[item] = NEEDS
        else:
            functions[item.nodeid.partition("[")[0]].append(item)
    if tier not in _BY_DAY:
        return why
    for name, found in functions.items():
        rows = _one_of_each_deployer(found)
        mark = found[0].get_closest_marker("rows")
        number = mark.kwargs.get(tier) if mark else None
        if number is not None and touched.isdisjoint(found[0].path.relative_to(ROOT).parts):
            rows = draw(rows, number, name, commit)
        why.update(dict.fromkeys({*found}.difference(rows), DRAWN))
    return why


def draw(rows: Sequence[pytest.Item], number: int, name: str, commit: str) -> list[pytest.Item]:
    """Return the rows of a test that run each time, and others until there are so many."""
    always = [item for item in rows if item.get_closest_marker("always")]
    if number and not always:
        always = [Random(name).choice(rows)]
    others = [item for item in rows if item not in always]
    free = max(number - len(always), 0)
    return [*always, *Random(commit + name).sample(others, min(free, len(others)))]


def _one_of_each_deployer(rows: Sequence[pytest.Item]) -> list[pytest.Item]:
    alike: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in rows:
        # Which value of each parameter: the same number in every process.
        indices = dict(item.callspec.indices) if hasattr(item, "callspec") else {}
        others = (
            str(sorted(indices.items())) if indices.pop(_DEPLOYER, None) is not None else item.name
        )
        alike[f"{item.nodeid.partition('[')[0]} {others}"].append(item)
    return [Random(name).choice(found) for name, found in alike.items()]
