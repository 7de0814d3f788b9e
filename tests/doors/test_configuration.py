"""Which configuration counts is one rule, at every door: docs/decisions/0037-one-configuration-at-every-door.md."""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.doors.doors import DOORS, Settings, configuration
from tests.render.run import write

PACKAGE = {
    "web.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
    "spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: web-config}}]}]}}}\n",
    "config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-config, namespace: shop}\n"
    "data: {LOG_LEVEL: info}\n",
}
NAME = "web-config-hf678c7m2b"
SUBPACKAGE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: db}\n"
ADOPT = {"name": "shop", "strategy": "adopt"}
RENAME = {"name": "shop", "strategy": "rename"}
OTHER = {"name": "db", "strategy": "rename"}
FILE = configuration(ADOPT)
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\ndata: {strategy: adopt}\n"


class Row(NamedTuple):
    """What is in the package, what is passed, and which settings count, or what the error says.

    `if_read`: which settings count if what is passed is a file of the package. `except_for`: doors
    of which the row is not true, and why.
    """

    files: dict[str, str]
    passed: Settings | None
    expected: Settings | str
    if_read: Settings | None = None
    needs_files: bool = False
    is_of_one_set: bool = True


ROWS = {
    "without any, the defaults count": Row(
        {}, None, {"name": "config-revisions", "strategy": "rename"}
    ),
    "the only one is passed": Row({}, ADOPT, ADOPT),
    "the only one is read": Row({"krm-fn.yaml": FILE}, None, ADOPT),
    "the only one is read, and has another name": Row({"settings.yaml": FILE}, None, ADOPT),
    "the only one is a ConfigMap": Row({"krm-fn.yaml": CONFIG_MAP}, None, ADOPT, needs_files=True),
    "what is passed says the same": Row({"krm-fn.yaml": FILE}, ADOPT, ADOPT),
    "what is passed says the same as a ConfigMap": Row(
        {"krm-fn.yaml": CONFIG_MAP}, ADOPT, ADOPT, needs_files=True
    ),
    "what is passed says something else": Row(
        {"krm-fn.yaml": FILE}, RENAME, "contradict each other: spec.strategy (rename and adopt); "
    ),
    "what is passed says less": Row(
        {"krm-fn.yaml": FILE},
        {"name": "shop"},
        "contradict each other: spec.strategy (rename and adopt); ",
    ),
    "what is passed is for another set": Row(
        {"krm-fn.yaml": FILE},
        OTHER,
        "contradict each other: metadata.name (db and shop), spec.strategy (rename and adopt); ",
        if_read=OTHER,
        is_of_one_set=False,
    ),
    "what is passed is one of two": Row(
        {"krm-fn.yaml": FILE, "db.yaml": configuration(OTHER)}, ADOPT, ADOPT, is_of_one_set=False
    ),
    "two are read, and say the same": Row(
        {"krm-fn.yaml": FILE, "settings.yaml": FILE}, None, ADOPT
    ),
    "two are read, and contradict": Row(
        {"krm-fn.yaml": FILE, "settings.yaml": configuration(RENAME)},
        None,
        "contradict each other: spec.strategy (",
    ),
    "two sets are read": Row(
        {"krm-fn.yaml": FILE, "db.yaml": configuration(OTHER)},
        None,
        "found 2 configurations; ",
        is_of_one_set=False,
    ),
    "a subpackage has another set": Row(
        {"krm-fn.yaml": FILE, "db/Kptfile": SUBPACKAGE, "db/krm-fn.yaml": configuration(OTHER)},
        None,
        ADOPT,
        needs_files=True,
        is_of_one_set=False,
    ),
    "only a subpackage has one, for another set": Row(
        {"db/Kptfile": SUBPACKAGE, "db/krm-fn.yaml": configuration(OTHER)},
        ADOPT,
        ADOPT,
        needs_files=True,
        is_of_one_set=False,
    ),
    "a subpackage says something else of the same set": Row(
        {"krm-fn.yaml": FILE, "db/Kptfile": SUBPACKAGE, "db/krm-fn.yaml": configuration(RENAME)},
        ADOPT,
        "contradict each other: spec.strategy (adopt and rename); ",
        needs_files=True,
    ),
}
KPT = [name for name in DOORS if name.startswith("kpt ")]
CASES = [
    pytest.param(
        row,
        name,
        marks=() if name not in KPT or name == KPT[number % len(KPT)] else pytest.mark.nightly,
        id=f"{name}: {sentence}",
    )
    for number, (sentence, row) in enumerate(ROWS.items())
    for name, door in DOORS.items()
    # A stream does not say which files its objects are from.
    if (door.knows_files or not row.needs_files)
    and (row.passed or not door.must_pass)
    # Verify looks at several sets, each with its own configuration.
    and (name != "verify" or row.is_of_one_set)
]


@pytest.mark.parametrize(("row", "name"), CASES)
def test_what_counts(row: Row, name: str, tmp_path: Path) -> None:
    package = tmp_path / "shop"
    write(package, {**PACKAGE, **row.files})
    door = DOORS[name]
    answer = door.run(package, row.passed)
    expected = row.if_read if door.reads_what_is_passed and row.if_read else row.expected
    if isinstance(expected, str):
        assert expected in " ".join(answer.problems.split())
        assert answer.exit_code != 0
        assert NAME not in answer.manifests
    elif name == "verify":
        assert (row.expected != ROWS["without any, the defaults count"].expected) == (
            f"no revision of set {expected['name']}:" in answer.problems
        )
    else:
        assert answer.exit_code == 0, answer.problems
        assert (NAME in answer.manifests) == (expected["strategy"] == "rename")
        if door.makes:
            assert f"revisions.krm-fn.io/set: {expected['name']}\n" in answer.manifests.replace(
                '"', ""
            )
